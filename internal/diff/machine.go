package diff

import "bytes"

// kind is what one line of a diff is.
type kind uint8

const (
	headerLine kind = iota
	hunkLine        // `@@ … @@`
	contextLine
	addedLine
	deletedLine
	noteLine // `\ No newline at end of file`
	strayLine
)

// maximumCount bounds the numbers of a hunk header, so that no sum overflows.
const maximumCount = 1 << 30

var (
	fileMark = []byte("diff --")
	gitMark  = []byte("diff --git ")
)

// machine reads one file's lines in order. begin starts it; after that each line
// goes to hunkStep while inside is true, else to step.
type machine struct {
	file File
	// What the current hunk still has to hold, of the old and of the new side.
	oldLeft, newLeft int
	// Of the hunk whose header was read last.
	oldStart, newStart int
	// broken: the last hunk ended before its counts were met.
	broken bool
	binary bool // inside a git binary patch
}

// startsFile reports whether a line outside every hunk begins the next file.
func startsFile(line []byte) bool { return bytes.HasPrefix(line, fileMark) }

func (m *machine) inside() bool { return m.oldLeft|m.newLeft != 0 }

// begin takes the `diff --git` line. Whole is false where the line was too long
// to be held; its names are then unknown.
func (m *machine) begin(line []byte, whole bool) {
	*m = machine{}
	pair, isGit := bytes.CutPrefix(trimEnd(line), gitMark)
	if !isGit || !whole {
		m.file.Malformed = true
		return
	}
	// Where the names differ, or hold spaces, later lines say them.
	m.file.OldPath, m.file.NewPath, _ = pairNames(pair)
}

// finish settles the file once its last line was read.
func (m *machine) finish() {
	if m.inside() {
		m.abandon()
	}
	m.file.settle()
}

func (m *machine) abandon() {
	m.oldLeft, m.newLeft = 0, 0
	m.broken, m.file.Malformed = true, true
}

// hunkStep takes one line inside a hunk. Its first byte decides; an empty line
// is an empty context line whose space was trimmed. A false second value says
// that the line is no content: the hunk is broken off and the line is still to
// be read by step, or begins the next file.
func (m *machine) hunkStep(line []byte) (kind, bool) {
	switch line[0] {
	case ' ', '\n':
		if m.oldLeft > 0 && m.newLeft > 0 {
			m.oldLeft--
			m.newLeft--
			return contextLine, true
		}
	case '+':
		if m.newLeft > 0 {
			m.newLeft--
			return addedLine, true
		}
	case '-':
		if m.oldLeft > 0 {
			m.oldLeft--
			return deletedLine, true
		}
	case '\\':
		return noteLine, true
	}
	m.abandon()
	return strayLine, false
}

// step takes one line outside every hunk's content.
func (m *machine) step(line []byte, whole bool) kind {
	line = trimEnd(line)
	if m.file.Hunks > 0 || m.broken {
		return m.afterHunk(line)
	}
	if m.binary {
		return headerLine
	}
	word := func(prefix string) ([]byte, bool) {
		rest, ok := bytes.CutPrefix(line, []byte(prefix))
		return rest, ok && whole
	}
	f := &m.file
	ok := true
	if rest, is := word("--- "); is {
		var path string
		if path, ok = sideName(rest, "a/"); ok && path == "" {
			f.Status = Added
		} else if ok {
			f.OldPath = path
		}
	} else if rest, is := word("+++ "); is {
		var path string
		if path, ok = sideName(rest, "b/"); ok && path == "" {
			f.Status = Removed
		} else if ok {
			f.NewPath = path
		}
	} else if _, is := word("@@ "); is {
		return m.hunkHeader(line)
	} else if rest, is := word("rename from "); is {
		f.Status = Renamed
		f.OldPath, ok = name(rest)
	} else if rest, is := word("rename to "); is {
		f.Status = Renamed
		f.NewPath, ok = name(rest)
	} else if rest, is := word("copy from "); is {
		f.Status = Copied
		f.OldPath, ok = name(rest)
	} else if rest, is := word("copy to "); is {
		f.Status = Copied
		f.NewPath, ok = name(rest)
	} else if rest, is := word("old mode "); is {
		f.OldMode = string(rest)
	} else if rest, is := word("new mode "); is {
		f.NewMode = string(rest)
	} else if rest, is := word("new file mode "); is {
		f.Status, f.NewMode = Added, string(rest)
	} else if rest, is := word("deleted file mode "); is {
		f.Status, f.OldMode = Removed, string(rest)
	} else if rest, is := word("index "); is {
		if cut := bytes.IndexByte(rest, ' '); cut >= 0 && f.OldMode == "" && f.NewMode == "" {
			f.OldMode, f.NewMode = string(rest[cut+1:]), string(rest[cut+1:])
		}
	} else if _, is := word("Binary files "); is {
		f.Binary = true
	} else if _, is := word("GIT binary patch"); is {
		f.Binary, m.binary = true, true
	} else if _, is := word("similarity index "); is {
	} else if _, is := word("dissimilarity index "); is {
	} else {
		ok = false
	}
	if !ok {
		f.Malformed = true
		return strayLine
	}
	return headerLine
}

func (m *machine) afterHunk(line []byte) kind {
	if bytes.HasPrefix(line, []byte("@@ ")) {
		return m.hunkHeader(line)
	}
	if len(line) > 0 && line[0] == '\\' && !m.broken {
		return noteLine
	}
	m.file.Malformed = true
	return strayLine
}

// hunkHeader reads `@@ -1,2 +3,4 @@ …`; an absent count is one.
func (m *machine) hunkHeader(line []byte) kind {
	m.broken = false
	m.file.Hunks++
	rest, ok := bytes.CutPrefix(line, []byte("@@ -"))
	if ok {
		if m.oldStart, m.oldLeft, rest, ok = span(rest); ok {
			if rest, ok = bytes.CutPrefix(rest, []byte(" +")); ok {
				m.newStart, m.newLeft, rest, ok = span(rest)
				ok = ok && bytes.HasPrefix(rest, []byte(" @@"))
			}
		}
	}
	if !ok {
		m.abandon()
		return strayLine
	}
	return hunkLine
}

func span(s []byte) (start, count int, rest []byte, ok bool) {
	if start, rest, ok = number(s); !ok {
		return 0, 0, s, false
	}
	if len(rest) == 0 || rest[0] != ',' {
		return start, 1, rest, true
	}
	count, rest, ok = number(rest[1:])
	return start, count, rest, ok
}

func number(s []byte) (value int, rest []byte, ok bool) {
	i := 0
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		if value = value*10 + int(s[i]-'0'); value > maximumCount {
			return 0, s, false
		}
	}
	return value, s[i:], i > 0
}

// trimEnd drops the newline. A carriage return before it is part of a name only
// where git did not quote it, which it always does; so it is dropped too.
func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}
