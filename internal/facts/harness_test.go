package facts_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/facts"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

// noWait is a wait that is over at once.
func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// clientFor makes a client with the job's token over a transport, nil for the usual one.
func clientFor(t testing.TB, url string, transport http.RoundTripper) *github.Client {
	t.Helper()
	if transport == nil {
		transport = http.DefaultTransport
	}
	client, err := github.New(github.Options{
		APIURL: url, GraphQLURL: url + "/graphql", Token: secret.New(emulatortest.JobToken), Transport: transport, Sleep: noWait,
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// request is the Request of the seed's pull request.
func request() facts.Request {
	return facts.Request{
		Owner: emulatortest.Owner, Name: emulatortest.Name, RepositoryID: emulatortest.RepositoryID, Number: emulatortest.Number,
		Role: "pr-review", App: contract.App{AppID: emulatortest.AppID}, WorkflowFile: "review.yml", OwnRunID: emulatortest.RunID,
		Now: func() time.Time { return emulatortest.Now },
	}
}

// read reads the seed after it was changed, and fails the test on an error.
func read(t testing.TB, options emulator.Options, change func(*emulator.Seed)) (facts.Snapshot, *github.Client) {
	t.Helper()
	seed := emulatortest.Seed()
	if change != nil {
		change(&seed)
	}
	instance := emulatortest.Start(t, seed, options)
	client := clientFor(t, instance.URL, nil)
	snapshot, err := facts.Read(context.Background(), client, request())
	if err != nil {
		t.Fatal(err)
	}
	return snapshot, client
}

// incomplete lists the parts that are not whole, in the order of facts.parts.
func incomplete(f contract.Facts) string {
	var parts []string
	for _, part := range []struct {
		name string
		part contract.Part
	}{
		{"comments", f.Parts.Comments}, {"content", f.Parts.Content}, {"item", f.Parts.Item}, {"labels", f.Parts.Labels},
		{"records", f.Parts.Records}, {"reviews", f.Parts.Reviews}, {"threads", f.Parts.Threads},
	} {
		if !part.part.Complete {
			parts = append(parts, part.name)
		}
	}
	return strings.Join(parts, " ")
}

// tamper changes the answers to matching requests; matches is told the request and its body.
type tamper struct {
	matches func(request *http.Request, body string) bool
	change  func(*http.Response, []byte)
}

func (t tamper) RoundTrip(request *http.Request) (*http.Response, error) {
	var body []byte
	if request.Body != nil {
		var err error
		if body, err = io.ReadAll(request.Body); err != nil {
			return nil, err
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	matches := t.matches(request, string(body))
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil || !matches {
		return answer, err
	}
	document, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	answer.Header.Del("Content-Length")
	answer.ContentLength = -1
	t.change(answer, document)
	return answer, nil
}

// answerWith sets the body of an answer.
func answerWith(answer *http.Response, body string) {
	answer.Body = io.NopCloser(strings.NewReader(body))
}
