package emulator_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// TestControl plays a scenario by HTTP, and then reads it from the state.
func TestControl(t *testing.T) {
	instance, job := start(t, nil, emulator.Options{})
	postReview(t, mint(t, job.url, `{"pull_requests":"write"}`))
	person := client{t: t, url: job.url}
	before := len(instance.State(t).Calls)
	steps := []struct{ path, body, want string }{
		{"clock", `{"seconds":60}`, `{"now":"2026-11-30T10:06:03Z"}`},
		{"push", `{"number":12,"commit":"b7e9d2a4c6f80123456789abcdef0123456789ab","tree":{"a.txt":"one\n","b":{"base64":"AAE=","mode":"100755"}}}`, `{"commit":"b7e9d2a4c6f80123456789abcdef0123456789ab"}`},
		{"label", `{"number":12,"actor_id":1000001,"label":"airlock:hold"}`, `{"done":true}`},
		{"label", `{"number":12,"actor_id":1000001,"label":"airlock:approved","remove":true}`, `{"done":true}`},
		{"comment", `{"number":12,"actor_id":2000002,"body":"hi"}`, `{"id":9002}`},
		{"reply", `{"number":12,"actor_id":2000002,"body":"fixed","comment_id":61001}`, `{"id":61005}`},
		{"review", `{"number":12,"actor_id":1000001,"body":"ok","comments":[{"path":"a.txt","line":1,"body":"here"}]}`, `{"id":51003}`},
		{"edit", `{"number":12,"comment_id":9002,"body":"a\nb"}`, `{"done":true}`},
		{"delete", `{"number":12,"actor_id":1000001,"line_comment_id":61005}`, `{"done":true}`},
		{"resolve", `{"number":12,"actor_id":1000001,"comment_id":61001}`, `{"done":true}`},
		{"retarget", `{"number":12,"actor_id":2000002,"ref":"release"}`, `{"done":true}`},
		{"close", `{"number":12,"actor_id":2000002}`, `{"done":true}`},
		{"workflow_run", `{"title":"airlock pr-review #12","status":"in_progress"}`, `{"id":17000000002}`},
		{"workflow_run", `{"id":17000000002,"status":"completed","conclusion":"success"}`, `{"id":17000000002}`},
		{"artifacts?run_id=17000000002&name=x", `bytes`, `{"digest":"277089d91c0bdf4f2e6862ba7e4a07605119431f5d13f726dd352b06f1b206a9","id":5000000001}`},
		{"branch", `{"name":"main","commit":"aa11bb22cc33dd44ee55ff66aa77bb88cc99dd00","tree":{"x":"y"}}`, `{"commit":"aa11bb22cc33dd44ee55ff66aa77bb88cc99dd00"}`},
		{"pull_request", `{"number":13,"author_id":2000002,"title":"Sibling","base":{"ref":"main"},"head":{"ref":"other","tree":{"z":"z"}}}`, `{"done":true}`},
		{"state", `{"number":13,"actor_id":1000001,"to":"draft"}`, `{"done":true}`},
		{"faults", `{"kind":"error-500-done","call":7}`, `{"done":true}`},
		{"job_token", `{"token":"ghs_x","run_id":17000000001,"permissions":{"contents":"read"}}`, `{"token":"ghs_x"}`},
		{"release", `{"gate":"g"}`, `{"done":true}`},
	}
	for _, step := range steps {
		if given := person.do("POST", "/_emulator/"+step.path, step.body); given.status != 200 || strings.TrimSpace(given.text) != step.want {
			t.Errorf("%s: %d %s, want %s", step.path, given.status, given.text, step.want)
		}
	}
	for path, body := range map[string]string{"push": `{"number":99,"actor_id":1000001,"tree":{}}`, "nothing": `{}`, "label": `{"number":12,"who":1}`, "edit": `{"number":12,"review_id":1,"body":""}`,
		"delete": `{"number":12,"actor_id":2000002,"line_comment_id":61001}`, "state": `{"number":12,"actor_id":1000001,"to":"sideways"}`, "retarget": `{"number":12,"actor_id":1000001,"ref":"none"}`, "artifacts?run_id=1&name=x": "b", "faults": `{"kind":"none"}`, "resolve": `{"number":12,"actor_id":1000001,"comment_id":1}`, "close": `{"number":12,"actor_id":77}`} {
		if given := person.do("POST", "/_emulator/"+path, body); given.status != 400 {
			t.Errorf("%s %s: %d, want 400", path, body, given.status)
		}
	}
	if given := person.get("/_emulator/artifacts/5000000001"); given.text != "bytes" {
		t.Errorf("artifact: %q", given.text)
	}
	document := person.get("/_emulator/state").text
	var state emulator.State
	if err := json.Unmarshal([]byte(document), &state); err != nil {
		t.Fatal(err)
	}
	pull := state.Pull(12)
	if pull.State != "closed" || pull.Base.Ref != "release" || strings.Join(pull.Labels, " ") != "airlock:hold" || !pull.Threads[0].Resolved || pull.Comments[1].Body != "a\r\nb" {
		t.Errorf("%+v", pull)
	}
	if len(state.Calls) != before {
		t.Errorf("control calls were counted: %d calls, want %d", len(state.Calls), before)
	}
	if len(state.Faults) != 1 || len(state.PullRequests) != 2 || state.Repository.Branches["main"].Commit != "aa11bb22cc33dd44ee55ff66aa77bb88cc99dd00" {
		t.Errorf("%+v", state.Faults)
	}
	if strings.Contains(document, "ghs_") {
		t.Error("the state holds a token")
	}
	person.do("DELETE", "/_emulator/faults", "")
	if left := instance.State(t).Faults; len(left) != 0 {
		t.Errorf("faults left: %v", left)
	}
	if given := person.get("/_emulator/faults"); !strings.Contains(given.text, `"name":"killed-before"`) {
		t.Errorf("%s", given.text)
	}
}

