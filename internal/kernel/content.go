package kernel

import (
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/task"
)

func contentAbsent(in Input) bool { return in.Facts.Content.State == contract.ContentAbsent }

// contentNotText: there is a diff, and it shows the content of no file that the policy leaves to the model. Files that the
// policy excludes keep no check from being green, so where nothing else is left there would be a green one of nothing.
func contentNotText(in Input) bool {
	content := in.Facts.Content
	switch content.State {
	case contract.ContentNotText:
		return true
	case contract.ContentText:
		excluded := task.Excluded(in.Policy)
		return !slices.ContainsFunc(content.Files, func(f contract.ContentFile) bool {
			previous := ""
			if f.PreviousPath != nil {
				previous = f.PreviousPath.Raw()
			}
			return f.Visible && !excluded(previous, f.Path.Raw())
		})
	}
	return false
}

// contentTooLarge: over what GitHub serves, or over what the policy allows.
func contentTooLarge(in Input) bool {
	content, limits := in.Facts.Content, in.Policy.Content
	return content.State == contract.ContentTooLarge || content.Bytes > limits.Bytes || len(content.Files) > limits.Files
}
