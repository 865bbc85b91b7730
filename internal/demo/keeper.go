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
type keeper struct {
	folder string
	// made says that the folder was not there before.
	made bool
}

// newKeeper takes a new or an empty folder, so that what is in it afterwards is of one demo.
func newKeeper(folder string) (keeper, error) {
	if folder == "" {
		return keeper{}, nil
	}
	entries, err := os.ReadDir(folder)
	made := errors.Is(err, fs.ErrNotExist)
	switch {
	case made:
	case err != nil:
		return keeper{}, usage("--out", "%s is no folder that can be read", folder)
	case len(entries) > 0:
		return keeper{}, usage("--out", "%s is not empty; name a new folder, so that its records are of one demo", folder)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return keeper{}, usage("--out", "%s cannot be made: %v", folder, err)
	}
	return keeper{folder, made}, nil
}

// discard removes what was kept, and the folder where it was made: what is in one afterwards is of a whole demo.
func (k keeper) discard() error {
	if k.folder == "" {
		return nil
	}
	if k.made {
		return os.RemoveAll(k.folder)
	}
	entries, err := os.ReadDir(k.folder)
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(k.folder, entry.Name())))
	}
	return err
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
