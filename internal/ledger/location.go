package ledger

import (
	"strconv"
	"strings"
)

// Location is the line that says where a Finding of a review's body is about: the path as Markdown code, and the line
// where line is not 0. A path with backticks is written between more of them, as Markdown demands.
func Location(path string, line int) string {
	fence := "`"
	for strings.Contains(path, fence) {
		fence += "`"
	}
	space := ""
	if len(fence) > 1 || strings.HasPrefix(path, " ") && strings.HasSuffix(path, " ") {
		space = " "
	}
	out := fence + space + path + space + fence
	if line > 0 {
		out += " line " + strconv.Itoa(line)
	}
	return out
}

// ParseLocation reads what Location writes.
func ParseLocation(text string) (path string, line int, ok bool) {
	rest := strings.TrimLeft(text, "`")
	fence := text[:len(text)-len(rest)]
	end := strings.LastIndex(rest, fence)
	if fence == "" || end < 0 {
		return "", 0, false
	}
	path, after := rest[:end], rest[end+len(fence):]
	if number, found := strings.CutPrefix(after, " line "); found {
		line, _ = strconv.Atoi(number) // what is no number is not what Location writes
	}
	if strings.HasPrefix(path, " ") && strings.HasSuffix(path, " ") && len(path) > 2 {
		path = path[1 : len(path)-1]
	}
	if path == "" || Location(path, line) != text {
		return "", 0, false
	}
	return path, line, true
}
