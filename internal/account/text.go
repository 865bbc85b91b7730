package account

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// TextOptions are how a terminal is written to.
type TextOptions struct {
	// Width is where a line is broken, in characters; 0 breaks none. A word longer than that stays whole.
	Width int
	// Color writes the colours of a terminal.
	Color bool
}

// Text is one or several accounts for a terminal. Nothing of others reaches it but as visible characters.
func Text(accounts []Account, options TextOptions) string {
	w := textWriter{TextOptions: options}
	for n, account := range accounts {
		if n > 0 {
			w.out.WriteString("\n\n")
		}
		for _, b := range account.layout() {
			w.block(b)
		}
	}
	return w.out.String()
}

type textWriter struct {
	TextOptions
	out bytes.Buffer
}

func (w *textWriter) block(b block) {
	switch {
	case b.level == 1:
		w.line("", "", b.line)
	case b.level > 1:
		w.out.WriteByte('\n')
		heading := append(line{}, b.line...)
		heading[0].tone = strong
		w.line("", "", heading)
	case b.list != nil:
		for _, e := range b.list {
			w.line("  ", "      ", e.line)
			if e.url != "" {
				w.out.WriteString("      " + e.url + "\n")
			}
			for _, detail := range e.details {
				w.line("      ", "        ", detail)
			}
		}
	default:
		w.line("  ", "  ", b.line)
	}
}

// line writes one line, and goes on with the indent after where it is longer than the width.
func (w *textWriter) line(indent, after string, l line) {
	w.out.WriteString(indent)
	column, start := len(indent), w.out.Len()
	for _, s := range l {
		for _, piece := range strings.SplitAfter(s.text, " ") {
			word := strings.TrimRight(piece, " ")
			length := utf8.RuneCountInString(word)
			spaced := w.out.Len() > start && bytes.HasSuffix(w.out.Bytes(), []byte(" "))
			if w.Width > 0 && spaced && column+length > w.Width {
				w.out.Truncate(len(bytes.TrimRight(w.out.Bytes(), " ")))
				w.out.WriteString("\n" + after)
				column, start = len(after), w.out.Len()
			}
			w.paint(word, s.tone)
			w.out.WriteString(piece[len(word):])
			column += length + len(piece) - len(word)
		}
	}
	w.out.WriteByte('\n')
}

// paint puts the sequences of a terminal around a word.
func (w *textWriter) paint(word string, t tone) {
	sequence := ""
	switch t {
	case good:
		sequence = "32"
	case bad:
		sequence = "31"
	case open:
		sequence = "33"
	case strong:
		sequence = "1"
	}
	if !w.Color || sequence == "" || word == "" {
		w.out.WriteString(word)
		return
	}
	w.out.WriteString("\x1b[" + sequence + "m" + word + "\x1b[0m")
}
