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
	// Review is the marker of the whole, nil unless there is exactly one and nothing but blank lines after it.
	Review       *ReviewMarker
	Findings     []FindingSection
	Dispositions []DispositionSection
}

// ParseReviewBody reads the body of a review that our App wrote. Each section begins with its marker and ends before the
// next marker or heading of ours.
func ParseReviewBody(text string) ReviewBody {
	var body ReviewBody
	lines := splitLines(text)
	reviews := 0
	for i := 0; i < len(lines); i++ {
		if m, ok := ParseReview(lines[i]); ok {
			reviews++
			body.Review = nil
			if reviews == 1 && blank(lines[i+1:]) {
				body.Review = &m
			}
			continue
		}
		end := i + 1
		for end < len(lines) && !isHeading(lines[end]) && !IsMarker(lines[end]) {
			end++
		}
		if m, ok := ParseFinding(lines[i]); ok {
			body.Findings = append(body.Findings, findingSection(m, lines[i+1:end]))
		} else if m, ok := ParseDisposition(lines[i]); ok {
			body.Dispositions = append(body.Dispositions, DispositionSection{m, joinTrimmed(lines[i+1 : end])})
		}
	}
	return body
}

// ParseFindingComment reads the first comment of a thread that our App began. The marker may stand anywhere in it, so that
// a line that somebody adds does not make the Finding go; with none, or with two, it holds no Finding.
func ParseFindingComment(text string) (FindingSection, bool) {
	var section FindingSection
	found := 0
	var rest []string
	for _, line := range splitLines(text) {
		if m, ok := ParseFinding(line); ok {
			section.FindingMarker = m
			found++
			continue
		}
		rest = append(rest, line)
	}
	section.Body = joinTrimmed(rest)
	return section, found == 1
}

// ParseReply reads a reply of our App in a thread: its text, and the one Disposition in it, nil where there is none.
func ParseReply(text string) (body string, disposition *DispositionMarker) {
	found := 0
	var rest []string
	for _, line := range splitLines(text) {
		if m, ok := ParseDisposition(line); ok {
			disposition = &m
			found++
			continue
		}
		rest = append(rest, line)
	}
	if found != 1 {
		disposition = nil
	}
	return joinTrimmed(rest), disposition
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

func blank(lines []string) bool {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			return false
		}
	}
	return true
}

// joinTrimmed drops blank lines at both ends.
func joinTrimmed(lines []string) string {
	for len(lines) > 0 && blank(lines[:1]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1:]) {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}
