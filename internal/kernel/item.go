package kernel

import (
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/trust"
)

func factsIncomplete(in Input) bool { return !in.Facts.Parts.Complete() }

func itemClosed(in Input) bool { return in.Facts.Item.State != "open" }

func itemDraft(in Input) bool { return in.Facts.Item.Draft }

func itemLocked(in Input) bool { return in.Facts.Item.Locked }

// itemHeld: the hold label is set, whoever set it, or the newest command of a maintainer is /hold.
func itemHeld(in Input) bool {
	return hasLabel(in, in.Policy.Labels.Hold) || heldByCommand(in)
}

// heldByCommand reads the newest unedited comment of a maintainer that is a command; of two in one second the later one.
func heldByCommand(in Input) bool {
	held := false
	var newest contract.Time
	for _, comment := range in.Facts.Comments {
		if comment.EditedAt != nil || trust.Of(comment.Author.ID, in.Policy, in.Apps) != contract.TrustMaintainer || comment.At.Before(newest) {
			continue
		}
		switch command(comment.Text.Raw()) {
		case "/hold":
			held, newest = true, comment.At
		case "/unhold":
			held, newest = false, comment.At
		}
	}
	return held
}

// command is the first word of the first line. What stands after it is for people.
func command(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return word
}

// hasLabel compares as GitHub does, for which labels that differ in case are one.
func hasLabel(in Input, label string) bool {
	return slices.ContainsFunc(in.Facts.Labels, func(set string) bool { return strings.EqualFold(set, label) })
}
