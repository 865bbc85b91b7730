// Package vectors plays cases of the field as text files: what people, an attacker, the model and GitHub do, and what must
// then stand on the pull request and in the records. The three programs run as their jobs would start them, against an
// emulated GitHub whose every answer is held to GitHub's own description. testdata/vectors/README.md is the language.
package vectors

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-2ea642bd/airlock/internal/sandbox"
)

const folder = "../../testdata/vectors"

// TestMain makes the test's own executable the keeper of what the run job starts.
func TestMain(m *testing.M) {
	if sandbox.IsKeeper(os.Args) {
		os.Exit(sandbox.Keep())
	}
	os.Exit(m.Run())
}

// TestAttackVectors plays the attacks, one file an attack.
func TestAttackVectors(t *testing.T) { vectors(t, "attacks") }

// TestDeliveryVectors plays the failures of delivery, one file a failure.
func TestDeliveryVectors(t *testing.T) { vectors(t, "delivery") }

func vectors(t *testing.T, kind string) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(folder, kind),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                commands(),
		Setup: func(env *testscript.Env) error {
			tb, ok := env.T().(testing.TB)
			if !ok {
				return fmt.Errorf("a vector is played by a test, not by %T", env.T())
			}
			env.Values[playKey{}] = newPlay(tb)
			return nil
		},
	})
}

// TestEveryRowIsAccountedFor holds the two lists of rows: each row is a vector, or says why it cannot be one, and each vector
// is a row of its list.
func TestEveryRowIsAccountedFor(t *testing.T) {
	for kind, size := range map[string]int{"attacks": attackRows, "delivery": deliveryRows} {
		rows := index(t, kind)
		if len(rows) != size {
			t.Errorf("%s.txt has %d rows, the collection has %d", kind, len(rows), size)
		}
		files, err := filepath.Glob(filepath.Join(folder, kind, "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			id := strings.TrimSuffix(filepath.Base(file), ".txtar")
			if row, listed := rows[id]; !listed || row != "vector" {
				t.Errorf("%s: its row in %s.txt says %q, not vector", file, kind, row)
			}
		}
		for id, row := range rows {
			has := slices.Contains(files, filepath.Join(folder, kind, id+".txtar"))
			switch {
			case row == "vector" && !has:
				t.Errorf("%s.txt: %s has no file", kind, id)
			case row != "vector" && !strings.HasPrefix(row, "none: ") && !strings.HasPrefix(row, "test: "):
				t.Errorf("%s.txt: %s says %q, which is neither vector, nor a test, nor a reason", kind, id, row)
			case strings.HasPrefix(row, "test: "):
				name, _, _ := strings.Cut(strings.TrimPrefix(row, "test: "), " ")
				if !testExists(t, name) {
					t.Errorf("%s.txt: %s names %s, which is no test", kind, id, name)
				}
			}
		}
	}
}

// Sizes of the two collections that the rows come from: 44 attacks, and 101 failures of delivery in public reports.
const (
	attackRows   = 44
	deliveryRows = 101
)

// index reads a list: id, tab, what it is about, tab, "vector", "test: TestName where" or "none: why".
func index(t *testing.T, kind string) map[string]string {
	t.Helper()
	file, err := os.Open(filepath.Join(folder, kind+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "\t")
		if len(parts) != 3 || parts[1] == "" {
			t.Fatalf("%s.txt: %q is not an id, what it is about, and what becomes of it", kind, line)
		}
		if _, twice := rows[parts[0]]; twice {
			t.Errorf("%s.txt: %s is there twice", kind, parts[0])
		}
		rows[parts[0]] = parts[2]
	}
	return rows
}

// testExists looks for a test function of the project by name.
func testExists(t *testing.T, name string) bool {
	t.Helper()
	name, _, _ = strings.Cut(name, "/")
	found := false
	err := filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		if err != nil || found {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git" || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, "_test.go") {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			found = strings.Contains(string(data), "\nfunc "+name+"(")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
