package apply

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// cut is where one of two executions stands still: before its exchange of this number, counted from 0.
type cut struct {
	at      int
	reached func()
}

// cutting is this world as an execution sees it that calls reached before one of its exchanges.
func (w *world) cutting(c cut) *world {
	copied := *w
	next, n := w.transport, 0
	copied.transport = roundTrip(func(request *http.Request) (*http.Response, error) {
		if n == c.at {
			c.reached()
		}
		n++
		return next.RoundTrip(request)
	})
	return &copied
}

// interleave starts a, lets b run as far as its cut when a comes to its own, then a to its end, then b. A cut that an execution does
// not come to is its end.
func interleave(a, b *world, atA, atB int) (endedA, endedB ended) {
	stopped, goOn, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() {
		go func() {
			defer close(done)
			endedB = b.cutting(cut{atB, func() { close(stopped); <-goOn }}).apply(nil)
		}()
		select {
		case <-stopped:
		case <-done:
		}
	})
	endedA = a.cutting(cut{atA, begin}).apply(nil)
	close(goOn)
	begin()
	<-done
	return endedA, endedB
}

// copies counts the texts of our App that hold a key.
func (w *world) copies(key string) int {
	n := 0
	left := w.left()
	for _, text := range append(left.reviews, left.comments...) {
		if strings.Contains(text, "key="+key) {
			n++
		}
	}
	return n
}

// lastChecks are the conclusions that a reader may take for that of the commit: of the check that was made last, and of the one
// that was written last. GitHub goes by the time at which a check was completed.
func (w *world) lastChecks() (made, written string) {
	state := w.State(w.t)
	for _, check := range state.CheckRuns {
		if check.HeadCommit == w.decision.Commit {
			made = check.Conclusion // they are in the order of their ids
		}
	}
	for _, call := range state.Calls {
		if call.Method != http.MethodGet && strings.Contains(call.Path, "/check-runs") && call.Status/100 == 2 {
			var request struct {
				Conclusion string `json:"conclusion"`
			}
			w.must(json.Unmarshal([]byte(call.Request), &request))
			written = request.Conclusion
		}
	}
	return made, written
}

// holdsClaims holds that what an execution claims is on the item, with the author and text it names, and that its tokens are dead.
// It asks nothing about who wrote it: of two executions of one Run either may find what the other did.
func (w *world) holdsClaims(e ended) {
	w.t.Helper()
	state := w.State(w.t)
	pull := state.Pull(emulatortest.Number)
	bodies := map[int64]string{}
	for _, review := range pull.Reviews {
		bodies[review.ID] = contract.Digest([]byte(review.Body))
	}
	for _, thread := range pull.Threads {
		for _, comment := range thread.Comments {
			bodies[comment.ID] = contract.Digest([]byte(comment.Body))
		}
	}
	for _, effect := range e.applied.Effects {
		if effect.State != contract.StateApplied && effect.State != contract.StateAlreadyApplied {
			continue
		}
		switch back := effect.ReadBack; {
		case back == nil:
			w.t.Errorf("%s is claimed and was not read back", effect.ID)
		case back.Review != nil && bodies[*effect.DatabaseID] != back.Review.BodySHA256, back.Reply != nil && bodies[*effect.DatabaseID] != back.Reply.BodySHA256:
			w.t.Errorf("%s is claimed with another text than it has", effect.ID)
		case back.Resolve != nil && !slices.ContainsFunc(pull.Threads, func(t *emulator.Thread) bool { return t.Resolved }):
			w.t.Errorf("%s is claimed and no thread is resolved", effect.ID)
		}
	}
	if check := e.outcome.Check; check != nil && !slices.ContainsFunc(state.CheckRuns, func(c *emulator.CheckRun) bool { return c.ID == check.DatabaseID && c.HeadCommit == check.Commit }) {
		w.t.Errorf("the check %+v is claimed and is not there", check)
	}
	for _, token := range e.applied.Tokens {
		if !token.Revoked {
			w.t.Errorf("token %+v", token)
		}
	}
}

