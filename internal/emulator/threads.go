package emulator

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// outdated says whether the thread's line left the diff.
func (thread *Thread) outdated() bool { return thread.Line == nil }

// moveThread follows a thread's line from one commit to the pull request's head. When the line is changed there, or no
// longer in the diff, the thread is outdated and keeps only its original place.
func (w *world) moveThread(pull *Pull, thread *Thread, from string) {
	if thread.outdated() {
		return
	}
	change := changeOf(w.changes(pull), thread.Path)
	moved := func(side string, line *int) *int {
		if line == nil || change == nil {
			return nil
		}
		number := *line
		if side == right {
			number = follow(w.commits[from].Tree[thread.Path].diffText(), w.commits[pull.Head.Commit].Tree[thread.Path].diffText(), number)
		}
		if _, found := change.locate(side, number); !found {
			return nil
		}
		return &number
	}
	startSide := thread.StartSide
	setDefault(&startSide, thread.Side)
	line, start := moved(thread.Side, thread.Line), moved(startSide, thread.StartLine)
	if line == nil || thread.StartLine != nil && start == nil {
		thread.Line, thread.StartLine, thread.Position = nil, nil, nil
		return
	}
	place, _ := change.locate(thread.Side, *line)
	thread.Line, thread.StartLine, thread.Position, thread.Commit = line, start, &place.position, pull.Head.Commit
}

// createReply adds to a thread. Only the thread's top comment can be replied to.
func (server *Server) createReply(c *call) answer {
	pull, refusal := c.pull("pull_number")
	if pull == nil {
		return refusal
	}
	id, err := c.id("comment_id")
	if err != nil {
		return notFound()
	}
	thread, top := pull.lineComment(id)
	if thread == nil || !c.token.sees(pull.review(top.ReviewID)) {
		return notFound()
	}
	var asked bodyRequest
	if refusal, refused := c.decode(&asked); refused {
		return refusal
	}
	if thread.Comments[0] != top {
		return invalid("PullRequestReviewComment", "in_reply_to", "invalid", "Replies to replies are not supported")
	}
	reply, refusal, refused := server.reply(c.token.userID, pull, thread, asked.Body)
	if refused {
		return refusal
	}
	return answer{status: http.StatusCreated, body: c.lineCommentAnswer(pull, thread, reply)}
}

// reply stores a reply of whoever has the permission. Every reply is a review of its own with an empty body.
func (server *Server) reply(author int64, pull *Pull, thread *Thread, body string) (*LineComment, answer, bool) {
	if refusal, refused := checkBody("PullRequestReviewComment", body); refused {
		return nil, refusal, true
	}
	if pull.Locked && !server.world.mayWriteWhenLocked(author) {
		return nil, locked(), true
	}
	if pull.pendingReview(author) != nil {
		return nil, invalid("PullRequestReviewComment", "pull_request_review_id", "custom", "User can only have one pending review per pull request"), true
	}
	now := server.clock.now()
	w := &server.world
	review := &Review{ID: w.next("review"), AuthorID: author, State: "COMMENTED", Commit: pull.Head.Commit, CreatedAt: now, UpdatedAt: now}
	pull.Reviews = append(pull.Reviews, review)
	reply := &LineComment{ID: w.next("line_comment"), ReviewID: review.ID, AuthorID: author, Body: body, CreatedAt: now, UpdatedAt: now}
	thread.Comments = append(thread.Comments, reply)
	pull.UpdatedAt = now
	return reply, answer{}, false
}

// getLineComment answers with one comment of a thread.
func (server *Server) getLineComment(c *call) answer {
	id, err := c.id("comment_id")
	if err != nil {
		return notFound()
	}
	for _, pull := range server.world.pulls {
		if thread, comment := pull.lineComment(id); comment != nil && c.token.sees(pull.review(comment.ReviewID)) {
			return ok(c.lineCommentAnswer(pull, thread, comment))
		}
	}
	return notFound()
}

