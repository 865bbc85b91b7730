package export

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestPrune(t *testing.T) {
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for name, kept := range map[string]bool{
		"invoices-2016-11-29.csv": false,
		"invoices-2016-11-30.csv": true,
		"invoices-2026-11-29.csv": true,
		"invoices-draft.csv":      true,
		"notes.txt":               true,
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, name)
			if err := os.WriteFile(path, []byte("number\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := Prune(folder, 10, now); err != nil {
				t.Fatal(err)
			}
			_, err := os.Stat(path)
			if got := !errors.Is(err, fs.ErrNotExist); got != kept {
				t.Errorf("kept is %t, want %t", got, kept)
			}
		})
	}
}
