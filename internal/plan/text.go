package plan

import (
	"bytes"
	"strconv"
	"strings"

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

// block renders a text of any number of lines.
func (r renderer) block(text untrusted.Text) string {
	return strings.Trim(rendered(r.masked(text), r.hosts), "\n")
}

// line renders a text as one line.
func (r renderer) line(text untrusted.Text) string {
	return r.block(untrusted.New(strings.Join(strings.Fields(text.Raw()), " ")))
}

// location is the line that says where a section of the review's body is about.
func (r renderer) location(at place) string {
	return ledger.Location(VisibleName(r.masked(*at.path)), at.line)
}

// VisibleName is the name of a file on one line, with nothing hidden in it.
func VisibleName(path untrusted.Text) string {
	name, _ := untrusted.Escape(path.Raw())
	return strings.NewReplacer("\r", "⟦U+000D⟧", "\n", "⟦U+000A⟧", "\t", "⟦U+0009⟧").Replace(name)
}

// Holds reports whether the diff holds the text, byte for byte.
func Holds(index *diff.Index, text string) bool {
	if index == nil || text == "" {
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
	text := "**" + raw.Severity + ", " + raw.Category + ".** " + r.line(raw.Title) + "\n\n" + r.block(raw.Text)
	if at.cutRange {
		text += "\n\nThis is about the lines " + strconv.Itoa(*raw.StartLine) + " to " + strconv.Itoa(*raw.Line) + "."
	}
	return text
}

// answer is a Disposition's text: the verdict, for a reviewer's half the claim it is about, and what the model wrote.
func (r renderer) answer(verdict, of string, text untrusted.Text) string {
	if of != "" {
		verdict += ", of " + of
	}
	return "**" + verdict + ".** " + r.block(text)
}
