package demo

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentedExample plays the example of docs/demo.md from its own text.
func TestDocumentedExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/demo.md")
	if err != nil {
		t.Fatal(err)
	}
	root, files := t.TempDir(), 0
	for _, block := range regexp.MustCompile("(?ms)^```[a-z]+ (\\S+)\n(.*?)^```$").FindAllSubmatch(page, -1) {
		path := filepath.Join(root, filepath.FromSlash(string(block[1])))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, block[2], 0o600)); err != nil {
			t.Fatal(err)
		}
		files++
	}
	if files != 4 {
		t.Fatalf("the page shows %d files, want 4", files)
	}
	o := options(t, built(t))
	var out bytes.Buffer
	o.Folder, o.Stdout = root, &out
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`change      #7 "Greet by name" by passer-by, an outside author`, `f1  critical, security, gates: "A name is run as a command"`,
		"a thread on greet.sh, line 2, because its line is in a hunk", "1 review and 0 replies by our App, 1 thread, 1 check"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("the account does not say %q:\n%s", line, out.String())
		}
	}
}

// TestEveryFieldIsDocumented holds that docs/demo.md names every field of a scenario.
func TestEveryFieldIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/demo.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("scenario.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range regexp.MustCompile("`json:\"([a-z_]+)\"`").FindAllSubmatch(source, -1) {
		if !bytes.Contains(page, []byte("`"+string(tag[1])+"`")) {
			t.Errorf("docs/demo.md does not name the field %s", tag[1])
		}
	}
}
