package apply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
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

// asking is the answer of a second Run with Effects of these types and no others: what has no reply is answered in the review.
func (w *world) asking(types []string) contract.Answer {
	a := w.answers()
	review := a.Effects[0]
	replies := a.Effects[1:]
	a.Effects = nil
	if slices.Contains(types, contract.SubmitReview) {
		a.Effects = append(a.Effects, review)
	}
	if slices.Contains(types, contract.ReplyThread) {
		a.Effects = append(a.Effects, replies...)
	} else {
		review.SubmitReview.Answers = []string{w.finding("f1"), w.finding("f2"), w.finding("f3")}
	}
	if slices.Contains(types, contract.ResolveThread) {
		a.Effects = append(a.Effects, contract.Effect{ResolveThread: &contract.ThreadEffect{Finding: w.finding("f2"), ID: "e4", Type: contract.ResolveThread}})
	}
	return a
}

// minted is a token as it was asked for.
type minted struct {
	purpose string
	needs   map[string]string
}

// holdsTokens holds that these tokens were asked for in this order, on the wire and in the record alike, that no more was granted,
// and that none is left.
func (w *world) holdsTokens(e ended, want []minted) {
	w.t.Helper()
	var got []minted
	for _, record := range e.applied.Tokens {
		granted := maps.Clone(record.Requested)
		granted["metadata"] = "read"
		if !maps.Equal(record.Granted, granted) || record.RepositoryID != emulatortest.RepositoryID || !record.Revoked {
			w.t.Errorf("token %+v", record)
		}
		got = append(got, minted{record.Purpose, record.Requested})
	}
	if !slices.EqualFunc(got, want, func(a, b minted) bool { return a.purpose == b.purpose && maps.Equal(a.needs, b.needs) }) {
		w.t.Errorf("tokens %+v, want %+v\n%s", got, want, e.log)
	}
	var asked []string
	for _, call := range e.calls {
		if strings.HasSuffix(call.Operation, "/access_tokens") {
			asked = append(asked, strings.TrimSpace(call.Request))
		}
	}
	var bodies []string
	for _, token := range want {
		permissions, err := json.Marshal(token.needs)
		w.must(err)
		bodies = append(bodies, fmt.Sprintf(`{"repository_ids":[%d],"permissions":%s}`, emulatortest.RepositoryID, permissions))
	}
	if !slices.Equal(asked, bodies) {
		w.t.Errorf("asked %v, want %v", asked, bodies)
	}
	if w.alive() != 0 {
		w.t.Errorf("%d tokens are left alive", w.alive())
	}
}

// stands is what a Run left of each kind.
type stands struct{ review, replies, resolved, check bool }

func (w *world) kindsLeft() stands {
	state := w.State(w.t)
	s := stands{replies: w.repliesByUs() > 0, check: len(w.checks(w.decision.Commit)) > 0}
	for _, review := range state.Pull(emulatortest.Number).Reviews {
		s.review = s.review || review.AuthorID == emulatortest.BotUserID && strings.Contains(review.Body, w.decision.Run)
	}
	for _, thread := range state.Pull(emulatortest.Number).Threads {
		s.resolved = s.resolved || thread.Resolved
	}
	return s
}

// minting lets GitHub give a token of this purpose less than is asked for; hidden, its answer does not say so, and the permission is
// missing where it is used.
func (w *world) minting(purpose string, lower func(map[string]string), hidden bool) *world {
	next := w.transport
	w.transport = roundTrip(func(request *http.Request) (*http.Response, error) {
		if !strings.HasSuffix(request.URL.Path, "/access_tokens") {
			return next.RoundTrip(request)
		}
		var asked struct {
			RepositoryIDs []int64           `json:"repository_ids"`
			Permissions   map[string]string `json:"permissions"`
		}
		if err := json.NewDecoder(request.Body).Decode(&asked); err != nil {
			return nil, err
		}
		said := maps.Clone(asked.Permissions)
		if _, resolves := asked.Permissions["contents"]; resolves == (purpose == contract.PurposeResolve) {
			lower(asked.Permissions)
			maps.DeleteFunc(asked.Permissions, func(name, _ string) bool { return said[name] == "" })
		}
		body, err := json.Marshal(map[string]any{"repository_ids": asked.RepositoryIDs, "permissions": asked.Permissions})
		if err != nil {
			return nil, err
		}
		changed := request.Clone(request.Context())
		changed.Body, changed.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		answer, err := next.RoundTrip(changed)
		if err != nil || !hidden {
			return answer, err
		}
		var document map[string]any
		if err := json.NewDecoder(answer.Body).Decode(&document); err != nil {
			return nil, err
		}
		said["metadata"] = "read"
		document["permissions"] = said
		body, err = json.Marshal(document)
		answer.Body = io.NopCloser(bytes.NewReader(body))
		return answer, err
	})
	return w
}

