package refusal_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// admissionCase is Run A, which nothing is against, with one thing against it: since it was admitted, or already when decide
// asks, which then hands on a Decision that does not admit.
type admissionCase struct {
	name   string
	change func(*world)
	// ending is what ends the Run; empty for a near miss.
	ending []contract.Code
}

func codes(list ...contract.Code) []contract.Code { return list }

// since is a Run that was admitted.
func since(name string, change func(*world), ending ...contract.Code) admissionCase {
	return admissionCase{name, change, ending}
}

// asked is one that decide asks about with the change in its facts. What it decides stands in them still when apply reads.
func asked(name string, change func(*world), ending ...contract.Code) admissionCase {
	return admissionCase{name, func(w *world) {
		change(w)
		w.decides()
		if len(ending) == 0 {
			w.answersTask()
		}
	}, ending}
}

// now changes what apply reads.
func now(change func(*contract.Facts)) func(*world) {
	return func(w *world) { change(&w.Fresh) }
}

// then changes what both read.
func then(change func(*contract.Facts)) func(*world) {
	return func(w *world) { w.both(change) }
}

func says(author int64, words string) func(*contract.Facts) {
	return func(f *contract.Facts) {
		f.Comments = append(f.Comments, contract.Comment{At: f.ReadAt, Author: contract.User{ID: author, Type: "User"}, ID: 9002, Text: text(words)})
	}
}

func labels(set ...string) func(*contract.Facts) {
	return func(f *contract.Facts) { f.Labels = set }
}

// reviewed is a review that our App wrote on Run A's content.
func reviewed(run string, author int64) func(*world) {
	return func(w *world) {
		w.both(func(f *contract.Facts) {
			review := ownReview(w, strings.Repeat("0", 32), run)
			review.Author.ID = author
			f.Reviews = append(f.Reviews, review)
		})
		w.answersTask() // what a stranger wrote is a text of it
	}
}

// ran are workflow runs of that title, each with a Result, as decide finds them.
func ran(count int, title, status string) func(*world) {
	return func(w *world) {
		w.both(func(f *contract.Facts) {
			for i := range count {
				id := int64(16000000000 + i)
				f.Records.WorkflowRuns = append(f.Records.WorkflowRuns, contract.WorkflowRun{Attempt: 1, CreatedAt: f.ReadAt, ID: id, Status: status, Title: text(title)})
				if status == "completed" {
					f.Records.Results = append(f.Records.Results, contract.ResultRecord{ArtifactID: id, CreatedAt: f.ReadAt, WorkflowRunID: id})
				}
			}
		})
	}
}

const (
	ourRuns   = "airlock pr-review #12"
	otherRuns = "airlock pr-review #13"
)

