package facts

import (
	"context"
	"net/url"

	gogithub "github.com/google/go-github/v66/github"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
)

// siblings finds the other open pull requests whose head is the commit that was asked about. Of a commit that the repository
// does not know there is none to find, unless it is the item's head, of which it must know.
func (a asked) siblings(ctx context.Context, head *headNode, current string) ([]int, error) {
	if head == nil {
		if a.head == current {
			return nil, github.Malformed(conversationName, "the head commit is not there")
		}
		return nil, nil
	}
	pulls, err := follow(head.Pulls, func(after string) (connection[siblingNode], error) {
		var answer conversationAnswer
		variables := map[string]any{"owner": a.owner, "name": a.name, "after": after}
		err := a.client.GraphQL(ctx, siblingsPageDocument, a.withHead(variables), &answer)
		if err == nil && (answer.Repository == nil || answer.Repository.Head == nil) {
			err = github.Malformed(conversationName, "a further page has no commit")
		}
		if err != nil {
			return connection[siblingNode]{}, err
		}
		return answer.Repository.Head.Pulls, nil
	})
	var numbers []int
	for _, pull := range pulls {
		switch {
		case pull.Number == 0 || stateOf(pull.State) == "" || !isCommit(pull.HeadOID):
			return numbers, github.Malformed(conversationName, "a pull request of the head commit has no number, no state or no head")
		case stateOf(pull.State) == "open" && pull.Number != a.number && pull.HeadOID == a.head:
			numbers = append(numbers, pull.Number)
		}
	}
	return numbers, err
}

// judge says of each sibling what the App's checks on the head commit say of it, which are read only where there is one.
func (r reader) judge(ctx context.Context, numbers []int, head string) ([]contract.Sibling, error) {
	if len(numbers) == 0 {
		return []contract.Sibling{}, nil
	}
	checks, err := r.readChecks(ctx, head)
	return Siblings(numbers, checks), err
}

// Check is one completed check of our App.
type Check struct {
	ID         int64
	ExternalID string
}

// Siblings gives each of the pull requests the own conclusion of the check with the highest id that was written for it: a
// check belongs to a commit, so one that is green for another pull request would be green for this one too.
func Siblings(numbers []int, checks []Check) []contract.Sibling {
	siblings := make([]contract.Sibling, 0, len(numbers))
	for _, number := range numbers {
		sibling := contract.Sibling{Number: number}
		var id int64
		for _, check := range checks {
			if own, found := checkFor(check.ExternalID, number); found && check.ID > id {
				id, sibling.Conclusion = check.ID, own
			}
		}
		siblings = append(siblings, sibling)
	}
	return siblings
}

// readChecks reads our App's completed checks of the Role on a commit.
func (r reader) readChecks(ctx context.Context, head string) ([]Check, error) {
	var checks []Check
	path := r.repository() + "/commits/" + head + "/check-runs?filter=all&status=completed&check_name=" + url.QueryEscape(contract.CheckName(r.request.Role))
	whole, err := github.Pages(path, maxPages, func(path string) (*github.Response, error) {
		var page gogithub.ListCheckRunsResults
		response, err := r.client.REST(ctx, "GET", path, nil, &page)
		if err != nil {
			return nil, err
		}
		if page.Total == nil || page.CheckRuns == nil {
			return nil, github.Malformed("GET check-runs", "the list or its count is missing")
		}
		for _, check := range page.CheckRuns {
			if check.GetApp().GetID() == r.request.App.AppID && check.GetName() == contract.CheckName(r.request.Role) && check.GetStatus() == "completed" {
				checks = append(checks, Check{check.GetID(), check.GetExternalID()})
			}
		}
		return response, nil
	})
	if err == nil && !whole {
		err = errTooLong("the checks of the head commit")
	}
	return checks, err
}
