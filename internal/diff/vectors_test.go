package diff

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func readTestdata(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The first change of the data model, and the anchors it prints.
func TestAnchorsOfTheDataModel(t *testing.T) {
	before := NewIndex(readTestdata(t, "a.diff"))
	for _, test := range []struct {
		path   string
		line   int
		anchor string
	}{
		{"internal/store/query.go", 15, "2607a312e843f5251922cad15c589e4d"},
		{"internal/sync/worker.go", 22, "017c20a1ee1127c059e4d270c35bc8a3"},
	} {
		text, ok := before.Line(test.path, Right, test.line)
		if !ok || Anchor(text) != test.anchor {
			t.Errorf("%s:%d is %q, anchor %s, want %s", test.path, test.line, text, Anchor(text), test.anchor)
		}
	}
	for _, test := range []struct {
		path, side string
		line       int
		want       bool
	}{
		{"internal/store/query.go", Right, 9, false},
		{"internal/store/query.go", Right, 10, true},
		{"internal/store/query.go", Right, 20, true},
		{"internal/store/query.go", Right, 21, false},
		{"internal/store/query.go", Left, 15, true},
		{"internal/store/query.go", Left, 16, false},
		{"internal/store/pool.go", Right, 40, false},
		{"internal/sync/worker.go", "right", 22, false},
		{"internal/sync/worker.go", "", 22, false},
	} {
		if got := before.Commentable(test.path, test.side, test.line); got != test.want {
			t.Errorf("%s %s %d: commentable %v, want %v", test.path, test.side, test.line, got, test.want)
		}
	}
	if text, _ := before.Line("internal/sync/worker.go", Left, 22); text != "\t\tw.handle(ctx, job)" {
		t.Errorf("deleted line is %q", text)
	}
}

func TestFileVectors(t *testing.T) {
	for _, test := range []struct {
		name, diff string
		want       []File // without Raw, Bytes, Characters
	}{
		{"names with spaces, equal", "diff --git a/x b/x b/x b/x\nold mode 100644\nnew mode 100755\n",
			[]File{{OldPath: "x b/x", NewPath: "x b/x", Status: Changed, ModeOnly: true, OldMode: "100644", NewMode: "100755"}}},
		{"pure rename", "diff --git a/x y b/z b/q\nsimilarity index 100%\nrename from x y\nrename to z b/q\n",
			[]File{{OldPath: "x y", NewPath: "z b/q", Status: Renamed}}},
		{"one side quoted", "diff --git a/x \"b/\\303\\274.txt\"\nsimilarity index 100%\nrename from x\nrename to \"\\303\\274.txt\"\n",
			[]File{{OldPath: "x", NewPath: "ü.txt", Status: Renamed}}},
		{"new side quoted second", "diff --git \"a/\\303\\274.txt\" b/x\nsimilarity index 100%\ncopy from \"\\303\\274.txt\"\ncopy to x\n",
			[]File{{OldPath: "ü.txt", NewPath: "x", Status: Copied}}},
		{"binary added", "diff --git a/i.png b/i.png\nnew file mode 100644\nindex 0000000..1111111\nBinary files /dev/null and b/i.png differ\n",
			[]File{{NewPath: "i.png", Status: Added, NewMode: "100644", Binary: true}}},
		{"git binary patch", "diff --git a/i b/i\nindex 00..11 100644\nGIT binary patch\nliteral 3\nKcmZ?\n\nliteral 0\nHcmV?d00001\n\ndiff --git a/j b/j\nindex 00..11 100644\n",
			[]File{{OldPath: "i", NewPath: "i", Status: Modified, OldMode: "100644", NewMode: "100644", Binary: true}, {OldPath: "j", NewPath: "j", Status: Modified, OldMode: "100644", NewMode: "100644"}}},
		{"submodule added", "diff --git a/s b/s\nnew file mode 160000\nindex 0000000..1111111\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+Subproject commit 1111111\n",
			[]File{{NewPath: "s", Status: Added, NewMode: "160000", Submodule: true, Hunks: 1}}},
		{"submodule removed", "diff --git a/s b/s\ndeleted file mode 160000\nindex 1111111..0000000\n--- a/s\n+++ /dev/null\n@@ -1 +0,0 @@\n-Subproject commit 1111111\n",
			[]File{{OldPath: "s", Status: Removed, OldMode: "160000", Submodule: true, Hunks: 1}}},
		{"file becomes a link", "diff --git a/s b/s\ndeleted file mode 100644\nindex 1..0\n--- a/s\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\ndiff --git a/s b/s\nnew file mode 120000\nindex 0..1\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+y\n\\ No newline at end of file\n",
			[]File{{OldPath: "s", Status: Removed, OldMode: "100644", Hunks: 1}, {NewPath: "s", Status: Added, NewMode: "120000", Hunks: 1}}},
		{"mode and content", "diff --git a/s b/s\nold mode 100644\nnew mode 100755\nindex 1..2\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-x\n+y\n",
			[]File{{OldPath: "s", NewPath: "s", Status: Modified, OldMode: "100644", NewMode: "100755", Hunks: 1}}},
		{"hunk cut by the next file", "diff --git a/s b/s\n--- a/s\n+++ b/s\n@@ -1,2 +1,2 @@\n x\ndiff --git a/t b/t\n",
			[]File{{OldPath: "s", NewPath: "s", Status: Modified, Malformed: true, Hunks: 1}, {OldPath: "t", NewPath: "t", Status: Modified}}},
		{"hunk cut by the end", "diff --git a/s b/s\n--- a/s\n+++ b/s\n@@ -1,2 +1,2 @@\n x\n",
			[]File{{OldPath: "s", NewPath: "s", Status: Modified, Malformed: true, Hunks: 1}}},
		{"more lines than counted", "diff --git a/s b/s\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n x\n+y\n",
			[]File{{OldPath: "s", NewPath: "s", Status: Modified, Malformed: true, Hunks: 1}}},
		{"context where the old side is used up", "diff --git a/s b/s\n--- a/s\n+++ b/s\n@@ -0,0 +1,2 @@\n x\n+y\n",
			[]File{{OldPath: "s", NewPath: "s", Status: Modified, Malformed: true, Hunks: 1}}},
		{"added where the new side is used up", "diff --git a/s b/s\n--- a/s\n+++ b/s\n@@ -1,2 +0,0 @@\n-x\n+y\n",
			[]File{{OldPath: "s", NewPath: "s", Status: Modified, Malformed: true, Hunks: 1}}},
		{"counts too large", "diff --git a/s b/s\n--- a/s\n+++ b/s\n@@ -1,99999999999999999999 +1 @@\n x\n",
			[]File{{OldPath: "s", NewPath: "s", Status: Modified, Malformed: true, Hunks: 1}}},
		{"bad escape", "diff --git \"a/\\9\" \"b/\\9\"\nold mode 1\nnew mode 2\n",
			[]File{{Status: Modified, Malformed: true, OldMode: "1", NewMode: "2"}}},
		{"combined", "diff --cc s\nindex 1,2..3\n--- a/s\n+++ b/s\n@@@ -1 -1 +1 @@@\n++x\n",
			[]File{{OldPath: "s", NewPath: "s", Status: Modified, Malformed: true}}},
		{"no prefix", "diff --git s s\n--- s\n+++ s\n@@ -1 +1 @@\n-x\n+y\n",
			[]File{{Status: Modified, Malformed: true, Hunks: 1}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := scanAll(t, strings.NewReader(test.diff), everything)
			checkTotal(t, []byte(test.diff))
			for i := range files {
				files[i].Raw, files[i].Bytes, files[i].Characters = nil, 0, 0
			}
			if difference := cmp.Diff(test.want, files); difference != "" {
				t.Error(difference)
			}
		})
	}
}

// A64: what reads like structure inside a hunk is content.
func TestSpoofedStructureIsContent(t *testing.T) {
	const spoofed = "diff --git a/s b/s\n--- a/s\n+++ b/s\n@@ -1,4 +1,5 @@\n" +
		" diff --git a/evil b/evil\n--- a/evil\n-@@ -1 +1 @@\n+++ b/evil\n+Binary files a/x and b/x differ\n+rename to y\n \\ no\n"
	x := NewIndex([]byte(spoofed))
	if len(x.Files()) != 1 || x.Files()[0].Binary || x.Files()[0].Malformed {
		t.Fatalf("read as %+v", x.Files())
	}
	for line, want := range []string{"diff --git a/evil b/evil", "++ b/evil", "Binary files a/x and b/x differ", "rename to y", "\\ no"} {
		if got, _ := x.Line("s", Right, line+1); got != want {
			t.Errorf("line %d is %q, want %q", line+1, got, want)
		}
	}
	if got, _ := x.Line("s", Left, 2); got != "-- a/evil" {
		t.Errorf("deleted line is %q", got)
	}
}

// A hunk that lies about its counts takes no comment; its neighbours do.
func TestBrokenHunkIsNotCommentable(t *testing.T) {
	x := NewIndex([]byte("diff --git a/s b/s\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-x\n+y\n@@ -5,3 +5,3 @@\n z\n@@ -9 +9 @@\n-v\n+w\n"))
	for line, want := range map[int]bool{1: true, 5: false, 9: true} {
		if got := x.Commentable("s", Right, line); got != want {
			t.Errorf("line %d: commentable %v, want %v", line, got, want)
		}
	}
	if x.SameHunk("s", Right, 1, 9) {
		t.Error("two hunks are one")
	}
}

func TestNotADiff(t *testing.T) {
	for _, input := range []string{"\n", "x", "{\"message\":\"Not Found\"}", "--- a/x\n+++ b/x\n", " diff --git a/x b/x\n", "\ndiff --git a/x b/x\n", "dif"} {
		if err := Scan(strings.NewReader(input), everything, func(File) error { return errors.New("visited") }); !errors.Is(err, ErrNotDiff) {
			t.Errorf("%q: %v", input, err)
		}
	}
	if files := scanAll(t, strings.NewReader(""), everything); files != nil {
		t.Errorf("the empty diff has files: %v", files)
	}
}

func TestErrorsEndTheScan(t *testing.T) {
	broken := errors.New("connection reset")
	source := io.MultiReader(strings.NewReader("diff --git a/x b/x\nold mode 1\n"), iotest.ErrReader(broken))
	scanner := NewScanner(source)
	for scanner.Next(everything) {
		t.Errorf("a file was given although its end was not read: %+v", scanner.File())
	}
	if !errors.Is(scanner.Err(), broken) || scanner.Next(everything) {
		t.Errorf("error is %v", scanner.Err())
	}
	stop := errors.New("enough")
	calls := 0
	err := Scan(bytes.NewReader(readTestdata(t, "a.diff")), 0, func(File) error { calls++; return stop })
	if err != stop || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// Lines longer than the buffer, cut anywhere, in every role a line can have.
func TestLinesLongerThanTheBuffer(t *testing.T) {
	for _, size := range []int{bufferSize - 70, bufferSize - 1, bufferSize, bufferSize + 1, 3*bufferSize + 5} {
		for _, fill := range []string{"x", "é", "€", "🙂", "\xff", "\xe2\x82"} {
			long := strings.Repeat(fill, size/len(fill)) + "tail"
			input := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n " + long + "\n-a\n+" + long + "\ndiff --git a/y b/y\nold mode 1\nnew mode 2\n"
			checkTotal(t, []byte(input))
			files := scanAll(t, strings.NewReader(input), 100)
			if len(files) != 2 || files[0].Raw != nil || files[0].Malformed || files[0].Bytes+files[1].Bytes != int64(len(input)) ||
				files[0].Characters != int64(utf8.RuneCountInString(strings.Split(input, "diff --git a/y")[0])) || string(files[1].Raw) != "diff --git a/y b/y\nold mode 1\nnew mode 2\n" {
				t.Errorf("size %d of %q: %+v", size, fill, files)
			}
		}
	}
	header := "diff --git a/x b/x\nrename from " + strings.Repeat("n", 2*bufferSize) + "\nrename to y\n"
	files := scanAll(t, strings.NewReader(header), everything)
	if len(files) != 1 || !files[0].Malformed || len(files[0].Raw) != len(header) {
		t.Errorf("a name longer than the buffer is not malformed")
	}
}

// A64: many small files and one long line are counted, not held.
func TestLargeDiffsAreCounted(t *testing.T) {
	var input bytes.Buffer
	const files = 60_000
	for range files {
		input.WriteString("diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n")
	}
	input.WriteString("diff --git a/long b/long\n--- a/long\n+++ b/long\n@@ -0,0 +1 @@\n+")
	input.WriteString(strings.Repeat("é", 6_000_000))
	input.WriteString("\ndiff --git a/z b/z\nold mode 100644\nnew mode 100755\n")
	whole := input.Len()
	scanner := NewScanner(&input)
	got, held := 0, 0
	var total, long int64
	for scanner.Next(1000) {
		f := scanner.File()
		got++
		total += f.Bytes
		held = max(held, cap(f.Raw))
		if f.Path() == "long" {
			long = f.Characters
			if f.Raw != nil || f.Malformed {
				t.Errorf("the long line is held or malformed")
			}
		}
		if f.Path() == "z" && !f.ModeOnly {
			t.Error("the file after the long line is lost")
		}
	}
	if scanner.Err() != nil || got != files+2 || held > 8000 {
		t.Errorf("%d files, %d bytes held, %v", got, held, scanner.Err())
	}
	if want := int64(6_000_000 + len("diff --git a/long b/long\n--- a/long\n+++ b/long\n@@ -0,0 +1 @@\n+\n")); long != want {
		t.Errorf("the long file has %d characters, want %d", long, want)
	}
	if want := int64(whole); total != want {
		t.Errorf("%d bytes in all, want %d", total, want)
	}
}
