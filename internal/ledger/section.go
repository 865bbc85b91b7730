package ledger

import "strings"

// The headings under which a review's body lists what stands on no line of the change. They end the section before them.
const (
	// HeadingUnplaced is over Findings that asked for a thread whose line is not in the change.
	HeadingUnplaced = "### Not on a line of this change"
	// HeadingListed is over Findings that asked for no thread.
	HeadingListed = "### Also seen"
	// HeadingAnswers is over the answers to Findings that have no thread.
	HeadingAnswers = "### Answers"
)

// FindingSection is a Finding as a text holds it.
type FindingSection struct {
	FindingMarker
	// Path is the location line's, empty where there is none; Line is 0 where it names none.
	Path string
	Line int
	// Body is the text without marker, location line and surrounding blank lines.
	Body string
}

// DispositionSection is a Disposition as a text holds it.
type DispositionSection struct {
	DispositionMarker
	// Body is the text without the marker and surrounding blank lines.
	Body string
}

// ReviewBody is what a review of ours says, in the order of its text.
type ReviewBody struct {
	// Review is the marker of the whole, nil where there is none.
	Review       *ReviewMarker
	Findings     []FindingSection
	Dispositions []DispositionSection
}

// ParseReviewBody reads the body of a review that our App wrote. Each section begins with its marker and ends before the
// next marker, or before the heading that stands over that marker: a text of the model can hold the heading, but no marker.
// Apply writes one review marker; of two, which only an edit can make, the first counts.
func ParseReviewBody(text string) ReviewBody {
	var body ReviewBody
	lines := splitLines(text)
	for i := 0; i < len(lines); i++ {
		if m, ok := ParseReview(lines[i]); ok {
			if body.Review == nil {
				body.Review = &m
			}
			continue
		}
		end := i + 1
		for end < len(lines) && !IsMarker(lines[end]) {
			end++
		}
		text := lines[i+1 : end]
		if end < len(lines) {
			text = withoutHeading(text)
		}
		if m, ok := ParseFinding(lines[i]); ok {
			body.Findings = append(body.Findings, findingSection(m, text))
		} else if m, ok := ParseDisposition(lines[i]); ok {
			body.Dispositions = append(body.Dispositions, DispositionSection{m, joinTrimmed(text)})
		}
		i = end - 1
	}
	return body
}

// ParseFindingComment reads the first comment of a thread that our App began. The marker may stand anywhere in it, so that
// a line that somebody adds does not make the Finding go; of two the first counts.
func ParseFindingComment(text string) (FindingSection, bool) {
	m, rest, ok := takeOut(text, ParseFinding)
	return FindingSection{FindingMarker: m, Body: joinTrimmed(rest)}, ok
}

// ParseReply reads a reply of our App in a thread: its Disposition, and its text. Of two markers the first counts.
func ParseReply(text string) (DispositionSection, bool) {
	m, rest, ok := takeOut(text, ParseDisposition)
	return DispositionSection{DispositionMarker: m, Body: joinTrimmed(rest)}, ok
}

// takeOut returns the first marker of a kind and the lines that are no marker of it.
func takeOut[Marker any](text string, parse func(string) (Marker, bool)) (first Marker, rest []string, found bool) {
	for _, line := range splitLines(text) {
		m, ok := parse(line)
		switch {
		case !ok:
			rest = append(rest, line)
		case !found:
			first, found = m, true
		}
	}
	return first, rest, found
}

// WithoutMarkers is a text of our App without its marker lines.
func WithoutMarkers(text string) string {
	var rest []string
	for _, line := range splitLines(text) {
		if !IsMarker(line) {
			rest = append(rest, line)
		}
	}
	return joinTrimmed(rest)
}

func findingSection(m FindingMarker, lines []string) FindingSection {
	section := FindingSection{FindingMarker: m}
	if len(lines) > 0 {
		if path, line, ok := ParseLocation(lines[0]); ok {
			section.Path, section.Line = path, line
			lines = lines[1:]
		}
	}
	section.Body = joinTrimmed(lines)
	return section
}

// SectionText is a text as a section can hold it, so that what is read back is what was written: without blank lines around
// it, and with its last line escaped for Markdown where it reads like a heading of ours, which the reader would take for that
// of the next section.
func SectionText(text string) string {
	lines := trimmed(strings.Split(text, "\n"))
	if last := len(lines) - 1; last >= 0 && isHeading(strings.TrimSuffix(lines[last], "\r")) {
		lines[last] = `\` + lines[last]
	}
	return strings.Join(lines, "\n")
}

// withoutHeading drops the heading of the next section, which stands last before a marker.
func withoutHeading(lines []string) []string {
	last := len(lines) - 1
	for last >= 0 && blank(lines[last]) {
		last--
	}
	if last >= 0 && isHeading(lines[last]) {
		return lines[:last]
	}
	return lines
}

func isHeading(line string) bool {
	return line == HeadingUnplaced || line == HeadingListed || line == HeadingAnswers
}

// splitLines also takes the line ends of a text that was edited in a browser.
func splitLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

// trimmed drops blank lines at both ends.
func trimmed(lines []string) []string {
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func joinTrimmed(lines []string) string { return strings.Join(trimmed(lines), "\n") }
