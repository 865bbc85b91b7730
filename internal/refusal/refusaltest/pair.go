// Package refusaltest keeps the golden pairs of the reason codes: for each code what one case of it leads to, and what the case
// that comes closest to it does, as text under testdata/refusals/<code>/.
package refusaltest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// Files of a pair.
const (
	Trips = "trips.txt"
	Near  = "near.txt"
)

// UpdateFlag makes the flag -update of a test program, by which [Hold] writes the files anew. A test package calls it once.
func UpdateFlag() *bool { return flag.Bool("update", false, "write the golden files anew") }

// Folder is where the pairs are, seen from a package two folders below the module's root.
func Folder() string { return filepath.Join("..", "..", "testdata", "refusals") }

// Hold holds a text to one file of a code's pair, or writes it.
func Hold(t *testing.T, update bool, code contract.Code, file, text string) {
	t.Helper()
	path := filepath.Join(Folder(), string(code), file)
	if update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with -update", err)
	}
	if difference := cmp.Diff(string(want), text); difference != "" {
		t.Errorf("%s (-file +now; where the change is meant, write it with -update):\n%s", path, difference)
	}
}
