package task

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

const benchmarkBytes = 100 << 20

// entry is one file of a diff with one hunk of so many added lines.
func entry(path string, lines int, line string) string {
	return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\nindex 1111111..2222222 100644\n--- a/%[1]s\n+++ b/%[1]s\n@@ -0,0 +1,%[2]d @@\n", path, lines) +
		strings.Repeat("+"+line+"\n", lines)
}

// longDiff is at least size bytes of files of different lengths.
func longDiff(size int) []byte {
	var out bytes.Buffer
	for n := 0; out.Len() < size; n++ {
		line := fmt.Sprintf("\tif value, err := load(ctx, %d); err != nil {", n)
		out.WriteString(entry(fmt.Sprintf("internal/package%d/file.go", n), 20+n%400, line))
	}
	return out.Bytes()
}

// BenchmarkBuild is held against BenchmarkSHA256 over the same bytes: a Task must be made at no less than a third of its speed.
func BenchmarkBuild(b *testing.B) {
	for _, run := range []string{"A", "B"} { // B has open Findings, whose anchors are looked for
		b.Run(run, func(b *testing.B) {
			in, change := modelInput(b, run), longDiff(benchmarkBytes)
			b.SetBytes(int64(len(change)))
			b.ReportAllocs()
			for b.Loop() {
				in.Diff = bytes.NewReader(change)
				if _, err := Build(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSHA256(b *testing.B) {
	change := longDiff(benchmarkBytes)
	b.SetBytes(int64(len(change)))
	for b.Loop() {
		sha256.Sum256(change)
	}
}

// heapWatch notes the largest heap seen while a stream is read.
type heapWatch struct {
	source io.Reader
	reads  int
	peak   uint64
}

func (w *heapWatch) Read(p []byte) (int, error) {
	if w.reads++; w.reads%32 == 0 {
		runtime.GC() // garbage is not what is bounded
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		w.peak = max(w.peak, stats.HeapAlloc)
	}
	return w.source.Read(p)
}

// repeated gives the same bytes again and again, so that a long diff is never in memory.
type repeated struct {
	text  string
	times int
	rest  string
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.rest == "" {
		if r.times == 0 {
			return 0, io.EOF
		}
		r.times--
		r.rest = r.text
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func TestMemoryIsBoundedByTheBudget(t *testing.T) {
	many := strings.Repeat(entry("a.go", 40, "x := load()"), 100)
	for name, source := range map[string]io.Reader{
		"many files": &repeated{text: many, times: benchmarkBytes / len(many)},
		"one file": io.MultiReader(strings.NewReader("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1,999999999 @@\n"),
			&repeated{text: strings.Repeat("+x\n", 1<<16), times: benchmarkBytes / (3 << 16)}),
		"one line": io.MultiReader(strings.NewReader("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+"), &repeated{text: strings.Repeat("x", 1<<16), times: benchmarkBytes >> 16}),
	} {
		t.Run(name, func(t *testing.T) {
			in := modelInput(t, "B")
			runtime.GC()
			var before runtime.MemStats
			runtime.ReadMemStats(&before)
			watch := &heapWatch{source: source}
			in.Diff = watch
			task, err := Build(in)
			if err != nil {
				t.Fatal(err)
			}
			if len(task.Omitted) == 0 || task.Omitted[0].Kind != contract.OmittedDiff {
				t.Fatalf("nothing was left out: %+v", task.Omitted)
			}
			budget := uint64(in.Harness.Texts.DiffCharacters)
			if limit := before.HeapAlloc + budget + 20<<20; watch.peak == 0 || watch.peak > limit {
				t.Errorf("the heap grew from %d to %d bytes, over %d", before.HeapAlloc, watch.peak, limit)
			}
			if task.Texts[0].Text.Len() > int(budget) || task.Texts[1].Text != untrusted.New("Find entries by owner") {
				t.Errorf("texts are not within their budgets: %d bytes", task.Texts[0].Text.Len())
			}
		})
	}
}
