package apply

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// Roles of the one App beside pr-review: one answers its Findings as the author, the other reviews something else.
const (
	authorRole = "answers"
	otherRole  = "spelling"
)

// withRoles commits the manifests of both.
func withRoles(t *testing.T) func(*emulator.Seed) {
	return func(s *emulator.Seed) {
		for name, half := range map[string]string{authorRole: contract.HalfAuthor, otherRole: contract.HalfReviewer} {
			override(t, s, "roles/"+name+".json", "roles/pr-review.json", func(m map[string]any) {
				m["name"], m["prompt"], m["disposition_half"], m["categories"] = name, "roles/"+name+".md", half, []string{"own_" + name}
				if half == contract.HalfAuthor {
					m["kind"] = "author"
				}
				intent := m["intents"].([]any)[0].(map[string]any)
				intent["class"], intent["evals"] = contract.ClassAdvice, nil
			})
			s.Repository.Branches["main"].Tree[".github/airlock/roles/"+name+".md"] = emulatortest.Text("Answer what is open.\n")
		}
	}
}

// as makes the next Runs those of a Role.
func (w *world) as(role string) *world {
	w.asks = map[string]string{"AIRLOCK_ROLE": role}
	return w
}

// claims is a review that answers every Finding as the author.
func (w *world) claims(verdicts ...string) contract.Answer {
	w.t.Helper()
	if len(w.task.Findings) != len(verdicts) {
		w.t.Fatalf("asked about %d Findings, want %d", len(w.task.Findings), len(verdicts))
	}
	a := w.accepting()
	for i := range a.Dispositions {
		a.Dispositions[i].Reviewer, a.Dispositions[i].Author = nil, &contract.AuthorHalf{Verdict: verdicts[i], Text: untrusted.New("As said in " + verdicts[i] + ".")}
	}
	return a
}

// TestBothHalves plays a Role that makes author halves and the reviewer's next Run through the whole program: each half is
// written, found again by its key, read back, recorded, and judged by the Role that may.
func TestBothHalves(t *testing.T) {
	w := newWorld(t, withRoles(t)).reviewed()
	first := w.decision.Run
	w.next()
	w.as(authorRole).admit()
	w.answer(w.claims(contract.VerdictFixed, contract.VerdictDeclined, contract.VerdictDeferred))
	e := w.apply(nil)
	// What an author claims settles nothing, and this Role only advises.
	w.holdsRow(e, row{"completed", "none", "neutral", 0}, []contract.Code{contract.CodeGatingFindingsOpen}, []string{postReview, postReply, postReply, postCheck})
	author := w.decision.Run
	want := []contract.AppliedDisposition{
		{Effect: "e1", Finding: first + "/f3", Verdict: contract.VerdictDeferred},
		{Effect: "e2", Finding: first + "/f1", Verdict: contract.VerdictFixed}, {Effect: "e3", Finding: first + "/f2", Verdict: contract.VerdictDeclined},
	}
	for i, got := range e.applied.Dispositions {
		if got.Effect != want[i].Effect || got.Finding != want[i].Finding || got.Verdict != want[i].Verdict || got.Half != contract.HalfAuthor || got.Of != nil || got.Run != author {
			t.Errorf("recorded %+v, want %+v", got, want[i])
		}
	}
	if len(e.applied.Dispositions) != 3 || len(e.outcome.GatingOpen) != 3 {
		t.Errorf("%d recorded, open %v", len(e.applied.Dispositions), e.outcome.GatingOpen)
	}
	state := w.State(t)
	for thread, says := range []string{"Fixed. As said in fixed.", "Declined. As said in declined."} {
		reply := state.Pull(emulatortest.Number).Threads[thread].Comments[1]
		marker := " half=author verdict=" + []string{"fixed", "declined"}[thread] + " of=- -->"
		if reply.AuthorID != emulatortest.BotUserID || !strings.HasPrefix(reply.Body, says+"\n\n<!-- airlock/1 disposition key=") || !strings.HasSuffix(reply.Body, marker) {
			t.Errorf("thread %d: %q", thread, reply.Body)
		}
	}
	if again := w.apply(nil); !slices.Equal(again.states(), []string{contract.StateAlreadyApplied, contract.StateAlreadyApplied, contract.StateAlreadyApplied}) ||
		len(again.applied.Dispositions) != 3 || len(again.writes()) != 1 {
		t.Errorf("again: %v by %v, %d recorded", again.states(), again.writes(), len(again.applied.Dispositions))
	}

	// The reviewer is shown the claims as answers, and judges: the fix by the change, what stays by a maintainer's word.
	state = w.State(t)
	w.SetClock(w.Now().Add(time.Minute))
	second := state.Pull(emulatortest.Number).Threads[1].Comments[0].ID
	_, err := w.Reply(emulator.TextAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID, CommentID: second, Body: "It may stay."})
	w.must(err)
	w.pushed().as("pr-review").admit()
	a := w.accepting()
	for i, f := range w.task.Findings {
		if f.Placement == contract.PlacementLine && len(f.Answers) == 0 {
			t.Errorf("%s has no answers", f.ID)
		}
		if strings.HasSuffix(f.ID, "/f2") {
			a.Dispositions[i].Reviewer.Of, a.Dispositions[i].Reviewer.Evidence = contract.VerdictDeclined, f.Answers[len(f.Answers)-1]
		}
	}
	w.answer(a)
	e = w.apply(nil)
	w.holdsRow(e, row{"completed", "none", "success", 0}, []contract.Code{}, []string{postReview, postReply, postReply, postCheck})
	for _, got := range e.applied.Dispositions {
		if got.Half != contract.HalfReviewer || got.Of == nil || got.Verdict != contract.VerdictAccepted || got.Run != w.decision.Run {
			t.Errorf("recorded %+v", got)
		}
	}
}