// listLineComments lists all comments on lines in the order of ids, or as asked.
func (server *Server) listLineComments(c *call) answer {
	pull, refusal := c.pull("pull_number")
	if pull == nil {
		return refusal
	}
	since, err := c.since()
	if err != nil {
		return unprocessable(err.Error())
	}
	if sort, direction := c.query.Get("sort"), c.query.Get("direction"); sort != "" && sort != "created" || direction != "" && direction != "asc" {
		return unprocessable("The emulator lists line comments by creation, ascending, only.")
	}
	return c.page(server.lineComments(c, pull, func(comment *LineComment) bool {
		return !comment.UpdatedAt.Before(since)
	}, c.lineCommentAnswer))
}

// lineComments collects the visible comments that are wanted, by id.
func (server *Server) lineComments(c *call, pull *Pull, wanted func(*LineComment) bool, form func(*Pull, *Thread, *LineComment) object) []any {
	type found struct {
		thread  *Thread
		comment *LineComment
	}
	var all []found
	for _, thread := range pull.Threads {
		for _, comment := range thread.Comments {
			if wanted(comment) && c.token.sees(pull.review(comment.ReviewID)) {
				all = append(all, found{thread, comment})
			}
		}
	}
	slices.SortFunc(all, func(a, b found) int { return int(a.comment.ID - b.comment.ID) })
	var answers []any
	for _, f := range all {
		answers = append(answers, form(pull, f.thread, f.comment))
	}
	return answers
}

// listReviewComments lists the comments of one review, in the legacy form: it has positions, and no lines of a
// thread that is outdated.
func (server *Server) listReviewComments(c *call) answer {
	pull, review, refusal := c.reviewOf()
	if review == nil {
		return refusal
	}
	return c.page(server.lineComments(c, pull, func(comment *LineComment) bool {
		return comment.ReviewID == review.ID
	}, c.legacyCommentAnswer))
}

// lineCommentAnswer is the form with lines and sides.
func (c *call) lineCommentAnswer(pull *Pull, thread *Thread, comment *LineComment) object {
	body := c.legacyCommentAnswer(pull, thread, comment)
	delete(body, "position")
	delete(body, "original_position")
	if thread.Position != nil {
		body["position"] = *thread.Position
	}
	body["original_position"] = thread.OriginalPosition
	if thread.Line != nil { // the description knows no null here, so an outdated line is left out
		body["line"] = *thread.Line
	}
	body["original_line"], body["side"] = thread.OriginalLine, thread.Side
	body["start_line"], body["original_start_line"], body["start_side"] = number(thread.StartLine), number(thread.OriginalStartLine), orNull(thread.StartSide)
	body["subject_type"] = "line"
	return body
}

// number turns an absent number into null.
func number(value *int) any {
	if value == nil {
		return nil
	}
	return *value
}

func (c *call) legacyCommentAnswer(pull *Pull, thread *Thread, comment *LineComment) object {
	api := fmt.Sprintf("%s/pulls/comments/%d", c.repositoryURL(), comment.ID)
	page := fmt.Sprintf("%s/pull/%d#discussion_r%d", c.pageURL(), pull.Number, comment.ID)
	ofPull := fmt.Sprintf("%s/pulls/%d", c.repositoryURL(), pull.Number)
	body := object{
		"id": comment.ID, "node_id": nodeID("PRRC", comment.ID), "pull_request_review_id": comment.ReviewID, "path": thread.Path,
		"position": number(thread.Position), "original_position": thread.OriginalPosition, "diff_hunk": thread.Hunk,
		"commit_id": thread.Commit, "original_commit_id": thread.OriginalCommit, "user": c.userAnswer(comment.AuthorID), "body": comment.Body,
		"author_association": c.server.world.association(comment.AuthorID),
		"created_at":         comment.CreatedAt.Format(time.RFC3339), "updated_at": comment.UpdatedAt.Format(time.RFC3339),
		"url": api, "html_url": page, "pull_request_url": ofPull,
		"_links": object{"self": object{"href": api}, "html": object{"href": page}, "pull_request": object{"href": ofPull}},
	}
	if thread.Comments[0] != comment {
		body["in_reply_to_id"] = thread.Comments[0].ID
	}
	return body
}
