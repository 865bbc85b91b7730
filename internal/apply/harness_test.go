package apply

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/decide"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/task"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// world is one emulated GitHub with the seed's pull request, and what the jobs of one workflow run pass on.
type world struct {
	*emulatortest.Instance
	t        *testing.T
	run      int64
	bundle   handedOn
	result   handedOn
	decision contract.Decision
	task     contract.Task
	log      bytes.Buffer
}

// handedOn is an artifact and what its job's outputs say.
type handedOn struct {
	id                int64
	zipDigest, digest string
}

// newWorld starts the seed, with the configuration a maintainer would commit.
func newWorld(t *testing.T, change func(*emulator.Seed)) *world {
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
		tree[".github/airlock/"+name+".json"] = emulator.File{Content: configured(t, name, edit)}
	}
	seed.Repository.Branches["main"] = emulator.Branch{Tree: tree}
	if change != nil {
		change(&seed)
	}
	return &world{Instance: emulatortest.Start(t, seed, emulator.Options{}), t: t, run: emulatortest.RunID}
}

func configured(t *testing.T, name string, edit func(map[string]any)) []byte {
	t.Helper()
	data, err := airlock.Files.ReadFile("config/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		t.Fatal(err)
	}
	edit(document)
	if data, err = json.Marshal(document); err != nil {
		t.Fatal(err)
	}
	return data
}

func (w *world) clock() time.Time { return w.Now() }

// noWait moves no clock and waits for nothing.
func noWait(context.Context, time.Duration) error { return nil }

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
		"GITHUB_RUN_ID": strconv.FormatInt(w.run, 10), "GITHUB_RUN_ATTEMPT": "1", "GITHUB_EVENT_NAME": "pull_request_target",
		"GITHUB_WORKFLOW_REF": "example-org/ledger/.github/workflows/review.yml@refs/heads/main",
		"GITHUB_OUTPUT":       filepath.Join(folder, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(folder, "summary")}
}

