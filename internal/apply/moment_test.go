package apply

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// moment is an emulated GitHub and what the jobs passed on, from which any number of equal worlds start.
type moment struct {
	seed           emulator.Seed
	run            int64
	bundle, result handedOn
	decision       contract.Decision
	task           contract.Task
}

// moment takes this world as it is, but for its tokens.
func (w *world) moment() moment {
	w.t.Helper()
	state := w.State(w.t)
	seed := emulator.Seed{Now: &state.Now, Repository: state.Repository, Users: state.Users, Apps: state.Apps, Workflows: emulatortest.Seed().Workflows,
		WorkflowRuns: state.WorkflowRuns, PullRequests: state.PullRequests, CheckRuns: state.CheckRuns, Artifacts: state.Artifacts}
	for _, artifact := range seed.Artifacts {
		archive, err := w.ArtifactZip(artifact.ID)
		w.must(err)
		artifact.Zip = archive
	}
	return moment{seed, w.run, w.bundle, w.result, w.decision, w.task}
}

// start makes a world of the moment, which is reached without a connection. Its answers are not held to GitHub's description,
// which those of the world it comes from are.
func (m moment) start(t testing.TB) *world {
	t.Helper()
	instance, direct, err := emulatortest.Unconnected(m.seed, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Instance: instance, t: t, run: m.run, bundle: m.bundle, result: m.result, decision: m.decision, task: m.task,
		seen: &credentials{}, line: &line{next: direct}, sleep: noWait, context: t.Context()}
	w.transport, w.clock = w.seen.watching(w.line), w.Now
	return w
}

// errDead is what is left of a process that was killed: nobody reads it.
var errDead = errors.New("the process is dead")

// line is the way to the emulated GitHub without a connection. At one exchange something happens to the process at this end.
type line struct {
	next http.RoundTripper
	// at counts the exchanges from 1, those with the storage too; happens comes in place of that one. deliver sends it.
	at      int
	happens func(deliver func() (*http.Response, error)) (*http.Response, error)
	// count is how many exchanges there were, undelivered how many of those GitHub never heard of.
	count, undelivered int
	dead               bool
	// mutex serves one exchange at a time: tokens are revoked beside each other.
	mutex sync.Mutex
}

func (l *line) RoundTrip(request *http.Request) (*http.Response, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.count++
	delivered := false
	defer func() {
		if !delivered {
			l.undelivered++
		}
	}()
	deliver := func() (*http.Response, error) {
		delivered = true
		return l.next.RoundTrip(request)
	}
	switch {
	case l.dead:
		return nil, errDead
	case request.Context().Err() != nil:
		return nil, request.Context().Err()
	case l.count == l.at:
		return l.happens(deliver)
	}
	return deliver()
}

// everyEffect is the answer of a second Run with every Effect type, each way to place a Finding, and each way to answer one.
func (w *world) everyEffect() contract.Answer {
	a := w.resolving()
	ranged := onLine("f2", "compatibility", "major", 33)
	start, elsewhere := 30, untrusted.New("README.md")
	ranged.StartLine = &start
	outside := onLine("f3", "correctness", "critical", 1)
	outside.Path = &elsewhere
	a.Findings = []contract.RawFinding{onLine("f1", "correctness", "major", 29), ranged, outside,
		onLine("f4", "data_loss", "critical", 0), onLine("f5", "tests", "minor", 29)}
	review := a.Effects[0].SubmitReview
	review.Threads, review.Listed = []string{"f1", "f2", "f3", "f4"}, []string{"f5"}
	return a
}

// beforeSecondApply is the moment at which apply of a second Run with every Effect type starts.
func beforeSecondApply(t testing.TB) moment {
	t.Helper()
	w := newWorld(t, resolves(t)).reviewed().pushed()
	w.admit()
	w.answer(w.everyEffect())
	return w.moment()
}

// execute runs apply as an attempt of the workflow run: the same run id, the files of the jobs as their outputs name them.
func (w *world) execute(attempt int) ended {
	w.t.Helper()
	w.line.count = 0
	e := w.apply(func(env map[string]string) { env["GITHUB_RUN_ATTEMPT"] = decimal(int64(attempt)) })
	w.line.at, w.line.dead = 0, false
	return e
}

// cancelling gives the world's executions a context that ends by the returned function.
func (w *world) cancelling() context.CancelFunc {
	ctx, end := context.WithCancel(w.t.Context())
	w.context = ctx
	return end
}

// exchange is one call of an undisturbed execution, or a fetch from the storage.
type exchange struct {
	emulator.Call
	// at counts all exchanges from 1, left are those after it; nth is the fetch's number among the fetches.
	at, left, nth int
	// readsBack says that the exchange before it wrote.
	readsBack bool
}

func exchangesOf(e ended) []exchange {
	var list []exchange
	fetches := 0
	for i, call := range e.calls {
		x := exchange{Call: call, at: i + 1, left: len(e.calls) - i - 1}
		x.readsBack = x.reads() && i > 0 && list[i-1].writes()
		if x.storage() {
			fetches++
			x.nth = fetches
		}
		list = append(list, x)
	}
	return list
}

// storage reports whether it is a fetch of an artifact's bytes, which is no call of the API.
func (x exchange) storage() bool { return x.Number == 0 }

// reads reports whether it changes nothing.
func (x exchange) reads() bool {
	return x.Method == http.MethodGet || x.Operation == "/graphql" && !isMutation(x.Call)
}

func (x exchange) String() string {
	return fmt.Sprintf("%02d %s %s", x.at, x.Method, strings.ReplaceAll(strings.TrimPrefix(x.Operation, "/repos/{owner}/{repo}"), "/", " "))
}

// fault is a fault of a kind at this exchange and the calls that follow.
func (x exchange) fault(kind string, times int) emulator.Fault {
	if x.storage() {
		return emulator.Fault{Kind: kind, Match: storageMatch, Nth: x.nth, Times: times}
	}
	return emulator.Fault{Kind: kind, Call: x.Number, Times: times}
}

const storageMatch = "GET /_blob/*"

// isMutation reports whether a call of GraphQL's writes.
func isMutation(call emulator.Call) bool { return strings.Contains(call.Request, "mutation") }
