package plan

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// renderer turns untrusted text into what may be posted, by the policy and the admitted diff.
type renderer struct {
	hosts []string
	diff  *diff.Index
}

func newRenderer(policy contract.Policy, index *diff.Index) renderer {
	return renderer{hosts: policy.Links.Hosts, diff: index}
}

// masked hides token shapes that the admitted diff holds anyhow. Others stay, and package refusal refuses them.
func (r renderer) masked(text untrusted.Text) untrusted.Text {
	masked, _ := secret.MaskAdmitted(text.Raw(), func(token string) bool { return Holds(r.diff, token) })
	return untrusted.New(masked)
}

// block renders a text of any number of lines, as a section can hold it.
func (r renderer) block(text untrusted.Text) string {
	return ledger.SectionText(untrusted.Render(r.masked(text), untrusted.Options{Hosts: r.hosts}))
}

// led renders a text after words of ours. They go through the renderer together, because what a line means in Markdown
// depends on how it begins. A text that may begin with a construct of its own begins on its own line.
func (r renderer) led(lead string, text untrusted.Text) string {
	raw := strings.TrimLeft(text.Raw(), "\r\n")
	if first, _ := utf8.DecodeRuneInString(raw); unicode.IsLetter(first) || unicode.IsDigit(first) {
		return r.block(untrusted.New(lead + " " + raw))
	}
	return lead + "\n\n" + r.block(text)
}

// location is the line that says where a section of the review's body is about.
func (r renderer) location(at place) string {
	return ledger.Location(untrusted.VisibleLine(r.masked(*at.path)), at.line)
}

// Holds reports whether the diff holds the text, byte for byte; no diff holds none.
func Holds(index *diff.Index, text string) bool {
	if index == nil {
		return false
	}
	needle := []byte(text)
	for _, file := range index.Files() {
		if bytes.Contains(file.Raw, needle) {
			return true
		}
	}
	return false
}

// finding is a Finding's text: what it is, its title, and what the model wrote.
func (r renderer) finding(raw contract.RawFinding, at place) string {
	title := strings.Join(strings.Fields(raw.Title.Raw()), " ")
	text := r.block(untrusted.New("**"+raw.Severity+", "+raw.Category+".** "+title)) + "\n\n" + r.block(raw.Text)
	if at.cutRange {
		text += "\n\nThis is about the lines " + strconv.Itoa(*raw.StartLine) + " to " + strconv.Itoa(*raw.Line) + "."
	}
	return ledger.SectionText(text)
}

// answer is a Disposition's text: what the half says, in our words, and what the model wrote.
func (r renderer) answer(verdict, of string, text untrusted.Text) string {
	return ledger.SectionText(r.led(lead(verdict, of), text))
}

// lead says a half in words. Of is the claim of a reviewer's half, and empty in an author's.
func lead(verdict, of string) string {
	switch {
	case of == "":
		return strings.ToUpper(verdict[:min(1, len(verdict))]) + verdict[min(1, len(verdict)):] + "."
	case of == contract.VerdictFixed && verdict == contract.VerdictAccepted:
		return "Fixed."
	case of == contract.VerdictFixed:
		return "Not fixed."
	case verdict == contract.VerdictAccepted:
		return "Accepted as " + of + "."
	}
	return "Not accepted as " + of + "."
}