// isEffect reports whether a call writes an Effect that can stand twice.
func isEffect(call emulator.Call) bool {
	operation := call.Method + " " + call.Operation
	return operation == postReview || operation == postReply
}

// TestTwoAppliesOfOneRun interleaves two executions of one Run's apply at every call, without the workflow's concurrency: one runs to
// a call, the other whole, then the first goes on. Nothing is written twice but the one write that was on its way between the look
// and GitHub; both records are true, the check says what it would have said, the duplicate is told, and applying again writes
// nothing more.
func TestTwoAppliesOfOneRun(t *testing.T) {
	start := newWorld(t, resolves(t)).reviewed().pushed()
	start.admit()
	start.answer(start.asking([]string{contract.SubmitReview, contract.ReplyThread, contract.ResolveThread}))
	m := start.moment()
	undisturbed := m.start(t)
	calm := undisturbed.apply(nil)
	duplicates := 0
	readBack := 1 + slices.IndexFunc(calm.calls, func(c emulator.Call) bool { return c.Method+" "+c.Operation == postCheck })
	for at, call := range calm.calls {
		t.Run(fmt.Sprintf("%02d %s %s", at, call.Method, call.Operation), func(t *testing.T) {
			w := m.start(t)
			a, b := interleave(w, w, at, -1)
			w.holdsClaims(a)
			w.holdsClaims(b)
			more := 0
			for _, effect := range calm.applied.Effects {
				if effect.Type != contract.ResolveThread {
					more += w.copies(effect.Key) - 1
				}
			}
			want := map[bool]int{true: 1}[isEffect(call)]
			duplicates += more
			// Both write one check, with other words of what each did, and the first then reads the second's.
			foreign := at == readBack && a.code == 1 && a.outcome.Reasons[0] == contract.CodeReadbackMismatch && a.outcome.Check == nil
			if more != want || (a.code == 0) == (at == readBack) || a.code != 0 && !foreign || b.code != 0 || w.alive() != 0 {
				t.Errorf("%d duplicates, want %d; codes %d for %v and %d, %d tokens alive\n%s\n%s", more, want, a.code, a.outcome.Reasons, b.code, w.alive(), a.log, b.log)
			}
			made, written := w.lastChecks()
			if made != calm.conclusion() || written != made || !slices.Equal(a.outcome.GatingOpen, calm.outcome.GatingOpen) {
				t.Errorf("the checks say %s and %s, want %s; open %v, want %v", made, written, calm.conclusion(), a.outcome.GatingOpen, calm.outcome.GatingOpen)
			}
			before := w.left()
			again := w.apply(nil)
			if after := w.left(); again.code != 0 || !slices.Equal(after.reviews, before.reviews) || !slices.Equal(after.comments, before.comments) {
				t.Errorf("applying again wrote more: %v\n%s", again.writes(), again.log)
			}
			for name, e := range map[string]ended{"the first": a, "once more": again} {
				if told := slices.Contains(e.outcome.Reasons, contract.CodeDuplicateSeen); told != (want == 1) {
					t.Errorf("%s told of a duplicate: %v for %v", name, told, e.outcome.Reasons)
				}
			}
		})
	}
	if duplicates != 3 {
		t.Errorf("%d calls left a duplicate, want 3: a review and two replies", duplicates)
	}
}

// pair is two Runs of one item, both admitted: one found nothing, the other something critical.
type pair struct {
	moment
	other world
}

func twoRuns(t *testing.T) pair {
	w := newWorld(t, nil)
	w.admit()
	w.answer(review())
	other := *w
	other.run++
	_, err := w.SetWorkflowRun(emulator.Run{ID: other.run, WorkflowID: emulatortest.WorkflowID, Title: "airlock pr-review #12", Status: "in_progress", ActorID: emulatortest.MaintainerID})
	w.must(err)
	other.action = "ready_for_review" // such an event waits for no other Run
	other.admit()
	other.answer(review(onLine("f1", "security", "critical", 10)))
	if other.decision.Run == w.decision.Run || other.decision.ContentID != w.decision.ContentID {
		t.Fatal("they are not two Runs of one content")
	}
	return pair{w.moment(), other}
}

