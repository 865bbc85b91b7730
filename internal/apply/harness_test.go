package apply

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/decide"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/schema"
	"github.com/seed-2ea642bd/airlock/internal/task"
)

// world is one emulated GitHub with the seed's pull request, and what the jobs of one workflow run pass on.
type world struct {
	*emulatortest.Instance
	t       testing.TB
	run     int64
	attempt int    // of the workflow run; 1 when zero
	action  string // of the event; "labeled" when empty
	// asks are variables of decide beside the usual ones.
	asks     map[string]string
	bundle   handedOn
	result   handedOn
	decision contract.Decision
	task     contract.Task
	// seen are the credentials that went over the wire in either direction.
	seen *credentials
	// transport and sleep are those of apply; context too.
	transport http.RoundTripper
	sleep     func(context.Context, time.Duration) error
	context   context.Context
	clock     func() time.Time
	// line is the way to GitHub of a world that is reached without a connection; nil for others.
	line *line
}

// handedOn is an artifact and what its job's outputs say.
type handedOn struct {
	id                int64
	zipDigest, digest string
}

// newWorld starts the seed, with the configuration a maintainer would commit.
func newWorld(t testing.TB, change func(*emulator.Seed)) *world {
	t.Helper()
	return newWorldWith(t, emulator.Options{}, change)
}

func newWorldWith(t testing.TB, options emulator.Options, change func(*emulator.Seed)) *world {
	t.Helper()
	seed := emulatortest.Seed()
	tree := emulator.Tree{}
	maps.Copy(tree, seed.Repository.Branches["main"].Tree)
	for name, edit := range map[string]func(map[string]any){
		"policy": func(p map[string]any) { p["maintainers"] = []int64{emulatortest.MaintainerID} },
		"apps": func(a map[string]any) {
			app := a["apps"].([]any)[0].(map[string]any)
			app["app_id"], app["bot_user_id"], app["installation_id"] = emulatortest.AppID, emulatortest.BotUserID, emulatortest.InstallationID
		},
		"harness": func(map[string]any) {},
	} {
		tree[".github/airlock/"+name+".json"] = emulator.File{Content: configured(t, "config/"+name+".json", edit)}
	}
	seed.Repository.Branches["main"] = emulator.Branch{Tree: tree}
	if change != nil {
		change(&seed)
	}
	w := &world{Instance: emulatortest.Start(t, seed, options), t: t, run: emulatortest.RunID, seen: &credentials{}, sleep: noWait, context: context.Background()}
	w.transport, w.clock = w.seen.watching(http.DefaultTransport), w.Now
	return w
}

