package kernel

import (
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

func contentAbsent(in Input) bool { return in.Facts.Content.State == contract.ContentAbsent }

// contentNotText: there is a diff, and it shows the content of no file.
func contentNotText(in Input) bool {
	content := in.Facts.Content
	switch content.State {
	case contract.ContentNotText:
		return true
	case contract.ContentText:
		return !slices.ContainsFunc(content.Files, func(f contract.ContentFile) bool { return f.Visible })
	}
	return false
}

// contentTooLarge: over what GitHub serves, or over what the policy allows.
func contentTooLarge(in Input) bool {
	content, limits := in.Facts.Content, in.Policy.Content
	return content.State == contract.ContentTooLarge || content.Bytes > limits.Bytes || len(content.Files) > limits.Files
}
