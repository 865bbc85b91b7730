package effects

import (
	"context"
	"fmt"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// replyThread is one reply in the thread of a Finding, which holds one half of a Disposition: found by the key in its marker,
// written by one POST to the thread's first comment, the only one that GitHub takes replies to, read back in its thread.
func replyThread() kind {
	return kind{
		needs:   map[string]string{"pull_requests": "write"},
		find:    findReply,
		write:   writeReply,
		compare: compareReply,
		record: func(s Session, _ Seen, p plan.Plan, effect plan.Effect, there found) ([]contract.Finding, []contract.AppliedDisposition) {
			return nil, dispositionsOf(s, p, effect, there.nodeID)
		},
		retry: newPost(),
	}
}

// replyRequest is the body of POST /repos/{owner}/{repo}/pulls/{number}/comments/{comment}/replies.
type replyRequest struct {
	Body string `json:"body"`
}

func writeReply(ctx context.Context, s Session, client *github.Client, effect plan.Effect) error {
	return post(ctx, client, fmt.Sprintf("%s/comments/%d/replies", s.pull(), effect.Reply.CommentID), replyRequest{effect.Reply.Body})
}

func findReply(_ Session, seen Seen, effect plan.Effect) (found, bool) {
	marked, ok := seen.Ledger.DispositionByKey(effect.Key)
	return found{marked.DatabaseID, marked.NodeID}, ok && marked.ThreadID != ""
}

func compareReply(_ Session, seen Seen, effect plan.Effect, there found) ([]field, contract.ReadBack) {
	marked, _ := seen.Ledger.DispositionByKey(effect.Key)
	thread, _ := threadByID(seen, marked.ThreadID)
	var reply contract.ThreadComment
	for _, comment := range thread.Comments {
		if comment.ID == there.databaseID {
			reply = comment
		}
	}
	back := contract.ReplyReadBack{AuthorID: reply.Author.ID, BodySHA256: contract.Digest([]byte(reply.Text.Raw())), ThreadID: thread.NodeID}
	return []field{
		{"the thread of the reply", thread.NodeID == effect.Reply.ThreadID},
		{"the body of the reply", sameText(reply.Text, effect.Reply.Body)},
	}, contract.ReadBack{Reply: &back}
}
