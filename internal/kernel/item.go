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
	held, _ := newestCommand(in)
	return held || hasLabel(in, in.Policy.Labels.Hold)
}

// newestCommand reads the newest unedited comment of a maintainer that is a command, whether it holds and when it was given;
// of two in one second the later one.
func newestCommand(in Input) (held bool, at contract.Time) {
	for _, comment := range in.Facts.Comments {
		if comment.EditedAt != nil || trust.Of(comment.Author.ID, in.Policy, in.Apps) != contract.TrustMaintainer || comment.At.Before(at) {
			continue
		}
		switch command(comment.Text.Raw()) {
		case "/hold":
			held, at = true, comment.At
		case "/unhold":
			held, at = false, comment.At
		}
	}
	return held, at
}

// command is the first word of the first line. What stands after it is for people.
func command(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if words := strings.Fields(line); len(words) > 0 {
		return words[0]
	}
	return ""
}

// hasLabel compares as GitHub does, for which labels that differ in case are one.
func hasLabel(in Input, label string) bool {
	return slices.ContainsFunc(in.Facts.Labels, func(set string) bool { return strings.EqualFold(set, label) })
}
