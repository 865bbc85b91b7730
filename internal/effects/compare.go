package effects

import (
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// sameText compares a body as it was read with the one that was written: GitHub gives CRLF for LF after an edit in a
// browser, and takes white space from the end.
func sameText(read untrusted.Text, written string) bool {
	return fold(read.Raw()) == fold(written)
}

func fold(s string) string { return strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), " \t\n") }

// dispositionsOf lists the halves that an Effect posted, as records. node is where they were read.
func dispositionsOf(s Session, p plan.Plan, effect plan.Effect, node string) []contract.AppliedDisposition {
	var records []contract.AppliedDisposition
	for _, d := range p.Dispositions {
		if d.Effect == effect.ID {
			records = append(records, contract.AppliedDisposition{Schema: "disposition/1", Effect: effect.ID, Finding: d.Finding,
				Half: d.Half, NodeID: node, Of: d.Of, Run: s.Decision.Run, Verdict: d.Verdict})
		}
	}
	return records
}
