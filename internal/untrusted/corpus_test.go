package untrusted

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed-2ea642bd/airlock/internal/untrusted/untrustedtest"
)

var update = flag.Bool("update", false, "write what testdata/render/*.txtar render to anew")

// vector is a file of an archive in testdata/render, `-- name --`, and what it renders to, `-- name.rendered --`; without
// the second it is to stay as it is. In both \u{200B} stands for U+200B and \x{FF} for a byte; the newline at the end
// belongs to the archive. A line `hosts: a b` at the archive's top says which hosts a link may lead to; without it
// github.com alone.
type vector struct {
	name          string
	options       Options
	input, output string
}

// renderedSuffix ends the name of what a vector renders to.
const renderedSuffix = ".rendered"

var written = regexp.MustCompile(`\\([ux])\{([0-9A-F]+)\}`)

func readWritten(t testing.TB, s string) string {
	return written.ReplaceAllStringFunc(strings.TrimSuffix(s, "\n"), func(e string) string {
		value, err := strconv.ParseUint(e[3:len(e)-1], 16, 32)
		switch {
		case err != nil || e[1] == 'x' && value > 0xFF:
			t.Fatalf("%s is no character", e)
		case e[1] == 'x':
			return string([]byte{byte(value)})
		}
		return string(rune(value))
	})
}

// write is the opposite of readWritten for UTF-8.
func write(s string) string {
	var out strings.Builder
	for _, r := range s {
		if untrustedtest.Hidden(string(r)) != "" {
			fmt.Fprintf(&out, `\u{%X}`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String() + "\n"
}

// readArchive reads the vectors of one archive.
func readArchive(t testing.TB, path string) (*txtar.Archive, []vector) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(data)
	options := allowGitHub
	for line := range strings.Lines(string(archive.Comment)) {
		if hosts, ok := strings.CutPrefix(line, "hosts:"); ok {
			options.Hosts = strings.Fields(hosts)
		}
	}
	var vectors []vector
	for _, file := range archive.Files {
		text := readWritten(t, string(file.Data))
		if name, ok := strings.CutSuffix(file.Name, renderedSuffix); !ok {
			vectors = append(vectors, vector{file.Name, options, text, text})
		} else if last := len(vectors) - 1; last >= 0 && vectors[last].name == name {
			vectors[last].output = text
		} else {
			t.Fatalf("%s: %s does not stand behind what renders to it", path, file.Name)
		}
	}
	return archive, vectors
}

// writeArchive writes the vectors with what they render to now.
func writeArchive(t testing.TB, path string, archive *txtar.Archive, vectors []vector) {
	t.Helper()
	inputs := map[string][]byte{}
	for _, file := range archive.Files {
		inputs[file.Name] = file.Data
	}
	archive.Files = nil
	for _, v := range vectors {
		archive.Files = append(archive.Files, txtar.File{Name: v.name, Data: inputs[v.name]})
		if got := Render(New(v.input), v.options); got != v.input {
			archive.Files = append(archive.Files, txtar.File{Name: v.name + renderedSuffix, Data: []byte(write(got))})
		}
	}
	if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
		t.Fatal(err)
	}
}

// corpus gives each vector a test of its own, by archive and name.
func corpus(t *testing.T, check func(*testing.T, vector)) {
	paths, err := filepath.Glob("testdata/render/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, path := range paths {
		archive, vectors := readArchive(t, path)
		if *update {
			writeArchive(t, path, archive, vectors)
			_, vectors = readArchive(t, path)
		}
		names := map[string]bool{}
		for _, v := range vectors {
			if names[v.name] {
				t.Errorf("%s has two vectors %s", path, v.name)
			}
			names[v.name] = true
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+v.name, func(t *testing.T) { check(t, v) })
		}
		count += len(vectors)
	}
	if count < 400 {
		t.Errorf("%d vectors are left", count)
	}
}

func TestRenderCorpus(t *testing.T) {
	corpus(t, func(t *testing.T, v vector) {
		got := Render(New(v.input), v.options)
		if got != v.output {
			t.Errorf("renders\n%s\nto\n%s\nwant\n%s", write(v.input), write(got), write(v.output))
		}
		if found := untrustedtest.InSource(got, v.options.Hosts); found != "" {
			t.Errorf("%s is live in\n%s", found, got)
		}
		checkRender(t, v.input)
	})
}

// TestCorpusIsText holds that nothing in the corpus itself is hidden from its reader.
func TestCorpusIsText(t *testing.T) {
	paths, err := filepath.Glob("testdata/render/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if found := untrustedtest.Hidden(string(bytes.ToValidUTF8(data, []byte("\x00")))); found != "" {
			t.Errorf("%s holds a %s", path, found)
		}
	}
}
