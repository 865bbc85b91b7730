package untrusted

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// vector is one file of testdata/render. Header lines, then `---`, the input, and
// after `===` the output:
//
//	hosts: github.com example.org   the hosts a link may lead to
//	body: escaped                   \u{200B} in input and output stands for U+200B
//	expect: output                  exactly what is after ===
//	expect: unchanged
//	expect: contains TEXT, expect: lacks TEXT
//
// The newline at the end of input and output belongs to the file.
type vector struct {
	options       Options
	input, output string
	expect        []string
}

var escapedRune = regexp.MustCompile(`\\u\{[0-9A-F]+\}`)

func readVector(t *testing.T, path string) vector {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header, body, found := strings.Cut(string(data), "\n---\n")
	if !found {
		t.Fatalf("%s has no line ---", path)
	}
	var v vector
	unescape := func(s string) string { return s }
	for line := range strings.Lines(header) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key {
		case "hosts":
			v.options.Hosts = strings.Fields(value)
		case "expect":
			v.expect = append(v.expect, value)
		case "body":
			unescape = func(s string) string {
				return escapedRune.ReplaceAllStringFunc(s, func(e string) string {
					r, err := strconv.ParseUint(e[3:len(e)-1], 16, 32)
					if err != nil {
						t.Fatalf("%s: %s: %v", path, e, err)
					}
					return string(rune(r))
				})
			}
		default:
			t.Fatalf("%s: header %q is not known", path, line)
		}
	}
	v.input, v.output, _ = strings.Cut(strings.TrimSuffix(body, "\n"), "\n===\n")
	v.input, v.output = unescape(v.input), unescape(v.output)
	if len(v.expect) == 0 {
		t.Fatalf("%s expects nothing", path)
	}
	return v
}

func TestRenderCorpus(t *testing.T) {
	paths, err := filepath.Glob("testdata/render/*.txt")
	if err != nil || len(paths) < 80 {
		t.Fatalf("%d vectors, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			v := readVector(t, path)
			got := Render(New(v.input), v.options)
			for _, expect := range v.expect {
				verb, text, _ := strings.Cut(expect, " ")
				ok := false
				switch verb {
				case "unchanged":
					ok = got == v.input
				case "output":
					ok = got == v.output
				case "contains":
					ok = strings.Contains(got, text)
				case "lacks":
					ok = !strings.Contains(got, text)
				}
				if !ok {
					t.Errorf("expect %s\ninput  %q\ngot    %q\nwanted %q", expect, v.input, got, v.output)
				}
			}
			if again := Render(New(got), v.options); again != got {
				t.Errorf("not idempotent: %q, then %q", got, again)
			}
			checkRender(t, v.input)
		})
	}
}
