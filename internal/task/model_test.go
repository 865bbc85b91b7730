package task

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

func modelFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "model", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func modelRecord[Record any](t testing.TB, name string) Record {
	t.Helper()
	var record Record
	if err := contract.Decode(modelFile(t, name), &record); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return record
}

// modelInput is the bundle of Run "A" or "B" of the data model.
func modelInput(t testing.TB, run string) Input {
	return Input{
		Decision: modelRecord[contract.Decision](t, run+".decision.json"),
		Facts:    modelRecord[contract.Facts](t, run+".facts.json"),
		Role:     modelRecord[contract.Role](t, "role.json"),
		Policy:   modelRecord[contract.Policy](t, "policy.json"),
		Apps:     modelRecord[contract.Apps](t, "apps.json"),
		Harness:  modelRecord[contract.Harness](t, "harness.json"),
		Diff:     bytes.NewReader(modelFile(t, run+".diff.patch")),
	}
}

func TestDataModel(t *testing.T) {
	for _, run := range []string{"A", "B"} {
		t.Run(run, func(t *testing.T) {
			task, err := Build(modelInput(t, run))
			if err != nil {
				t.Fatal(err)
			}
			got, err := contract.Canonical(task)
			if err != nil {
				t.Fatal(err)
			}
			if want := modelFile(t, run+".task.json"); !bytes.Equal(got, want) {
				t.Errorf("task differs:\n got %s\nwant %s", got, want)
			}
		})
	}
}
