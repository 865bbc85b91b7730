package github

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/secret"
)

// TestTokenIsOneWord holds that a token no header could carry is refused before anything is sent.
func TestTokenIsOneWord(t *testing.T) {
	sleep := func(context.Context, time.Duration) error { return nil }
	for token, usable := range map[string]bool{"ghs_a.b-c_d": true, "": false, "ghs_a\n": false, "ghs a": false, "ghs_\x7f": false, "ghs_ä": false} {
		_, err := New(Options{APIURL: "https://api.example.test", GraphQLURL: "https://api.example.test/graphql", Token: secret.New(token),
			Transport: http.DefaultTransport, Sleep: sleep})
		if (err == nil) != usable {
			t.Errorf("token of %d bytes: %v", len(token), err)
		}
	}
}

// TestKnown holds of which failures the client says that GitHub did something with its token before.
func TestKnown(t *testing.T) {
	statuses := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusOK, http.StatusUnauthorized, http.StatusNotFound}
	n := 0
	client, err := New(Options{APIURL: "https://api.example.test", GraphQLURL: "https://api.example.test/graphql", Token: secret.New("token"),
		Sleep: func(context.Context, time.Duration) error { return nil },
		Transport: answers(func(request *http.Request) (*http.Response, error) {
			n++
			return &http.Response{StatusCode: statuses[n-1], Header: http.Header{}, Body: http.NoBody, Request: request}, nil
		})})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, false, false, true, true} {
		_, err := client.REST(t.Context(), http.MethodPost, "x", nil, nil)
		var failure *Error
		if errors.As(err, &failure) != (statuses[i] != http.StatusOK) || failure != nil && failure.Known != want {
			t.Errorf("call %d: %+v, want known %v", i+1, failure, want)
		}
	}
}

type answers func(*http.Request) (*http.Response, error)

func (a answers) RoundTrip(request *http.Request) (*http.Response, error) { return a(request) }
