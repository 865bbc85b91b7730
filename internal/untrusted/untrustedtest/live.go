// Package untrustedtest finds what is live in posted text: what GitHub, a browser, a bot or a mail program would act on.
//
// It is the judge of package untrusted and shares no code with it: it reads HTML that a Markdown parser made, or Markdown
// that holds no code, and knows what GitHub adds to either from GitHub's documentation alone. It is strict where GitHub's
// own rules are not public: a thing that only may be live is live.
package untrustedtest

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// plainElements are what Markdown itself makes of text that does nothing.
var plainElements = []string{"p", "br", "blockquote", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "em", "strong", "del", "input", "pre", "code", "a"}

// blockElements end a run of text.
var blockElements = []string{"p", "blockquote", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "pre", "input"}

// drawn are the languages of code that GitHub draws, or offers to commit.
var drawn = []string{"geojson", "math", "mermaid", "stl", "suggestion", "topojson"}

// patterns are what GitHub looks for in text that is neither code nor a link, and what a mail program makes of it.
var patterns = []struct {
	what    string
	pattern *regexp.Regexp
}{
	{"mention or address", regexp.MustCompile(`[@＠﹫][A-Za-z0-9]|[A-Za-z0-9.+_-]@[-_./]+[A-Za-z0-9]`)},
	{"reference", regexp.MustCompile(`[#＃﹟][0-9]`)},
	{"GH reference", regexp.MustCompile(`(?i)(?:^|[^a-z0-9])gh-[0-9]`)},
	{"commit", regexp.MustCompile(`(?:^|[^0-9A-Za-z])[0-9a-fA-F]{40}(?:$|[^0-9A-Za-z])`)},
	{"URL", regexp.MustCompile(`(?i)[a-z0-9]{2}://`)},
	{"host", regexp.MustCompile(`(?i)(?:^|[^a-z0-9])www\.`)},
}

// mathematics is what GitHub hands to a formula's renderer.
var mathematics = regexp.MustCompile(`\$\$|\$[^\s$](?:[^$]*[^\s$])?\$(?:[^0-9]|$)`)

// references are URLs that GitHub shows as a reference on the page they lead to, or shows in place.
var references = regexp.MustCompile(`(?i)^https://github\.com/(?:[^/?#]+/[^/?#]+/(?:issues|pulls?|discussions|commits?|assets)(?:$|[/?#])|orgs/[^/?#]+/discussions(?:$|[/?#])|user-attachments/)`)

// InHTML returns what is live in HTML as a Markdown parser made it of a text, empty for nothing. Links may lead by https to
// the hosts and nowhere else.
func InHTML(made string, hosts []string) string {
	var block strings.Builder // text of the block so far; code as one letter
	quiet := 0                // inside code or a link
	endBlock := func() string {
		defer block.Reset()
		if found := mathematics.FindString(block.String()); found != "" {
			return fmt.Sprintf("mathematics %q", found)
		}
		return ""
	}
	for made != "" {
		if made[0] != '<' {
			text, _, _ := strings.Cut(made, "<")
			made = made[len(text):]
			text = html.UnescapeString(text)
			if quiet > 0 {
				block.WriteString("c")
				continue
			}
			block.WriteString(text)
			if found := inText(text); found != "" {
				return found
			}
			continue
		}
		tag, rest, closed := strings.Cut(made[1:], ">")
		if !closed {
			return "an unfinished tag"
		}
		made = rest
		name, ends := strings.CutPrefix(tag, "/")
		name, attributes, _ := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(name, "/"), " "), " ")
		if !slices.Contains(plainElements, name) {
			return fmt.Sprintf("element %q", name)
		}
		if slices.Contains(blockElements, name) {
			if found := endBlock(); found != "" {
				return found
			}
		}
		if name == "code" || name == "a" {
			if quiet++; ends {
				quiet -= 2
			}
		}
		if name == "code" && !ends {
			if strings.HasSuffix(block.String(), "$") {
				return "mathematics as code"
			}
		}
		if found := inAttributes(name, attributes, hosts); found != "" {
			return found
		}
	}
	return endBlock()
}

var attribute = regexp.MustCompile(`([a-z-]+)="([^"]*)"`)

