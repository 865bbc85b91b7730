package effects

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/schema"
)

// TestDataModel holds what Write records of the two Runs of the data model to applied/1 as documented: Effects, Findings and
// Dispositions, every field. Tokens, calls and times are of the program and not of the Effects.
//
// In Run B the last reply fails with what GitHub says it did not do for a reason that no retry helps; a lost reply would be
// effect_unknown.
func TestDataModel(t *testing.T) {
	for _, c := range []struct {
		run    string
		ids    []id
		readAt []string // of each look, the last for those that follow
		answer func(*page) func(int, func()) (int, string)
	}{
		{"A", []id{{51001, "PRR_a", ""}, {61001, "PRRC_a1", "PRRT_a1"}, {61002, "PRRC_a2", "PRRT_a2"}}, []string{"2026-11-30T10:05:56Z", "2026-11-30T10:06:00Z"}, nil},
		{"B", []id{{51002, "PRR_b", ""}, {61021, "PRRC_b1", "PRRT_b1"}, {61022, "PRRC_b2", ""}}, []string{"2026-11-30T12:10:58Z", "2026-11-30T12:11:00Z"},
			func(p *page) func(int, func()) (int, string) {
				return func(write int, do func()) (int, string) {
					if write == 3 {
						return http.StatusMovedPermanently, `{"message":"Moved Permanently"}`
					}
					do()
					return http.StatusOK, ""
				}
			}},
	} {
		t.Run(c.run, func(t *testing.T) {
			p := model(t, c.run, c.ids...)
			if c.answer != nil {
				p.answer = c.answer(p)
			}
			p.look = func(n int, facts *contract.Facts) error {
				facts.ReadAt = at(t, c.readAt[min(n, len(c.readAt))-1])
				return nil
			}
			report := p.write()
			var want contract.Applied
			decode(t, c.run+".applied.json", &want)
			got := want
			got.Effects, got.Findings, got.Dispositions = report.Effects, report.Findings, report.Dispositions
			same(t, got, want)
		})
	}
}

func at(t *testing.T, text string) contract.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return contract.At(when)
}

// same compares two records by their canonical bytes, and holds them to their schema.
func same(t *testing.T, got, want contract.Applied) {
	t.Helper()
	g, err := contract.Canonical(got)
	if err != nil {
		t.Fatal(err)
	}
	w, err := contract.Canonical(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(w), string(g)); diff != "" {
		t.Errorf("not as documented (-want +got):\n%s", diff)
	}
	if err := schema.Validate("applied/1", g); err != nil {
		t.Error(err)
	}
}
