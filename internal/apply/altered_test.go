package apply

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

const writerID = 4000004

// alterable is a world whose first Run wrote two threads and one Finding in the body, with an account that may write to the
// repository and is no maintainer, and whose author answered in the first thread.
func alterable(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, func(s *emulator.Seed) {
		s.Users = append(s.Users, &emulator.User{ID: writerID, Login: "writer", Type: "User", Permission: "write"})
	}).reviewed()
	w.SetClock(w.Now().Add(10 * time.Minute))
	_, err := w.Reply(emulator.TextAct{Number: emulatortest.Number, ActorID: emulatortest.ContributorID, CommentID: w.comment(0).ID, Body: "Fixed."})
	w.must(err)
	w.SetClock(w.Now().Add(10 * time.Minute))
	return w
}

// comment is the first comment of a thread, review the first review of the item.
func (w *world) comment(thread int) *emulator.LineComment {
	state := w.State(w.t)
	return state.Pull(emulatortest.Number).Threads[thread].Comments[0]
}

func (w *world) review() *emulator.Review {
	state := w.State(w.t)
	return state.Pull(emulatortest.Number).Reviews[0]
}

// without takes every line with a marker out of a text.
func without(text, marker string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, "<!-- airlock/1 "+marker) }), "\n")
}

func (w *world) editComment(by int64, thread int, change func(string) string) {
	comment := w.comment(thread)
	w.must(w.Edit(emulator.EditAct{Number: emulatortest.Number, ActorID: by, LineCommentID: comment.ID, Body: change(comment.Body)}))
}

func (w *world) editReview(by int64, change func(string) string) {
	review := w.review()
	w.must(w.Edit(emulator.EditAct{Number: emulatortest.Number, ActorID: by, ReviewID: review.ID, Body: change(review.Body)}))
}

func (w *world) remove(thread int) {
	w.must(w.Delete(emulator.DeleteAct{Number: emulatortest.Number, ActorID: writerID, LineCommentID: w.comment(thread).ID}))
}

func (w *world) resolveThread(by int64, thread int) {
	w.must(w.Resolve(emulator.ResolveAct{Number: emulatortest.Number, ActorID: by, CommentID: w.comment(thread).ID}))
}

// accepting is a clean review that accepts everything it was asked about, as fixed.
func (w *world) accepting() contract.Answer {
	a := review()
	for _, f := range w.task.Findings {
		a.Dispositions = append(a.Dispositions, contract.Disposition{Finding: f.ID, Reviewer: &contract.ReviewerHalf{Evidence: w.diffText(), Of: contract.VerdictFixed,
			Text: untrusted.New("As the change shows."), Verdict: contract.VerdictAccepted}})
		if f.Placement == contract.PlacementBody {
			a.Effects[0].SubmitReview.Answers = append(a.Effects[0].SubmitReview.Answers, f.ID)
			continue
		}
		a.Effects = append(a.Effects, contract.Effect{ReplyThread: &contract.ThreadEffect{Finding: f.ID, ID: "e" + decimal(int64(len(a.Effects)+1)), Type: contract.ReplyThread}})
	}
	return a
}

