package checks

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocumentation holds docs/checks.md equal to the rules.
func TestDocumentation(t *testing.T) {
	var page bytes.Buffer
	if err := WriteDocumentation(&page); err != nil {
		t.Fatal(err)
	}
	const name = "../docs/checks.md"
	if *update {
		if err := os.MkdirAll("../docs", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(written), page.String()); diff != "" {
		t.Errorf("%s is not what the rules say (go test ./checks -update writes it):\n%s", name, diff)
	}
}

// TestExamples: the example that a rule says it reports is reported by it, and the one it says is clean is clean.
func TestExamples(t *testing.T) {
	for _, rule := range Rules() {
		whole := func(example string) []byte {
			return []byte(strings.ReplaceAll(example, "<40 hex>", strings.Repeat("1", 40)) + "\n")
		}
		if got := textOf(t, rule.ID, "violates.yml", whole(rule.Violates)); !strings.Contains(got, "["+rule.ID+"]") {
			t.Errorf("%s does not report its example; it says:\n%s", rule.ID, got)
		}
		if got := textOf(t, rule.ID, "passes.yml", whole(rule.Passes)); got != "" {
			t.Errorf("%s reports the example that is clean:\n%s", rule.ID, got)
		}
	}
}
