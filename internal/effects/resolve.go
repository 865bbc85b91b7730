package effects

import (
	"context"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// resolveKind is resolve_thread: needs pull_requests: write and contents: write, without which GitHub answers 200 and
// FORBIDDEN; naturally idempotent, so it is found by the thread's own state; read back as resolved.
type resolveKind struct{}

const resolveDocument = `mutation ResolveThread($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } }
}`

func (resolveKind) write(ctx context.Context, s Session, client *github.Client, effect plan.Effect) error {
	var answer struct {
		ResolveReviewThread struct {
			Thread struct {
				ID         string `json:"id"`
				IsResolved bool   `json:"isResolved"`
			} `json:"thread"`
		} `json:"resolveReviewThread"`
	}
	if err := client.GraphQL(ctx, resolveDocument, map[string]any{"thread": effect.Resolve.ThreadID}, &answer); err != nil {
		return err
	}
	if thread := answer.ResolveReviewThread.Thread; thread.ID != effect.Resolve.ThreadID || !thread.IsResolved {
		return github.Malformed("GraphQL ResolveThread", "the thread is not resolved")
	}
	return nil
}

func (resolveKind) find(s Session, seen Seen, effect plan.Effect) (found, bool) {
	for _, thread := range seen.Facts.Threads {
		if thread.NodeID != effect.Resolve.ThreadID || !thread.Resolved {
			continue
		}
		back := contract.ResolveReadBack{Resolved: true, ThreadID: thread.NodeID}
		if thread.ResolvedBy != nil {
			back.ResolvedByID = &thread.ResolvedBy.ID
		}
		return found{nodeID: thread.NodeID, readBack: contract.ReadBack{Resolve: &back}}, true
	}
	return found{}, false
}

func (resolveKind) record(Session, Seen, plan.Plan, plan.Effect) ([]contract.Finding, []contract.AppliedDisposition) {
	return nil, nil
}