// TestAlteredSince lets people change what the first Run wrote. The second Run accepts all that it is asked about; what it is not
// asked about is not lost.
func TestAlteredSince(t *testing.T) {
	gating, edited := contract.CodeGatingFindingsOpen, contract.CodeEditedSince
	green, red, yellow := row{"completed", "none", "success", 0}, row{"completed", "none", "failure", 0}, row{"completed", "none", "action_required", 0}
	for name, c := range map[string]struct {
		happens func(*world)
		asked   int // Findings of the Task
		row     row
		reasons []contract.Code
		open    []string // short ids of the first Run, "?" for one that lost its own
	}{
		"nothing": {func(*world) {}, 3, green, nil, nil},
		"a marker is taken away": {func(w *world) {
			w.editComment(writerID, 0, func(s string) string { return without(s, "finding") })
		}, 2, red, []contract.Code{gating, edited}, []string{"?", "f1"}},
		"a whole comment is emptied to a word": {func(w *world) {
			w.editComment(writerID, 0, func(string) string { return "Never mind." })
		}, 2, red, []contract.Code{gating, edited}, []string{"?", "f1"}},
		"a marker is taken away, and a maintainer resolves": {func(w *world) {
			w.editComment(writerID, 0, func(s string) string { return without(s, "finding") })
			w.resolveThread(emulatortest.MaintainerID, 0)
		}, 2, green, nil, nil},
		"a marker is taken away, and a writer resolves": {func(w *world) {
			w.editComment(writerID, 0, func(s string) string { return without(s, "finding") })
			w.resolveThread(writerID, 0)
		}, 2, red, []contract.Code{gating, edited}, []string{"?", "f1"}},
		"a marker is taken away, and a maintainer puts it back": {func(w *world) {
			was := w.comment(0).Body
			w.editComment(writerID, 0, func(s string) string { return without(s, "finding") })
			w.editComment(emulatortest.MaintainerID, 0, func(string) string { return was })
		}, 3, green, nil, nil},
		"a Finding is made another one": {func(w *world) {
			w.editComment(writerID, 0, func(s string) string { return strings.Replace(s, "/f1 ", "/f2 ", 1) })
		}, 2, red, []contract.Code{gating, edited}, []string{"?", "f1"}},
		"a Finding is made a note": {func(w *world) {
			w.editComment(writerID, 1, func(s string) string { return strings.Replace(s, "severity=major", "severity=note", 1) })
		}, 2, red, []contract.Code{gating, edited}, []string{"f2"}},
		"a maintainer mends a word": {func(w *world) {
			w.editComment(emulatortest.MaintainerID, 1, func(s string) string { return strings.Replace(s, "Text", "The text", 1) })
		}, 3, green, nil, nil},
		"a comment is deleted":                      {func(w *world) { w.remove(1) }, 2, red, []contract.Code{gating, edited}, []string{"f2"}},
		"a comment with an answer below is deleted": {func(w *world) { w.remove(0) }, 2, red, []contract.Code{gating, edited}, []string{"f1"}},
		"two comments are deleted":                  {func(w *world) { w.remove(1); w.remove(0) }, 1, red, []contract.Code{gating, edited}, []string{"f1", "f2"}},
		"one is deleted, one altered and resolved": {func(w *world) {
			w.editComment(writerID, 0, func(s string) string { return without(s, "finding") })
			w.resolveThread(emulatortest.MaintainerID, 0)
			w.remove(1)
		}, 1, red, []contract.Code{gating, edited}, []string{"f1", "f2"}},
		"a section of the review is taken out": {func(w *world) {
			w.editReview(writerID, func(s string) string { return without(s, "finding") })
		}, 2, red, []contract.Code{gating, edited}, []string{"f3"}},
		"a word of the review is changed": {func(w *world) {
			w.editReview(writerID, func(s string) string { return strings.Replace(s, "Two things", "No thing", 1) })
		}, 2, red, []contract.Code{gating, edited}, []string{"f3"}},
		"a maintainer changes a word of the review": {func(w *world) {
			w.editReview(emulatortest.MaintainerID, func(s string) string { return strings.Replace(s, "Two things", "Three things", 1) })
		}, 3, green, nil, nil},
		"the review loses its marker": {func(w *world) {
			w.editReview(writerID, func(s string) string { return without(s, "review") })
		}, 2, red, []contract.Code{gating, edited}, []string{"f3"}},
		"the review loses all its markers": {func(w *world) {
			w.editReview(writerID, func(s string) string { return without(without(s, "review"), "finding") })
		}, 2, yellow, []contract.Code{edited}, nil},
		"the review is made another Role's": {func(w *world) {
			w.editReview(writerID, func(s string) string { return strings.Replace(s, "role=pr-review", "role=another", 1) })
		}, 2, red, []contract.Code{gating, edited}, []string{"f3"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := alterable(t)
			first := w.decision.Run
			c.happens(w)
			w.pushed().admit()
			if len(w.task.Findings) != c.asked {
				t.Errorf("asked about %d Findings, want %d", len(w.task.Findings), c.asked)
			}
			w.answer(w.accepting())
			e := w.apply(nil)
			if got := (row{e.outcome.Status, e.outcome.Fault, e.conclusion(), e.code}); got != c.row || !slices.Equal(e.outcome.Reasons, c.reasons) {
				t.Errorf("ended as %+v for %v, want %+v for %v\n%s", got, e.outcome.Reasons, c.row, c.reasons, e.log)
			}
			var open []string
			for _, id := range e.outcome.GatingOpen {
				run, short, _ := strings.Cut(id, "/")
				if run != first {
					short = "?"
				}
				open = append(open, short)
			}
			if !slices.Equal(open, c.open) {
				t.Errorf("open %v, want %v", open, c.open)
			}
		})
	}
}

