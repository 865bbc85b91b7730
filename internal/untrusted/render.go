package untrusted

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Options are what a repository allows in posted text.
type Options struct {
	// Hosts a link may lead to, by https, compared whole and without regard to
	// case. None: no link at all.
	Hosts []string
}

// Render turns a text into Markdown that a bot may post on GitHub. It notifies
// nobody, refers to no issue, pull request or commit, closes nothing, starts no
// command of a bot or of a workflow's log, loads no image, links to no host but
// the allowed ones, offers no suggestion, holds no HTML and hides nothing.
// Ordinary prose, lists, emphasis, headings and code stay as they are.
//
// The content of fenced code stays byte for byte, hidden characters too; only
// bytes that are not UTF-8, which GitHub cannot be sent, become `?` everywhere.
// An open fence at the end is closed. Render is idempotent, never longer than
// twice its input and 64 bytes, and takes time in proportion to its input.
//
// What is put after the result must begin on a line of its own, at its start:
// then it is in no code, quote or list of the text.
//
// How each construct is undone is in docs of the functions that do it: breakWord
// (shown, and also seen by filters that run after Markdown) and escape (not shown).
func Render(t Text, options Options) string {
	text := t.Raw()
	if !utf8.ValidString(text) {
		text = replaceInvalid(text)
	}
	out := &strings.Builder{}
	out.Grow(len(text) + len(text)/8 + 64)
	writer := inline{out: out, hosts: options.Hosts}
	var structure blocks
	for len(text) > 0 {
		line, end, rest := cutLine(text)
		text = rest
		what, mark := structure.read(line)
		switch what {
		case fenceContent:
			out.WriteString(line)
			out.WriteString(end)
			continue
		case fenceOpens:
			out.WriteString(line[:mark+structure.fence.length])
			if info := strings.TrimLeft(line[mark:], string(structure.fence.mark)); plainInfo(info) {
				out.WriteString(info)
			}
		case fenceCloses:
			out.WriteString(line)
		default:
			if mark > 0 {
				line = line[:mark] + `\` + line[mark:]
			}
			writer.line(showHidden(line))
		}
		if end != "" {
			out.WriteByte('\n')
		}
	}
	if open := structure.fence; open.length > 0 && len(structure.containers) == 0 {
		if written := out.String(); written[len(written)-1] != '\n' && written[len(written)-1] != '\r' {
			out.WriteByte('\n')
		}
		for range open.length {
			out.WriteByte(open.mark)
		}
	}
	return out.String()
}

// cutLine cuts off the first line. All of \n, \r\n and \r end one in Markdown.
func cutLine(text string) (line, end, rest string) {
	i := strings.IndexAny(text, "\r\n")
	if i < 0 {
		return text, "", ""
	}
	width := 1
	if strings.HasPrefix(text[i:], "\r\n") {
		width = 2
	}
	return text[:i], text[i : i+width], text[i+width:]
}

func replaceInvalid(text string) string {
	var out strings.Builder
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				out.WriteByte('?')
				continue
			}
		}
		out.WriteRune(r)
	}
	return out.String()
}

// showHidden writes hidden characters out, in at most twice their bytes: \u200B,
// \U000E0041 as \UE0041, \xAD, \61C; ASCII controls as a terminal's keys name
// them, ^A to ^Z, and ^2 to ^8 for those without a letter (^@ would be the start
// of a mention, ^[ of a link). A backslash before a letter or digit is itself in
// Markdown.
func showHidden(line string) string {
	at := skipVisible(line, 0)
	if at == len(line) {
		return line
	}
	var out strings.Builder
	from := 0
	for at < len(line) {
		r, size := utf8.DecodeRuneInString(line[at:])
		if r < utf8.RuneSelf || classify(r) != plain {
			out.WriteString(line[from:at])
			out.WriteString(shownForm(r))
			from = at + size
		}
		at = skipVisible(line, at+size)
	}
	out.WriteString(line[from:])
	return out.String()
}

func shownForm(r rune) string {
	switch {
	case r == 0:
		return "^2"
	case r == 0x7f:
		return "^8"
	case r >= 0x1b && r < 0x20:
		return "^" + string('3'+r-0x1b)
	case r < 0x20:
		return "^" + string('@'+r)
	case r < 0x100:
		return fmt.Sprintf(`\x%02X`, r)
	case r < 0x800:
		return fmt.Sprintf(`\%03X`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04X`, r)
	}
	return fmt.Sprintf(`\U%05X`, r)
}

// activeInfo are the languages of a fence that GitHub does not show as code.
var activeInfo = [...]string{"geojson", "latex", "math", "mermaid", "stl", "suggestion", "tex", "topojson"}

// infoMarks may stand in the name of a language beside letters and digits.
const infoMarks = "#+._-"

// plainInfo reports whether a fence's info string only colours the code. Others
// are left out: a `suggestion` is one click from a commit, a diagram draws and
// links. Only one word of plain letters stays, so that no escape spells one, and
// what such a word begins with counts.
func plainInfo(info string) bool {
	word := strings.ToLower(strings.Trim(info, " \t"))
	if len(word) > 32 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789"+infoMarks) != "" {
		return false
	}
	if at := strings.IndexAny(word, infoMarks); at >= 0 {
		word = word[:at]
	}
	return !slices.Contains(activeInfo[:], word)
}
