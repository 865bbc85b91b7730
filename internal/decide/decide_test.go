package decide_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/decide"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/release"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// job is one run of the program as its job would start it.
type job struct {
	*emulatortest.Instance
	env            map[string]string
	stdout, stderr bytes.Buffer
	transport      http.RoundTripper
}

// model reads a document of the data model.
func model(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "model", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// start plants the seed with a configuration, changes it, and prepares the environment of a labeled event.
func start(t *testing.T, change func(*emulator.Seed)) *job {
	t.Helper()
	seed := emulatortest.Seed()
	main := emulator.Tree{".github/airlock/policy.json": emulatortest.Text(model(t, "policy.json")), ".github/airlock/apps.json": emulatortest.Text(model(t, "apps.json"))}
	seed.Repository.Branches["main"] = emulator.Branch{Tree: main}
	if change != nil {
		change(&seed)
	}
	j := &job{Instance: emulatortest.Start(t, seed, emulator.Options{}), transport: http.DefaultTransport}
	directory := t.TempDir()
	j.env = map[string]string{
		"GITHUB_API_URL": j.URL, "GITHUB_GRAPHQL_URL": j.URL + "/graphql", "GITHUB_REPOSITORY": "example-org/ledger", "GITHUB_REPOSITORY_ID": "701002003",
		"GITHUB_RUN_ID": "17000000001", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_EVENT_NAME": "pull_request_target", "GITHUB_EVENT_PATH": filepath.Join(directory, "event.json"),
		"GITHUB_WORKFLOW_REF": "example-org/ledger/.github/workflows/review.yml@refs/heads/main", "GITHUB_OUTPUT": filepath.Join(directory, "output"),
		"GITHUB_STEP_SUMMARY": filepath.Join(directory, "summary"), "GITHUB_TOKEN": emulatortest.JobToken, "AIRLOCK_BUNDLE": filepath.Join(directory, "bundle"),
	}
	j.event(t, `{"action":"labeled","number":12,"pull_request":{"number":12},"sender":{"id":1000001},"repository":{"id":701002003}}`)
	return j
}

func (j *job) event(t *testing.T, payload string) {
	t.Helper()
	if err := os.WriteFile(j.env["GITHUB_EVENT_PATH"], []byte(payload), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (j *job) run() int {
	return decide.Program(context.Background(), decide.Environment{
		Env: j.env, Clock: func() time.Time { return emulatortest.Now.Add(8 * time.Second) }, Transport: j.transport,
		Sleep:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Stdout: &j.stdout, Stderr: &j.stderr,
	})
}

// outputs reads the runner's file of outputs: a name, a delimiter, a value, the delimiter.
func (j *job) outputs(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(j.env["GITHUB_OUTPUT"])
	if err != nil {
		t.Fatal(err)
	}
	outputs := map[string]string{}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines)%3 != 0 {
		t.Fatalf("outputs %q", lines)
	}
	for i := 0; i < len(lines); i += 3 {
		name, _, _ := strings.Cut(lines[i], "<<")
		outputs[name] = lines[i+1]
	}
	return outputs
}

// bundle reads the files that were handed on.
func (j *job) bundle(t *testing.T) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(j.env["AIRLOCK_BUNDLE"])
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(j.env["AIRLOCK_BUNDLE"], entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = data
	}
	return files
}

func (j *job) decision(t *testing.T) contract.Decision {
	t.Helper()
	var decision contract.Decision
	if err := contract.Decode(j.bundle(t)["decision.json"], &decision); err != nil {
		t.Fatal(err)
	}
	return decision
}

// TestDecideAdmits holds every field of an admitting Decision, the bundle it names, the outputs and the number of calls.
func TestDecideAdmits(t *testing.T) {
	j := start(t, nil)
	if code := j.run(); code != 0 {
		t.Fatalf("exit %d: %s", code, j.stderr.String())
	}
	files := j.bundle(t)
	current, err := release.Current()
	if err != nil {
		t.Fatal(err)
	}
	state := j.State(t)
	workflow := contract.Workflow{Attempt: 1, Path: ".github/workflows/review.yml", RunID: 17000000001}
	content := contract.Digest(files["diff.patch"])
	var facts contract.Facts
	if err := contract.Decode(files["facts.json"], &facts); err != nil {
		t.Fatal(err)
	}
	want := contract.Decision{
		Schema: "decision/1", Run: contract.RunID(701002003, contract.Item{Kind: "pull_request", Number: 12}, "pr-review", "review-change", content, workflow),
		Admitted: true, Reasons: []contract.Code{}, Role: "pr-review", Intent: "review-change", Item: contract.Item{Kind: "pull_request", Number: 12},
		Repository: contract.Repository{ID: 701002003, Name: "ledger", Owner: "example-org"}, Commit: "4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930",
		ContentID: content, BaseRef: untrusted.New("main"), ConfigCommit: state.Repository.Branches["main"].Commit,
		Asked: contract.Asked{Action: "labeled", Event: "pull_request_target", SenderID: 1000001}, Workflow: workflow,
		DecidedAt: contract.At(emulatortest.Now.Add(8 * time.Second)), Release: current, FilesDigest: facts.Content.FilesDigest,
		Inputs: contract.Inputs{Apps: contract.FileOf(files["apps.json"]), Diff: contract.FileOf(files["diff.patch"]), Facts: contract.FileOf(files["facts.json"]),
			Harness: contract.FileOf(files["harness.json"]), Manifest: contract.FileOf(files["role.json"]), Policy: contract.FileOf(files["policy.json"]),
			Prompt: contract.FileOf(files["prompt.md"])},
	}
	text := cmp.Comparer(func(a, b untrusted.Text) bool { return a == b })
	if difference := cmp.Diff(want, j.decision(t), text); difference != "" {
		t.Errorf("decision (-want +got):\n%s", difference)
	}
	if len(files) != 8 || string(files["policy.json"]) != model(t, "policy.json") || string(files["apps.json"]) != model(t, "apps.json") {
		t.Errorf("bundle of %d files", len(files))
	}
	if !bytes.HasPrefix(files["diff.patch"], []byte("diff --git a/internal/store/owner.go b/internal/store/owner.go\n")) {
		t.Errorf("diff %q", files["diff.patch"][:60])
	}
	wantOutputs := map[string]string{"admitted": "true", "report": "true", "run": want.Run, "role": "pr-review", "item": "12", "reason": "none",
		"decision-sha256": strings.TrimPrefix(contract.Digest(files["decision.json"]), "sha256:")}
	if difference := cmp.Diff(wantOutputs, j.outputs(t)); difference != "" {
		t.Errorf("outputs (-want +got):\n%s", difference)
	}
	rest, graphQL := 0, 0
	for _, call := range state.Calls {
		if call.Path == "/graphql" {
			graphQL++
		} else {
			rest++
		}
	}
	if rest != 9 || graphQL != 2 {
		t.Errorf("%d REST and %d GraphQL calls", rest, graphQL)
	}
	summary, err := os.ReadFile(j.env["GITHUB_STEP_SUMMARY"])
	if err != nil || !strings.HasPrefix(string(summary), "### airlock decide: pr-review, pull request 12: admitted\n") {
		t.Errorf("summary %q, error %v", summary, err)
	}
	if j.stdout.Len() != 0 || j.stderr.String() != "airlock decide: "+want.Run+" is admitted for review-change of pull request 12\n" {
		t.Errorf("stdout %q, stderr %q", j.stdout.String(), j.stderr.String())
	}
	for _, written := range append(slices.Collect(mapValues(files)), summary, j.stdout.Bytes(), j.stderr.Bytes()) {
		if bytes.Contains(written, []byte(emulatortest.JobToken)) {
			t.Error("the token was written")
		}
	}
}

func mapValues(files map[string][]byte) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for _, data := range files {
			if !yield(data) {
				return
			}
		}
	}
}

