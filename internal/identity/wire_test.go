package identity_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

// TestAssertion holds what is signed: whole seconds, issued a minute ago, at most nine minutes to live, and signed once more by
// GitHub's clock, and never more than once, where this machine's is wrong.
func TestAssertion(t *testing.T) {
	for _, skew := range []time.Duration{0, 50 * time.Second, 5 * time.Minute, -4 * time.Minute, -5 * time.Minute, 3 * time.Hour} {
		t.Run(skew.String(), func(t *testing.T) {
			github := emulatortest.Start(t, emulatortest.Seed(), emulator.Options{})
			m := minter(github, skew)
			half := func() time.Time { return github.Now().Add(skew + 500*time.Millisecond) }
			m.Now = half
			var signed []string
			m.Transport = roundTrip(func(request *http.Request) (*http.Response, error) {
				_, value, _ := strings.Cut(request.Header.Get("Authorization"), " ")
				signed = append(signed, value)
				return http.DefaultTransport.RoundTrip(request)
			})
			if _, _, _, err := m.Mint(context.Background(), request()); err != nil {
				t.Fatal(err)
			}
			clocks := []time.Time{half(), github.Now()}
			for i, assertion := range signed {
				payload, err := base64.RawURLEncoding.DecodeString(strings.Split(assertion, ".")[1])
				if err != nil {
					t.Fatal(err)
				}
				at := clocks[i].Unix()
				want := fmt.Sprintf(`{"iss":"%d","exp":%d,"iat":%d}`, emulatortest.AppID, at+5*60, at-60)
				if string(payload) != want {
					t.Errorf("signed %s, want %s", payload, want)
				}
			}
			again := skew >= 5*time.Minute || skew <= -5*time.Minute
			if want := map[bool]int{false: 1, true: 2}[again]; len(signed) != want {
				t.Errorf("signed %d times, want %d", len(signed), want)
			}
		})
	}
}

// TestTokenForms mints tokens of every form there was, and of one that may come: each is taken as it is, goes over the wire whole,
// and is in nothing that is printed or recorded.
func TestTokenForms(t *testing.T) {
	segment := func(n int) string { return strings.Repeat("aZ0-_", n/5+1)[:n] }
	for name, value := range map[string]string{
		"40 characters":          "ghs_" + strings.Repeat("a1B2", 9),
		"520 characters, dots":   "ghs_900001_eyJ" + segment(33) + "." + segment(130) + "." + segment(341),
		"2,000 characters, dots": "ghs_900001_eyJ" + segment(597) + "." + segment(1300) + "." + segment(87),
		"another prefix":         "v9.0123456789abcdef0123456789abcdef01234567",
	} {
		t.Run(name, func(t *testing.T) {
			var sent []string
			m := minter(&emulatortest.Instance{URL: "https://api.example.test"}, 0)
			m.Now = func() time.Time { return emulatortest.Now }
			m.Transport = roundTrip(func(request *http.Request) (*http.Response, error) {
				status, body := http.StatusNoContent, ""
				switch request.Method {
				case http.MethodPost:
					status = http.StatusCreated
					body = fmt.Sprintf(`{"token":%q,"expires_at":"2026-11-30T11:05:03Z","permissions":{"checks":"write","pull_requests":"write","metadata":"read"},"repository_selection":"selected","repositories":[{"id":701002003}]}`, value)
				case http.MethodGet:
					status, body = http.StatusUnprocessableEntity, fmt.Sprintf(`{"message":"the token %s is no good"}`, value)
				}
				sent = append(sent, request.Header.Get("Authorization"))
				return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: request}, nil
			})
			token, record, _, err := m.Mint(context.Background(), request())
			if err != nil {
				t.Fatal(err)
			}
			printed := fmt.Sprintf("%v %+v %#v %+v", token, token, *token, record)
			recorded, err := json.Marshal(record)
			if err != nil {
				t.Fatal(err)
			}
			holdsToken(t, *record)
			if m.Revoke(context.Background(), token); !token.Record.Revoked || len(sent) != 2 || sent[1] != "Bearer "+value {
				t.Errorf("revoked %v; %d requests, the last with %d characters", token.Record.Revoked, len(sent), len(sent[len(sent)-1]))
			}
			if strings.Contains(printed+string(recorded), value) {
				t.Error("the token is printed")
			}
			if found := secret.Find("before " + value + " after"); strings.HasPrefix(value, "ghs_") && (len(found) != 1 || found[0].End-found[0].Start != len(value)) {
				t.Errorf("a leak of it is found as %v, want all its %d characters", found, len(value))
			}
		})
	}
}

