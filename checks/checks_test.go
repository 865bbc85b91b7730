package checks

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const violating = `on: push
jobs:
  review:
    runs-on: ubuntu-24.04
    permissions: {contents: write}
    steps:
      - run: ./review
        env: {OPENAI_API_KEY: "${{ secrets.K }}"}
`

func repositoryOf(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// TestExitCodes: 0, 1 and 3 by the report, and an error, which is 2, for a path that is none.
func TestExitCodes(t *testing.T) {
	clean := "on: push\njobs: {b: {runs-on: u, permissions: {}, steps: [{run: make}]}}\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		paths []string
		want  int
	}{
		{"clean", map[string]string{".github/workflows/a.yml": clean}, nil, ExitClean},
		{"a violation", map[string]string{".github/workflows/a.yml": violating}, nil, ExitFindings},
		{"a warning", map[string]string{".github/workflows/a.yml": strings.Replace(violating, "    permissions: {contents: write}\n", "", 1)}, nil, ExitFindings},
		{"one file of two is not understood", map[string]string{".github/workflows/a.yml": clean, ".github/workflows/b.yml": "{"}, nil, ExitFindings},
		{"no file is understood", map[string]string{".github/workflows/a.yml": "{"}, nil, ExitUnreadable},
		{"no file at all", map[string]string{"README.md": ""}, nil, ExitUnreadable},
		{"a file that is not there", nil, []string{".github/workflows/absent.yml"}, ExitUnreadable},
		{"a file beyond the bound", map[string]string{".github/workflows/a.yml": strings.Repeat("#", maxFileBytes+1)}, nil, ExitUnreadable},
		{"a file outside the folder of workflows, named", map[string]string{"x.yaml": violating}, []string{"x.yaml"}, ExitFindings},
		{"the same, not named", map[string]string{"x.yaml": violating}, nil, ExitUnreadable},
		{"a vendored folder is left out", map[string]string{"node_modules/x/action.yml": "{", ".github/workflows/a.yaml": clean}, nil, ExitClean},
	} {
		report, err := Run(repositoryOf(c.files), c.paths, Config{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := report.ExitCode(); got != c.want {
			t.Errorf("%s: exit %d, want %d: %+v", c.name, got, c.want, report.Findings)
		}
	}
	for _, name := range []string{"/etc", "../x", ""} {
		if _, err := Run(fstest.MapFS{}, []string{name}, Config{}); err == nil {
			t.Errorf("the path %q is taken", name)
		}
	}
}

// TestJSON holds the machine's form: every place of a finding, and the exit code.
func TestJSON(t *testing.T) {
	report, err := Run(repositoryOf(map[string]string{".github/workflows/a.yml": violating}), nil, Config{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := report.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema     string
		Exit       int
		Findings   []Finding
		Files      []string
		Understood int
	}
	decoder := json.NewDecoder(&out)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil {
		t.Fatal(err)
	}
	at := ".github/workflows/a.yml"
	want := []Finding{{Rule: "B01", Level: LevelError, Message: `job "review" holds a model credential (the secret "K") and a write credential (contents: write)`, Places: []Place{
		{at, 3, 3, `in job "review"`},
		{at, 8, 36, `model credential: the secret "K", as the environment variable "OPENAI_API_KEY"`},
		{at, 5, 19, "write credential: the scope contents: write"},
	}}}
	if diff := cmp.Diff(want, got.Findings); diff != "" {
		t.Error(diff)
	}
	if got.Schema != "airlock-checks/1" || got.Exit != 1 || got.Understood != 1 || len(got.Files) != 1 {
		t.Errorf("%+v", got)
	}
}

// TestTextCannotLeaveItsLine: a name in a workflow cannot start a line, or a workflow command, of its own.
func TestTextCannotLeaveItsLine(t *testing.T) {
	name := "\"x\\n::error::y\\u202e\\e[31m\""
	report, err := Run(repositoryOf(map[string]string{".github/workflows/a.yml": strings.ReplaceAll(violating, "review:", name+":")}), nil, Config{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := report.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"\n::", "\u202e", "\x1b"} {
		if strings.Contains(out.String(), bad) {
			t.Errorf("the text holds %q:\n%q", bad, out.String())
		}
	}
	if !strings.Contains(out.String(), `x\n::error::y\u202e\x1b[31m`) {
		t.Errorf("the name is not shown:\n%q", out.String())
	}
}

// TestSearchesEnd: values that go round in circles, with many ways at each turn, are followed once each. A search that
// follows every way again would not end.
func TestSearchesEnd(t *testing.T) {
	around := func(format, separator string) string {
		return "${{ " + strings.Repeat(format+separator, 20) + format + " }}"
	}
	report, err := Run(repositoryOf(map[string]string{
		".github/workflows/a.yml": `on: {workflow_call: {}, pull_request_target: {}}
permissions: {contents: write}
env: {A: "` + around("env.B", " || ") + `", B: "` + around("env.A", " || ") + `"}
jobs:
  again: {uses: ./.github/workflows/a.yml, secrets: {s: "` + around("secrets.t", " || ") + `", t: "` + around("secrets.s", " || ") + `"}}
  a: {needs: b, runs-on: u, outputs: {o: "` + around("needs.b.outputs.o", " || ") + `"}, steps: [{run: make}]}
  b:
    needs: a
    runs-on: u
    outputs: {o: "` + around("needs.a.outputs.o", " || ") + `"}
    steps:
      - {uses: actions/checkout@x, with: {ref: "${{ needs.a.outputs.o }}"}}
      - {run: "true", env: {K: "${{ env.A }}", L: "${{ secrets.s }}"}}
      - uses: ./x
`,
		"x/action.yml": `name: x
runs: {using: composite, steps: [{uses: ./x}, {uses: ./x}, {uses: ./x}]}
`,
	}), nil, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) == 0 {
		t.Error("actions that call one another without end are understood")
	}
	for _, finding := range report.Findings {
		if finding.Rule != "U01" {
			t.Errorf("%+v", finding)
		}
	}
}

// TestConfig: strict reading, and what the facts in it change.
func TestConfig(t *testing.T) {
	for text, want := range map[string]string{
		"jobs: {a.yml: run}":                                 "is not file#job",
		"jobs: {\"a.yml#b\": think}":                         "neither decide, run nor apply",
		"secrets: {A: both}":                                 "neither model, write, read nor neither",
		"environments: {a: b}":                               "neither model, write, read nor neither",
		"permissions: {think: [contents]}":                   "neither decide, run nor apply",
		"airlock: somewhere":                                 "is not owner/repository",
		"job: {}":                                            "field job not found",
		"jobs: {}\n---\njobs: {}":                            "more than one document",
		"jobs: {\"a.yml#b\": run}\njobs: {\"a.yml#b\": run}": "already defined",
	} {
		if _, err := ParseConfig([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if config, err := ReadConfig(fstest.MapFS{}); err != nil || len(config.Jobs) != 0 {
		t.Errorf("no configuration: %+v, %v", config, err)
	}
	if _, err := ReadConfig(unreadable{}); err == nil {
		t.Error("a configuration that cannot be read is taken for none")
	}
	rules := func(config Config) string {
		report, err := Run(repositoryOf(map[string]string{".github/workflows/a.yml": violating}), nil, config)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, finding := range report.Findings {
			found = append(found, finding.Rule+" "+string(finding.Level))
		}
		return strings.Join(found, ", ")
	}
	for _, c := range []struct {
		name   string
		config Config
		want   string
	}{
		{"none", Config{}, "B01 error"},
		{"the secret is no credential", Config{Secrets: map[string]Kind{"K": KindNeither}}, ""},
		{"a job that is not there", Config{Jobs: map[string]Role{".github/workflows/a.yml#gone": RoleRun}}, "U01 error, B01 error"},
		{"a file that is not there", Config{Jobs: map[string]Role{".github/workflows/gone.yml#run": RoleRun}}, "U01 error, B01 error"},
	} {
		if got := rules(c.config); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	environment := strings.Replace(strings.Replace(violating, "{contents: write}", "{}", 1), "    steps:", "    environment: {name: writes}\n    steps:", 1)
	report, err := Run(repositoryOf(map[string]string{".github/workflows/a.yml": environment}), nil, Config{Environments: map[string]Kind{"writes": KindWrite}})
	if err != nil || len(report.Findings) != 1 || report.Findings[0].Rule != "B01" {
		t.Errorf("an environment that is configured to write: %+v, %v", report.Findings, err)
	}
}

// unreadable is a file system that fails.
type unreadable struct{}

func (unreadable) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("the disk is gone")}
}
