package emulator

import (
	"net/http"
	"net/url"
	"strings"
)

// route is one operation of GitHub's REST description.
type route struct {
	method string
	// path is the template of the description.
	path string
	// asApp says that the App itself calls, with its JWT.
	asApp bool
	// anyRepository says that the operation is not on a repository.
	anyRepository bool
	needs         []need
	query         []string
	do            func(*Server, *call) answer
}

// Needs that several operations share. A pull request is an issue too, so either permission opens its conversation.
var (
	readPull         = []need{"pull_requests=read"}
	writePull        = []need{"pull_requests=write"}
	readTalk         = []need{"issues=read", "pull_requests=read"}
	writeTalk        = []need{"issues=write", "pull_requests=write"}
	readContents     = []need{"contents=read"}
	readActions      = []need{"actions=read"}
	readChecks       = []need{"checks=read"}
	writeChecks      = []need{"checks=write"}
	readMetadata     = []need{"metadata=read"}
	paged            = []string{"per_page", "page"}
	runFilters       = []string{"actor", "branch", "event", "status", "created", "head_sha", "exclude_pull_requests", "per_page", "page"}
	artifactFilters  = []string{"name", "per_page", "page"}
	checkRunsFilters = []string{"check_name", "status", "filter", "app_id", "per_page", "page"}
)

const (
	repositoryPath = "/repos/{owner}/{repo}"
	graphqlPath    = "/graphql"
)

// routes lists every operation, in the order of their paths.
func routes() []route {
	on := func(method, path string, needs []need, query []string, do func(*Server, *call) answer) route {
		return route{method: method, path: repositoryPath + path, needs: needs, query: query, do: do}
	}
	return []route{
		{method: "POST", path: "/app/installations/{installation_id}/access_tokens", asApp: true, do: (*Server).mint},
		{method: "GET", path: "/installation/repositories", anyRepository: true, query: paged, do: (*Server).installationRepositories},
		{method: "DELETE", path: "/installation/token", anyRepository: true, do: (*Server).revoke},
		{method: "GET", path: "/users/{username}", anyRepository: true, do: (*Server).getUser},

		on("GET", "", readMetadata, nil, (*Server).getRepository),
		on("GET", "/actions/artifacts", readActions, artifactFilters, (*Server).listArtifacts),
		on("GET", "/actions/artifacts/{artifact_id}", readActions, nil, (*Server).getArtifact),
		on("GET", "/actions/artifacts/{artifact_id}/{archive_format}", readActions, nil, (*Server).downloadArtifact),
		on("GET", "/actions/runs", readActions, runFilters, (*Server).listRuns),
		on("GET", "/actions/runs/{run_id}", readActions, nil, (*Server).getRun),
		on("GET", "/actions/runs/{run_id}/artifacts", readActions, artifactFilters, (*Server).listRunArtifacts),
		on("GET", "/actions/workflows/{workflow_id}/runs", readActions, runFilters, (*Server).listWorkflowRuns),
		on("GET", "/branches/{branch}", readContents, nil, (*Server).getBranch),
		on("POST", "/check-runs", writeChecks, nil, (*Server).createCheckRun),
		on("GET", "/check-runs/{check_run_id}", readChecks, nil, (*Server).getCheckRun),
		on("PATCH", "/check-runs/{check_run_id}", writeChecks, nil, (*Server).updateCheckRun),
		on("GET", "/collaborators/{username}/permission", readMetadata, nil, (*Server).getCollaboratorPermission),
		on("GET", "/commits/{commit_sha}/pulls", readPull, paged, (*Server).listPullsOfCommit),
		on("GET", "/commits/{ref}", readContents, paged, (*Server).getCommit),
		on("GET", "/commits/{ref}/check-runs", readChecks, checkRunsFilters, (*Server).listCheckRuns),
		on("GET", "/contents/{path}", readContents, []string{"ref"}, (*Server).getContents),
		on("GET", "/git/ref/{ref}", readContents, nil, (*Server).getRef),
		on("GET", "/issues/comments/{comment_id}", readTalk, nil, (*Server).getComment),
		on("GET", "/issues/{issue_number}/comments", readTalk, []string{"since", "per_page", "page"}, (*Server).listComments),
		on("POST", "/issues/{issue_number}/comments", writeTalk, nil, (*Server).createComment),
		on("GET", "/issues/{issue_number}/events", readTalk, paged, (*Server).listEvents),
		on("GET", "/issues/{issue_number}/labels", readTalk, paged, (*Server).listLabels),
		on("GET", "/pulls/comments/{comment_id}", readPull, nil, (*Server).getLineComment),
		on("GET", "/pulls/{pull_number}", readPull, nil, (*Server).getPull),
		on("GET", "/pulls/{pull_number}/comments", readPull, []string{"sort", "direction", "since", "per_page", "page"}, (*Server).listLineComments),
		on("POST", "/pulls/{pull_number}/comments/{comment_id}/replies", writePull, nil, (*Server).createReply),
		on("GET", "/pulls/{pull_number}/commits", readPull, paged, (*Server).listPullCommits),
		on("GET", "/pulls/{pull_number}/files", readPull, paged, (*Server).listPullFiles),
		on("GET", "/pulls/{pull_number}/reviews", readPull, paged, (*Server).listReviews),
		on("POST", "/pulls/{pull_number}/reviews", writePull, nil, (*Server).createReview),
		on("GET", "/pulls/{pull_number}/reviews/{review_id}", readPull, nil, (*Server).getReview),
		on("DELETE", "/pulls/{pull_number}/reviews/{review_id}", writePull, nil, (*Server).deletePendingReview),
		on("GET", "/pulls/{pull_number}/reviews/{review_id}/comments", readPull, paged, (*Server).listReviewComments),

		{method: "POST", path: graphqlPath, anyRepository: true, do: (*Server).graphql},
	}
}

// Operation is a method and a path template of GitHub's REST description.
type Operation struct{ Method, Path string }

// Operations lists the REST operations the emulator answers.
func Operations() []Operation {
	var operations []Operation
	for _, route := range routes() {
		if route.path != graphqlPath {
			operations = append(operations, Operation{route.method, route.path})
		}
	}
	return operations
}

// match finds the route of a request and sets the values of its path. The first route that fits is taken; the parts
// that hold slashes (a file's path, a ref) take the rest of the path.
func match(table []route, r *http.Request) *route {
	parts := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	for i := range table {
		if table[i].method == r.Method && table[i].fits(parts, r) {
			return &table[i]
		}
	}
	return nil
}

func (route *route) fits(parts []string, r *http.Request) bool {
	template := strings.Split(strings.TrimPrefix(route.path, "/"), "/")
	last := len(template) - 1
	if takesRest(route.path) && len(parts) > len(template) {
		parts = append(append([]string{}, parts[:last]...), strings.Join(parts[last:], "/"))
	}
	if len(parts) != len(template) {
		return false
	}
	for i, part := range parts {
		name, isValue := strings.CutPrefix(template[i], "{")
		if !isValue {
			if part != template[i] {
				return false
			}
			continue
		}
		value, err := url.PathUnescape(part)
		if err != nil || value == "" {
			return false
		}
		r.SetPathValue(strings.TrimSuffix(name, "}"), value)
	}
	return true
}

func takesRest(path string) bool {
	for _, last := range []string{"/contents/{path}", "/git/ref/{ref}", "/branches/{branch}"} {
		if strings.HasSuffix(path, last) {
			return true
		}
	}
	return false
}
