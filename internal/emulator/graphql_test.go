package emulator_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// withThread starts the seed with one thread of the App and returns clients of the job and of the App.
func withThread(t *testing.T, permissions string) (*emulatortest.Instance, client, client) {
	t.Helper()
	instance, job := start(t, func(seed *emulator.Seed) {
		seed.Apps[0].Permissions = map[string]string{"checks": "write", "contents": "write", "metadata": "read", "pull_requests": "write"}
	}, emulator.Options{})
	app := mint(t, job.url, permissions)
	if given := app.do("POST", repo+"/pulls/12/reviews", `{"event":"COMMENT","comments":[{"path":"internal/store/query.go","line":10,"body":"a"}]}`); given.status != 200 {
		t.Fatal(given.text)
	}
	return instance, job, app
}

const resolveMutation = `mutation{resolveReviewThread(input:{threadId:"PRRT_71001"}){thread{isResolved}}}`

func TestResolveNeedsContents(t *testing.T) {
	for permissions, want := range map[string]string{
		`{"pull_requests":"write"}`:                    `{"data":{"resolveReviewThread":null},"errors":[{"type":"FORBIDDEN","path":["resolveReviewThread"],"locations":[{"line":1,"column":10}],"message":"Resource not accessible by integration"}]}`, // G1
		`{"contents":"write","pull_requests":"write"}`: `{"data":{"resolveReviewThread":{"thread":{"isResolved":true}}}}`,
	} {
		_, _, app := withThread(t, permissions)
		viewer := app.do("POST", "/graphql", graphqlBody(t, `{node(id:"PRRT_71001"){... on PullRequestReviewThread{viewerCanResolve}}}`, nil))
		if can := strings.Contains(viewer.text, "true"); can != strings.Contains(permissions, "contents") {
			t.Errorf("%s: viewerCanResolve %t", permissions, can)
		}
		given := app.do("POST", "/graphql", graphqlBody(t, resolveMutation, nil))
		if given.status != 200 || given.text != want {
			t.Errorf("%s: %d %s", permissions, given.status, given.text)
		}
	}
}

func TestResolvedBy(t *testing.T) {
	instance, job, _ := withThread(t, `{"pull_requests":"write"}`)
	comment := instance.State(t).Pull(12).Threads[0].Comments[0].ID
	query := graphqlBody(t, `{node(id:"PRRT_71001"){... on PullRequestReviewThread{isResolved resolvedBy{login databaseId}}}}`, nil)
	for _, c := range []struct {
		act  emulator.ResolveAct
		want string
	}{
		{emulator.ResolveAct{ActorID: emulatortest.ContributorID}, `"isResolved":true,"resolvedBy":{"databaseId":2000002,"login":"contributor"}`},
		{emulator.ResolveAct{ActorID: emulatortest.MaintainerID, Unresolve: true}, `"isResolved":false,"resolvedBy":null`},
	} {
		c.act.Number, c.act.CommentID = 12, comment
		if err := instance.Resolve(c.act); err != nil {
			t.Fatal(err)
		}
		if given := job.do("POST", "/graphql", query); !strings.Contains(given.text, c.want) {
			t.Errorf("%s, want %s", given.text, c.want)
		}
	}
}

func TestGraphQLReply(t *testing.T) {
	instance, _, app := withThread(t, `{"pull_requests":"write"}`)
	given := app.do("POST", "/graphql", graphqlBody(t, `mutation($b:String!){addPullRequestReviewThreadReply(input:{pullRequestReviewThreadId:"PRRT_71001",body:$b}){comment{body replyTo{id} author{login}}}}`, map[string]any{"b": "Said."}))
	if want := `{"data":{"addPullRequestReviewThreadReply":{"comment":{"author":{"login":"pr-review"},"body":"Said.","replyTo":{"id":"PRRC_61001"}}}}}`; given.text != want {
		t.Errorf("%s", given.text)
	}
	if comments := instance.State(t).Pull(12).Threads[0].Comments; len(comments) != 2 || comments[1].Body != "Said." {
		t.Errorf("%v", comments)
	}
}

