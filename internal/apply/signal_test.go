package apply

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/schema"
)

// signalled is how long a program may take after a signal. The runner follows an interrupt with a kill after ten seconds.
const signalled = 5 * time.Second

// builtPrograms are the real programs, as actions/*/action.yml builds them.
func builtPrograms(t *testing.T, names ...string) string {
	t.Helper()
	folder := t.TempDir()
	arguments := []string{"build", "-trimpath", "-buildvcs=false", "-o", folder + string(filepath.Separator)}
	for _, name := range names {
		arguments = append(arguments, "../../actions/"+name)
	}
	build := exec.Command("go", arguments...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder
}

// served is a world whose GitHub is reached over TCP, as by a process of its own.
type served struct {
	*world
	listener *httptest.Server
}

func serve(w *world) served {
	handler := w.Handler()
	listener := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		if _, value, ok := strings.Cut(request.Header.Get("Authorization"), " "); ok {
			w.seen.add(value)
		}
		handler.ServeHTTP(answer, request)
	}))
	w.t.Cleanup(listener.Close)
	return served{w, listener}
}

// process starts a program, sends it the signals once the call at the gate waits, and returns what it said and its exit code.
// What GitHub was asked for when the program went is done when it returns: no call is left on the way.
func (s served) process(binary string, env map[string]string, gate string, release bool, signals []syscall.Signal) (string, int) {
	s.t.Helper()
	env["GITHUB_API_URL"], env["GITHUB_GRAPHQL_URL"] = s.listener.URL, s.listener.URL+"/graphql"
	var out bytes.Buffer
	command := exec.Command(binary)
	command.Stdout, command.Stderr = &out, &out
	for name, value := range env {
		command.Env = append(command.Env, name+"="+value)
	}
	s.must(command.Start())
	ended := make(chan struct{})
	go func() { _ = command.Wait(); close(ended) }() // how it ended is in its state
	held, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-ended
		cancel()
	}()
	if err := s.Held(held, gate); err != nil {
		s.t.Fatalf("it ended before its call\n%s", out.String())
	}
	for i, signal := range signals {
		// The first finds the program at its gate; by the second it may have ended.
		if err := command.Process.Signal(signal); err != nil && (i == 0 || !errors.Is(err, os.ErrProcessDone)) {
			s.t.Fatal(err)
		}
	}
	if release {
		s.Release(gate)
	}
	late := time.AfterFunc(signalled, func() { _ = command.Process.Kill() })
	<-ended
	if !late.Stop() {
		s.t.Errorf("it did not end within %s of the signal", signalled)
	}
	s.Release(gate)
	s.listener.Close()
	for _, credential := range append(s.seen.list, env["GITHUB_TOKEN"]) {
		if credential != "" && strings.Contains(out.String(), credential) {
			s.t.Errorf("a credential left the program:\n%s", out.String())
		}
	}
	return out.String(), command.ProcessState.ExitCode()
}

// today is a seed at this machine's time, so that a real process can work in it.
func today(seed *emulator.Seed) {
	now := time.Now().UTC().Truncate(time.Second).Add(-3 * time.Hour)
	seed.Now = &now
}

// atCall is where a signal comes: while the program waits for the answer to this call.
type atCall struct {
	emulator.Fault
	name string
	// answered says that GitHub answers all the same. It does for what the program waits for after a signal: a token that is made
	// and never told can be revoked by nobody.
	answered bool
}

// everyCall lists the calls of an execution, those with the storage too.
func everyCall(calls []emulator.Call) []atCall {
	var list []atCall
	number, stored := 0, 0
	for _, call := range calls {
		fault := emulator.Fault{Kind: "slow", Gate: "here"}
		if call.Number == 0 {
			stored++
			fault.Match, fault.Nth = "GET /_blob/*", stored
		} else {
			number++
			fault.Call = number
		}
		answered := strings.HasSuffix(call.Operation, "/access_tokens") || strings.HasSuffix(call.Operation, "/installation/token")
		list = append(list, atCall{fault, fmt.Sprintf("%02d %s %s", len(list)+1, call.Method, call.Operation), answered})
	}
	return list
}

var signalSets = map[string][]syscall.Signal{"SIGINT": {syscall.SIGINT}, "SIGTERM": {syscall.SIGTERM}, "both": {syscall.SIGINT, syscall.SIGTERM}}

