package untrusted

import (
	"slices"
	"strings"
)

// inline writes the lines of a text outside fenced code. Every line stands for
// itself: no code span, link or table goes from one line to the next.
type inline struct {
	out    *strings.Builder
	hosts  []string
	broken bool // the last byte written is a backslash of breakWord
	dollar bool // a dollar sign is written
}

func (w *inline) write(s string) {
	if s != "" {
		w.out.WriteString(s)
		w.broken = false
	}
}

// escape puts a backslash before a mark of ASCII: Markdown shows the mark alone.
// It undoes what Markdown itself reads (HTML, entities, links, code, tables,
// fences) and what others read in the raw text at the start of a line.
func (w *inline) escape(mark byte) {
	w.out.WriteByte('\\')
	w.out.WriteByte(mark)
	w.broken = false
}

// breakWord puts a backslash before the letter or digit to come. There it is
// shown, and it stays in the text after Markdown is gone. GitHub finds mentions
// and references, and mail clients find addresses, in the text that Markdown
// left, where an escape of the @ or # would have vanished.
func (w *inline) breakWord() {
	if !w.broken {
		w.out.WriteByte('\\')
		w.broken = true
	}
}

func (w *inline) line(line string) {
	start := len(line) - len(strings.TrimLeft(line, " \t"))
	if isDelimiterRow(line) {
		// Without it there is no table, so a | never cuts a code span in two.
		for i := range len(line) {
			if line[i] == '|' || line[i] == ':' {
				w.escape(line[i])
			} else {
				w.write(line[i : i+1])
			}
		}
		return
	}
	content := len(line) - len(strings.TrimLeft(line, containerMarks))
	spans := codeSpans(line)
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case i == start && opensCommand(line[i:]), i == content && strings.HasPrefix(line[i:], "~~~"):
			w.escape(c)
			i++
		case c == '`':
			if end, ok := spans[i]; ok {
				if strings.HasSuffix(w.out.String(), "$") {
					w.write(" ") // code behind a dollar sign is mathematics
				}
				w.write(line[i:end])
				i = end
				break
			}
			for ; i < len(line) && line[i] == '`'; i++ {
				w.escape('`')
			}
		case isAlphanumeric(c):
			i = w.word(line, i)
		case c >= 0x80:
			n := 1
			for i+n < len(line) && line[i+n] >= 0x80 {
				n++
			}
			w.write(line[i : i+n])
			i += n
			if i < len(line) && refersWide(line[:i], line[i]) {
				w.breakWord()
			}
		default:
			i = w.mark(line, i)
		}
	}
}

// mark writes the punctuation at i, escaped already or not, and returns where
// the rest begins.
func (w *inline) mark(line string, i int) int {
	c := line[i]
	pair := c == '\\' && i+1 < len(line) && isPunctuation(line[i+1])
	if pair {
		i++
		c = line[i]
	}
	next := byte(0)
	if i+1 < len(line) {
		next = line[i+1]
	}
	if c == '$' {
		w.breakDollar(line[i+1:])
	}
	switch {
	case pair:
		w.escape(c)
	case c == '<' && (isLetter(next) || next == '/' || next == '!' || next == '?'):
		w.escape(c)
	case c == '&' && isEntity(line[i:]):
		w.escape(c)
	case c == '[' && strings.HasSuffix(line[:i], "##"):
		w.escape(c) // ##[command] of a workflow's log
	case c == ']' && next == ':':
		w.write("]")
		w.escape(':')
		return i + 2
	case c == ']' && next == '(':
		w.write("]")
		if n := allowedTarget(line, i, w.hosts); n > 0 {
			w.write(line[i+1 : i+1+n])
			return i + 1 + n
		}
		w.escape('(')
		return i + 2
	case next == '$' && strings.IndexByte("*+-#.)", c) >= 0 && w.endsMathematics(line[i+2:]):
		w.escape(c) // before the blank to come it could begin a list or a heading
	default:
		w.write(line[i : i+1])
	}
	if c == '@' && isAlphanumeric(next) || c == '#' && isDigit(next) {
		w.breakWord()
	}
	return i + 1
}

