package account

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

func decode(t testing.TB, name string, record any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "model", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := contract.Decode(data, record); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// model has the records of one Run of the data model.
func model(t testing.TB, run string) Records {
	t.Helper()
	r := Records{Decision: &contract.Decision{}, Task: &contract.Task{}, Result: &contract.Result{}, Applied: &contract.Applied{},
		Outcome: &contract.Outcome{}, Server: DefaultServer}
	var facts contract.Facts
	for kind, record := range map[string]any{"decision": r.Decision, "task": r.Task, "result": r.Result, "applied": r.Applied, "outcome": r.Outcome, "facts": &facts} {
		decode(t, run+"."+kind+".json", record)
	}
	r.Changed = facts.Content.Files
	return r
}

const (
	runA = "run-db93904f83c62707abbb84a5"
	runB = "run-1ca64a37f06e75eabc7d6e40"
)

// row is what the tests compare of a Finding.
type row struct {
	id, severity, state, url string
	gates, open              bool
}

func rows(findings []Finding) []row {
	var list []row
	for _, f := range findings {
		list = append(list, row{f.ID, f.Severity, f.State, strings.TrimPrefix(f.URL, DefaultServer+"/example-org/ledger/pull/12#"), f.Gates, f.Open})
	}
	return list
}

// TestFindings holds what is said of the Findings of the data model's two Runs: those of the Run in the Result's order, then what
// is open of before.
func TestFindings(t *testing.T) {
	a, b := Of(model(t, "A")), Of(model(t, "B"))
	for _, c := range []struct {
		name string
		got  []Finding
		want []row
	}{
		{"A", a.Findings, []row{
			{runA + "/f1", "critical", StatePosted, "discussion_r61001", true, true},
			{runA + "/f2", "major", StatePosted, "discussion_r61002", true, true},
			{runA + "/f3", "minor", StatePosted, "pullrequestreview-51001", false, false},
			{runA + "/f4", "major", StatePosted, "pullrequestreview-51001", true, true}}},
		{"B", b.Findings, []row{
			{runB + "/f1", "major", StatePosted, "discussion_r61021", true, true},
			{runA + "/f1", "critical", StateEarlier, "", true, true},
			{runA + "/f2", "major", StateEarlier, "", true, true}}},
	} {
		if difference := cmp.Diff(c.want, rows(c.got), cmp.AllowUnexported(row{})); difference != "" {
			t.Errorf("Run %s (-want +got):\n%s", c.name, difference)
		}
	}
	if got := a.Findings[0].Title.Raw(); got != "The owner is pasted into the SQL text" {
		t.Errorf("title %q", got)
	}
	if got := a.Findings[0].Text.Raw(); !strings.HasPrefix(got, "An owner such as a quote") {
		t.Errorf("text %q", got)
	}
	Join([]Account{a, b})
	if f := b.Findings[1]; f.State != StateEarlier || !strings.HasSuffix(f.URL, "#discussion_r61001") || f.Fingerprint != a.Findings[0].Fingerprint {
		t.Errorf("the Finding of Run A in Run B's account after Join: %+v", f)
	}
}

// TestEffectsAndAnswers holds Run B, whose last reply failed: asked, done, read back, and the answer that does not stand.
func TestEffectsAndAnswers(t *testing.T) {
	b := Of(model(t, "B"))
	var effects []string
	for _, e := range b.Effects {
		code := ""
		if e.Why != nil {
			code = string(e.Why.Code)
		}
		effects = append(effects, strings.Join([]string{e.ID, e.State, code, plainLine(e.Asked.line()), plainLine(e.readBack())}, " | "))
	}
	want := []string{
		"e1 | applied |  | asked: threads for f1; answers " + runA + "/f4 | read back: review 51002 of user id 190000001 with 1 thread, on b7e9d2a4c6f80123456789abcdef0123456789ab",
		"e2 | applied |  | asked: about " + runA + "/f1 | read back: comment 61022 of user id 190000001",
		"e3 | failed | platform_error | asked: about " + runA + "/f2 | not read back",
	}
	if difference := cmp.Diff(want, effects); difference != "" {
		t.Errorf("effects (-want +got):\n%s", difference)
	}
	var answers []string
	for _, a := range b.Answers {
		answers = append(answers, strings.Join([]string{strings.TrimPrefix(a.Finding, runA), a.Half, a.Verdict, *a.Of, a.State, a.Effect, map[bool]string{true: "open", false: "closed"}[a.StaysOpen]}, " "))
	}
	if difference := cmp.Diff([]string{"/f4 reviewer accepted fixed posted e1 closed", "/f1 reviewer rejected fixed posted e2 open",
		"/f2 reviewer accepted fixed failed e3 open"}, answers); difference != "" {
		t.Errorf("answers (-want +got):\n%s", difference)
	}
}

func plainLine(l line) string {
	var out strings.Builder
	for _, s := range l {
		out.WriteString(s.text)
	}
	return out.String()
}

// TestRefusedTextStays holds that of a Result which was refused no text leaves in any form: it may be why it was refused. Nor does
// a path that is not of the change; one that is does.
func TestRefusedTextStays(t *testing.T) {
	r := model(t, "A")
	const leak = "LEAKED"
	known := *r.Result.Findings[0].Path
	path, text := untrusted.New("secret/"+leak), untrusted.New(leak+" in a text")
	for n := range r.Result.Findings {
		f := &r.Result.Findings[n]
		f.Title, f.Text = text, text
		if n > 0 {
			f.Path = &path
		}
	}
	r.Result.Effects[0].SubmitReview.Body = text
	r.Applied.Effects, r.Applied.Findings = []contract.AppliedEffect{}, []contract.Finding{}
	r.Outcome.Status, r.Outcome.Reasons, r.Outcome.GatingOpen = contract.StatusRefused, []contract.Code{contract.CodeTextSecret}, []string{}
	a := Of(r)
	for _, f := range a.Findings {
		if f.State != StateNotPosted || f.Title != nil || f.Text != nil {
			t.Errorf("%+v", f)
		}
	}
	if a.Findings[0].Path == nil || *a.Findings[0].Path != known || a.Findings[1].Path != nil {
		t.Errorf("paths %v and %v", a.Findings[0].Path, a.Findings[1].Path)
	}
	data, err := JSON([]Account{a})
	if err != nil {
		t.Fatal(err)
	}
	for format, made := range map[string]string{"text": Text([]Account{a}, TextOptions{}), "markdown": Markdown([]Account{a}), "json": string(data)} {
		if strings.Contains(made, leak) {
			t.Errorf("%s tells a refused text:\n%s", format, made)
		}
		if !strings.Contains(made, "text_secret") || !strings.Contains(made, runA+"/f1") {
			t.Errorf("%s does not say what was refused:\n%s", format, made)
		}
	}
}

// TestUnpostedStates holds what is said of a Finding whose Effect did not come to stand.
func TestUnpostedStates(t *testing.T) {
	for _, c := range []struct{ state, want string }{
		{contract.StateFailed, "not posted as far as is known: its Effect failed"},
		{contract.StateRefused, "not posted: its Effect was refused"},
		{contract.StateNotAttempted, "not posted: its Effect was not attempted"},
		{contract.StateApplied, "not posted"},
	} {
		r := model(t, "A")
		r.Applied.Findings, r.Applied.Effects[0].State = nil, c.state
		if got := Of(r).Findings[0].stateWords(); got != c.want {
			t.Errorf("%s: %q, want %q", c.state, got, c.want)
		}
	}
}

// TestResultAlone holds that without the record of the writes nothing is said not to have been posted or tried.
func TestResultAlone(t *testing.T) {
	for _, run := range []string{"A", "B"} {
		r := model(t, run)
		text := Text([]Account{Of(Records{Result: r.Result})}, TextOptions{})
		for _, claim := range []string{"not posted", ": not tried"} {
			if strings.Contains(text, claim) {
				t.Errorf("%s: no record of the writes is there, and it says %q:\n%s", run, claim, text)
			}
		}
		if !strings.Contains(text, "not known whether it was posted") || !strings.Contains(text, "not known whether it was tried") {
			t.Errorf("%s: it does not say what is not known:\n%s", run, text)
		}
	}
}

// TestAbsent holds that an account of a part of the records says which others it lacks, and makes no link it does not know.
func TestAbsent(t *testing.T) {
	r := model(t, "A")
	for _, c := range []struct {
		name     string
		records  Records
		absent   []string
		headline string
	}{
		{"all", r, []string{}, "airlock / pr-review: completed"},
		{"decision", Records{Decision: r.Decision}, []string{"result/1", "applied/1", "outcome/1"}, "airlock / pr-review: admitted; nothing says how it ended"},
		{"outcome", Records{Outcome: r.Outcome}, []string{"decision/1", "result/1", "applied/1"}, "airlock: completed"},
		{"result", Records{Result: r.Result, Server: DefaultServer}, []string{"decision/1", "applied/1", "outcome/1"}, "airlock: nothing says how it ended"},
		{"task", Records{Task: r.Task}, []string{"decision/1", "result/1", "applied/1", "outcome/1"}, "airlock / pr-review: nothing says how it ended"},
		{"applied", Records{Applied: r.Applied, Server: DefaultServer}, []string{"decision/1", "result/1", "outcome/1"}, "airlock / pr-review: nothing says how it ended"},
	} {
		a := Of(c.records)
		if !slices.Equal(a.Absent, c.absent) || plainLine(a.headline()) != c.headline {
			t.Errorf("%s: absent %v, headline %q", c.name, a.Absent, plainLine(a.headline()))
		}
		if text := Text([]Account{a}, TextOptions{}); c.name != "all" && strings.Contains(text, "https://") {
			t.Errorf("%s: links to a repository that it does not know:\n%s", c.name, text)
		}
	}
}

// TestServer holds which addresses a link may begin with.
func TestServer(t *testing.T) {
	for address, want := range map[string]string{
		"https://github.com":            "https://github.com",
		"https://github.example.org/":   "https://github.example.org",
		"http://127.0.0.1:4711":         "http://127.0.0.1:4711",
		"http://github.com":             "",
		"https://github.com/x":          "",
		"https://u:p@github.com":        "",
		"https://github.com?q":          "",
		"javascript:alert(1)":           "",
		"https://github.com)[x](http:/": "",
		"https://git\u202ehub.com":      "",
		"":                              "",
	} {
		if got := serverOf(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}

// TestText holds what a terminal gets: broken lines, colours only where they are asked for.
func TestText(t *testing.T) {
	a := Of(model(t, "B"))
	bare := Text([]Account{a}, TextOptions{Width: 60})
	for _, line := range strings.Split(bare, "\n") {
		if trimmed := strings.TrimLeft(line, " "); len(line) > 60 && strings.Contains(trimmed, " ") || strings.HasSuffix(line, " ") {
			t.Errorf("a line of %d characters that could be broken, or ends in a space: %q", len(line), line)
		}
	}
	if strings.Contains(bare, "\x1b") {
		t.Error("colours that nobody asked for")
	}
	colored := Text([]Account{a}, TextOptions{Width: 60, Color: true})
	if !strings.Contains(colored, "\x1b[31mfailed\x1b[0m") {
		t.Errorf("a failed Run is not red:\n%s", colored)
	}
	for _, sequence := range []string{"\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[1m", "\x1b[0m"} {
		colored = strings.ReplaceAll(colored, sequence, "")
	}
	if colored != bare {
		t.Errorf("colours change the text: %s", cmp.Diff(bare, colored))
	}
}