// TestSignals interrupts and terminates the real program at each of its calls. Within five seconds it has ended, its tokens are
// revoked, and its records are there and true, or it said in one message that there was nothing to record; and apply run again comes
// to the undisturbed state.
func TestSignals(t *testing.T) {
	program := filepath.Join(builtPrograms(t, "apply"), "apply")
	start := newWorld(t, func(seed *emulator.Seed) { today(seed); resolves(t)(seed) }).reviewed().pushed()
	start.admit()
	start.answer(start.asking([]string{contract.SubmitReview, contract.ReplyThread, contract.ResolveThread}))
	m := start.moment()
	begin := func(t *testing.T) *world {
		w := m.start(t)
		w.SetClock(time.Now())
		return w
	}
	undisturbed := begin(t)
	calm := undisturbed.apply(nil)
	want := undisturbed.left()
	if calm.code != 0 || len(want.reviews) != 4 || want.resolved != 1 {
		t.Fatalf("undisturbed: %d, %+v\n%s", calm.code, want, calm.log)
	}
	cells := everyCall(calm.calls)
	for name, signals := range signalSets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, cell := range cells {
				t.Run(cell.name, func(t *testing.T) {
					s := serve(begin(t))
					s.must(s.Inject(cell.Fault))
					env := s.applyEnvironment()
					log, code := s.process(program, env, cell.Gate, cell.answered, signals)
					e := s.recordsOf(env, log, code)
					s.holdsClaims(e)
					switch {
					case s.alive() != 0:
						t.Errorf("%d tokens are left alive\n%s", s.alive(), log)
					case !e.records && (code != exitMessage || strings.Count(log, "airlock apply: interrupted: ") != 1):
						t.Errorf("it ended with %d and without records\n%s", code, log)
					case e.records && code == 1 && (e.outcome.Reasons[0] != contract.CodeInterrupted || slices.Contains(e.outcome.Reasons, contract.CodeFactsIncomplete) || e.outcome.Status != contract.StatusFailed || e.outcome.Check != nil):
						t.Errorf("it ended as %s for %v\n%s", e.outcome.Status, e.outcome.Reasons, log)
					case e.records && code != 1 && (code != 0 || !cell.answered || e.outcome.Check == nil):
						t.Errorf("it ended with %d\n%s", code, log)
					}
					again := s.apply(func(env map[string]string) { env["GITHUB_RUN_ATTEMPT"] = "2" })
					if got := s.left(); again.code != 0 || !got.equal(want) || s.alive() != 0 {
						t.Errorf("then applied again: %d, %+v, want %+v\n%s", again.code, got, want, again.log)
					}
				})
			}
		})
	}
	t.Logf("%d cells", len(cells)*len(signalSets))
}

// recordsOf is what a process left.
func (w *world) recordsOf(env map[string]string, log string, code int) ended {
	w.t.Helper()
	e := ended{code: code, log: log}
	found := 0
	for name, record := range map[string]any{appliedFile: &e.applied, outcomeFile: &e.outcome} {
		data, err := os.ReadFile(filepath.Join(env["AIRLOCK_OUT"], name))
		if err != nil {
			continue
		}
		found++
		if err := contract.Decode(data, record); err != nil {
			w.t.Fatal(err)
		}
		if err := schema.Validate(strings.TrimSuffix(name, ".json")+"/1", data); err != nil {
			w.t.Errorf("%s: %v\n%s", name, err, data)
		}
		for _, credential := range w.seen.list {
			if credential != "" && bytes.Contains(data, []byte(credential)) {
				w.t.Errorf("a credential is in %s", name)
			}
		}
	}
	if found == 1 {
		w.t.Errorf("one record is there without the other\n%s", log)
	}
	e.records = found == 2
	return e
}

// leftovers is what our App left on the item, without ids and times: the bodies of its reviews and comments, sorted, and the checks.
type leftovers struct {
	reviews, comments, checks []string
	resolved                  int
}

func (l leftovers) equal(o leftovers) bool {
	return slices.Equal(l.reviews, o.reviews) && slices.Equal(l.comments, o.comments) && slices.Equal(l.checks, o.checks) && l.resolved == o.resolved
}

func (w *world) left() leftovers {
	w.t.Helper()
	state := w.State(w.t)
	pull := state.Pull(emulatortest.Number)
	left := leftovers{checks: w.checks(w.decision.Commit)}
	for _, review := range pull.Reviews {
		if review.AuthorID == emulatortest.BotUserID {
			left.reviews = append(left.reviews, review.State+" "+review.Body)
		}
	}
	for _, thread := range pull.Threads {
		if thread.Resolved {
			left.resolved++
		}
		for _, comment := range thread.Comments {
			if comment.AuthorID == emulatortest.BotUserID {
				left.comments = append(left.comments, comment.Body)
			}
		}
	}
	slices.Sort(left.reviews)
	slices.Sort(left.comments)
	return left
}

// TestSignalsOfDecide stops the real decide at each of its calls: it has no credential to revoke, and leaves its bundle whole or not
// at all, with one message.
func TestSignalsOfDecide(t *testing.T) {
	program := filepath.Join(builtPrograms(t, "decide"), "decide")
	calm := newWorld(t, today)
	m := calm.moment()
	before := len(calm.State(t).Calls)
	calm.decide()
	for name, signals := range signalSets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, cell := range everyCall(calm.State(t).Calls[before:]) {
				t.Run(cell.name, func(t *testing.T) {
					w := m.start(t)
					w.SetClock(time.Now())
					s := serve(w)
					s.must(s.Inject(cell.Fault))
					env := s.environment()
					maps.Copy(env, map[string]string{"GITHUB_EVENT_PATH": filepath.Join(t.TempDir(), "event.json"), "AIRLOCK_BUNDLE": filepath.Join(t.TempDir(), "bundle")})
					event := `{"action":"labeled","number":12,"pull_request":{"number":12},"repository":{"id":701002003,"full_name":"example-org/ledger"},"sender":{"id":1000001,"login":"maintainer","type":"User"}}`
					s.must(os.WriteFile(env["GITHUB_EVENT_PATH"], []byte(event), 0o600))
					log, code := s.process(program, env, cell.Gate, false, signals)
					beside, err := os.ReadDir(filepath.Dir(env["AIRLOCK_BUNDLE"]))
					s.must(err)
					outputs, err := os.ReadFile(env["GITHUB_OUTPUT"])
					s.must(err)
					if code != 1 || len(beside) != 0 || len(outputs) != 0 || !strings.HasPrefix(log, "airlock decide: interrupted: ") || strings.Count(log, "\n") != 1 {
						t.Errorf("it ended with %d, %v and outputs %q\n%s", code, beside, outputs, log)
					}
				})
			}
		})
	}
}
