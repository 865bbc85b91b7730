package apply

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// processFault is what happens to the process itself, or to its patience, at one exchange.
type processFault struct {
	name, doc string
	// lost says that the process leaves nothing: neither records nor a revocation.
	lost    bool
	happens func(l *line, end context.CancelFunc, deliver func() (*http.Response, error)) (*http.Response, error)
}

func processFaults() []processFault {
	type deliver = func() (*http.Response, error)
	return []processFault{
		{"process-killed-before", "The process dies before the call is sent.", true, func(l *line, end context.CancelFunc, _ deliver) (*http.Response, error) {
			l.dead = true
			end()
			return nil, errDead
		}},
		{"process-killed-after", "GitHub does it, and the process dies before it hears so.", true, func(l *line, end context.CancelFunc, send deliver) (*http.Response, error) {
			_, _ = send() // nobody is left to hear it
			l.dead = true
			end()
			return nil, errDead
		}},
		{"deadline-done", "The answer does not come before the deadline of the exchange; GitHub did it.", false, func(_ *line, _ context.CancelFunc, send deliver) (*http.Response, error) {
			_, _ = send() // it comes too late
			return nil, os.ErrDeadlineExceeded
		}},
		{"deadline-not-done", "The answer does not come before the deadline of the exchange, and GitHub did nothing.", false, func(*line, context.CancelFunc, deliver) (*http.Response, error) {
			return nil, os.ErrDeadlineExceeded
		}},
		{"cancelled-done", "The job is cancelled while the call waits for its answer; GitHub did it.", false, func(_ *line, end context.CancelFunc, send deliver) (*http.Response, error) {
			_, _ = send() // it comes too late
			end()
			return nil, context.Canceled
		}},
		{"cancelled-not-done", "The job is cancelled while the call waits, and GitHub did nothing.", false, func(_ *line, end context.CancelFunc, _ deliver) (*http.Response, error) {
			end()
			return nil, context.Canceled
		}},
	}
}

// exclusion is a rule by which a kind of fault is not played at an exchange.
type exclusion struct {
	name, why string
	holds     func(kind string, x exchange, before []exchange) bool
}

// exclusions are all reasons for which a kind is left out of an exchange. The first that holds is counted.
func exclusions() []exclusion {
	atStorage := []string{"killed-before", "killed-after", "late", "error-500-done", "error-500-not-done", "bad-gateway-done", "bad-gateway-not-done", "html-200", "empty-200",
		"missing-404", "moved-301", "moved-307", "artifact-changed", "artifact-short"}
	return []exclusion{
		{"event", "what people do between two calls is no fault: TestEvents plays it at every gap",
			func(kind string, _ exchange, _ []exchange) bool {
				return strings.HasPrefix(kind, "event-") || kind == "longer-abbreviation"
			}},
		{"waits for the test", "a call that waits at a gate is played as deadline-* and cancelled-*, without waiting",
			func(kind string, _ exchange, _ []exchange) bool { return kind == "slow" }},
		{"about another call", "the kind is about certain calls, as the emulator says of it",
			func(kind string, x exchange, _ []exchange) bool {
				return emulator.Only(kind) != "" && !x.matches(emulator.Only(kind))
			}},
		{"no answer of a storage", "the storage is not GitHub's API: it has neither its limits nor its words, and knows no token",
			func(kind string, x exchange, _ []exchange) bool {
				return x.storage() && !isProcess(kind) && !slices.Contains(atStorage, kind)
			}},
		{"a write is not behind", "only a read can be answered from the past",
			func(kind string, x exchange, _ []exchange) bool { return kind == "stale" && !x.reads() }},
		{"nothing was written yet", "before the first write the past is the present",
			func(kind string, _ exchange, before []exchange) bool {
				return kind == "stale" && !slices.ContainsFunc(before, exchange.writes)
			}},
	}
}

func isProcess(kind string) bool {
	return slices.ContainsFunc(processFaults(), func(f processFault) bool { return f.name == kind })
}

// heals reports whether one execution gets over the fault by itself, from the first look after the mint on: whatever GitHub did,
// or says it did not do because of a limit or because the minted token lags, and whatever a read-back shows too late. One that
// comes again and again is another matter.
func (c cell) heals() bool {
	if c.times > 1 || c.left > 15 || strings.HasSuffix(c.Operation, "/access_tokens") {
		return false
	}
	switch c.kind {
	case "killed-after", "late", "html-200", "empty-200", "truncated-json", "stale":
		return true
	case "missing-404", "graphql-not-found":
		return c.readsBack
	case "lag-401", "lag-403":
		return c.Token == "installation"
	case "limit-429", "limit-429-retry-after", "limit-403-secondary", "limit-403-message", "limit-403-primary", "limit-422-abuse", "graphql-limited":
		return true
	}
	return c.kind != "cancelled-done" && strings.HasSuffix(c.kind, "-done") && !strings.HasSuffix(c.kind, "-not-done")
}

