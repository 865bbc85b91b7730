package untrusted

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
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
	"\\", "\\\\", "\\@", "\\#", "$", "$$", "$`", "*", "**", "_", "a", "1", "word", "s", "h",
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
}

func TestRenderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRender(t, drawText(t)) })
	rapid.Check(t, func(t *rapid.T) { checkRender(t, rapid.String().Draw(t, "text")) })
	rapid.Check(t, func(t *rapid.T) {
		checkRender(t, strings.Repeat(rapid.SampledFrom(fragments).Draw(t, "fragment"), rapid.IntRange(1, 300).Draw(t, "times")))
	})
}

func FuzzRender(f *testing.F) {
	for _, fragment := range fragments {
		f.Add("- " + fragment + "\n" + fragment)
	}
	f.Fuzz(func(t *testing.T, text string) { checkRender(t, text) })
}

func BenchmarkRender(b *testing.B) {
	for name, text := range map[string]string{
		"prose":   strings.Repeat("One goroutine a job: a full queue starts as many as it holds, and `Run` returns before they end.\n", 10_000),
		"ticks":   strings.Repeat("` `` ``` ```` ` ", 60_000),
		"bracket": strings.Repeat("[x](https://github.com/o ", 40_000),
		"nested":  strings.Repeat(strings.Repeat("> ", 200)+"x\n", 2_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Render(New(text), allowGitHub)
			}
		})
	}
}
