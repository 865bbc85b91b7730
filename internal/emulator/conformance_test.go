package emulator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/conformance"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/vektah/gqlparser/v2/ast"
)

func TestReviewIsPostedAndReadBack(t *testing.T) {
	instance, job := start(t, nil, emulator.Options{})
	pull := job.get(repo + "/pulls/12").document(t)
	head := pull["head"].(map[string]any)["sha"].(string)
	diff := client{t: t, url: job.url, token: job.token, accept: "application/vnd.github.diff"}.get(repo + "/pulls/12")
	if !strings.HasPrefix(diff.text, "diff --git a/internal/store/owner.go b/internal/store/owner.go\nnew file mode 100644\nindex 0000000..") {
		t.Errorf("diff begins %.120q", diff.text)
	}
	app := mint(t, job.url, `{"pull_requests":"write"}`)
	posted := app.do("POST", repo+"/pulls/12/reviews", `{"commit_id":"`+head+`","event":"COMMENT","body":"Two things.","comments":[{"path":"internal/store/query.go","line":10,"side":"RIGHT","body":"One."},{"path":"internal/store/owner.go","line":4,"start_line":3,"body":"Two."}]}`)
	if posted.status != http.StatusOK {
		t.Fatalf("review: %d %s", posted.status, posted.text)
	}
	review := posted.document(t)
	if id := review["user"].(map[string]any)["id"]; id != float64(emulatortest.BotUserID) {
		t.Errorf("author %v", id)
	}
	comments := job.get(repo + "/pulls/12/comments").list(t)
	if len(comments) != 2 || comments[0]["line"] != 10.0 || comments[1]["start_line"] != 3.0 || comments[1]["side"] != "RIGHT" {
		t.Errorf("comments %v", comments)
	}
	query, err := json.Marshal(map[string]any{"query": `{repository(owner:"example-org",name:"ledger",followRenames:false){pullRequest(number:12){headRefOid
		reviewThreads(first:100){pageInfo{hasNextPage endCursor} nodes{id line isOutdated viewerCanResolve comments(first:50){nodes{fullDatabaseId body author{__typename login ... on Bot{databaseId}}}}}}}}}`})
	if err != nil {
		t.Fatal(err)
	}
	answered := job.do("POST", "/graphql", string(bytes.TrimSpace(query)))
	if !strings.Contains(answered.text, `"author":{"__typename":"Bot","databaseId":190000001,"login":"pr-review"},"body":"One."`) {
		t.Errorf("threads: %s", answered.text)
	}
	if status := app.do("DELETE", "/installation/token", "").status; status != http.StatusNoContent {
		t.Errorf("revoke: %d", status)
	}
	if status := app.do("DELETE", "/installation/token", "").status; status != http.StatusUnauthorized {
		t.Errorf("second revoke: %d", status)
	}
	if calls := instance.State(t).Calls; len(calls) != 8 || calls[3].Token != "installation" || calls[7].Status != 401 {
		t.Errorf("calls: %+v", calls)
	}
}