func TestGraphQLErrors(t *testing.T) {
	instance, job, _ := withThread(t, `{"pull_requests":"write"}`)
	little, err := instance.MintJobToken(emulator.JobToken{RunID: emulatortest.RunID, Permissions: map[string]string{"issues": "read"}})
	if err != nil {
		t.Fatal(err)
	}
	onPull := func(selection string) string {
		return `{repository(owner:"example-org",name:"ledger"){pullRequest(number:12){` + selection + `}}}`
	}
	cases := []struct{ name, token, query, kind, path string }{
		{"another repository", job.token, `{repository(owner:"example-org",name:"another"){id}}`, "NOT_FOUND", "[repository]"},
		{"unknown number", job.token, `{repository(owner:"example-org",name:"ledger"){pullRequest(number:13){id}}}`, "NOT_FOUND", "[repository pullRequest]"},
		{"unknown node", job.token, `{node(id:"PRRT_1"){id}}`, "NOT_FOUND", "[node]"},
		{"unknown thread", job.token, `mutation{resolveReviewThread(input:{threadId:"PRRT_1"}){clientMutationId}}`, "NOT_FOUND", "[resolveReviewThread]"},
		{"no permission for pull requests", little, onPull("id"), "FORBIDDEN", "[repository pullRequest]"},
		{"no permission for contents", little, `{repository(owner:"example-org",name:"ledger"){object(expression:"HEAD:README.md"){id}}}`, "FORBIDDEN", "[repository object]"},
		{"no page size", job.token, onPull("comments{totalCount}"), "MISSING_PAGINATION_BOUNDARIES", "[repository pullRequest comments]"},
		{"page over the limit", job.token, onPull("comments(first:101){totalCount}"), "EXCESSIVE_PAGINATION", "[repository pullRequest comments]"},
		{"first and last", job.token, onPull("comments(first:1,last:1){totalCount}"), "MISSING_PAGINATION_BOUNDARIES", "[repository pullRequest comments]"},
		{"too many nodes", job.token, onPull("reviewThreads(first:100){nodes{comments(first:100){nodes{pullRequestReview{comments(first:100){totalCount}}}}}}"), "MAX_NODE_LIMIT_EXCEEDED",
			"[repository pullRequest reviewThreads nodes comments nodes pullRequestReview comments]"},
		{"no cursor", job.token, onPull(`reviews(first:1,after:"x"){totalCount}`), "INVALID_CURSOR_ARGUMENTS", "[repository pullRequest reviews]"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			given := client{t: t, url: job.url, token: c.token}.do("POST", "/graphql", graphqlBody(t, c.query, nil))
			var document struct {
				Errors []struct {
					Type string
					Path []any
				}
			}
			if err := json.Unmarshal([]byte(given.text), &document); err != nil {
				t.Fatal(err)
			}
			if given.status != 200 || len(document.Errors) != 1 || document.Errors[0].Type != c.kind || fmt.Sprint(document.Errors[0].Path) != c.path {
				t.Errorf("%d %s", given.status, given.text)
			}
		})
	}
	if given := (client{t: t, url: job.url, token: signed(t, nil)}).do("POST", "/graphql", graphqlBody(t, "{node(id:\"x\"){id}}", nil)); given.status != 401 {
		t.Errorf("with an App's JWT: %d", given.status)
	}
	if given := job.do("POST", "/graphql", `{"query":"{node(id:\"PRRT_71001\"){id}}","variables":{},"extra":1}`); given.status != 400 {
		t.Errorf("unknown field of the request: %d", given.status)
	}
}

func TestPagesOfGraphQL(t *testing.T) {
	_, job := start(t, func(seed *emulator.Seed) {
		for i := range 9 {
			seed.PullRequests[0].Comments = append(seed.PullRequests[0].Comments, &emulator.Comment{AuthorID: emulatortest.ContributorID, Body: fmt.Sprint(i)})
		}
	}, emulator.Options{PageLimit: 4})
	var bodies []string
	for after, more := any(nil), true; more; {
		given := job.do("POST", "/graphql", graphqlBody(t, `query($after:String){repository(owner:"example-org",name:"ledger"){pullRequest(number:12){comments(first:100,after:$after){totalCount nodes{body} pageInfo{hasNextPage endCursor}}}}}`, map[string]any{"after": after}))
		var document struct {
			Data struct {
				Repository struct {
					PullRequest struct {
						Comments struct {
							TotalCount int
							Nodes      []struct{ Body string }
							PageInfo   struct {
								HasNextPage bool
								EndCursor   string
							}
						}
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(given.text), &document); err != nil {
			t.Fatal(err)
		}
		comments := document.Data.Repository.PullRequest.Comments
		if len(comments.Nodes) > 4 || comments.TotalCount != 10 {
			t.Fatalf("%s", given.text)
		}
		for _, node := range comments.Nodes {
			bodies = append(bodies, node.Body[:1])
		}
		after, more = comments.PageInfo.EndCursor, comments.PageInfo.HasNextPage
	}
	if got := strings.Join(bodies, ""); got != ">012345678" {
		t.Errorf("read %q", got)
	}
}

func TestGraphQLObject(t *testing.T) {
	_, job := start(t, func(seed *emulator.Seed) {
		tree := seed.Repository.Branches["main"].Tree
		tree["bin"] = emulatortest.Text("a\x00")
	}, emulator.Options{})
	for expression, want := range map[string]string{
		"HEAD:README.md": `{"__typename":"Blob","byteSize":9,"isBinary":false,"oid":"OID","text":"# Ledger\n"}`,
		"main:bin":       `{"__typename":"Blob","byteSize":2,"isBinary":true,"oid":"OID","text":null}`,
		"HEAD:.github":   `{"__typename":"Tree"}`,
		"release:bin":    `null`, "none:README.md": `null`,
	} {
		given := job.do("POST", "/graphql", graphqlBody(t, `query($e:String){repository(owner:"example-org",name:"ledger"){object(expression:$e){__typename ... on Blob{oid text byteSize isBinary}}}}`, map[string]any{"e": expression}))
		var document struct {
			Data struct {
				Repository struct{ Object json.RawMessage }
			}
		}
		if err := json.Unmarshal([]byte(given.text), &document); err != nil {
			t.Fatal(err)
		}
		if got := oidPattern.ReplaceAllString(string(document.Data.Repository.Object), `"OID"`); got != want {
			t.Errorf("%s: %s, want %s", expression, got, want)
		}
	}
}
