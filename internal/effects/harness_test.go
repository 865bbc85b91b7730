package effects

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// page is the item of the data model's facts, as a value that writes change: a GitHub without a network.
type page struct {
	t       *testing.T
	facts   contract.Facts
	policy  contract.Policy
	apps    contract.Apps
	app     contract.App
	session Session
	plan    plan.Plan
	// node ids and database ids that the next writes get, in order.
	ids []id

	// answer, when not nil, takes the place of an answer: it may do the write first. It gets the number of the write from 1.
	answer func(write int, do func()) (status int, body string)
	// look, when not nil, changes what the n-th look from 1 sees.
	look func(n int, facts *contract.Facts) error

	// left is a review that was never submitted; while it is there no text is taken of its author.
	left *leftover

	writes, looks int
	requests      []string
	steps         []string
	waits         []time.Duration
	purposes      []string
}

type leftover struct {
	author   int64
	body     string
	comments []string
	// stays says that a deletion is answered so and does nothing, where it is not 0.
	stays int
}

type id struct {
	database int64
	node     string
	thread   string
}

func document(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "model", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t *testing.T, name string, record any) []byte {
	t.Helper()
	data := document(t, name)
	if err := contract.Decode(data, record); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return data
}

// model makes the page of a Run of the data model, "A" or "B", and the plan of its Result.
func model(t *testing.T, run string, ids ...id) *page {
	t.Helper()
	in := plan.Input{}
	decode(t, run+".decision.json", &in.Decision)
	decode(t, run+".facts.json", &in.Facts)
	decode(t, run+".task.json", &in.Task)
	in.ResultDigest = contract.Digest(decode(t, run+".result.json", &in.Result))
	decode(t, "policy.json", &in.Policy)
	decode(t, "apps.json", &in.Apps)
	in.App = in.Apps.Apps[0]
	in.Diff = diff.NewIndex(document(t, run+".diff.patch"))
	in.Ledger = ledger.Read(in.Facts, in.Policy, in.Apps, in.App)
	made, err := plan.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{t: t, facts: in.Facts, policy: in.Policy, apps: in.Apps, app: in.App, plan: made, ids: ids}
	client, err := github.New(github.Options{APIURL: "https://api.example.test", GraphQLURL: "https://api.example.test/graphql",
		Token: secret.New("a-token"), Transport: p, Sleep: p.sleep})
	if err != nil {
		t.Fatal(err)
	}
	p.session = Session{Decision: in.Decision, App: in.App, Seen: p.seen(in.Facts), Sleep: p.sleep,
		Look: func(context.Context) (Seen, error) {
			p.looks++
			facts := copied(t, p.facts)
			if p.look != nil {
				if err := p.look(p.looks, &facts); err != nil {
					return Seen{}, err
				}
			}
			return p.seen(facts), nil
		},
		Client: func(_ context.Context, purpose string) (*github.Client, error) {
			p.purposes = append(p.purposes, purpose)
			return client, nil
		},
		Halted: func(seen Seen) []contract.Code {
			if seen.Facts.Item.State != "open" {
				return []contract.Code{contract.CodeSupersededClosed}
			}
			return nil
		},
		Progress: func(effect, step string) { p.steps = append(p.steps, effect+" "+step) },
	}
	return p
}

func (p *page) sleep(ctx context.Context, wait time.Duration) error {
	p.waits = append(p.waits, wait)
	return ctx.Err()
}

func (p *page) seen(facts contract.Facts) Seen {
	return Seen{Facts: facts, Policy: p.policy, Ledger: ledger.Read(facts, p.policy, p.apps, p.app)}
}

// copied is a snapshot that later writes do not change.
func copied(t *testing.T, facts contract.Facts) contract.Facts {
	t.Helper()
	data, err := contract.Canonical(facts)
	if err != nil {
		t.Fatal(err)
	}
	var other contract.Facts
	if err := contract.Decode(data, &other); err != nil {
		t.Fatal(err)
	}
	return other
}

// RoundTrip serves the three writes, and what is asked about a review that was never submitted.
func (p *page) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodPost {
		status, answer := p.aside(request.Method, request.URL.Path)
		p.requests = append(p.requests, request.Method+" "+request.URL.Path)
		return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: request}, nil
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	p.writes++
	p.requests = append(p.requests, request.Method+" "+request.URL.Path+"\n"+strings.TrimSpace(string(body)))
	answer := ""
	do := func() { answer = p.do(request.URL.Path, body) }
	status := http.StatusOK
	if p.left != nil && p.left.author == p.app.BotUserID && request.URL.Path != "/graphql" {
		status, answer = http.StatusUnprocessableEntity, `{"message":"Unprocessable Entity","errors":["User can only have one pending review per pull request"]}`
	} else if p.answer != nil {
		var given string
		status, given = p.answer(p.writes, do)
		if given != "" {
			answer = given
		}
	} else {
		do()
	}
	if status == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: request}, nil
}

