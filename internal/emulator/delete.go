package emulator

import (
	"fmt"
	"slices"
)

// DeleteAct deletes the text named by exactly one of the ids. Who may write to a repository may delete anybody's comments. A
// review that was submitted cannot be deleted by anyone.
type DeleteAct struct {
	Number        int   `json:"number"`
	ActorID       int64 `json:"actor_id"`
	CommentID     int64 `json:"comment_id,omitempty"`
	LineCommentID int64 `json:"line_comment_id,omitempty"`
}

// Delete removes a comment without a trace. A thread whose first comment goes begins with the next one; one without any is gone.
func (server *Server) Delete(act DeleteAct) error {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	pull, err := server.world.known(act.Number, act.ActorID)
	if err != nil {
		return err
	}
	if actor := server.world.user(act.ActorID); actor.Permission != "admin" && actor.Permission != "write" {
		return fmt.Errorf("actor_id: %s may not delete what others wrote", actor.Login)
	}
	thread, comment := pull.lineComment(act.LineCommentID)
	at := slices.IndexFunc(pull.Comments, func(c *Comment) bool { return c.ID == act.CommentID })
	switch {
	case act.LineCommentID != 0 && comment != nil:
		thread.Comments = slices.DeleteFunc(thread.Comments, func(c *LineComment) bool { return c == comment })
		pull.Threads = slices.DeleteFunc(pull.Threads, func(t *Thread) bool { return len(t.Comments) == 0 })
	case act.LineCommentID == 0 && at >= 0:
		pull.Comments = slices.Delete(pull.Comments, at, at+1)
	default:
		return fmt.Errorf("no comment %d and no line comment %d", act.CommentID, act.LineCommentID)
	}
	pull.UpdatedAt = server.clock.now()
	return nil
}
