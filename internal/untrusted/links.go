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

// urlEnds may stand between an allowed URL and the blank that ends it.
const urlEnds = ".,:;!?)\"'*_~"

// allowedURL returns the length of a URL at i that may stand: https, an allowed
// host, and a path that GitHub does not turn into a reference to an issue, a pull
// request, a discussion or a commit. Zero where there is none. Markdown takes all
// up to the next blank or < into such a link, backslashes of ours too, so nothing
// but marks that end a sentence may follow there.
func allowedURL(line string, i int, hosts []string) int {
	if i > 0 && strings.IndexByte(" \t*_~(\"'", line[i-1]) < 0 {
		return 0
	}
	n := urlLength(line[i:], hosts)
	if n == 0 {
		return 0
	}
	if after := strings.TrimLeft(line[i+n:], urlEnds); after != "" && after[0] != ' ' && after[0] != '\t' {
		return 0
	}
	return n
}

// urlLength returns the length of the allowed URL that s begins with, with a
// fragment that is no number; zero where there is none.
func urlLength(s string, hosts []string) int {
	const scheme = "https://"
	if len(s) < len(scheme) || !strings.EqualFold(s[:len(scheme)], scheme) {
		return 0
	}
	take := func(from int, marks string) int {
		for from < len(s) && (isAlphanumeric(s[from]) || strings.IndexByte(marks, s[from]) >= 0) {
			from++
		}
		return from
	}
	end := len(scheme) + len(strings.TrimRight(s[len(scheme):take(len(scheme), "-.")], "."))
	if !listed(s[len(scheme):end], hosts) {
		return 0
	}
	if end == len(s) || s[end] != '/' {
		return end
	}
	from := end
	end = take(end, pathMarks)
	path := s[from:end]
	if strings.Contains(path, "//") || strings.Contains(path, "..") || refers(path) {
		return 0
	}
	if end+1 < len(s) && s[end] == '#' && isLetter(s[end+1]) {
		end = take(end+1, "-_")
	}
	return end
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
// reference that shows on the page it leads to, or a file that was attached to a
// comment, which GitHub shows in place.
var referring = [...]string{"assets", "commit", "commits", "discussions", "issues", "pull", "pulls"}

// attached is the first part of a path to a file attached to a comment.
const attached = "user-attachments"

func refers(path string) bool {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '?' })
	if len(parts) < 3 {
		return false
	}
	if strings.EqualFold(parts[0], attached) {
		return true
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
// Where the bracket before it is escaped, the text begins at another, which may
// be an image's.
func allowedTarget(line string, i int, hosts []string) int {
	open := strings.LastIndexAny(line[:i], "[]`")
	if open < 0 || line[open] != '[' || open > 0 && line[open-1] == '!' || escapedAt(line, open) {
		return 0
	}
	n := urlLength(line[i+2:], hosts)
	if n == 0 || i+2+n >= len(line) || line[i+2+n] != ')' {
		return 0
	}
	return n + 2
}
