package apply

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// killed starts a world of the moment whose apply dies at an exchange.
func (m moment) killed(t testing.TB, at int, done bool) *world {
	w := m.start(t)
	end := w.cancelling()
	w.line.at, w.line.happens = at, func(deliver func() (*http.Response, error)) (*http.Response, error) {
		if done {
			_, _ = deliver() // nobody is left to hear it
		}
		w.line.dead = true
		end()
		return nil, errDead
	}
	w.execute(1)
	w.context = t.Context()
	return w
}

// again starts all jobs of the workflow run once more: its next attempt, with a Decision on what stands now.
func (w *world) again() {
	w.t.Helper()
	w.attempt = max(w.attempt, 1) + 1
	_, err := w.SetWorkflowRun(emulator.Run{ID: w.run, Status: "in_progress", Attempt: int64(w.attempt)})
	w.must(err)
	w.decide()
}

// holdsRun reports whether a text of our App carries the Run.
func (w *world) holdsRun(run string) bool {
	return strings.Contains(w.standing(), "run="+run+" ")
}

// eachDeath plays apply's death before and after each exchange.
func (m moment) eachDeath(t *testing.T, play func(t *testing.T, w *world)) {
	first := m.start(t)
	for _, x := range exchangesOf(first.execute(1)) {
		for _, done := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s done %v", x, done), func(t *testing.T) {
				t.Parallel()
				play(t, m.killed(t, x.at, done))
			})
		}
	}
}

// TestAllJobsAgain runs all jobs once more after apply died before or after each of its exchanges. Where the review stands, the
// new Decision carries it and the check says what is open; where it does not, a new Run reviews and completes. The content is
// never reviewed twice.
func TestAllJobsAgain(t *testing.T) {
	m := beforeSecondApply(t)
	undisturbed := m.start(t)
	undisturbed.execute(1)
	target := anyRun(undisturbed.standing(), m.decision.Run)
	m.eachDeath(t, func(t *testing.T, w *world) {
		reviewed := w.holdsRun(m.decision.Run)
		w.again()
		if w.decision.Run == m.decision.Run || w.decision.Admitted == reviewed {
			t.Fatalf("admitted %v for %v after a review that stands %v", w.decision.Admitted, w.decision.Reasons, reviewed)
		}
		want := row{"completed", "none", "failure", 0}
		if reviewed {
			want = row{"not_admitted", "none", "failure", 0}
			if w.decision.Carries == nil || *w.decision.Carries != m.decision.Run || w.decision.Reasons[0] != contract.CodeAlreadyRan {
				t.Errorf("%+v carries another Run", w.decision)
			}
		} else {
			w.answer(w.everyEffect())
		}
		before := w.standing()
		e := w.execute(w.attempt)
		w.holdsTrue(e)
		got := row{e.outcome.Status, e.outcome.Fault, e.conclusion(), e.code}
		checks := w.checks(w.decision.Commit)
		if got != want || checks[len(checks)-1] != want.conclusion {
			t.Errorf("ended as %+v for %v with the checks %v, want %+v\n%s", got, e.outcome.Reasons, checks, want, e.log)
		}
		if reviewed {
			if got := withoutChecks(w.standing()); got != withoutChecks(before) {
				t.Errorf("a Run that is carried wrote:\n%s", cmp.Diff(withoutChecks(before), got))
			}
			return
		}
		if got := anyRun(w.standing(), w.decision.Run); got != target {
			t.Errorf("the new Run left:\n%s", cmp.Diff(target, got))
		}
	})
}

var keys = regexp.MustCompile(`key=[0-9a-f]{32}`)

// anyRun leaves out of what stands which Run wrote it.
func anyRun(standing, run string) string {
	return keys.ReplaceAllString(strings.ReplaceAll(standing, run, "run-of-this"), "key=K")
}

func withoutChecks(standing string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(standing, "\n"), func(line string) bool { return strings.HasPrefix(line, "check ") }), "\n")
}

// TestRunAgainAlone runs `run` alone once more after apply died before or after each of its exchanges: the same Decision has
// another Result then. Where anything of the first one stands it is refused, else it is the one that is written.
func TestRunAgainAlone(t *testing.T) {
	m := beforeSecondApply(t)
	m.eachDeath(t, func(t *testing.T, w *world) {
		stands, before := w.holdsRun(m.decision.Run), w.standing()
		a := w.everyEffect()
		a.Effects[0].SubmitReview.Body = untrusted.New("Another answer.")
		w.answer(a)
		e := w.execute(2)
		w.holdsTrue(e)
		want := row{"completed", "none", "failure", 0}
		if stands {
			want = refusedRow
		}
		if got := (row{e.outcome.Status, e.outcome.Fault, e.conclusion(), e.code}); got != want || stands != slices.Contains(e.outcome.Reasons, contract.CodeResultReplaced) {
			t.Errorf("ended as %+v for %v, want %+v\n%s", got, e.outcome.Reasons, want, e.log)
		}
		if got := withoutChecks(w.standing()); stands && got != withoutChecks(before) {
			t.Errorf("a Result that was refused wrote:\n%s", cmp.Diff(withoutChecks(before), got))
		}
		if !stands && !strings.Contains(w.standing(), "Another answer.") {
			t.Errorf("the Result was not written\n%s", e.log)
		}
	})
}

