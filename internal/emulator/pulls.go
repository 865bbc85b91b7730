package emulator

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Limits of the diff media type.
const (
	diffFiles = 300
	diffLines = 20000
	// listedFiles and listedCommits are the most the lists of a pull request hold.
	listedFiles   = 3000
	listedCommits = 250
)

// getPull answers with the pull request, or with its diff when the client accepts that.
func (server *Server) getPull(c *call) answer {
	pull, refusal := c.pull("pull_number")
	if pull == nil {
		return refusal
	}
	accept := c.http.Header.Get("Accept")
	if strings.Contains(accept, ".diff") {
		return server.getDiff(c, pull)
	}
	changes := server.world.changes(pull)
	body := server.pullAnswer(c, pull)
	additions, deletions, lineComments := 0, 0, 0
	for _, change := range changes {
		additions, deletions = additions+change.additions, deletions+change.deletions
	}
	for _, thread := range pull.Threads {
		lineComments += len(thread.Comments)
	}
	for name, value := range (object{
		"merged": pull.Merged, "mergeable": nil, "rebaseable": nil, "mergeable_state": "unknown", "merged_by": nil, "maintainer_can_modify": false,
		"comments": len(pull.Comments), "review_comments": lineComments, "commits": len(pull.Commits),
		"additions": additions, "deletions": deletions, "changed_files": len(changes),
	}) {
		body[name] = value
	}
	return ok(body)
}

// getDiff answers with the unified diff, which GitHub refuses above its limits.
func (server *Server) getDiff(c *call, pull *Pull) answer {
	if server.world.repository.Private && !allows(c.token.permissions, readContents) {
		return notAccessible(readContents)
	}
	changes := server.world.changes(pull)
	diff := unifiedDiff(changes, server.abbreviation)
	tooLarge := func(what string, limit int) answer {
		refusal := problem(http.StatusNotAcceptable, fmt.Sprintf("Sorry, the diff exceeded the maximum number of %s (%d).", what, limit))
		refusal.body.(object)["errors"] = []any{object{"resource": "PullRequest", "field": "diff", "code": "too_large"}}
		return refusal
	}
	if len(changes) > diffFiles {
		return tooLarge("files", diffFiles)
	}
	if strings.Count(string(diff), "\n") > diffLines {
		return tooLarge("lines", diffLines)
	}
	header := http.Header{}
	header.Set("Content-Type", "application/vnd.github.diff; charset=utf-8")
	return answer{status: http.StatusOK, header: header, body: diff}
}

