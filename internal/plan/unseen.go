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
	// OverBudget, Excluded and Opaque are the Task's counts of files left out by its budget, by the policy, and of those
	// whose content the diff itself does not show.
	OverBudget, Excluded, Opaque int
	// Files names them, in the diff's order and then in that of the files API.
	Files []untrusted.Text
	// hidden holds every name that one of them goes by, before the change too, as untrusted.VisibleLine writes it.
	hidden map[string]bool
}

// Hides reports whether a file that goes by this name, before or after the change, was not shown. The name may be as the file
// has it, or as a review's body writes it.
func (u Unseen) Hides(path untrusted.Text) bool {
	return u.hidden[untrusted.VisibleLine(path)] || u.hidden[path.Raw()]
}

// Count is how many files keep a review from being one of the whole change. Those that the policy excludes do not.
func (u Unseen) Count() int { return u.OverBudget + u.Opaque }

// UnseenIn finds the files that were left out by holding the Task's diff against the admitted one: each file is whole in it,
// in the diff's order, or not in it.
func UnseenIn(task contract.Task, facts contract.Facts, index *diff.Index) Unseen {
	var u Unseen
	for _, omitted := range task.Omitted {
		switch omitted.Kind {
		case contract.OmittedDiff:
			u.OverBudget = omitted.Files
		case contract.OmittedDiffExcluded:
			u.Excluded = omitted.Files
		case contract.OmittedOpaque:
			u.Opaque = omitted.Files
		}
	}
	if u.OverBudget+u.Excluded+u.Opaque == 0 {
		return u
	}
	shown := ""
	for _, text := range task.Texts {
		if text.Kind == contract.TextDiff {
			shown = text.Text.Raw()
		}
	}
	named := map[string]bool{}
	u.hidden = map[string]bool{}
	name := func(path, previous string) {
		for _, known := range []string{path, previous} {
			u.hidden[untrusted.VisibleLine(untrusted.New(known))] = true
		}
		if !named[path] && path != "" {
			named[path] = true
			u.Files = append(u.Files, untrusted.New(path))
		}
	}
	if index != nil {
		for _, file := range index.Files() {
			raw, _ := untrusted.Escape(file.Raw)
			if rest, ok := strings.CutPrefix(shown, raw); ok {
				shown = rest
			} else {
				name(file.Path(), file.OldPath)
			}
		}
	}
	for _, file := range facts.Content.Files {
		if file.Visible {
			continue
		}
		previous := ""
		if file.PreviousPath != nil {
			previous = file.PreviousPath.Raw()
		}
		name(file.Path.Raw(), previous)
	}
	return u
}

// headingUnseen is over the files that the model was not shown.
const headingUnseen = "### Not reviewed"

// namedFiles and nameBytes bound the list of names in a review's body; what is over is counted.
const (
	namedFiles = 40
	nameBytes  = 4000
)

// section counts and names the files in the review's body, empty where the model was shown all.
func (u Unseen) section(text renderer) string {
	var counts []string
	for _, count := range []struct {
		files int
		why   string
	}{{u.OverBudget, "over the budget"}, {u.Excluded, "excluded by the policy"}, {u.Opaque, "whose content the diff does not show"}} {
		if count.files > 0 {
			counts = append(counts, files(count.files)+" "+count.why)
		}
	}
	if len(counts) == 0 {
		return ""
	}
	parts := []string{headingUnseen, strings.Join(counts, ", ") + "."}
	if len(u.Files) > 0 {
		parts = append(parts, names(u.Files, text))
	}
	return strings.Join(parts, "\n\n")
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

func names(paths []untrusted.Text, text renderer) string {
	var lines []string
	size := 0
	for i, path := range paths {
		line := "- " + text.location(place{path: &path})
		if size += len(line) + 1; i == namedFiles || size > nameBytes {
			lines = append(lines, fmt.Sprintf("- and %d more", len(paths)-i))
			break
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
