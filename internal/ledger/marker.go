package ledger

import (
	"strconv"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// Prefix is how every marker begins. A text of a model that holds it is refused, so no marker is ever model text.
const Prefix = "<!-- airlock/"

const (
	opening = Prefix + "1 "
	closing = " -->"
	// None stands in a marker for a value that there is none of.
	None = "-"
)

// ReviewMarker ends the body of a review. Content is the content id's 64 hexadecimal digits, without "sha256:"; Commit is
// the admitted commit. Status is the Result's, "completed" or "incomplete". Omitted is how many files the model was not
// shown: those over the budget, and those whose content the diff does not show.
type ReviewMarker struct {
	Key, Run, Role, Intent, Content, Commit, Status string
	Omitted                                         int
}

// ContentID is the content id as every record writes it.
func (m ReviewMarker) ContentID() string { return "sha256:" + m.Content }

// FindingMarker stands with a Finding's text. ID is the Finding's id everywhere but in its Result, "<run>/f1". Anchor is
// [None] where there is no anchor.
type FindingMarker struct {
	ID, Category, Severity, Anchor, Fingerprint string
}

// DispositionMarker stands with a Disposition's text. Half is "author" or "reviewer". Of is the claim that a reviewer half
// is about, and [None] in an author half.
type DispositionMarker struct {
	Key, Run, Finding, Half, Verdict, Of string
}

// String is the marker as the one line that apply writes.
func (m ReviewMarker) String() string {
	return reviewGrammar.line(m.Key, m.Run, m.Role, m.Intent, m.Content, m.Commit, m.Status, strconv.Itoa(m.Omitted))
}

// String is the marker as the one line that apply writes.
func (m FindingMarker) String() string {
	return findingGrammar.line(m.ID, m.Category, m.Severity, m.Anchor, m.Fingerprint)
}

// String is the marker as the one line that apply writes.
func (m DispositionMarker) String() string {
	return dispositionGrammar.line(m.Key, m.Run, m.Finding, m.Half, m.Verdict, m.Of)
}

// ParseReview reads a review marker from a whole line without its end. Nothing but what String writes is one.
func ParseReview(line string) (ReviewMarker, bool) {
	v, ok := reviewGrammar.parse(line)
	if !ok {
		return ReviewMarker{}, false
	}
	omitted, err := strconv.Atoi(v[7])
	if err != nil {
		return ReviewMarker{}, false
	}
	return ReviewMarker{Key: v[0], Run: v[1], Role: v[2], Intent: v[3], Content: v[4], Commit: v[5], Status: v[6], Omitted: omitted}, true
}

// ParseFinding reads a finding marker from a whole line without its end. Nothing but what String writes is one.
func ParseFinding(line string) (FindingMarker, bool) {
	v, ok := findingGrammar.parse(line)
	if !ok {
		return FindingMarker{}, false
	}
	return FindingMarker{ID: v[0], Category: v[1], Severity: v[2], Anchor: v[3], Fingerprint: v[4]}, true
}

// ParseDisposition reads a disposition marker from a whole line without its end. Nothing but what String writes is one.
func ParseDisposition(line string) (DispositionMarker, bool) {
	v, ok := dispositionGrammar.parse(line)
	if !ok {
		return DispositionMarker{}, false
	}
	m := DispositionMarker{Key: v[0], Run: v[1], Finding: v[2], Half: v[3], Verdict: v[4], Of: v[5]}
	isClaim := oneOf(claims()...)
	if m.Half == contract.HalfAuthor {
		return m, isClaim(m.Verdict) && m.Of == None
	}
	return m, !isClaim(m.Verdict) && m.Of != None
}

// IsMarker reports whether a whole line is a marker of any kind.
func IsMarker(line string) bool {
	_, review := ParseReview(line)
	_, finding := ParseFinding(line)
	_, disposition := ParseDisposition(line)
	return review || finding || disposition
}

// grammar is one kind of marker: its keys in the one order they may stand in.
type grammar struct {
	kind string
	keys []key
}

// key is one key and what its value may be; every valid value is a word of [A-Za-z0-9_./:-].
type key struct {
	name  string
	valid func(string) bool
}

func (g grammar) line(values ...string) string {
	var out strings.Builder
	out.WriteString(opening + g.kind)
	for i, k := range g.keys {
		out.WriteString(" " + k.name + "=" + values[i])
	}
	out.WriteString(closing)
	return out.String()
}

// parse returns the values in the order of the keys.
func (g grammar) parse(line string) ([]string, bool) {
	rest, ok := strings.CutPrefix(line, opening+g.kind)
	if !ok {
		return nil, false
	}
	if rest, ok = strings.CutSuffix(rest, closing); !ok {
		return nil, false
	}
	values := make([]string, 0, len(g.keys))
	for _, k := range g.keys {
		if rest, ok = strings.CutPrefix(rest, " "+k.name+"="); !ok {
			return nil, false
		}
		end := strings.IndexByte(rest, ' ')
		if end < 0 {
			end = len(rest)
		}
		value := rest[:end]
		if !k.valid(value) {
			return nil, false
		}
		values, rest = append(values, value), rest[end:]
	}
	return values, rest == ""
}