// TestDecideDoesNotAdmit holds what a Decision says of an item that is not admitted, and that the program ends well.
func TestDecideDoesNotAdmit(t *testing.T) {
	own := func(run int64) func(*emulator.Seed) {
		return func(seed *emulator.Seed) {
			seed.WorkflowRuns = append(seed.WorkflowRuns, &emulator.Run{ID: run, WorkflowID: emulatortest.WorkflowID, Title: "airlock pr-review #12",
				Status: "in_progress", ActorID: emulatortest.MaintainerID, CreatedAt: emulatortest.Now})
		}
	}
	tests := []struct {
		name    string
		change  func(*emulator.Seed)
		fault   *emulator.Fault
		reasons string
		report  string
	}{
		{"draft", func(s *emulator.Seed) { s.PullRequests[0].Draft = true }, nil, "item_draft", "true"},
		{"closed", func(s *emulator.Seed) { s.PullRequests[0].State = "closed" }, nil, "item_closed", "false"},
		{"locked and held", func(s *emulator.Seed) {
			s.PullRequests[0].Locked, s.PullRequests[0].Labels = true, []string{"airlock:approved", "airlock:hold"}
		}, nil, "item_held item_locked", "true"},
		{"not approved", func(s *emulator.Seed) { s.PullRequests[0].Events = nil }, nil, "author_needs_approval", "true"},
		{"approved before the last push", func(s *emulator.Seed) { s.PullRequests[0].Head.Repository.PushedAt = emulatortest.Now }, nil, "author_needs_approval", "true"},
		{"another run in flight", own(16999999999), nil, "run_in_flight", "false"},
		{"a later run in flight", own(17000000009), nil, "", "true"},
		{"records unreadable", nil, &emulator.Fault{Kind: "error-500-not-done", Match: "GET /repos/{owner}/{repo}/actions/workflows/{id}/runs", Times: 3}, "facts_incomplete", "true"},
		{"files unreadable", nil, &emulator.Fault{Kind: "truncated-json", Match: "GET /repos/{owner}/{repo}/pulls/{number}/files", Times: 3}, "facts_incomplete content_not_text", "true"},
		{"conversation unreadable", nil, &emulator.Fault{Kind: "bad-gateway-not-done", Match: "POST /graphql Conversation", Times: 3}, "facts_incomplete", "true"},
		{"no diff", func(s *emulator.Seed) { s.PullRequests[0].Head.Tree = s.PullRequests[0].Base.Tree }, nil, "content_absent", "true"},
		{"diff refused", nil, &emulator.Fault{Kind: "diff-too-large", Match: "GET /repos/{owner}/{repo}/pulls/{number}", Nth: 2}, "content_too_large", "true"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			j := start(t, test.change)
			if test.fault != nil {
				if err := j.Inject(*test.fault); err != nil {
					t.Fatal(err)
				}
			}
			if code := j.run(); code != 0 {
				t.Fatalf("exit %d: %s", code, j.stderr.String())
			}
			decision, outputs := j.decision(t), j.outputs(t)
			if got := strings.Trim(fmt.Sprint(decision.Reasons), "[]"); got != test.reasons {
				t.Errorf("reasons %s, want %s", got, test.reasons)
			}
			first, _, _ := strings.Cut(test.reasons, " ")
			if first == "" {
				first = "none"
			}
			if outputs["admitted"] != fmt.Sprint(test.reasons == "") || outputs["report"] != test.report || outputs["reason"] != first {
				t.Errorf("outputs %v", outputs)
			}
			if len(j.bundle(t)) != 8 {
				t.Errorf("bundle of %d files", len(j.bundle(t)))
			}
			if first == "facts_incomplete" && !strings.Contains(j.stderr.String(), "airlock decide: facts_incomplete: part ") {
				t.Errorf("stderr %q", j.stderr.String())
			}
		})
	}
}

