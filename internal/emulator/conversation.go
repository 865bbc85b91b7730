package emulator

import (
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// longestBody is the most characters GitHub stores of a comment or a review.
const longestBody = 65536

// checkBody refuses an empty or over-long text, with the name GitHub gives the record in its refusal.
func checkBody(resource, body string) (answer, bool) {
	if strings.TrimSpace(body) == "" {
		return invalid(resource, "body", "missing_field", ""), true
	}
	if utf8.RuneCountInString(body) > longestBody {
		return invalid(resource, "body", "custom", fmt.Sprintf("body is too long (maximum is %d characters)", longestBody)), true
	}
	return answer{}, false
}

// locked is the refusal of a text on a locked conversation.
func locked() answer {
	return problem(http.StatusForbidden, "Unable to create comment because issue is locked.")
}

// mayWriteWhenLocked says whether a user's role lets him write on a locked conversation; an App has none.
func (w *world) mayWriteWhenLocked(id int64) bool {
	user := w.user(id)
	role := w.roleOf(user)
	return user.Type != "Bot" && (role == "admin" || role == "write")
}

// getComment answers with one comment of a conversation.
func (server *Server) getComment(c *call) answer {
	id, err := c.id("comment_id")
	if err != nil {
		return notFound()
	}
	for _, pull := range server.world.pulls {
		if comment := find(pull.Comments, func(comment *Comment) bool { return comment.ID == id }); comment != nil {
			return ok(c.conversationAnswer(pull, comment))
		}
	}
	return notFound()
}

// listComments lists a conversation in the order of ids.
func (server *Server) listComments(c *call) answer {
	pull, refusal := c.pull("issue_number")
	if pull == nil {
		return refusal
	}
	since, err := c.since()
	if err != nil {
		return unprocessable(err.Error())
	}
	var comments []any
	for _, comment := range pull.Comments {
		if !comment.UpdatedAt.Before(since) {
			comments = append(comments, c.conversationAnswer(pull, comment))
		}
	}
	return c.page(comments)
}

// since reads the parameter of that name; the zero time when absent.
func (c *call) since() (time.Time, error) {
	if !c.query.Has("since") {
		return time.Time{}, nil
	}
	since, err := time.Parse(time.RFC3339, c.query.Get("since"))
	if err != nil {
		return time.Time{}, fmt.Errorf("the emulator refuses since: %w", err)
	}
	return since, nil
}

type bodyRequest struct {
	Body string `json:"body" emulator:"required"`
}

// createComment adds to a conversation.
func (server *Server) createComment(c *call) answer {
	pull, refusal := c.pull("issue_number")
	if pull == nil {
		return refusal
	}
	var asked bodyRequest
	if refusal, refused := c.decode(&asked); refused {
		return refusal
	}
	if refusal, refused := checkBody("IssueComment", asked.Body); refused {
		return refusal
	}
	if pull.Locked && !server.world.mayWriteWhenLocked(c.token.userID) {
		return locked()
	}
	comment := server.world.addComment(pull, c.token.userID, asked.Body, server.clock.now())
	return answer{status: http.StatusCreated, body: c.conversationAnswer(pull, comment)}
}

func (w *world) addComment(pull *Pull, author int64, body string, now time.Time) *Comment {
	comment := &Comment{ID: w.next("comment"), AuthorID: author, Body: body, CreatedAt: now, UpdatedAt: now}
	pull.Comments = append(pull.Comments, comment)
	pull.UpdatedAt = now
	return comment
}

func (c *call) conversationAnswer(pull *Pull, comment *Comment) object {
	var app any
	if user := c.server.world.user(comment.AuthorID); user != nil && user.Type == "Bot" {
		app = c.appOfBot(user.ID)
	}
	return object{
		"id": comment.ID, "node_id": nodeID("IC", comment.ID), "user": c.userAnswer(comment.AuthorID), "body": comment.Body,
		"author_association": c.server.world.association(comment.AuthorID), "performed_via_github_app": app,
		"created_at": comment.CreatedAt.Format(time.RFC3339), "updated_at": comment.UpdatedAt.Format(time.RFC3339),
		"url":       fmt.Sprintf("%s/issues/comments/%d", c.repositoryURL(), comment.ID),
		"html_url":  fmt.Sprintf("%s/pull/%d#issuecomment-%d", c.pageURL(), pull.Number, comment.ID),
		"issue_url": fmt.Sprintf("%s/issues/%d", c.repositoryURL(), pull.Number),
	}
}

// appOfBot is the App a bot user belongs to.
func (c *call) appOfBot(userID int64) any {
	if userID == actionsUserID {
		return c.appAnswer(actionsAppID)
	}
	app := find(c.server.world.apps, func(app *App) bool { return app.BotUserID == userID })
	if app == nil {
		return nil
	}
	return c.appAnswer(app.ID)
}

// listEvents lists label and state events in the order they happened.
func (server *Server) listEvents(c *call) answer {
	pull, refusal := c.pull("issue_number")
	if pull == nil {
		return refusal
	}
	var events []any
	for _, event := range pull.Events {
		body := object{
			"id": event.ID, "node_id": nodeID("EV", event.ID), "url": fmt.Sprintf("%s/issues/events/%d", c.repositoryURL(), event.ID),
			"actor": c.userAnswer(event.ActorID), "event": event.Event, "commit_id": nil, "commit_url": nil,
			"created_at": event.At.Format(time.RFC3339), "performed_via_github_app": nil,
		}
		if event.Label != "" {
			body["label"] = object{"name": event.Label, "color": server.world.label(event.Label).Color}
		}
		events = append(events, body)
	}
	return c.page(events)
}

// listLabels lists the labels a pull request carries.
func (server *Server) listLabels(c *call) answer {
	pull, refusal := c.pull("issue_number")
	if pull == nil {
		return refusal
	}
	var labels []any
	for _, name := range pull.Labels {
		labels = append(labels, c.labelAnswer(name))
	}
	return c.page(labels)
}

// label is a label of the repository; one that was never described has GitHub's grey.
func (w *world) label(name string) RepoLabel {
	for _, label := range w.labels {
		if equalFold(label.Name, name) {
			return label
		}
	}
	return RepoLabel{Name: name, Color: "ededed"}
}

func (c *call) labelAnswer(name string) object {
	label := c.server.world.label(name)
	// The number is made of the name, so that it is the same in every answer.
	var id int64
	for _, letter := range []byte(name) {
		id = (id*131 + int64(letter)) % 1_000_000_007
	}
	return object{"id": id, "node_id": nodeID("LA", id), "url": c.repositoryURL() + "/labels/" + strings.ReplaceAll(name, " ", "%20"), "name": name,
		"color": label.Color, "default": false, "description": label.Description}
}
