package apply

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

const largeFile = "internal/store/large.go"

// fifty is a world whose Result has 50 Findings, each a thread on a line of its own.
func fifty(t testing.TB) *world {
	t.Helper()
	w := newWorld(t, func(s *emulator.Seed) {
		var content strings.Builder
		for n := range 120 {
			fmt.Fprintf(&content, "// line %d of a file that is added\n", n+1)
		}
		tree := maps.Clone(emulatortest.Head)
		tree[largeFile] = emulatortest.Text(content.String())
		s.PullRequests[0].Head.Tree = tree
	})
	w.admit()
	var findings []contract.RawFinding
	for n := range 50 {
		f := onLine(fmt.Sprintf("f%d", n+1), "correctness", "major", 2*n+1)
		path := untrusted.New(largeFile)
		f.Path, f.Text = &path, untrusted.New(strings.Repeat("A sentence about this line, with `code` and @someone. ", 8))
		findings = append(findings, f)
	}
	w.answer(review(findings...))
	return w
}

// TestCalls counts the API calls of a review of 50 Findings: one review call, at most 24 in all, at most 8 from the mint on,
// which is the first call after the last refusal.
func TestCalls(t *testing.T) {
	w := fifty(t)
	e := w.apply(nil)
	if e.code != 0 || len(e.applied.Findings) != 50 || len(e.applied.Effects[0].ReadBack.Review.Comments) != 50 {
		t.Fatalf("code %d, %d Findings\n%s", e.code, len(e.applied.Findings), e.log)
	}
	if want := []string{postReview, postCheck}; !slices.Equal(e.writes(), want) {
		t.Errorf("wrote by %v, want %v", e.writes(), want)
	}
	counted := slices.DeleteFunc(slices.Clone(e.calls), func(c emulator.Call) bool { return c.Number == 0 })
	mint := slices.IndexFunc(counted, func(c emulator.Call) bool { return strings.HasSuffix(c.Operation, "/access_tokens") })
	if all, after := len(counted), len(counted)-mint; all > 24 || after > 8 {
		t.Errorf("%d calls in all and %d from the mint on, want at most 24 and 8", all, after)
	}
	if n := e.applied.Calls.REST + e.applied.Calls.GraphQL; n != len(counted) {
		t.Errorf("the record counts %+v, GitHub %d", e.applied.Calls, len(counted))
	}
	t.Logf("%d calls, %d from the mint on: %+v", len(counted), len(counted)-mint, e.applied.Calls)
}

// TestCallsOfReplies holds the bound of a Run that meets no fault: 2n + 10 calls from the mint on for n Effects.
func TestCallsOfReplies(t *testing.T) {
	w := newWorld(t, nil).reviewed().pushed()
	w.admit()
	w.answer(w.answers())
	e := w.apply(nil)
	mint := slices.IndexFunc(e.calls, func(c emulator.Call) bool { return strings.HasSuffix(c.Operation, "/access_tokens") })
	if after, n := len(e.calls)-mint, len(e.applied.Effects); e.code != 0 || n < 3 || mint < 0 || after > 2*n+10 {
		t.Errorf("%d calls for %d Effects, exit %d\n%s", after, n, e.code, e.log)
	}
}

// recorded answers the calls of one execution again, in their order, so that apply alone is measured.
type recorded struct {
	mutex   sync.Mutex
	answers []*answer
	next    int
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

func (r *recorded) recording(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(request *http.Request) (*http.Response, error) {
		given, err := next.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(given.Body)
		if err != nil {
			return nil, err
		}
		given.Body = io.NopCloser(bytes.NewReader(body))
		r.answers = append(r.answers, &answer{given.StatusCode, given.Header, body})
		return given, nil
	})
}

func (r *recorded) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.next >= len(r.answers) {
		return nil, io.ErrUnexpectedEOF
	}
	given := r.answers[r.next]
	r.next++
	return &http.Response{StatusCode: given.status, Header: given.header.Clone(), Body: io.NopCloser(bytes.NewReader(given.body)), Request: request}, nil
}

