package schema

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/xeipuuv/gojsonschema"
)

var update = flag.Bool("update", false, "write golden files, and derive counter-examples for rules that have none")

const (
	repository = "../.."
	stored     = repository + "/testdata/schema"
)

// example is a valid document of a kind, by its path in the repository. Where it is a part of another document, pointer says
// which.
type example struct {
	kind, path, pointer string
}

// name is how counter-examples.json refers to an example.
func (e example) name() string {
	if e.pointer == "" {
		return e.path
	}
	return e.path + "#" + e.pointer
}

// examples lists the valid documents of every kind: the data model's, the embedded defaults, and those of testdata/schema
// that show what the others do not.
func examples(t *testing.T) []example {
	t.Helper()
	list := []example{
		{"facts", "testdata/model/B.facts.json", ""}, {"facts", "testdata/model/A.facts.json", ""},
		{"decision", "testdata/model/A.decision.json", ""}, {"decision", "testdata/model/B.decision.json", ""},
		{"task", "testdata/model/B.task.json", ""}, {"task", "testdata/model/A.task.json", ""},
		{"result", "testdata/model/A.result.json", ""}, {"result", "testdata/model/B.result.json", ""},
		{"effect", "testdata/model/B.result.json", "/effects/0"}, {"effect", "testdata/model/B.result.json", "/effects/1"},
		{"applied", "testdata/model/A.applied.json", ""}, {"applied", "testdata/model/B.applied.json", ""},
		{"finding", "testdata/model/A.applied.json", "/findings/0"}, {"finding", "testdata/model/A.applied.json", "/findings/3"},
		{"disposition", "testdata/model/B.applied.json", "/dispositions/0"},
		{"outcome", "testdata/model/A.outcome.json", ""}, {"outcome", "testdata/model/B.outcome.json", ""},
		{"policy", "testdata/model/policy.json", ""}, {"policy", "config/policy.json", ""},
		{"apps", "testdata/model/apps.json", ""}, {"apps", "config/apps.json", ""},
		{"harness", "testdata/model/harness.json", ""}, {"harness", "config/harness.json", ""},
		{"role", "testdata/model/role.json", ""}, {"role", "roles/pr-review.json", ""},
		{"lock", "roles/lock.json", ""}, {"cases", "evals/pr-review/cases.json", ""},
	}
	answers, err := filepath.Glob(repository + "/evals/pr-review/tune/*/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	further, err := filepath.Glob(stored + "/*/examples/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range answers {
		list = append(list, example{"expected", relative(path), ""})
	}
	for _, path := range further {
		list = append(list, example{filepath.Base(filepath.Dir(filepath.Dir(path))), relative(path), ""})
	}
	return list
}

func relative(path string) string {
	return filepath.ToSlash(strings.TrimPrefix(path, filepath.FromSlash(repository+"/")))
}

func (e example) read(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repository, e.path))
	if err != nil {
		t.Fatal(err)
	}
	if e.pointer == "" {
		return data
	}
	var node any = mustTree(t, data)
	for _, step := range strings.Split(e.pointer, "/")[1:] {
		if list, ok := node.([]any); ok {
			i, err := strconv.Atoi(step)
			if err != nil {
				t.Fatal(err)
			}
			node = list[i]
			continue
		}
		node = node.(map[string]any)[step]
	}
	out, err := json.Marshal(node)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestExamples holds that every example is valid, and that every kind has one.
func TestExamples(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range examples(t) {
		seen[e.kind+"/1"] = true
		t.Run(e.name(), func(t *testing.T) {
			if err := Validate(e.kind+"/1", e.read(t)); err != nil {
				t.Error(err)
			}
		})
	}
	for _, kind := range Kinds() {
		if !seen[kind] {
			t.Errorf("%s has no example", kind)
		}
	}
}

// counterExample breaks one rule, and only that one, of a valid document.
type counterExample struct {
	Rule    string      `json:"rule"`
	Kind    string      `json:"kind"`
	Example string      `json:"example"`
	Patch   []operation `json:"patch"`
}

// TestCounterExamples holds that every rule of every schema has exactly one counter-example: a document that the schema
// refuses, and that it takes as soon as that one rule is removed from it. So no rule is there for nothing, none is implied by
// the others, and the counter-example breaks nothing else.
func TestCounterExamples(t *testing.T) {
	files := mustSources(t)
	known := map[string]example{}
	for _, e := range examples(t) {
		known[e.kind+" "+e.name()] = e
	}
	compiled := map[string]*gojsonschema.Schema{}
	for _, kind := range Kinds() {
		name := strings.TrimSuffix(kind, "/1")
		compiled[name] = mustCompile(t, files, name)
	}
	for _, file := range sortedFiles(files) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(stored, file, "counter-examples.json")
			listed := readCounterExamples(t, path)
			var kept []counterExample
			for _, r := range rulesOf(mustTree(t, files[file]), file) {
				i := slices.IndexFunc(listed, func(c counterExample) bool { return c.Rule == r.pointer })
				if i >= 0 {
					c := listed[i]
					listed = slices.Delete(listed, i, i+1)
					err := only(t, files, compiled, r, c, known)
					if err == nil {
						kept = append(kept, c)
						continue
					}
					if !*update {
						t.Errorf("%s: %v", r.pointer, err)
						continue
					}
				}
				if !*update {
					t.Errorf("%s: no counter-example", r.pointer)
					continue
				}
				c, found := derive(t, files, r)
				if !found {
					t.Errorf("%s: no counter-example can be derived: write one into %s", r.pointer, path)
					continue
				}
				kept = append(kept, c)
			}
			if *update {
				writeCounterExamples(t, path, kept)
				return
			}
			for _, c := range listed {
				t.Errorf("%s: a counter-example of no rule, or a second one", c.Rule)
			}
		})
	}
}

func sortedFiles(files map[string][]byte) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// only returns why a counter-example does not break exactly the rule.
func only(t *testing.T, files map[string][]byte, compiled map[string]*gojsonschema.Schema, r rule, c counterExample, known map[string]example) error {
	t.Helper()
	e, ok := known[c.Kind+" "+c.Example]
	if !ok {
		return fmt.Errorf("there is no example %s of kind %s", c.Example, c.Kind)
	}
	document, err := patch(e.read(t), c.Patch)
	if err != nil {
		return err
	}
	if valid(t, compiled[c.Kind], document) {
		return fmt.Errorf("the counter-example is valid")
	}
	if !valid(t, mustCompile(t, without(t, files, r), c.Kind), document) {
		return fmt.Errorf("the counter-example breaks another rule too")
	}
	return nil
}

func mustCompile(t *testing.T, files map[string][]byte, kind string) *gojsonschema.Schema {
	t.Helper()
	compiled, err := compile(files, kind)
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return compiled
}

func valid(t *testing.T, compiled *gojsonschema.Schema, document []byte) bool {
	t.Helper()
	result, err := compiled.Validate(gojsonschema.NewBytesLoader(document))
	if err != nil {
		t.Fatal(err)
	}
	return result.Valid()
}

func readCounterExamples(t *testing.T, path string) []counterExample {
	t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var list []counterExample
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return list
}

// writeCounterExamples writes one a line.
func writeCounterExamples(t *testing.T, path string, list []counterExample) {
	t.Helper()
	var out bytes.Buffer
	for i, c := range list {
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		separator := ",\n "
		if i == 0 {
			separator = "["
		}
		out.WriteString(separator)
		out.Write(line)
	}
	out.WriteString("]\n")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
