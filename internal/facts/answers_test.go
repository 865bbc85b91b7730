package facts_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/facts"
	"github.com/seed-2ea642bd/airlock/internal/github"
)

// operations are what Read asks for, and which parts cannot do without it; "error" is Read as a whole.
func operations() []struct{ name, path, parts string } {
	return []struct{ name, path, parts string }{
		{"pull request", "/pulls/12", "error"},
		{"files", "/pulls/12/files", "content"},
		{"conversation", "/graphql", "comments item reviews threads"},
		{"events", "/issues/12/events", "labels"},
		{"workflow runs", "/actions/workflows/review.yml/runs", "records"},
		{"artifacts", "/actions/artifacts", "records"},
		{"checks", "/commits/4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930/check-runs", "item"},
	}
}

// TestEveryAnswerThatCannotBeUsed holds, for every operation, that an answer that is malformed, truncated, empty, too large or
// of another shape leaves its part incomplete with one clear fault.
func TestEveryAnswerThatCannotBeUsed(t *testing.T) {
	corruptions := []struct {
		name   string
		class  github.Class
		change func(*http.Response, []byte)
	}{
		{"truncated", github.ClassMalformed, func(a *http.Response, body []byte) { answerWith(a, string(body[:len(body)/2])) }},
		{"empty", github.ClassMalformed, func(a *http.Response, _ []byte) { answerWith(a, "") }},
		{"null", github.ClassMalformed, func(a *http.Response, _ []byte) { answerWith(a, "null") }},
		{"a page of HTML", github.ClassMalformed, func(a *http.Response, _ []byte) { answerWith(a, "<!DOCTYPE html><p>Unicorn!") }},
		{"an empty object", github.ClassMalformed, func(a *http.Response, _ []byte) { answerWith(a, "{}") }},
		{"a number", github.ClassMalformed, func(a *http.Response, _ []byte) { answerWith(a, "7") }},
		{"two documents", github.ClassMalformed, func(a *http.Response, body []byte) { answerWith(a, string(body)+"{}") }},
		{"broken off", github.ClassUnreachable, func(a *http.Response, body []byte) {
			a.Body = brokenBody{strings.NewReader(string(body[:len(body)/2]))}
		}},
		{"server error", github.ClassUnavailable, func(a *http.Response, _ []byte) { a.StatusCode = 500; answerWith(a, "{}") }},
		{"not found", github.ClassNotFound, func(a *http.Response, _ []byte) { a.StatusCode = 404; answerWith(a, `{"message":"Not Found"}`) }},
		{"204", github.ClassMalformed, func(a *http.Response, _ []byte) { a.StatusCode = 204; answerWith(a, "") }},
	}
	seed := emulatortest.Seed()
	other := *seed.PullRequests[0]
	other.Number, other.ID, other.Base, other.Comments, other.Events = 13, 0, emulator.Base{Ref: "release"}, nil, nil
	seed.PullRequests = append(seed.PullRequests, &other)
	seed.WorkflowRuns = append(seed.WorkflowRuns, &emulator.Run{ID: 16000000001, WorkflowID: emulatortest.WorkflowID, Title: "airlock pr-review #12",
		Status: "completed", Conclusion: "success", CreatedAt: emulatortest.Now})
	instance := emulatortest.Start(t, seed, emulator.Options{})
	for _, operation := range operations() {
		for _, corruption := range corruptions {
			t.Run(operation.name+"/"+corruption.name, func(t *testing.T) {
				client := clientFor(t, instance.URL, tamper{
					matches: func(r *http.Request, _ string) bool {
						return strings.HasSuffix(r.URL.Path, operation.path) && !strings.Contains(r.Header.Get("Accept"), "diff")
					},
					change: corruption.change,
				})
				snapshot, err := facts.Read(context.Background(), client, request())
				if operation.parts == "error" {
					if github.ClassOf(err) != corruption.class {
						t.Errorf("error %v, want class %s", err, corruption.class)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := incomplete(snapshot.Facts); got != operation.parts {
					t.Errorf("incomplete %q, want %q", got, operation.parts)
				}
				if len(snapshot.Faults) == 0 || github.ClassOf(snapshot.Faults[0].Err) != corruption.class {
					t.Errorf("faults %v, want class %s", snapshot.Faults, corruption.class)
				}
			})
		}
	}
}

// brokenBody ends with an error.
type brokenBody struct{ *strings.Reader }

func (b brokenBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil {
		return n, errBroken
	}
	return n, nil
}

func (brokenBody) Close() error { return nil }

var errBroken = http.ErrBodyReadAfterClose

// TestAnswersWithoutWhatCounts holds that a field that everything rests on is missed when it is missing.
func TestAnswersWithoutWhatCounts(t *testing.T) {
	instance := emulatortest.Start(t, emulatortest.Seed(), emulator.Options{})
	if _, err := instance.Review(emulator.ReviewAct{Number: 12, ActorID: emulatortest.BotUserID, Body: "one", Comments: []emulator.LineTextAct{
		{Path: "internal/store/query.go", Line: 10, Side: "RIGHT", Body: "first"}}}); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, path, from, to, parts string }{
		{"the pull request's id", "/pulls/12", `"id":`, `"xd":`, "error"},
		{"its number", "/pulls/12", `"number":12`, `"number":13`, "error"},
		{"its head", "/pulls/12", `"sha":"4a1d`, `"sha":"4A1d`, "error"},
		{"its repository", "/pulls/12", `"id":701002003`, `"id":701002009`, "error"},
		{"its state", "/pulls/12", `"state":"open"`, `"state":"ajar"`, "error"},
		{"draft", "/pulls/12", `"draft":`, `"daft":`, "error"},
		{"locked", "/pulls/12", `"locked":`, `"lucked":`, "error"},
		{"a number that is text", "/pulls/12", `"number":12`, `"number":"12"`, "error"},
		{"the count of files", "/pulls/12", `"changed_files":2`, `"changed_files":3`, "content"},
		{"a file's blob", "/pulls/12/files", `"sha":"364d892c`, `"sha":"364d`, "content"},
		{"a file's name", "/pulls/12/files", `"filename":`, `"filenym":`, "content"},
		{"a file's status", "/pulls/12/files", `"status":"added"`, `"status":"odd"`, "content"},
		{"an event's label", "/issues/12/events", `"name":"airlock:approved"`, `"name":""`, "labels"},
		{"an event's time", "/issues/12/events", `"created_at":`, `"greeted_at":`, "labels"},
		{"a run's event", "/actions/workflows/review.yml/runs", `"event":`, `"evnt":`, "records"},
		{"a run's status", "/actions/workflows/review.yml/runs", `"status":`, `"stat":`, "records"},
		{"a comment's id", "/graphql", `"fullDatabaseId":"9001"`, `"fullDatabaseId":null`, "comments"},
		{"a comment's id that is no number", "/graphql", `"fullDatabaseId":"9001"`, `"fullDatabaseId":"9e1"`, "comments item reviews threads"},
		{"a review's state", "/graphql", `"state":"COMMENTED"`, `"state":""`, "reviews"},
		{"a thread's side", "/graphql", `"diffSide":"RIGHT"`, `"diffSide":"UP"`, "threads"},
		{"the list of reviews", "/graphql", `"reviews":`, `"rev":`, "reviews"},
		{"a list's count", "/graphql", `"totalCount":1`, `"totalCount":3`, "comments item labels reviews threads"},
		{"the head commit", "/graphql", `"head":{`, `"head":null,"x":{`, "item"},
		{"the pull requests of the head commit", "/graphql", `"associatedPullRequests":{`, `"associatedPullRequests":null,"x":{`, "item"},
		{"the head of a pull request of the head commit", "/graphql", `"headRefOid":"4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930","number":12,"state"`, `"headRefOid":"4a1d","number":12,"state"`, "item"},
		{"the default branch", "/graphql", `"defaultBranchRef":`, `"branch":`, "comments item reviews threads"},
		{"the repository", "/graphql", `"databaseId":701002003`, `"databaseId":7`, "comments item reviews threads"},
		{"the policy's size", "/graphql", `"byteSize":3`, `"byteSize":4`, "comments item reviews threads"},
		{"the policy's text", "/graphql", `"text":"{}\n"`, `"text":null`, "comments item reviews threads"},
		{"the policy's end", "/graphql", `"isTruncated":false`, `"isTruncated":true`, "comments item reviews threads"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			changed := false
			client := clientFor(t, instance.URL, tamper{
				matches: func(r *http.Request, _ string) bool {
					return strings.HasSuffix(r.URL.Path, test.path) && !strings.Contains(r.Header.Get("Accept"), "diff")
				},
				change: func(a *http.Response, body []byte) {
					changed = changed || strings.Contains(string(body), test.from)
					answerWith(a, strings.ReplaceAll(string(body), test.from, test.to))
				},
			})
			snapshot, err := facts.Read(context.Background(), client, request())
			if !changed {
				t.Fatalf("the answer does not hold %s", test.from)
			}
			if test.parts == "error" {
				if err == nil {
					t.Error("no error")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := incomplete(snapshot.Facts); got != test.parts {
				t.Errorf("incomplete %q, want %q: %v", got, test.parts, snapshot.Faults)
			}
		})
	}
}

// replaces changes the answers of one path, from the nth on.
func replaces(path string, from int, pairs ...string) tamper {
	seen := 0
	return tamper{
		matches: func(r *http.Request, _ string) bool {
			return strings.HasSuffix(r.URL.Path, path) && !strings.Contains(r.Header.Get("Accept"), "diff")
		},
		change: func(a *http.Response, body []byte) {
			text := string(body)
			if seen++; seen >= from {
				text = strings.NewReplacer(pairs...).Replace(text)
			}
			answerWith(a, text)
		},
	}
}

// TestAnswersThatDisagree holds that two answers that do not fit together are noticed, each by one field.
func TestAnswersThatDisagree(t *testing.T) {
	instance := emulatortest.Start(t, emulatortest.Seed(), emulator.Options{})
	readThrough := func(t *testing.T, through http.RoundTripper) facts.Snapshot {
		t.Helper()
		snapshot, err := facts.Read(context.Background(), clientFor(t, instance.URL, through), request())
		if err != nil {
			t.Fatal(err)
		}
		return snapshot
	}
	for name, through := range map[string]tamper{
		"the base's name in the conversation": replaces("/graphql", 1, `"baseRefName":"main"`, `"baseRefName":"release"`),
		"a file in the diff that no list has": replaces("/pulls/12/files", 1, `"filename":"internal/store/owner.go"`, `"filename":"internal/store/owner.go","filename":"internal/store/query.go"`),
	} {
		t.Run(name, func(t *testing.T) {
			snapshot := readThrough(t, through)
			if name == "a file in the diff that no list has" {
				// Both entries of the list are the same file, and the diff's other one is on nobody's.
				if got := snapshot.Facts.Content.Files; got[0].Path != got[1].Path {
					t.Fatalf("files %+v", got)
				}
			}
			if got := incomplete(snapshot.Facts); got != "content" {
				t.Errorf("incomplete %q: %v", got, snapshot.Faults)
			}
		})
	}
	t.Run("the base's name alone", func(t *testing.T) {
		first := true
		client := clientFor(t, instance.URL, tamper{
			matches: func(r *http.Request, _ string) bool {
				return strings.HasSuffix(r.URL.Path, "/pulls/12") && !strings.Contains(r.Header.Get("Accept"), "diff")
			},
			change: func(a *http.Response, body []byte) {
				text := string(body)
				if first {
					text = strings.ReplaceAll(text, `"ref":"main"`, `"ref":"release"`)
				}
				first = false
				answerWith(a, text)
			},
		})
		snapshot, err := facts.Read(context.Background(), client, request())
		if err != nil {
			t.Fatal(err)
		}
		if got := client.Calls().REST; got != 9 || incomplete(snapshot.Facts) != "" {
			t.Errorf("%d REST calls, %v; the change was not read again", got, snapshot.Faults)
		}
	})
	t.Run("a file without its patch", func(t *testing.T) {
		snapshot := readThrough(t, replaces("/pulls/12/files", 1, `"patch":`, `"petch":`))
		content := snapshot.Facts.Content
		if content.Files[0].Visible || content.Files[1].Visible || content.State != "not_text" {
			t.Errorf("content %+v", content)
		}
	})
}

// TestMovedFileThatChanged holds that a move is believed to be one only where both answers say so.
func TestMovedFileThatChanged(t *testing.T) {
	seed := emulatortest.Seed()
	moved := emulatortest.Text(strings.Repeat("a line that stays as it is\n", 20))
	seed.PullRequests[0].Base.Tree, seed.PullRequests[0].Head.Tree = emulator.Tree{"old": moved}, emulator.Tree{"new": moved}
	instance := emulatortest.Start(t, seed, emulator.Options{})
	for changes, visible := range map[string]bool{`"changes":0`: true, `"changes":1`: false} {
		snapshot, err := facts.Read(context.Background(), clientFor(t, instance.URL, replaces("/pulls/12/files", 1, `"changes":0`, changes)), request())
		if err != nil {
			t.Fatal(err)
		}
		if got := snapshot.Facts.Content.Files[0].Visible; got != visible {
			t.Errorf("%s: visible %v", changes, got)
		}
	}
}

// TestResultsOfBelievedRunsOnly holds that beside a believed run no other's artifact counts, nor one of another name.
func TestResultsOfBelievedRunsOnly(t *testing.T) {
	snapshot, _ := read(t, emulator.Options{}, func(seed *emulator.Seed) {
		add := func(run int64, event string, artifact int64, name string, age time.Duration) {
			at := emulatortest.Now.Add(-age)
			seed.WorkflowRuns = append(seed.WorkflowRuns, &emulator.Run{ID: run, WorkflowID: emulatortest.WorkflowID, Event: event, Title: "airlock pr-review #12",
				Status: "completed", Conclusion: "success", CreatedAt: at})
			seed.Artifacts = append(seed.Artifacts, &emulator.Artifact{ID: artifact, Name: name, RunID: run, Zip: []byte("PK"), CreatedAt: at, ExpiresAt: emulatortest.Now.Add(time.Hour)})
		}
		add(16000000001, "pull_request_target", 5000000001, "airlock-result-pr-review-12-1", time.Hour)
		add(16000000002, "pull_request", 5000000002, "airlock-result-pr-review-12-1", time.Hour)
		add(16000000003, "schedule", 5000000003, "airlock-bundle-pr-review-12-1", time.Hour)
		add(16000000004, "schedule", 5000000004, "airlock-result-pr-review-12-1", 25*time.Hour)
	})
	results := snapshot.Facts.Records.Results
	if len(results) != 1 || results[0].ArtifactID != 5000000001 || results[0].WorkflowRunID != 16000000001 {
		t.Errorf("results %+v", results)
	}
}