// breakDollar puts a blank before a dollar sign that could end mathematics. GitHub
// looks for it in the text that Markdown left, where an escape of one is gone, and
// takes none that stands behind a blank.
func (w *inline) breakDollar(rest string) {
	written := w.out.String()
	if strings.HasSuffix(written, "$") || w.endsMathematics(rest) && strings.IndexByte(" \t\n", written[len(written)-1]) < 0 {
		w.write(" ")
	}
	w.dollar = true
}

// endsMathematics reports whether a dollar sign before rest could end what another
// one began: a price does not.
func (w *inline) endsMathematics(rest string) bool {
	return w.dollar && (rest == "" || !isDigit(rest[0]))
}

// refersWide reports whether the text before c ends in a wide or small form of @
// or #, which what compares texts by compatibility takes for the mark itself.
func refersWide(before string, c byte) bool {
	ends := func(forms ...string) bool {
		return slices.ContainsFunc(forms, func(form string) bool { return strings.HasSuffix(before, form) })
	}
	return isAlphanumeric(c) && ends("＠", "﹫") || isDigit(c) && ends("＃", "﹟")
}

// word writes the letters and digits from i on, broken where they would be the
// start of a URL to a host that is not allowed, of www., of GH-1 or a whole
// commit hash, and returns where the rest begins. An allowed URL is written
// with its path.
func (w *inline) word(line string, i int) int {
	end := i
	for end < len(line) && isAlphanumeric(line[end]) {
		end++
	}
	word, rest := line[i:end], line[end:]
	host := followsAt(line[:i])
	if host {
		w.breakWord()
	}
	switch {
	case colonSlashes(rest) > 0:
		if n := allowedURL(line, i, w.hosts); n > 0 && !host {
			w.write(line[i : i+n])
			return i + n
		}
		w.breakLast(line, i, end)
		return end
	case strings.EqualFold(word, "www") && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, `\.`)):
		w.breakLast(line, i, end)
		return end
	case strings.EqualFold(word, "gh"):
		if n := dash(rest); n > 0 && end+n < len(line) && isDigit(line[end+n]) {
			w.write(line[i : end+n])
			w.breakWord()
			return end + n
		}
	case len(word) == 40 && strings.Trim(word, "0123456789abcdefABCDEF") == "":
		w.write(word[:1])
		w.breakWord()
		w.write(word[1:])
		return end
	}
	w.write(word)
	return end
}

