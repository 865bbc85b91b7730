package diff

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// everything is a limit no test diff reaches.
const everything = 1 << 40

func scanAll(t interface{ Fatal(...any) }, source io.Reader, limit int64) []File {
	var files []File
	err := Scan(source, limit, func(f File) error {
		f.Raw = bytes.Clone(f.Raw)
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestScanReadsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawDiff(t)
		for _, source := range []io.Reader{bytes.NewReader(g.diff), iotest.OneByteReader(bytes.NewReader(g.diff)), iotest.DataErrReader(bytes.NewReader(g.diff))} {
			if difference := cmp.Diff(g.files, scanAll(t, source, everything)); difference != "" {
				t.Fatalf("%q\n%s", g.diff, difference)
			}
		}
	})
}

func TestScanKeepsWhatFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawDiff(t)
		limit := rapid.Int64Range(0, 600).Draw(t, "limit")
		for i, f := range scanAll(t, bytes.NewReader(g.diff), limit) {
			want := g.files[i]
			if want.Characters > limit {
				want.Raw = nil
			}
			if difference := cmp.Diff(want, f); difference != "" {
				t.Fatalf("limit %d, %q\n%s", limit, g.diff, difference)
			}
		}
	})
}

// The reference is the list of lines the generator wrote, asked one by one.
func TestIndexKnowsEveryLineAndNoOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawDiff(t)
		x := NewIndex(g.diff)
		if difference := cmp.Diff(g.files, x.Files()); difference != "" && len(g.files) > 0 {
			t.Fatalf("%q\n%s", g.diff, difference)
		}
		for _, f := range g.files {
			for _, side := range []string{Left, Right} {
				for line := -1; line < 90; line++ {
					at := place{f.Path(), side, line}
					want, wantOK := g.lines[at]
					got, ok := x.Line(at.path, at.side, at.line)
					if got != want || ok != wantOK || ok != x.Commentable(at.path, at.side, at.line) {
						t.Fatalf("%+v is %q %v, want %q %v in\n%q", at, got, ok, want, wantOK, g.diff)
					}
					other := place{f.Path(), side, line + 1}
					_, otherOK := g.lines[other]
					if same := wantOK && otherOK && g.hunk[at] == g.hunk[other]; same != x.SameHunk(at.path, side, line, line+1) || same != x.SameHunk(at.path, side, line+1, line) {
						t.Fatalf("%+v and the next in one hunk: want %v", at, same)
					}
				}
			}
		}
	})
}

// checkTotal holds for any input: nothing is lost, both readers agree.
func checkTotal(t interface {
	Fatalf(string, ...any)
	Fatal(...any)
}, input []byte) {
	var joined []byte
	var files []File
	err := Scan(bytes.NewReader(input), everything, func(f File) error {
		f.Raw = bytes.Clone(f.Raw)
		joined = append(joined, f.Raw...)
		if f.Bytes != int64(len(f.Raw)) || f.Characters != int64(utf8.RuneCount(f.Raw)) {
			t.Fatalf("%q: %d bytes %d characters", f.Raw, f.Bytes, f.Characters)
		}
		f.Raw = nil // joined holds them all
		files = append(files, f)
		return nil
	})
	var indexed []File
	var indexedRaw []byte
	for _, f := range NewIndex(input).Files() {
		indexedRaw = append(indexedRaw, f.Raw...)
		f.Raw = nil
		indexed = append(indexed, f)
	}
	if len(input) > 0 && !startsFile(input) {
		if !errors.Is(err, ErrNotDiff) || len(files) != 0 || len(indexed) != 0 {
			t.Fatalf("%q is taken as a diff: %v", input, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%q: %v", input, err)
	}
	if !bytes.Equal(joined, input) || !bytes.Equal(indexedRaw, input) {
		t.Fatalf("%q came out as %q and %q", input, joined, indexedRaw)
	}
	if difference := cmp.Diff(files, indexed); difference != "" {
		t.Fatalf("%q: scanner and index differ\n%s", input, difference)
	}
}

func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		input := drawDiff(t).diff
		// Break it: cut pieces out, so that counts, headers and names lie.
		for range rapid.IntRange(0, 4).Draw(t, "cuts") {
			if len(input) == 0 {
				break
			}
			from := rapid.IntRange(0, len(input)-1).Draw(t, "from")
			to := rapid.IntRange(from, min(len(input), from+40)).Draw(t, "to")
			input = append(bytes.Clone(input[:from]), input[to:]...)
		}
		checkTotal(t, input)
	})
}

func FuzzScan(f *testing.F) {
	f.Add([]byte("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"))
	f.Fuzz(func(t *testing.T, input []byte) {
		checkTotal(t, input)
		limited := NewScanner(iotest.HalfReader(bytes.NewReader(input)))
		for limited.Next(20) {
			if f := limited.File(); (f.Raw == nil) != (f.Characters > 20) {
				t.Fatalf("%d characters kept: %v", f.Characters, f.Raw != nil)
			}
		}
	})
}
