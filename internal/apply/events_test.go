package apply

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// event is what people do between two calls of apply.
type event struct {
	do func(*world)
	// undo takes it back, after which apply comes out as if nothing had been; nil where nobody can: a change that is moved back
	// has another merge base.
	undo func(*world)
	// seen is the line of the end table that a Run ends by which can still see it, for the reason.
	seen   row
	reason contract.Code
	// beforeReview says that it counts only until the Run's own review stands.
	beforeReview bool
	// goesOn says that the Run completes all the same, and only says so.
	goesOn bool
	// sees reports whether a call shows it, given those before; a look does unless it is set.
	sees func(call emulator.Call, before []emulator.Call) bool
	// refused is why GitHub takes no write after it that was on its way; empty where it does.
	refused contract.Code
}

func events() map[string]event {
	act := func(do func(*world) error) func(*world) { return func(w *world) { w.t.Helper(); w.must(do(w)) } }
	state := func(to string) func(*world) {
		return act(func(w *world) error {
			return w.SetState(emulator.StateAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID, To: to})
		})
	}
	label := func(remove bool) func(*world) {
		return act(func(w *world) error {
			return w.Label(emulator.LabelAct{Number: emulatortest.Number, ActorID: emulatortest.ContributorID, Label: "airlock:hold", Remove: remove})
		})
	}
	say := func(command string) func(*world) {
		return act(func(w *world) error {
			_, err := w.Comment(emulator.TextAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID, Body: command})
			return err
		})
	}
	push := func(force bool) func(*world) {
		return act(func(w *world) error {
			tree := maps.Clone(emulatortest.Head)
			tree["pushed.go"] = emulatortest.Text("package store\n")
			_, err := w.Push(emulator.PushAct{Number: emulatortest.Number, Tree: tree, Force: force})
			return err
		})
	}
	retarget := func(ref string) func(*world) {
		return act(func(w *world) error {
			return w.Retarget(emulator.RetargetAct{Number: emulatortest.Number, ActorID: emulatortest.ContributorID, Ref: ref})
		})
	}
	pause := func(reason any) func(*world) {
		return func(w *world) { w.policy(func(p map[string]any) { p["paused"] = reason }) }
	}
	completed := row{"completed", "none", "failure", 0}
	diff := func(c emulator.Call, before []emulator.Call) bool { // the pull request is read, and then its diff at the same address
		const pull = "/pulls/{pull_number}"
		return strings.HasSuffix(c.Operation, pull) && strings.HasSuffix(before[len(before)-1].Operation, pull)
	}
	return map[string]event{
		"push":               {do: push(false), seen: overRow, reason: contract.CodeSupersededChanged},
		"force-push":         {do: push(true), seen: overRow, reason: contract.CodeSupersededChanged, refused: contract.CodeEffectRejected},
		"retarget":           {do: retarget("release"), seen: overRow, reason: contract.CodeSupersededChanged},
		"close":              {do: state("closed"), undo: state("reopened"), seen: overRow, reason: contract.CodeSupersededClosed},
		"hold label":         {do: label(false), undo: label(true), seen: stoppedRow, reason: contract.CodeSupersededHeld},
		"hold comment":       {do: say("/hold"), undo: say("/unhold"), seen: stoppedRow, reason: contract.CodeSupersededHeld},
		"pause":              {do: pause("rotation"), undo: pause(nil), seen: stoppedRow, reason: contract.CodeSupersededPaused},
		"draft":              {do: state("draft"), undo: state("ready"), seen: stoppedRow, reason: contract.CodeSupersededDraft},
		"lock":               {do: state("locked"), undo: state("unlocked"), seen: notAdmittedRow, reason: contract.CodeNotAdmitted, refused: contract.CodePermissionDenied},
		"review of a Run":    {do: func(w *world) { w.reviewOfAnotherRun() }, seen: overRow, reason: contract.CodeSupersededReviewed, beforeReview: true},
		"longer abbreviated": {do: act(func(w *world) error { return w.Inject(emulator.Fault{Kind: "longer-abbreviation", Call: 1}) }), seen: completed, reason: contract.CodeContentReencoded, goesOn: true, sees: diff},
		"sibling":            {do: act(openSibling), seen: completed, reason: contract.CodeSiblingUnreviewed, goesOn: true},
	}
}

// openSibling opens another pull request of the same head commit.
func openSibling(w *world) error {
	state := w.State(w.t)
	head := state.Pull(emulatortest.Number).Head
	head.Tree = state.Pull(emulatortest.Number).Commits[len(state.Pull(emulatortest.Number).Commits)-1].Tree
	return w.OpenPull(emulator.Pull{Number: 13, AuthorID: emulatortest.ContributorID, Title: "The same", Base: emulator.Base{Ref: "release"}, Head: head})
}

