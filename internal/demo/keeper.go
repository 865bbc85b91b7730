package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// keeper keeps records in a folder; the zero value keeps none.
type keeper struct{ folder string }

// newKeeper takes a new or an empty folder, so that what is in it afterwards is of one demo.
func newKeeper(folder string) (keeper, error) {
	if folder == "" {
		return keeper{}, nil
	}
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return keeper{}, usage("--out", "%s is no folder that can be read", folder)
	case len(entries) > 0:
		return keeper{}, usage("--out", "%s is not empty; name a new folder, so that its records are of one demo", folder)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return keeper{}, usage("--out", "%s cannot be made: %v", folder, err)
	}
	return keeper{folder}, nil
}

// file keeps one file under a name with slashes.
func (k keeper) file(name string, data []byte) error {
	if k.folder == "" {
		return nil
	}
	path := filepath.Join(k.folder, filepath.FromSlash(name))
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	return nil
}

// json keeps a value as indented JSON.
func (k keeper) json(name string, value any) error {
	if k.folder == "" {
		return nil
	}
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	return k.file(name, append(data, '\n'))
}
