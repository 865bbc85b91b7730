package mutants

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed list/*.txt
var lists embed.FS

// Mutant is one edit and the test that must fail for it.
type Mutant struct {
	// At is where the edit stands in the list, "refusal.txt:12".
	At string `json:"at"`
	// File and Package are paths from the module's root, with slashes.
	File    string `json:"file"`
	Package string `json:"package"`
	// Test is the name of a test or of a part of one, "TestRefusal/effect_duplicate".
	Test string `json:"test"`
	// Code is the reason code whose rule is broken, or "".
	Code string `json:"code"`
	// Old is found exactly once in the file; New may be empty.
	Old string `json:"old"`
	New string `json:"new"`
}

// String names the mutant in one line: its place, what is changed, and the test.
func (m Mutant) String() string {
	return fmt.Sprintf("%s: %s: %q -> %q, held by %s", m.At, m.File, m.Old, m.New, m.Test)
}

// All returns the project's own list, in the order of its files.
func All() ([]Mutant, error) {
	folder, err := fs.Sub(lists, "list")
	if err != nil {
		return nil, err
	}
	return Read(folder)
}

// Read parses every *.txt of a folder, by name.
func Read(folder fs.FS) ([]Mutant, error) {
	names, err := fs.Glob(folder, "*.txt")
	if err != nil {
		return nil, err
	}
	var all []Mutant
	for _, name := range names {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		list, err := Parse(name, string(data))
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// Parse reads one list. The error names the line.
func Parse(name, text string) ([]Mutant, error) {
	var all []Mutant
	var now Mutant
	var old, replacement []string
	flush := func() error {
		switch {
		case old == nil && replacement == nil:
			return nil
		case old == nil || replacement == nil:
			return fmt.Errorf("%s: an edit has - lines and then + lines; a bare + takes the text out", now.At)
		case now.File == "" || now.Test == "":
			return fmt.Errorf("%s: an edit stands behind a file line and a test line", now.At)
		}
		m := now
		m.Old, m.New = strings.Join(old, "\n"), strings.Join(replacement, "\n")
		if m.Old == "" || m.Old == m.New {
			return fmt.Errorf("%s: the edit changes nothing", now.At)
		}
		all = append(all, m)
		old, replacement = nil, nil
		return nil
	}
	for i, line := range strings.Split(text, "\n") {
		at := fmt.Sprintf("%s:%d", name, i+1)
		if content, ok := signed(line, '-'); ok {
			if replacement != nil {
				if err := flush(); err != nil {
					return nil, err
				}
			}
			if old == nil {
				now.At = at
			}
			old = append(old, content)
			continue
		}
		if content, ok := signed(line, '+'); ok {
			if old == nil {
				now.At = at
			}
			replacement = append(replacement, content)
			continue
		}
		if err := flush(); err != nil {
			return nil, err
		}
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(line, "#"):
		case words[0] == "file" && len(words) == 2:
			now.File = words[1]
		case words[0] == "test" && len(words) >= 3:
			now.Package, now.Test, now.Code = words[1], strings.Join(words[2:], " "), ""
		case words[0] == "code" && len(words) == 2:
			now.Code = words[1]
		default:
			return nil, fmt.Errorf("%s: neither file, test, code, an edit nor a comment", at)
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return all, nil
}

func signed(line string, sign byte) (content string, ok bool) {
	if line == "" || line[0] != sign || len(line) > 1 && line[1] != ' ' {
		return "", false
	}
	return strings.TrimPrefix(line[1:], " "), true
}

// Source is the mutated file. The error says that the text is not found exactly once.
func (m Mutant) Source(root string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
	if err != nil {
		return nil, err
	}
	if found := strings.Count(string(data), m.Old); found != 1 {
		return nil, fmt.Errorf("the text to take out is found %d times in %s", found, m.File)
	}
	return []byte(strings.Replace(string(data), m.Old, m.New, 1)), nil
}

// Codes lists the reason codes that the mutants cover, sorted.
func Codes(list []Mutant) []string {
	var codes []string
	for _, m := range list {
		if m.Code != "" {
			codes = append(codes, m.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}
