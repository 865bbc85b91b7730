package facts

import (
	"context"
	"net/url"

	gogithub "github.com/google/go-github/v66/github"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
)

// readSiblings reads the other open pull requests with the same head commit, and what our App's newest completed check of
// each says of it without its siblings: a check belongs to a commit, so one that is green for another pull request would be green for this one too.
func (r reader) readSiblings(ctx context.Context, head string) ([]contract.Sibling, error) {
	siblings := []contract.Sibling{}
	whole, err := listREST(r.repository()+"/commits/"+head+"/pulls", maxPages, func(path string) (*github.Response, error) {
		var page []*gogithub.PullRequest
		response, err := r.client.REST(ctx, "GET", path, nil, &page)
		if err != nil {
			return nil, err
		}
		for _, pull := range page {
			if pull.GetNumber() == 0 || pull.GetState() == "" || pull.GetHead().GetSHA() == "" {
				return nil, github.Malformed("GET pull requests of a commit", "a pull request has no number, no state or no head")
			}
			if pull.GetState() == "open" && pull.GetNumber() != r.request.Number && pull.GetHead().GetSHA() == head {
				siblings = append(siblings, contract.Sibling{Number: pull.GetNumber()})
			}
		}
		return response, nil
	})
	if err == nil && !whole {
		err = errTooLong("the pull requests of the head commit")
	}
	if err != nil || len(siblings) == 0 {
		return siblings, err
	}
	checks, err := r.readChecks(ctx, head)
	for i := range siblings {
		siblings[i].Conclusion = newest(checks, siblings[i].Number)
	}
	return siblings, err
}

// readChecks reads our App's completed checks of the Role on a commit.
func (r reader) readChecks(ctx context.Context, head string) ([]*gogithub.CheckRun, error) {
	var checks []*gogithub.CheckRun
	path := r.repository() + "/commits/" + head + "/check-runs?filter=all&status=completed&check_name=" + url.QueryEscape(contract.CheckName(r.request.Role))
	whole, err := listREST(path, maxPages, func(path string) (*github.Response, error) {
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
				checks = append(checks, check)
			}
		}
		return response, nil
	})
	if err == nil && !whole {
		err = errTooLong("the checks of the head commit")
	}
	return checks, err
}

// newest gives the own conclusion of the check with the highest id that was written for the item.
func newest(checks []*gogithub.CheckRun, number int) *string {
	var id int64
	var conclusion *string
	for _, check := range checks {
		if own, found := checkFor(check.GetExternalID(), number); found && check.GetID() > id {
			id, conclusion = check.GetID(), own
		}
	}
	return conclusion
}