// graphqlBody is the body of a GraphQL request.
func graphqlBody(t *testing.T, query string, variables map[string]any) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// everyField asks for all that the emulator's schema has.
const everyField = `query($owner: String!, $name: String!, $number: Int!, $node: ID!, $size: Int!) {
  repository(owner: $owner, name: $name, followRenames: false) { ...R
    defaultBranchRef { id name prefix target { __typename ...G } }
    ref(qualifiedName: "refs/heads/release") { name target { oid ... on Commit { committedDate message } } }
    file: object(expression: "HEAD:README.md") { __typename ...G }
    directory: object(expression: "HEAD:.github") { __typename ...G }
    none: object(expression: "HEAD:none") { __typename }
    pullRequest(number: $number) { ...P
      reviewThreads(first: $size) { totalCount pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
        nodes { id path line startLine originalLine originalStartLine diffSide startDiffSide subjectType isResolved isCollapsed isOutdated
          resolvedBy { login databaseId id url resourcePath avatarUrl } viewerCanResolve viewerCanUnresolve viewerCanReply
          pullRequest { number } repository { name } comments(first: 50) { totalCount nodes { ...L } } } }
      reviews(first: $size, states: [COMMENTED, PENDING, APPROVED]) { nodes { id fullDatabaseId databaseId body state createdAt updatedAt submittedAt lastEditedAt url
          author { __typename login } editor { login } commit { oid } comments(last: 10) { nodes { id } } } }
      comments(first: $size) { nodes { id fullDatabaseId databaseId body createdAt updatedAt lastEditedAt url author { ...A } editor { login } } }
      labels(first: $size) { nodes { id name color } }
    }
  }
  node(id: $node) { __typename id ... on PullRequestReviewThread { isResolved } ... on PullRequestReview { state } }
}
fragment R on Repository { id databaseId name nameWithOwner isPrivate isFork pushedAt owner { __typename login id } }
fragment G on GitObject { id oid ... on Blob { text byteSize isBinary isTruncated } }
fragment A on Actor { __typename login url avatarUrl resourcePath ... on Bot { databaseId id } ... on User { databaseId id } ... on Mannequin { databaseId } }
fragment P on PullRequest { id fullDatabaseId databaseId number state isDraft locked closed merged title body lastEditedAt createdAt updatedAt url
  author { ...A } editor { login } headRefName headRefOid baseRefName baseRefOid headRepository { ...R } headRepositoryOwner { login } repository { name } }
fragment L on PullRequestReviewComment { id fullDatabaseId databaseId body path line startLine originalLine originalStartLine outdated diffHunk state createdAt updatedAt
  lastEditedAt url viewerDidAuthor author { ...A } editor { login } replyTo { id } commit { oid } originalCommit { oid } pullRequestReview { fullDatabaseId } }`

