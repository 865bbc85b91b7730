package github

import (
	"context"
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
