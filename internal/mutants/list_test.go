package mutants

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

const root = "../.."

// TestListFits holds that every edit of the list is one: its text is found exactly once, the test that it names is there,
// and its code is one of the list of reasons. Whether a test kills it is for make mutants to say.
func TestListFits(t *testing.T) {
	list, err := All()
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]map[string]bool{}
	seen := map[string]string{}
	for _, m := range list {
		if _, err := m.Source(root); err != nil {
			t.Errorf("%s: %v", m.At, err)
		}
		if tests[m.Package] == nil {
			tests[m.Package] = testsOf(t, m.Package)
		}
		if name, _, _ := strings.Cut(m.Test, "/"); !tests[m.Package][name] {
			t.Errorf("%s: %s has no test %s", m.At, m.Package, name)
		}
		if _, known := contract.ReasonOf(contract.Code(m.Code)); m.Code != "" && !known {
			t.Errorf("%s: %s is no reason code", m.At, m.Code)
		}
		key := m.File + "\x00" + m.Old + "\x00" + m.New
		if seen[key] != "" {
			t.Errorf("%s is %s again", m.At, seen[key])
		}
		seen[key] = m.At
	}
}

func testsOf(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(root, pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(data, -1) {
			names[string(found[1])] = true
		}
	}
	return names
}
