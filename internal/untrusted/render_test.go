package untrusted

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-2ea642bd/airlock/internal/untrusted/untrustedtest"
)

var allowGitHub = Options{Hosts: []string{"github.com"}}

// fragments are what the constructs of Markdown and of GitHub are made of.
var fragments = []string{
	"`", "``", "```", "````", "~~~", "~~~~", "```go", "```suggestion", "~~~ suggestion", "``` a b", "\n", "\n\n", "\r\n", "\r", " ", "  ", "    ", "\t",
	"> ", ">", "- ", "* ", "1. ", "2) ", "10. ", "# ", "---", "===", "***", "- - -", "|", "|---|", "| - |", ":-:", "| a | b |",
	"@user", "@acme/team", "@", "＠user", "a@b.co", "#1", "#", "o/r#12", "GH-3", `GH\-3`, "4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930", "fixes #1",
	"/approve", "!merge", "::error::x", "##[group]x", "<b>", "</b>", "<!-- x -->", "<https://evil.example>", "<", ">", "&#64;", "&lt;", "&", ";",
	"![a](https://evil.example/x)", "[t](https://evil.example)", "[t](https://github.com/o/r)", "![t](https://github.com/o/r)", "[a]: https://evil.example", "[a]", "[^1]", "[^1]: x", "![", "](", "]:", "[", "]", "(", ")",
	"https://evil.example/x", "http://evil.example", "https://github.com/o/r/blob/main/a.go#L1", "https://github.com/o/r/issues/1", "https://github.com@evil.example", "www.evil.example", "smb://evil/share", "https", "://", ":", "/", "www", ".",
	"\\", "\\\\", "\\@", "\\#", "$", "$$", "$`", "$x$", "$`x`$", "＃1", "﹫user", ".deploy", "https://github.com/user-attachments/assets/a", "```math", "```mermaid", "```text", "> [!NOTE]\n", "- [ ] ", "*", "**", "_", "a", "1", "word", "s", "h",
	strings.Repeat("`", 80), strings.Repeat("`", 81), strings.Repeat("~", 256), strings.Repeat("- ", 60), `\[`, "@_", "@-", "@.b.co", "`]: x`", "[^`a]: `",
	"\u200b", "\u202e", "\U000e0041", "\ufe0f", "\u00ad", "\u061c", "\x00", "\x1b", "\x7f", "\u0085", "é", "🙂",
}

func drawText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 14).Draw(t, "fragments"), "")
}

// checkRender holds for any text.
func checkRender(t interface{ Fatalf(string, ...any) }, text string) {
	got := Render(New(text), allowGitHub)
	if again := Render(New(got), allowGitHub); again != got {
		t.Fatalf("not idempotent:\n%q\n%q\n%q", text, got, again)
	}
	if len(got) > 2*len(text)+64 {
		t.Fatalf("%d bytes become %d:\n%q\n%q", len(text), len(got), text, got)
	}
	if !utf8.ValidString(got) {
		t.Fatalf("not UTF-8: %q", got)
	}
	if found := untrustedtest.InSource(got, allowGitHub.Hosts); found != "" {
		t.Fatalf("%s is live in\n%q\nposted as\n%q", found, text, got)
	}
}

func TestRenderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRender(t, drawText(t)) })
	rapid.Check(t, func(t *rapid.T) { checkRender(t, rapid.String().Draw(t, "text")) })
	rapid.Check(t, func(t *rapid.T) {
		checkRender(t, strings.Repeat(rapid.SampledFrom(fragments).Draw(t, "fragment"), rapid.IntRange(1, 300).Draw(t, "times")))
	})
}

// FuzzRender begins with the fragments, and with the corpus.
func FuzzRender(f *testing.F) {
	for _, fragment := range fragments {
		f.Add("- " + fragment + "\n" + fragment)
	}
	paths, err := filepath.Glob("testdata/render/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		_, vectors := readArchive(f, path)
		for _, v := range vectors {
			f.Add(v.input)
		}
	}
	f.Fuzz(func(t *testing.T, text string) { checkRender(t, text) })
}