var parts = regexp.MustCompile(`\{[a-z_]+\}`)

// matches reports whether it is one of the calls that a kind is about.
func (x exchange) matches(only string) bool {
	method, pattern, _ := strings.Cut(only, " ")
	pattern = parts.ReplaceAllString(pattern, "*")
	at, _, _ := strings.Cut(x.Path, "?")
	fits, err := path.Match(pattern, at)
	return method == x.Method && err == nil && fits
}

// writes reports whether it changes what stands on the item.
func (x exchange) writes() bool {
	return !x.reads() && x.Operation != "/installation/token" && !strings.HasSuffix(x.Operation, "/access_tokens")
}

// cell is one fault at one exchange of an undisturbed execution.
type cell struct {
	kind string
	exchange
	times int
}

// repeated are kinds that are also played so often in a row that the program's patience ends. A token that did all the work is
// not new when it is revoked, so that one which is then unknown again and again is dead, and taken for it.
func repeated(kind string, x exchange) bool {
	switch kind {
	case "lag-401":
		return x.left > 2*outlasting
	case "lag-403", "limit-429", "limit-403-message", "error-500-not-done", "bad-gateway-not-done", "missing-404", "stale", "graphql-not-found", "graphql-failed-not-done":
		return true
	}
	return false
}

// outlasting is longer than any patience of the program with one call.
const outlasting = 5

// matrix lists the cells of every kind, and how many each exclusion left out.
func matrix(exchanges []exchange) (cells map[string][]cell, excluded map[string]int, repeats int) {
	cells, excluded = map[string][]cell{}, map[string]int{}
	for _, kind := range allKinds() {
		for i, x := range exchanges {
			rules := exclusions()
			at := slices.IndexFunc(rules, func(e exclusion) bool { return e.holds(kind, x, exchanges[:i]) })
			if at >= 0 {
				excluded[rules[at].name]++
				continue
			}
			cells[kind] = append(cells[kind], cell{kind, x, 1})
			if repeated(kind, x) {
				repeats++
				cells[kind] = append(cells[kind], cell{kind, x, outlasting})
			}
		}
	}
	return cells, excluded, repeats
}

func allKinds() []string {
	var names []string
	for _, f := range processFaults() {
		names = append(names, f.name)
	}
	for _, kind := range emulator.Kinds() {
		names = append(names, kind.Name)
	}
	return names
}

// TestCrashMatrix lets every kind of fault happen at every exchange of apply with GitHub, for a Result with every Effect type.
// After apply is run again, within a bound, all that stands on GitHub is what an undisturbed execution leaves; no record ever
// claims what is not there; from the mint on no execution makes more calls than two an Effect and ten.
func TestCrashMatrix(t *testing.T) {
	m := beforeSecondApply(t)
	undisturbed := m.start(t)
	e := undisturbed.execute(1)
	undisturbed.holdsTrue(e)
	target := undisturbed.standing()
	if want := []string{postReview, postReply, postReply, postGraphQL, postCheck}; e.code != 0 || !slices.Equal(e.writes(), want) || undisturbed.alive() != 0 {
		t.Fatalf("undisturbed: %d by %v\n%s", e.code, e.writes(), e.log)
	}
	if again := undisturbed.execute(2); again.code != 0 || undisturbed.standing() != target {
		t.Fatalf("again: %s", cmp.Diff(target, undisturbed.standing()))
	}
	exchanges := exchangesOf(e)
	cells, excluded, repeats := matrix(exchanges)
	var played, most, executions atomic.Int64
	t.Run("cells", func(t *testing.T) {
		for _, kind := range allKinds() {
			t.Run(kind, func(t *testing.T) {
				t.Parallel()
				for _, c := range cells[kind] {
					t.Run(fmt.Sprintf("%s x%d", c.exchange, c.times), func(t *testing.T) {
						calls, ran := m.survives(t, c, target)
						most.Store(max(most.Load(), int64(calls)))
						executions.Add(int64(ran))
						played.Add(1)
					})
				}
			})
		}
	})
	left := 0
	for _, n := range excluded {
		left += n
	}
	product := len(allKinds()) * len(exchanges)
	t.Logf("%d cells = %d kinds x %d exchanges = %d, less %d excluded, and %d once more %d times in a row; %d executions, at most %d calls from the mint on",
		played.Load(), len(allKinds()), len(exchanges), product, left, repeats, outlasting, executions.Load(), most.Load())
	for _, rule := range exclusions() {
		t.Logf("excluded: %d, %s: %s", excluded[rule.name], rule.name, rule.why)
	}
	if want := int64(product - left + repeats); played.Load() != want || want < 1300 {
		t.Errorf("%d cells were played, %d are to be, and at least 1300", played.Load(), want)
	}
}