// admissionCases are the codes of the Kernel, as apply meets them, and what it makes of them for a Run that was admitted.
func admissionCases() map[contract.Code][]admissionCase {
	const no = contract.CodeNotAdmitted
	another := "run-" + strings.Repeat("3", 24)
	draft := func(f *contract.Facts) { f.Item.Draft = true }
	locked := func(f *contract.Facts) { f.Item.Locked = true }
	pushed := func(f *contract.Facts) { f.Head.Commit = strings.Repeat("9", 40) }
	unread := func(f *contract.Facts) { f.Parts.Threads.Complete = false }
	hidden := func(f *contract.Facts) { f.Content.Files[0].Visible, f.Content.Files[1].Visible = false, false }
	return map[contract.Code][]admissionCase{
		contract.CodeSupersededHeld: {
			since("a maintainer says /hold", now(says(maintainer, "/hold")), contract.CodeSupersededHeld),
			since("the hold label", now(labels("airlock:approved", "airlock:hold")), contract.CodeSupersededHeld),
			since("near: the author says /hold", now(says(contributor, "/hold"))),
			since("near: a maintainer lifts a hold", now(func(f *contract.Facts) { says(maintainer, "/hold")(f); says(maintainer, "/unhold")(f) })),
		},
		contract.CodeSupersededPaused: {
			since("paused", func(w *world) { w.Policy.Paused = pointer("credential rotation") }, contract.CodeSupersededPaused),
			since("near: paused in what decide read, and lifted since", func(w *world) { w.Bundle.Policy.Paused = pointer("credential rotation") }),
		},
		contract.CodeSupersededClosed: {
			since("closed", now(func(f *contract.Facts) { f.Item.State = "closed" }), contract.CodeSupersededClosed),
			since("closed and pushed to", now(func(f *contract.Facts) { f.Item.State = "closed"; pushed(f) }), contract.CodeSupersededClosed),
			since("near: said to be closed", now(says(maintainer, "closed"))),
		},
		contract.CodeSupersededDraft: {
			since("made a draft", now(draft), contract.CodeSupersededDraft),
			since("near: named a draft", now(func(f *contract.Facts) { f.Item.Title = text("[draft] Find entries by owner") })),
		},
		contract.CodeSupersededChanged: {
			since("another head commit", now(pushed), contract.CodeSupersededChanged),
			since("another base", now(func(f *contract.Facts) { f.Base.Ref = text("release") }), contract.CodeSupersededChanged),
			since("other files on the same head", now(func(f *contract.Facts) { f.Content.FilesDigest = contract.Digest(nil) }), contract.CodeSupersededChanged),
			since("near: the base moved on", now(func(f *contract.Facts) { f.Base.Commit = strings.Repeat("9", 40) })),
			since("near: other diff bytes of the same files", now(func(f *contract.Facts) { f.Content.ID = contract.Digest(nil) })),
		},
		contract.CodeSupersededReviewed: {
			since("another Run reviewed it", reviewed(another, bot), contract.CodeSupersededReviewed),
			since("near: somebody else's copy of such a review", reviewed(another, contributor)),
			since("near: the review of another Run, of other content", func(w *world) {
				reviewed(another, bot)(w)
				last := &w.Fresh.Reviews[len(w.Fresh.Reviews)-1]
				last.Text = text(strings.Replace(last.Text.Raw(), strings.TrimPrefix(w.Bundle.Decision.ContentID, "sha256:"), strings.Repeat("0", 64), 1))
			}),
		},
		contract.CodeNotAdmitted: {
			since("the approved label was taken off", now(labels()), no, contract.CodeAuthorNeedsApproval),
			since("near: over budget, which is not asked again", ran(8, ourRuns, "completed")),
		},
		contract.CodeFactsIncomplete: {
			since("the threads could not be read", now(unread), no, contract.CodeFactsIncomplete),
			asked("the threads could not be read when decide asked", then(unread), contract.CodeFactsIncomplete),
			since("near: read whole, and none there", now(func(f *contract.Facts) { f.Parts.Threads.Count = 0 })),
		},
		contract.CodeItemClosed: {
			{"closed when decide asked, and open again", func(w *world) {
				w.Bundle.Facts.Item.State = "closed"
				w.decides()
			}, codes(contract.CodeItemClosed)},
			asked("closed when decide asked, and still", then(func(f *contract.Facts) { f.Item.State = "closed" }), contract.CodeSupersededClosed),
			asked("near: open", same),
		},
		contract.CodeItemDraft: {
			asked("a draft", then(draft), contract.CodeItemDraft),
			asked("near: named a draft", then(func(f *contract.Facts) { f.Item.Title = text("draft") })),
		},
		contract.CodeItemHeld: {
			asked("held", then(says(maintainer, "/hold")), contract.CodeItemHeld),
			asked("near: a maintainer asks whether to /hold", then(says(maintainer, "shall we /hold"))),
		},
		contract.CodeItemLocked: {
			since("locked", now(locked), no, contract.CodeItemLocked),
			asked("locked when decide asked", then(locked), contract.CodeItemLocked),
			since("near: named locked", now(func(f *contract.Facts) { f.Labels = append(f.Labels, "locked") })),
		},
		contract.CodeFactoryPaused: {
			asked("paused", func(w *world) { w.Bundle.Policy.Paused = pointer("rotation"); w.Policy = w.Bundle.Policy }, contract.CodeFactoryPaused),
			asked("near: not paused", same),
		},
		contract.CodeOwnEvent: {
			asked("our own App asked", func(w *world) { w.Bundle.Decision.Asked.SenderID = bot }, contract.CodeOwnEvent),
			asked("near: another bot asked", func(w *world) { w.Bundle.Decision.Asked.SenderID = bot + 1 }),
		},
		contract.CodeContentAbsent: {
			asked("no diff", then(func(f *contract.Facts) { f.Content.State = contract.ContentAbsent }), contract.CodeContentAbsent),
			asked("near: a diff of no byte", then(func(f *contract.Facts) { f.Content.Bytes = 0 })),
		},
		contract.CodeContentNotText: {
			since("every file is excluded now", func(w *world) { w.Policy.ExcludedPaths = []string{"internal/**"} }, no, contract.CodeContentNotText),
			asked("no file is shown", then(hidden), contract.CodeContentNotText),
			since("near: one of two is excluded now", func(w *world) { w.Policy.ExcludedPaths = []string{"internal/store/**"} }),
		},
		contract.CodeContentTooLarge: {
			since("one byte over what is allowed now", func(w *world) { w.Policy.Content.Bytes = w.Fresh.Content.Bytes - 1 }, no, contract.CodeContentTooLarge),
			asked("too large for GitHub", then(func(f *contract.Facts) { f.Content.State = contract.ContentTooLarge }), contract.CodeContentTooLarge),
			since("near: as many bytes as are allowed now", func(w *world) { w.Policy.Content.Bytes = w.Fresh.Content.Bytes }),
		},
		contract.CodeAuthorNeedsApproval: {
			since("pushed in the second of the approval", now(func(f *contract.Facts) { f.Head.PushedAt = &f.LabelEvents[0].At }), no, contract.CodeAuthorNeedsApproval),
			asked("no label", then(labels()), contract.CodeAuthorNeedsApproval),
			since("near: the policy asks for none now", func(w *world) {
				w.Fresh.Labels, w.Policy.Approval.Outside = nil, contract.ApprovalNotRequired
			}),
		},
		contract.CodeIntentUnknown: {
			since("it is another kind of item now", now(func(f *contract.Facts) { f.Item.Kind = "issue" }), no, contract.CodeIntentUnknown),
			asked("no such Intent", func(w *world) { w.Bundle.Decision.Intent = "review-chnage" }, contract.CodeIntentUnknown),
			asked("near: the Role's only one", same),
		},
		contract.CodeEvalsMissing: {
			asked("a gate without evals", func(w *world) { w.evals = false }, contract.CodeEvalsMissing),
			asked("near: advice without evals", func(w *world) { w.evals, w.intent().Class = false, contract.ClassAdvice }),
		},
		contract.CodeAlreadyRan: {
			asked("another Run reviewed it", reviewed(another, bot), contract.CodeAlreadyRan),
			asked("near: somebody else's copy of such a review", reviewed(another, contributor)),
		},
		contract.CodeRunInFlight: {
			asked("an earlier run is at work", ran(1, ourRuns, "in_progress"), contract.CodeRunInFlight),
			asked("near: one of another item is", ran(1, otherRuns, "in_progress")),
		},
		contract.CodeBudgetItem: {
			asked("as many as allowed", ran(8, ourRuns, "completed"), contract.CodeBudgetItem),
			asked("near: one less", ran(7, ourRuns, "completed")),
		},
		contract.CodeBudgetRepository: {
			asked("as many as allowed", ran(200, otherRuns, "completed"), contract.CodeBudgetRepository),
			asked("near: one less", ran(199, otherRuns, "completed")),
		},
	}
}

