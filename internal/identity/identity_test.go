package identity_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/identity"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// minter is the seed's App, whose clock is skew away from GitHub's.
func minter(github *emulatortest.Instance, skew time.Duration) *identity.Minter {
	return &identity.Minter{
		App: contract.App{AppID: emulatortest.AppID, BotUserID: emulatortest.BotUserID, InstallationID: emulatortest.InstallationID, Name: "pr-review"},
		Key: emulatortest.Key(), APIURL: github.URL, GraphQLURL: github.URL + "/graphql", Transport: http.DefaultTransport, Sleep: noWait,
		Now: func() time.Time { return github.Now().Add(skew) },
	}
}

func request() identity.Request {
	return identity.Request{RepositoryID: emulatortest.RepositoryID, Permissions: map[string]string{"checks": "write", "pull_requests": "write"}, Purpose: contract.PurposeEffects}
}

// alive counts the installation tokens that still work.
func alive(t *testing.T, github *emulatortest.Instance) int {
	t.Helper()
	count := 0
	for _, token := range github.State(t).Tokens {
		if token.Kind == "installation" && !token.Revoked {
			count++
		}
	}
	return count
}

func TestMint(t *testing.T) {
	for name, c := range map[string]struct {
		options emulator.Options
		skew    time.Duration
		seed    func(*emulator.Seed)
		change  func(*identity.Minter, *identity.Request)
		fault   string
		code    contract.Code // empty: a token
		mints   int           // calls that ask for a token
		what    string        // part of the fault's words
	}{
		"as asked":                  {mints: 1},
		"the form of 40 characters": {options: emulator.Options{ClassicTokens: true}, mints: 1},
		"our clock is 50 s ahead":   {skew: 50 * time.Second, mints: 1},
		"our clock is 5 min ahead":  {skew: 5 * time.Minute, mints: 2},
		"our clock is 4 min behind": {skew: -4 * time.Minute, mints: 1},
		"our clock is 5 min behind": {skew: -5 * time.Minute, mints: 2},
		"our clock is 3 h ahead":    {skew: 3 * time.Hour, mints: 2},
		"the installation is suspended": {fault: "suspended", code: contract.CodeIdentitySuspended, mints: 1,
			what: "mint the token: permission denied (status 403): This installation has been suspended"},
		"more than the App was granted": {change: func(_ *identity.Minter, r *identity.Request) { r.Permissions["contents"] = "write" },
			code: contract.CodeIdentityUnaccepted, mints: 1, what: "mint the token: invalid request (status 422): The permissions requested are not granted to this installation."},
		"a level that was not accepted": {seed: func(s *emulator.Seed) { s.Apps[0].Permissions["pull_requests"] = "read" },
			code: contract.CodeIdentityUnaccepted, mints: 1},
		"another repository": {change: func(_ *identity.Minter, r *identity.Request) { r.RepositoryID++ }, code: contract.CodeIdentityRepository, mints: 1,
			what: "(status 422): There is at least one repository that does not exist"},
		"another installation": {change: func(m *identity.Minter, _ *identity.Request) { m.App.InstallationID++ },
			code: contract.CodeIdentityInstallation, mints: 1, what: "not found (status 404)"},
		"another App":       {change: func(m *identity.Minter, _ *identity.Request) { m.App.AppID++ }, code: contract.CodeIdentityInstallation, mints: 1},
		"another key":       {change: func(m *identity.Minter, _ *identity.Request) { m.Key = newKey(t, 2048) }, code: contract.CodeIdentitySignature, mints: 1, what: "unauthorized (status 401)"},
		"a 422 of no name":  {fault: "invalid-strings", code: contract.CodeIdentityRefused, mints: 1},
		"a 403 of no name":  {fault: "lag-403", code: contract.CodeIdentityRefused, mints: 1},
		"a permission more": {fault: "mint-more", code: contract.CodeIdentityExcess, mints: 1, what: "more permissions"},
		"a level less":      {fault: "mint-less", code: contract.CodeIdentityShort, mints: 1, what: "fewer permissions"},
		"for another":       {fault: "mint-other-repository", code: contract.CodeIdentityElsewhere, mints: 1, what: "the one repository"},
		"for all":           {fault: "mint-all-repositories", code: contract.CodeIdentityElsewhere, mints: 1, what: "all repositories"},
		"no permission": {change: func(_ *identity.Minter, r *identity.Request) { r.Permissions = map[string]string{} },
			code: contract.CodeIdentityRequest, what: "no token is asked for: it names no permission"},
		"a misspelt permission": {change: func(_ *identity.Minter, r *identity.Request) {
			r.Permissions = map[string]string{"pull-requests": "write"}
		},
			code: contract.CodeIdentityRequest, what: "that nothing here needs"},
		"a level of no name": {change: func(_ *identity.Minter, r *identity.Request) { r.Permissions["checks"] = "admin" }, code: contract.CodeIdentityRequest},
		"no repository": {change: func(_ *identity.Minter, r *identity.Request) { r.RepositoryID = 0 },
			code: contract.CodeIdentityRequest, what: "it names no repository"},
		"a rate limit":       {fault: "limit-429", code: contract.CodeRateLimited, mints: 1},
		"GitHub is down":     {fault: "error-500-not-done", code: contract.CodePlatformError, mints: 1},
		"a lost answer":      {fault: "killed-before", code: contract.CodePlatformError, mints: 1},
		"a broken answer":    {fault: "truncated-json", code: contract.CodePlatformError, mints: 1},
		"an empty answer":    {fault: "empty-200", code: contract.CodePlatformError, mints: 1},
		"a renamed resource": {fault: "limit-403-secondary", code: contract.CodeRateLimited, mints: 1},
	} {
		t.Run(name, func(t *testing.T) {
			seed := emulatortest.Seed()
			if c.seed != nil {
				c.seed(&seed)
			}
			github := emulatortest.Start(t, seed, c.options)
			m, r := minter(github, c.skew), request()
			if c.change != nil {
				c.change(m, &r)
			}
			if c.fault != "" {
				if err := github.Inject(emulator.Fault{Kind: c.fault}); err != nil {
					t.Fatal(err)
				}
			}
			token, record, calls, err := m.Mint(context.Background(), r)
			if c.code != "" {
				if err == nil || token != nil || identity.CodeOf(err) != c.code || !strings.Contains(fmt.Sprint(err), c.what) {
					t.Fatalf("got %v, want %s with %q", err, c.code, c.what)
				}
				if mismatch := strings.HasPrefix(c.fault, "mint-"); mismatch != (record != nil) || mismatch && (!record.Revoked || calls.REST != 2) {
					t.Errorf("record %+v, %d calls", record, calls.REST)
				}
			} else {
				if err != nil {
					t.Fatal(err)
				}
				granted := maps.Clone(r.Permissions)
				granted["metadata"] = "read"
				if !maps.Equal(record.Granted, granted) || !maps.Equal(record.Requested, r.Permissions) || record.RepositoryID != r.RepositoryID ||
					record.Purpose != r.Purpose || record.Revoked || !record.ExpiresAt.Std().Equal(github.Now().Add(time.Hour)) {
					t.Errorf("record %+v", record)
				}
				if m.Revoke(context.Background(), token); !token.Record.Revoked {
					t.Error("not revoked")
				}
			}
			if c.fault == "truncated-json" || c.fault == "empty-200" {
				return // the token was made, and nobody knows it
			}
			if n := alive(t, github); n != 0 {
				t.Errorf("%d tokens are left alive", n)
			}
			mints := 0
			for _, call := range github.State(t).Calls {
				if strings.HasSuffix(call.Path, "/access_tokens") {
					mints++
				}
			}
			if mints != c.mints {
				t.Errorf("a token was asked for %d times, want %d", mints, c.mints)
			}
		})
	}
}

