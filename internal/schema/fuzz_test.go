package schema

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// FuzzDecode holds that no bytes make a panic, that every error is one of ours, and that what is valid stays valid, and the
// same, in canonical form.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"A.facts", "A.decision", "B.task", "B.result", "B.applied", "A.outcome", "policy", "apps", "harness", "role"} {
		data, err := os.ReadFile(repository + "/testdata/model/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(strings.TrimPrefix(strings.TrimPrefix(name, "A."), "B."), data)
	}
	f.Fuzz(func(t *testing.T, kind string, document []byte) {
		record := recordOf(kind)
		if record == nil {
			return
		}
		if err := Decode(kind+"/1", document, record); err != nil {
			var fault *Error
			if !errors.As(err, &fault) || fault.Reason == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		written, err := contract.Canonical(record)
		if err != nil {
			t.Fatal(err)
		}
		again := recordOf(kind)
		if err := Decode(kind+"/1", written, again); err != nil {
			t.Fatalf("the canonical form of a valid record: %v", err)
		}
		if rewritten, err := contract.Canonical(again); err != nil || !bytes.Equal(written, rewritten) {
			t.Fatalf("canonical form of the canonical form differs: %v", err)
		}
	})
}

// FuzzValidateAnswer holds that no answer makes a panic, and that one which is taken weighs no more than one review.
func FuzzValidateAnswer(f *testing.F) {
	manifest, err := airlock.Files.ReadFile("roles/pr-review.json")
	if err != nil {
		f.Fatal(err)
	}
	var role contract.Role
	if err := Decode("role/1", manifest, &role); err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"A", "B"} {
		data, err := os.ReadFile(repository + "/testdata/model/" + name + ".result.model.json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		answer, err := ValidateAnswer(role, role.Intents[0], document)
		if err == nil && (weigh(answer) > contract.MaxBodyBytes || answer.Status == contract.StatusFailed) {
			t.Fatalf("status %s, weight %d", answer.Status, weigh(answer))
		}
	})
}
