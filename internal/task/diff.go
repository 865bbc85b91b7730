package task

import (
	"strings"
	"unicode/utf8"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// diff adds the diff as the first text, always outside, and always there: a model that is shown nothing of a change must
// still be able to name it. Each file is whole or left out, in the diff's order; one that does not fit what is left of
// the budget is left out and later ones that fit are kept. Excluded files are left out first and counted apart.
//
// A file whose content the diff does not show keeps its header lines, so that the model knows that it changed, and is
// counted as opaque, an excluded one too: nothing opaque passes unseen. Its characters are not known, so none are counted.
func (b *builder) diff(change *anchorWatch) error {
	excluded := Excluded(b.in.Policy)
	budget := int64(b.in.Harness.Texts.DiffCharacters)
	var shown strings.Builder
	scanner := diff.NewScanner(change)
	for scanner.Next(budget) {
		file := scanner.File()
		if excluded(file.OldPath, file.NewPath) {
			b.omitFile(contract.OmittedDiffExcluded, file.Characters)
			continue
		}
		if file.Raw == nil {
			b.omitFile(contract.OmittedDiff, file.Characters)
			continue
		}
		visible, escaped := untrusted.Escape(file.Raw)
		// Escapes take room, so what fitted as it was served may not fit as it is shown.
		size := int64(utf8.RuneCountInString(visible))
		if size > budget {
			b.omitFile(contract.OmittedDiff, file.Characters)
			continue
		}
		budget -= size
		shown.WriteString(visible)
		b.count(escaped)
	}
	if err := scanner.Err(); err != nil {
		return err
	}
	for _, file := range b.in.Facts.Content.Files {
		if !file.Visible {
			b.omitFile(contract.OmittedOpaque, 0)
		}
	}
	b.texts = append(b.texts, contract.TaskText{
		ID:     "diff:" + strings.TrimPrefix(b.in.Decision.ContentID, "sha256:"),
		Kind:   contract.TextDiff,
		Source: source(b.in.Facts.Item.Author.ID),
		Text:   untrusted.New(shown.String()),
		Trust:  contract.TrustOutside,
	})
	return nil
}