// TestEmulatorConformance calls every operation, for what it gives and for what it refuses; the validator around the
// emulator holds each request and answer to GitHub's description.
func TestEmulatorConformance(t *testing.T) {
	conformance.Require(t)
	instance, job := start(t, func(seed *emulator.Seed) {
		seed.Apps[0].Permissions = map[string]string{"checks": "write", "contents": "write", "metadata": "read", "pull_requests": "write"}
	}, emulator.Options{})
	app := mint(t, job.url, `{"checks":"write","contents":"write","pull_requests":"write"}`)
	expect := func(c client, status int, method, path, body string) reply {
		t.Helper()
		given := c.do(method, path, body)
		if given.status != status {
			t.Errorf("%s %s: %d, want %d: %s", method, path, given.status, status, given.text)
		}
		return given
	}
	artifact, err := instance.UploadArtifact(emulatortest.RunID, "airlock-result", []byte("PK\x03\x04 not quite a zip"))
	if err != nil {
		t.Fatal(err)
	}
	head := instance.State(t).Pull(12).Head.Commit
	reviewed := expect(app, 200, "POST", repo+"/pulls/12/reviews", `{"body":"One.","event":"COMMENT","comments":[
		{"path":"internal/store/query.go","line":10,"body":"a"},{"path":"internal/store/query.go","line":10,"side":"LEFT","body":"b"},
		{"path":"internal/store/query.go","start_line":28,"start_side":"RIGHT","line":31,"side":"RIGHT","body":"c"}]}`).document(t)
	review := fmt.Sprint(int64(reviewed["id"].(float64)))
	comment := fmt.Sprint(int64(job.get(repo + "/pulls/12/comments").list(t)[0]["id"].(float64)))
	expect(app, 201, "POST", repo+"/pulls/12/comments/"+comment+"/replies", `{"body":"A reply."}`)
	pending := expect(app, 200, "POST", repo+"/pulls/12/reviews", `{"body":"Later."}`).document(t)
	expect(app, 200, "DELETE", repo+"/pulls/12/reviews/"+fmt.Sprint(int64(pending["id"].(float64))), "")
	expect(app, 201, "POST", repo+"/issues/12/comments", `{"body":"Hello."}`)
	check := expect(app, 201, "POST", repo+"/check-runs", `{"name":"airlock / pr-review","head_sha":"`+head+`","status":"in_progress","external_id":"run-1"}`).document(t)
	expect(app, 200, "PATCH", repo+"/check-runs/"+fmt.Sprint(int64(check["id"].(float64))), `{"status":"completed","conclusion":"failure","output":{"title":"t","summary":"s","text":"x"}}`)
	expect(app, 200, "GET", "/installation/repositories", "")

	if err := instance.SetState(emulator.StateAct{Number: 12, ActorID: emulatortest.MaintainerID, To: "locked"}); err != nil {
		t.Fatal(err)
	}
	if _, err := instance.SetWorkflowRun(emulator.Run{Title: "done", Status: "completed", Conclusion: "success", HeadRepositoryID: emulatortest.ForkID}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"", "/actions/artifacts", "/actions/artifacts?name=airlock-result", "/actions/artifacts/" + fmt.Sprint(artifact.ID), "/actions/runs", "/actions/runs/17000000001",
		"/actions/runs/17000000001/artifacts", "/actions/workflows/review.yml/runs?created=%3E%3D2026-11-29T10:00:00Z&event=pull_request_target&per_page=5",
		"/actions/workflows/300001/runs?status=success", "/branches/main", "/check-runs/" + fmt.Sprint(int64(check["id"].(float64))),
		"/collaborators/maintainer/permission", "/collaborators/contributor/permission", "/commits/" + head + "/pulls", "/commits/main", "/commits/" + head,
		"/commits/" + head + "/check-runs?check_name=airlock%20%2F%20pr-review&filter=all", "/contents/README.md", "/contents/.github/airlock/policy.json?ref=main",
		"/contents/.github", "/git/ref/heads/main", "/issues/comments/9001", "/issues/12/comments", "/issues/12/comments?since=2026-11-30T10:05:03Z",
		"/issues/12/events", "/issues/12/labels", "/pulls/12", "/pulls/12/comments", "/pulls/comments/" + comment, "/pulls/12/commits", "/pulls/12/files", "/pulls/12/reviews",
		"/pulls/12/reviews/" + review, "/pulls/12/reviews/" + review + "/comments",
	} {
		expect(job, 200, "GET", repo+path, "")
	}
	job.accept = "application/vnd.github.diff"
	expect(job, 200, "GET", repo+"/pulls/12", "")
	job.accept = ""
	expect(job, 200, "GET", "/users/maintainer", "")
	expect(job, 200, "GET", "/users/pr-review%5Bbot%5D", "")
	expect(job, 302, "GET", repo+"/actions/artifacts/"+fmt.Sprint(artifact.ID)+"/zip", "")
	for _, path := range []string{"/pulls/13", "/contents/none", "/branches/none", "/git/ref/heads/none", "/actions/artifacts/1", "/actions/runs/1",
		"/check-runs/1", "/pulls/12/reviews/1", "/collaborators/nobody/permission"} {
		expect(job, 404, "GET", repo+path, "")
	}
	expect(job, 403, "POST", repo+"/issues/12/comments", `{"body":"x"}`)

	variables := map[string]any{"owner": "example-org", "name": "ledger", "number": 12, "node": "PRRT_71001", "size": 100}
	if text := expect(job, 200, "POST", "/graphql", graphqlBody(t, everyField, variables)).text; strings.Contains(text, `"errors"`) {
		t.Errorf("errors in %s", text)
	}
	for _, mutation := range []string{
		`mutation{resolveReviewThread(input:{threadId:"PRRT_71001",clientMutationId:"m"}){clientMutationId thread{id isResolved resolvedBy{login}}}}`,
		`mutation{unresolveReviewThread(input:{threadId:"PRRT_71001"}){thread{isResolved}}}`,
	} {
		if text := expect(app, 200, "POST", "/graphql", graphqlBody(t, mutation, nil)).text; strings.Contains(text, `"errors"`) {
			t.Errorf("errors in %s", text)
		}
	}
	if _, err := instance.Push(emulator.PushAct{Number: 12, Tree: emulatortest.Base, Force: true}); err != nil {
		t.Fatal(err)
	}
	expect(job, 200, "GET", repo+"/pulls/12/comments", "")
	expect(job, 200, "GET", repo+"/pulls/12/reviews/"+review+"/comments", "")
	expect(job, 200, "POST", "/graphql", graphqlBody(t, everyField, variables))
	expect(app, 204, "DELETE", "/installation/token", "")
	expect(app, 401, "GET", repo+"/pulls/12", "")

	called := map[emulator.Operation]bool{}
	for _, call := range instance.State(t).Calls {
		called[emulator.Operation{Method: call.Method, Path: call.Operation}] = true
	}
	for _, operation := range emulator.Operations() {
		if !called[operation] {
			t.Errorf("%s %s was not called", operation.Method, operation.Path)
		}
	}
}