// TestADeletedFindingIsRemembered plays Runs after the deletion: each check hands it on, until a maintainer lets the change be
// reviewed again. A carried Decision remembers it too.
func TestADeletedFindingIsRemembered(t *testing.T) {
	w := alterable(t)
	lost := w.decision.Run + "/f2"
	w.remove(1)
	holds := func(name string, want string, open ...string) {
		t.Helper()
		e := w.apply(nil)
		if e.conclusion() != want || !slices.Equal(e.outcome.GatingOpen, open) || slices.Contains(e.outcome.Reasons, contract.CodeEditedSince) != (len(open) > 0) {
			t.Errorf("%s: %s for %v, open %v, want %s, %v\n%s", name, e.conclusion(), e.outcome.Reasons, e.outcome.GatingOpen, want, open, e.log)
		}
	}
	w.pushed().admit()
	w.answer(w.accepting())
	holds("the Run after", "failure", lost)
	holds("the same again", "failure", lost)

	tree := emulator.Tree{}
	for path, file := range emulatortest.Head {
		tree[path] = file
	}
	tree["more.txt"] = emulatortest.Text("more\n")
	w.push(tree)
	w.next()
	w.admit()
	w.answer(review())
	holds("a third Run", "failure", lost)

	w.push(tree)
	w.next()
	if w.decide(); w.decision.Carries == nil {
		t.Fatalf("not carried: %v", w.decision.Reasons)
	}
	holds("carried", "failure", lost)

	w.next()
	w.asks = map[string]string{"AIRLOCK_AGAIN": "true", "GITHUB_EVENT_NAME": "workflow_dispatch", "AIRLOCK_NUMBER": "12"}
	w.admit()
	w.answer(review())
	holds("asked again by a maintainer", "success")

	w.asks = nil
	tree["more.txt"] = emulatortest.Text("still more\n")
	w.push(tree)
	w.next()
	w.admit()
	w.answer(review())
	holds("a Run after that", "success")
}

// TestAlteredBetweenTwoPrograms alters a Finding after decide handed it to the model: its answer has no thread of ours to go to.
func TestAlteredBetweenTwoPrograms(t *testing.T) {
	w := alterable(t)
	w.pushed().admit()
	w.answer(w.accepting())
	w.editComment(writerID, 0, func(s string) string { return without(s, "finding") })
	w.holdsRow(w.apply(nil), row{"refused", "item", "action_required", 1}, []contract.Code{contract.CodeDispositionThread}, []string{postCheck})
}

// TestAnEarlierCheckThatCannotBeRead ends the Run for its facts: an answer that is not there says nothing of what is open.
func TestAnEarlierCheckThatCannotBeRead(t *testing.T) {
	w := alterable(t)
	commit := w.decision.Commit
	w.pushed().admit()
	w.answer(w.accepting())
	w.must(w.Inject(emulator.Fault{Kind: "error-500-not-done", Match: "GET /repos/*/*/commits/" + commit + "/check-runs", Times: 3}))
	w.holdsRow(w.apply(nil), row{"not_admitted", "platform", "action_required", 1}, []contract.Code{contract.CodeNotAdmitted, contract.CodeFactsIncomplete}, []string{postCheck})
}
