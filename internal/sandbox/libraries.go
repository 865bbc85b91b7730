package sandbox

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// libraryDirectories are where the loader of a Linux system looks by itself, the system's own order.
func libraryDirectories(machine elf.Machine) []string {
	multiarch := map[elf.Machine]string{elf.EM_X86_64: "x86_64-linux-gnu", elf.EM_AARCH64: "aarch64-linux-gnu"}[machine]
	var directories []string
	if multiarch != "" {
		directories = append(directories, "/lib/"+multiarch, "/usr/lib/"+multiarch)
	}
	return append(directories, "/lib64", "/usr/lib64", "/lib", "/usr/lib")
}

// librariesOf returns the paths that a program needs to start: its loader, its shared libraries, and theirs; none for a program
// that is static, or no ELF file at all. What a program opens by itself later is not among them.
func librariesOf(program *os.File) ([]string, error) {
	var paths []string
	known := map[string]bool{}
	add := func(path string) {
		if !known[path] {
			known[path] = true
			paths = append(paths, path)
		}
	}
	file, err := elf.NewFile(program)
	if format := (*elf.FormatError)(nil); errors.As(err, &format) || errors.Is(err, io.EOF) {
		return nil, nil // a script
	} else if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	if loader := interpreter(file); loader != "" {
		add(loader)
	}
	// next grows while it is walked.
	next := []*elf.File{file}
	for i := 0; i < len(next); i++ {
		names, err := next[i].ImportedLibraries()
		if err != nil {
			return nil, fmt.Errorf("read the names of its libraries: %w", err)
		}
		for _, name := range names {
			path := libraryPath(file.Machine, name)
			if path == "" {
				return nil, fmt.Errorf("its library %q is not where the system's are", name)
			}
			if known[path] {
				continue
			}
			add(path)
			library, err := elf.Open(path)
			if err != nil {
				return nil, fmt.Errorf("read the library %s: %w", name, err)
			}
			defer library.Close()
			next = append(next, library)
		}
	}
	return paths, nil
}

// interpreter is the path of the loader that a program names, "" for none.
func interpreter(file *elf.File) string {
	for _, part := range file.Progs {
		if part.Type != elf.PT_INTERP {
			continue
		}
		name := make([]byte, min(part.Filesz, 4096))
		if _, err := part.ReadAt(name, 0); err != nil {
			return ""
		}
		if path := strings.TrimRight(string(name), "\x00"); filepath.IsAbs(path) {
			return filepath.Clean(path)
		}
	}
	return ""
}

// libraryPath is where the loader will find a library by its name, "" for nowhere.
func libraryPath(machine elf.Machine, name string) string {
	if filepath.Base(name) != name {
		return ""
	}
	for _, directory := range libraryDirectories(machine) {
		path := filepath.Join(directory, name)
		if state, err := os.Stat(path); err == nil && state.Mode().IsRegular() {
			return path
		}
	}
	return ""
}