// followsAt reports whether before ends in the first part of an address, an @ and marks, escaped or not, that its host may
// begin with: Markdown makes a link of a@_b.example too.
func followsAt(before string) bool {
	at := len(before)
	for at > 0 && strings.IndexByte("-_./", before[at-1]) >= 0 {
		at--
		if at > 0 && before[at-1] == '\\' {
			at--
		}
	}
	user, found := strings.CutSuffix(before[:at], "@")
	user = strings.TrimSuffix(user, `\`)
	if at == len(before) || !found || user == "" {
		return false
	}
	last := user[len(user)-1]
	return isAlphanumeric(last) || strings.IndexByte(".+-_", last) >= 0
}

// breakLast writes line[i:end] with a break before its last character, unless
// that stands behind a backslash already.
func (w *inline) breakLast(line string, i, end int) {
	w.write(line[i : end-1])
	if end-1 > i || i == 0 || line[i-1] != '\\' {
		w.breakWord()
	}
	w.write(line[end-1 : end])
}

// dash is the length of a dash, escaped or not, at the start of s.
func dash(s string) int {
	switch {
	case strings.HasPrefix(s, "-"):
		return 1
	case strings.HasPrefix(s, `\-`):
		return 2
	}
	return 0
}

// opensCommand reports whether a line that begins with s is a command to a bot
// (/approve, !merge, .deploy) or of a workflow's log (::error::).
func opensCommand(s string) bool {
	return len(s) > 1 && strings.IndexByte("/!.", s[0]) >= 0 && isLetter(s[1]) || strings.HasPrefix(s, "::")
}

// isDelimiterRow reports whether a line, whatever list or quote it may begin, can
// be the row of dashes that makes the line above it the head of a table.
func isDelimiterRow(line string) bool {
	return strings.Trim(line, containerMarks+"|:") == "" && strings.Contains(line, "-") && strings.ContainsAny(line, "|:")
}

// longestRun is how many backquotes may begin a code span. The specification has no limit; cmark, cmark-gfm and comrak take
// a longer run for text, and what it encloses with it.
const longestRun = 80

// codeSpans finds the code spans that begin and end in the line, by where they
// begin. A run of backquotes is closed by the next of the same length; one that
// none closes, or that is longer than longestRun, is text. A backslash before a
// run takes its first backquote away. A span that could be part of a definition
// is text too.
func codeSpans(line string) map[int]int {
	if !strings.Contains(line, "`") {
		return nil
	}
	type run struct{ at, length int }
	var runs []run
	byLength := map[int][]int{} // indices into runs, rising
	for i := 0; i < len(line); {
		n := countByte(line[i:], '`')
		if n == 0 {
			i++
			continue
		}
		byLength[n] = append(byLength[n], len(runs))
		runs = append(runs, run{i, n})
		i += n
	}
	closer := func(after, length int) (int, bool) {
		candidates := byLength[length]
		for len(candidates) > 0 && candidates[0] <= after {
			candidates = candidates[1:]
		}
		byLength[length] = candidates
		if len(candidates) == 0 {
			return 0, false
		}
		return candidates[0], true
	}
	spans := map[int]int{}
	footnote := strings.HasPrefix(strings.TrimLeft(line, containerMarks), "[^")
	for r := 0; r < len(runs); r++ {
		at, length := runs[r].at, runs[r].length
		if escapedAt(line, at) {
			if at, length = at+1, length-1; length == 0 {
				continue
			}
		}
		if length > longestRun {
			continue
		}
		if c, ok := closer(r, length); ok {
			if end := runs[c].at + length; !defines(line[at:end], footnote) {
				spans[at] = end
			}
			r = c
		}
	}
	return spans
}

// defines reports whether a code span may end the label of a link reference definition or of a footnote. Markdown reads those
// before code, and shows nothing of them. The label may begin in a line before this one; that of a footnote only where the line
// begins as one, and it may hold any mark but a closing bracket.
func defines(span string, footnote bool) bool {
	if footnote && strings.Contains(span, "]:") {
		return true
	}
	for i := 0; i < len(span); i++ {
		switch span[i] {
		case '\\':
			i++
		case '[':
			return false
		case ']':
			return i+1 < len(span) && span[i+1] == ':'
		}
	}
	return false
}

// containerMarks are what the marks of quotes and lists consist of.
const containerMarks = " \t>*+-0123456789.)"

// escapedAt reports whether an odd number of backslashes stands before i.
func escapedAt(line string, i int) bool {
	n := 0
	for i-n > 0 && line[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// isEntity reports whether s begins with a character reference of HTML.
func isEntity(s string) bool {
	name, _, found := strings.Cut(s[1:min(len(s), 40)], ";")
	if !found || name == "" {
		return false
	}
	if name[0] == '#' {
		return len(name) > 1
	}
	for i := range len(name) {
		if !isAlphanumeric(name[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool        { return c >= '0' && c <= '9' }
func isLetter(c byte) bool       { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isAlphanumeric(c byte) bool { return isDigit(c) || isLetter(c) }

// isPunctuation is what Markdown lets a backslash escape.
func isPunctuation(c byte) bool {
	return c > 0x20 && c < 0x7f && !isAlphanumeric(c)
}
