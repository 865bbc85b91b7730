//go:build cmark

// These tests hold Render against cmark-gfm, the parser that GitHub publishes.
// They need its command on PATH: go test -tags cmark ./internal/untrusted

package untrusted

import (
	"encoding/xml"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-2ea642bd/airlock/internal/untrusted/untrustedtest"
)

func cmark(t interface{ Fatalf(string, ...any) }, text string, arguments ...string) string {
	command := exec.Command("cmark-gfm", append(arguments, "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink", "-e", "tasklist", "-e", "footnotes")...)
	command.Stdin = strings.NewReader(text)
	out, err := command.Output()
	if err != nil {
		t.Fatalf("cmark-gfm: %v", err)
	}
	return string(out)
}

// after stands for what is put after a rendered text.
const after = "<!-- marker -->"

// inspect holds that nothing of a text is live as it is posted, and that what follows it is not swallowed.
func inspect(t interface{ Fatalf(string, ...any) }, source, posted string, options Options) {
	made := cmark(t, posted+"\n\n"+after+"\n")
	if strings.Count(made, after) != 1 {
		t.Fatalf("what follows is swallowed:\n%q\n%s", source, made)
	}
	if found := untrustedtest.InHTML(strings.Replace(made, after, "", 1), options.Hosts); found != "" {
		t.Fatalf("%s is live in\n%q\nposted as\n%q\n%s", found, source, posted, made)
	}
}

func TestCmarkCorpus(t *testing.T) {
	corpus(t, func(t *testing.T, v vector) {
		got := Render(New(v.input), v.options)
		inspect(t, v.input, got, v.options)
		if !strings.Contains(v.input, "```") && !strings.Contains(v.input, "~~~") {
			return
		}
		structure := cmark(t, v.input, "-t", "xml")
		for _, undone := range []string{"<html_block", "<table", "<footnote_definition"} {
			if strings.Contains(structure, undone) {
				return // what is in one of these is no code to Render
			}
		}
		if want, got := fenced(t, strings.ToValidUTF8(v.input, "?")), fenced(t, got); !slices.Equal(want, got) {
			t.Errorf("fences %q, want %q", got, want)
		}
	})
}

func TestCmarkFindsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		got := Render(New(text), allowGitHub)
		inspect(t, text, got, allowGitHub)
	})
}

func TestCmarkFindsNothingWithinALine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		got := Render(New("**major, tests.** "+strings.Join(strings.Fields(text), " ")), allowGitHub)
		inspect(t, text, got, allowGitHub)
	})
}

// codeBlock is one code block of cmark's XML, with where it begins.
type codeBlock struct {
	Position string `xml:"sourcepos,attr"`
	Text     string `xml:",chardata"`
}

func fenced(t interface{ Fatalf(string, ...any) }, text string) []string {
	var blocks []string
	withoutControls := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1 // XML has none
		}
		return r
	}, cmark(t, text, "-t", "xml", "--sourcepos"))
	decoder := xml.NewDecoder(strings.NewReader(withoutControls))
	decoder.Strict = false
	lines := strings.Split(text, "\n")
	for {
		token, err := decoder.Token()
		if err != nil {
			return blocks
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "code_block" {
			continue
		}
		var block codeBlock
		if err := decoder.DecodeElement(&block, &start); err != nil {
			t.Fatalf("%v", err)
		}
		row, column := 0, 0
		for i, part := range strings.SplitN(strings.SplitN(block.Position, "-", 2)[0], ":", 2) {
			value := 0
			for _, c := range part {
				value = value*10 + int(c-'0')
			}
			if i == 0 {
				row = value
			} else {
				column = value
			}
		}
		if rest := strings.TrimLeft(lines[row-1][min(column-1, len(lines[row-1])):], " \t"); strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "~~~") {
			before := strings.TrimSuffix(lines[row-1], rest)
			if first, _, _ := strings.Cut(block.Text, "\n"); strings.TrimLeft(first, " \t") == rest && (strings.Contains(before, "    ") || strings.Contains(before, "\t")) {
				continue // indented code that shows a fence
			}
			blocks = append(blocks, block.Text)
		}
	}
}

// Without HTML and tables, which Render undoes, the fences of the input are those
// of the output, byte for byte.
func TestCmarkFindsTheSameFences(t *testing.T) {
	parts := []string{"```", "````", "~~~", "~~~~", "```go", "```\n", "~~~\n", "``` ", "\n", "\n", "\n\n", "\n\n", " ", "  ", "   ", "    ", "\t", "> ", ">", "> > ", "- ", "* ", "-", "+ ", "1. ", "2) ", "10. ", "# ", "---", "===", "***", "- - -", "a", "@user", "#1 ", "`x`", "fixes"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 30).Draw(t, "parts"), "")
		want, got := fenced(t, text), fenced(t, Render(New(text), Options{}))
		if !slices.Equal(want, got) {
			t.Fatalf("%q\nrenders as\n%q\nwith fences\n%q, want\n%q", text, Render(New(text), Options{}), got, want)
		}
	})
}
