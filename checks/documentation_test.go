package checks

import (
	"bytes"
	"os"
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
