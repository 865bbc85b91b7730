package effects

import (
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// sameText compares a body as it was read with the one that was written: GitHub gives CRLF for LF after an edit in a
// browser, and takes white space from the end.
func sameText(read untrusted.Text, written string) bool {
	return fold(read.Raw()) == fold(written)
}

func fold(s string) string { return strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), " \t\n") }

func sameLine(read, written *int) bool {
	if read == nil || written == nil {
		return read == nil && written == nil
	}
	return *read == *written
}

// recordFinding makes finding/1 from what was read; only the location of one in a body, which is part of the body that was
// compared, comes from the plan. Of one that was open already, commit, content and Role are those of the review that posted it.
func recordFinding(s Session, seen Seen, planned plan.Finding, read ledger.Finding) contract.Finding {
	run, _, _ := strings.Cut(read.ID, "/")
	record := contract.Finding{
		Schema: "finding/1", AuthorID: s.App.BotUserID, Body: read.Body, Category: read.Category, Commit: s.Decision.Commit,
		ContentID: s.Decision.ContentID, DatabaseID: read.DatabaseID, Fingerprint: read.Fingerprint, Gates: read.Gates, ID: read.ID,
		Item: s.Decision.Item, NodeID: read.NodeID, Placement: planned.Placement, ReadAt: seen.Facts.ReadAt, Role: s.Decision.Role, Run: run,
		Severity: read.Severity, Path: planned.Path,
	}
	for _, review := range seen.Ledger.Reviews {
		if review.Run == run {
			record.Commit, record.ContentID, record.Role = review.Commit, review.ContentID(), review.Role
		}
	}
	if read.HasAnchor() {
		record.Anchor = &read.Anchor
	}
	if read.Placement == contract.PlacementLine {
		record.Path, record.Line, record.Side, record.ThreadID = read.Path, read.Line, read.Side, &read.ThreadID
		if thread, ok := threadByID(seen, read.ThreadID); ok {
			record.StartLine = thread.OriginalStartLine
		}
	}
	return record
}

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
