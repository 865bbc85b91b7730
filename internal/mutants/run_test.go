package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module is a small module with one package, whose list has one mutant of every end.
var module = map[string]string{
	"go.mod": "module example.test/small\n\ngo 1.24\n",
	"sum/sum.go": `package sum

func Add(a, b int) int { return a + b }

func Zero() int { return 0 }

func At(list []int) int { return list[0] }
`,
	"sum/sum_test.go": `package sum

import "testing"

func TestAdd(t *testing.T) {
	t.Run("two and two", func(t *testing.T) {
		if Add(2, 2) != 4 {
			t.Error("not four")
		}
	})
}

func TestZero(t *testing.T) { Zero() }

func TestRed(t *testing.T) { t.Error("red") }

func TestAt(t *testing.T) {
	if At([]int{7}) != 7 {
		t.Error("not seven")
	}
}
`,
	"list/sum.txt": `# One of every end.
file sum/sum.go
test sum TestAdd/two and two
code usage
- return a + b
+ return a - b
test sum TestZero
- return 0 }
+ return 1 }
- return 0 }
+ return none }
- return 5
+ return 6
- return
+ return 1 +
test sum TestRed
- return 0 }
+ return 2 }
test sum TestNone
- return 0 }
+ return 3 }
test sum TestAdd/two and three
- return 0 }
+ return 4 }
test sum TestAt
- list[0]
+ list[1]
`,
}

func laidOut(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range module {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestEnds holds that only an assertion of the named test is a kill: a survivor, an edit that does not compile, a text that is
// missing or there twice, a test that is red, absent or breaks off are each reported as what they are; and that the tree stays
// as it was.
func TestEnds(t *testing.T) {
	folder := laidOut(t)
	list, err := Read(os.DirFS(filepath.Join(folder, "list")))
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	outcomes, err := Run(context.Background(), list, Options{Root: folder, Workers: 2, Progress: func(_, total int, _ Outcome) { told += 100 / total }})
	if err != nil {
		t.Fatal(err)
	}
	want := []State{Killed, Survived, NoBuild, NoText, NoText, Red, NoTest, NoTest, Crashed}
	if len(outcomes) != len(want) || told != 100/len(want)*len(want) {
		t.Fatalf("%d outcomes, %d told", len(outcomes), told)
	}
	for i, o := range outcomes {
		if o.State != want[i] {
			t.Errorf("%s is %s, want %s\n%s", o.Mutant, o.State, want[i], o.Detail)
		}
	}
	if o := outcomes[0]; o.At != "sum.txt:5" || o.Test != "TestAdd/two and two" || o.Code != "usage" || outcomes[1].Code != "" {
		t.Errorf("read as %+v", o)
	}
	for name, text := range module {
		if data, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(data) != text {
			t.Errorf("%s was touched: %v", name, err)
		}
	}
	report := ReportOf(outcomes)
	if report.Killed != 1 || report.Survived != 1 || report.Faulty != 7 || report.ExitCode() != 2 {
		t.Errorf("report %+v ends with %d", report, report.ExitCode())
	}
	var text, document bytes.Buffer
	if err := report.Text(&text); err != nil || !strings.Contains(text.String(), "survived sum.txt:8: sum/sum.go:") || strings.Contains(text.String(), "sum.txt:5") ||
		!strings.HasSuffix(text.String(), "9 mutants: 1 killed, 1 survived, 7 faulty\n") {
		t.Errorf("%v\n%s", err, text.String())
	}
	var read Report
	if err := report.JSON(&document); err != nil || json.Unmarshal(document.Bytes(), &read) != nil || read.Schema != "mutants/1" || len(read.Mutants) != 9 {
		t.Errorf("%v\n%s", err, document.String())
	}
	if code := ReportOf(outcomes[:2]).ExitCode(); code != 1 {
		t.Errorf("a survivor ends with %d", code)
	}
	if code := ReportOf(outcomes[:1]).ExitCode(); code != 0 {
		t.Errorf("no survivor ends with %d", code)
	}
}

// TestAnInterruptedRun says of what it did not come to that it was not attempted.
func TestAnInterruptedRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	outcomes, err := Run(ctx, []Mutant{{File: "a.go"}}, Options{Root: t.TempDir(), Workers: 1})
	if err == nil || len(outcomes) != 1 || outcomes[0].State != Stopped || ReportOf(outcomes).ExitCode() != 2 {
		t.Errorf("%v, %+v", err, outcomes)
	}
}

// TestLists holds what is no list, with the line that says so.
func TestLists(t *testing.T) {
	for text, want := range map[string]string{
		"- a\n+ b\n":                          "x.txt:1: an edit stands behind a file line",
		"file f\ntest p T\n- a\n":             "x.txt:3: an edit has - lines and then + lines",
		"file f\ntest p T\n+ a\n":             "x.txt:3: an edit has - lines and then + lines",
		"file f\ntest p T\n- a\n\n+ b\n":      "x.txt:3: an edit has - lines",
		"file f\ntest p T\n- a\n+ a\n":        "x.txt:3: the edit changes nothing",
		"file f\ntest p T\n-\n+ a\n":          "x.txt:3: the edit changes nothing",
		"file a b\n":                          "x.txt:1: neither file",
		"test p\n":                            "x.txt:1: neither file",
		"file f\ntest p T\ncode a\n-a\n+ b\n": "x.txt:4: neither file",
	} {
		if list, err := Parse("x.txt", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %s", text, list, err, want)
		}
	}
	list, err := Parse("x.txt", "file f\ntest p T/a b\n-   two\n- lines\n+\n- c\n+ d\n+ e\n")
	if err != nil || len(list) != 2 || list[0].Old != "  two\nlines" || list[0].New != "" || list[1].New != "d\ne" || list[1].Test != "T/a b" {
		t.Errorf("%v, %+v", err, list)
	}
}

// TestProgram holds the command's own faults and its list.
func TestProgram(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		code      int
		says      string
	}{
		{[]string{"-run", "no such mutant"}, 2, "finds none of"},
		{[]string{"-run", "("}, 2, "error parsing regexp"},
		{[]string{"extra"}, 2, "flags alone"},
		{[]string{"-unknown"}, 2, "not defined"},
		{[]string{"-h"}, 0, "Exit codes: 0 every mutant was killed"},
		{[]string{"-list", "-run", "^effect_duplicate$"}, 0, "held by TestRefusal/effect_duplicate"},
	} {
		var out bytes.Buffer
		if code := Program(context.Background(), c.arguments, root, 1, &out, &out, nil); code != c.code || !strings.Contains(out.String(), c.says) {
			t.Errorf("%v ends with %d:\n%s", c.arguments, code, out.String())
		}
	}
}
