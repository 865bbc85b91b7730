package apply

import (
	"context"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/facts"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/outcome"
	"github.com/seed-2ea642bd/airlock/internal/trust"
)

// maxEarlier bounds how many earlier Runs are asked for their check. Each wrote one, unless it failed at it.
const maxEarlier = 3

// openBefore reads the ids of the Findings that were open when the Role's Run before this one wrote its check. One of them that
// is not on the item any more was lost: who may write to the repository can delete a comment, and GitHub then shows nothing of
// it, but cannot change a check. It costs one call where there is an earlier Run. What a maintainer lets be reviewed again starts
// anew.
func (p *program) openBefore(ctx context.Context, reviews []ledger.Review, policy contract.Policy) ([]string, error) {
	decision := p.bundle.Decision
	if decision.Asked.Again && trust.Of(decision.Asked.SenderID, policy, p.bundle.Apps) == contract.TrustMaintainer {
		return nil, nil
	}
	name := contract.CheckName(decision.Role)
	for _, review := range earlier(reviews, decision) {
		checks, err := listChecks(ctx, p.read, github.Repository(p.in.owner, p.in.name), name, review.Commit, p.app.AppID)
		switch github.ClassOf(err) {
		case github.ClassNotFound, github.ClassInvalid:
			continue // the commit is gone with the branch that had it
		}
		if err != nil {
			return nil, err
		}
		if check := newest(checks, facts.CheckPrefix(review.Run, decision.Item.Number)); check != nil {
			return outcome.OpenOf(check.Output.Summary), nil
		}
	}
	return nil, nil
}

// earlier are the newest reviews of the Role's other Runs, the newest first, and after them those that were altered: such a one
// could name any Run and any commit.
func earlier(reviews []ledger.Review, decision contract.Decision) []ledger.Review {
	list := slices.DeleteFunc(slices.Clone(reviews), func(r ledger.Review) bool { return r.Role != decision.Role || r.Run == decision.Run })
	slices.SortStableFunc(list, func(a, b ledger.Review) int {
		if a.Altered != b.Altered {
			if a.Altered {
				return 1
			}
			return -1
		}
		return b.At.Std().Compare(a.At.Std())
	})
	return list[:min(len(list), maxEarlier)]
}

// newest is the newest of the checks whose external id begins so, or nil.
func newest(checks []checkRun, prefix string) *checkRun {
	var found *checkRun
	for _, check := range checks {
		if strings.HasPrefix(check.ExternalID, prefix) && (found == nil || check.ID > found.ID) {
			found = &check
		}
	}
	return found
}
