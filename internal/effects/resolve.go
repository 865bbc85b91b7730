package effects

import (
	"context"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// resolveThread sets one thread resolved: found by the thread's own state, since it leaves no text for a key; written by one
// mutation, which GitHub answers with 200 and FORBIDDEN unless the token may write contents too; read back as that state. It
// closes no Finding: an acceptance, which the Result must hold as well, does.
func resolveThread() kind {
	return kind{
		needs:   map[string]string{"contents": "write", "pull_requests": "write"},
		find:    findResolved,
		write:   writeResolve,
		compare: compareResolved,
		record: func(Session, Seen, plan.Plan, plan.Effect, found) ([]contract.Finding, []contract.AppliedDisposition) {
			return nil, nil
		},
		retry: newState(),
	}
}

const resolveDocument = `mutation ResolveThread($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } }
}`

func writeResolve(ctx context.Context, _ Session, client *github.Client, effect plan.Effect) error {
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

func findResolved(_ Session, seen Seen, effect plan.Effect) (found, bool) {
	thread, ok := threadByID(seen, effect.Resolve.ThreadID)
	return found{nodeID: thread.NodeID}, ok && thread.Resolved
}

// compareResolved has nothing to compare beyond what finds it: the thread's id and its state.
func compareResolved(_ Session, seen Seen, effect plan.Effect, _ found) ([]field, contract.ReadBack) {
	thread, _ := threadByID(seen, effect.Resolve.ThreadID)
	back := contract.ResolveReadBack{Resolved: thread.Resolved, ThreadID: thread.NodeID}
	if thread.ResolvedBy != nil {
		back.ResolvedByID = &thread.ResolvedBy.ID
	}
	return nil, contract.ReadBack{Resolve: &back}
}