// pullAnswer is the form that lists hold.
func (server *Server) pullAnswer(c *call, pull *Pull) object {
	w := &server.world
	api := fmt.Sprintf("%s/pulls/%d", c.repositoryURL(), pull.Number)
	issue := fmt.Sprintf("%s/issues/%d", c.repositoryURL(), pull.Number)
	page := fmt.Sprintf("%s/pull/%d", c.pageURL(), pull.Number)
	statuses := c.repositoryURL() + "/statuses/" + pull.Head.Commit
	lineComment := api[:strings.LastIndex(api, "/")] + "/comments{/number}"
	link := func(address string) object { return object{"href": address} }
	owner := w.user(w.repository.OwnerID).Login
	labels := []any{}
	for _, name := range pull.Labels {
		labels = append(labels, c.labelAnswer(name))
	}
	var mergedAt any
	if pull.Merged {
		mergedAt = stamp(pull.ClosedAt)
	}
	body := object{
		"id": pull.ID, "node_id": nodeID("PR", pull.ID), "number": pull.Number, "state": pull.State, "locked": pull.Locked,
		"active_lock_reason": nil, "title": pull.Title, "body": orNull(pull.Body), "draft": pull.Draft, "user": c.userAnswer(pull.AuthorID),
		"author_association": w.association(pull.AuthorID), "labels": labels, "milestone": nil, "assignee": nil, "assignees": []any{},
		"requested_reviewers": []any{}, "requested_teams": []any{}, "auto_merge": nil,
		"created_at": pull.CreatedAt.Format(time.RFC3339), "updated_at": pull.UpdatedAt.Format(time.RFC3339),
		"closed_at": stamp(pull.ClosedAt), "merged_at": mergedAt, "merge_commit_sha": nil,
		"url": api, "html_url": page, "diff_url": page + ".diff", "patch_url": page + ".patch", "issue_url": issue,
		"commits_url": api + "/commits", "review_comments_url": api + "/comments", "review_comment_url": lineComment,
		"comments_url": issue + "/comments", "statuses_url": statuses,
		"_links": object{"self": link(api), "html": link(page), "issue": link(issue), "comments": link(issue + "/comments"),
			"review_comments": link(api + "/comments"), "review_comment": link(lineComment), "commits": link(api + "/commits"), "statuses": link(statuses)},
		"base": object{"label": owner + ":" + pull.Base.Ref, "ref": pull.Base.Ref, "sha": pull.Base.Commit,
			"user": c.userAnswer(w.repository.OwnerID), "repo": server.repositoryAnswer(c, w.repository)},
	}
	head := object{"ref": pull.Head.Ref, "sha": pull.Head.Commit, "label": owner + ":" + pull.Head.Ref,
		"user": c.userAnswer(w.repository.OwnerID), "repo": server.repositoryAnswer(c, w.repository)}
	switch {
	case pull.Head.Gone:
		head["label"], head["repo"], head["user"] = "unknown:"+pull.Head.Ref, nil, c.userAnswer(pull.AuthorID)
	case pull.Head.Repository != nil:
		fork := pull.Head.Repository
		head["label"] = w.user(fork.OwnerID).Login + ":" + pull.Head.Ref
		head["user"], head["repo"] = c.userAnswer(fork.OwnerID), server.repositoryAnswer(c, fork)
	}
	body["head"] = head
	return body
}

// listPullFiles lists the files of the diff. A file whose content the diff does not show has no patch.
func (server *Server) listPullFiles(c *call) answer {
	pull, refusal := c.pull("pull_number")
	if pull == nil {
		return refusal
	}
	var files []any
	for _, change := range server.world.changes(pull) {
		if len(files) == listedFiles {
			break
		}
		escaped := (&url.URL{Path: change.path}).EscapedPath()
		at := "/" + pull.Head.Commit + "/" + escaped
		file := object{
			"filename": change.path, "status": change.status, "additions": change.additions, "deletions": change.deletions,
			"changes": change.additions + change.deletions, "blob_url": c.pageURL() + "/blob" + at, "raw_url": c.pageURL() + "/raw" + at,
			"contents_url": c.repositoryURL() + "/contents/" + escaped + "?ref=" + pull.Head.Commit,
		}
		if change.new != nil {
			file["sha"] = change.new.blobID()
		} else {
			file["sha"] = change.old.blobID()
		}
		if change.previousPath != "" {
			file["previous_filename"] = change.previousPath
		}
		if patch := patchOf(change); patch != "" {
			file["patch"] = strings.TrimSuffix(patch, "\n")
		}
		files = append(files, file)
	}
	return c.page(files)
}

// listPullCommits lists the commits, oldest first.
func (server *Server) listPullCommits(c *call) answer {
	pull, refusal := c.pull("pull_number")
	if pull == nil {
		return refusal
	}
	var commits []any
	for _, commit := range pull.Commits {
		if len(commits) < listedCommits {
			commits = append(commits, c.commitAnswer(commit))
		}
	}
	return c.page(commits)
}

// listPullsOfCommit lists the pull requests a commit is in, newest first.
func (server *Server) listPullsOfCommit(c *call) answer {
	sha := c.http.PathValue("commit_sha")
	if server.world.commits[sha] == nil {
		return unprocessable("No commit found for SHA: " + sha)
	}
	var pulls []any
	for i := len(server.world.pulls) - 1; i >= 0; i-- {
		pull := server.world.pulls[i]
		if pull.hasCommit(sha) {
			pulls = append(pulls, server.pullAnswer(c, pull))
		}
	}
	return c.page(pulls)
}

func (pull *Pull) hasCommit(sha string) bool {
	return find(pull.Commits, func(commit *Commit) bool { return commit.SHA == sha }) != nil
}
