package apply

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// TestEndTable plays the lines of the design's end table that are no refusal.
func TestEndTable(t *testing.T) {
	status := func(status, reason string, effects bool) func(*world) {
		return func(w *world) {
			a := review()
			a.Status, a.Reason = status, &reason
			if !effects {
				a.Effects = []contract.Effect{}
			}
			w.answer(a)
		}
	}
	hide := func(s *emulator.Seed) {
		s.PullRequests[0].Head.Tree = emulator.Tree{}
		for path, file := range emulatortest.Head {
			s.PullRequests[0].Head.Tree[path] = file
		}
		s.PullRequests[0].Head.Tree["logo.png"] = emulator.File{Content: []byte("\x89PNG\x00\x01"), Mode: "100644"}
	}
	for name, c := range map[string]struct {
		seed    func(*emulator.Seed)
		do      func(*world)
		row     row
		reasons []contract.Code
		writes  []string
	}{
		"completed and nothing open": {nil, func(w *world) { w.answer(review(onLine("f1", "tests", "minor", 0))) },
			row{"completed", "none", "success", 0}, nil, []string{postReview, postCheck}},
		"completed with gating Findings": {nil, func(w *world) { w.answer(three()) },
			row{"completed", "none", "failure", 0}, []contract.Code{contract.CodeGatingFindingsOpen}, []string{postReview, postCheck}},
		"completed with an opaque file": {hide, func(w *world) { w.answer(review()) },
			row{"completed", "none", "action_required", 0}, []contract.Code{contract.CodeFilesOpaque}, []string{postReview, postCheck}},
		"completed with an opaque file and gating Findings": {hide, func(w *world) { w.answer(three()) },
			row{"completed", "none", "failure", 0}, []contract.Code{contract.CodeGatingFindingsOpen, contract.CodeFilesOpaque}, []string{postReview, postCheck}},
		"incomplete": {nil, status(contract.StatusIncomplete, "context_missing", true),
			row{"incomplete", "item", "action_required", 0}, []contract.Code{contract.CodeContextMissing}, []string{postReview, postCheck}},
		"refused by the model, with words": {nil, status(contract.StatusRefused, "declined_unsafe", true),
			row{"refused", "item", "action_required", 0}, []contract.Code{contract.CodeDeclinedUnsafe}, []string{postReview, postCheck}},
		"refused by the model, without": {nil, status(contract.StatusRefused, "declined_unsafe", false),
			row{"refused", "item", "action_required", 0}, []contract.Code{contract.CodeDeclinedUnsafe}, []string{postCheck}},
		"failed": {nil, status(contract.StatusFailed, "engine_timeout", false),
			row{"failed", "engine", "action_required", 1}, []contract.Code{contract.CodeEngineTimeout}, []string{postCheck}},
		"failed by configuration": {nil, status(contract.StatusFailed, "engine_model_unknown", false),
			row{"failed", "configuration", "action_required", 1}, []contract.Code{contract.CodeEngineModelUnknown}, []string{postCheck}},
		"facts that cannot be read": {nil, func(w *world) {
			w.answer(three())
			w.must(w.Inject(emulator.Fault{Kind: "error-500-not-done", Match: "GET /repos/*/*/pulls/*", Times: 3}))
		}, row{"not_admitted", "platform", "action_required", 1}, []contract.Code{contract.CodeNotAdmitted, contract.CodeFactsIncomplete}, []string{postCheck}},
		"facts of which a part cannot be read": {nil, func(w *world) {
			w.answer(three())
			w.must(w.Inject(emulator.Fault{Kind: "error-500-not-done", Match: "GET /repos/*/*/issues/*/events", Times: 3}))
		}, row{"not_admitted", "platform", "action_required", 1}, []contract.Code{contract.CodeNotAdmitted, contract.CodeFactsIncomplete, contract.CodeAuthorNeedsApproval}, []string{postCheck}},
		"a policy that cannot be used": {nil, func(w *world) {
			w.answer(three())
			w.policy(func(p map[string]any) { p["paused"] = 5 })
		}, row{"not_admitted", "configuration", "action_required", 1}, []contract.Code{contract.CodeNotAdmitted, contract.CodeConfigurationInvalid}, []string{postCheck}},
		"locked": {nil, then(func(w *world) {
			w.must(w.SetState(emulator.StateAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID, To: "locked"}))
		}), row{"not_admitted", "item", "action_required", 0}, []contract.Code{contract.CodeNotAdmitted, contract.CodeItemLocked}, []string{postCheck}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.seed)
			w.admit()
			c.do(w)
			w.holdsRow(w.apply(nil), c.row, c.reasons, c.writes)
		})
	}
}