func inAttributes(element, attributes string, hosts []string) string {
	for _, pair := range attribute.FindAllStringSubmatch(attributes, -1) {
		name, value := pair[1], html.UnescapeString(pair[2])
		switch element + " " + name {
		case "a href":
			if !mayLead(value, hosts) {
				return fmt.Sprintf("link to %q", value)
			}
		case "code class":
			language, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(value, "language-")), " ")
			for _, word := range drawn {
				if after, ok := strings.CutPrefix(language, word); ok && (after == "" || !isLetterOrDigit(after[0])) {
					return fmt.Sprintf("drawn code %q", value)
				}
			}
		case "input type", "input checked", "input disabled", "ol start":
		default:
			return fmt.Sprintf("attribute %s of %s", name, element)
		}
	}
	return ""
}

func isLetterOrDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// mayLead reports whether a link may stand.
func mayLead(target string, hosts []string) bool {
	rest, secure := strings.CutPrefix(strings.ToLower(target), "https://")
	host := rest
	if at := strings.IndexAny(rest, "/?#"); at >= 0 {
		host = rest[:at]
	}
	return secure && slices.Contains(hosts, host) && !references.MatchString(target) && !strings.ContainsAny(target, "@\\%") && !strings.Contains(target, "..")
}

func inText(text string) string {
	for _, p := range patterns {
		if found := p.pattern.FindString(text); found != "" {
			return fmt.Sprintf("%s %q", p.what, found)
		}
	}
	return Hidden(text)
}

// Hidden returns the first character of a text that a reader does not see, by Unicode's own properties.
func Hidden(text string) string {
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t':
		case unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector),
			unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r):
			return fmt.Sprintf("hidden character %U", r)
		}
	}
	return ""
}

// inLines are what is read in the raw text, whatever Markdown makes of it.
var inLines = []struct {
	what    string
	pattern *regexp.Regexp
}{
	{"command", regexp.MustCompile(`(?m)^[ \t]*[/!.][A-Za-z]`)},
	{"workflow command", regexp.MustCompile(`(?m)^[ \t]*::`)},
	{"workflow command", regexp.MustCompile(`##\[`)},
}

// inSource are marks that Markdown or GitHub acts on, each with what must stand before it to be live.
var inSource = []struct {
	what    string
	pattern *regexp.Regexp
}{
	{"tag or comment", regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*<[A-Za-z/!?]`)},
	{"character reference", regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);`)},
	{"definition", regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*\]:`)},
	{"image", regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*!\[(?:[^\]]*[^\]\\])?\]\(`)},
}

// link is a URL or a target of a link in Markdown.
var link = regexp.MustCompile(`(?i)(?:^|[^\\])\]\([^)]*|[a-z0-9+.-]+[a-z0-9]://[^\s)<>*_~"']*`)

// InSource returns what is live in Markdown as it is posted, empty for nothing. What it says of a text that holds code, a
// backquote, three tildes or a line that begins with blanks, is only of what is read whatever Markdown makes of it: a
// command in fenced code, which stays as it is, is not found then either.
func InSource(markdown string, hosts []string) string {
	if strings.Contains(markdown, "`") || strings.Contains(markdown, "~~~") || regexp.MustCompile(`(?m)^[>*+\-0-9.) ]*(?: {4}|\t)`).MatchString(markdown) {
		return ""
	}
	for _, p := range slices.Concat(inLines, inSource) {
		if found := p.pattern.FindString(markdown); found != "" {
			return fmt.Sprintf("%s %q", p.what, found)
		}
	}
	for _, p := range patterns {
		if found := p.pattern.FindString(markdown); found != "" && p.what != "URL" {
			return fmt.Sprintf("%s %q", p.what, found)
		}
	}
	for _, found := range link.FindAllString(markdown, -1) {
		if at := strings.Index(found, "]("); at >= 0 {
			found = found[at+2:]
		}
		if target := strings.TrimRight(found, ".,:;!?"); !mayLead(target, hosts) {
			return fmt.Sprintf("link to %q", target)
		}
	}
	for _, paragraph := range strings.Split(markdown, "\n\n") {
		if found := mathematics.FindString(strings.ReplaceAll(paragraph, `\$`, "$")); found != "" {
			return fmt.Sprintf("mathematics %q", found)
		}
	}
	return Hidden(markdown)
}