func TestMintAsksForNothingAfterACancellation(t *testing.T) {
	github := emulatortest.Start(t, emulatortest.Seed(), emulator.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, calls, err := minter(github, 0).Mint(ctx, request()); identity.CodeOf(err) != contract.CodeInterrupted || calls.REST != 0 || len(github.State(t).Calls) != 0 {
		t.Errorf("%v after %d calls", err, calls.REST)
	}
}

// TestMintOutlivesACancellation holds that the answer to a mint is waited for, so that its token can be revoked.
func TestMintOutlivesACancellation(t *testing.T) {
	github := emulatortest.Start(t, emulatortest.Seed(), emulator.Options{})
	if err := github.Inject(emulator.Fault{Kind: "slow", Gate: "mint", Match: "POST /app/installations/*/access_tokens"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		if github.Held(context.Background(), "mint") == nil {
			cancel()
			github.Release("mint")
		}
	}()
	m := minter(github, 0)
	token, _, _, err := m.Mint(ctx, request())
	if err != nil {
		t.Fatal(err)
	}
	if m.Revoke(ctx, token); !token.Record.Revoked || alive(t, github) != 0 {
		t.Errorf("revoked: %v, %d alive", token.Record.Revoked, alive(t, github))
	}
}

func TestRevoke(t *testing.T) {
	const del = "DELETE /installation/token"
	for name, c := range map[string]struct {
		used    bool // the token worked once
		faults  []emulator.Fault
		revoked bool // as the record says
		alive   int
	}{
		"at once":                           {revoked: true},
		"the answer is lost":                {used: true, faults: []emulator.Fault{{Kind: "killed-after", Match: del}}, revoked: true},
		"the answer is lost, never used":    {faults: []emulator.Fault{{Kind: "killed-after", Match: del}}},
		"200 with a page of HTML":           {faults: []emulator.Fault{{Kind: "html-200", Match: del, Times: 3}}},
		"200 with a page, of one used":      {used: true, faults: []emulator.Fault{{Kind: "html-200", Match: del}}, revoked: true},
		"500 once":                          {faults: []emulator.Fault{{Kind: "revoke-fails"}}, revoked: true},
		"500 always":                        {faults: []emulator.Fault{{Kind: "revoke-fails", Times: 3}}, alive: 1},
		"not known yet, once":               {faults: []emulator.Fault{{Kind: "lag-401", Match: del}}, revoked: true},
		"not known yet, always":             {faults: []emulator.Fault{{Kind: "lag-401", Match: del, Times: 3}}, alive: 1},
		"401 once, of one that worked":      {used: true, faults: []emulator.Fault{{Kind: "lag-401", Match: del}}, revoked: true},
		"revoked by another, of one used":   {used: true, faults: []emulator.Fault{{Kind: "token-revoked", Match: del}}, revoked: true},
		"revoked by another, of one unused": {faults: []emulator.Fault{{Kind: "token-revoked", Match: del}}},
	} {
		t.Run(name, func(t *testing.T) {
			github := emulatortest.Start(t, emulatortest.Seed(), emulator.Options{})
			m := minter(github, 0)
			token, _, _, err := m.Mint(context.Background(), request())
			if err != nil {
				t.Fatal(err)
			}
			if c.used {
				if _, err := token.Client.REST(context.Background(), "GET", "repos/example-org/ledger/pulls/12", nil, nil); err != nil {
					t.Fatal(err)
				}
			}
			for _, fault := range c.faults {
				if err := github.Inject(fault); err != nil {
					t.Fatal(err)
				}
			}
			m.Revoke(context.Background(), token)
			before := len(github.State(t).Calls)
			if token.Record.Revoked != c.revoked || alive(t, github) != c.alive {
				t.Errorf("the record says %v with %d alive, want %v and %d", token.Record.Revoked, alive(t, github), c.revoked, c.alive)
			}
			m.Revoke(context.Background(), token)
			if c.revoked && len(github.State(t).Calls) != before {
				t.Error("a revoked token was revoked again")
			}
		})
	}
}

func TestRevokeOfACancelledRun(t *testing.T) {
	github := emulatortest.Start(t, emulatortest.Seed(), emulator.Options{})
	m := minter(github, 0)
	ctx, cancel := context.WithCancel(context.Background())
	one, _, _, err := m.Mint(ctx, request())
	if err != nil {
		t.Fatal(err)
	}
	two, _, _, err := m.Mint(ctx, request())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if m.Revoke(ctx, one, two); !one.Record.Revoked || !two.Record.Revoked || alive(t, github) != 0 {
		t.Errorf("%d tokens are left alive", alive(t, github))
	}
}

// TestTokenIsAskedForNarrowly holds the request itself: one repository by id, exactly the permissions, and an assertion that
// GitHub takes.
func TestTokenIsAskedForNarrowly(t *testing.T) {
	github := emulatortest.Start(t, emulatortest.Seed(), emulator.Options{})
	if _, _, _, err := minter(github, 0).Mint(context.Background(), request()); err != nil {
		t.Fatal(err)
	}
	want := `{"repository_ids":[701002003],"permissions":{"checks":"write","pull_requests":"write"}}`
	if got := strings.TrimSpace(github.State(t).Calls[0].Request); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

func newKey(t *testing.T, bits int) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestParseKey(t *testing.T) {
	block := func(kind string, der []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(emulatortest.Key())
	good := block("PRIVATE KEY", pkcs8, err)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	elliptical, err := x509.MarshalECPrivateKey(curve)
	other := block("EC PRIVATE KEY", elliptical, err)
	whole := emulatortest.KeyPEM()
	for name, c := range map[string]struct {
		text string
		good bool
	}{
		"as GitHub gives it":       {whole, true},
		"PKCS 8":                   {good, true},
		"with CRLF":                {strings.ReplaceAll(whole, "\n", "\r\n"), true},
		"with space around":        {"\n\n" + whole + "\n", true},
		"empty":                    {"", false},
		"no PEM":                   {"ghs_0123456789", false},
		"truncated":                {whole[:len(whole)/2], false},
		"line ends written out":    {strings.ReplaceAll(whole, "\n", `\n`), false},
		"without its head":         {strings.TrimPrefix(whole, "-----BEGIN RSA PRIVATE KEY-----\n"), false},
		"of another kind":          {other, false},
		"the public half":          {emulatortest.PublicKeyPEM(), false},
		"shorter than 2048 bits":   {block("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(newKey(t, 1024)), nil), false},
		"bytes that are not a key": {block("RSA PRIVATE KEY", []byte("nothing"), nil), false},
	} {
		t.Run(name, func(t *testing.T) {
			key, err := identity.ParseKey(secret.New(c.text))
			if c.good {
				if err != nil || key.N.Cmp(emulatortest.Key().N) != 0 {
					t.Errorf("got %v", err)
				}
				return
			}
			if identity.CodeOf(err) != contract.CodeIdentityKey || key != nil {
				t.Fatalf("got %v, want identity_key", err)
			}
			for _, line := range strings.Split(c.text, "\n") {
				if len(line) > 10 && strings.Contains(err.Error(), line) {
					t.Errorf("the error quotes the key: %v", err)
				}
			}
		})
	}
}