// TestAHalfOfAnother refuses the half that a Role may not make, in both directions.
func TestAHalfOfAnother(t *testing.T) {
	for role, answer := range map[string]func(*world) contract.Answer{
		authorRole: (*world).accepting,
		"pr-review": func(w *world) contract.Answer {
			return w.claims(contract.VerdictFixed, contract.VerdictFixed, contract.VerdictFixed)
		},
	} {
		w := newWorld(t, withRoles(t)).reviewed().pushed()
		w.as(role).admit()
		w.answer(answer(w))
		conclusion := map[string]string{authorRole: "neutral", "pr-review": "action_required"}[role]
		w.holdsRow(w.apply(nil), row{"refused", "item", conclusion, 1}, []contract.Code{contract.CodeDispositionNotRole}, []string{postCheck})
	}
}

// TestRolesOfOneApp lets another reviewing Role of the App post a Finding beside those of pr-review: neither is asked about the
// other's, neither may answer it, and none of it stands against the other's check.
func TestRolesOfOneApp(t *testing.T) {
	w := newWorld(t, withRoles(t)).reviewed()
	first := w.decision.Run
	w.next()
	w.as(otherRole).admit()
	if len(w.task.Findings) != 0 {
		t.Fatalf("asked about %v", w.task.Findings)
	}
	own := onLine("f1", "own_"+otherRole, "major", 33)
	w.answer(review(own))
	e := w.apply(nil)
	w.holdsRow(e, row{"completed", "none", "neutral", 0}, []contract.Code{contract.CodeGatingFindingsOpen}, []string{postReview, postCheck})
	other := w.decision.Run + "/f1"
	if !slices.Equal(e.outcome.GatingOpen, []string{other}) {
		t.Errorf("open for the other: %v", e.outcome.GatingOpen)
	}

	w.pushed().as("pr-review").admit()
	if len(w.task.Findings) != 3 {
		t.Fatalf("pr-review is asked about %d Findings", len(w.task.Findings))
	}
	a := w.accepting()
	w.answer(a)
	if e := w.apply(nil); e.conclusion() != "success" || len(e.outcome.GatingOpen) != 0 {
		t.Errorf("pr-review ends %s, open %v\n%s", e.conclusion(), e.outcome.GatingOpen, e.log)
	}

	// A Result that answers the other's Finding all the same is refused.
	tree := maps.Clone(emulatortest.Head)
	tree["more.txt"] = emulatortest.Text("more\n")
	w.push(tree)
	w.next()
	w.as("pr-review").admit()
	for i, id := range []string{other, first + "/f1"} {
		a := review()
		a.Dispositions = []contract.Disposition{{Finding: id, Reviewer: &contract.ReviewerHalf{Evidence: w.diffText(), Of: contract.VerdictFixed, Text: untrusted.New("Fixed."), Verdict: contract.VerdictAccepted}}}
		a.Effects = append(a.Effects, contract.Effect{ReplyThread: &contract.ThreadEffect{Finding: id, ID: "e2", Type: contract.ReplyThread}})
		w.answer(a)
		w.holdsRow(w.apply(nil), row{"refused", "item", "action_required", 1}, []contract.Code{contract.CodeDispositionFindingUnknown}, [][]string{{postCheck}, {patchCheck}}[i])
	}
}
