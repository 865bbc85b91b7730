package checks

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// FuzzRun: no file makes the reader or a rule panic, every finding has a place, and a report can always be written.
func FuzzRun(f *testing.F) {
	cases, err := filepath.Glob("testdata/*/*.yml")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range append(cases, "../"+ownWorkflow, "../"+ownRun) {
		source, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		const at = ".github/workflows/a.yml"
		config := Config{Jobs: map[string]Role{at + "#decide": RoleDecide, at + "#run": RoleRun, at + "#apply": RoleApply}}
		fsys := fstest.MapFS{at: {Data: source}, "x/action.yml": {Data: source}}
		report, err := Run(fsys, []string{at, "x/action.yml"}, config)
		if err != nil {
			t.Fatal(err)
		}
		for _, finding := range report.Findings {
			if len(finding.Places) == 0 || finding.Places[0].Line < 1 || finding.Places[0].Column < 1 || finding.Rule == "" || finding.Message == "" {
				t.Errorf("%+v", finding)
			}
		}
		var out bytes.Buffer
		if err := report.WriteText(&out); err != nil {
			t.Error(err)
		}
		if err := report.WriteJSON(&out); err != nil {
			t.Error(err)
		}
	})
}

// FuzzShell: no script makes the reader of scripts panic or stand still.
func FuzzShell(f *testing.F) {
	for _, script := range []string{"a && $(b `c`) <<X\nX\n", "bash -c 'eval \"eval x\"'", "case x in a) b;; esac", "${{ '", "if ((", "\\"} {
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script string) {
		for _, command := range parseShell(script) {
			if len(command.words) == 0 || command.offset < 0 || command.offset > len(script) {
				t.Errorf("%+v", command)
			}
			_ = agentProgram(command)
		}
	})
}
