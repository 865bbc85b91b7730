package plan

import (
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// place is where a Finding points, held against the diff.
type place struct {
	// path is the file as the diff names it where the diff has it, else as the model wrote it; nil where there is none.
	path *untrusted.Text
	// inHunk says that GitHub takes a comment on line; anchor is then the line's.
	inHunk bool
	anchor *string
	line   int
	side   string
	// start is the first line of a range that lies in one hunk, else nil.
	start *int
	// cutRange says that a range was asked for and that only its last line can carry the comment.
	cutRange bool
}

// locate holds a Finding's place against the diff.
func locate(raw contract.RawFinding, index *diff.Index) place {
	at := place{path: raw.Path}
	if raw.Path == nil || raw.Line == nil || raw.Side == nil {
		return at
	}
	at.line, at.side = *raw.Line, *raw.Side
	path, ok := commentable(index, raw.Path.Raw(), at.side, at.line)
	if !ok {
		return at
	}
	named := untrusted.New(path)
	at.path, at.inHunk = &named, true
	line, _ := index.Line(path, at.side, at.line)
	anchor := diff.Anchor(line)
	at.anchor = &anchor
	if start := raw.StartLine; start != nil && *start != at.line {
		if *start < at.line && index.SameHunk(path, at.side, *start, at.line) {
			at.start = start
		} else {
			at.cutRange = true
		}
	}
	return at
}

// commentable finds a line of the diff. The model was shown hidden characters of a name as escapes, so a name that is not in
// the diff is tried again as what it would have been before.
func commentable(index *diff.Index, path, side string, line int) (string, bool) {
	if index.Commentable(path, side, line) {
		return path, true
	}
	if plain, err := untrusted.Unescape(path); err == nil && index.Commentable(plain, side, line) {
		return plain, true
	}
	return path, false
}

func (at place) fingerprint(category string) string {
	var path, anchor string
	if at.path != nil {
		path = at.path.Raw()
	}
	if at.anchor != nil {
		anchor = *at.anchor
	}
	return contract.Fingerprint(category, path, anchor)
}

// openAlready returns the open Finding that a new one repeats. One that this same Result accepts is about to be closed and
// hides nothing. A fingerprint without an anchor says no more than a file or a category, so there the two must also begin
// with the same line, severity and title. One that was altered hides nothing: an edit can give it any fingerprint.
func (b *builder) openAlready(finding Finding) (id string, ok bool) {
	for _, open := range b.in.Ledger.Asked() {
		if open.Fingerprint != finding.Fingerprint || b.accepted[open.ID] || strings.HasPrefix(open.ID, b.in.Decision.Run+"/") {
			continue
		}
		if finding.Anchor == nil && firstLine(open.Body.Raw()) != firstLine(finding.Body) {
			continue
		}
		return open.ID, true
	}
	return "", false
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
