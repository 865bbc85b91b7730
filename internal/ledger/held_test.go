package ledger

import (
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// TestOnlyOurAppIsBelieved holds the author of each text: a thread that somebody else began holds no Finding of ours, and a reply
// that somebody else wrote no answer, whatever their text says.
func TestOnlyOurAppIsBelieved(t *testing.T) {
	stolen := modelLedger(t, func(f *contract.Facts) { f.Threads[0].Comments[0].Author.ID = outsider })
	if _, ok := stolen.Finding(f1); ok || len(stolen.Findings) != len(modelLedger(t, nil).Findings)-1 {
		t.Errorf("a stranger's thread holds %+v", stolen.Findings)
	}
	marker := DispositionMarker{Key: strings.Repeat("a", 32), Run: run, Finding: f1, Half: contract.HalfReviewer,
		Verdict: contract.VerdictAccepted, Of: contract.VerdictFixed}
	for author, want := range map[int64]int{outsider: 0, maintainer: 0, bot: 1} {
		l := modelLedger(t, func(f *contract.Facts) {
			reply := f.Threads[0].Comments[1]
			reply.Author.ID, reply.Text = author, untrusted.New("Fine.\n\n"+marker.String())
			f.Threads[0].Comments[1] = reply
		})
		if len(l.Dispositions) != want {
			t.Errorf("of %d: %d answers, want %d", author, len(l.Dispositions), want)
		}
	}
}

// TestWhatNoMarkerHolds holds values that look like ours and that apply never writes.
func TestWhatNoMarkerHolds(t *testing.T) {
	good := FindingMarker{ID: f1, Category: "data_loss", Severity: contract.SeverityMajor, Anchor: None, Fingerprint: strings.Repeat("0", 32)}
	if _, ok := ParseFinding(good.String()); !ok {
		t.Fatalf("%s is none", good)
	}
	for _, category := range []string{"_loss", "", "Data", strings.Repeat("a", 25)} {
		bad := good
		bad.Category = category
		if _, ok := ParseFinding(bad.String()); ok {
			t.Errorf("category %q is taken", category)
		}
	}
	review := ReviewMarker{Key: strings.Repeat("0", 32), Run: run, Role: "pr-review", Intent: "review-change", Content: strings.Repeat("0", 64),
		Commit: strings.Repeat("0", 40), Status: contract.StatusCompleted}
	if _, ok := ParseReview(review.String()); !ok {
		t.Fatalf("%s is none", review)
	}
	for _, status := range []string{contract.StatusFailed, "approved", ""} {
		bad := review
		bad.Status = status
		if _, ok := ParseReview(bad.String()); ok {
			t.Errorf("status %q is taken", status)
		}
	}
}

// TestNoRoleClosesAnothersFinding holds that of two Roles of one App each accepts its own Findings alone.
func TestNoRoleClosesAnothersFinding(t *testing.T) {
	another := "run-" + strings.Repeat("7", 24)
	for role, closes := range map[string]bool{"pr-review": true, "other": false} {
		l := modelLedger(t, func(f *contract.Facts) {
			review := ReviewMarker{Key: strings.Repeat("1", 32), Run: another, Role: role, Intent: "review-change", Content: strings.Repeat("0", 64),
				Commit: strings.Repeat("0", 40), Status: contract.StatusCompleted}
			ours := f.Reviews[0]
			ours.ID, ours.NodeID, ours.Text = ours.ID+1, "PRR_other", untrusted.New("Seen.\n\n"+review.String())
			f.Reviews = append(f.Reviews, ours)
			answer := DispositionMarker{Key: strings.Repeat("2", 32), Run: another, Finding: f1, Half: contract.HalfReviewer,
				Verdict: contract.VerdictAccepted, Of: contract.VerdictFixed}
			reply := f.Threads[0].Comments[1]
			reply.ID, reply.Author.ID, reply.At, reply.Text = reply.ID+100, bot, f.ReadAt, untrusted.New("Fine.\n\n"+answer.String())
			f.Threads[0].Comments = append(f.Threads[0].Comments, reply)
		})
		finding, ok := l.Finding(f1)
		if !ok || finding.Role != "pr-review" || finding.Open == closes {
			t.Errorf("accepted by %s: %+v", role, finding)
		}
	}
}
