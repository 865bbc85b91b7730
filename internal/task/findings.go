package task

import (
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// findings states the open gating Findings, all of them and whole: the model must answer each, so no budget leaves one
// out. One in a review's body has no place but its text.
func (b *builder) findings(open []ledger.Finding, anchors *anchorWatch) []contract.TaskFinding {
	list := []contract.TaskFinding{}
	for _, f := range open {
		t := contract.TaskFinding{
			AnchorPresent: anchors.present(f),
			Answers:       []string{},
			Body:          b.visible(f.Body),
			Category:      f.Category,
			ID:            f.ID,
			Placement:     f.Placement,
			Severity:      f.Severity,
		}
		if f.Placement == contract.PlacementLine {
			t.Answers = append(t.Answers, b.answers[f.ThreadID]...)
			t.Line, t.Side = f.Line, f.Side
			path := b.visible(*f.Path)
			t.Path = &path
		}
		list = append(list, t)
	}
	return list
}

func (b *builder) visible(text untrusted.Text) untrusted.Text {
	shown, escaped := untrusted.Escape(text.Raw())
	b.count(escaped)
	return untrusted.New(shown)
}
