package apply

import (
	"maps"
	"slices"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

var (
	effectsNeed = map[string]string{"checks": "write", "pull_requests": "write"}
	reportNeeds = map[string]string{"checks": "write"}
	resolveNeed = map[string]string{"contents": "write", "pull_requests": "write"}
)

// resolves lets the Role resolve threads and its App write contents, without which decide takes no such configuration.
func resolves(t testing.TB) func(*emulator.Seed) {
	return func(s *emulator.Seed) {
		override(t, s, "roles/pr-review.json", "roles/pr-review.json", func(role map[string]any) {
			role["intents"].([]any)[0].(map[string]any)["permitted_effects"] = []string{"submit_review", "reply_thread", "resolve_thread"}
		})
		override(t, s, "apps.json", "config/apps.json", func(apps map[string]any) {
			apps["apps"].([]any)[0].(map[string]any)["ceiling"].(map[string]any)["contents"] = "write"
		})
		s.Apps[0].Permissions["contents"] = "write"
	}
}

// resolving is the answer of a second Run that also resolves the thread of what it accepts.
func (w *world) resolving() contract.Answer {
	a := w.answers()
	a.Effects = append(a.Effects, contract.Effect{ResolveThread: &contract.ThreadEffect{Finding: w.finding("f2"), ID: "e4", Type: contract.ResolveThread}})
	return a
}

// TestTokenMinimality holds that each token is asked for exactly what its uses need together, and that every token is revoked.
func TestTokenMinimality(t *testing.T) {
	type token struct {
		purpose string
		needs   map[string]string
	}
	effects, report, resolve := token{contract.PurposeEffects, effectsNeed}, token{contract.PurposeReport, reportNeeds}, token{contract.PurposeResolve, resolveNeed}
	for name, c := range map[string]struct {
		seed   func(*emulator.Seed)
		second bool
		do     func(*world)
		want   []token
	}{
		"a review": {do: func(w *world) { w.answer(three()) }, want: []token{effects}},
		"no Effect": {do: func(w *world) {
			w.answer(contract.Answer{Status: contract.StatusFailed, Reason: reason("engine_timeout")})
		}, want: []token{report}},
		"no Result":       {do: func(*world) {}, want: []token{report}},
		"a refusal":       {do: resulting(func(r *contract.Result) { r.Task = "sha256:" + zeros }), want: []token{report}},
		"closed":          {do: then(func(w *world) { w.must(w.Close(emulatortest.Number, emulatortest.MaintainerID)) }), want: nil},
		"replies":         {second: true, do: func(w *world) { w.answer(w.answers()) }, want: []token{effects}},
		"a resolve":       {seed: resolves(t), second: true, do: func(w *world) { w.answer(w.resolving()) }, want: []token{effects, resolve}},
		"already applied": {do: func(w *world) { w.answer(three()); w.apply(nil) }, want: []token{report}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := endCase{second: c.second, seed: func(_ testing.TB, s *emulator.Seed) {
				if c.seed != nil {
					c.seed(s)
				}
			}}.start(t)
			c.do(w)
			e := w.apply(nil)
			var got []token
			for _, record := range e.applied.Tokens {
				granted := maps.Clone(record.Requested)
				granted["metadata"] = "read"
				if !maps.Equal(record.Granted, granted) || record.RepositoryID != emulatortest.RepositoryID || !record.Revoked {
					t.Errorf("token %+v", record)
				}
				got = append(got, token{record.Purpose, record.Requested})
			}
			if !slices.EqualFunc(got, c.want, func(a, b token) bool { return a.purpose == b.purpose && maps.Equal(a.needs, b.needs) }) {
				t.Errorf("tokens %+v, want %+v\n%s", got, c.want, e.log)
			}
			if w.alive() != 0 {
				t.Errorf("%d tokens are left alive", w.alive())
			}
		})
	}
}

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

func reason(code string) *string { return &code }

// TestResolve plays resolve_thread, which only an App whose ceiling says so may write, last and with a token of its own.
func TestResolve(t *testing.T) {
	t.Run("written", func(t *testing.T) {
		w := newWorld(t, resolves(t)).reviewed().pushed()
		w.admit()
		w.answer(w.resolving())
		e := w.apply(nil)
		if want := []string{postReview, postReply, postReply, postGraphQL, postCheck}; e.code != 0 || !slices.Equal(e.writes(), want) {
			t.Fatalf("%d by %v\n%s", e.code, e.writes(), e.log)
		}
		resolved := 0
		state := w.State(t)
		for _, thread := range state.Pull(emulatortest.Number).Threads {
			if thread.Resolved && thread.ResolvedByID == emulatortest.BotUserID {
				resolved++
			}
		}
		if last := e.applied.Effects[3]; resolved != 1 || last.State != contract.StateApplied || !last.ReadBack.Resolve.Resolved {
			t.Errorf("%d threads are resolved, the record says %+v", resolved, last)
		}
		again := w.apply(nil)
		if again.code != 0 || !slices.Equal(again.writes(), []string{patchCheck}) || !slices.Equal(again.states(), []string{"already_applied", "already_applied", "already_applied", "already_applied"}) {
			t.Errorf("again: %v by %v\n%s", again.states(), again.writes(), again.log)
		}
	})
	t.Run("forbidden by GitHub", func(t *testing.T) {
		w := newWorld(t, resolves(t)).reviewed().pushed()
		w.admit()
		w.answer(w.resolving())
		w.must(w.Inject(emulator.Fault{Kind: "lag-403", Match: "POST /graphql resolveReviewThread", Times: 4}))
		e := w.apply(nil)
		if e.code != 1 || e.applied.Effects[3].State != contract.StateFailed || *e.applied.Effects[3].Reason != contract.CodePermissionDenied || w.alive() != 0 {
			t.Errorf("%+v\n%s", e.applied.Effects[3], e.log)
		}
	})
}

