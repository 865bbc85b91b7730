package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// modelFiles reads Run A's bundle of the data model.
func modelFiles(t *testing.T) (map[string][]byte, string) {
	t.Helper()
	files := map[string][]byte{}
	for name, source := range map[string]string{DecisionFile: "A.decision.json", FactsFile: "A.facts.json", DiffFile: "A.diff.patch",
		RoleFile: "role.json", PromptFile: "prompt.md", PolicyFile: "policy.json", AppsFile: "apps.json", HarnessFile: "harness.json"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "model", source))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	return files, contract.Digest(files[DecisionFile])
}

func TestOpen(t *testing.T) {
	files, digest := modelFiles(t)
	b, err := Open(files, digest)
	if err != nil {
		t.Fatal(err)
	}
	if b.Decision.Run != "run-db93904f83c62707abbb84a5" || b.Facts.Item.Number != 12 || len(b.Diff) != 917 || b.Role.Name != "pr-review" ||
		len(b.Prompt) != 25 || len(b.Policy.Maintainers) != 1 || len(b.Apps.Apps) != 1 || len(b.Harness.Engines) != 1 {
		t.Errorf("not the model's bundle: %+v", b.Decision)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, name := range Names() {
		for what, change := range map[string]func(map[string][]byte){
			"missing":   func(f map[string][]byte) { delete(f, name) },
			"truncated": func(f map[string][]byte) { f[name] = f[name][:len(f[name])-1] },
			"appended":  func(f map[string][]byte) { f[name] = append(append([]byte{}, f[name]...), ' ') },
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				files, digest := modelFiles(t)
				change(files)
				_, err := Open(files, digest)
				var fault *Error
				if !errors.As(err, &fault) || fault.Code != contract.CodeBundleMismatch || fault.File != name {
					t.Errorf("got %v, want bundle_mismatch of %s", err, name)
				}
			})
		}
	}
}

func TestOpenRefusesAnInvalidRecord(t *testing.T) {
	files, _ := modelFiles(t)
	files[DecisionFile] = []byte(`{"schema":"decision/2"}`)
	_, err := Open(files, contract.Digest(files[DecisionFile]))
	var fault *Error
	if !errors.As(err, &fault) || fault.Code != contract.CodeRecordInvalid {
		t.Errorf("got %v, want record_invalid", err)
	}
}

// TestOpenRefusesADecisionOfSomethingElse changes one field of the Decision, as a program with a fault could have written it.
func TestOpenRefusesADecisionOfSomethingElse(t *testing.T) {
	for field, change := range map[string]func(*contract.Decision){
		"role":          func(d *contract.Decision) { d.Role = "other" },
		"item":          func(d *contract.Decision) { d.Item.Number++ },
		"repository.id": func(d *contract.Decision) { d.Repository.ID++ },
		"commit":        func(d *contract.Decision) { d.Commit = strings.Repeat("0", 40) },
		"base_ref":      func(d *contract.Decision) { d.BaseRef = untrusted.New("release") },
		"content_id":    func(d *contract.Decision) { d.ContentID = contract.Digest(nil) },
		"files_digest":  func(d *contract.Decision) { d.FilesDigest = contract.Digest(nil) },
		"run":           func(d *contract.Decision) { d.Workflow.Attempt++ },
	} {
		t.Run(field, func(t *testing.T) {
			files, _ := modelFiles(t)
			var decision contract.Decision
			if err := contract.Decode(files[DecisionFile], &decision); err != nil {
				t.Fatal(err)
			}
			change(&decision)
			data, err := contract.Canonical(decision)
			if err != nil {
				t.Fatal(err)
			}
			files[DecisionFile] = data
			_, err = Open(files, contract.Digest(data))
			var fault *Error
			if !errors.As(err, &fault) || fault.Code != contract.CodeBundleMismatch || err.Error() != "decision.json: field "+field+" is not what the other files say" {
				t.Errorf("got %v", err)
			}
		})
	}
}
