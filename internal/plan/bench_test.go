package plan

import (
	"fmt"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// BenchmarkBuild plans a review of 200 Findings on lines.
func BenchmarkBuild(b *testing.B) {
	var findings []contract.RawFinding
	for i := range 200 {
		finding := raw(fmt.Sprintf("f%d", i+1))
		finding.Path, finding.Line, finding.Side = path("src/a.go"), number(10+i%4), side("RIGHT")
		findings = append(findings, finding)
	}
	in := input(findings...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Build(in); err != nil {
			b.Fatal(err)
		}
	}
}