// decide runs the first program and uploads its bundle.
func (w *world) decide() {
	w.t.Helper()
	env := w.environment()
	env["GITHUB_EVENT_PATH"] = filepath.Join(w.t.TempDir(), "event.json")
	payload := `{"action":"labeled","number":12,"pull_request":{"number":12},"repository":{"id":701002003,"full_name":"example-org/ledger"},"sender":{"id":1000001,"login":"maintainer","type":"User"}}`
	if err := os.WriteFile(env["GITHUB_EVENT_PATH"], []byte(payload), 0o600); err != nil {
		w.t.Fatal(err)
	}
	env["AIRLOCK_BUNDLE"] = filepath.Join(w.t.TempDir(), "bundle")
	code := decide.Program(context.Background(), decide.Environment{Env: env, Clock: w.clock, Transport: http.DefaultTransport, Sleep: noWait, Stdout: &w.log, Stderr: &w.log})
	if code != 0 {
		w.t.Fatalf("decide ended with %d:\n%s", code, w.log.String())
	}
	files := map[string][]byte{}
	for _, name := range bundle.Names() {
		data, err := os.ReadFile(filepath.Join(env["AIRLOCK_BUNDLE"], name))
		if err != nil {
			w.t.Fatal(err)
		}
		files[name] = data
	}
	digest := contract.Digest(files[bundle.DecisionFile])
	opened, err := bundle.Open(files, digest)
	if err != nil {
		w.t.Fatal(err)
	}
	w.decision = opened.Decision
	w.bundle = w.upload("airlock-bundle", files, digest)
	if opened.Decision.Admitted {
		if w.task, err = task.Build(task.Input{Decision: opened.Decision, Facts: opened.Facts, Role: opened.Role, Policy: opened.Policy,
			Apps: opened.Apps, Harness: opened.Harness, Diff: bytes.NewReader(opened.Diff)}); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) upload(name string, files map[string][]byte, digest string) handedOn {
	w.t.Helper()
	archive := zipped(w.t, files)
	artifact, err := w.UploadArtifact(w.run, name+"-"+strconv.Itoa(len(w.State(w.t).Artifacts)), archive)
	if err != nil {
		w.t.Fatal(err)
	}
	return handedOn{artifact.ID, strings.TrimPrefix(artifact.Digest, "sha256:"), strings.TrimPrefix(digest, "sha256:")}
}

func zipped(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	for name, data := range files {
		file, err := writer.Create(name)
		if err == nil {
			_, err = file.Write(data)
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
	digest, err := contract.DigestOf(w.task)
	if err != nil {
		w.t.Fatal(err)
	}
	w.handOn(contract.Result{Schema: "result/1", Run: w.decision.Run, Release: w.decision.Release, Task: digest, Answer: a,
		Engine: contract.Engine{Credential: "direct", Mode: contract.ModeReplay, Model: "replay", Name: "replay", Sandbox: "off"}, Usage: contract.Usage{Complete: true}})
}

func (w *world) handOn(result contract.Result) {
	w.t.Helper()
	data, err := contract.Canonical(result)
	if err != nil {
		w.t.Fatal(err)
	}
	w.result = w.upload("airlock-result", map[string][]byte{"result.json": data}, contract.Digest(data))
}

// ended is what apply left.
type ended struct {
	code    int
	applied contract.Applied
	outcome contract.Outcome
	log     string
}

// apply runs the program that writes; change edits its environment.
func (w *world) apply(change func(map[string]string)) ended {
	w.t.Helper()
	env := w.environment()
	env["AIRLOCK_APP_PRIVATE_KEY"] = emulatortest.KeyPEM()
	env["AIRLOCK_BUNDLE_ARTIFACT_ID"], env["AIRLOCK_BUNDLE_ARTIFACT_DIGEST"] = strconv.FormatInt(w.bundle.id, 10), w.bundle.zipDigest
	env["AIRLOCK_DECISION_SHA256"] = w.bundle.digest
	if w.result.id != 0 {
		env["AIRLOCK_RESULT_ARTIFACT_ID"], env["AIRLOCK_RESULT_ARTIFACT_DIGEST"] = strconv.FormatInt(w.result.id, 10), w.result.zipDigest
		env["AIRLOCK_RESULT_SHA256"] = w.result.digest
	}
	env["AIRLOCK_OUT"] = filepath.Join(w.t.TempDir(), "out")
	if change != nil {
		change(env)
	}
	var log bytes.Buffer
	e := ended{code: Program(context.Background(), Environment{Env: env, Clock: w.clock, Transport: http.DefaultTransport, Sleep: noWait, Stderr: &log})}
	e.log = log.String()
	for name, record := range map[string]any{"applied.json": &e.applied, "outcome.json": &e.outcome} {
		data, err := os.ReadFile(filepath.Join(env["AIRLOCK_OUT"], name))
		if os.IsNotExist(err) && e.code == exitInput {
			continue
		}
		if err != nil {
			w.t.Fatalf("%v\n%s", err, e.log)
		}
		if err := contract.Decode(data, record); err != nil {
			w.t.Fatal(err)
		}
	}
	return e
}

// review is a completed answer with the Findings given: those that gate are threads.
func review(findings ...contract.RawFinding) contract.Answer {
	effect := contract.SubmitReviewEffect{Answers: []string{}, Body: untrusted.New("Two things."), Event: "COMMENT", ID: "e1",
		Listed: []string{}, Threads: []string{}, Type: contract.SubmitReview}
	for _, f := range findings {
		if contract.Gates(f.Category, f.Severity) {
			effect.Threads = append(effect.Threads, f.ID)
		} else {
			effect.Listed = append(effect.Listed, f.ID)
		}
	}
	if findings == nil {
		findings = []contract.RawFinding{}
	}
	return contract.Answer{Status: contract.StatusCompleted, Findings: findings, Dispositions: []contract.Disposition{},
		Effects: []contract.Effect{{SubmitReview: &effect}}}
}

// onLine is a Finding on a line of the changed file; line 0 is one without a place.
func onLine(id, category, severity string, line int) contract.RawFinding {
	f := contract.RawFinding{Category: category, ID: id, Severity: severity, Title: untrusted.New("Title of " + id), Text: untrusted.New("Text of " + id + ".")}
	if line > 0 {
		path, side := untrusted.New("internal/store/query.go"), contract.Right
		f.Path, f.Side, f.Line = &path, &side, &line
	}
	return f
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

// conclusions lists the conclusions of the checks in order.
func (w *world) conclusions() []string {
	var list []string
	for _, c := range w.State(w.t).CheckRuns {
		list = append(list, c.Conclusion)
	}
	return list
}
