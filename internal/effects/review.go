package effects

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// reviewKind is submit_review: needs pull_requests: write; found by the key in the review's marker; written by one POST that
// holds every thread; read back with each of its comments.
type reviewKind struct{}

// reviewRequest is the body of POST /repos/{owner}/{repo}/pulls/{number}/reviews.
type reviewRequest struct {
	CommitID string           `json:"commit_id"`
	Body     string           `json:"body"`
	Event    string           `json:"event"`
	Comments []commentRequest `json:"comments,omitempty"`
}

type commentRequest struct {
	Path      string  `json:"path"`
	Line      int     `json:"line"`
	Side      string  `json:"side"`
	StartLine *int    `json:"start_line,omitempty"`
	StartSide *string `json:"start_side,omitempty"`
	Body      string  `json:"body"`
}

func (reviewKind) write(ctx context.Context, s Session, client *github.Client, effect plan.Effect) error {
	// The last check before the wire: whatever a plan says, nothing but a comment on the admitted commit leaves.
	switch {
	case effect.Review.Event != plan.EventComment:
		return &Fault{contract.CodeReviewNotComment, "the request is not a comment"}
	case effect.Review.Commit != s.Decision.Commit:
		return &Fault{contract.CodeReviewCommit, "the request is not on the admitted commit"}
	}
	request := reviewRequest{CommitID: effect.Review.Commit, Body: effect.Review.Body, Event: effect.Review.Event}
	for _, c := range effect.Review.Comments {
		request.Comments = append(request.Comments, commentRequest{Path: c.Path.Raw(), Line: c.Line, Side: c.Side,
			StartLine: c.StartLine, StartSide: c.StartSide, Body: c.Body})
	}
	var answer struct {
		ID int64 `json:"id"`
	}
	path := fmt.Sprintf("%s/pulls/%d/reviews", github.Repository(s.Decision.Repository.Owner, s.Decision.Repository.Name), s.Decision.Item.Number)
	_, err := client.REST(ctx, http.MethodPost, path, request, &answer)
	if err == nil && answer.ID == 0 {
		return github.Malformed("POST /"+path, "the answer has no id")
	}
	return err
}

func (reviewKind) find(s Session, seen Seen, effect plan.Effect) (found, bool) {
	marked, ok := seen.Ledger.ReviewByKey(effect.Key)
	if !ok {
		return found{}, false
	}
	var review contract.Review
	for _, r := range seen.Facts.Reviews {
		if r.ID == marked.ID {
			review = r
		}
	}
	back := contract.ReviewReadBack{AuthorID: review.Author.ID, BodySHA256: contract.Digest([]byte(review.Text.Raw())),
		Comments: []contract.CommentReadBack{}, Commit: review.Commit, State: review.State}
	there := found{databaseID: review.ID, nodeID: review.NodeID}
	switch {
	case review.Author.ID != s.App.BotUserID:
		there.differs = "the author of the review"
	case !sameText(review.Text, effect.Review.Body):
		there.differs = "the body of the review"
	case review.State != "COMMENTED":
		there.differs = "the state of the review"
	case marked.Commit != effect.Review.Commit, seen.Facts.Head.Commit == s.Decision.Commit && review.Commit != s.Decision.Commit:
		// GitHub moves a review to the new head at a force-push, so its own commit counts only while the head stands.
		there.differs = "the commit of the review"
	}
	for _, c := range effect.Review.Comments {
		comment, ok := lineComment(seen, c)
		if !ok {
			there.differs = first(there.differs, "a line comment of the review is not there")
			continue
		}
		back.Comments = append(back.Comments, comment.CommentReadBack)
		if comment.differs {
			there.differs = first(there.differs, "a line comment of the review")
		}
	}
	there.readBack = contract.ReadBack{Review: &back}
	return there, true
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// readComment is a line comment as it was read.
type readComment struct {
	contract.CommentReadBack
	differs bool
}

// lineComment finds the comment that the plan puts on a line by the Finding in its marker, and compares it.
func lineComment(seen Seen, c plan.Comment) (readComment, bool) {
	finding, ok := seen.Ledger.Finding(c.FindingID)
	if !ok || finding.Placement != contract.PlacementLine {
		return readComment{}, false
	}
	for _, thread := range seen.Facts.Threads {
		if thread.NodeID != finding.ThreadID || len(thread.Comments) == 0 {
			continue
		}
		top := thread.Comments[0]
		read := readComment{CommentReadBack: contract.CommentReadBack{DatabaseID: top.ID, Path: thread.Path, Side: thread.Side}}
		switch {
		case thread.OriginalLine == nil:
			read.differs = true
		case !thread.Outdated && thread.Line == nil:
			// GitHub took the comment and dropped its place.
			read.Line, read.differs = *thread.OriginalLine, true
		default:
			read.Line = *thread.OriginalLine
			read.differs = read.Line != c.Line || thread.Path != c.Path || thread.Side != c.Side ||
				!sameStart(thread.OriginalStartLine, c.StartLine) || !sameText(top.Text, c.Body)
		}
		return read, true
	}
	return readComment{}, false
}

func sameStart(read, written *int) bool {
	if read == nil || written == nil {
		return read == nil && written == nil
	}
	return *read == *written
}

func (reviewKind) record(s Session, seen Seen, p plan.Plan, effect plan.Effect) ([]contract.Finding, []contract.AppliedDisposition) {
	marked, _ := seen.Ledger.ReviewByKey(effect.Key)
	var findings []contract.Finding
	for _, planned := range p.Findings {
		if planned.Effect != effect.ID {
			continue
		}
		if read, ok := seen.Ledger.Finding(planned.FindingID); ok {
			findings = append(findings, recordFinding(s, seen, planned, read))
		}
	}
	return findings, dispositionsOf(s, p, effect, marked.NodeID)
}

// recordFinding makes finding/1 from what was read; only the location of one in a body, which is part of the body that was
// compared, comes from the plan. Of one that was open already, commit and content are those of the review that posted it.
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
		for _, thread := range seen.Facts.Threads {
			if thread.NodeID == read.ThreadID {
				record.StartLine = thread.OriginalStartLine
			}
		}
	}
	return record
}

// pending reports whether GitHub refused a review because of a pending one.
func pending(err error) bool {
	return strings.Contains(err.Error(), "one pending review")
}
