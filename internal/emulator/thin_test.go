package emulator_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// reply is an answer as a client sees it.
type reply struct {
	status int
	header http.Header
	text   string
}

// document decodes the answer into an object.
func (r reply) document(t *testing.T) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(r.text), &object); err != nil {
		t.Fatalf("%v in %q", err, r.text)
	}
	return object
}

// list decodes the answer into a list of objects.
func (r reply) list(t *testing.T) []map[string]any {
	t.Helper()
	var list []map[string]any
	if err := json.Unmarshal([]byte(r.text), &list); err != nil {
		t.Fatalf("%v in %q", err, r.text)
	}
	return list
}

// client talks to an emulator with one credential.
type client struct {
	t          *testing.T
	url, token string
	accept     string
}

func (c client) do(method, path, body string) reply {
	c.t.Helper()
	request, err := http.NewRequest(method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.accept != "" {
		request.Header.Set("Accept", c.accept)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	plain := http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := plain.Do(request)
	if err != nil {
		return reply{}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(content)}
}

func (c client) get(path string) reply { c.t.Helper(); return c.do("GET", path, "") }

// repo is the path of the seed's repository.
const repo = "/repos/example-org/ledger"

// signed makes a JWT of the seed's App at the seed's time.
func signed(t *testing.T, change func(jwt.MapClaims)) string {
	t.Helper()
	claims := jwt.MapClaims{"iss": "900001", "iat": emulatortest.Now.Add(-time.Minute).Unix(), "exp": emulatortest.Now.Add(9 * time.Minute).Unix()}
	if change != nil {
		change(claims)
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodRS256, claims).SignedString(emulatortest.Key())
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// start runs the seed and returns a client with the job's token.
func start(t *testing.T, change func(*emulator.Seed), options emulator.Options) (*emulatortest.Instance, client) {
	t.Helper()
	seed := emulatortest.Seed()
	if change != nil {
		change(&seed)
	}
	instance := emulatortest.Start(t, seed, options)
	return instance, client{t: t, url: instance.URL, token: emulatortest.JobToken}
}

// mint returns a client with an installation token of the given permissions.
func mint(t *testing.T, url, permissions string) client {
	t.Helper()
	app := client{t: t, url: url, token: signed(t, nil)}
	answer := app.do("POST", "/app/installations/80000001/access_tokens", `{"repository_ids":[701002003],"permissions":`+permissions+`}`)
	if answer.status != http.StatusCreated {
		t.Fatalf("mint: %d %s", answer.status, answer.text)
	}
	return client{t: t, url: url, token: answer.document(t)["token"].(string)}
}

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