// aside serves the list of reviews, the comments of one, and its deletion.
func (p *page) aside(method, path string) (int, string) {
	type comment = map[string]any
	list := []comment{{"id": 51001, "state": "COMMENTED", "body": "", "user": map[string]any{"id": p.app.BotUserID}}}
	switch {
	case method == http.MethodGet && strings.HasSuffix(path, "/pulls/12/reviews"):
		if p.left != nil {
			list = append(list, comment{"id": 777, "state": "PENDING", "body": p.left.body, "user": map[string]any{"id": p.left.author}})
		}
	case method == http.MethodGet && strings.HasSuffix(path, "/pulls/12/reviews/777/comments"):
		list = []comment{}
		for _, body := range p.left.comments {
			list = append(list, comment{"id": 778, "body": body})
		}
	case method == http.MethodDelete && strings.HasSuffix(path, "/pulls/12/reviews/777"):
		if p.left.stays != 0 {
			return p.left.stays, `{"message":"No"}`
		}
		p.left = nil
		return http.StatusOK, "{}"
	default:
		p.t.Errorf("a call that no Effect makes: %s %s", method, path)
	}
	data, err := json.Marshal(list)
	p.must(err)
	return http.StatusOK, string(data)
}

// do makes the write and gives GitHub's answer.
func (p *page) do(path string, body []byte) string {
	next := func() id {
		if len(p.ids) == 0 {
			n := int64(90000 + p.writes*100 + len(p.facts.Threads))
			return id{n, fmt.Sprintf("N_%d", n), fmt.Sprintf("T_%d", n)}
		}
		first := p.ids[0]
		p.ids = p.ids[1:]
		return first
	}
	bot := contract.User{ID: p.app.BotUserID, Login: untrusted.New("pr-review[bot]"), Type: "Bot"}
	switch {
	case strings.HasSuffix(path, "/reviews"):
		var asked reviewRequest
		p.must(json.Unmarshal(body, &asked))
		given := next()
		review := given.database
		p.facts.Reviews = append(p.facts.Reviews, contract.Review{At: p.facts.ReadAt, Author: bot, Commit: asked.CommitID, ID: given.database,
			NodeID: given.node, State: "COMMENTED", Text: untrusted.New(asked.Body)})
		for _, c := range asked.Comments {
			on := next()
			line := c.Line
			p.facts.Threads = append(p.facts.Threads, contract.Thread{Line: &line, OriginalCommit: asked.CommitID, OriginalLine: &line, OriginalStartLine: c.StartLine, NodeID: on.thread, ReviewID: &review,
				Path: untrusted.New(c.Path), Side: c.Side, Comments: []contract.ThreadComment{{At: p.facts.ReadAt, Author: bot, ID: on.database, NodeID: on.node, Text: untrusted.New(c.Body)}}})
		}
		return fmt.Sprintf(`{"id":%d}`, given.database)
	case strings.HasSuffix(path, "/replies"):
		var asked struct{ Body string }
		p.must(json.Unmarshal(body, &asked))
		given := next()
		for i, thread := range p.facts.Threads {
			if strings.HasSuffix(path, fmt.Sprintf("/comments/%d/replies", thread.Comments[0].ID)) {
				p.facts.Threads[i].Comments = append(thread.Comments, contract.ThreadComment{At: p.facts.ReadAt, Author: bot, ID: given.database, NodeID: given.node, Text: untrusted.New(asked.Body)})
			}
		}
		return fmt.Sprintf(`{"id":%d}`, given.database)
	case bytes.Contains(body, []byte("resolveReviewThread")):
		var asked struct {
			Variables struct{ Thread string }
		}
		p.must(json.Unmarshal(body, &asked))
		for i, thread := range p.facts.Threads {
			if thread.NodeID == asked.Variables.Thread {
				p.facts.Threads[i].Resolved = true // GraphQL names no App for it
			}
		}
		return fmt.Sprintf(`{"data":{"resolveReviewThread":{"thread":{"id":%q,"isResolved":true}}}}`, asked.Variables.Thread)
	}
	p.t.Errorf("a call that no Effect makes: %s", path)
	return ""
}

func (p *page) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) write() Report { return Write(p.t.Context(), p.session, p.plan) }

// state is how one Effect ended: its state and, where it has one, its reason.
func state(effect contract.AppliedEffect) string {
	if effect.Reason == nil {
		return effect.State
	}
	return effect.State + " " + string(*effect.Reason)
}

func states(report Report) string {
	var list []string
	for _, effect := range report.Effects {
		list = append(list, state(effect))
	}
	return strings.Join(list, ", ")
}
