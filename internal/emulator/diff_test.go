package emulator

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// numbered makes a text of n lines, some replaced.
func numbered(n int, replace map[int]string) string {
	var text strings.Builder
	for i := 1; i <= n; i++ {
		if line, replaced := replace[i]; replaced {
			text.WriteString(line)
			continue
		}
		fmt.Fprintf(&text, "line %d\n", i)
	}
	return text.String()
}

func text(content string) File { return File{Content: []byte(content), Mode: modeFile} }

func TestDiffEqualsGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal("this test compares with git itself: install git")
	}
	goFile := "package store\n\nimport \"context\"\n\nfunc (s *Store) Find(ctx context.Context) error {\n\treturn nil\n}\n\n// Close releases the pool.\nfunc (s *Store) Close() error {\n\treturn s.pool.Close()\n}\n"
	type diffCase struct {
		name          string
		before, after Tree
	}
	cases := []diffCase{
		{"line changed", Tree{"a.txt": text(numbered(20, nil))}, Tree{"a.txt": text(numbered(20, map[int]string{10: "ten\n"}))}},
		{"two hunks", Tree{"a.txt": text(numbered(40, nil))}, Tree{"a.txt": text(numbered(40, map[int]string{2: "two\n", 30: ""}))}},
		{"hunks joined at six lines apart", Tree{"a.txt": text(numbered(40, nil))}, Tree{"a.txt": text(numbered(40, map[int]string{10: "ten\n", 17: "x\n"}))}},
		{"hunks apart at seven", Tree{"a.txt": text(numbered(40, nil))}, Tree{"a.txt": text(numbered(40, map[int]string{10: "ten\n", 18: "x\n"}))}},
		{"function added, section shown", Tree{"s.go": text(goFile)}, Tree{"s.go": text(strings.Replace(goFile, "// Close", "// Add adds.\nfunc (s *Store) Add() {}\n\n// Close", 1))}},
		{"no newline at the end, both", Tree{"a": text("one\ntwo")}, Tree{"a": text("one\nthree")}},
		{"newline added at the end", Tree{"a": text("one\ntwo")}, Tree{"a": text("one\ntwo\n")}},
		{"new file", Tree{}, Tree{"dir/new.txt": text("one\ntwo\n")}},
		{"new empty file", Tree{"x": text("x")}, Tree{"x": text("x"), "empty": text("")}},
		{"deleted file", Tree{"gone": text("one\n")}, Tree{}},
		{"rename of equal content", Tree{"old.txt": text(numbered(9, nil))}, Tree{"new.txt": text(numbered(9, nil))}},
		{"rename with a change", Tree{"old.txt": text(numbered(30, nil))}, Tree{"d/new.txt": text(numbered(30, map[int]string{5: "five\n"}))}},
		{"mode changed", Tree{"run.sh": text("#!/bin/sh\n")}, Tree{"run.sh": {Content: []byte("#!/bin/sh\n"), Mode: modeExecutable}}},
		{"mode and content changed", Tree{"run.sh": text("#!/bin/sh\n")}, Tree{"run.sh": {Content: []byte("#!/bin/sh\nls\n"), Mode: modeExecutable}}},
		{"binary changed", Tree{"b": text("a\x00b")}, Tree{"b": text("a\x00c")}},
		{"binary added", Tree{}, Tree{"b": text("a\x00b")}},
		{"script with a NUL byte", Tree{"run.sh": text("ls\n")}, Tree{"run.sh": text("ls\n# \x00\n")}},
		{"NUL as byte 8000", Tree{}, Tree{"b": text(strings.Repeat("x", 7999) + "\x00" + strings.Repeat("x", 99))}},
		{"NUL as byte 8001", Tree{}, Tree{"b": text(strings.Repeat("x", 8000) + "\x00\n")}},
		{"quoted path", Tree{}, Tree{"\u00fc \"q\"\\\t.txt": text("one\n")}},
		{"path with a space", Tree{"a b": text("one\n")}, Tree{"a b": text("two\n")}},
		{"symbolic link", Tree{}, Tree{"link": {Content: []byte("target"), Mode: modeSymlink}}},
		{"file becomes a link", Tree{"x": text("one\n")}, Tree{"x": {Content: []byte("target"), Mode: modeSymlink}}},
		{"CRLF", Tree{"a": text("one\r\ntwo\r\n")}, Tree{"a": text("one\r\n2\r\n")}},
		{"content that looks like a header", Tree{"a": text("-- a/x\n")}, Tree{"a": text("-- a/x\n@@ -1 +1 @@\n++ b/x\n")}},
		{"repeated lines", Tree{"a": text("}\n\n}\n\n}\n")}, Tree{"a": text("}\n\n}\n\n}\n\n}\n")}},
	}
	// A block beside an equal one: only moving it down makes the diff git's.
	for i, block := range []string{"}\n\n", "  x\n", "a\nb\nc\n", "\n"} {
		for copies := 1; copies < 4; copies++ {
			same := strings.Repeat(block, copies)
			cases = append(cases, diffCase{fmt.Sprintf("block %d beside %d equal ones", i, copies), Tree{"f": text("first\n" + same + "last\n")}, Tree{"f": text("1st\n" + same + block + "lst\n")}},
				diffCase{fmt.Sprintf("block %d removed beside %d equal ones", i, copies), Tree{"f": text("first\n" + same + block + "last\n")}, Tree{"f": text("1st\n" + same + "lst\n")}})
		}
	}
	random := rand.New(rand.NewSource(7))
	for i := range 120 {
		alphabet := 30 + 5*i
		lines := func() string {
			var b strings.Builder
			for range random.Intn(30) {
				fmt.Fprintf(&b, "word %d\n", random.Intn(alphabet))
			}
			return b.String()
		}
		common := lines()
		cases = append(cases, diffCase{fmt.Sprint("random ", i), Tree{"f": text(lines() + common + lines())}, Tree{"f": text(lines() + common + lines())}})
	}
	trees := make([][2]Tree, len(cases))
	for i, c := range cases {
		trees[i] = [2]Tree{c.before, c.after}
	}
	wanted := gitDiffs(t, git, trees)
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := string(unifiedDiff(compareTrees(c.before, c.after), shortestAbbreviation))
			if difference := cmp.Diff(wanted[i], got); difference != "" {
				t.Errorf("not git's bytes (-git +ours):\n%s", difference)
			}
		})
	}
}

