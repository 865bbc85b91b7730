package diff

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// The sides of a diff, in GitHub's words.
const (
	Left  = "LEFT"  // deleted and context lines, at their old numbers
	Right = "RIGHT" // added and context lines, at their new numbers
)

// Index knows every line of a diff that a comment may stand on: the lines inside
// its hunks, no others. It keeps the diff, which must not be changed. It may be
// used from several goroutines.
type Index struct {
	diff  []byte
	files []File
	hunks map[string][]hunk // by File.Path
}

// hunk holds where each of its lines' text stands in the diff: left[i] is old
// line oldStart+i, right[i] is new line newStart+i.
type hunk struct {
	oldStart, newStart int
	left, right        []extent
}

type extent struct{ from, to int }

// NewIndex reads a whole diff. It takes any bytes: from what is not a diff it
// makes an index without files. Hunks that do not hold what they count are left
// out. Memory is about 30 bytes a line.
func NewIndex(diff []byte) *Index {
	x := &Index{diff: diff, hunks: map[string][]hunk{}}
	if !startsFile(diff) {
		return x
	}
	var (
		m     machine
		path  []hunk
		open  hunk
		start = 0
	)
	closeHunk := func() {
		if !m.inside() && !m.broken && len(open.left)+len(open.right) > 0 {
			path = append(path, open)
		}
		open = hunk{}
	}
	closeFile := func(end int) {
		m.finish()
		closeHunk()
		file := m.file
		file.Raw = diff[start:end:end]
		file.Bytes = int64(end - start)
		file.Characters = int64(countCharacters(file.Raw))
		x.files = append(x.files, file)
		if name := file.Path(); name != "" {
			x.hunks[name] = append(x.hunks[name], path...)
		}
		path = nil
	}
	for at := 0; at < len(diff); {
		line := upToNewline(diff[at:])
		next := at + len(line)
		if m.inside() {
			what, ok := m.hunkStep(line)
			if ok {
				text := extent{at + 1, next}
				if line[len(line)-1] == '\n' {
					text.to--
				}
				text.from = min(text.from, text.to)
				if what == contextLine || what == deletedLine {
					open.left = append(open.left, text)
				}
				if what == contextLine || what == addedLine {
					open.right = append(open.right, text)
				}
				at = next
				continue
			}
			closeHunk()
		}
		switch {
		case startsFile(line):
			if at > 0 {
				closeFile(at)
			}
			start = at
			m.begin(line, true)
		case bytes.HasPrefix(line, []byte("@@ ")):
			closeHunk()
			if m.step(line, true) == hunkLine {
				open.oldStart, open.newStart = m.oldStart, m.newStart
			}
		default:
			m.step(line, true)
		}
		at = next
	}
	closeFile(len(diff))
	return x
}

// Files are the diff's entries in order, each with its bytes.
func (x *Index) Files() []File { return x.files }

// Commentable reports whether GitHub takes a comment on this line. A file goes
// by its File.Path on both sides; side is Left or Right; lines count from 1.
func (x *Index) Commentable(path, side string, line int) bool {
	_, _, ok := x.find(path, side, line)
	return ok
}

// SameHunk reports whether start and line are commentable and in one hunk, in
// either order: what GitHub asks of the two ends of a range.
func (x *Index) SameHunk(path, side string, start, line int) bool {
	first, _, okFirst := x.find(path, side, start)
	second, _, okSecond := x.find(path, side, line)
	return okFirst && okSecond && first == second
}

// Line is the text of a commentable line without its diff sign and without its
// newline; a carriage return before that stays.
func (x *Index) Line(path, side string, line int) (text string, ok bool) {
	_, where, ok := x.find(path, side, line)
	if !ok {
		return "", false
	}
	return string(x.diff[where.from:where.to]), true
}

// find returns the number of the hunk within the path, and the line's text.
func (x *Index) find(path, side string, line int) (int, extent, bool) {
	for i, h := range x.hunks[path] {
		start, lines := h.newStart, h.right
		switch side {
		case Right:
		case Left:
			start, lines = h.oldStart, h.left
		default:
			return 0, extent{}, false
		}
		if line >= start && line-start < len(lines) {
			return i, lines[line-start], true
		}
	}
	return 0, extent{}, false
}

const anchorBytes = 16

// Anchor is the digest a Finding's place is known by: 32 hex digits of sha256
// over the line's text as Index.Line gives it, so that it outlives a change of
// line numbers.
func Anchor(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:anchorBytes])
}
