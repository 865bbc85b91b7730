package refusal_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/outcome"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// reportCase is a Run that no refusal ends and whose outcome has, or narrowly has not, a reason.
type reportCase struct {
	name   string
	run    string // A unless it says B
	change func(*world)
}

func (c reportCase) near() bool { return strings.HasPrefix(c.name, "near: ") }

// reportCases are the codes that a Result or the facts put into an outcome without a rule that refuses.
func reportCases() map[contract.Code][]reportCase {
	sibling := func(conclusion *string) func(*world) {
		return now(func(f *contract.Facts) { f.Siblings = []contract.Sibling{{Number: 13, Conclusion: conclusion}} })
	}
	open := func(category string) func(*world) {
		return func(w *world) {
			w.Result.Findings[0].Category, w.Result.Findings[0].Severity = category, contract.SeverityMajor
			w.Result.Findings[0].Title = text("Close does not wait for handlers") // as the open one
			w.Result.Findings[0].Path, w.Result.Findings[0].Line = pointer(text("internal/store/pool.go")), pointer(40)
			w.Result.Dispositions[2].Reviewer.Verdict = contract.VerdictRejected
		}
	}
	edited := func(editor *int64) func(*world) {
		return now(func(f *contract.Facts) {
			f.Threads[0].Comments[0].EditedAt, f.Threads[0].Comments[0].EditorID = &f.ReadAt, editor
		})
	}
	earlier := "run-" + strings.Repeat("3", 24)
	all := map[contract.Code][]reportCase{
		contract.CodeGatingFindingsOpen: {
			{"Findings that gate", "", same},
			{"near: Findings that do not", "", func(w *world) {
				for i := range w.Result.Findings {
					w.Result.Findings[i].Category, w.Result.Findings[i].Severity = "tests", contract.SeverityMinor
				}
				w.review().Threads, w.review().Listed = nil, []string{"f1", "f2", "f3", "f4"}
			}},
		},
		contract.CodeFilesOmitted: {
			{"a file over the budget", "", func(w *world) {
				w.Bundle.Harness.Texts.DiffCharacters = 400
				w.answersTask()
			}},
			{"near: a file that the policy excludes", "", func(w *world) {
				w.Bundle.Policy.ExcludedPaths = []string{"internal/store/**"}
				w.answersTask()
			}},
		},
		contract.CodeFilesOpaque: {
			{"a file that the diff does not show", "", func(w *world) {
				w.both(func(f *contract.Facts) { f.Content.Files[0].Visible = false })
				w.answersTask()
			}},
			{"near: a file that was renamed and is shown", "", func(w *world) {
				w.both(func(f *contract.Facts) { f.Content.Files[0].PreviousPath = pointer(text("old.go")) })
				w.answersTask()
			}},
		},
		contract.CodeSiblingUnreviewed: {
			{"another open pull request of this head, without a check", "", sibling(nil)},
			{"near: one that is green", "", sibling(pointer(contract.ConclusionSuccess))},
		},
		contract.CodeContentReencoded: {
			{"other bytes of the same files", "", now(func(f *contract.Facts) { f.Content.ID = contract.Digest(nil) })},
			{"near: the same bytes, read later", "", now(func(f *contract.Facts) { f.ReadAt = contract.At(f.ReadAt.Std().Add(60e9)) })},
		},
		contract.CodeAlreadyOpen: {
			{"a Finding with an open one's fingerprint", "B", open("data_loss")},
			{"near: of another category", "B", open("tests")},
		},
		contract.CodeEditedSince: {
			{"what our App wrote was edited, by nobody knows whom", "B", edited(nil)},
			{"near: edited by a maintainer", "B", edited(pointer(int64(maintainer)))},
		},
		contract.CodeCarried: {
			{"this content was reviewed", "", func(w *world) {
				reviewed(earlier, bot)(w)
				w.decides()
			}},
			{"near: it was, and that review was edited since", "", func(w *world) {
				reviewed(earlier, bot)(w)
				w.decides()
				w.Fresh.Reviews[0].EditedAt = &w.Fresh.ReadAt
			}},
		},
		contract.CodeIdentityCeiling: {
			{"a review by an App that may write checks alone", "", func(w *world) {
				w.Bundle.Apps.Apps[0].Ceiling = map[string]string{"checks": "write", "metadata": "read"}
			}},
			{"near: by one that may write exactly what is needed", "", func(w *world) {
				w.Bundle.Apps.Apps[0].Ceiling = map[string]string{"checks": "write", "pull_requests": "write"}
			}},
		},
		contract.CodeChangeTooLarge: {
			{"the model says so", "", func(w *world) { w.says(contract.StatusIncomplete, contract.CodeChangeTooLarge) }},
			{"near: it says something else", "", func(w *world) { w.says(contract.StatusIncomplete, contract.CodeContextMissing) }},
		},
		contract.CodeContextMissing: {
			{"the model says so", "", func(w *world) { w.says(contract.StatusIncomplete, contract.CodeContextMissing) }},
			{"near: it says so in the review alone", "", func(w *world) { w.review().Body = text("context_missing: I was not shown the store.") }},
		},
		contract.CodeDeclinedUnsafe: {
			{"the model declines", "", func(w *world) { w.says(contract.StatusRefused, contract.CodeDeclinedUnsafe) }},
			{"near: it declines as incomplete", "", func(w *world) { w.says(contract.StatusIncomplete, contract.CodeContextMissing) }},
		},
	}
	// What the model side failed by comes as the Result's reason. The nearest miss of each is its neighbour in the list.
	failures := slices.DeleteFunc(append(contract.CodesOf(contract.StageModel), contract.CodesOf(contract.StageEngine)...), func(code contract.Code) bool {
		return all[code] != nil
	})
	for i, code := range failures {
		neighbour := failures[(i+1)%len(failures)]
		all[code] = []reportCase{
			{"run failed by it", "", func(w *world) { w.failed(code) }},
			{"near: run failed by " + string(neighbour), "", func(w *world) { w.failed(neighbour) }},
		}
	}
	return all
}