// holdsRow holds an execution to a line of the end table, its reasons, and the calls that changed something.
func (w *world) holdsRow(e ended, want row, reasons []contract.Code, writes []string) {
	w.t.Helper()
	got := row{e.outcome.Status, e.outcome.Fault, e.conclusion(), e.code}
	if got != want || !slices.Equal(e.outcome.Reasons, reasons) || !slices.Equal(e.writes(), writes) {
		w.t.Errorf("ended as %+v for %v by %v, want %+v for %v by %v\n%s", got, e.outcome.Reasons, e.writes(), want, reasons, writes, e.log)
	}
	checks := w.checks(w.decision.Commit)
	if want.conclusion != "" && (len(checks) == 0 || checks[len(checks)-1] != want.conclusion) {
		w.t.Errorf("the checks on the commit are %v, want %s", checks, want.conclusion)
	}
	if w.alive() != 0 {
		w.t.Errorf("%d tokens are left alive", w.alive())
	}
}

// TestNotAdmitted plays Decisions that admit nothing: apply reports them by the report token, and reads before it does.
func TestNotAdmitted(t *testing.T) {
	act := func(to string) func(*world) {
		return func(w *world) {
			w.must(w.SetState(emulator.StateAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID, To: to}))
		}
	}
	hold := func(w *world) {
		w.must(w.Label(emulator.LabelAct{Number: emulatortest.Number, ActorID: emulatortest.ContributorID, Label: "airlock:hold"}))
	}
	for name, c := range map[string]struct {
		before, after func(*world)
		row           row
		reasons       []contract.Code
		writes        []string
	}{
		"draft":  {act("draft"), nil, row{"not_admitted", "item", "action_required", 0}, []contract.Code{contract.CodeItemDraft}, []string{postCheck}},
		"held":   {hold, nil, row{"not_admitted", "item", "action_required", 0}, []contract.Code{contract.CodeItemHeld}, []string{postCheck}},
		"locked": {act("locked"), nil, row{"not_admitted", "item", "action_required", 0}, []contract.Code{contract.CodeItemLocked}, []string{postCheck}},
		"paused": {func(w *world) { w.policy(func(p map[string]any) { p["paused"] = "rotation" }) }, nil,
			row{"not_admitted", "item", "action_required", 0}, []contract.Code{contract.CodeFactoryPaused}, []string{postCheck}},
		"closed":                 {act("closed"), nil, row{"superseded", "superseded", "", 0}, []contract.Code{contract.CodeSupersededClosed}, nil},
		"held, and closed since": {hold, act("closed"), overRow, []contract.Code{contract.CodeSupersededClosed}, nil},
		"held, and pushed since": {hold, func(w *world) { w.push(emulatortest.Base) }, overRow, []contract.Code{contract.CodeSupersededChanged}, nil},
		"a part of the facts": {func(w *world) {
			w.must(w.Inject(emulator.Fault{Kind: "error-500-not-done", Match: "GET /repos/*/*/pulls/*/files", Times: 3}))
		}, nil, row{"not_admitted", "platform", "action_required", 1}, []contract.Code{contract.CodeFactsIncomplete, contract.CodeContentNotText}, []string{postCheck}},
		"too large": {func(w *world) {
			w.must(w.Inject(emulator.Fault{Kind: "diff-too-large", Match: "GET /repos/*/*/pulls/*", Nth: 2}))
		}, nil,
			row{"not_admitted", "item", "action_required", 0}, []contract.Code{contract.CodeContentTooLarge}, []string{postCheck}},
		"held, and GitHub is down": {hold, func(w *world) {
			w.must(w.Inject(emulator.Fault{Kind: "error-500-not-done", Match: "GET /repos/*/*/pulls/*", Times: 3}))
		}, row{"not_admitted", "item", "action_required", 0}, []contract.Code{contract.CodeItemHeld}, []string{postCheck}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			c.before(w)
			w.decide()
			if c.after != nil {
				c.after(w)
			}
			if w.decision.Admitted {
				t.Fatal("admitted")
			}
			e := w.apply(nil)
			w.holdsRow(e, c.row, c.reasons, append([]string{}, c.writes...))
		})
	}
}

