package diff

import (
	"bytes"
	"strings"
)

// unquote reads one of git's C-quoted names from the start of s and returns the
// rest. ok is false where s does not begin with a well-formed quoted name.
func unquote(s []byte) (name string, rest []byte, ok bool) {
	if len(s) == 0 || s[0] != '"' {
		return "", s, false
	}
	var out strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return out.String(), s[i+1:], true
		case '\\':
			i++
			if i == len(s) {
				return "", s, false
			}
			if plain := strings.IndexByte(`abtnvfr"\`, s[i]); plain >= 0 {
				out.WriteByte("\a\b\t\n\v\f\r\"\\"[plain])
				continue
			}
			if i+2 >= len(s) || s[i] < '0' || s[i] > '3' || !octal(s[i+1]) || !octal(s[i+2]) {
				return "", s, false
			}
			out.WriteByte((s[i]-'0')<<6 | (s[i+1]-'0')<<3 | (s[i+2] - '0'))
			i += 2
		default:
			out.WriteByte(c)
		}
	}
	return "", s, false
}

func octal(c byte) bool { return c >= '0' && c <= '7' }

// name reads a path that takes the rest of a header line.
func name(s []byte) (string, bool) {
	if len(s) > 0 && s[0] == '"' {
		path, rest, ok := unquote(s)
		return path, ok && len(rest) == 0 && path != ""
	}
	return string(s), len(s) > 0
}

// sideName reads the path of a `---` or `+++` line: prefix is `a/` or `b/`. An
// absent side is "" and true. git ends a name that has a space with a tab.
func sideName(s []byte, prefix string) (string, bool) {
	if len(s) > 0 && s[0] != '"' {
		s = bytes.TrimSuffix(s, []byte("\t"))
	}
	if string(s) == "/dev/null" {
		return "", true
	}
	path, ok := name(s)
	if !ok {
		return "", false
	}
	path, ok = strings.CutPrefix(path, prefix)
	return path, ok && path != ""
}

// pairNames reads `a/X b/Y` of a `diff --git` line. Unquoted names may hold
// spaces, so two unquoted ones can be told apart only where they are equal;
// git names both elsewhere when they are not.
func pairNames(s []byte) (before, after string, ok bool) {
	if len(s) == 0 {
		return "", "", false
	}
	var first, second string
	switch {
	case s[0] == '"':
		var rest []byte
		if first, rest, ok = unquote(s); !ok || len(rest) < 2 || rest[0] != ' ' {
			return "", "", false
		}
		if second, ok = name(rest[1:]); !ok {
			return "", "", false
		}
	case s[len(s)-1] == '"':
		cut := bytes.Index(s, []byte(` "`))
		if cut < 0 {
			return "", "", false
		}
		first = string(s[:cut])
		if second, ok = name(s[cut+1:]); !ok {
			return "", "", false
		}
	default:
		half := len(s) / 2
		if len(s)%2 == 0 || s[half] != ' ' {
			return "", "", false
		}
		first, second = string(s[:half]), string(s[half+1:])
		if len(first) < 2 || len(second) < 2 || first[2:] != second[2:] {
			return "", "", false
		}
	}
	before, okBefore := strings.CutPrefix(first, "a/")
	after, okAfter := strings.CutPrefix(second, "b/")
	if !okBefore || !okAfter || before == "" || after == "" {
		return "", "", false
	}
	return before, after, true
}
