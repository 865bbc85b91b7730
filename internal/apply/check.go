package apply

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/facts"
	"github.com/seed-2ea642bd/airlock/internal/github"
)

// checkText is what a check says to a person.
type checkText struct {
	Conclusion, Title, Summary string
}

// checkRun is what GitHub says of a check.
type checkRun struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	HeadSHA    string `json:"head_sha"`
	ExternalID string `json:"external_id"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
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

// writeCheck writes the check of this Run on the commit and reads it back. It looks for one with this Run's external id
// first and updates it, so that running again leaves one check. A lost reply is answered by looking again.
func writeCheck(ctx context.Context, client *github.Client, decision contract.Decision, commit string, app contract.App, text checkText) (*contract.CheckRecord, error) {
	repository := github.Repository(decision.Repository.Owner, decision.Repository.Name)
	name, id := facts.CheckName(decision.Role), facts.CheckExternalID(decision.Run, decision.Item.Number)
	there, err := findCheck(ctx, client, repository, commit, name, id, app)
	if err != nil {
		return nil, err
	}
	request := checkRequest{ExternalID: id, Status: "completed", Conclusion: text.Conclusion, Output: checkOutput{text.Title, text.Summary}}
	method, path := http.MethodPost, repository+"/check-runs"
	if there != nil {
		method, path = http.MethodPatch, fmt.Sprintf("%s/check-runs/%d", repository, there.ID)
	} else {
		request.Name, request.HeadSHA = name, commit
	}
	var written checkRun
	_, err = client.REST(ctx, method, path, request, &written)
	switch {
	case err != nil && !github.ClassOf(err).OutcomeUnknown():
		return nil, err
	case err != nil || written.ID == 0:
		there, lost := findCheck(ctx, client, repository, commit, name, id, app)
		if lost != nil || there == nil {
			return nil, github.Malformed(method+" /"+path, "it is not known whether the check was written")
		}
		written = *there
	}
	var read checkRun
	if _, err := client.REST(ctx, http.MethodGet, fmt.Sprintf("%s/check-runs/%d", repository, written.ID), nil, &read); err != nil {
		return nil, err
	}
	if read.Name != name || read.HeadSHA != commit || read.ExternalID != id || read.Status != "completed" ||
		read.Conclusion != text.Conclusion || read.App.ID != app.AppID {
		return nil, github.Malformed("GET /"+path, "the check that was read back is not the one that was written")
	}
	return &contract.CheckRecord{AuthorAppID: read.App.ID, Commit: read.HeadSHA, Conclusion: read.Conclusion, DatabaseID: read.ID, Name: read.Name}, nil
}

// findCheck looks for this Run's check by its external id, on all pages.
func findCheck(ctx context.Context, client *github.Client, repository, commit, name, id string, app contract.App) (*checkRun, error) {
	path := fmt.Sprintf("%s/commits/%s/check-runs?check_name=%s&filter=all&app_id=%d", repository, commit, url.QueryEscape(name), app.AppID)
	for page := 1; ; page++ {
		var list struct {
			CheckRuns []checkRun `json:"check_runs"`
		}
		response, err := client.REST(ctx, http.MethodGet, github.Page(path, page), nil, &list)
		if err != nil {
			return nil, err
		}
		for _, run := range list.CheckRuns {
			if run.ExternalID == id && run.App.ID == app.AppID {
				return &run, nil
			}
		}
		if !response.More {
			return nil, nil
		}
	}
}
