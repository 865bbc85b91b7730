package task

import "strings"

// part is a piece of a text: a block quote without its markers, or what stands between two.
type part struct {
	text  string
	quote bool
}

// split takes a Markdown text apart at its block quotes. Who wrote a quote is not known, so where Markdown leaves a doubt
// a line is taken for quoted: at any indentation, inside a list, and when it goes on after a quoted line without a marker.
// Only a `>` inside a fence that begins and ends at the left edge is code. Blank lines around a part are dropped, and
// parts of nothing else are none.
func split(text string) []part {
	var parts []part
	var lines []string
	quoted := false
	flush := func() {
		if joined := trimBlankLines(lines); joined != "" {
			parts = append(parts, part{joined, quoted})
		}
		lines = nil
	}
	var code fence
	open := false // whether a line without a marker would still belong to the quote
	for _, line := range physicalLines(text) {
		body, marked := unquote(line)
		if code.edge {
			marked = false
		}
		blank := strings.TrimSpace(line) == ""
		inQuote := marked || open && !blank && !startsBlock(line)
		if inQuote != quoted {
			flush()
			quoted = inQuote
		}
		if marked {
			line = body
			open = strings.TrimSpace(body) != ""
		} else if !inQuote {
			open = false
			code.line(line)
		}
		lines = append(lines, line)
	}
	flush()
	return parts
}

// quotes reports whether a text holds a block quote.
func quotes(text string) bool {
	for _, p := range split(text) {
		if p.quote {
			return true
		}
	}
	return false
}

// physicalLines splits where Markdown does: at a newline, at a carriage return, and once at both together. Each line keeps its end.
func physicalLines(text string) []string {
	var lines []string
	for start, i := 0, 0; i < len(text); i++ {
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			lines = append(lines, text[start:i+1])
			start = i + 1
		} else if i+1 == len(text) {
			lines = append(lines, text[start:])
		}
	}
	return lines
}

// unquote takes one `>` and the space after it off a line. A list marker before it stays.
func unquote(line string) (string, bool) {
	before, rest := container(line)
	rest, ok := strings.CutPrefix(rest, ">")
	if !ok {
		return line, false
	}
	if strings.TrimSpace(before) == "" {
		before = ""
	}
	return before + strings.TrimPrefix(rest, " "), true
}

// container splits a line behind its indentation and list markers.
func container(line string) (before, rest string) {
	rest = line
	for {
		rest = strings.TrimLeft(rest, " \t")
		marker := listMarker(rest)
		if marker == 0 {
			return line[:len(line)-len(rest)], rest
		}
		rest = rest[marker:]
	}
}

// listMarker is the length of a list marker that a blank follows, or 0.
func listMarker(s string) int {
	n := 0
	if s != "" && strings.IndexByte("-+*", s[0]) >= 0 {
		n = 1
	} else {
		for n < len(s) && n < 9 && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == 0 || n == len(s) || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	}
	if n == len(s) || s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// startsBlock reports whether a line after a quoted one cannot go on with its paragraph: a fence, a heading, a list.
func startsBlock(line string) bool {
	if listMarker(strings.TrimLeft(line, " ")) > 0 {
		return true
	}
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 {
		return false
	}
	if mark, _, _ := fenceMark(rest); mark != 0 {
		return true
	}
	level := len(rest) - len(strings.TrimLeft(rest, "#"))
	return level >= 1 && level <= 6 && strings.TrimLeft(rest, "#") != "" && strings.IndexByte(" \t\r\n", rest[level]) >= 0
}

// fence follows fenced code. One that is indented or in a list is followed too, so that its end is not taken for a
// beginning, but only one at the left edge hides a `>`.
type fence struct {
	mark   byte // 0 outside fenced code
	length int
	edge   bool
}

func (f *fence) line(line string) {
	before, rest := container(line)
	mark, length, info := fenceMark(rest)
	switch {
	case mark == 0:
	case f.mark == 0:
		*f = fence{mark, length, before == ""}
	case mark == f.mark && length >= f.length && strings.TrimSpace(info+before) == "" && !(f.edge && len(before) > 3):
		*f = fence{}
	}
}

// fenceMark reads three or more backticks or tildes from the start of a line; mark is 0 where there are none.
func fenceMark(rest string) (mark byte, length int, info string) {
	if rest == "" || rest[0] != '`' && rest[0] != '~' {
		return 0, 0, ""
	}
	info = strings.TrimLeft(rest, rest[:1])
	length = len(rest) - len(info)
	if length < 3 || rest[0] == '`' && strings.Contains(info, "`") {
		return 0, 0, ""
	}
	return rest[0], length, info
}

func trimBlankLines(lines []string) string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.TrimRight(strings.Join(lines, ""), "\r\n")
}
