package emulator

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// reviewRequest is the body of POST pulls/{n}/reviews. The deprecated position of a comment is not emulated, so it is
// refused as an unknown field.
type reviewRequest struct {
	CommitID string           `json:"commit_id"`
	Body     string           `json:"body"`
	Event    string           `json:"event"`
	Comments []commentRequest `json:"comments"`
}

type commentRequest struct {
	Path      string `json:"path" emulator:"required"`
	Body      string `json:"body" emulator:"required"`
	Line      *int   `json:"line"`
	Side      string `json:"side"`
	StartLine *int   `json:"start_line"`
	StartSide string `json:"start_side"`
}

// stateOfEvent is the state a review takes by its event; none leaves it pending, seen by its author only.
var stateOfEvent = map[string]string{"": "PENDING", "COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}

// createReview checks everything before it stores anything: one bad comment loses the whole review.
func (server *Server) createReview(c *call) answer {
	pull, refusal := c.pull("pull_number")
	if pull == nil {
		return refusal
	}
	var asked reviewRequest
	if refusal, refused := c.decode(&asked); refused {
		return refusal
	}
	state, known := stateOfEvent[asked.Event]
	if !known {
		return rejected(fmt.Sprintf("Variable $event of type PullRequestReviewEvent was provided invalid value %q", asked.Event))
	}
	if refusal, refused := server.checkReview(c, pull, asked); refused {
		return refusal
	}
	if asked.CommitID == "" {
		asked.CommitID = pull.Head.Commit
	}
	if !pull.hasCommit(asked.CommitID) {
		return rejected("Commit oid is not part of the pull request")
	}
	changes := server.world.changes(pull)
	if asked.CommitID != pull.Head.Commit {
		changes = compareTrees(pull.Base.Tree, server.world.commits[asked.CommitID].Tree)
	}
	var threads []*Thread
	for _, comment := range asked.Comments {
		thread, complaint := newThread(changes, comment)
		if complaint != "" {
			return rejected(complaint)
		}
		threads = append(threads, thread)
	}
	now := server.clock.now()
	review := &Review{ID: server.world.next("review"), AuthorID: c.token.userID, Body: asked.Body, State: state, Commit: asked.CommitID, CreatedAt: now, UpdatedAt: now}
	pull.Reviews = append(pull.Reviews, review)
	pull.UpdatedAt = now
	for i, thread := range threads {
		thread.ID = server.world.next("thread")
		thread.OriginalCommit, thread.Commit = asked.CommitID, asked.CommitID
		thread.Comments = []*LineComment{{ID: server.world.next("line_comment"), ReviewID: review.ID, AuthorID: review.AuthorID,
			Body: asked.Comments[i].Body, CreatedAt: now, UpdatedAt: now}}
		pull.Threads = append(pull.Threads, thread)
		if asked.CommitID != pull.Head.Commit {
			server.world.moveThread(pull, thread, asked.CommitID)
		}
	}
	return ok(c.reviewAnswer(pull, review))
}

// checkReview holds the rules that need no diff.
func (server *Server) checkReview(c *call, pull *Pull, asked reviewRequest) (answer, bool) {
	author := c.token.userID
	if pull.Locked && !server.world.mayWriteWhenLocked(author) {
		return locked(), true
	}
	if pull.pendingReview(author) != nil {
		return rejected("User can only have one pending review per pull request"), true
	}
	if (asked.Event == "APPROVE" || asked.Event == "REQUEST_CHANGES") && author == pull.AuthorID {
		return rejected("Can not " + map[string]string{"APPROVE": "approve", "REQUEST_CHANGES": "request changes on"}[asked.Event] + " your own pull request"), true
	}
	if (asked.Event == "APPROVE" || asked.Event == "REQUEST_CHANGES") && pull.State != "open" {
		return rejected("Can not approve or request changes on a closed pull request"), true
	}
	if asked.Body == "" && (asked.Event == "COMMENT" && len(asked.Comments) == 0 || asked.Event == "REQUEST_CHANGES") {
		return rejected("You need to leave a comment indicating the requested changes."), true
	}
	tooLong := fmt.Sprintf("body is too long (maximum is %d characters)", longestBody)
	if utf8.RuneCountInString(asked.Body) > longestBody {
		return rejected(tooLong), true
	}
	for _, comment := range asked.Comments {
		if comment.Body == "" {
			return rejected("Body can't be blank"), true
		}
		if utf8.RuneCountInString(comment.Body) > longestBody {
			return rejected(tooLong), true
		}
	}
	return answer{}, false
}

func (pull *Pull) pendingReview(author int64) *Review {
	return find(pull.Reviews, func(review *Review) bool { return review.State == "PENDING" && review.AuthorID == author })
}

// newThread places a comment in a diff. The complaint, when not empty, is GitHub's wording of 2026; it does not say
// which comment is meant.
func newThread(changes []*fileChange, asked commentRequest) (*Thread, string) {
	const lineUnresolved = "Line could not be resolved"
	change := changeOf(changes, asked.Path)
	if change == nil {
		return nil, "Path could not be resolved"
	}
	if asked.Line == nil {
		return nil, lineUnresolved
	}
	if asked.StartLine == nil && asked.StartSide != "" {
		return nil, "start_line must be given with start_side"
	}
	setDefault(&asked.Side, right)
	setDefault(&asked.StartSide, asked.Side)
	for _, side := range []string{asked.Side, asked.StartSide} {
		if side != left && side != right {
			return nil, fmt.Sprintf("side %q is neither LEFT nor RIGHT", side)
		}
	}
	end, found := change.locate(asked.Side, *asked.Line)
	if !found {
		return nil, lineUnresolved
	}
	thread := &Thread{Path: asked.Path, Side: asked.Side, Line: asked.Line, OriginalLine: *asked.Line, StartSide: asked.StartSide,
		Hunk: end.hunkUpTo(), Position: &end.position, OriginalPosition: end.position}
	if asked.StartLine == nil {
		thread.StartSide = ""
		return thread, ""
	}
	start, found := change.locate(asked.StartSide, *asked.StartLine)
	switch {
	case !found:
		return nil, "Start line could not be resolved"
	case start.position >= end.position || asked.Side == asked.StartSide && *asked.StartLine >= *asked.Line:
		return nil, "Pull request review thread start line must precede the end line."
	case start.hunk != end.hunk:
		return nil, "Pull request review thread start line must be part of the same hunk as the line."
	}
	thread.StartLine, thread.OriginalStartLine = asked.StartLine, asked.StartLine
	return thread, ""
}

// reviewOf finds the review in the path, of which others do not see a pending one.
func (c *call) reviewOf() (*Pull, *Review, answer) {
	pull, refusal := c.pull("pull_number")
	if pull == nil {
		return nil, nil, refusal
	}
	id, err := c.id("review_id")
	if err != nil {
		return nil, nil, notFound()
	}
	review := pull.review(id)
	if review == nil || !c.token.sees(review) {
		return nil, nil, notFound()
	}
	return pull, review, answer{}
}

// sees says whether the review is visible: a pending one is to its author only.
func (t *token) sees(review *Review) bool {
	return review.State != "PENDING" || review.AuthorID == t.userID
}

// getReview answers with one review.
func (server *Server) getReview(c *call) answer {
	pull, review, refusal := c.reviewOf()
	if review == nil {
		return refusal
	}
	return ok(c.reviewAnswer(pull, review))
}

// listReviews lists the reviews in the order they were made.
func (server *Server) listReviews(c *call) answer {
	pull, refusal := c.pull("pull_number")
	if pull == nil {
		return refusal
	}
	var reviews []any
	for _, review := range pull.Reviews {
		if c.token.sees(review) {
			reviews = append(reviews, c.reviewAnswer(pull, review))
		}
	}
	return c.page(reviews)
}

// deletePendingReview removes a review that was not submitted, with its comments.
func (server *Server) deletePendingReview(c *call) answer {
	pull, review, refusal := c.reviewOf()
	if review == nil {
		return refusal
	}
	if review.State != "PENDING" {
		return rejected("Can not delete a non-pending pull request review")
	}
	given := ok(c.reviewAnswer(pull, review))
	pull.Reviews = slices.DeleteFunc(pull.Reviews, func(other *Review) bool { return other == review })
	pull.Threads = slices.DeleteFunc(pull.Threads, func(thread *Thread) bool { return thread.Comments[0].ReviewID == review.ID })
	return given
}

func (c *call) reviewAnswer(pull *Pull, review *Review) object {
	page := fmt.Sprintf("%s/pull/%d#pullrequestreview-%d", c.pageURL(), pull.Number, review.ID)
	api := fmt.Sprintf("%s/pulls/%d", c.repositoryURL(), pull.Number)
	body := object{
		"id": review.ID, "node_id": nodeID("PRR", review.ID), "user": c.userAnswer(review.AuthorID), "body": review.Body, "state": review.State,
		"html_url": page, "pull_request_url": api, "author_association": c.server.world.association(review.AuthorID), "commit_id": orNull(review.Commit),
		"_links": object{"html": object{"href": page}, "pull_request": object{"href": api}},
	}
	if review.State != "PENDING" {
		body["submitted_at"] = review.CreatedAt.Format(time.RFC3339)
	}
	return body
}