func TestSeedFile(t *testing.T) {
	seed := emulatortest.Seed()
	document, err := json.Marshal(seed)
	if err != nil {
		t.Fatal(err)
	}
	again, err := emulator.ReadSeed(document)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := emulator.New(again, emulator.Options{}); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		change func(*emulator.Seed)
		want   string
	}{
		"no clock":              {func(seed *emulator.Seed) { seed.Now = nil }, "now: missing"},
		"default branch":        {func(seed *emulator.Seed) { seed.Repository.DefaultBranch = "trunk" }, `default branch "trunk" is missing`},
		"user twice":            {func(seed *emulator.Seed) { seed.Users[1].ID = emulatortest.OrganizationID }, "users[1]: id"},
		"bot's login":           {func(seed *emulator.Seed) { seed.Users[3].Login = "pr-review" }, "users[3]: login"},
		"App's bot":             {func(seed *emulator.Seed) { seed.Apps[0].BotUserID = emulatortest.MaintainerID }, "apps[0]: bot_user_id"},
		"App's key":             {func(seed *emulator.Seed) { seed.Apps[0].PublicKey = "x" }, "apps[0]: public_key"},
		"App's permission":      {func(seed *emulator.Seed) { seed.Apps[0].Permissions["pull-requests"] = "write" }, "pull-requests"},
		"token's run":           {func(seed *emulator.Seed) { seed.JobTokens[0].RunID = 1 }, "job_tokens[0]"},
		"base branch":           {func(seed *emulator.Seed) { seed.PullRequests[0].Base.Ref = "none" }, `no branch "none"`},
		"commit's form":         {func(seed *emulator.Seed) { seed.PullRequests[0].Head.Commit = "abc" }, "40 lower-case"},
		"commit with two trees": {func(seed *emulator.Seed) { seed.PullRequests[0].Head.Commit = seed.PullRequests[0].Base.Commit }, "names two trees"},
		"run's workflow":        {func(seed *emulator.Seed) { seed.WorkflowRuns[0].WorkflowID = 1 }, "workflow_runs[0]"},
		"artifact's run":        {func(seed *emulator.Seed) { seed.Artifacts = []*emulator.Artifact{{RunID: 1}} }, "artifacts[0]"},
		"check's commit":        {func(seed *emulator.Seed) { seed.CheckRuns = []*emulator.CheckRun{{HeadCommit: "x"}} }, "check_runs[0]"},
		"unknown labeller":      {func(seed *emulator.Seed) { seed.PullRequests[0].Events[0].ActorID = 1 }, "events[0]: actor_id"},
		"thread off the diff":   {func(seed *emulator.Seed) { seed.PullRequests[0].Threads = thread(1, 0, 0) }, "threads[0]: line: 1 is not in the diff"},
		"thread without a line": {func(seed *emulator.Seed) { seed.PullRequests[0].Threads = thread(0, 0, 0) }, "original_line"},
		"thread's review":       {func(seed *emulator.Seed) { seed.PullRequests[0].Threads = thread(10, 0, 5) }, "comments[0]: review_id"},
		"empty thread":          {func(seed *emulator.Seed) { seed.PullRequests[0].Threads = []*emulator.Thread{{Path: "x"}} }, "threads[0]"},
	} {
		seed := emulatortest.Seed()
		c.change(&seed)
		if _, err := emulator.New(seed, emulator.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
	for _, document := range []string{`{"repo":{}}`, `{} {}`, `{"repository":{"branches":{"main":{"tree":{"a":{"mode":"100644"}}}}}}`, `{"repository":{"branches":{"main":{"tree":{"a":{"text":"","mode":"644"}}}}}}`} {
		if _, err := emulator.ReadSeed([]byte(document)); err == nil {
			t.Errorf("%s was read", document)
		}
	}
}

// thread is a thread on a line of the seed's change, 0 for none, whose comment is of a review, 0 for one of its own.
func thread(line, original int, review int64) []*emulator.Thread {
	made := &emulator.Thread{Path: "internal/store/query.go", OriginalLine: original, Comments: []*emulator.LineComment{{AuthorID: emulatortest.ContributorID, Body: "b", ReviewID: review}}}
	if line > 0 {
		made.Line = &line
	}
	return []*emulator.Thread{made}
}

func TestSeededThreads(t *testing.T) {
	instance, job := start(t, func(seed *emulator.Seed) {
		seed.PullRequests[0].Threads = append(thread(10, 0, 0), thread(0, 7, 0)...)
	}, emulator.Options{})
	if got := strings.Join(placesOf(instance.State(t).Pull(12)), ", "); got != "query.go RIGHT --10 was 10, query.go RIGHT --- was 7" {
		t.Errorf("%s", got)
	}
	if comments := job.get(repo + "/pulls/12/comments").list(t); len(comments) != 2 || !strings.HasPrefix(comments[0]["diff_hunk"].(string), "@@ -7,7 +7,7 @@ package store\n") {
		t.Errorf("%v", comments)
	}
	if reviews := job.get(repo + "/pulls/12/reviews").list(t); len(reviews) != 2 {
		t.Errorf("%d reviews", len(reviews))
	}
}

func TestServersOfOneSeedAreApart(t *testing.T) {
	seed := emulatortest.Seed()
	one, err := emulator.New(seed, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Close(12, emulatortest.MaintainerID); err != nil {
		t.Fatal(err)
	}
	if seed.PullRequests[0].State != "" {
		t.Errorf("the seed changed: %q", seed.PullRequests[0].State)
	}
}

func TestServe(t *testing.T) {
	seed := emulatortest.Seed()
	seed.Now = nil
	server, err := emulator.New(seed, emulator.Options{Now: func() time.Time { return emulatortest.Now.Add(123 * time.Millisecond) }})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	response, err := http.Get("http://" + listener.Addr().String() + "/_emulator/state")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 200 {
		t.Errorf("%d", response.StatusCode)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