// BenchmarkApply50 is apply of a review of 50 Findings without GitHub's part: its calls are answered from a recording.
func BenchmarkApply50(b *testing.B) {
	w := fifty(b)
	var r recorded
	w.transport = r.recording(w.transport)
	env := w.applyEnvironment()
	run := func(transport http.RoundTripper) int {
		return Program(context.Background(), Environment{Env: maps.Clone(env), Clock: w.Now, Transport: transport, Sleep: noWait, Stderr: io.Discard})
	}
	if code := run(w.transport); code != 0 {
		b.Fatalf("code %d", code)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.next = 0
		if code := run(&r); code != 0 || r.next != len(r.answers) {
			b.Fatalf("code %d after %d of %d calls", code, r.next, len(r.answers))
		}
	}
}

// BenchmarkApplyProcess50 writes a review of 50 Findings.
func BenchmarkApplyProcess50(b *testing.B) { process(b, fifty(b).moment()) }

// BenchmarkApplyProcess2000 finds again what stands among 2,000 texts of others, in comments, reviews and threads; most of them have
// two kilobytes.
func BenchmarkApplyProcess2000(b *testing.B) {
	w := newWorld(b, nil).reviewed().pushed()
	w.admit()
	w.answer(w.answers())
	if e := w.apply(nil); e.code != 0 {
		b.Fatalf("code %d\n%s", e.code, e.log)
	}
	m := w.moment()
	m = m.among(crowd{comments: 800, reviews: 400, threads: 400, inThreads: 400 / len(m.seed.PullRequests[0].Threads)})
	long := strings.Repeat("A sentence of a long conversation. ", 60)
	pull := m.seed.PullRequests[0]
	for _, comment := range pull.Comments {
		comment.Body += " " + long
	}
	for _, thread := range pull.Threads {
		for _, comment := range thread.Comments {
			if comment.AuthorID == emulatortest.ContributorID {
				comment.Body += " " + long
			}
		}
	}
	process(b, m)
}

// process runs the real program as a process of its own, and reports its CPU time, its peak memory and its API calls.
func process(b *testing.B, m moment) {
	b.Helper()
	binary := filepath.Join(b.TempDir(), "apply")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", binary, "../../actions/apply")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	var cpu, least, peak float64
	n, calls := 0, 0
	for b.Loop() {
		w := &world{Instance: emulatortest.Start(b, m.seed, emulator.Options{}), t: b, run: m.run, bundle: m.bundle, result: m.result,
			decision: m.decision, task: m.task, seen: &credentials{}} // reached over TCP
		command := exec.Command(binary)
		for name, value := range w.applyEnvironment() {
			command.Env = append(command.Env, name+"="+value)
		}
		var out bytes.Buffer
		command.Stderr = &out
		if err := command.Start(); err != nil {
			b.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- command.Wait() }()
		err := error(nil)
		for watching := true; watching; {
			select {
			case err = <-ended:
				watching = false
			case <-time.Tick(time.Millisecond):
				peak = max(peak, peakOf(command.Process.Pid))
			}
		}
		if err != nil {
			b.Fatalf("%v\n%s", err, out.String())
		}
		used := float64((command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Microseconds()) / 1000
		if cpu += used; n == 0 || used < least {
			least = used
		}
		n, calls = n+1, len(w.State(b).Calls)
	}
	b.ReportMetric(cpu/float64(n), "cpu-ms/op")
	b.ReportMetric(least, "least-cpu-ms")
	b.ReportMetric(peak, "peak-MB")
	b.ReportMetric(float64(calls), "calls")
}

// peakOf is the peak of a process's own memory in MB. The usage that the system reports of a child begins with its
// parent's, which here is larger.
func peakOf(pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes float64
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		return 0
	}
	return kilobytes / 1024
}