// TestMintMessage holds what a fault repeats of GitHub's sentence: no more than a sentence, and nothing that could be a token or a
// command to the runner.
func TestMintMessage(t *testing.T) {
	const own = "mint the token: invalid request (status 422)"
	for message, want := range map[string]string{
		"The permissions requested are not granted to this installation.": own + ": The permissions requested are not granted to this installation.",
		"":                         own,
		"##[error]The permissions": own,
		"a %25 of permissions":     own,
		"ghs_" + strings.Repeat("a1B2", 9) + " lacks permissions": own,
		"line\none": own + ": line one",
	} {
		m := minter(&emulatortest.Instance{URL: "https://api.example.test"}, 0)
		m.Now = func() time.Time { return emulatortest.Now }
		m.Transport = roundTrip(func(request *http.Request) (*http.Response, error) {
			body, err := json.Marshal(map[string]string{"message": message})
			return &http.Response{StatusCode: http.StatusUnprocessableEntity, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(body))), Request: request}, err
		})
		if _, _, _, err := m.Mint(context.Background(), request()); err == nil || err.Error() != want {
			t.Errorf("%q gives %v, want %s", message, err, want)
		}
	}
}

// TestHangingGitHub holds how long a cancelled Run waits for an answer that does not come, and that it waits the whole time where
// nobody cancelled: two seconds for a mint, two and a half for all its tokens together.
func TestHangingGitHub(t *testing.T) {
	const answer = `{"token":"ghs_x","expires_at":"2026-11-30T11:05:03Z","permissions":{"checks":"write","pull_requests":"write","metadata":"read"},"repository_selection":"selected","repositories":[{"id":701002003}]}`
	for _, cancelled := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			hang := ""
			m := minter(&emulatortest.Instance{URL: "https://api.example.test"}, 0)
			m.Now = func() time.Time { return emulatortest.Now }
			m.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.Method == hang {
					if cancelled {
						cancel()
					}
					<-r.Context().Done()
					return nil, r.Context().Err()
				}
				return &http.Response{StatusCode: http.StatusCreated, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
			})
			one, _, _, err := m.Mint(ctx, request())
			if err != nil {
				t.Fatal(err)
			}
			two, _, _, err := m.Mint(ctx, request())
			if err != nil {
				t.Fatal(err)
			}
			hang = http.MethodPost
			begun := time.Now()
			_, _, _, err = m.Mint(ctx, request())
			if want := map[bool]time.Duration{false: 10 * time.Second, true: 2 * time.Second}[cancelled]; time.Since(begun) != want ||
				err == nil || !strings.Contains(err.Error(), "a token that nobody holds may have been made") {
				t.Errorf("cancelled %v: the mint ended after %s with %v, want %s", cancelled, time.Since(begun), err, want)
			}
			hang, begun = http.MethodDelete, time.Now()
			m.Revoke(ctx, one, two)
			if want := map[bool]time.Duration{false: 5 * time.Second, true: 2500 * time.Millisecond}[cancelled]; time.Since(begun) != want ||
				one.Record.Revoked || two.Record.Revoked {
				t.Errorf("cancelled %v: the revocation ended after %s, want %s", cancelled, time.Since(begun), want)
			}
		})
	}
}
