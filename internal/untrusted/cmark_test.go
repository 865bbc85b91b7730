//go:build cmark

// These tests hold Render against cmark-gfm, the parser that GitHub publishes.
// They need its command on PATH: go test -tags cmark ./internal/untrusted

package untrusted

import (
	"encoding/xml"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
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

var active = map[string]*regexp.Regexp{
	"mention":   regexp.MustCompile(`(?:^|[^0-9A-Za-z_])@[A-Za-z0-9]`),
	"email":     regexp.MustCompile(`[A-Za-z0-9]@[A-Za-z0-9]`),
	"reference": regexp.MustCompile(`#[0-9]|\b(?i:GH-[0-9])`),
	"commit":    regexp.MustCompile(`\b[0-9a-f]{40}\b`),
	"math":      regexp.MustCompile(`\$\$`),
}

// plainTags are what Markdown itself makes of text that does nothing.
var plainTags = []string{"p", "br", "blockquote", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "em", "strong", "del", "input"}

// inspect reads what cmark-gfm made of a text and its marker.
func inspect(t interface{ Fatalf(string, ...any) }, source, made string) {
	decoder := xml.NewDecoder(strings.NewReader("<root>" + strings.NewReplacer("<br />", "<br/>", `checked=""`, "", `disabled=""`, "").Replace(made) + "</root>"))
	decoder.Strict = false
	decoder.AutoClose = xml.HTMLAutoClose
	decoder.Entity = xml.HTMLEntity
	quiet := 0 // inside code or a link, where GitHub finds nothing
	comments := 0
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return // control characters inside a fence are no XML
		}
		switch token := token.(type) {
		case xml.StartElement:
			switch name := token.Name.Local; name {
			case "root", "pre":
			case "code":
				quiet++
				for _, attribute := range token.Attr {
					if !plainInfo(strings.TrimPrefix(attribute.Value, "language-")) {
						t.Fatalf("active code %q in\n%q\n%s", attribute.Value, source, made)
					}
				}
			case "a":
				quiet++
				if len(token.Attr) != 1 || !strings.HasPrefix(strings.ToLower(token.Attr[0].Value), "https://github.com") || strings.Contains(token.Attr[0].Value, "/issues/") || strings.Contains(token.Attr[0].Value, "@") {
					t.Fatalf("link %v in\n%q\n%s", token.Attr, source, made)
				}
			default:
				if !slices.Contains(plainTags, name) {
					t.Fatalf("tag %s in\n%q\n%s", name, source, made)
				}
			}
		case xml.EndElement:
			if token.Name.Local == "code" || token.Name.Local == "a" {
				quiet--
			}
		case xml.Comment:
			if string(token) != " marker " {
				t.Fatalf("comment %q in\n%q\n%s", token, source, made)
			}
			comments++
		case xml.CharData:
			if quiet > 0 {
				continue
			}
			for kind, pattern := range active {
				if found := pattern.Find(token); found != nil {
					t.Fatalf("%s %q in\n%q\n%s", kind, found, source, made)
				}
			}
		}
	}
	if comments != 1 {
		t.Fatalf("what follows is swallowed:\n%q\n%s", source, made)
	}
}

func TestCmarkFindsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		got := Render(New(text), allowGitHub)
		inspect(t, text, cmark(t, got+"\n\n<!-- marker -->\n"))
	})
}

func TestCmarkFindsNothingWithinALine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		got := Render(New("**major, tests.** "+strings.Join(strings.Fields(text), " ")), allowGitHub)
		inspect(t, text, cmark(t, got+"\n\n<!-- marker -->\n"))
	})
}

// codeBlock is one code block of cmark's XML, with where it begins.
type codeBlock struct {
	Position string `xml:"sourcepos,attr"`
	Text     string `xml:",chardata"`
}

func fenced(t interface{ Fatalf(string, ...any) }, text string) []string {
	var blocks []string
	decoder := xml.NewDecoder(strings.NewReader(cmark(t, text, "-t", "xml", "--sourcepos")))
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