// failed makes the Result one that run writes where there is no answer.
func (w *world) failed(code contract.Code) {
	w.says(contract.StatusFailed, code)
	w.Result.Findings, w.Result.Dispositions, w.Result.Effects = nil, nil, nil
}

func (c reportCase) play(t *testing.T) played {
	t.Helper()
	run := "A"
	if c.run != "" {
		run = c.run
	}
	p := played{before: model(t, run), world: model(t, run)}
	c.change(p.world)
	prepared := p.world.prepare()
	p.prepared = &prepared
	return p
}

// concludes ends the Run as apply would if GitHub did everything that is asked.
func (p played) concludes() outcome.Report {
	b, prepared := p.world.Bundle, p.prepared
	intent, _ := b.Role.Intent(b.Decision.Intent)
	in := outcome.Input{Decision: b.Decision, Class: intent.Class, Release: p.world.Release, Attempt: 1, Ended: prepared.Ending, Result: prepared.Result,
		Ledger: prepared.Ledger, Siblings: p.world.Fresh.Siblings, Reencoded: prepared.Reencoded, AppliedAt: p.world.Now}
	switch {
	case b.Decision.Admitted:
	case prepared.Overtaken:
		in.Decision.Admitted = true
	default:
		in.Ended = nil
	}
	if prepared.Task != nil {
		in.Task = *prepared.Task
	}
	if len(prepared.Ending) == 0 {
		written(&in, *prepared.Plan)
	}
	return outcome.Conclude(in)
}

// written writes a plan up to the first Effect that it says cannot be.
func written(in *outcome.Input, p plan.Plan) {
	done := map[string]bool{}
	ended := false
	for _, effect := range p.Effects {
		applied := contract.AppliedEffect{ID: effect.ID, Key: effect.Key, Type: effect.Type, State: contract.StateNotAttempted}
		switch {
		case ended:
		case effect.Reason != "":
			applied.State, applied.Reason, ended = contract.StateRefused, &effect.Reason, true
		default:
			applied.State, done[effect.ID] = contract.StateApplied, true
			applied.ReadBack = &contract.ReadBack{}
			if effect.Review != nil {
				applied.ReadBack.Review = &contract.ReviewReadBack{}
			}
		}
		in.Effects = append(in.Effects, applied)
	}
	for _, f := range p.Findings {
		if done[f.Effect] {
			in.Findings = append(in.Findings, contract.Finding{ID: f.FindingID, Gates: f.Gates, Placement: f.Placement, Category: f.Category, Severity: f.Severity})
		}
	}
	for _, d := range p.Dispositions {
		if done[d.Effect] {
			in.Dispositions = append(in.Dispositions, contract.AppliedDisposition{Effect: d.Effect, Finding: d.Finding, Half: d.Half, Verdict: d.Verdict, Of: d.Of})
		}
	}
}

// TestReasonsOfAnOutcome holds each reason that a Run ends with although nothing is refused.
func TestReasonsOfAnOutcome(t *testing.T) {
	for code, cases := range reportCases() {
		t.Run(string(code), func(t *testing.T) {
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					p := c.play(t)
					got := p.concludes()
					if slices.Contains(got.Outcome.Reasons, code) == c.near() {
						t.Errorf("ended as %s for %v", got.Outcome.Status, got.Outcome.Reasons)
					}
					if p.world.Bundle.Decision.Admitted && len(p.prepared.Ending) > 0 {
						t.Errorf("ended before its Effects by %v at %s", p.prepared.Ending, p.prepared.Where)
					}
				})
			}
		})
	}
}
