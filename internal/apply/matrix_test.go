package apply

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// moment is an emulated GitHub and what the jobs passed on, from which any number of equal worlds start.
type moment struct {
	seed           emulator.Seed
	run            int64
	bundle, result handedOn
	decision       contract.Decision
	task           contract.Task
}

// moment takes this world as it is.
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

// start makes a world of the moment. Its answers are not held to GitHub's description, which the worlds they come from are.
func (m moment) start(t testing.TB) *world {
	t.Helper()
	server, err := emulator.New(m.seed, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(server.Handler())
	t.Cleanup(listener.Close)
	w := &world{Instance: &emulatortest.Instance{Server: server, URL: listener.URL}, t: t, run: m.run, bundle: m.bundle, result: m.result,
		decision: m.decision, task: m.task, seen: &credentials{}, sleep: noWait, context: t.Context()}
	w.transport, w.clock = w.seen.watching(http.DefaultTransport), w.Now
	return w
}

// beforeSecondApply is the moment at which apply of a second Run starts: a review with two threads and an answer, and two replies.
func beforeSecondApply(t testing.TB) moment {
	t.Helper()
	w := newWorld(t, nil).reviewed().pushed()
	w.admit()
	a := w.answers()
	a.Findings = []contract.RawFinding{onLine("f1", "correctness", "major", 29), onLine("f2", "compatibility", "major", 32)}
	a.Effects[0].SubmitReview.Threads = []string{"f1", "f2"}
	w.answer(a)
	return w.moment()
}

// what is what stands on GitHub after a Run, without ids and times. A reply makes a review of its own, as on GitHub.
type what struct {
	reviews, threads, replies int
	checks                    string
}

func (w *world) what() what {
	state := w.State(w.t)
	return what{w.reviewsByUs(), len(state.Pull(emulatortest.Number).Threads), w.repliesByUs(), strings.Join(w.checks(w.decision.Commit), " ")}
}

// holdsTrue holds that no record claims what is not there.
func (w *world) holdsTrue(e ended) {
	w.t.Helper()
	if !e.records {
		return
	}
	state := w.State(w.t)
	ids := map[int64]bool{}
	for _, review := range state.Pull(emulatortest.Number).Reviews {
		ids[review.ID] = true
	}
	for _, thread := range state.Pull(emulatortest.Number).Threads {
		for _, comment := range thread.Comments {
			ids[comment.ID] = true
		}
	}
	for _, effect := range e.applied.Effects {
		done := effect.State == contract.StateApplied || effect.State == contract.StateAlreadyApplied
		if done && (effect.ReadBack == nil || effect.DatabaseID == nil || !ids[*effect.DatabaseID]) {
			w.t.Errorf("the record claims %+v", effect)
		}
	}
	if check := e.outcome.Check; check != nil && !slices.ContainsFunc(state.CheckRuns, func(c *emulator.CheckRun) bool {
		return c.ID == check.DatabaseID && c.Conclusion == check.Conclusion && c.HeadCommit == check.Commit
	}) {
		w.t.Errorf("the record claims the check %+v", check)
	}
	claimed, revoked := 0, 0
	for _, token := range e.applied.Tokens {
		if token.Revoked {
			claimed++
		}
	}
	for _, token := range state.Tokens {
		if token.Kind == "installation" && token.Revoked {
			revoked++
		}
	}
	if claimed > revoked {
		w.t.Errorf("the record claims %d tokens revoked, %d are", claimed, revoked)
	}
}

// TestCrashMatrix injects each kind of fault at the calls of apply: after at most three further executions the state is
// that of an undisturbed one, and no record ever claims what is not there.
func TestCrashMatrix(t *testing.T) {
	m := beforeSecondApply(t)
	undisturbed := m.start(t)
	e := undisturbed.apply(nil)
	want := undisturbed.what()
	if e.code != 0 || want != (what{4, 4, 2, "failure"}) {
		t.Fatalf("undisturbed: %d %+v\n%s", e.code, want, e.log)
	}
	cells := 0
	for i, kind := range emulator.Kinds() {
		faults := faultsOf(i, kind.Name, e.calls)
		cells += len(faults)
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			for _, fault := range faults {
				m.start(t).survives(fault, want, callOf(e.calls, fault.Call))
			}
		})
	}
	t.Logf("%d cells over %d kinds and %d calls", cells, len(emulator.Kinds()), len(e.calls))
	if cells < 400 {
		t.Errorf("only %d cells", cells)
	}
}