// gitDiffs is what git itself prints for pairs of trees. Git finds the trees by our ids of them, so those are
// compared too.
func gitDiffs(t *testing.T, git string, pairs [][2]Tree) []string {
	t.Helper()
	directory := t.TempDir()
	run := func(input string, arguments ...string) string {
		t.Helper()
		command := exec.Command(git, arguments...)
		command.Dir, command.Stdin = directory, strings.NewReader(input)
		command.Env = []string{"HOME=" + directory, "GIT_CONFIG_NOSYSTEM=1", "PATH=" + os.Getenv("PATH")}
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", arguments, err, output)
		}
		return string(output)
	}
	var stream, asked strings.Builder
	for i, pair := range pairs {
		for j, tree := range pair {
			fmt.Fprintf(&stream, "commit refs/heads/case-%d-%d\ncommitter a <a@example.com> 0 +0000\ndata 0\n", i, j)
			for _, path := range tree.paths() {
				fmt.Fprintf(&stream, "M %s inline %s\ndata %d\n%s\n", tree[path].mode(), quotePath(path), len(tree[path].Content), tree[path].Content)
			}
			stream.WriteString("\n")
		}
		fmt.Fprintf(&asked, "%s %s\n", pair[0].id(), pair[1].id())
	}
	run("", "init", "-q")
	run(stream.String(), "fast-import", "--quiet")
	output := run(asked.String(), "diff-tree", "--stdin", "-r", "-p", "-M", "--abbrev=7")
	headings := strings.SplitAfter(strings.TrimSuffix(asked.String(), "\n"), "\n")
	headings[len(headings)-1] += "\n"
	var diffs []string
	for i, heading := range headings { // git prints each pair it was asked for, then the diff of it
		rest, found := strings.CutPrefix(output, heading)
		if !found {
			t.Fatalf("git's output goes on with %.80q, want %q", output, heading)
		}
		output = ""
		if i+1 < len(headings) {
			diff, _, _ := strings.Cut("\n"+rest, "\n"+headings[i+1])
			rest, output = diff[1:]+"\n", rest[len(diff):]
		}
		diffs = append(diffs, strings.TrimPrefix(rest, "\n"))
	}
	return diffs
}