// TestNoMint plays mints that fail: nothing is written with the Effects' token, and the check is written with the report's
// where that one can be had.
func TestNoMint(t *testing.T) {
	for name, c := range map[string]struct {
		fault  emulator.Fault
		code   contract.Code
		fault1 string // of the Outcome
		check  bool
		tokens []string
	}{
		"a permission more":   {emulator.Fault{Kind: "mint-more"}, contract.CodeIdentityExcess, "platform", true, []string{"effects", "report"}},
		"a level less":        {emulator.Fault{Kind: "mint-less"}, contract.CodeIdentityShort, "platform", true, []string{"effects", "report"}},
		"another repository":  {emulator.Fault{Kind: "mint-other-repository"}, contract.CodeIdentityElsewhere, "platform", true, []string{"effects", "report"}},
		"all repositories":    {emulator.Fault{Kind: "mint-all-repositories"}, contract.CodeIdentityElsewhere, "platform", true, []string{"effects", "report"}},
		"both with more":      {emulator.Fault{Kind: "mint-more", Times: 2}, contract.CodeIdentityExcess, "platform", false, []string{"effects", "report"}},
		"suspended":           {emulator.Fault{Kind: "suspended"}, contract.CodeIdentitySuspended, "configuration", false, []string{}},
		"GitHub is down once": {emulator.Fault{Kind: "error-500-not-done", Match: "POST /app/installations/*/access_tokens"}, contract.CodePlatformError, "platform", true, []string{"report"}},
		"limited":             {emulator.Fault{Kind: "limit-429", Match: "POST /app/installations/*/access_tokens", Times: 2}, contract.CodeRateLimited, "platform", false, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.admit()
			w.answer(three())
			w.must(w.Inject(c.fault))
			e := w.apply(nil)
			got := row{e.outcome.Status, e.outcome.Fault, e.conclusion(), e.code}
			want, writes := row{"failed", c.fault1, "", 1}, []string{}
			if c.check {
				want.conclusion, writes = "action_required", []string{postCheck}
			}
			if got != want || e.outcome.Reasons[0] != c.code || !slices.Equal(e.writes(), writes) || !slices.Equal(e.purposes(), c.tokens) || w.alive() != 0 {
				t.Errorf("%+v for %v by %v with %v, %d alive, want %+v for %s by %v with %v\n%s",
					got, e.outcome.Reasons, e.writes(), e.purposes(), w.alive(), want, c.code, writes, c.tokens, e.log)
			}
			if state := e.applied.Effects[0]; state.State != contract.StateFailed || *state.Reason != c.code {
				t.Errorf("the Effect: %+v", state)
			}
		})
	}
}

// TestOwnPendingReview leaves a review of our App unsubmitted: GitHub takes no second one, and the Run says so.
func TestOwnPendingReview(t *testing.T) {
	w := newWorld(t, nil)
	w.admit()
	w.answer(three())
	_, err := w.Review(emulator.ReviewAct{Number: emulatortest.Number, ActorID: emulatortest.BotUserID, Body: "Left over.", State: "PENDING"})
	w.must(err)
	e := w.apply(nil)
	w.holdsRow(e, row{"failed", "platform", "action_required", 1}, []contract.Code{contract.CodeReviewPending}, []string{postReview, postCheck})
}

// TestARevocationThatFails is told as it is.
func TestARevocationThatFails(t *testing.T) {
	w := newWorld(t, nil)
	w.admit()
	w.answer(three())
	w.must(w.Inject(emulator.Fault{Kind: "revoke-fails", Times: 6}))
	if e := w.apply(nil); e.code != 0 || e.applied.Tokens[0].Revoked || w.alive() != 1 {
		t.Errorf("code %d, the record says revoked %v, %d alive", e.code, e.applied.Tokens[0].Revoked, w.alive())
	}
}

// TestClassicTokens plays a Run with tokens of the form before 2026.
func TestClassicTokens(t *testing.T) {
	w := newWorldWith(t, emulator.Options{ClassicTokens: true, PageLimit: 2}, nil)
	w.admit()
	w.answer(three())
	if e := w.apply(nil); e.code != 0 || w.reviewsByUs() != 1 || w.alive() != 0 {
		t.Errorf("code %d\n%s", e.code, e.log)
	}
}
