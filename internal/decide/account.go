package decide

import (
	"fmt"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/facts"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// sentence says the Decision in one line of closed values.
func sentence(d contract.Decision) string {
	if d.Admitted {
		return fmt.Sprintf("%s is admitted for %s of pull request %d", d.Run, d.Intent, d.Item.Number)
	}
	codes := make([]string, len(d.Reasons))
	for i, code := range d.Reasons {
		codes[i] = string(code)
	}
	if d.Carries != nil {
		return fmt.Sprintf("pull request %d is carried from %s: %s", d.Item.Number, *d.Carries, strings.Join(codes, ", "))
	}
	return fmt.Sprintf("pull request %d is not admitted: %s", d.Item.Number, strings.Join(codes, ", "))
}

// summary is the Decision for a person, in Markdown. It holds closed values and sentences of ours only.
func summary(d contract.Decision, snapshot facts.Snapshot) string {
	var b strings.Builder
	verdict := "not admitted"
	switch {
	case d.Admitted:
		verdict = "admitted"
	case d.Carries != nil:
		verdict = "carried from an earlier Run"
	}
	fmt.Fprintf(&b, "### airlock decide: %s, pull request %d: %s\n\n", d.Role, d.Item.Number, verdict)
	for _, code := range d.Reasons {
		if reason, ok := contract.ReasonOf(code); ok {
			fmt.Fprintf(&b, "- `%s`: %s %s\n", code, reason.Sentence, reason.Next)
		}
	}
	for _, fault := range snapshot.Faults {
		fmt.Fprintf(&b, "- part `%s` is incomplete: `%s`\n", fault.Part, strings.ReplaceAll(oneLine(fault.Err), "`", "'"))
	}
	opaque := 0
	for _, file := range snapshot.Facts.Content.Files {
		if !file.Visible {
			opaque++
		}
	}
	fmt.Fprintf(&b, "\n| | |\n|---|---|\n| Run | `%s` |\n| commit | `%s` |\n| content | `%s` |\n| diff | %d bytes, %d files, %d of them opaque |\n| configuration | `%s` |\n",
		d.Run, d.Commit, d.ContentID, snapshot.Facts.Content.Bytes, len(snapshot.Facts.Content.Files), opaque, d.ConfigCommit)
	return b.String()
}

// oneLine keeps an error on one line.
func oneLine(err error) string { return workflow.Line(err.Error()) }
