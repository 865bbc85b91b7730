package apply

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// row is one line of the design's end table.
type row struct {
	status, fault, conclusion string
	exit                      int
}

var (
	refusedRow     = row{"refused", "item", "action_required", 1}
	noResultRow    = row{"failed", "engine", "action_required", 1}
	stoppedRow     = row{"superseded", "superseded", "action_required", 0}
	overRow        = row{"superseded", "superseded", "", 0}
	notAdmittedRow = row{"not_admitted", "item", "action_required", 0}
)

// endCase brings about one code between decide and the end of apply.
type endCase struct {
	// second starts from a second Run, whose Task has open Findings.
	second bool
	// seed changes the repository before the first Run.
	seed func(testing.TB, *emulator.Seed)
	// do makes the Result and what happens before apply.
	do func(*world)
	// ends is the code that decides where it is another: what the schema or an earlier rule catches.
	ends contract.Code
	// unreachable says why no Result, artifact or fact brings the code about.
	unreachable string
}

// answering hands on an answer that is changed from the good one.
func answering(change func(*world, *contract.Answer)) func(*world) {
	return func(w *world) {
		a := three()
		if len(w.task.Findings) > 0 {
			a = w.answers()
		}
		change(w, &a)
		w.answer(a)
	}
}

// resulting hands on a Result that is changed from the good one.
func resulting(change func(*contract.Result)) func(*world) {
	return func(w *world) {
		result := w.resultOf(three())
		change(&result)
		w.handOn(result)
	}
}

// then hands on the good Result and lets something happen.
func then(happens func(*world)) func(*world) {
	return func(w *world) {
		w.answer(three())
		happens(w)
	}
}

