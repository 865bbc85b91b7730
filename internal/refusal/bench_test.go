package refusal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/refusal"
)

// BenchmarkCheck holds a Result of 200 Findings with a kilobyte of text each to every rule, its Plan included.
func BenchmarkCheck(b *testing.B) {
	w := model(b, "A")
	s := w.state()
	review := s.Result.Effects[0].SubmitReview
	example := s.Result.Findings[0]
	s.Result.Findings, review.Threads, review.Listed = nil, nil, nil
	for i := range 200 {
		finding := example
		finding.ID, finding.Text = fmt.Sprintf("f%d", i+1), text(strings.Repeat("It breaks when the owner is empty. ", 30))
		s.Result.Findings, review.Threads = append(s.Result.Findings, finding), append(review.Threads, finding.ID)
	}
	s.Result.Status = contract.StatusCompleted
	b.ReportAllocs()
	for b.Loop() {
		w.planned(&s)
		if refused := refusal.Check(s); refused != nil {
			b.Fatalf("refused with %s at %s", refused.Code, refused.Where)
		}
	}
}
