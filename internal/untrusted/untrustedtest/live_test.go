package untrustedtest

import (
	"strings"
	"testing"
)

var hosts = []string{"github.com"}

// TestInHTMLSees holds that the judge is not blind: each of these is live, and it says what.
func TestInHTMLSees(t *testing.T) {
	for made, want := range map[string]string{
		"<p>@user</p>":                   `mention or address "@u"`,
		"<p>see <em>@acme/team</em></p>": `mention or address "@a"`,
		"<p>a@b.co</p>":                  `mention or address "@b"`,
		"<p>＠user</p>":                   `mention or address "＠u"`,
		"<p>&#64;user</p>":               `mention or address "@u"`,
		"<p>fixes #1</p>":                `reference "#1"`,
		"<p>acme/x#12</p>":               `reference "#1"`,
		"<p>gh-3</p>":                    `GH reference "gh-3"`,
		"<p>4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930</p>": `commit "4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930"`,
		"<p>smb://evil</p>":                  `URL "mb://"`,
		"<p>www.evil.example</p>":            `host "www."`,
		"<p>a\u200bb</p>":                    "hidden character U+200B",
		"<p>a\U000e0041b</p>":                "hidden character U+E0041",
		"<p>a\u2028b</p>":                    "hidden character U+2028",
		"<p>a\x1bb</p>":                      "hidden character U+001B",
		"<p>$x$</p>":                         `mathematics "$x$"`,
		"<p>$<strong>x</strong>$</p>":        `mathematics "$x$"`,
		"<p>$$</p>":                          `mathematics "$$"`,
		"<p>$<code>x</code> $</p>":           "mathematics as code",
		"<p><img src=\"x\" alt=\"y\" /></p>": `element "img"`,
		"<p><b>x</b></p>":                    `element "b"`,
		"<!-- x -->":                         `element "!--"`,
		"<details>":                          `element "details"`,
		"<table>":                            `element "table"`,
		"<p onclick=\"x\">y</p>":             "attribute onclick of p",
		"<pre><code class=\"language-suggestion\">x":       `drawn code "language-suggestion"`,
		"<pre><code class=\"language-Mermaid x\">x":        `drawn code "language-Mermaid x"`,
		"<p><a href=\"https://evil.example\">x</a></p>":    `link to "https://evil.example"`,
		"<p><a href=\"http://github.com\">x</a></p>":       `link to "http://github.com"`,
		"<p><a href=\"javascript:x\">x</a></p>":            `link to "javascript:x"`,
		"<p><a href=\"/x\">x</a></p>":                      `link to "/x"`,
		"<p><a href=\"https://github.com@e.x\">x</a></p>":  `link to "https://github.com@e.x"`,
		"<p><a href=\"https://github.com/a/b/pull/1\">x":   `link to "https://github.com/a/b/pull/1"`,
		"<p><a href=\"https://github.com/a/b/Issues\">x":   `link to "https://github.com/a/b/Issues"`,
		"<p><a href=\"https://github.com/a\" title=\"t\">": "attribute title of a",
		"<p": "an unfinished tag",
	} {
		if got := InHTML(made, hosts); got != want {
			t.Errorf("%s: %q, want %q", made, got, want)
		}
	}
	for _, made := range []string{
		"", "<p>Plain <em>text</em>, 3 &lt; 4, US$5 and $6, C#, #tag, @ x, @\\user, GHSA-1, 4a1d0c7, a/b, 12:30</p>",
		"<p><code>@user #1 $x$</code> and <a href=\"https://github.com/acme/x\">https://github.com/acme/x</a></p>",
		"<pre><code class=\"language-go\">@user</code></pre>", "<ul>\n<li><input type=\"checkbox\" checked=\"\" disabled=\"\" /> x</li>\n</ul><hr />",
		"<p>costs $5</p><p>or 6$</p>", "<ol start=\"2\"><li>x</li></ol>", "<p>\u0600 e\u0301 \u00a0</p>",
	} {
		if got := InHTML(made, hosts); got != "" {
			t.Errorf("%s: %q", made, got)
		}
	}
}

// TestInSourceSees is TestInHTMLSees for Markdown.
func TestInSourceSees(t *testing.T) {
	for markdown, want := range map[string]string{
		"@user": "mention", `\@user`: "mention", "#1": "reference", `\#1`: "reference", "GH-1": "GH reference", "text\n/approve": "command", "  !merge": "command",
		".deploy": "command", "::error::x": "workflow command", "a ##[group]": "workflow command", "<b>": "tag", `\\<b>`: "tag", "a <!-- b": "tag", "&lt;": "character reference",
		"&#64;": "character reference", "[a]: x": "definition", "![x](y)": "image", "[x](https://evil.example)": "link", "https://evil.example": "link",
		"smb://x/y": "link", "https://github.com/a/b/issues/1": "link", "www.x.example": "host", "$x$": "mathematics", `\$x\$`: "mathematics", "a\u202eb": "hidden",
	} {
		if got := InSource(markdown, hosts); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want %s", markdown, got, want)
		}
	}
	for _, markdown := range []string{
		"", `@\user #\1 \<b> \&lt; \/approve \::x [a]\: b [x]\(y) http\s://x`, "[x](https://github.com/acme/x), https://github.com/acme/x.", "a < b & c", "$5 and $6",
		"`@user`", "```\n@user\n```", "    @user", "> - \t@user",
	} {
		if got := InSource(markdown, hosts); got != "" {
			t.Errorf("%q: %q", markdown, got)
		}
	}
}