// override edits a file of the repository's configuration in a seed.
func override(t testing.TB, seed *emulator.Seed, name, embedded string, edit func(map[string]any)) {
	t.Helper()
	tree := seed.Repository.Branches["main"].Tree
	path := ".github/airlock/" + name
	data := tree[path].Content
	if data == nil {
		data = read(t, embedded)
	}
	tree[path] = emulator.File{Content: edited(t, data, edit)}
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := airlock.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func configured(t testing.TB, name string, edit func(map[string]any)) []byte {
	t.Helper()
	return edited(t, read(t, name), edit)
}

func edited(t testing.TB, data []byte, edit func(map[string]any)) []byte {
	t.Helper()
	var document map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		t.Fatal(err)
	}
	edit(document)
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// noWait moves no clock and waits for nothing.
func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// credentials collects what must be in no output.
type credentials struct {
	mutex sync.Mutex
	list  []string
}

func (c *credentials) add(values ...string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.list = append(c.list, values...)
}

// watching notes the credential of every request and of every answer to a mint.
func (c *credentials) watching(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(request *http.Request) (*http.Response, error) {
		_, value, _ := strings.Cut(request.Header.Get("Authorization"), " ")
		if value != "" {
			c.add(value)
		}
		answer, err := next.RoundTrip(request)
		if err != nil || !strings.HasSuffix(request.URL.Path, "/access_tokens") {
			return answer, err
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return nil, err
		}
		answer.Body = io.NopCloser(bytes.NewReader(body))
		var minted struct {
			Token string `json:"token"`
		}
		if json.Unmarshal(body, &minted) == nil && minted.Token != "" {
			c.add(minted.Token)
		}
		return answer, nil
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func (w *world) environment() map[string]string {
	folder := w.t.TempDir()
	for _, name := range []string{"output", "summary"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
	token, err := w.MintJobToken(emulator.JobToken{RunID: w.run, Permissions: map[string]string{
		"actions": "read", "checks": "read", "contents": "read", "issues": "read", "pull_requests": "read"}})
	if err != nil {
		w.t.Fatal(err)
	}
	return map[string]string{"GITHUB_TOKEN": token, "GITHUB_API_URL": w.URL, "GITHUB_GRAPHQL_URL": w.URL + "/graphql",
		"GITHUB_REPOSITORY": emulatortest.Owner + "/" + emulatortest.Name, "GITHUB_REPOSITORY_ID": strconv.Itoa(emulatortest.RepositoryID),
		"GITHUB_RUN_ID": strconv.FormatInt(w.run, 10), "GITHUB_RUN_ATTEMPT": strconv.Itoa(max(w.attempt, 1)), "GITHUB_EVENT_NAME": "pull_request_target",
		"GITHUB_WORKFLOW_REF": "example-org/ledger/.github/workflows/review.yml@refs/heads/main",
		"GITHUB_OUTPUT":       filepath.Join(folder, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(folder, "summary")}
}

// decide runs the first program and uploads its bundle.
func (w *world) decide() {
	w.t.Helper()
	env := w.environment()
	maps.Copy(env, w.asks)
	env["GITHUB_EVENT_PATH"] = filepath.Join(w.t.TempDir(), "event.json")
	action := w.action
	if action == "" {
		action = "labeled"
	}
	payload := `{"action":"` + action + `","number":12,"pull_request":{"number":12},"repository":{"id":701002003,"full_name":"example-org/ledger"},"sender":{"id":1000001,"login":"maintainer","type":"User"}}`
	if err := os.WriteFile(env["GITHUB_EVENT_PATH"], []byte(payload), 0o600); err != nil {
		w.t.Fatal(err)
	}
	env["AIRLOCK_BUNDLE"] = filepath.Join(w.t.TempDir(), "bundle")
	var log bytes.Buffer
	transport := http.DefaultTransport
	if w.line != nil {
		transport = w.line
	}
	code := decide.Program(context.Background(), decide.Environment{Env: env, Clock: w.Now, Transport: transport, Sleep: noWait, Stdout: &log, Stderr: &log})
	if code != 0 {
		w.t.Fatalf("decide ended with %d:\n%s", code, log.String())
	}
	files := map[string][]byte{}
	for _, name := range bundle.Names() {
		data, err := os.ReadFile(filepath.Join(env["AIRLOCK_BUNDLE"], name))
		if err != nil {
			w.t.Fatal(err)
		}
		files[name] = data
	}
	w.handBundle(files)
}

// handBundle uploads a bundle as decide's, and takes it for this world's.
func (w *world) handBundle(files map[string][]byte) {
	w.t.Helper()
	digest := contract.Digest(files[bundle.DecisionFile])
	opened, err := bundle.Open(files, digest)
	if err != nil {
		w.t.Fatal(err)
	}
	w.decision, w.result = opened.Decision, handedOn{}
	w.bundle = w.upload("airlock-bundle", files, digest)
	if opened.Decision.Admitted {
		if w.task, err = task.Build(task.Input{Decision: opened.Decision, Facts: opened.Facts, Role: opened.Role, Policy: opened.Policy,
			Apps: opened.Apps, Harness: opened.Harness, Diff: bytes.NewReader(opened.Diff)}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// admit runs decide and holds that it admits.
func (w *world) admit() {
	w.t.Helper()
	if w.decide(); !w.decision.Admitted {
		w.t.Fatalf("not admitted: %v", w.decision.Reasons)
	}
}

func (w *world) upload(name string, files map[string][]byte, digest string) handedOn {
	w.t.Helper()
	return w.uploadZip(w.run, name, zipped(w.t, files), digest)
}

func (w *world) uploadZip(run int64, name string, archive []byte, digest string) handedOn {
	w.t.Helper()
	artifact, err := w.UploadArtifact(run, name+"-"+strconv.Itoa(len(w.State(w.t).Artifacts)), archive)
	if err != nil {
		w.t.Fatal(err)
	}
	return handedOn{artifact.ID, strings.TrimPrefix(artifact.Digest, "sha256:"), strings.TrimPrefix(digest, "sha256:")}
}

func zipped(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file, err := writer.Create(name)
		if err == nil {
			_, err = file.Write(files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}

// answer makes the Result that run would have written for this answer, and uploads it.
func (w *world) answer(a contract.Answer) {
	w.t.Helper()
	w.handOn(w.resultOf(a))
}

func (w *world) resultOf(a contract.Answer) contract.Result {
	w.t.Helper()
	digest, err := contract.DigestOf(w.task)
	if err != nil {
		w.t.Fatal(err)
	}
	return contract.Result{Schema: "result/1", Run: w.decision.Run, Release: w.decision.Release, Task: digest, Answer: a,
		Engine: contract.Engine{Credential: "direct", Mode: contract.ModeReplay, Model: "replay", Name: "replay", Sandbox: "off"}, Usage: contract.Usage{Complete: true}}
}

func (w *world) handOn(result contract.Result) {
	w.t.Helper()
	data, err := contract.Canonical(result)
	if err != nil {
		w.t.Fatal(err)
	}
	w.result = w.upload("airlock-result", map[string][]byte{resultFile: data}, contract.Digest(data))
}

// ended is what apply left.
type ended struct {
	code    int
	applied contract.Applied
	outcome contract.Outcome
	log     string
	summary string
	// records says whether the two records are there.
	records bool
	// calls are those of this execution.
	calls []emulator.Call
	// attempt is the workflow run's, tokens how many there were before, undelivered how many exchanges GitHub never heard of.
	attempt, tokens, undelivered int
}

// applyEnvironment is what the apply job is given.
func (w *world) applyEnvironment() map[string]string {
	env := w.environment()
	env["AIRLOCK_APP_PRIVATE_KEY"] = emulatortest.KeyPEM()
	env["AIRLOCK_BUNDLE_ARTIFACT_ID"], env["AIRLOCK_BUNDLE_ARTIFACT_DIGEST"] = strconv.FormatInt(w.bundle.id, 10), w.bundle.zipDigest
	env["AIRLOCK_DECISION_SHA256"] = w.bundle.digest
	if w.result.id != 0 {
		env["AIRLOCK_RESULT_ARTIFACT_ID"], env["AIRLOCK_RESULT_ARTIFACT_DIGEST"] = strconv.FormatInt(w.result.id, 10), w.result.zipDigest
		env["AIRLOCK_RESULT_SHA256"] = w.result.digest
	}
	env["AIRLOCK_OUT"] = filepath.Join(w.t.TempDir(), "out")
	return env
}

// apply runs the program that writes; change edits its environment. Whatever happens, it holds that the records are both
// there or both not, that they are of their schemas, and that nothing that leaves holds a credential.
func (w *world) apply(change func(map[string]string)) ended {
	w.t.Helper()
	env := w.applyEnvironment()
	if change != nil {
		change(env)
	}
	before := w.State(w.t)
	undelivered := 0
	if w.line != nil {
		undelivered = w.line.undelivered
	}
	var log bytes.Buffer
	e := ended{code: Program(w.context, Environment{Env: maps.Clone(env), Clock: w.clock, Transport: w.transport, Sleep: w.sleep, Stderr: &log})}
	e.log, e.calls, e.tokens = log.String(), w.State(w.t).Calls[len(before.Calls):], len(before.Tokens)
	if w.line != nil {
		e.undelivered = w.line.undelivered - undelivered
	}
	e.attempt, _ = strconv.Atoi(env["GITHUB_RUN_ATTEMPT"]) // what is no number is the program's to refuse
	leaves := log.Bytes()
	for name, record := range map[string]any{appliedFile: &e.applied, outcomeFile: &e.outcome} {
		data, err := os.ReadFile(filepath.Join(env["AIRLOCK_OUT"], name))
		if err != nil && e.code == exitMessage {
			continue
		}
		if err != nil {
			w.t.Fatalf("%v\n%s", err, e.log)
		}
		e.records = true
		if err := contract.Decode(data, record); err != nil {
			w.t.Fatal(err)
		}
		if err := schema.Validate(strings.TrimSuffix(name, ".json")+"/1", data); err != nil {
			w.t.Errorf("%s: %v\n%s", name, err, data)
		}
		leaves = append(leaves, data...)
	}
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		if data, err := os.ReadFile(env[name]); err == nil {
			leaves, e.summary = append(leaves, data...), string(data)
		}
	}
	w.seen.add(env["GITHUB_TOKEN"])
	for _, line := range strings.Split(env["AIRLOCK_APP_PRIVATE_KEY"], "\n") {
		if len(line) > 20 {
			w.seen.add(line)
		}
	}
	for _, credential := range w.seen.list {
		if credential != "" && bytes.Contains(leaves, []byte(credential)) {
			w.t.Errorf("a credential left the program:\n%s", leaves)
		}
	}
	return e
}

// writes lists the calls that change something, without the mint and the revocation.
func (e ended) writes() []string {
	list := []string{}
	for _, call := range e.calls {
		operation := call.Method + " " + call.Operation
		switch {
		case call.Method == http.MethodGet, strings.HasSuffix(operation, "/access_tokens"), strings.HasSuffix(operation, "/installation/token"):
		case strings.HasSuffix(operation, "/graphql") && !strings.Contains(call.Request, "mutation"):
		default:
			list = append(list, operation)
		}
	}
	return list
}

// Operations that change something.
const (
	postReview  = "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews"
	postReply   = "POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies"
	postCheck   = "POST /repos/{owner}/{repo}/check-runs"
	patchCheck  = "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}"
	postGraphQL = "POST /graphql"
)

// purposes lists what the tokens of the record were for.
func (e ended) purposes() []string {
	list := []string{}
	for _, token := range e.applied.Tokens {
		list = append(list, token.Purpose)
	}
	return list
}

func (e ended) conclusion() string {
	if e.outcome.Conclusion == nil {
		return ""
	}
	return *e.outcome.Conclusion
}

// states lists how the Effects ended.
func (e ended) states() []string {
	list := []string{}
	for _, effect := range e.applied.Effects {
		list = append(list, effect.State)
	}
	return list
}

// alive counts the installation tokens that are not revoked.
func (w *world) alive() int {
	count := 0
	for _, token := range w.State(w.t).Tokens {
		if token.Kind == "installation" && !token.Revoked {
			count++
		}
	}
	return count
}

// reviewsByUs counts what stands on the item.
func (w *world) reviewsByUs() int {
	count := 0
	state := w.State(w.t)
	for _, r := range state.Pull(emulatortest.Number).Reviews {
		if r.AuthorID == emulatortest.BotUserID {
			count++
		}
	}
	return count
}

// repliesByUs counts the comments of our App in threads that are not their first.
func (w *world) repliesByUs() int {
	count := 0
	state := w.State(w.t)
	for _, thread := range state.Pull(emulatortest.Number).Threads {
		for _, comment := range thread.Comments[1:] {
			if comment.AuthorID == emulatortest.BotUserID {
				count++
			}
		}
	}
	return count
}

// checks lists the conclusions of the checks on a commit in order.
func (w *world) checks(commit string) []string {
	list := []string{}
	for _, c := range w.State(w.t).CheckRuns {
		if c.HeadCommit == commit {
			list = append(list, c.Conclusion)
		}
	}
	return list
}

func unzipped(t testing.TB, archive []byte) map[string][]byte {
	t.Helper()
	reader, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, entry := range reader.File {
		file, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[entry.Name], err = io.ReadAll(file); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