// survives applies with a fault, and again until it comes out, and returns the most calls of one execution from the mint on
// and how many executions it took.
func (m moment) survives(t *testing.T, c cell, target string) (most, executions int) {
	w := m.start(t)
	lost := w.happens(c)
	var ends []string
	excused := 0
	for attempt := 1; attempt <= c.times+1; attempt++ {
		e := w.execute(attempt)
		w.holdsTrue(e)
		most = max(most, w.holdsCalls(e, c))
		ends = append(ends, fmt.Sprintf("%d %s %v", e.code, e.outcome.Status, e.outcome.Reasons))
		excused += e.excused(c, lost && attempt == 1)
		if alive := w.alive(); alive > excused {
			t.Errorf("%d tokens outlive attempt %d, %d may\n%s", alive, attempt, excused, e.log)
		}
		w.context = t.Context()
		executions++
		if attempt == 1 && c.heals() && (e.code != 0 || e.outcome.Status != contract.StatusCompleted) {
			t.Errorf("one execution does not get over it: %d %s %v\n%s", e.code, e.outcome.Status, e.outcome.Reasons, e.log)
		}
		if !(lost && attempt == 1) && e.outcome.Status == contract.StatusCompleted && e.code == 0 {
			break
		}
		if repaired, permanent := repairs()[c.kind]; permanent && attempt == 1 {
			if w = repaired(w, e); w == nil {
				return most, executions
			}
		}
	}
	if got := w.standing(); got != target {
		t.Errorf("after %d executions that ended as %q:\n%s", executions, ends, cmp.Diff(target, got))
	}
	return most, executions
}

// happens prepares the fault, and reports whether the process will be lost.
func (w *world) happens(c cell) (lost bool) {
	w.t.Helper()
	for _, f := range processFaults() {
		if f.name == c.kind {
			end := w.cancelling()
			w.line.at = c.at
			w.line.happens = func(deliver func() (*http.Response, error)) (*http.Response, error) {
				return f.happens(w.line, end, deliver)
			}
			return f.lost
		}
	}
	w.must(w.Inject(c.fault(c.kind, c.times)))
	return false
}

// patience is how many calls an execution may make beside the bound where a fault met it: four tries of one write with a look
// before each, or four further looks for one whose fate is not known, and as many for the check.
const patience = 8

// holdsCalls holds the bound of calls from the mint on, and returns how many there were.
func (w *world) holdsCalls(e ended, c cell) int {
	w.t.Helper()
	mint := slices.IndexFunc(e.calls, func(call emulator.Call) bool { return strings.HasSuffix(call.Operation, "/access_tokens") })
	if mint < 0 {
		return 0
	}
	after := len(e.calls) - mint
	bound := 2*len(e.applied.Effects) + 10
	if slices.ContainsFunc(e.calls, func(call emulator.Call) bool { return call.Fault != "" }) || isProcess(c.kind) && e.attempt == 1 {
		bound += patience
	}
	if after > bound {
		w.t.Errorf("attempt %d made %d calls from the mint on, more than %d\n%s", e.attempt, after, bound, e.log)
	}
	return after
}

// excused counts the tokens that may outlive an execution: those of a mint whose answer it did not hear, and all where every try
// to revoke met a fault. Nobody is left to revoke those of a process that was lost.
func (e ended) excused(c cell, lost bool) int {
	if lost {
		return 2
	}
	unheard, unrevoked := 0, 0
	for i, call := range e.calls {
		met := call.Fault != "" || isProcess(c.kind) && e.attempt == 1 && i+1 == c.at
		switch {
		case met && strings.HasSuffix(call.Operation, "/access_tokens"):
			unheard++
		case met && call.Operation == "/installation/token":
			unrevoked++
		}
	}
	if unrevoked >= 3 || c.kind == "suspended" {
		return 2
	}
	return unheard
}

// repairs are kinds that do not go away by themselves: what a person does then, nil where no further execution helps.
func repairs() map[string]func(*world, ended) *world {
	return map[string]func(*world, ended) *world{
		"suspended": func(w *world, e ended) *world {
			if e.code != 1 || e.outcome.Check != nil {
				w.t.Errorf("suspended, it ended with %d for %v", e.code, e.outcome.Reasons)
			}
			m := w.moment()
			for _, app := range m.seed.Apps {
				app.Suspended = false
			}
			return m.start(w.t.(*testing.T))
		},
		"artifact-expired": func(w *world, e ended) *world {
			// The bundle's is exit code 2 with one message, the Result's a Run without a review.
			if e.records && (e.outcome.Status != contract.StatusFailed || e.outcome.Reasons[0] != contract.CodeArtifactExpired || len(e.applied.Effects) > 0) || !e.records && e.code != exitMessage {
				w.t.Errorf("expired, it ended with %d for %v", e.code, e.outcome.Reasons)
			}
			return nil
		},
	}
}
