package apply

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// placed is where a Finding asks to stand.
type placed struct {
	path        string
	start, line int // 0 where there is none
	side        string
}

func (p placed) finding() contract.RawFinding {
	f := onLine("f1", "correctness", "major", 0)
	if p.path != "" {
		path := untrusted.New(p.path)
		f.Path = &path
	}
	if p.line != 0 {
		f.Line, f.Side = &p.line, &p.side
	}
	if p.start != 0 {
		f.StartLine = &p.start
	}
	return f
}

// lines makes a file of numbered lines, with some replaced; "" takes a line away.
func lines(count int, replaced map[int]string) emulator.File {
	var out strings.Builder
	for n := 1; n <= count; n++ {
		line, changed := replaced[n]
		switch {
		case !changed:
			fmt.Fprintf(&out, "// line %d\n", n)
		case line != "":
			out.WriteString(line + "\n")
		}
	}
	return emulatortest.Text(out.String())
}

// places is a world whose change has two hunks in one file, a renamed file, a deleted one, an added one and a name with
// characters of Markdown in it.
func places(t *testing.T) *world {
	t.Helper()
	return newWorld(t, func(s *emulator.Seed) {
		pull := s.PullRequests[0]
		pull.Base.Tree = emulator.Tree{"two.go": lines(40, nil), "old.go": lines(40, nil), "gone.go": lines(5, nil), "a `b` c.go": lines(5, nil), "other.go": lines(5, nil)}
		pull.Head.Tree = emulator.Tree{"two.go": lines(40, map[int]string{10: "// changed", 12: "", 30: "// changed\n// added"}),
			"new.go": lines(40, map[int]string{20: "// changed"}), "a `b` c.go": lines(5, map[int]string{2: "// changed"}), "added.go": emulatortest.Text("package a\n\nfunc One() {}\n\nfunc Two() {}\n"), "other.go": lines(5, nil)}
	})
}

// TestPlacementsOnTheWire plays every kind of place through the whole program: what is asked of GitHub, what stands there
// afterwards, and what the record says that was read back.
func TestPlacementsOnTheWire(t *testing.T) {
	const right, left = contract.Right, contract.Left
	for name, c := range map[string]struct {
		asks placed
		// stands is the thread that GitHub holds, the zero value where it is a section of the body, which then holds location.
		stands   placed
		location string
	}{
		"an added line":                      {placed{"two.go", 0, 30, right}, placed{"two.go", 0, 30, right}, ""},
		"a line beside a change":             {placed{"two.go", 0, 7, right}, placed{"two.go", 0, 7, right}, ""},
		"a line that goes":                   {placed{"two.go", 0, 12, left}, placed{"two.go", 0, 12, left}, ""},
		"a line beside, as it was":           {placed{"two.go", 0, 27, left}, placed{"two.go", 0, 27, left}, ""},
		"a range":                            {placed{"two.go", 8, 11, right}, placed{"two.go", 8, 11, right}, ""},
		"a range of what goes":               {placed{"two.go", 10, 12, left}, placed{"two.go", 10, 12, left}, ""},
		"a range with equal ends":            {placed{"two.go", 10, 10, right}, placed{"two.go", 0, 10, right}, ""},
		"a range over two hunks":             {placed{"two.go", 10, 30, right}, placed{"two.go", 0, 30, right}, ""},
		"a range that begins outside a hunk": {placed{"two.go", 1, 10, right}, placed{"two.go", 0, 10, right}, ""},
		"a range the wrong way round":        {placed{"two.go", 11, 8, right}, placed{"two.go", 0, 8, right}, ""},
		"an added file":                      {placed{"added.go", 1, 5, right}, placed{"added.go", 1, 5, right}, ""},
		"a deleted file":                     {placed{"gone.go", 0, 3, left}, placed{"gone.go", 0, 3, left}, ""},
		"a range of a deleted file":          {placed{"gone.go", 2, 5, left}, placed{"gone.go", 2, 5, left}, ""},
		"a renamed file":                     {placed{"new.go", 0, 20, right}, placed{"new.go", 0, 20, right}, ""},
		"a renamed file, as it was":          {placed{"new.go", 0, 20, left}, placed{"new.go", 0, 20, left}, ""},
		"a name with backticks":              {placed{"a `b` c.go", 0, 2, right}, placed{"a `b` c.go", 0, 2, right}, ""},
		"a line in no hunk":                  {placed{"two.go", 0, 20, right}, placed{}, "`two.go` line 20"},
		"a line in no hunk, of such a name":  {placed{"a `b` c.go", 0, 50, right}, placed{}, "`` a `b` c.go `` line 50"},
		"a line after the end":               {placed{"added.go", 0, 6, right}, placed{}, "`added.go` line 6"},
		"the left of an added file":          {placed{"added.go", 0, 1, left}, placed{}, "`added.go` line 1"},
		"the right of a deleted file":        {placed{"gone.go", 0, 1, right}, placed{}, "`gone.go` line 1"},
		"a range in no hunk":                 {placed{"two.go", 18, 20, right}, placed{}, "`two.go` line 20"},
		"a file that does not change":        {placed{"other.go", 0, 1, right}, placed{}, "`other.go` line 1"},
		"a file that is not there":           {placed{"none.go", 0, 1, right}, placed{}, "`none.go` line 1"},
		"a renamed file by the name it had":  {placed{"old.go", 0, 20, left}, placed{}, "`old.go` line 20"},
		"a file without a line":              {placed{"two.go", 0, 0, ""}, placed{}, "`two.go`"},
		"no place":                           {placed{}, placed{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := places(t)
			w.admit()
			w.answer(review(c.asks.finding()))
			e := w.apply(nil)
			w.holdsRow(e, row{"completed", "none", "failure", 0}, []contract.Code{contract.CodeGatingFindingsOpen}, []string{postReview, postCheck})
			w.holdsPlace(e, c.stands, c.location)
			if c.asks.start != 0 && c.stands.line != 0 && c.stands.start == 0 && c.asks.start != c.asks.line {
				said := fmt.Sprintf("This is about the lines %d to %d.", c.asks.start, c.asks.line)
				if body := w.State(t).PullRequests[0].Threads[0].Comments[0].Body; !strings.Contains(body, said) {
					t.Errorf("the rest of the range is lost:\n%s", body)
				}
			}
			again := w.apply(nil)
			if again.code != 0 || !slices.Equal(again.states(), []string{contract.StateAlreadyApplied}) || len(again.writes()) != 1 {
				t.Errorf("again: %d, %v by %v\n%s", again.code, again.states(), again.writes(), again.log)
			}
		})
	}
}