// TestSchemaIsGitHubs holds the emulator's cut of the schema to GitHub's: every type, field, argument and enum value
// is there, with the same type.
func TestSchemaIsGitHubs(t *testing.T) {
	whole := conformance.Require(t).Schema()
	for name, ours := range emulator.Schema().Types {
		theirs := whole.Types[name]
		if theirs == nil || theirs.Kind != ours.Kind {
			t.Errorf("%s is no %s of GitHub's", name, ours.Kind)
			continue
		}
		for _, field := range ours.Fields {
			counterpart := theirs.Fields.ForName(field.Name)
			if counterpart == nil || counterpart.Type.String() != field.Type.String() {
				t.Errorf("%s.%s: %s is not GitHub's", name, field.Name, field.Type)
				continue
			}
			for _, argument := range field.Arguments {
				if other := counterpart.Arguments.ForName(argument.Name); other == nil || other.Type.String() != argument.Type.String() {
					t.Errorf("%s.%s(%s) is not GitHub's", name, field.Name, argument.Name)
				}
			}
		}
		if ours.Kind == ast.Enum && len(ours.EnumValues) != len(theirs.EnumValues) {
			t.Errorf("%s has %d values, GitHub's %d", name, len(ours.EnumValues), len(theirs.EnumValues))
		}
	}
}

// TestConformanceFindsMistakes breaks answers and requests and sees the validator say so.
func TestConformanceFindsMistakes(t *testing.T) {
	description := conformance.Require(t)
	get := func(path string) *http.Request {
		request, err := http.NewRequest("GET", "http://127.0.0.1"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return request
	}
	graphql, err := http.NewRequest("POST", "http://127.0.0.1/graphql", nil)
	if err != nil {
		t.Fatal(err)
	}
	json := http.Header{"Content-Type": {"application/json"}}
	thread := `{"query":"{node(id:\"x\"){... on PullRequestReviewThread{isResolved line}}}"}`
	cases := []struct {
		name         string
		request      *http.Request
		body         string
		status       int
		answer, want string
	}{
		{"field missing", get(repo + "/pulls/12/reviews/1"), "", 200, `{"id":1}`, "node_id"},
		{"path unknown", get(repo + "/nothing"), "", 200, `{}`, "not described"},
		{"error without its form", get(repo + "/pulls/12/reviews/1"), "", 401, `{}`, "no error of GitHub's form"},
		{"unknown field of GraphQL", graphql, `{"query":"{repository(owner:\"a\",name:\"b\"){nope}}"}`, 200, `{"data":{}}`, "nope"},
		{"null where none may be", graphql, thread, 200, `{"data":{"node":{"isResolved":null,"line":1}}}`, "is null"},
		{"wrong type", graphql, thread, 200, `{"data":{"node":{"isResolved":true,"line":"1"}}}`, "is no Int"},
		{"field not asked for", graphql, thread, 200, `{"data":{"node":{"isResolved":true,"line":1,"path":"x"}}}`, "no type of Node fits"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			complaints := strings.Join(description.Check(c.request, []byte(c.body), c.status, json, []byte(c.answer)), "\n")
			if !strings.Contains(complaints, c.want) {
				t.Errorf("complaints %q, want %q in them", complaints, c.want)
			}
		})
	}
}
