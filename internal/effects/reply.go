package effects

import (
	"context"
	"fmt"
	"net/http"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// replyKind is reply_thread: needs pull_requests: write; found by the key in the disposition's marker; written by one POST
// to the thread's first comment, the only one that GitHub takes replies to; read back in its thread.
type replyKind struct{}

func (replyKind) write(ctx context.Context, s Session, client *github.Client, effect plan.Effect) error {
	in := struct {
		Body string `json:"body"`
	}{effect.Reply.Body}
	var answer struct {
		ID int64 `json:"id"`
	}
	path := fmt.Sprintf("%s/pulls/%d/comments/%d/replies", github.Repository(s.Decision.Repository.Owner, s.Decision.Repository.Name),
		s.Decision.Item.Number, effect.Reply.CommentID)
	_, err := client.REST(ctx, http.MethodPost, path, in, &answer)
	if err == nil && answer.ID == 0 {
		return github.Malformed("POST /"+path, "the answer has no id")
	}
	return err
}

func (replyKind) find(s Session, seen Seen, effect plan.Effect) (found, bool) {
	marked, ok := seen.Ledger.DispositionByKey(effect.Key)
	if !ok {
		return found{}, false
	}
	for _, thread := range seen.Facts.Threads {
		for _, comment := range thread.Comments {
			if comment.ID != marked.DatabaseID {
				continue
			}
			there := found{databaseID: comment.ID, nodeID: comment.NodeID, readBack: contract.ReadBack{Reply: &contract.ReplyReadBack{
				AuthorID: comment.Author.ID, BodySHA256: contract.Digest([]byte(comment.Text.Raw())), ThreadID: thread.NodeID}}}
			switch {
			case comment.Author.ID != s.App.BotUserID:
				there.differs = "the author of the reply"
			case thread.NodeID != effect.Reply.ThreadID:
				there.differs = "the thread of the reply"
			case !sameText(comment.Text, effect.Reply.Body):
				there.differs = "the body of the reply"
			}
			return there, true
		}
	}
	return found{}, false
}

func (replyKind) record(s Session, seen Seen, p plan.Plan, effect plan.Effect) ([]contract.Finding, []contract.AppliedDisposition) {
	marked, _ := seen.Ledger.DispositionByKey(effect.Key)
	return nil, dispositionsOf(s, p, effect, marked.NodeID)
}