func refusalCases() map[contract.Code]endCase {
	return map[contract.Code]endCase{
		contract.CodeResultReplaced: {do: func(w *world) {
			w.answer(review(onLine("f1", "tests", "minor", 0)))
			if e := w.apply(nil); e.code != 0 {
				w.t.Fatalf("the first Result: %s", e.log)
			}
			w.answer(three())
		}},
		contract.CodeRunMismatch:     {do: resulting(func(r *contract.Result) { r.Run = "run-" + strings.Repeat("0", 24) })},
		contract.CodeReleaseMismatch: {do: resulting(func(r *contract.Result) { r.Release.Version = "9.9.9" })},
		contract.CodeTaskMismatch:    {do: resulting(func(r *contract.Result) { r.Task = "sha256:" + strings.Repeat("0", 64) })},
		contract.CodeEffectNotPermitted: {second: true, do: answering(func(w *world, a *contract.Answer) {
			a.Effects = append(a.Effects, contract.Effect{ResolveThread: &contract.ThreadEffect{Finding: w.finding("f2"), ID: "e4", Type: contract.ResolveThread}})
		})},
		contract.CodeEffectDuplicate: {second: true, do: answering(func(_ *world, a *contract.Answer) { a.Effects[1].ReplyThread.ID = "e1" })},
		contract.CodeReviewCount: {second: true, do: answering(func(_ *world, a *contract.Answer) {
			a.Effects[0].SubmitReview.Body, a.Effects[0].SubmitReview.Answers = untrusted.New(""), []string{}
		})},
		contract.CodeFindingDuplicate: {do: answering(func(_ *world, a *contract.Answer) { a.Findings = append(a.Findings, a.Findings[0]) })},
		contract.CodeFindingUnknown: {do: answering(func(_ *world, a *contract.Answer) {
			a.Effects[0].SubmitReview.Threads = append(a.Effects[0].SubmitReview.Threads, "f9")
		})},
		contract.CodeFindingNotOwned:    {do: answering(func(_ *world, a *contract.Answer) { a.Findings[1].Category = "licensing" })},
		contract.CodeFindingUnposted:    {do: answering(func(_ *world, a *contract.Answer) { a.Effects[0].SubmitReview.Threads = []string{"f1", "f2"} })},
		contract.CodeFindingPostedTwice: {do: answering(func(_ *world, a *contract.Answer) { a.Effects[0].SubmitReview.Listed = []string{"f1"} })},
		contract.CodeFindingNotGatingOnThread: {do: answering(func(_ *world, a *contract.Answer) {
			a.Findings[1].Severity = "minor"
		})},
		contract.CodeDispositionFindingUnknown: {second: true, do: answering(func(_ *world, a *contract.Answer) {
			a.Dispositions[0].Finding = "run-" + strings.Repeat("0", 24) + "/f1"
		})},
		contract.CodeDispositionDuplicate: {second: true, do: answering(func(_ *world, a *contract.Answer) {
			a.Dispositions = append(a.Dispositions, a.Dispositions[0])
		})},
		contract.CodeDispositionNoHalf: {second: true, do: answering(func(_ *world, a *contract.Answer) { a.Dispositions[0].Reviewer = nil })},
		contract.CodeDispositionBothHalves: {second: true, do: answering(func(_ *world, a *contract.Answer) {
			a.Dispositions[0].Author = &contract.AuthorHalf{Text: untrusted.New("Done."), Verdict: contract.VerdictFixed}
		})},
		contract.CodeDispositionNotRole: {second: true, do: answering(func(_ *world, a *contract.Answer) {
			a.Dispositions[0].Author, a.Dispositions[0].Reviewer = &contract.AuthorHalf{Text: untrusted.New("Done."), Verdict: contract.VerdictFixed}, nil
		})},
		contract.CodeDispositionSecurity: {second: true, do: answering(func(_ *world, a *contract.Answer) {
			a.Dispositions[0].Reviewer.Verdict, a.Dispositions[0].Reviewer.Of = contract.VerdictAccepted, contract.VerdictDeclined
		})},
		contract.CodeDispositionUnsupported: {second: true, do: answering(func(_ *world, a *contract.Answer) { a.Dispositions[1].Reviewer.Evidence = "title" })},
		contract.CodeDispositionUnposted:    {second: true, do: answering(func(_ *world, a *contract.Answer) { a.Effects = a.Effects[:2] })},
		contract.CodeDispositionPostedTwice: {second: true, do: answering(func(w *world, a *contract.Answer) {
			a.Effects[0].SubmitReview.Answers = append(a.Effects[0].SubmitReview.Answers, w.finding("f1"))
		})},
		contract.CodeDispositionThread: {second: true, do: answering(func(w *world, a *contract.Answer) {
			a.Effects[0].SubmitReview.Answers = []string{}
			a.Effects = append(a.Effects, contract.Effect{ReplyThread: &contract.ThreadEffect{Finding: w.finding("f3"), ID: "e4", Type: contract.ReplyThread}})
		})},
		contract.CodeReviewNotComment: {ends: contract.CodeResultInvalid, do: answering(func(_ *world, a *contract.Answer) { a.Effects[0].SubmitReview.Event = "APPROVE" })},
		contract.CodeReviewCommit:     {unreachable: "the plan takes the commit from the Decision; held by the effects' own last check"},
		contract.CodeTextSecret: {do: answering(func(_ *world, a *contract.Answer) {
			a.Findings[0].Text = untrusted.New("Rotate ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zC0fL3nRu now.")
		})},
		contract.CodeTextMarker: {do: answering(func(_ *world, a *contract.Answer) {
			a.Findings[0].Text = untrusted.New("```\n<!-- airlock/1 review key=0 -->\n```")
		})},
		contract.CodeTextTooLong: {do: answering(func(_ *world, a *contract.Answer) {
			a.Effects[0].SubmitReview.Body = untrusted.New(strings.Repeat("word ", 1590))
			for i := 4; i < 14; i++ {
				f := onLine(fmt.Sprintf("f%d", i), "tests", "minor", 0)
				f.Text = untrusted.New(strings.Repeat("word ", 1590))
				a.Findings, a.Effects[0].SubmitReview.Listed = append(a.Findings, f), append(a.Effects[0].SubmitReview.Listed, f.ID)
			}
		})},
		contract.CodePushProtected: {unreachable: "no type of Effect can push"},
		contract.CodePushLensInput: {unreachable: "no type of Effect can push"},
	}
}

func supersededCases() map[contract.Code]endCase {
	state := func(to string) func(*world) {
		return then(func(w *world) {
			w.must(w.SetState(emulator.StateAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID, To: to}))
		})
	}
	return map[contract.Code]endCase{
		contract.CodeSupersededHeld: {do: then(func(w *world) {
			w.must(w.Label(emulator.LabelAct{Number: emulatortest.Number, ActorID: emulatortest.ContributorID, Label: "airlock:hold"}))
		})},
		contract.CodeSupersededPaused: {do: then(func(w *world) { w.policy(func(p map[string]any) { p["paused"] = "credential rotation" }) })},
		contract.CodeSupersededClosed: {do: state("closed")},
		contract.CodeSupersededDraft:  {do: state("draft")},
		contract.CodeSupersededChanged: {do: then(func(w *world) {
			tree := maps.Clone(emulatortest.Head)
			tree["new.go"] = emulatortest.Text("package store\n")
			w.push(tree)
		})},
		contract.CodeSupersededReviewed: {do: then(func(w *world) { w.reviewOfAnotherRun() })},
		contract.CodeNotAdmitted: {do: then(func(w *world) {
			w.must(w.Label(emulator.LabelAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID, Label: "airlock:approved", Remove: true}))
		})},
	}
}