// start gives the two in an equal world each time.
func (p pair) start(t *testing.T) (clean, critical *world) {
	clean = p.moment.start(t)
	copied := *clean
	copied.run, copied.bundle, copied.result, copied.decision, copied.task = p.other.run, p.other.bundle, p.other.result, p.other.decision, p.other.task
	return clean, &copied
}

// holdsTwoRuns holds what is promised of two Runs of one content whatever comes between their calls: a Run's review stands once or not
// at all, one Run at least has its review there, a Run without one says that it was overtaken, and whichever check a reader
// takes for the newest is not green while a Finding that gates is open.
func holdsTwoRuns(t *testing.T, w *world, runs map[*world]ended) (reviews int) {
	t.Helper()
	open := false
	for run, e := range runs {
		w.holdsClaims(e)
		copies := 0
		for _, text := range w.left().reviews {
			if strings.Contains(text, "run="+run.decision.Run) {
				copies++
			}
		}
		reviews += copies
		wrote := e.outcome.Status == contract.StatusCompleted
		overtaken := e.outcome.Status == contract.StatusSuperseded && e.outcome.Reasons[0] == contract.CodeSupersededReviewed && e.outcome.Check == nil
		if copies > 1 || wrote != (copies == 1) || !wrote && !overtaken {
			t.Errorf("%d reviews of a Run that ended as %s for %v\n%s", copies, e.outcome.Status, e.outcome.Reasons, e.log)
		}
		open = open || copies == 1 && len(e.applied.Findings) > 0
	}
	made, written := w.lastChecks()
	want := map[bool]string{false: contract.ConclusionSuccess, true: contract.ConclusionFailure}[open]
	if reviews == 0 || made != want || written != want || w.alive() != 0 {
		t.Errorf("%d reviews; the check that was made last says %s, that written last %s, want %s; %d tokens alive", reviews, made, written, want, w.alive())
	}
	return reviews
}

// TestTwoRunsOfOneItem interleaves the applies of two Runs of one content at every pair of calls from the mint on, without the
// workflow's concurrency: the first runs to a call, the second to one of its own, then the first to its end and the second to its.
func TestTwoRunsOfOneItem(t *testing.T) {
	p := twoRuns(t)
	calls := map[string][]emulator.Call{}
	for _, name := range []string{"clean", "critical"} {
		clean, critical := p.start(t)
		w := map[string]*world{"clean": clean, "critical": critical}[name]
		e := w.apply(nil)
		if e.outcome.Status != contract.StatusCompleted {
			t.Fatalf("%s alone: %v\n%s", name, e.outcome.Reasons, e.log)
		}
		calls[name] = e.calls
	}
	mint := slices.IndexFunc(calls["clean"], func(c emulator.Call) bool { return strings.HasSuffix(c.Operation, "/access_tokens") })
	cells, doubled := 0, 0
	for _, first := range []string{"clean", "critical"} {
		t.Run(first+" first", func(t *testing.T) {
			for at := mint; at < len(calls[first]); at++ {
				for until := mint; until <= len(calls[first]); until++ {
					clean, critical := p.start(t)
					a, b := clean, critical
					if first == "critical" {
						a, b = critical, clean
					}
					endedA, endedB := interleave(a, b, at, until)
					if holdsTwoRuns(t, clean, map[*world]ended{a: endedA, b: endedB}) == 2 {
						doubled++
					}
					cells++
					if t.Failed() {
						t.Fatalf("%s at call %d, the other until call %d\n%s\n%s", first, at, until, endedA.log, endedB.log)
					}
				}
			}
		})
	}
	t.Logf("%d cells, in %d of them both reviews stand", cells, doubled)
	if doubled == 0 {
		t.Error("no cell has both reviews: the test does not reach the window")
	}
}