// TestDecideAgain holds that a dispatch names its item and may ask again.
func TestDecideAgain(t *testing.T) {
	j := start(t, nil)
	j.env["GITHUB_EVENT_NAME"], j.env["AIRLOCK_NUMBER"], j.env["AIRLOCK_AGAIN"] = "workflow_dispatch", "12", "true"
	j.event(t, `{"inputs":{"number":"12","again":"true"},"sender":{"id":1000001},"repository":{"id":701002003}}`)
	if code := j.run(); code != 0 {
		t.Fatalf("exit %d: %s", code, j.stderr.String())
	}
	if got, want := j.decision(t).Asked, (contract.Asked{Again: true, Event: "workflow_dispatch", SenderID: 1000001}); got != want {
		t.Errorf("asked %+v, want %+v", got, want)
	}
}

// TestDecideBadInput holds that what cannot be used gives one message with its code and an exit code, and nothing written.
func TestDecideBadInput(t *testing.T) {
	payload := func(change func(map[string]any)) string {
		event := map[string]any{"action": "labeled", "pull_request": map[string]any{"number": 12}, "sender": map[string]any{"id": 1000001}, "repository": map[string]any{"id": 701002003}}
		change(event)
		data, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	set := func(name, value string) func(*testing.T, *job) {
		return func(_ *testing.T, j *job) { j.env[name] = value }
	}
	event := func(change func(map[string]any)) func(*testing.T, *job) {
		return func(t *testing.T, j *job) { j.event(t, payload(change)) }
	}
	raw := func(text string) func(*testing.T, *job) { return func(t *testing.T, j *job) { j.event(t, text) } }
	fault := func(kind, match string) func(*testing.T, *job) {
		return func(t *testing.T, j *job) {
			if err := j.Inject(emulator.Fault{Kind: kind, Match: match, Times: 9}); err != nil {
				t.Fatal(err)
			}
		}
	}
	configuration := func(name, content string) func(*testing.T, *job) {
		return func(t *testing.T, j *job) {
			tree := emulator.Tree{".github/airlock/policy.json": emulatortest.Text(model(t, "policy.json")), ".github/airlock/apps.json": emulatortest.Text(model(t, "apps.json"))}
			tree[".github/airlock/"+name] = emulatortest.Text(content)
			if _, err := j.SetBranch(emulator.BranchAct{Name: "main", Tree: tree}); err != nil {
				t.Fatal(err)
			}
		}
	}
	const pull = "GET /repos/{owner}/{repo}/pulls/{number}"
	tests := []struct {
		name   string
		change func(*testing.T, *job)
		exit   int
		begins string
	}{
		{"no API address", set("GITHUB_API_URL", ""), 2, "environment_missing: GITHUB_API_URL is not set; "},
		{"no bundle", set("AIRLOCK_BUNDLE", ""), 2, "environment_missing: AIRLOCK_BUNDLE is not set; "},
		{"no token", set("GITHUB_TOKEN", ""), 2, "credential_missing: GITHUB_TOKEN is empty; "},
		{"an API address in clear", set("GITHUB_API_URL", "http://api.github.com"), 2, "usage: GITHUB_API_URL or GITHUB_GRAPHQL_URL cannot be used; "},
		{"a run id of letters", set("GITHUB_RUN_ID", "x"), 2, "usage: GITHUB_RUN_ID is not a positive integer; "},
		{"a repository without an owner", set("GITHUB_REPOSITORY", "ledger"), 2, "usage: GITHUB_REPOSITORY is not owner/name; "},
		{"a workflow without a file", set("GITHUB_WORKFLOW_REF", "x"), 2, "usage: GITHUB_WORKFLOW_REF names no workflow file; "},
		{"a role that climbs", set("AIRLOCK_ROLE", "../x"), 2, "usage: AIRLOCK_ROLE is not a name; "},
		{"a role that does not exist", set("AIRLOCK_ROLE", "pr-revue"), 2, "configuration_invalid: the configuration cannot be used; "},
		{"again, maybe", set("AIRLOCK_AGAIN", "yes"), 2, `usage: AIRLOCK_AGAIN is neither "true" nor "false"; `},
		{"again on a label", set("AIRLOCK_AGAIN", "true"), 2, "event_unusable: AIRLOCK_AGAIN is set on a pull_request_target event; "},
		{"a number below one", set("AIRLOCK_NUMBER", "0"), 2, "event_unusable: AIRLOCK_NUMBER is not a positive integer; "},
		{"another number", set("AIRLOCK_NUMBER", "13"), 2, "event_unusable: AIRLOCK_NUMBER is not the pull request of the event; "},
		{"another event", set("GITHUB_EVENT_NAME", "push"), 2, "event_unusable: GITHUB_EVENT_NAME is not "},
		{"a dispatch without a number", set("GITHUB_EVENT_NAME", "workflow_dispatch"), 2, "event_unusable: AIRLOCK_NUMBER is not set; "},
		{"no payload", set("GITHUB_EVENT_PATH", "/nonexistent"), 2, "event_unusable: the file of GITHUB_EVENT_PATH cannot be read; "},
		{"a payload that is a pipe", func(t *testing.T, j *job) {
			j.env["GITHUB_EVENT_PATH"] += ".pipe"
			if err := syscall.Mkfifo(j.env["GITHUB_EVENT_PATH"], 0o600); err != nil {
				t.Fatal(err)
			}
		}, 2, "event_unusable: the file of GITHUB_EVENT_PATH cannot be read; "},
		{"a payload that is not JSON", raw("{"), 2, "event_unusable: the file of GITHUB_EVENT_PATH is not the payload of an event; "},
		{"a payload that is a list", raw("[]"), 2, "event_unusable: the file of GITHUB_EVENT_PATH is not the payload of an event; "},
		{"a payload too large", raw(`{"x":"` + strings.Repeat("x", 33<<20) + `"}`), 2, "event_unusable: the file of GITHUB_EVENT_PATH cannot be read; "},
		{"no sender", event(func(e map[string]any) { delete(e, "sender") }), 2, "event_unusable: the event has no sender; "},
		{"another repository", event(func(e map[string]any) { e["repository"] = map[string]any{"id": 7} }), 2, "event_unusable: the event is of another repository; "},
		{"no pull request", event(func(e map[string]any) { delete(e, "pull_request") }), 2, "event_unusable: the event names no pull request; "},
		{"a number that is text", event(func(e map[string]any) { e["pull_request"] = map[string]any{"number": "12"} }), 2, "event_unusable: the file of GITHUB_EVENT_PATH is not the payload of an event; "},
		{"an edit of the title", event(func(e map[string]any) {
			e["action"], e["changes"] = "edited", map[string]any{"title": map[string]any{"from": "x"}}
		}), 2, "event_unusable: the event edits a title or a text; "},
		{"an action that is not one", event(func(e map[string]any) { e["action"] = "a\nb" }), 2, "event_unusable: the event's action is not the name of one; "},
		{"a pull request that is not there", event(func(e map[string]any) { e["pull_request"] = map[string]any{"number": 99} }), 2, "event_unusable: there is no such pull request; "},
		{"a policy that is not one", configuration("policy.json", "{}"), 2, "configuration_invalid: the configuration cannot be used; .github/airlock/policy.json: "},
		{"a policy that is not JSON", configuration("policy.json", "{"), 2, "configuration_invalid: the configuration cannot be used; .github/airlock/policy.json: "},
		{"a policy too large", configuration("policy.json", strings.Repeat(" ", 1<<20+2)), 1, "platform_error: the facts could not be read; "},
		{"the App's numbers left out", configuration("apps.json", strings.ReplaceAll(model(t, "apps.json"), "900001", "0")), 2, "configuration_invalid: "},
		{"the pull request unreadable", fault("error-500-not-done", pull), 1, "platform_error: the facts could not be read; "},
		{"no permission", fault("lag-403", pull), 1, "permission_denied: the facts could not be read; "},
		{"a token that ended", fault("lag-401", pull), 1, "permission_denied: the facts could not be read; "},
		{"a rate limit", fault("limit-429-retry-after", pull), 1, "rate_limited: the facts could not be read; "},
		{"a renamed repository", fault("moved-301", pull), 1, "platform_error: the facts could not be read; "},
		{"the configuration unreadable", fault("bad-gateway-not-done", "GET /repos/{owner}/{repo}/contents/.github/airlock"), 1, "platform_error: the facts could not be read; "},
		{"outputs that cannot be written", func(t *testing.T, j *job) { j.env["GITHUB_OUTPUT"] = t.TempDir() }, 1, "output_failed: could not write output admitted; "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			j := start(t, nil)
			test.change(t, j)
			exit := j.run()
			lines := strings.Split(strings.TrimSuffix(j.stderr.String(), "\n"), "\n")
			if exit != test.exit || len(lines) != 1 || !strings.HasPrefix(lines[0], "airlock decide: "+test.begins) {
				t.Errorf("exit %d, want %d:\n%s\nwant %s", exit, test.exit, j.stderr.String(), test.begins)
			}
			if strings.Count(lines[0], "; ") < 2 {
				t.Errorf("the message does not say what, why and what next: %s", lines[0])
			}
			if strings.HasPrefix(test.begins, "output_failed") {
				return
			}
			if j.env["AIRLOCK_BUNDLE"] != "" {
				if _, err := os.Stat(j.env["AIRLOCK_BUNDLE"]); !os.IsNotExist(err) {
					t.Errorf("the bundle is there: %v", err)
				}
			}
			if _, err := os.Stat(j.env["GITHUB_OUTPUT"]); !os.IsNotExist(err) {
				t.Errorf("outputs are there: %v", err)
			}
		})
	}
}

