package facts

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	gogithub "github.com/google/go-github/v66/github"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

const (
	// recordTime is how far back records are read.
	recordTime = 24 * time.Hour
	// resultPrefix begins the name of every Result artifact.
	resultPrefix = "airlock-result-"
)

func errTooLong(what string) error { return fmt.Errorf("%s: the list is longer than is read", what) }

// readRecords reads the believed runs of the last 24 hours and their Result artifacts, both as GitHub lists them, newest first.
// GitHub's filter by time of creation is not used: it ends silently after 1000 runs, and its description allows no range.
func (r reader) readRecords(ctx context.Context, now time.Time, defaultBranch string) (contract.Records, error) {
	records := contract.Records{Results: []contract.ResultRecord{}, WorkflowRuns: []contract.WorkflowRun{}}
	since := now.Add(-recordTime).UTC().Truncate(time.Second)
	path := r.repository() + "/actions/workflows/" + url.PathEscape(r.request.WorkflowFile) + "/runs?exclude_pull_requests=true"
	whole, err := github.Pages(path, maxPages, func(path string) (*github.Response, error) {
		var page gogithub.WorkflowRuns
		response, err := r.client.REST(ctx, "GET", path, nil, &page)
		if err != nil {
			return nil, err
		}
		if page.WorkflowRuns == nil {
			return nil, github.Malformed("GET workflow runs", "the list is missing")
		}
		recent := false
		for _, run := range page.WorkflowRuns {
			if run.GetID() == 0 || run.CreatedAt == nil || run.GetStatus() == "" || run.GetEvent() == "" {
				return nil, github.Malformed("GET workflow runs", "a run has no id, no time, no status or no event")
			}
			if run.CreatedAt.Before(since) {
				continue
			}
			recent = true
			if believed(run, defaultBranch, r.request.RepositoryID) {
				records.WorkflowRuns = append(records.WorkflowRuns, contract.WorkflowRun{
					Attempt: max(run.GetRunAttempt(), 1), CreatedAt: at(run.CreatedAt.Time), ID: run.GetID(), Status: run.GetStatus(),
					Title: untrusted.New(run.GetDisplayTitle()),
				})
			}
		}
		response.More = response.More && recent
		return response, nil
	})
	if err == nil && !whole {
		err = errTooLong("the workflow runs of the last 24 hours")
	}
	if err != nil {
		return records, err
	}
	others := slices.ContainsFunc(records.WorkflowRuns, func(run contract.WorkflowRun) bool { return run.ID != r.request.OwnRunID })
	if !others {
		return records, nil // an artifact of no believed run but our own would count for nothing
	}
	records.Results, err = r.readResults(ctx, since, records.WorkflowRuns)
	return records, err
}

// believed reports whether a run executed this workflow as the default branch has it. A fork or a branch can bring a file of
// the same path, so the event and the head decide:
//
//   - schedule, issue_comment: GitHub takes the workflow from the default branch. Head is the default branch.
//   - workflow_dispatch: whoever may write can name any branch, so the head must be the default branch.
//   - pull_request_target: GitHub takes the workflow from the default branch, whatever the pull request is, and says in
//     head_branch and head_repository where the pull request comes from or goes to; neither is asked. A fork can cause
//     such a run here only by opening a pull request, which is ours.
//
// Any other event, pull_request above all, runs what the head brought.
func believed(run *gogithub.WorkflowRun, defaultBranch string, repositoryID int64) bool {
	switch run.GetEvent() {
	case "pull_request_target":
		return true
	case "workflow_dispatch", "schedule", "issue_comment":
		return run.GetHeadBranch() == defaultBranch && run.GetHeadRepository().GetID() == repositoryID
	}
	return false
}

type artifactList struct {
	Artifacts []struct {
		ID          int64      `json:"id"`
		Name        string     `json:"name"`
		Created     *time.Time `json:"created_at"`
		WorkflowRun *struct {
			ID int64 `json:"id"`
		} `json:"workflow_run"`
	} `json:"artifacts"`
}

// readResults reads the Result artifacts of believed runs. GitHub lists the artifacts of all workflows, newest first, and can
// be asked for a whole name only, so pages are read until one is wholly older than the records.
func (r reader) readResults(ctx context.Context, since time.Time, runs []contract.WorkflowRun) ([]contract.ResultRecord, error) {
	results := []contract.ResultRecord{}
	ids := make(map[int64]bool, len(runs))
	for _, run := range runs {
		ids[run.ID] = true
	}
	path := r.repository() + "/actions/artifacts"
	whole, err := github.Pages(path, maxPages, func(path string) (*github.Response, error) {
		var page artifactList
		response, err := r.client.REST(ctx, "GET", path, nil, &page)
		if err != nil {
			return nil, err
		}
		if page.Artifacts == nil {
			return nil, github.Malformed("GET artifacts", "the list is missing")
		}
		recent := false
		for _, artifact := range page.Artifacts {
			if artifact.ID == 0 || artifact.Created == nil {
				return nil, github.Malformed("GET artifacts", "an artifact has no id or no time")
			}
			if artifact.Created.Before(since) {
				continue
			}
			recent = true
			if strings.HasPrefix(artifact.Name, resultPrefix) && artifact.WorkflowRun != nil && ids[artifact.WorkflowRun.ID] {
				results = append(results, contract.ResultRecord{ArtifactID: artifact.ID, CreatedAt: at(*artifact.Created), WorkflowRunID: artifact.WorkflowRun.ID})
			}
		}
		response.More = response.More && recent
		return response, nil
	})
	if err == nil && !whole {
		err = errTooLong("the artifacts of the last 24 hours")
	}
	return results, err
}