// subset is a set of Effect types, or a Run that only reports.
type subset struct {
	name string
	hand func(*world)
	// tokens are asked for, and passes stands, where nothing is missing.
	tokens []minted
	passes stands
	// refused is why a Run of the set writes no Effect, or "".
	refused contract.Code
}

// without is what stands after a Run one of whose tokens lacks a permission, in a way that ends with a code.
func (s subset) without(token minted, permission string, code contract.Code) stands {
	left := s.passes
	inForce := code != contract.CodePermissionDenied
	switch {
	case permission == "pull_requests" && (token.purpose == contract.PurposeEffects || code == contract.CodeIdentityUnaccepted):
		return stands{check: true}
	case token.purpose == contract.PurposeResolve:
		left.resolved = false
		return left
	case inForce:
		return stands{} // neither the token of the Effects nor that of the report can be had
	}
	left.check = false
	return left
}

// fails plays the subset with a token that lacks a permission.
func (s subset) fails(t *testing.T, w *world, token minted, permission string, code contract.Code) {
	e := w.apply(nil)
	w.holdsClaims(e)
	if got, want := w.kindsLeft(), s.without(token, permission, code); got != want || e.code != 1 || e.conclusion() == contract.ConclusionSuccess ||
		!slices.Contains(e.outcome.Reasons, code) || w.alive() != 0 {
		t.Errorf("%+v stands, want %+v; code %d, %s for %v, want %s; %d tokens alive\n%s", got, want, e.code, e.conclusion(), e.outcome.Reasons, code, w.alive(), e.log)
	}
}