// TestBundleIsWholeOrNotThere holds that a bundle is not mixed with what is in its place already.
func TestBundleIsWholeOrNotThere(t *testing.T) {
	j := start(t, nil)
	if err := os.MkdirAll(j.env["AIRLOCK_BUNDLE"], 0o755); err != nil {
		t.Fatal(err)
	}
	if code := j.run(); code != 0 {
		t.Fatalf("into an empty directory: exit %d: %s", code, j.stderr.String())
	}
	before := j.bundle(t)
	j.env["GITHUB_OUTPUT"] += "2"
	j.stderr.Reset()
	if code := j.run(); code != 1 || !strings.HasPrefix(j.stderr.String(), "airlock decide: output_failed: the bundle could not be written to AIRLOCK_BUNDLE; ") {
		t.Errorf("into a full one: exit %d: %s", code, j.stderr.String())
	}
	if difference := cmp.Diff(before, j.bundle(t)); difference != "" {
		t.Errorf("the bundle changed:\n%s", difference)
	}
	entries, err := os.ReadDir(filepath.Dir(j.env["AIRLOCK_BUNDLE"]))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".airlock") {
			t.Errorf("%s was left", entry.Name())
		}
	}
	if _, err := os.Stat(j.env["GITHUB_OUTPUT"]); !os.IsNotExist(err) {
		t.Errorf("outputs are there: %v", err)
	}
}
