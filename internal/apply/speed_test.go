package apply

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/release"
	"github.com/seed-2ea642bd/airlock/internal/schema"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// many is all that is known before the first write of a Run whose Result has n Findings, each a thread on a line of its own with
// some hundred bytes of text, and that Result.
func many(t testing.TB, n int) (Material, contract.Result) {
	t.Helper()
	w := newWorld(t, func(s *emulator.Seed) {
		var content strings.Builder
		for line := range 2*n + 20 {
			fmt.Fprintf(&content, "// line %d of a file that is added\n", line+1)
		}
		tree := maps.Clone(emulatortest.Head)
		tree[largeFile] = emulatortest.Text(content.String())
		s.PullRequests[0].Head.Tree = tree
	})
	w.admit()
	var findings []contract.RawFinding
	for i := range n {
		f := onLine(fmt.Sprintf("f%d", i+1), "correctness", "major", 2*i+1)
		path := untrusted.New(largeFile)
		f.Path, f.Text = &path, untrusted.New(strings.Repeat("A sentence about this line, with `code` and @someone. ", 8))
		findings = append(findings, f)
	}
	archive, err := w.ArtifactZip(w.bundle.id)
	if err != nil {
		t.Fatal(err)
	}
	files := unzipped(t, archive)
	opened, err := bundle.Open(files, contract.Digest(files[bundle.DecisionFile]))
	if err != nil {
		t.Fatal(err)
	}
	current, err := release.Current()
	if err != nil {
		t.Fatal(err)
	}
	return Material{Bundle: opened, Fresh: opened.Facts, Policy: opened.Policy, Release: current, Now: opened.Facts.ReadAt}, w.resultOf(review(findings...))
}

// refusedAt are changes of a Result, and the code that each is refused with: the first of each of apply's steps, and the last.
var refusedAt = []struct {
	code   contract.Code
	change func(*contract.Result)
}{
	{"", func(*contract.Result) {}},
	{contract.CodeRunMismatch, func(r *contract.Result) { r.Run = "run-000000000000000000000000" }},
	{contract.CodeTaskMismatch, func(r *contract.Result) { r.Task = "sha256:" + strings.Repeat("0", 64) }},
	{contract.CodeReviewCount, func(r *contract.Result) {
		second := *r.Effects[0].SubmitReview
		second.ID, second.Threads = "e2", []string{}
		r.Effects = append(r.Effects, contract.Effect{SubmitReview: &second})
	}},
	{contract.CodeFindingDuplicate, func(r *contract.Result) { r.Findings[len(r.Findings)-1].ID = "f1" }},
	{contract.CodeFindingNotOwned, func(r *contract.Result) { r.Findings[len(r.Findings)-1].Category = "style" }},
	{contract.CodeDispositionFindingUnknown, func(r *contract.Result) {
		r.Dispositions = []contract.Disposition{{Finding: "run-000000000000000000000000/f1", Reviewer: &contract.ReviewerHalf{
			Evidence: "title", Of: contract.VerdictFixed, Text: untrusted.New("It is."), Verdict: contract.VerdictRejected}}}
	}},
	{contract.CodeTextSecret, func(r *contract.Result) {
		r.Findings[len(r.Findings)-1].Text = untrusted.New("See " + "gh" + "p_" + strings.Repeat("Ab1", 12))
	}},
	{contract.CodeTextMarker, func(r *contract.Result) {
		r.Findings[len(r.Findings)-1].Text = untrusted.New("<!-- airlock/1 review key=x -->")
	}},
	{contract.CodeTextTooLong, func(r *contract.Result) {
		r.Effects[0].SubmitReview.Body = untrusted.New(strings.Repeat("long ", 15_000))
	}},
}

// changed is a Result with its own lists.
func changed(r contract.Result, change func(*contract.Result)) contract.Result {
	r.Findings = append([]contract.RawFinding{}, r.Findings...)
	review := *r.Effects[0].SubmitReview
	r.Effects = []contract.Effect{{SubmitReview: &review}}
	change(&r)
	return r
}

// held is what Prepare does of a Result that is decoded: the same steps, also for one of more Findings than result/1 takes.
func held(m Material, result contract.Result, digest string) (Prepared, error) {
	app, _ := m.Bundle.Apps.Named(m.Bundle.Role.App)
	p := Prepared{App: app, Ledger: ledger.Read(m.Fresh, m.Policy, m.Bundle.Apps, app), Result: &result, Digest: digest}
	return p, p.refuse(m)
}

// code is how it ended: empty where the plan stands.
func (p Prepared) code() contract.Code {
	if len(p.Ending) == 0 {
		return ""
	}
	return p.Ending[0]
}

// TestSpeedCases holds that what BenchmarkPrepare measures is what it says: the plan of every Finding, or the refusal at each step.
func TestSpeedCases(t *testing.T) {
	m, result := many(t, 200)
	for _, c := range refusedAt {
		p, err := held(m, changed(result, c.change), contract.Digest(nil))
		if err != nil || p.code() != c.code {
			t.Errorf("%q: ended with %q (%v)", c.code, p.code(), err)
		}
		if c.code == "" && len(p.Plan.Effects[0].Review.Comments) != 200 {
			t.Errorf("%d threads are planned", len(p.Plan.Effects[0].Review.Comments))
		}
	}
}

// BenchmarkPrepare is all that apply computes before its first write or its refusal, of a Result of 200 Findings: the bytes are
// decoded and held to the schema, which takes a hundred and so refuses them by itself; then every rule and the plan, of what was
// decoded. The cases of 100 are Prepare itself.
func BenchmarkPrepare(b *testing.B) {
	for _, n := range []int{100, 200} {
		m, result := many(b, n)
		for _, c := range refusedAt {
			name := string(c.code)
			if name == "" {
				name = "planned"
			}
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				data, err := contract.Canonical(changed(result, c.change))
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				before, least := processorTime(b), time.Hour
				for b.Loop() {
					begun := time.Now()
					if n > 100 {
						beyondSchema(b, m, data, c.code)
					} else {
						m.Result = data
						p, err := Prepare(m)
						if err != nil || p.code() != c.code && c.code != contract.CodeTextTooLong { // the schema refuses so long a text
							b.Fatalf("ended with %q (%v)", p.code(), err)
						}
					}
					least = min(least, time.Since(begun))
				}
				b.ReportMetric((processorTime(b)-before)/float64(b.N), "cpu-ms/op")
				b.ReportMetric(float64(least.Microseconds())/1000, "least-ms")
			})
		}
	}
}

// processorTime is what this process took so far, in milliseconds: unlike the time that passes, it says the same on a machine that
// others work on too.
func processorTime(b *testing.B) float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e6
}

func beyondSchema(b *testing.B, m Material, data []byte, want contract.Code) {
	var decoded contract.Result
	if err := contract.Decode(data, &decoded); err != nil {
		b.Fatal(err)
	}
	var invalid *schema.Error
	if err := schema.Validate("result/1", data); !errors.As(err, &invalid) {
		b.Fatalf("the schema takes it: %v", err)
	}
	p, err := held(m, decoded, contract.Digest(data))
	if err != nil || p.code() != want {
		b.Fatalf("ended with %q (%v)", p.code(), err)
	}
}