// TestTokenMinimality plays every set of Effect types, and the Runs that only report. Each token is asked for exactly what its uses
// need together; the Run passes where the App holds no more than that; and it fails, writes nothing false and leaves no token where
// any one permission is missing or lower, in each way that can come about.
func TestTokenMinimality(t *testing.T) {
	start := newWorld(t, resolves(t)).reviewed().pushed()
	start.admit()
	m := start.moment()
	effects, report := minted{contract.PurposeEffects, effectsNeed}, minted{contract.PurposeReport, reportNeeds}
	resolve := minted{contract.PurposeResolve, resolveNeed}
	var subsets []subset
	for bits := range 8 {
		var types []string
		for i, kind := range []string{contract.SubmitReview, contract.ReplyThread, contract.ResolveThread} {
			if bits>>i&1 == 1 {
				types = append(types, kind)
			}
		}
		s := subset{name: strings.Join(append(types, "and nothing else"), " "), hand: func(w *world) { w.answer(w.asking(types)) }}
		switch {
		case !slices.Contains(types, contract.SubmitReview):
			s.tokens, s.passes, s.refused = []minted{report}, stands{check: true}, contract.CodeReviewCount
		case !slices.Contains(types, contract.ResolveThread):
			s.tokens, s.passes = []minted{effects}, stands{review: true, replies: slices.Contains(types, contract.ReplyThread), check: true}
		default:
			s.tokens = []minted{effects, resolve}
			s.passes = stands{review: true, replies: slices.Contains(types, contract.ReplyThread), resolved: true, check: true}
		}
		subsets = append(subsets, s)
	}
	subsets = append(subsets, subset{name: "no Result", hand: func(*world) {}, tokens: []minted{report}, passes: stands{check: true}, refused: contract.CodeArtifactMissing})
	for _, s := range subsets {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			begin := func(change func(permissions map[string]string)) *world {
				from := m
				app := *m.seed.Apps[0]
				app.Permissions = map[string]string{"metadata": "read"}
				for _, token := range s.tokens {
					maps.Copy(app.Permissions, token.needs)
				}
				if change != nil {
					change(app.Permissions)
				}
				from.seed.Apps = []*emulator.App{&app}
				w := from.start(t)
				s.hand(w)
				return w
			}
			w := begin(nil)
			e := w.apply(nil)
			w.holdsTokens(e, s.tokens)
			cells, needed := 0, 0
			for _, token := range s.tokens {
				needed += len(token.needs)
			}
			passed := e.code == 0 && e.outcome.Status == contract.StatusCompleted
			if s.refused != "" {
				passed = e.code == 1 && e.outcome.Reasons[0] == s.refused
			}
			if got := w.kindsLeft(); got != s.passes || !passed {
				t.Errorf("with exactly what is asked: code %d for %v, %+v stands, want %+v\n%s", e.code, e.outcome.Reasons, got, s.passes, e.log)
			}
			for _, token := range s.tokens {
				for permission := range token.needs {
					for _, level := range []string{"", "read"} {
						lower := func(permissions map[string]string) {
							if delete(permissions, permission); level != "" {
								permissions[permission] = level
							}
						}
						name := fmt.Sprintf("%s for %s as %q", permission, token.purpose, level)
						t.Run(name+" to the App", func(t *testing.T) { s.fails(t, begin(lower), token, permission, contract.CodeIdentityUnaccepted) })
						t.Run(name+", said", func(t *testing.T) {
							s.fails(t, begin(nil).minting(token.purpose, lower, false), token, permission, contract.CodeIdentityShort)
						})
						t.Run(name+", not said", func(t *testing.T) {
							s.fails(t, begin(nil).minting(token.purpose, lower, true), token, permission, contract.CodePermissionDenied)
						})
						cells += 3
					}
				}
			}
			if want := map[int]int{1: 6, 2: 12, 4: 24}[needed]; cells != want {
				t.Errorf("%d cells", cells)
			}
		})
	}
}

// TestReadTokenMinimality takes each permission from the job's own token: the Run then does not complete and writes no Effect, because
// what is not read is never taken for empty. One is not needed: of a pull request the conversation is read with either of issues
// and pull_requests.
func TestReadTokenMinimality(t *testing.T) {
	start := newWorld(t, nil).reviewed().pushed()
	start.admit()
	start.answer(start.answers())
	m := start.moment()
	for lacks, said := range map[string]string{"nothing": "", "issues": "", "actions": "actions=read", "checks": "permission denied", "contents": "permission denied", "pull_requests": "pull_requests=read"} {
		t.Run(lacks, func(t *testing.T) {
			w := m.start(t)
			permissions := map[string]string{"actions": "read", "checks": "read", "contents": "read", "issues": "read", "pull_requests": "read"}
			delete(permissions, lacks)
			token, err := w.MintJobToken(emulator.JobToken{RunID: w.run, Permissions: permissions})
			w.must(err)
			e := w.apply(func(env map[string]string) { env["GITHUB_TOKEN"] = token })
			w.holdsClaims(e)
			completed := e.code == 0 && e.outcome.Status == contract.StatusCompleted && w.kindsLeft().replies
			unread := e.code == 1 && slices.Contains(e.outcome.Reasons, contract.CodeFactsIncomplete) && slices.Equal(e.writes(), []string{postCheck})
			message := e.code == exitMessage && !e.records && len(e.writes()) == 0 && strings.Contains(e.log, "permission_denied") && strings.Contains(e.log, "give the job")
			if !strings.Contains(e.log, said) || completed != (said == "") || !completed && !unread && !message {
				t.Errorf("%d %v by %v\n%s", e.code, e.outcome.Reasons, e.writes(), e.log)
			}
		})
	}
}

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
