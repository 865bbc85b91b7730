package kernel

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

// modelInput is what decide asked of the Kernel in Run "A" or "B" of the data model.
func modelInput(t testing.TB, run string) (Input, contract.Decision) {
	decision := modelRecord[contract.Decision](t, run+".decision.json")
	return Input{
		Facts:        modelRecord[contract.Facts](t, run+".facts.json"),
		Policy:       modelRecord[contract.Policy](t, "policy.json"),
		Apps:         modelRecord[contract.Apps](t, "apps.json"),
		Role:         modelRecord[contract.Role](t, "role.json"),
		Intent:       decision.Intent,
		EvalsPresent: true,
		Asked:        decision.Asked,
		Workflow:     decision.Workflow,
		Now:          decision.DecidedAt,
	}, decision
}

// modelInputs are the digests of the bundle, from the model's files themselves.
func modelInputs(t testing.TB, run string) contract.Inputs {
	return contract.Inputs{
		Apps:     contract.FileOf(modelFile(t, "apps.json")),
		Diff:     contract.FileOf(modelFile(t, run+".diff.patch")),
		Facts:    contract.FileOf(modelFile(t, run+".facts.json")),
		Harness:  contract.FileOf(modelFile(t, "harness.json")),
		Manifest: contract.FileOf(modelFile(t, "role.json")),
		Policy:   contract.FileOf(modelFile(t, "policy.json")),
		Prompt:   contract.FileOf(modelFile(t, "prompt.md")),
	}
}

func TestDataModel(t *testing.T) {
	for _, run := range []string{"A", "B"} {
		t.Run(run, func(t *testing.T) {
			in, want := modelInput(t, run)
			decision := Decide(in, want.Release, modelInputs(t, run))
			got, err := contract.Canonical(decision)
			if err != nil {
				t.Fatal(err)
			}
			if want := modelFile(t, run+".decision.json"); !bytes.Equal(got, want) {
				t.Errorf("decision differs:\n got %s\nwant %s", got, want)
			}
			if !Report(decision) {
				t.Error("apply has nothing to report of an admitted Run")
			}
		})
	}
}

// at is a moment of Run A's morning, "10:05:00" on its day.
func at(clock string) contract.Time {
	t, err := contract.ParseTime("2026-11-30T" + clock + "Z")
	if err != nil {
		panic(err)
	}
	return t
}

func pointer[T any](v T) *T { return &v }
