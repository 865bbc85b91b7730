package apply

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/effects"
	"github.com/seed-2ea642bd/airlock/internal/facts"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/outcome"
)

// checkRun is what GitHub says of a check.
type checkRun struct {
	ID         int64       `json:"id"`
	Name       string      `json:"name"`
	HeadSHA    string      `json:"head_sha"`
	ExternalID string      `json:"external_id"`
	Status     string      `json:"status"`
	Conclusion string      `json:"conclusion"`
	Output     checkOutput `json:"output"`
	App        struct {
		ID int64 `json:"id"`
	} `json:"app"`
}

// checkOutput is the text of a check.
type checkOutput struct {
	Title   string `json:"title"`
	Summary string `json:"summary"`
}

// checkRequest is the body of the request that writes a check; an update has no name and no head.
type checkRequest struct {
	Name       string      `json:"name,omitempty"`
	HeadSHA    string      `json:"head_sha,omitempty"`
	ExternalID string      `json:"external_id"`
	Status     string      `json:"status"`
	Conclusion string      `json:"conclusion"`
	Output     checkOutput `json:"output"`
}

// reporter writes the check of one Run on its commit.
type reporter struct {
	client     *github.Client
	repository string
	app        contract.App
	prefix     string
	// conclude makes the check of what the commit's other checks of the App say, which are read right before it is written.
	conclude func([]facts.Check) outcome.Check
	check    outcome.Check
}

func newReporter(client *github.Client, decision contract.Decision, app contract.App, conclude func([]facts.Check) outcome.Check) reporter {
	return reporter{client: client, repository: github.Repository(decision.Repository.Owner, decision.Repository.Name), app: app,
		prefix: facts.CheckPrefix(decision.Run, decision.Item.Number), conclude: conclude, check: conclude(nil)}
}

// write writes the check and reads it back. It looks for one whose external id begins with this Run's first and updates it, so that
// running again leaves one check. A lost reply is answered by looking again, as the read-back is. beside says that another Run on
// the item has a check on the commit too.
func (r reporter) write(ctx context.Context) (record contract.CheckRecord, beside bool, err error) {
	var all []checkRun
	if err := r.patiently(ctx, func() (err error) { all, err = r.list(ctx); return err }); err != nil {
		return contract.CheckRecord{}, false, err
	}
	var completed []facts.Check
	for _, check := range all {
		if check.Status == "completed" {
			completed = append(completed, facts.Check{ID: check.ID, ExternalID: check.ExternalID})
		}
	}
	r.check = r.conclude(completed)
	there := newest(all, r.prefix)
	request := checkRequest{ExternalID: r.prefix + r.check.Own, Status: "completed", Conclusion: r.check.Conclusion, Output: checkOutput{r.check.Title, r.check.Summary}}
	method, path := http.MethodPost, r.repository+"/check-runs"
	if there != nil {
		method, path = http.MethodPatch, fmt.Sprintf("%s/check-runs/%d", r.repository, there.ID)
	} else {
		request.Name, request.HeadSHA = r.check.Name, r.check.Commit
	}
	err = r.patiently(ctx, func() error {
		_, err := r.client.REST(ctx, method, path, request, nil)
		return err
	})
	if err != nil && !github.ClassOf(err).OutcomeUnknown() {
		return contract.CheckRecord{}, false, err
	}
	return r.readBack(ctx)
}

// readBack returns the check only where it is the one that was asked for.
func (r reporter) readBack(ctx context.Context) (record contract.CheckRecord, beside bool, err error) {
	failure := error(&effects.Fault{Code: contract.CodeEffectUnknown, What: "it is not known whether the check was written"})
	for _, wait := range effects.ReadBackWaits() {
		if wait > 0 && r.client.Sleep(ctx, wait) != nil {
			break
		}
		all, err := r.list(ctx)
		there := newest(all, r.prefix)
		switch {
		case err != nil, there == nil:
		case r.differs(*there):
			failure = &effects.Fault{Code: contract.CodeReadbackMismatch, What: "the check that was read back is not the one that was written"}
		default:
			return contract.CheckRecord{AuthorAppID: there.App.ID, Commit: there.HeadSHA, Conclusion: there.Conclusion, DatabaseID: there.ID, Name: there.Name},
				slices.ContainsFunc(all, r.ofAnother), nil
		}
	}
	return contract.CheckRecord{}, false, failure
}

// ofAnother reports whether a check is that of another Run on the same item.
func (r reporter) ofAnother(check checkRun) bool {
	_, item, _ := strings.Cut(r.prefix, "#")
	_, of, found := strings.Cut(check.ExternalID, "#")
	return found && strings.HasPrefix(of, item) && !strings.HasPrefix(check.ExternalID, r.prefix)
}

// differs compares field by field; white space at the end of a text is GitHub's to take.
func (r reporter) differs(read checkRun) bool {
	same := func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }
	return read.ID == 0 || read.Name != r.check.Name || read.HeadSHA != r.check.Commit || read.Status != "completed" ||
		read.Conclusion != r.check.Conclusion || read.ExternalID != r.prefix+r.check.Own || !same(read.Output.Title, r.check.Title) || !same(read.Output.Summary, r.check.Summary)
}

// maxCheckPages bounds the checks of one name on one commit: GitHub keeps 1,000.
const maxCheckPages = 10

// list reads the App's checks of the Role on the commit.
func (r reporter) list(ctx context.Context) ([]checkRun, error) {
	return listChecks(ctx, r.client, r.repository, r.check.Name, r.check.Commit, r.app.AppID)
}

// listChecks reads an App's checks of one name on a commit, on all pages.
func listChecks(ctx context.Context, client *github.Client, repository, name, commit string, app int64) ([]checkRun, error) {
	var checks []checkRun
	unusable := github.Malformed("GET check-runs", "the list is missing, or does not end")
	path := fmt.Sprintf("%s/commits/%s/check-runs?check_name=%s&filter=all&app_id=%d", repository, commit, url.QueryEscape(name), app)
	whole, err := github.Pages(path, maxCheckPages, func(path string) (*github.Response, error) {
		var list struct {
			CheckRuns []checkRun `json:"check_runs"`
		}
		response, err := client.REST(ctx, http.MethodGet, path, nil, &list)
		if err == nil && list.CheckRuns == nil {
			err = unusable
		}
		for _, run := range list.CheckRuns {
			if run.App.ID == app {
				checks = append(checks, run)
			}
		}
		return response, err
	})
	if err == nil && !whole {
		err = unusable
	}
	if err != nil {
		return nil, err
	}
	return checks, nil
}

// patiently makes a call again where GitHub said that it did nothing and waiting may help.
func (r reporter) patiently(ctx context.Context, call func() error) error {
	for patience := (effects.Patience{}); ; {
		err := call()
		wait, again := patience.Again(err)
		if !again || r.client.Sleep(ctx, wait) != nil {
			return err
		}
	}
}
