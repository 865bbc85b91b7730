package task

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// shownDiff is the diff as the Task's first text says it, with every escape undone.
func shownDiff(t interface{ Fatal(...any) }, task contract.Task) string {
	if len(task.Texts) == 0 || task.Texts[0].Kind != contract.TextDiff {
		t.Fatal("the diff is not the first text")
	}
	raw, err := untrusted.Unescape(task.Texts[0].Text.Raw())
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// left sums what the Task says that it left out of the diff.
func left(task contract.Task) (files int, characters int64) {
	for _, o := range task.Omitted {
		if o.Kind == contract.OmittedDiff || o.Kind == contract.OmittedDiffExcluded {
			files, characters = files+o.Files, characters+o.Characters
		}
	}
	return files, characters
}

// accounted holds that what the Task shows of a diff and what it says that it left out are the whole diff: every character is
// in one of the two, what is shown is whole entries in the diff's order, and the budget is kept as it is shown. entries is the
// diff, cut where its files begin.
func accounted(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, task contract.Task, entries []string, budget int) {
	shown := shownDiff(t, task)
	files, characters := left(task)
	whole := strings.Join(entries, "")
	if got, want := int64(utf8.RuneCountInString(shown))+characters, int64(utf8.RuneCountInString(whole)); got != want {
		t.Fatalf("%d characters are shown or counted, the diff has %d", got, want)
	}
	if size := utf8.RuneCountInString(task.Texts[0].Text.Raw()); size > budget {
		t.Fatalf("%d characters are shown, %d may be", size, budget)
	}
	rest, kept := shown, 0
	for _, entry := range entries {
		if after, ok := strings.CutPrefix(rest, entry); ok && entry != "" {
			rest, kept = after, kept+1
		}
	}
	if rest != "" {
		t.Fatalf("%q is shown, which is no entry of the diff in its order", rest)
	}
	if kept+files != len(entries) {
		t.Fatalf("%d entries are shown and %d left out, the diff has %d", kept, files, len(entries))
	}
}

// TestEveryCharacterIsShownOrCounted draws diffs of files with every kind of line, and budgets and exclusions that leave some
// out.
func TestEveryCharacterIsShownOrCounted(t *testing.T) {
	in := modelInput(t, "A")
	lines := []string{"x", "", "\ttab", "crlf\r", "\x00nul", "\xff\xfe", "\xe2\x82", "żółć 🙂", "\u202eturned", "\U000e0041tag", `\u{202e}`, `\\`, "a\u200bb",
		"diff --git a/x b/x", "--- a/x", "@@ -1 +1 @@", "Binary files a/x and b/x differ", strings.Repeat("long ", 200)}
	rapid.Check(t, func(t *rapid.T) {
		var entries []string
		for n := range rapid.IntRange(1, 6).Draw(t, "files") {
			text := rapid.SliceOfN(rapid.SampledFrom(lines), 1, 8).Draw(t, "lines")
			folder := rapid.SampledFrom([]string{"a", "vendor"}).Draw(t, "folder")
			entries = append(entries, fmt.Sprintf("diff --git a/%[1]s/%[2]d b/%[1]s/%[2]d\nindex 1111111..2222222 100644\n--- a/%[1]s/%[2]d\n+++ b/%[1]s/%[2]d\n@@ -0,0 +1,%[3]d @@\n+%[4]s\n",
				folder, n, len(text), strings.Join(text, "\n+")))
		}
		in := in
		in.Harness.Texts.DiffCharacters = rapid.IntRange(0, 3000).Draw(t, "budget")
		in.Policy.ExcludedPaths = rapid.SampledFrom([][]string{nil, {"vendor/**"}}).Draw(t, "excluded")
		in.Diff = strings.NewReader(strings.Join(entries, ""))
		task, err := Build(in)
		if err != nil {
			t.Fatal(err)
		}
		accounted(t, task, entries, in.Harness.Texts.DiffCharacters)
	})
}

// FuzzBuild holds for any bytes: they make a Task that accounts for each of them, or none at all, and the Task is the same
// however the bytes come.
func FuzzBuild(f *testing.F) {
	in := modelInput(f, "A")
	f.Add([]byte("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"), 100)
	f.Add([]byte("diff --git a/x b/x\nBinary files a/x and b/x differ\ndiff --git \"a/\\377\" \"b/\\377\"\n\xff\xfe\u202e\n"), 60)
	f.Add([]byte("not a diff"), 10)
	f.Fuzz(func(t *testing.T, change []byte, budget int) {
		in := in
		in.Harness.Texts.DiffCharacters = budget & 0xffff
		in.Diff = bytes.NewReader(change)
		task, err := Build(in)
		if err != nil {
			if task.Schema != "" {
				t.Fatal("there is a Task beside the error")
			}
			return
		}
		_, characters := left(task)
		if got, want := int64(utf8.RuneCountInString(shownDiff(t, task)))+characters, int64(utf8.RuneCount(change)); got != want {
			t.Fatalf("%d characters are shown or counted, the diff has %d", got, want)
		}
	})
}

// content is one way that a file of a tree may be.
type content struct {
	name string
	mode os.FileMode
	data string
}

// hostileTree draws a tree of files as a hostile author would make them.
func hostileTree(random *rand.Rand) map[string]content {
	names := []string{"a.txt", "dir/b.go", "with space.txt", "ünï.txt", "tab\tname", "line\nbreak", "quote\".go", `back\slash`, "\xff\xfe", "x b/x", "$(id)", "-n", ".github/workflows/x.yml"}
	bodies := []string{"", "one\n", "one\ntwo\nthree\n", "no end", "crlf\r\nlines\r\n", "\x00\x01binary", "\xff\xfe not text\n", "żółć\n", "\u202eturned\n",
		"diff --git a/q b/q\n--- a/q\n+++ b/q\n@@ -1 +1 @@\n-x\n+y\n", "Binary files a/q and b/q differ\n", "\\ No newline at end of file\n",
		strings.Repeat("a line that stays\n", 40), strings.Repeat("x", 70000) + "\n"}
	tree := map[string]content{}
	for _, name := range names {
		if random.IntN(3) == 0 {
			continue
		}
		mode := os.FileMode(0o644)
		if random.IntN(4) == 0 {
			mode = 0o755
		}
		body := bodies[random.IntN(len(bodies))]
		if random.IntN(8) == 0 {
			mode, body = os.ModeSymlink, "../target"
		}
		tree[name] = content{name, mode, body}
	}
	return tree
}

func (c content) write(t *testing.T, root string) {
	t.Helper()
	path := filepath.Join(root, c.name)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil && c.mode == os.ModeSymlink {
		err = os.Symlink(c.data, path)
	} else if err == nil {
		err = os.WriteFile(path, []byte(c.data), c.mode)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// git runs git in a repository of its own, with nobody's configuration.
func git(t *testing.T, root string, arguments ...string) []byte {
	t.Helper()
	command := exec.Command("git", append([]string{"-c", "core.autocrlf=false", "-c", "core.fileMode=true", "-c", "user.name=a", "-c", "user.email=a@example.org"}, arguments...)...)
	command.Dir = root
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := command.Output()
	if err != nil {
		t.Fatalf("git %s: %v", strings.Join(arguments, " "), err)
	}
	return out
}

// committed writes a tree over what is there, commits it and returns the commit.
func committed(t *testing.T, root string, tree map[string]content) string {
	t.Helper()
	git(t, root, "rm", "-rq", "--cached", "--ignore-unmatch", ".")
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() != ".git" {
			if err := os.RemoveAll(filepath.Join(root, entry.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		tree[name].write(t, root)
	}
	git(t, root, "add", "-A")
	git(t, root, "commit", "-qm", "x", "--allow-empty")
	return strings.TrimSpace(string(git(t, root, "rev-parse", "HEAD")))
}

// TestTaskOfGitsOwnDiffs holds the Task against git: of trees with hostile names, modes, links, binary files, renames and texts,
// git itself says which files changed and how many lines, and the Task accounts for each.
func TestTaskOfGitsOwnDiffs(t *testing.T) {
	root := t.TempDir()
	git(t, root, "init", "-q")
	in := modelInput(t, "A")
	seen := 0
	for seed := range uint64(25) {
		random := rand.New(rand.NewPCG(seed, 1))
		before := hostileTree(random)
		after := hostileTree(random)
		if kept, ok := before["a.txt"]; ok { // a rename
			kept.name = "renamed to.txt"
			after[kept.name] = kept
			delete(after, "a.txt")
		}
		from, to := committed(t, root, before), committed(t, root, after)
		change := git(t, root, "diff", "--no-ext-diff", "--no-color", from, to)
		var entries []string
		for _, raw := range bytes.Split(git(t, root, "diff", "--raw", "-z", "-M", from, to), []byte{0}) {
			if !bytes.HasPrefix(raw, []byte{':'}) {
				continue
			}
			// git shows a file that becomes a link, or a link that becomes a file, as a removal and an addition
			if fields := strings.Fields(string(raw)); fields[4] == "T" {
				entries = append(entries, "")
			}
			entries = append(entries, "")
		}
		if len(entries) == 0 {
			continue
		}
		seen++
		for _, budget := range []int{0, 200, 2000, 1 << 30} {
			in.Harness.Texts.DiffCharacters = budget
			in.Diff = bytes.NewReader(change)
			task, err := Build(in)
			if err != nil {
				t.Fatalf("tree %d: %v", seed, err)
			}
			shown := shownDiff(t, task)
			files, characters := left(task)
			if got := int64(utf8.RuneCountInString(shown)) + characters; got != int64(utf8.RuneCount(change)) {
				t.Errorf("tree %d, budget %d: %d characters are accounted for, the diff has %d", seed, budget, got, utf8.RuneCount(change))
			}
			if budget == 1<<30 {
				if shown != string(change) || files != 0 {
					t.Errorf("tree %d: with room for all, what is shown is not git's diff", seed)
				}
			} else if budget == 0 && files != len(entries) {
				t.Errorf("tree %d: %d files are counted, git says %d", seed, files, len(entries))
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %s trees differed", strconv.Itoa(seen))
	}
}

// TestALineOfTenMegabytes is left out whole over the budget and shown whole under it; the memory it costs is the budget's
// (TestMemoryIsBoundedByTheBudget).
func TestALineOfTenMegabytes(t *testing.T) {
	long := entry("long.txt", 1, strings.Repeat("y", 10<<20))
	short := entry("short.txt", 1, "z")
	for budget, want := range map[int]string{1000: short, 20 << 20: long + short} {
		task := built(t, func(in *Input) {
			in.Harness.Texts.DiffCharacters = budget
			in.Diff = strings.NewReader(long + short)
		})
		if got := shownDiff(t, task); got != want {
			t.Errorf("budget %d: %d characters are shown, want %d", budget, len(got), len(want))
		}
		accounted(t, task, []string{long, short}, budget)
	}
}
