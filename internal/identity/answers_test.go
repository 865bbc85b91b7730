package identity_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/identity"
	"github.com/seed-2ea642bd/airlock/internal/schema"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// TestMintAnswers gives answers that no GitHub should: each is a mismatch whose token is revoked, and what its record says can
// stand in applied/1.
func TestMintAnswers(t *testing.T) {
	const good = `{"token":"ghs_x","expires_at":"2026-11-30T11:05:03Z","permissions":{"checks":"write","pull_requests":"write","metadata":"read"},"repository_selection":"selected","repositories":[{"id":701002003}]}`
	for name, c := range map[string]struct {
		old, new string
		code     contract.Code
	}{
		"good":                        {"", "", ""},
		"no repository":               {`[{"id":701002003}]`, `[]`, contract.CodeIdentityElsewhere},
		"no list of repositories":     {`,"repositories":[{"id":701002003}]`, ``, contract.CodeIdentityElsewhere},
		"two repositories":            {`{"id":701002003}`, `{"id":701002003},{"id":5}`, contract.CodeIdentityElsewhere},
		"no permissions":              {`{"checks":"write","pull_requests":"write","metadata":"read"}`, `null`, contract.CodeIdentityShort},
		"no metadata":                 {`,"metadata":"read"`, ``, contract.CodeIdentityShort},
		"a level that nobody knows":   {`"metadata":"read"`, `"metadata":"admin"`, contract.CodeIdentityExcess},
		"a name that nobody knows":    {`"metadata":"read"`, `"metadata":"read","X Y":"write"`, contract.CodeIdentityExcess},
		"it has ended":                {`T11:05:03Z`, `T10:05:02Z`, contract.CodeIdentityMismatch},
		"a day that does not exist":   {`30T11`, `31T11`, contract.CodePlatformError},
		"it ends in three hours":      {`T11:05:03Z`, `T13:05:03Z`, contract.CodeIdentityMismatch},
		"no token":                    {`"ghs_x"`, `""`, contract.CodePlatformError},
		"a token that is no string":   {`"ghs_x"`, `5`, contract.CodePlatformError},
		"an id that is another type":  {`701002003`, `"701002003"`, contract.CodePlatformError},
		"a selection of another type": {`"selected"`, `["selected"]`, contract.CodePlatformError},
	} {
		t.Run(name, func(t *testing.T) {
			revoked := 0
			m := &identity.Minter{App: contract.App{AppID: 1, InstallationID: 2}, Key: emulatortest.Key(), APIURL: "https://api.example.test",
				GraphQLURL: "https://api.example.test/graphql", Sleep: noWait, Now: func() time.Time { return emulatortest.Now },
				Transport: roundTrip(func(request *http.Request) (*http.Response, error) {
					status, body := http.StatusCreated, strings.Replace(good, c.old, c.new, 1)
					if request.Method == http.MethodDelete {
						revoked++
						status, body = http.StatusNoContent, ""
					}
					return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: request}, nil
				})}
			token, record, _, err := m.Mint(context.Background(), request())
			if c.code == "" {
				if err != nil || token == nil || revoked != 0 {
					t.Errorf("got %v", err)
				}
				return
			}
			if err == nil || identity.CodeOf(err) != c.code {
				t.Fatalf("got %v, want %s", err, c.code)
			}
			if c.code == contract.CodePlatformError {
				return
			}
			if revoked != 1 || !record.Revoked {
				t.Errorf("revoked by %d calls, the record says %v", revoked, record.Revoked)
			}
			holdsToken(t, *record)
		})
	}
}

// holdsToken holds that a record can stand in applied/1.
func holdsToken(t *testing.T, token contract.TokenRecord) {
	t.Helper()
	at := contract.At(emulatortest.Now)
	data, err := contract.Canonical(contract.Applied{Schema: "applied/1", Run: "run-" + strings.Repeat("0", 24), Attempt: 1, StartedAt: at, FinishedAt: at,
		Release: contract.Release{Commit: strings.Repeat("0", 40), Contract: "sha256:" + strings.Repeat("0", 64), Version: "0.0.0"},
		Effects: []contract.AppliedEffect{}, Findings: []contract.Finding{}, Dispositions: []contract.AppliedDisposition{}, Tokens: []contract.TokenRecord{token}})
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate("applied/1", data); err != nil {
		t.Errorf("%v\n%s", err, data)
	}
}