// holdsPlace holds the request, GitHub's state and the record of one Finding to a place.
func (w *world) holdsPlace(e ended, want placed, location string) {
	w.t.Helper()
	state := w.State(w.t)
	pull := state.Pull(emulatortest.Number)
	var asked struct {
		Comments []map[string]any `json:"comments"`
	}
	for _, call := range e.calls {
		if call.Method == "POST" && strings.HasSuffix(call.Path, "/reviews") {
			w.must(json.Unmarshal([]byte(call.Request), &asked))
		}
	}
	record := e.applied.Findings[0]
	if want.line == 0 {
		if len(asked.Comments) != 0 || len(pull.Threads) != 0 || record.Placement != contract.PlacementBody || record.Line != nil || record.ThreadID != nil ||
			!strings.Contains(pull.Reviews[0].Body, "-->\n"+location) || !strings.Contains(pull.Reviews[0].Body, "Text of f1.") {
			w.t.Errorf("asked for %v, %d threads, recorded as %s at %v, in\n%s", asked.Comments, len(pull.Threads), record.Placement, record.Line, pull.Reviews[0].Body)
		}
		return
	}
	fields := map[string]any{"path": want.path, "line": float64(want.line), "side": want.side}
	if want.start != 0 {
		fields["start_line"], fields["start_side"] = float64(want.start), want.side
	}
	if len(asked.Comments) != 1 || len(pull.Threads) != 1 {
		w.t.Fatalf("asked for %v, %d threads", asked.Comments, len(pull.Threads))
	}
	delete(asked.Comments[0], "body")
	if fmt.Sprint(asked.Comments[0]) != fmt.Sprint(fields) {
		w.t.Errorf("asked for %v, want %v", asked.Comments[0], fields)
	}
	thread := pull.Threads[0]
	if got := (placed{thread.Path, value(thread.OriginalStartLine), thread.OriginalLine, thread.Side}); got != want || thread.OriginalCommit != w.decision.Commit {
		w.t.Errorf("it stands at %+v on %s, want %+v on %s", got, thread.OriginalCommit, want, w.decision.Commit)
	}
	back := e.applied.Effects[0].ReadBack.Review.Comments[0]
	if back.Path.Raw() != want.path || back.Line != want.line || back.Side != want.side || back.DatabaseID != thread.Comments[0].ID {
		w.t.Errorf("read back %+v", back)
	}
	if got := (placed{record.Path.Raw(), value(record.StartLine), value(record.Line), *record.Side}); got != want || record.Placement != contract.PlacementLine {
		w.t.Errorf("recorded at %+v as %s, want %+v", got, record.Placement, want)
	}
}

func value(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}
