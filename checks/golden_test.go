package checks

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden holds every rule to testdata/<rule>/<case>.yml and its .out: what the rule and U01 say of the case, standing as
// a workflow in the repository of testdata/repository. A case named ok-… is a near miss and must be clean. In the cases of
// the shape rules the jobs named decide, run and apply are marked as such.
func TestGolden(t *testing.T) {
	for _, rule := range Rules() {
		t.Run(rule.ID, func(t *testing.T) {
			cases, err := filepath.Glob(filepath.Join("testdata", rule.ID, "*.yml"))
			if err != nil {
				t.Fatal(err)
			}
			counts := map[bool]int{}
			for _, name := range cases {
				t.Run(strings.TrimSuffix(filepath.Base(name), ".yml"), func(t *testing.T) {
					got := goldenReport(t, rule.ID, name)
					near := strings.HasPrefix(filepath.Base(name), "ok-")
					counts[near]++
					if near && got != "" {
						t.Errorf("a near miss is reported:\n%s", got)
					}
					if !near && !strings.Contains(got, "["+rule.ID+"]") {
						t.Errorf("the violation is not reported; got:\n%s", got)
					}
					golden := strings.TrimSuffix(name, ".yml") + ".out"
					if *update {
						if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
							t.Fatal(err)
						}
					}
					want, err := os.ReadFile(golden)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(string(want), got); diff != "" {
						t.Errorf("the report differs (-want +got):\n%s", diff)
					}
				})
			}
			if counts[false] < 3 || counts[true] < 2 {
				t.Errorf("%d violating cases and %d near misses; want at least 3 and 2", counts[false], counts[true])
			}
		})
	}
}

// TestEveryRuleIsRegistered fails when a rule is taken out of the list: its cases are still there.
func TestEveryRuleIsRegistered(t *testing.T) {
	var registered []string
	for _, rule := range Rules() {
		registered = append(registered, rule.ID)
		for field, text := range map[string]string{"Title": rule.Title, "Doc": rule.Doc, "Why": rule.Why, "Violates": rule.Violates, "Passes": rule.Passes, "Source": rule.Source, "Level": string(rule.Level)} {
			if text == "" {
				t.Errorf("%s has no %s", rule.ID, field)
			}
		}
	}
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var tested []string
	for _, entry := range entries {
		if entry.Name() != "repository" && entry.Name() != "fuzz" {
			tested = append(tested, entry.Name())
		}
	}
	slices.Sort(registered)
	if diff := cmp.Diff(tested, registered); diff != "" {
		t.Errorf("the rules with cases (-) and the registered rules (+) differ:\n%s", diff)
	}
}

// goldenReport is what one rule and U01 say of a case.
func goldenReport(t *testing.T, rule, name string) string {
	t.Helper()
	source, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return textOf(t, rule, filepath.Base(name), source)
}

// textOf is what one rule and U01 say of one workflow.
func textOf(t *testing.T, rule, base string, source []byte) string {
	t.Helper()
	fsys := repositoryFS(t)
	at := ".github/workflows/" + base
	fsys[at] = &fstest.MapFile{Data: source}
	config := Config{}
	if strings.HasPrefix(rule, "S") {
		config.Jobs = map[string]Role{}
		if f := readFile(at, source); f.root != nil {
			for _, role := range []Role{RoleDecide, RoleRun, RoleApply} {
				if f.root.get("jobs").get(string(role)) != nil {
					config.Jobs[at+"#"+string(role)] = role
				}
			}
		}
	}
	report, err := Run(fsys, []string{at}, config)
	if err != nil {
		t.Fatal(err)
	}
	report.Findings = slices.DeleteFunc(report.Findings, func(f Finding) bool { return f.Rule != rule && f.Rule != "U01" })
	var out bytes.Buffer
	if err := report.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// repositoryFS is testdata/repository in memory.
func repositoryFS(t *testing.T) fstest.MapFS {
	t.Helper()
	fsys := fstest.MapFS{}
	root := os.DirFS(path.Join("testdata", "repository"))
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		fsys[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fsys
}
