package apply

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// TestBadInput leaves out each variable, and gives each a value that it cannot have: one line, exit code 2, nothing written.
func TestBadInput(t *testing.T) {
	w := newWorld(t, nil)
	w.admit()
	w.answer(three())
	m := w.moment()
	missing := contract.CodeEnvironmentMissing
	for name, c := range map[string]struct {
		missing   contract.Code // code when it is empty
		malformed []string
		code      contract.Code // code when it is malformed; usage when empty
	}{
		"GITHUB_API_URL":                 {missing, []string{"http://api.github.com", "ftp://x", "://", "https://user@api.github.com"}, ""},
		"GITHUB_GRAPHQL_URL":             {missing, []string{"http://api.github.com/graphql", "not a url"}, ""},
		"GITHUB_TOKEN":                   {contract.CodeCredentialMissing, []string{" \n"}, contract.CodeCredentialMissing},
		"AIRLOCK_APP_PRIVATE_KEY":        {contract.CodeCredentialMissing, []string{"a password", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"}, contract.CodeIdentityKey},
		"GITHUB_REPOSITORY":              {missing, []string{"ledger", "a/b/c", "/b", "a/", "a b/c", "a/b?x"}, ""},
		"GITHUB_REPOSITORY_ID":           {missing, []string{"0", "-1", "1.5", "99999999999999999999", "0x1"}, ""},
		"GITHUB_RUN_ID":                  {missing, []string{"one", "01"}, ""},
		"GITHUB_RUN_ATTEMPT":             {missing, []string{"0", "first"}, ""},
		"GITHUB_WORKFLOW_REF":            {missing, []string{"review.yml", "a/b/review.yml@main", "a/b/.github/workflows/@main", "a/b/.github/workflows/review.yml"}, ""},
		"GITHUB_OUTPUT":                  {missing, nil, ""},
		"AIRLOCK_OUT":                    {missing, []string{"/dev/null/out"}, contract.CodeOutputFailed},
		"AIRLOCK_BUNDLE_ARTIFACT_ID":     {missing, []string{"0", "x"}, ""},
		"AIRLOCK_BUNDLE_ARTIFACT_DIGEST": {missing, []string{"abc", strings.Repeat("A", 64), strings.Repeat("0", 65), "sha256:" + strings.Repeat("0", 63)}, ""},
		"AIRLOCK_DECISION_SHA256":        {missing, []string{"abc", strings.Repeat("g", 64)}, ""},
		"AIRLOCK_RESULT_ARTIFACT_ID":     {"", []string{"0", "x", "-5"}, ""},
		"AIRLOCK_RESULT_ARTIFACT_DIGEST": {missing, []string{"abc"}, ""},
		"AIRLOCK_RESULT_SHA256":          {missing, []string{"abc"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.missing != "" {
				w := m.start(t)
				w.holdsMessage(w.apply(func(env map[string]string) { env[name] = "" }), c.missing)
			}
			for _, value := range c.malformed {
				code := c.code
				if code == "" {
					code = contract.CodeUsage
				}
				w := m.start(t)
				e := w.apply(func(env map[string]string) { env[name] = value })
				w.holdsMessage(e, code)
				if strings.Contains(e.log, value) && len(strings.TrimSpace(value)) > 3 && name != "AIRLOCK_OUT" {
					t.Errorf("the message quotes the value: %s", e.log)
				}
			}
		})
	}
}

// TestRecordsOfAnEarlierExecution are not left for this one's where it ends without any.
func TestRecordsOfAnEarlierExecution(t *testing.T) {
	w := newWorld(t, nil)
	w.admit()
	w.answer(three())
	out := filepath.Join(t.TempDir(), "out")
	w.apply(func(env map[string]string) { env["AIRLOCK_OUT"] = out })
	w.transport = roundTrip(func(*http.Request) (*http.Response, error) { panic("at the first call") })
	if e := w.apply(func(env map[string]string) { env["AIRLOCK_OUT"] = out }); e.code != exitMessage {
		t.Errorf("code %d\n%s", e.code, e.log)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) != 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}

// TestPanic breaks the program off at each call after the first mint: the tokens are revoked, one message says where, and
// nothing of what panicked is told.
func TestPanic(t *testing.T) {
	m := beforeSecondApply(t)
	for _, at := range []string{"/reviews", "/replies", "/graphql", "/check-runs"} {
		w := m.start(t)
		minted := false
		next := w.transport
		w.transport = roundTrip(func(request *http.Request) (*http.Response, error) {
			if minted && strings.Contains(request.URL.Path, at) {
				minted = false // the revocation goes through
				panic("a secret of a panic")
			}
			minted = minted || strings.HasSuffix(request.URL.Path, "/access_tokens")
			return next.RoundTrip(request)
		})
		e := w.apply(nil)
		if e.code != exitMessage || e.records || w.alive() != 0 || strings.Contains(e.log, "a secret of a panic") ||
			!strings.Contains(e.log, "airlock apply: platform_error: the program broke off at ") {
			t.Errorf("at %s: code %d, %d alive\n%s", at, e.code, w.alive(), e.log)
		}
	}
}

// TestCancelled cancels the program, as a signal does, before each call: the tokens are revoked, the records are there and
// true, and applying again comes to the undisturbed state.
func TestCancelled(t *testing.T) {
	m := beforeSecondApply(t)
	undisturbed := m.start(t)
	calls := undisturbed.apply(nil).calls
	want := undisturbed.standing()
	for at := range calls {
		w := m.start(t)
		ctx, cancel := context.WithCancel(context.Background())
		next, n := w.transport, 0
		w.context = ctx
		w.transport = roundTrip(func(request *http.Request) (*http.Response, error) {
			if n == at {
				cancel()
			}
			n++
			return next.RoundTrip(request)
		})
		e := w.apply(nil)
		cancel()
		w.holdsTrue(e)
		if w.alive() != 0 || e.records && e.code == 0 && !strings.HasSuffix(calls[at].Operation, "/installation/token") {
			t.Errorf("cancelled before call %d (%s %s): code %d, %d alive\n%s", at, calls[at].Method, calls[at].Operation, e.code, w.alive(), e.log)
		}
		w.context, w.transport = context.Background(), next
		if again := w.apply(nil); again.code != 0 || w.standing() != want {
			t.Errorf("cancelled before call %d (%s %s), then applied: code %d, %s, want %s\n%s", at, calls[at].Method, calls[at].Operation, again.code, w.standing(), want, again.log)
		}
	}
}

// TestSlow holds a write until the program is cancelled: its end says that it is not known whether it was done.
func TestSlow(t *testing.T) {
	m := beforeSecondApply(t)
	w := m.start(t)
	w.must(w.Inject(emulator.Fault{Kind: "slow", Gate: "review", Match: "POST /repos/*/*/pulls/*/reviews"}))
	ctx, cancel := context.WithCancel(context.Background())
	w.context = ctx
	go func() {
		if w.Held(context.Background(), "review") == nil {
			cancel()
		}
	}()
	e := w.apply(nil)
	w.Release("review")
	if want := []string{"failed", "not_attempted", "not_attempted", "not_attempted"}; e.code != 1 || !slices.Equal(e.states(), want) ||
		*e.applied.Effects[0].Reason != contract.CodeEffectUnknown || e.outcome.Check != nil || w.alive() != 0 {
		t.Errorf("code %d: %v, %d alive\n%s", e.code, e.states(), w.alive(), e.log)
	}
}

// TestClockSkew lets this machine's clock go wrong by five minutes.
func TestClockSkew(t *testing.T) {
	for _, skew := range []time.Duration{5 * time.Minute, -5 * time.Minute} {
		w := newWorld(t, nil)
		w.admit()
		w.answer(three())
		w.clock = func() time.Time { return w.Now().Add(skew) }
		if e := w.apply(nil); e.code != 0 || w.reviewsByUs() != 1 {
			t.Errorf("by %s: code %d\n%s", skew, e.code, e.log)
		}
	}
}

// TestForgedMarker lets a stranger post our markers: they are believed of nobody but the App.
func TestForgedMarker(t *testing.T) {
	w := newWorld(t, nil)
	w.admit()
	w.answer(three())
	first := w.apply(nil)
	state := w.State(t)
	body := state.Pull(emulatortest.Number).Reviews[0].Body
	forged := newWorld(t, nil)
	forged.admit()
	forged.answer(three())
	_, err := forged.Review(emulator.ReviewAct{Number: emulatortest.Number, ActorID: emulatortest.ContributorID, Body: body})
	forged.must(err)
	if e := forged.apply(nil); e.code != 0 || !slices.Equal(e.states(), []string{"applied"}) || forged.reviewsByUs() != 1 || first.applied.Effects[0].Key != e.applied.Effects[0].Key {
		t.Errorf("code %d: %v\n%s", e.code, e.states(), e.log)
	}
}