// TestApplyAgainAfterEveryEnd runs apply alone as attempt 2 after each end of attempt 1: it ends alike, one check stands, and
// nothing is written a second time. Where a fault brought the end about, it comes further.
func TestApplyAgainAfterEveryEnd(t *testing.T) {
	cases := map[string]endCase{"completed": {do: func(w *world) { w.answer(three()) }}, "nothing found": {do: func(w *world) { w.answer(review()) }},
		"every answer": {second: true, do: func(w *world) { w.answer(w.answers()) }}, "no Result": {do: func(*world) {}}}
	for name, given := range map[string]struct{ status, reason string }{"incomplete": {contract.StatusIncomplete, "context_missing"},
		"the model refused": {contract.StatusRefused, "declined_unsafe"}, "the CLI failed": {contract.StatusFailed, "engine_timeout"}} {
		cases[name] = endCase{do: func(w *world) {
			a := review()
			if a.Status, a.Reason = given.status, &given.reason; given.status == contract.StatusFailed {
				a.Effects = []contract.Effect{}
			}
			w.answer(a)
		}}
	}
	for _, codes := range []map[contract.Code]endCase{refusalCases(), supersededCases()} {
		for code, c := range codes {
			cases[string(code)] = c
		}
	}
	for code, list := range resultCases() {
		for _, c := range list {
			cases[string(code)+", "+c.name] = endCase{do: c.do}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.unreachable != "" {
				t.Logf("no Result can cause it: %s", c.unreachable)
				return
			}
			w := c.start(t)
			c.do(w)
			first := w.apply(nil)
			w.holdsTrue(first)
			before := w.standing()
			w.attempt = 2
			second := w.apply(nil)
			w.holdsTrue(second)
			if slices.ContainsFunc(slices.Concat(first.calls, second.calls), func(call emulator.Call) bool { return call.Fault != "" }) {
				// A fault that is over lets it complete; what expired stays so, the bundle too.
				expired := second.code == exitMessage && strings.Contains(second.log, string(contract.CodeArtifactExpired))
				if second.outcome.Status != contract.StatusCompleted && !expired {
					t.Errorf("after a fault it ended with %d %v\n%s", second.code, second.outcome.Reasons, second.log)
				}
				return
			}
			if second.code != first.code || second.outcome.Status != first.outcome.Status || !slices.Equal(second.outcome.Reasons, first.outcome.Reasons) ||
				second.conclusion() != first.conclusion() || w.standing() != before {
				t.Errorf("it ended with %d %s %v, then with %d %s %v:\n%s", first.code, first.outcome.Status, first.outcome.Reasons,
					second.code, second.outcome.Status, second.outcome.Reasons, cmp.Diff(before, w.standing()))
			}
			if writes := second.writes(); len(writes) > 1 || len(writes) == 1 && writes[0] != patchCheck {
				t.Errorf("attempt 2 wrote by %v\n%s", writes, second.log)
			}
		})
	}
}

// TestExpired lets the artifacts expire between two attempts, before and after the Effects were written.
func TestExpired(t *testing.T) {
	const metadata = "GET /repos/*/*/actions/artifacts/*"
	m := beforeSecondApply(t)
	for name, c := range map[string]struct {
		written bool
		nth     int // which artifact is the first to be found expired
		row     row
	}{
		"the bundle, nothing written":          {false, 1, row{"", "", "", exitMessage}},
		"the bundle, everything written":       {true, 1, row{"", "", "", exitMessage}},
		"the Result alone, nothing written":    {false, 2, noResultRow},
		"the Result alone, everything written": {true, 2, noResultRow},
	} {
		t.Run(name, func(t *testing.T) {
			w := m.start(t)
			if c.written {
				w.execute(1)
			}
			before := w.standing()
			w.must(w.Inject(emulator.Fault{Kind: "artifact-expired", Match: metadata, Nth: c.nth}))
			e := w.execute(2)
			w.holdsTrue(e)
			if got := (row{e.outcome.Status, e.outcome.Fault, e.conclusion(), e.code}); got != c.row || !strings.Contains(e.log, string(contract.CodeArtifactExpired)) {
				t.Errorf("ended as %+v for %v, want %+v\n%s", got, e.outcome.Reasons, c.row, e.log)
			}
			after := w.standing()
			if c.row.exit == exitMessage && after != before || withoutChecks(after) != withoutChecks(before) {
				t.Errorf("it wrote:\n%s", cmp.Diff(before, after))
			}
			w.attempt = 2
			w.again()
			if w.decision.Admitted {
				w.answer(w.everyEffect())
			}
			again := w.execute(3)
			w.holdsTrue(again)
			checks := w.checks(w.decision.Commit)
			if w.decision.Admitted == c.written || again.code != 0 || checks[len(checks)-1] != "failure" || reviewsOf(w) != 1 {
				t.Errorf("all jobs again: admitted %v, %d %v with the checks %v\n%s", w.decision.Admitted, again.code, again.outcome.Reasons, checks, again.log)
			}
		})
	}
}

// reviewsOf counts the reviews of the item's content that the moment's second Run is about.
func reviewsOf(w *world) int {
	count := 0
	state := w.State(w.t)
	for _, r := range state.Pull(emulatortest.Number).Reviews {
		if strings.Contains(r.Body, "content="+strings.TrimPrefix(w.decision.ContentID, "sha256:")+" ") {
			count++
		}
	}
	return count
}