// applyGroup is the group of the workflow's apply job for an item, and whether a later job of the group cancels an earlier one.
func applyGroup(t *testing.T, w *world) (group string, cancels bool) {
	t.Helper()
	data, err := os.ReadFile("../../.github/workflows/review.yml")
	w.must(err)
	var file struct {
		Concurrency any `yaml:"concurrency"`
		Jobs        map[string]struct {
			Concurrency struct {
				Group   string `yaml:"group"`
				Cancels bool   `yaml:"cancel-in-progress"`
				Queue   string `yaml:"queue"`
			} `yaml:"concurrency"`
		} `yaml:"jobs"`
	}
	w.must(yaml.Unmarshal(data, &file))
	rule := file.Jobs["apply"].Concurrency
	if file.Concurrency != nil || rule.Queue != "max" {
		t.Errorf("the workflow as a whole has concurrency, or apply keeps no queue: %+v", rule)
	}
	group = strings.NewReplacer("${{ github.repository_id }}", decimal(w.decision.Repository.ID), "${{ needs.decide.outputs.item }}", decimal(int64(w.decision.Item.Number))).Replace(rule.Group)
	if strings.Contains(group, "${{") {
		t.Errorf("the group %s depends on something else than the repository and the item", group)
	}
	return group, rule.Cancels
}

// together runs executions at once; those of one group wait for each other, as GitHub lets them.
func together(serialised bool, t *testing.T, worlds ...*world) []ended {
	groups := map[string]*sync.Mutex{}
	for _, w := range worlds {
		if group, cancels := applyGroup(t, w); groups[group] == nil {
			groups[group] = &sync.Mutex{}
		} else if cancels {
			t.Error("an apply in progress is cancelled")
		}
	}
	list := make([]ended, len(worlds))
	var all sync.WaitGroup
	for i, w := range worlds {
		group, _ := applyGroup(t, w)
		all.Go(func() {
			if serialised {
				groups[group].Lock()
				defer groups[group].Unlock()
			}
			list[i] = w.apply(nil)
		})
	}
	all.Wait()
	return list
}

// TestTogether runs two applies really at once: with the workflow's concurrency everything is written exactly once, without it no
// Effect more often than there are executions.
func TestTogether(t *testing.T) {
	p := twoRuns(t)
	for _, serialised := range []bool{true, false} {
		most := map[bool]int{true: 1, false: 2}[serialised]
		for range 4 {
			t.Run(fmt.Sprintf("one Run, serialised %v", serialised), func(t *testing.T) {
				_, w := p.start(t)
				again := *w
				list := together(serialised, t, w, &again)
				ended := func(e ended) bool {
					// Beside another execution the check may be read back in the other's words, which docs/security.md says.
					return e.code == 0 || !serialised && slices.Contains(e.outcome.Reasons, contract.CodeReadbackMismatch)
				}
				if n := len(w.left().reviews); n < 1 || n > most || !ended(list[0]) || !ended(list[1]) || w.alive() != 0 {
					t.Errorf("%d reviews, at most %d wanted; codes %d and %d\n%s\n%s", n, most, list[0].code, list[1].code, list[0].log, list[1].log)
				}
				w.holdsClaims(list[0])
				w.holdsClaims(list[1])
				if made, written := w.lastChecks(); made != contract.ConclusionFailure || written != made || serialised && len(w.checks(w.decision.Commit)) != 1 {
					t.Errorf("the checks are %v", w.checks(w.decision.Commit))
				}
			})
			t.Run(fmt.Sprintf("two Runs, serialised %v", serialised), func(t *testing.T) {
				clean, critical := p.start(t)
				list := together(serialised, t, clean, critical)
				if n := holdsTwoRuns(t, clean, map[*world]ended{clean: list[0], critical: list[1]}); n > most {
					t.Errorf("%d reviews, at most %d wanted", n, most)
				}
			})
		}
	}
}