// TestCarried plays a third run on content that was reviewed: the check on the new commit says what is read now.
func TestCarried(t *testing.T) {
	carried := func(t *testing.T, first contract.Answer) *world {
		w := newWorld(t, nil)
		w.admit()
		w.answer(first)
		if e := w.apply(nil); e.code != 0 {
			t.Fatal(e.log)
		}
		// The same trees on another commit: the diff is the same bytes.
		w.SetClock(w.Now().Add(7200e9))
		_, err := w.Push(emulator.PushAct{Number: emulatortest.Number, Tree: emulatortest.Head, Message: "Again"})
		w.must(err)
		w.SetClock(w.Now().Add(60e9))
		w.must(w.Label(emulator.LabelAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID, Label: "airlock:approved", Remove: true}))
		w.must(w.Label(emulator.LabelAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID, Label: "airlock:approved"}))
		w.next()
		w.decide()
		if w.decision.Admitted || w.decision.Carries == nil {
			t.Fatalf("not carried: %+v", w.decision)
		}
		return w
	}
	clean := review(onLine("f1", "tests", "minor", 0))
	ran := []contract.Code{contract.CodeAlreadyRan, contract.CodeCarried}
	t.Run("green", func(t *testing.T) {
		w := carried(t, clean)
		w.holdsRow(w.apply(nil), row{"not_admitted", "none", "success", 0}, ran, []string{postCheck})
	})
	t.Run("with gating Findings open", func(t *testing.T) {
		w := carried(t, three())
		w.holdsRow(w.apply(nil), row{"not_admitted", "none", "failure", 0},
			[]contract.Code{contract.CodeAlreadyRan, contract.CodeGatingFindingsOpen, contract.CodeCarried}, []string{postCheck})
	})
	for name, c := range map[string]struct {
		happens func(*world)
		row     row
		reasons []contract.Code
		writes  []string
	}{
		"the review was edited since": {func(w *world) {
			state := w.State(w.t)
			review := state.Pull(emulatortest.Number).Reviews[0]
			w.must(w.Edit(emulator.EditAct{Number: emulatortest.Number, ReviewID: review.ID, Body: strings.Replace(review.Body, "Two things", "No thing", 1)}))
		}, row{"not_admitted", "none", "failure", 0}, []contract.Code{contract.CodeAlreadyRan, contract.CodeGatingFindingsOpen, contract.CodeEditedSince}, []string{postCheck}},
		"the threads cannot be read": {func(w *world) {
			w.must(w.Inject(emulator.Fault{Kind: "error-500-not-done", Match: "POST /graphql", Times: 3}))
		}, row{"not_admitted", "platform", "action_required", 1}, []contract.Code{contract.CodeNotAdmitted, contract.CodeFactsIncomplete}, []string{postCheck}},
		"the item cannot be read": {func(w *world) {
			w.must(w.Inject(emulator.Fault{Kind: "error-500-not-done", Match: "GET /repos/*/*/pulls/*", Times: 3}))
		}, row{"not_admitted", "platform", "action_required", 1}, []contract.Code{contract.CodeNotAdmitted, contract.CodeFactsIncomplete}, []string{postCheck}},
		"retargeted since": {func(w *world) {
			w.must(w.Retarget(emulator.RetargetAct{Number: emulatortest.Number, ActorID: emulatortest.ContributorID, Ref: "release"}))
		}, overRow, []contract.Code{contract.CodeSupersededChanged}, []string{}},
		"closed since": {func(w *world) { w.must(w.Close(emulatortest.Number, emulatortest.MaintainerID)) },
			overRow, []contract.Code{contract.CodeSupersededClosed}, []string{}},
		"held since": {func(w *world) {
			w.must(w.Label(emulator.LabelAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID, Label: "airlock:hold"}))
		}, stoppedRow, []contract.Code{contract.CodeSupersededHeld}, []string{postCheck}},
		"the approval was taken back": {func(w *world) {
			w.must(w.Label(emulator.LabelAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID, Label: "airlock:approved", Remove: true}))
		}, notAdmittedRow, []contract.Code{contract.CodeNotAdmitted, contract.CodeAuthorNeedsApproval}, []string{postCheck}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := carried(t, clean)
			c.happens(w)
			w.holdsRow(w.apply(nil), c.row, c.reasons, c.writes)
		})
	}
}

// TestSiblings holds that a check stands on a commit: with another open pull request of the same head that is not green,
// there is no green.
func TestSiblings(t *testing.T) {
	w := newWorld(t, nil)
	head := emulatortest.Seed().PullRequests[0].Head
	w.must(w.OpenPull(emulator.Pull{Number: 13, AuthorID: emulatortest.ContributorID, Title: "The same", Base: emulator.Base{Ref: "release"}, Head: head}))
	w.admit()
	w.answer(review())
	w.holdsRow(w.apply(nil), row{"completed", "none", "action_required", 0}, []contract.Code{contract.CodeSiblingUnreviewed}, []string{postReview, postCheck})
}

// TestSummary holds that the summary says what was done in words, and that no line of it or of the log begins a command.
func TestSummary(t *testing.T) {
	w := newWorld(t, nil)
	w.admit()
	w.answer(three())
	e := w.apply(nil)
	for _, part := range []string{"## `airlock / pr-review`: **completed**", "- **check**: **failure**, read back", "- `e1` `submit_review`: **applied**", w.decision.Run + "/f3"} {
		if !strings.Contains(e.summary, part) {
			t.Errorf("the summary lacks %q:\n%s", part, e.summary)
		}
	}
	for _, line := range bytes.Split([]byte(e.log), []byte("\n")) {
		if bytes.HasPrefix(line, []byte("::")) || bytes.Contains(line, []byte("##[")) {
			t.Errorf("the log has a command: %s", line)
		}
	}
}