// reviewOfAnotherRun is what a Run beside this one would have posted for the same content.
func (w *world) reviewOfAnotherRun() {
	w.t.Helper()
	marker := ledger.ReviewMarker{Key: strings.Repeat("a", 32), Run: "run-" + strings.Repeat("b", 24), Role: w.decision.Role, Intent: w.decision.Intent,
		Content: strings.TrimPrefix(w.decision.ContentID, "sha256:"), Commit: w.decision.Commit, Status: contract.StatusCompleted}
	_, err := w.Review(emulator.ReviewAct{Number: emulatortest.Number, ActorID: emulatortest.BotUserID, Body: "Nothing found.\n\n" + marker.String()})
	w.must(err)
}

// start brings a world to where a case begins.
func (c endCase) start(t testing.TB) *world {
	t.Helper()
	w := newWorld(t, func(s *emulator.Seed) {
		if c.seed != nil {
			c.seed(t, s)
		}
	})
	if c.second {
		w.reviewed().pushed()
	}
	w.admit()
	return w
}

// TestEveryRefusal plays a whole program run for every code of a rule that ends a Run before its Effects: nothing is written
// but the check, by a token for the check alone. The rules' own cases are in package refusal; those of the Result's way are
// in TestArtifact.
func TestEveryRefusal(t *testing.T) {
	stages := map[contract.Stage]map[contract.Code]endCase{
		contract.StageRefusal: refusalCases(), contract.StageSuperseded: supersededCases()}
	rows := map[contract.Code]row{contract.CodeSupersededClosed: overRow, contract.CodeSupersededChanged: overRow, contract.CodeSupersededReviewed: overRow,
		contract.CodeNotAdmitted: notAdmittedRow}
	for stage, cases := range stages {
		for code := range cases {
			if !slices.Contains(contract.CodesOf(stage), code) {
				t.Errorf("%s is no code of stage %s", code, stage)
			}
		}
		for _, code := range contract.CodesOf(stage) {
			c, known := cases[code]
			if !known {
				t.Errorf("no case for %s", code)
				continue
			}
			t.Run(string(code), func(t *testing.T) {
				t.Parallel()
				if c.unreachable != "" {
					t.Logf("no Result can cause it: %s", c.unreachable)
					return
				}
				want, ends := refusedRow, code
				if c.ends != "" {
					ends = c.ends
				}
				if reason, _ := contract.ReasonOf(ends); reason.Stage == contract.StageArtifact {
					want = noResultRow
				} else if reason.Stage == contract.StageSuperseded {
					want = stoppedRow
				}
				if special, ok := rows[ends]; ok {
					want = special
				}
				w := c.start(t)
				c.do(w)
				w.holdsEnd(w.apply(nil), ends, want)
			})
		}
	}
}

// holdsEnd holds an execution to a line of the end table and to having written nothing but the check.
func (w *world) holdsEnd(e ended, code contract.Code, want row) {
	w.t.Helper()
	got := row{e.outcome.Status, e.outcome.Fault, e.conclusion(), e.code}
	if got != want || len(e.outcome.Reasons) == 0 || e.outcome.Reasons[0] != code {
		w.t.Errorf("ended as %+v for %v, want %+v for %s\n%s", got, e.outcome.Reasons, want, code, e.log)
	}
	writes, tokens, checks := e.writes(), e.purposes(), w.checks(w.decision.Commit)
	if want.conclusion == "" {
		if len(writes) != 0 || len(tokens) != 0 || e.outcome.Check != nil {
			w.t.Errorf("wrote %v with %v, want nothing", writes, tokens)
		}
	} else {
		if len(writes) != 1 || writes[0] != postCheck && writes[0] != patchCheck || !slices.Equal(tokens, []string{contract.PurposeReport}) {
			w.t.Errorf("wrote %v with %v, want the check alone with the report token", writes, tokens)
		}
		if len(checks) == 0 || checks[len(checks)-1] != want.conclusion || e.outcome.Check == nil || e.outcome.Check.Conclusion != want.conclusion {
			w.t.Errorf("the checks on the commit are %v, want %s", checks, want.conclusion)
		}
		if requested := e.applied.Tokens[0].Requested; !maps.Equal(requested, map[string]string{"checks": "write"}) {
			w.t.Errorf("the report token may do %v", requested)
		}
	}
	if len(e.applied.Effects)+len(e.applied.Findings)+len(e.applied.Dispositions) != 0 {
		w.t.Errorf("applied.json claims %+v", e.applied)
	}
	if w.alive() != 0 {
		w.t.Errorf("%d tokens are left alive", w.alive())
	}
}