func (c admissionCase) near() bool { return strings.HasPrefix(c.name, "near: ") }

func (c admissionCase) play(t *testing.T) played {
	t.Helper()
	p := played{before: model(t, "A"), world: model(t, "A")}
	c.change(p.world)
	prepared := p.world.prepare()
	p.prepared = &prepared
	return p
}

// TestAdmissionAtApply holds how each code of the Kernel ends a Run in apply: of one that was admitted, and of a Decision that
// does not admit.
func TestAdmissionAtApply(t *testing.T) {
	all := admissionCases()
	list := append(contract.CodesOf(contract.StageKernel), contract.CodesOf(contract.StageSuperseded)...)
	for _, code := range list {
		t.Run(string(code), func(t *testing.T) {
			trips, misses := 0, 0
			for _, c := range all[code] {
				t.Run(c.name, func(t *testing.T) {
					p := c.play(t)
					if !slices.Equal(p.prepared.Ending, c.ending) {
						t.Errorf("ended by %v, want %v", p.prepared.Ending, c.ending)
					}
					if (p.prepared.Plan != nil) != c.near() {
						t.Errorf("a plan is made: %v", p.prepared.Plan != nil)
					}
				})
				if c.near() {
					misses++
				} else if slices.Contains(c.ending, code) {
					trips++
				}
			}
			if trips == 0 || misses == 0 {
				t.Errorf("%d cases trip it and %d come near; each needs one", trips, misses)
			}
		})
	}
	if len(all) != len(list) {
		t.Error("there are cases of codes that no stage has")
	}
}
