package untrusted

import "strings"

// colonSlashes is the length of `://`, each mark escaped or not, that s begins
// with.
func colonSlashes(s string) int {
	at := 0
	for _, mark := range []byte("://") {
		if at < len(s) && s[at] == '\\' {
			at++
		}
		if at == len(s) || s[at] != mark {
			return 0
		}
		at++
	}
	return at
}

// pathMarks are the marks an allowed URL may hold. Without @, :, \ and % no part
// of it can be taken for another host or spell another path; without & no entity.
const pathMarks = "/._~?=+-"

// allowedURL returns the length of a URL at i that may stand: https, an allowed
// host, and a path that GitHub does not turn into a reference to an issue, a pull
// request, a discussion or a commit. Zero where there is none.
func allowedURL(line string, i int, hosts []string) int {
	const scheme = "https://"
	s := line[i:]
	if len(s) < len(scheme) || !strings.EqualFold(s[:len(scheme)], scheme) {
		return 0
	}
	if i > 0 && strings.IndexByte(" \t*_~(\"'", line[i-1]) < 0 {
		return 0
	}
	host := s[len(scheme):]
	n := 0
	for n < len(host) && (isAlphanumeric(host[n]) || host[n] == '-' || host[n] == '.') {
		n++
	}
	host = strings.TrimRight(host[:n], ".")
	if !listed(host, hosts) {
		return 0
	}
	end := len(scheme) + len(host)
	rest := s[end:]
	if !strings.HasPrefix(rest, "/") {
		// The host must be seen to end here, not to go on with a port or a name.
		after := strings.TrimLeft(rest, ".,;!?)\"'*_")
		if after == "" || after[0] == ' ' || after[0] == '\t' {
			return end
		}
		return 0
	}
	n = 0
	for n < len(rest) && (isAlphanumeric(rest[n]) || strings.IndexByte(pathMarks, rest[n]) >= 0) {
		n++
	}
	path := rest[:n]
	if n < len(rest) && rest[n] == '%' || strings.Contains(path, "//") || strings.Contains(path, "..") || refers(path) {
		return 0
	}
	return end + n
}

func listed(host string, hosts []string) bool {
	for _, allowed := range hosts {
		if strings.EqualFold(host, allowed) {
			return true
		}
	}
	return false
}

// referring are the third parts of a path on GitHub by which a URL is a
// reference that shows on the page it leads to.
var referring = [...]string{"commit", "commits", "discussions", "issues", "pull", "pulls"}

func refers(path string) bool {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '?' })
	if len(parts) < 3 {
		return false
	}
	for _, word := range referring {
		if strings.EqualFold(parts[2], word) {
			return true
		}
	}
	return false
}

// allowedTarget returns the length of a `(https://…)` after the bracket at i that
// may stand: the whole of it an allowed URL, behind a plain text that is no image.
func allowedTarget(line string, i int, hosts []string) int {
	open := strings.LastIndexAny(line[:i], "[]`")
	if open < 0 || line[open] != '[' || open > 0 && line[open-1] == '!' {
		return 0
	}
	n := allowedURL(line, i+2, hosts)
	if n == 0 || i+2+n >= len(line) || line[i+2+n] != ')' {
		return 0
	}
	return n + 2
}
