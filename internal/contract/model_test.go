package contract

import (
	"os"
	"path/filepath"
	"testing"
)

// TestModelDocuments holds that each document of the data model decodes into its type and is its own canonical form.
func TestModelDocuments(t *testing.T) {
	for name, record := range map[string]any{
		"A.facts.json": &Facts{}, "B.facts.json": &Facts{},
		"A.decision.json": &Decision{}, "B.decision.json": &Decision{},
		"A.task.json": &Task{}, "B.task.json": &Task{},
		"A.result.json": &Result{}, "B.result.json": &Result{},
		"A.result.model.json": &Answer{}, "B.result.model.json": &Answer{},
		"A.applied.json": &Applied{}, "B.applied.json": &Applied{},
		"A.outcome.json": &Outcome{}, "B.outcome.json": &Outcome{},
		"policy.json": &Policy{}, "apps.json": &Apps{}, "harness.json": &Harness{}, "role.json": &Role{},
	} {
		t.Run(name, func(t *testing.T) {
			document, err := os.ReadFile(filepath.Join("..", "..", "testdata", "model", name))
			if err != nil {
				t.Fatal(err)
			}
			if err := Decode(document, record); err != nil {
				t.Fatal(err)
			}
			got, err := Canonical(record)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(document) {
				t.Errorf("canonical form differs:\n got %s\nwant %s", got, document)
			}
		})
	}
}
