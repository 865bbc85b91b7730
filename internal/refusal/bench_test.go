package refusal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// BenchmarkCheck holds a Result of 200 Findings with a kilobyte of text each to every rule, its Plan included.
func BenchmarkCheck(b *testing.B) {
	s := model(b, "A")
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
		if refused := Check(planned(b, s)); refused != nil {
			b.Fatalf("refused with %s at %s", refused.Code, refused.Where)
		}
	}
}