// nested are constructs that cost more than their length if what is known of a line is looked for again.
var nested = map[string]func(size int) string{
	"prose": func(n int) string {
		return strings.Repeat("One goroutine a job: a full queue starts as many as it holds, and `Run` returns.\n", n/80)
	},
	"backquotes":       func(n int) string { return strings.Repeat("` `` ``` ```` ` ", n/16) },
	"quotes and code":  func(n int) string { return strings.Repeat("> ", n/4) + strings.Repeat("`x` ", n/8) },
	"one long run":     func(n int) string { return strings.Repeat("`", n) },
	"unequal runs":     unequalRuns,
	"brackets":         func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("](", n/4) },
	"links":            func(n int) string { return strings.Repeat("[x](https://github.com/o ", n/25) },
	"backslashes":      func(n int) string { return strings.Repeat(`\`, n) + "`" },
	"dollars":          func(n int) string { return strings.Repeat("$x", n/2) },
	"fences":           func(n int) string { return strings.Repeat("```\nx\n```\n", n/10) },
	"quotes":           func(n int) string { return strings.Repeat(">", n) },
	"quotes and text":  func(n int) string { return strings.Repeat(strings.Repeat("> ", 200)+"x\n", n/402) },
	"lists in a line":  func(n int) string { return strings.Repeat("- ", n/2) + "x" },
	"lists and blanks": func(n int) string { return strings.Repeat("- ", n/4) + "x" + strings.Repeat("\n", n/2) },
	"lists and indentation": func(n int) string {
		return strings.Repeat("- ", n/6) + "x\n" + strings.Repeat(" ", n/3) + "x\n" + strings.Repeat(" ", n/3) + "x"
	},
	"lists, quotes and blanks": func(n int) string { return strings.Repeat("- > ", n/8) + "x" + strings.Repeat("\n", n/2) },
	"numbers":                  func(n int) string { return strings.Repeat("1. ", n/6) + "x" + strings.Repeat("\n", n/2) },
	"stars and dashes":         func(n int) string { return strings.Repeat("* - ", n/4) + "x" },
	"almost breaks":            func(n int) string { return strings.Repeat("* * * x\n", n/8) },
	"lazy lines":               func(n int) string { return strings.Repeat("> ", n/4) + "x" + strings.Repeat("\nx", n/4) },
	"entities":                 func(n int) string { return strings.Repeat("&a", n/2) },
	"dashes of a table":        func(n int) string { return strings.Repeat("-|", n/2) },
	"hidden":                   func(n int) string { return strings.Repeat("\u200b", n/3) },
	"carriage returns":         func(n int) string { return strings.Repeat("- x\r", n/4) },
}

func unequalRuns(size int) string {
	var out strings.Builder
	for length := 1; out.Len() < size; length++ {
		out.WriteString(strings.Repeat("`", length) + " ")
	}
	return out.String()
}

// TestRenderNests renders texts that would take minutes if a construct cost the square of its length.
func TestRenderNests(t *testing.T) {
	for name, text := range nested {
		text := text(1_000_000)
		if got := Render(New(text), allowGitHub); len(got) > 2*len(text)+64 {
			t.Errorf("%s: %d bytes become %d", name, len(text), len(got))
		}
	}
}

// BenchmarkRender fails where sixteen times the text takes much more than sixteen times as long.
func BenchmarkRender(b *testing.B) {
	for name, text := range nested {
		b.Run(name, func(b *testing.B) {
			small, text := fastest(text(100_000)), text(1_600_000)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Render(New(text), allowGitHub)
			}
			growth := float64(fastest(text)) / float64(small) / 16
			b.ReportMetric(growth, "growth")
			if growth > 8 {
				b.Errorf("takes %.1f times as long for each byte as a sixteenth of it", growth)
			}
		})
	}
}

// fastest is the shortest of a few renderings.
func fastest(text string) time.Duration {
	shortest := time.Duration(math.MaxInt64)
	for range 5 {
		start := time.Now()
		Render(New(text), allowGitHub)
		shortest = min(shortest, time.Since(start))
	}
	return shortest
}
