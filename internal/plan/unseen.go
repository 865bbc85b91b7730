package plan

import (
	"fmt"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// Unseen are the changed files whose content the model was not shown.
type Unseen struct {
	// OverBudget and Excluded count files that were left out of the Task's diff, by its budget and by the policy.
	OverBudget, Excluded int
	// Opaque are the files whose content the diff itself does not show.
	Opaque []untrusted.Text
	// LeftOut names the files of OverBudget and Excluded, in the diff's order.
	LeftOut []untrusted.Text
}

// Count is how many files keep a review from being one of the whole change. Those that the policy excludes do not.
func (u Unseen) Count() int { return u.OverBudget + len(u.Opaque) }

// unseen finds the files that were left out by holding the Task's diff against the admitted one: each file is whole in it,
// in the diff's order, or not in it.
func unseen(task contract.Task, facts contract.Facts, index *diff.Index) Unseen {
	var u Unseen
	for _, omitted := range task.Omitted {
		switch omitted.Kind {
		case contract.OmittedDiff:
			u.OverBudget = omitted.Files
		case contract.OmittedDiffExcluded:
			u.Excluded = omitted.Files
		}
	}
	opaque := map[string]bool{}
	for _, file := range facts.Content.Files {
		if !file.Visible {
			opaque[file.Path.Raw()] = true
			u.Opaque = append(u.Opaque, file.Path)
		}
	}
	if u.OverBudget+u.Excluded == 0 || index == nil {
		return u
	}
	shown := ""
	for _, text := range task.Texts {
		if text.Kind == contract.TextDiff {
			shown = text.Text.Raw()
		}
	}
	for _, file := range index.Files() {
		raw, _ := untrusted.Escape(file.Raw)
		if rest, ok := strings.CutPrefix(shown, raw); ok {
			shown = rest
		} else if !opaque[file.Path()] {
			u.LeftOut = append(u.LeftOut, untrusted.New(file.Path()))
		}
	}
	return u
}

// namedFiles and nameBytes bound the list of names in a review's body; what is over is counted.
const (
	namedFiles = 40
	nameBytes  = 4000
)

// section names the files in the review's body, empty where the model was shown all.
func (u Unseen) section(text renderer) string {
	var parts []string
	if n := u.OverBudget + u.Excluded; n > 0 {
		parts = append(parts, fmt.Sprintf("Left out of what was reviewed: %s over the budget, %s excluded by the policy.",
			files(u.OverBudget), files(u.Excluded)), names(u.LeftOut, text))
	}
	if len(u.Opaque) > 0 {
		parts = append(parts, fmt.Sprintf("The diff does not show the content of %s.", files(len(u.Opaque))), names(u.Opaque, text))
	}
	if len(parts) == 0 {
		return ""
	}
	return "### Not reviewed\n\n" + strings.Join(parts, "\n\n")
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

func names(paths []untrusted.Text, text renderer) string {
	var out strings.Builder
	for i, path := range paths {
		line := "- " + text.location(place{path: &path}) + "\n"
		if i == namedFiles || out.Len()+len(line) > nameBytes {
			fmt.Fprintf(&out, "- and %s more\n", files(len(paths)-i))
			break
		}
		out.WriteString(line)
	}
	return strings.TrimSuffix(out.String(), "\n")
}
