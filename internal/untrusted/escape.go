package untrusted

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Escaped counts what Escape made visible, by kind, in characters; of bytes that
// are not UTF-8 each counts as one.
type Escaped struct {
	Bidirectional, InvalidUTF8, Invisible, Tag int
}

func (e *Escaped) count(c class) {
	switch c {
	case invisible:
		e.Invisible++
	case bidirectional:
		e.Bidirectional++
	case tag:
		e.Tag++
	}
}

// The brackets of an escape: U+27E6 and U+27E7. They are outside ASCII so that
// code, backslashes and all, reads as it was written.
const (
	openEscape  = "⟦"
	closeEscape = "⟧"
	openRune    = '⟦'
)

// Escape makes visible what a reader of s would not see, so that a model is
// given what a person would miss. A hidden code point becomes ⟦U+202E⟧, a byte
// that is not UTF-8 ⟦xFF⟧, and ⟦ itself ⟦U+27E6⟧, which counts as nothing.
// Hidden are the spans of hiddenSpans and the ASCII controls other than tab and
// newline; a carriage return is hidden unless a newline follows it, where it
// hides nothing. The result is UTF-8, has no hidden code point, and Unescape
// gives s back byte for byte. ASCII text without controls comes back as it is.
func Escape[Bytes string | []byte](s Bytes) (string, Escaped) {
	var escaped Escaped
	text := string(s)
	at := skipVisible(text, 0)
	if at == len(text) {
		return text, escaped
	}
	var out strings.Builder
	out.Grow(len(text) + len(text)/8 + 64)
	from := 0
	for at < len(text) {
		size, escape, class := next(text, at)
		if escape {
			out.WriteString(text[from:at])
			if class == plain && text[at] >= utf8.RuneSelf && size == 1 {
				escaped.InvalidUTF8++
				fmt.Fprintf(&out, openEscape+"x%02X"+closeEscape, text[at])
			} else {
				escaped.count(class)
				r, _ := utf8.DecodeRuneInString(text[at:])
				fmt.Fprintf(&out, openEscape+"U+%04X"+closeEscape, r)
			}
			from = at + size
		}
		at = skipVisible(text, at+size)
	}
	out.WriteString(text[from:])
	return out.String(), escaped
}

// VisibleLine is a text on one line with nothing hidden in it: Escape, with line
// breaks and tabs written as escapes too, and backquotes where there are so many
// in a row that no code span could hold them. Unescape gives the text back.
func VisibleLine(t Text) string {
	visible, _ := Escape(t.raw)
	visible = lineEscapes.Replace(visible)
	if strings.Contains(visible, strings.Repeat("`", longestRun)) {
		visible = strings.ReplaceAll(visible, "`", "⟦U+0060⟧")
	}
	return visible
}

var lineEscapes = strings.NewReplacer("\r", "⟦U+000D⟧", "\n", "⟦U+000A⟧", "\t", "⟦U+0009⟧")

// next looks at the character at a place where skipVisible stopped.
func next(text string, at int) (size int, escape bool, c class) {
	if text[at] < utf8.RuneSelf {
		if text[at] == '\r' && at+1 < len(text) && text[at+1] == '\n' {
			return 1, false, plain
		}
		return 1, true, invisible
	}
	r, size := utf8.DecodeRuneInString(text[at:])
	if r == utf8.RuneError && size == 1 {
		return 1, true, plain
	}
	c = classify(r)
	return size, c != plain || r == openRune, c
}

// visible marks the bytes that need no further look.
var visible = func() (table [256]bool) {
	for c := range utf8.RuneSelf {
		table[c] = !isControl(byte(c))
	}
	return table
}()

// skipVisible returns the first place from at on that needs a look.
func skipVisible(text string, at int) int {
	for at+8 <= len(text) {
		s := text[at : at+8]
		if !(visible[s[0]] && visible[s[1]] && visible[s[2]] && visible[s[3]] &&
			visible[s[4]] && visible[s[5]] && visible[s[6]] && visible[s[7]]) {
			break
		}
		at += 8
	}
	for at < len(text) && visible[text[at]] {
		at++
	}
	return at
}

// Unescape undoes Escape. Text that Escape cannot have written is an error.
func Unescape(text string) (string, error) {
	var out strings.Builder
	for {
		at := strings.Index(text, openEscape)
		if at < 0 {
			out.WriteString(text)
			return out.String(), nil
		}
		out.WriteString(text[:at])
		body, rest, found := strings.Cut(text[at+len(openEscape):], closeEscape)
		if !found || len(body) > len("U+10FFFF") {
			return "", fmt.Errorf("unescape text: an escape is not closed")
		}
		if digits, ok := strings.CutPrefix(body, "U+"); ok {
			r, err := strconv.ParseUint(digits, 16, 32)
			if err != nil || fmt.Sprintf("%04X", r) != digits || !utf8.ValidRune(rune(r)) {
				return "", fmt.Errorf("unescape text: an escape names no code point")
			}
			out.WriteRune(rune(r))
		} else {
			digits, ok := strings.CutPrefix(body, "x")
			b, err := strconv.ParseUint(digits, 16, 8)
			if !ok || err != nil || len(digits) != 2 || b < utf8.RuneSelf {
				return "", fmt.Errorf("unescape text: an escape names no byte")
			}
			out.WriteByte(byte(b))
		}
		text = rest
	}
}
