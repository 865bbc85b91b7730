package effects

import (
	"context"
	"fmt"
	"net/http"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// submitReview is one review with all its threads: found by the key in its marker, written by one POST that holds every thread,
// read back with each of its comments.
func submitReview() kind {
	return kind{
		needs:   map[string]string{"pull_requests": "write"},
		find:    findReview,
		write:   writeReview,
		compare: compareReview,
		record:  recordReview,
		retry:   newPost(),
	}
}

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

func writeReview(ctx context.Context, s Session, client *github.Client, effect plan.Effect) error {
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
	return post(ctx, client, s.pull()+"/reviews", request)
}

// findReview finds it by its key, which the ledger believes of our App's user alone, or, where somebody took the marker from the
// body, by a thread that was posted with it: what lost its marker is not written again.
func findReview(_ Session, seen Seen, effect plan.Effect) (found, bool) {
	if marked, ok := seen.Ledger.ReviewByKey(effect.Key); ok {
		return found{marked.ID, marked.NodeID}, true
	}
	for _, c := range effect.Review.Comments {
		thread, ok := threadOf(seen, c)
		if !ok || thread.ReviewID == nil {
			continue
		}
		if review, ok := reviewOf(seen, *thread.ReviewID); ok {
			return found{review.ID, review.NodeID}, true
		}
	}
	return found{}, false
}

func compareReview(s Session, seen Seen, effect plan.Effect, there found) ([]field, contract.ReadBack) {
	review, _ := reviewOf(seen, there.databaseID)
	marked, keyed := seen.Ledger.ReviewByKey(effect.Key)
	back := contract.ReviewReadBack{AuthorID: review.Author.ID, BodySHA256: contract.Digest([]byte(review.Text.Raw())),
		Comments: []contract.CommentReadBack{}, Commit: review.Commit, State: review.State}
	fields := []field{
		{"the marker of the review", keyed},
		{"the body of the review", sameText(review.Text, effect.Review.Body)},
		{"the state of the review", review.State == "COMMENTED"},
		{"the commit in the review's marker", marked.Commit == effect.Review.Commit},
		// GitHub moves a review to the new head at a force-push, so its own commit counts only while the head stands.
		{"the commit of the review", seen.Facts.Head.Commit != s.Decision.Commit || review.Commit == s.Decision.Commit},
		{"the number of the review's line comments", commentsOf(seen, review.ID) == len(effect.Review.Comments)},
	}
	for _, c := range effect.Review.Comments {
		thread, ok := threadOf(seen, c)
		if !ok {
			fields = append(fields, field{"a line comment of the review is not there", false})
			continue
		}
		fields = append(fields, compareComment(s, thread, c, review.ID)...)
		read := contract.CommentReadBack{DatabaseID: thread.Comments[0].ID, Path: thread.Path, Side: thread.Side}
		if thread.OriginalLine != nil {
			read.Line = *thread.OriginalLine
		}
		back.Comments = append(back.Comments, read)
	}
	return fields, contract.ReadBack{Review: &back}
}

// compareComment compares the place that does not move: a push or a retarget later moves or takes the present one.
func compareComment(s Session, thread contract.Thread, c plan.Comment, review int64) []field {
	top := thread.Comments[0]
	return []field{
		{"the review of a line comment", thread.ReviewID != nil && *thread.ReviewID == review},
		{"the path of a line comment", thread.Path == c.Path},
		{"the line of a line comment", thread.OriginalLine != nil && *thread.OriginalLine == c.Line},
		{"the first line of a line comment", sameLine(thread.OriginalStartLine, c.StartLine)},
		{"the side of a line comment", thread.Side == c.Side},
		{"the commit of a line comment", thread.OriginalCommit == s.Decision.Commit},
		{"the place of a line comment, which GitHub took it without", thread.Outdated || thread.Line != nil},
		{"the body of a line comment", sameText(top.Text, c.Body)},
	}
}

func recordReview(s Session, seen Seen, p plan.Plan, effect plan.Effect, there found) ([]contract.Finding, []contract.AppliedDisposition) {
	var findings []contract.Finding
	for _, planned := range p.Findings {
		if planned.Effect != effect.ID {
			continue
		}
		if read, ok := seen.Ledger.Finding(planned.FindingID); ok {
			findings = append(findings, recordFinding(s, seen, planned, read))
		}
	}
	return findings, dispositionsOf(s, p, effect, there.nodeID)
}

func reviewOf(seen Seen, id int64) (contract.Review, bool) {
	for _, review := range seen.Facts.Reviews {
		if review.ID == id {
			return review, true
		}
	}
	return contract.Review{}, false
}

// commentsOf counts the threads that were begun with a review.
func commentsOf(seen Seen, review int64) int {
	count := 0
	for _, thread := range seen.Facts.Threads {
		if thread.ReviewID != nil && *thread.ReviewID == review {
			count++
		}
	}
	return count
}

// threadOf finds the thread of a line comment by the Finding in its marker.
func threadOf(seen Seen, c plan.Comment) (contract.Thread, bool) {
	finding, ok := seen.Ledger.Finding(c.FindingID)
	if !ok || finding.ThreadID == "" {
		return contract.Thread{}, false
	}
	return threadByID(seen, finding.ThreadID)
}

func threadByID(seen Seen, id string) (contract.Thread, bool) {
	for _, thread := range seen.Facts.Threads {
		if thread.NodeID == id && len(thread.Comments) > 0 {
			return thread, true
		}
	}
	return contract.Thread{}, false
}

// pull is the path of the item.
func (s Session) pull() string {
	return fmt.Sprintf("%s/pulls/%d", github.Repository(s.Decision.Repository.Owner, s.Decision.Repository.Name), s.Decision.Item.Number)
}

// post makes a request that makes something, whose answer must say what it made.
func post(ctx context.Context, client *github.Client, path string, request any) error {
	var answer struct {
		ID int64 `json:"id"`
	}
	_, err := client.REST(ctx, http.MethodPost, path, request, &answer)
	if err == nil && answer.ID == 0 {
		return github.Malformed("POST /"+path, "the answer has no id")
	}
	return err
}