// TestEvents lets people act in every gap between two exchanges of apply, before the first and after the last look too. Where a
// look could still see it, the Run ends by the line of the table that is the event's, and after that look no Effect is written;
// where none could, it ends as an undisturbed one. What is taken back leaves no trace once apply is run again.
func TestEvents(t *testing.T) {
	m := beforeSecondApply(t)
	undisturbed := m.start(t)
	e := undisturbed.execute(1)
	target, exchanges := undisturbed.standing(), exchangesOf(e)
	var played atomic.Int64
	t.Run("cells", func(t *testing.T) {
		for name, event := range events() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for _, x := range exchanges {
					t.Run(x.String(), func(t *testing.T) {
						w := m.start(t)
						w.line.at, w.line.happens = x.at, func(deliver func() (*http.Response, error)) (*http.Response, error) {
							event.do(w)
							return deliver()
						}
						e := w.execute(1)
						w.holdsTrue(e)
						w.holdsEvent(event, e, x)
						if event.undo != nil {
							event.undo(w)
							again := w.execute(2)
							w.holdsTrue(again)
							if got := w.standing(); again.code != 0 || withoutTalk(got) != withoutTalk(target) {
								t.Errorf("taken back, it ended with %d:\n%s\n%s", again.code, cmp.Diff(target, got), again.log)
							}
						}
						played.Add(1)
					})
				}
			})
		}
	})
	t.Logf("%d cells = %d events x %d gaps", played.Load(), len(events()), len(exchanges))
	if want := int64(len(events()) * len(exchanges)); played.Load() != want {
		t.Errorf("%d cells were played, want %d", played.Load(), want)
	}
}

// holdsEvent holds one execution to an event that came just before an exchange.
func (w *world) holdsEvent(event event, e ended, x exchange) {
	w.t.Helper()
	sees := event.sees
	if sees == nil {
		sees = func(c emulator.Call, _ []emulator.Call) bool { return c.Operation == "/graphql" && !isMutation(c) }
	}
	seen, wrote := false, 0
	for i, call := range e.calls {
		writes := exchange{Call: call}.writes()
		check := strings.Contains(call.Operation, "/check-runs")
		if seen && !event.goesOn && writes && (!check || event.seen.conclusion == "") {
			w.t.Errorf("%s %s was sent after a look at exchange %d or later could see it\n%s", call.Method, call.Operation, x.at, e.log)
		}
		if writes && !check && call.Status/100 == 2 {
			wrote++
		}
		if i+1 >= x.at && sees(call, e.calls[:i]) && !(event.beforeReview && wrote > 0) {
			seen = true
		}
	}
	want := row{"completed", "none", "failure", 0}
	if seen {
		want = event.seen
	}
	got := row{e.outcome.Status, e.outcome.Fault, e.conclusion(), e.code}
	if got != want || w.alive() != 0 || slices.Contains(e.outcome.Reasons, event.reason) != seen || seen && !event.goesOn && e.outcome.Reasons[0] != event.reason {
		w.t.Errorf("ended as %+v for %v with %d tokens alive, want %+v, seen %v\n%s", got, e.outcome.Reasons, w.alive(), want, seen, e.log)
	}
	if !seen || event.goesOn || len(e.applied.Effects) == 0 {
		return
	}
	if wrote == len(e.applied.Effects) {
		return // all were written when it came
	}
	for i, effect := range e.applied.Effects {
		state, reason := contract.StateNotAttempted, ""
		switch {
		case i < wrote:
			state = contract.StateApplied
		case i == wrote && effect.State == contract.StateFailed && event.refused != "":
			state, reason = contract.StateFailed, string(event.refused)
		case i == wrote:
			reason = string(event.reason)
		}
		told := ""
		if effect.Reason != nil {
			told = string(*effect.Reason)
		}
		if effect.State != state || told != reason {
			w.t.Errorf("%s is %s for %q after %d writes, want %s for %q\n%s", effect.ID, effect.State, told, wrote, state, reason, e.log)
		}
	}
}

// withoutTalk leaves out the lines of the conversation.
func withoutTalk(standing string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(standing, "\n"), func(line string) bool { return strings.HasPrefix(line, "comment by ") }), "\n")
}

// TestSiblingBetweenCalls opens a pull request of the same head in every gap of a Run that is green: it is no green where a look
// could see that.
func TestSiblingBetweenCalls(t *testing.T) {
	w := newWorld(t, nil)
	w.admit()
	w.answer(review(onLine("f1", "tests", "minor", 0)))
	m := w.moment()
	first := m.start(t)
	undisturbed := first.execute(1)
	if undisturbed.conclusion() != "success" {
		t.Fatalf("undisturbed: %s\n%s", undisturbed.conclusion(), undisturbed.log)
	}
	exchanges := exchangesOf(undisturbed)
	last := 0
	for _, x := range exchanges {
		if x.Operation == "/graphql" && x.reads() {
			last = x.at
		}
	}
	for _, x := range exchanges {
		t.Run(fmt.Sprint(x), func(t *testing.T) {
			t.Parallel()
			w := m.start(t)
			w.line.at, w.line.happens = x.at, func(deliver func() (*http.Response, error)) (*http.Response, error) {
				w.must(openSibling(w))
				return deliver()
			}
			e := w.execute(1)
			w.holdsTrue(e)
			want := "success"
			if x.at <= last {
				want = "action_required"
			}
			if got := w.checks(w.decision.Commit); len(got) != 1 || got[0] != want || slices.Contains(e.outcome.Reasons, contract.CodeSiblingUnreviewed) != (x.at <= last) {
				t.Errorf("the checks are %v for %v, want %s\n%s", got, e.outcome.Reasons, want, e.log)
			}
		})
	}
}
