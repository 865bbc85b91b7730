package decide

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/config"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/facts"
	"github.com/seed-2ea642bd/airlock/internal/schema"
)

// gathered is the files that decide hands on, by name.
type gathered map[string][]byte

// gather makes the files that the Decision names. Facts that are not facts/1 are an error: GitHub answered with something
// that no other program would read.
func gather(configuration config.Config, snapshot facts.Snapshot) (gathered, error) {
	files, err := configuration.Bundle()
	if err != nil {
		return nil, err
	}
	record, err := contract.Canonical(snapshot.Facts)
	if err != nil {
		return nil, err
	}
	if err := schema.Validate("facts/1", record); err != nil {
		return nil, fmt.Errorf("what GitHub answered is not facts/1: %w", err)
	}
	files[bundle.FactsFile], files[bundle.DiffFile] = record, snapshot.Diff
	return files, nil
}

// inputs describes the files for the Decision.
func (b gathered) inputs() contract.Inputs {
	of := func(name string) contract.File { return contract.FileOf(b[name]) }
	return contract.Inputs{
		Apps: of(bundle.AppsFile), Diff: of(bundle.DiffFile), Facts: of(bundle.FactsFile), Harness: of(bundle.HarnessFile), Manifest: of(bundle.RoleFile),
		Policy: of(bundle.PolicyFile), Prompt: of(bundle.PromptFile),
	}
}

// add puts the Decision into the bundle and returns its digest.
func (b gathered) add(decision contract.Decision) (string, error) {
	record, err := contract.Canonical(decision)
	if err != nil {
		return "", err
	}
	if err := schema.Validate("decision/1", record); err != nil {
		return "", fmt.Errorf("the Decision is not decision/1: %w", err)
	}
	b[bundle.DecisionFile] = record
	return contract.Digest(record), nil
}

// write makes the directory with all files in it, or leaves nothing: the files are written into a directory beside it, which
// then takes its name. The directory must not exist, or be empty.
func (b gathered) write(directory string) error {
	parent := filepath.Dir(filepath.Clean(directory))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("make the directory above it: %w", err)
	}
	partial, err := os.MkdirTemp(parent, ".airlock-bundle-")
	if err != nil {
		return fmt.Errorf("make a directory beside it: %w", err)
	}
	defer func() { _ = os.RemoveAll(partial) }() // it is gone where it took its name
	if err := os.Chmod(partial, 0o755); err != nil {
		return fmt.Errorf("open the directory to the next step: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if err := os.WriteFile(filepath.Join(partial, name), b[name], 0o644); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	if info, err := os.Stat(directory); err == nil && info.IsDir() {
		if err := os.Remove(directory); err != nil {
			return fmt.Errorf("take the place of an empty directory: %w", err)
		}
	}
	if err := os.Rename(partial, directory); err != nil {
		return fmt.Errorf("give the directory its name: %w", err)
	}
	return nil
}