// survives applies with a fault, and again until it comes out.
func (w *world) survives(fault emulator.Fault, want what, at string) {
	w.t.Helper()
	w.must(w.Inject(fault))
	var codes []int
	for attempt := 1; attempt <= 4; attempt++ {
		got := w.apply(func(env map[string]string) { env["GITHUB_RUN_ATTEMPT"] = decimal(int64(attempt)) })
		codes = append(codes, got.code)
		w.holdsTrue(got)
		if got.code == 0 || permanent[fault.Kind] {
			break
		}
	}
	got := w.what()
	switch {
	case permanent[fault.Kind] && (got.reviews > want.reviews || got.replies > want.replies),
		!permanent[fault.Kind] && got != want:
		w.t.Errorf("at call %d (%s): %+v after %v, want %+v", fault.Call, at, got, codes, want)
	}
}

// permanent faults do not go away, so that no execution comes to the undisturbed state.
var permanent = map[string]bool{"suspended": true, "artifact-expired": true}

// faultsOf lists where a kind is injected: at every write, mint, revocation and read-back, and at a spread of the other calls.
func faultsOf(index int, kind string, calls []emulator.Call) []emulator.Fault {
	switch {
	case kind == "slow", strings.HasPrefix(kind, "event-"):
		return nil // these have tests of their own
	case strings.HasPrefix(kind, "artifact-"), strings.HasPrefix(kind, "mint-"), kind == "diff-too-large", kind == "revoke-fails", kind == "suspended":
		return []emulator.Fault{{Kind: kind}}
	}
	var faults []emulator.Fault
	writing, number := false, 0
	for _, call := range calls {
		if call.Number == 0 {
			continue
		}
		number++
		query := call.Operation == "/graphql" && !strings.Contains(call.Request, "mutation")
		write := call.Method != http.MethodGet && !query
		writing = writing || write
		if writing || (number+index)%4 == 0 {
			faults = append(faults, emulator.Fault{Kind: kind, Call: number})
		}
	}
	return faults
}

func callOf(calls []emulator.Call, number int) string {
	for _, call := range calls {
		if call.Number != 0 {
			if number--; number == 0 {
				return call.Method + " " + call.Operation
			}
		}
	}
	return "by its kind"
}

// TestEvents lets people act just before each call of apply: nothing is written after a look could see it, and the Run ends
// by the line of the table that is theirs.
func TestEvents(t *testing.T) {
	m := beforeSecondApply(t)
	undisturbed := m.start(t).apply(nil)
	rows := map[string]row{"event-push": overRow, "event-force-push": overRow, "event-close": overRow, "event-retarget": overRow,
		"event-hold": stoppedRow, "event-draft": stoppedRow, "event-lock": notAdmittedRow}
	completed := row{"completed", "none", "failure", 0}
	var calls []emulator.Call
	for _, call := range undisturbed.calls {
		if call.Number != 0 {
			calls = append(calls, call)
		}
	}
	for kind, stopped := range rows {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for i, call := range calls {
				w := m.start(t)
				w.must(w.Inject(emulator.Fault{Kind: kind, Call: i + 1}))
				e := w.apply(nil)
				w.holdsTrue(e)
				want := completed
				if w.seenFrom(e, i+1) {
					want = stopped
				}
				if got := (row{e.outcome.Status, e.outcome.Fault, e.conclusion(), e.code}); got != want || w.alive() != 0 {
					t.Errorf("before call %d, %s %s: ended as %+v for %v with %d tokens alive, want %+v\n%s",
						i+1, call.Method, call.Operation, got, e.outcome.Reasons, w.alive(), want, e.log)
				}
			}
		})
	}
	t.Logf("%d cells", len(calls)*len(rows))
}

// seenFrom reports whether the item was read at or after a call, and holds that after that read no Effect was written, and no
// check where the end of the Run has none.
func (w *world) seenFrom(e ended, number int) bool {
	w.t.Helper()
	seen, at := false, 0
	for _, call := range e.calls {
		if call.Number == 0 {
			continue
		}
		at++
		query := call.Operation == "/graphql" && !strings.Contains(call.Request, "mutation")
		effect := call.Operation == strings.TrimPrefix(postReview, "POST ") || call.Operation == strings.TrimPrefix(postReply, "POST ")
		check := call.Method != http.MethodGet && strings.Contains(call.Operation, "/check-runs")
		if seen && (effect && call.Method == http.MethodPost || check && e.outcome.Conclusion == nil) {
			w.t.Errorf("%s %s was sent after the item was read at %d or later\n%s", call.Method, call.Operation, number, e.log)
		}
		if at >= number && query {
			seen = true
		}
	}
	return seen
}
