package vectors

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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
	"github.com/seed-2ea642bd/airlock/internal/schema"
	"github.com/seed-2ea642bd/airlock/internal/task"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// playKey finds the play of a script.
type playKey struct{}

// Who acts, beside those whom the seed names.
const (
	malloryID  = 3000003
	otherBotID = 990001
)

// modelCredential is what the run job holds. It has the form of a real one, and must come out nowhere.
const modelCredential = "sk-ant-oat01-VectorCanary7Zw2Lr9TnB4xVhQ"

// play is one script's world: the seed until the first act, an emulated GitHub from then on, and what the jobs pass on.
type play struct {
	t    testing.TB
	seed emulator.Seed
	// configuration are the files under .github/airlock on the default branch.
	configuration map[string][]byte
	*emulatortest.Instance
	now time.Time
	// head is the tree of the pull request's head as people pushed it.
	head emulator.Tree

	runs     []contract.Decision
	run      int64
	attempt  int
	decision contract.Decision
	task     *contract.Task
	decided  map[string]string
	outputs  map[string]string // of the last program
	bundle   handedOn
	result   handedOn
	written  []byte // the Result as run wrote it
	cli      string // the scripted CLI, where there is one
	// before counts the calls that were made before the last apply.
	before int
	// left is all that the programs wrote: logs, outputs, summaries and records.
	left bytes.Buffer
}

// handedOn is an artifact and what its job's outputs say of it.
type handedOn struct {
	id                int64
	zipDigest, digest string
}

func newPlay(t testing.TB) *play {
	seed := emulatortest.Seed()
	seed.Users = append(seed.Users, &emulator.User{ID: malloryID, Login: "mallory", Type: "User"},
		&emulator.User{ID: otherBotID, Login: "helpful-triage[bot]", Type: "Bot"})
	seed.FaultActs = emulator.FaultDefaults{ActorID: emulatortest.MaintainerID, HoldLabel: "airlock:hold"}
	seed.Labels = []emulator.RepoLabel{{Name: "airlock:approved"}, {Name: "airlock:hold"}}
	seed.PullRequests[0].Comments = nil
	p := &play{t: t, seed: seed, configuration: map[string][]byte{}, run: emulatortest.RunID - 1, now: emulatortest.Now}
	p.configure("policy.json", fmt.Sprintf(`{"maintainers":[%d]}`, emulatortest.MaintainerID))
	var apps map[string]any
	p.decode(p.embedded("apps.json"), &apps)
	first := apps["apps"].([]any)[0].(map[string]any)
	first["app_id"], first["bot_user_id"], first["installation_id"] = emulatortest.AppID, emulatortest.BotUserID, emulatortest.InstallationID
	p.configuration["apps.json"] = p.encode(apps)
	return p
}

func (p *play) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *play) decode(data []byte, into any) {
	p.t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	p.must(decoder.Decode(into))
}

func (p *play) encode(value any) []byte {
	p.t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	p.must(encoder.Encode(value))
	return out.Bytes()
}

// embedded is a file of the default configuration, by its name under .github/airlock.
func (p *play) embedded(name string) []byte {
	p.t.Helper()
	in := "config/" + name
	if strings.HasPrefix(name, "roles/") {
		in = name
	}
	data, err := airlock.Files.ReadFile(in)
	p.must(err)
	return data
}

// configure lays a merge patch (RFC 7396) over a file of the configuration.
func (p *play) configure(name, patch string) {
	p.t.Helper()
	before, there := p.configuration[name]
	if !there {
		before = p.embedded(name)
	}
	p.configuration[name] = p.merged(before, patch)
}

func (p *play) merged(document []byte, patch string) []byte {
	p.t.Helper()
	var target, change any
	p.decode(document, &target)
	p.decode([]byte(patch), &change)
	return p.encode(merge(target, change))
}

// merge is RFC 7396.
func merge(target, patch any) any {
	changes, isObject := patch.(map[string]any)
	if !isObject {
		return patch
	}
	object, isObject := target.(map[string]any)
	if !isObject {
		object = map[string]any{}
	}
	for name, value := range changes {
		if value == nil {
			delete(object, name)
		} else {
			object[name] = merge(object[name], value)
		}
	}
	return object
}

// pull is the seed's pull request, which a script may change until it is opened.
func (p *play) pull() *emulator.Pull { return p.seed.PullRequests[0] }

// open starts the emulated GitHub with the first act.
func (p *play) open() {
	p.t.Helper()
	if p.Instance != nil {
		return
	}
	p.head = p.pull().Head.Tree
	main := maps.Clone(p.pull().Base.Tree)
	for name, data := range p.configuration {
		main[".github/airlock/"+name] = emulator.File{Content: data}
	}
	p.seed.Repository.Branches["main"] = emulator.Branch{Tree: main}
	p.seed.WorkflowRuns = nil
	p.seed.JobTokens = nil
	p.Instance = emulatortest.Start(p.t, p.seed, emulator.Options{})
}

// later lets a minute pass, so that what happens next is newer.
func (p *play) later() {
	p.open()
	p.now = p.now.Add(time.Minute)
	p.SetClock(p.now)
}

// job is the environment that every job has, and a read token for the two that read.
func (p *play) job(event, payload string) map[string]string {
	p.t.Helper()
	folder := p.t.TempDir()
	for name, content := range map[string]string{"output": "", "summary": "", "event.json": payload} {
		p.must(os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	permissions := map[string]string{}
	for _, name := range []string{"actions", "checks", "contents", "issues", "pull_requests"} {
		permissions[name] = "read"
	}
	token, err := p.MintJobToken(emulator.JobToken{RunID: p.run, Permissions: permissions})
	p.must(err)
	return map[string]string{"GITHUB_TOKEN": token, "GITHUB_API_URL": p.URL, "GITHUB_GRAPHQL_URL": p.URL + "/graphql",
		"GITHUB_REPOSITORY": emulatortest.Owner + "/" + emulatortest.Name, "GITHUB_REPOSITORY_ID": strconv.Itoa(emulatortest.RepositoryID),
		"GITHUB_RUN_ID": strconv.FormatInt(p.run, 10), "GITHUB_RUN_ATTEMPT": strconv.Itoa(p.attempt), "GITHUB_EVENT_NAME": event,
		"GITHUB_EVENT_PATH":   filepath.Join(folder, "event.json"),
		"GITHUB_WORKFLOW_REF": "example-org/ledger/.github/workflows/review.yml@refs/heads/main",
		"GITHUB_OUTPUT":       filepath.Join(folder, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(folder, "summary"), "RUNNER_TEMP": folder}
}

// ended keeps what a program left behind, and returns its outputs.
func (p *play) ended(env map[string]string, log []byte) map[string]string {
	p.t.Helper()
	p.left.Write(log)
	outputs := map[string]string{}
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		data, err := os.ReadFile(env[name])
		p.must(err)
		p.left.Write(data)
		if name == "GITHUB_OUTPUT" {
			outputs = workflow.ParseOutputs(string(data))
		}
	}
	p.outputs = outputs
	return outputs
}

// upload hands files on as an artifact of the workflow run.
func (p *play) upload(name string, archive []byte, digest string) handedOn {
	p.t.Helper()
	artifact, err := p.UploadArtifact(p.run, fmt.Sprintf("%s-%d", name, len(p.State(p.t).Artifacts)), archive)
	p.must(err)
	return handedOn{artifact.ID, strings.TrimPrefix(artifact.Digest, "sha256:"), strings.TrimPrefix(digest, "sha256:")}
}

// entry is one file of an archive, in order.
type entry struct {
	name string
	data []byte
}

func zipped(t testing.TB, entries []entry) []byte {
	t.Helper()
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if target, link := strings.CutPrefix(string(e.data), "-> "); link {
			header.SetMode(os.ModeSymlink | 0o777)
			e.data = []byte(strings.TrimSpace(target))
		}
		file, err := writer.CreateHeader(header)
		if err == nil {
			_, err = file.Write(e.data)
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

// decide starts a workflow run, plays its first job, and returns its exit code. The run before it has ended.
func (p *play) decide(event, payload string, change map[string]string) int {
	p.t.Helper()
	p.later()
	if len(p.runs) > 0 || p.run >= emulatortest.RunID {
		_, err := p.SetWorkflowRun(emulator.Run{ID: p.run, Status: "completed", Conclusion: "success"})
		p.must(err)
	}
	p.run, p.attempt = p.run+1, 1
	main := p.State(p.t).Repository.Branches["main"]
	_, err := p.SetWorkflowRun(emulator.Run{ID: p.run, WorkflowID: emulatortest.WorkflowID, Title: fmt.Sprintf("airlock pr-review #%d", emulatortest.Number),
		Event: event, Status: "in_progress", HeadBranch: "main", HeadCommit: main.Commit, ActorID: emulatortest.MaintainerID, Number: p.run, Attempt: 1,
		CreatedAt: p.now, UpdatedAt: p.now})
	p.must(err)
	env := p.job(event, payload)
	env["AIRLOCK_BUNDLE"] = filepath.Join(p.t.TempDir(), "bundle")
	maps.Copy(env, change)
	var log bytes.Buffer
	code := decide.Program(context.Background(), decide.Environment{Env: maps.Clone(env), Clock: p.Now, Transport: http.DefaultTransport, Sleep: noWait, Stdout: &log, Stderr: &log})
	p.decided = p.ended(env, log.Bytes())
	p.bundle, p.result, p.task, p.written = handedOn{}, handedOn{}, nil, nil
	digest := p.decided["decision-sha256"]
	if digest == "" {
		return code
	}
	files := map[string][]byte{}
	var entries []entry
	for _, name := range bundle.Names() {
		data, err := os.ReadFile(filepath.Join(env["AIRLOCK_BUNDLE"], name))
		p.must(err)
		files[name] = data
		entries = append(entries, entry{name, data})
	}
	opened, err := bundle.Open(files, "sha256:"+digest)
	p.must(err)
	p.decision = opened.Decision
	p.bundle = p.upload("airlock-bundle", zipped(p.t, entries), digest)
	if opened.Decision.Admitted {
		p.runs = append(p.runs, opened.Decision)
		built, err := task.Build(task.Input{Decision: opened.Decision, Facts: opened.Facts, Role: opened.Role, Policy: opened.Policy,
			Apps: opened.Apps, Harness: opened.Harness, Diff: bytes.NewReader(opened.Diff)})
		p.must(err)
		p.task = &built
	}
	return code
}

// unpacked writes the files of this run's bundle where the run job would have downloaded them.
func (p *play) unpacked() string {
	p.t.Helper()
	folder := filepath.Join(p.t.TempDir(), "bundle")
	p.must(os.Mkdir(folder, 0o700))
	archive, err := p.ArtifactZip(p.bundle.id)
	p.must(err)
	reader, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	p.must(err)
	for _, file := range reader.File {
		content, err := file.Open()
		p.must(err)
		var data bytes.Buffer
		_, err = data.ReadFrom(content)
		p.must(err)
		p.must(os.WriteFile(filepath.Join(folder, file.Name), data.Bytes(), 0o600))
	}
	return folder
}

// noWait moves no clock and waits for nothing.
func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// placeholders replaces what stands for ids and texts that are not known before: {run N}, {diff}, {answer ID}, {finding ID},
// {thread N}, {review N}, {many N} letters, and {credential FORM}.
func (p *play) placeholders(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	for n, decision := range p.runs {
		text = strings.ReplaceAll(text, fmt.Sprintf("{run %d}", n+1), decision.Run)
	}
	if before, rest, found := strings.Cut(text, "{many "); found {
		digits, after, _ := strings.Cut(rest, "}")
		count, err := strconv.Atoi(digits)
		p.must(err)
		text = before + strings.Repeat("x", count) + after
	}
	if strings.Contains(text, "{longest}") {
		text = strings.ReplaceAll(text, "{longest}", string(p.encode(longest(p))))
	}
	for form, written := range credentialForms() {
		text = strings.ReplaceAll(text, "{credential "+form+"}", written)
	}
	if p.Instance != nil {
		state := p.State(p.t)
		pull := state.Pull(emulatortest.Number)
		for n, thread := range pull.Threads {
			text = strings.ReplaceAll(text, fmt.Sprintf("{thread %d}", n+1), thread.Comments[0].Body)
		}
		for n, review := range pull.Reviews {
			text = strings.ReplaceAll(text, fmt.Sprintf("{review %d}", n+1), review.Body)
		}
	}
	if p.task == nil {
		return text
	}
	for _, given := range p.task.Texts {
		if given.Kind == contract.TextDiff {
			text = strings.ReplaceAll(text, "{diff}", given.ID)
		}
	}
	for _, finding := range p.task.Findings {
		id := finding.ID[strings.LastIndex(finding.ID, "/")+1:]
		text = strings.ReplaceAll(text, "{finding "+id+"}", finding.ID)
		if len(finding.Answers) > 0 {
			text = strings.ReplaceAll(text, "{answer "+id+"}", finding.Answers[len(finding.Answers)-1])
		}
	}
	return text
}

// longest is the largest answer that the Role's limits allow, as the schema that the model is handed gives them: as many
// Findings as there may be, every text as long as it may be, of letters that rendering makes longer, and none with a line.
func longest(p *play) map[string]any {
	var role contract.Role
	p.must(contract.Decode(p.embedded("roles/pr-review.json"), &role))
	lowered, err := schema.Lower(role, role.Intents[0])
	p.must(err)
	var shape struct {
		Properties struct {
			Findings struct {
				MaxItems int
				Items    struct {
					Properties struct{ Title, Text struct{ MaxLength int } }
				}
			}
		}
	}
	p.must(json.Unmarshal(lowered, &shape))
	findings := shape.Properties.Findings
	text := func(length int) string { return strings.Repeat("@", length) }
	var list, ids []any
	for n := range findings.MaxItems {
		id := fmt.Sprintf("f%d", n+1)
		ids = append(ids, id)
		list = append(list, map[string]any{"id": id, "category": "correctness", "severity": "critical", "path": nil, "line": nil, "start_line": nil,
			"side": nil, "title": text(findings.Items.Properties.Title.MaxLength), "text": text(findings.Items.Properties.Text.MaxLength)})
	}
	return map[string]any{"status": "completed", "reason": nil, "dispositions": []any{}, "findings": list,
		"effects": []any{map[string]any{"id": "e1", "type": "submit_review", "event": "COMMENT", "body": "All.", "threads": ids, "listed": []any{}, "answers": []any{}}}}
}

// credentialForms are ways to write the run job's credential that a look for the plain text misses.
func credentialForms() map[string]string {
	reversed := []byte(modelCredential)
	slices.Reverse(reversed)
	spaced := strings.TrimSpace(strings.Join(strings.SplitAfter(modelCredential, ""), " "))
	var hexadecimal []string
	for _, b := range []byte(modelCredential) {
		hexadecimal = append(hexadecimal, fmt.Sprintf("%02x", b))
	}
	half := len(modelCredential) / 2
	return map[string]string{
		"plain": modelCredential, "reversed": string(reversed), "spaced": spaced, "hex": strings.Join(hexadecimal, ""),
		"hex spaced": strings.Join(hexadecimal, " "), "base64": base64.StdEncoding.EncodeToString([]byte(modelCredential)),
		"base64 shifted": base64.RawURLEncoding.EncodeToString([]byte("x" + modelCredential + "y")),
		"cut":            modelCredential[7:], "first half": modelCredential[:half], "second half": modelCredential[half:],
		"invisible": strings.Join(strings.Split(modelCredential, ""), "\u2063"),
	}
}

// who is the numeric id of one who acts.
func who(name string) (int64, error) {
	people := map[string]int64{"maintainer": emulatortest.MaintainerID, "contributor": emulatortest.ContributorID, "mallory": malloryID,
		"other-bot": otherBotID, "app": emulatortest.BotUserID}
	if id, known := people[name]; known {
		return id, nil
	}
	return 0, fmt.Errorf("%s is none of %s", name, strings.Join(slices.Sorted(maps.Keys(people)), ", "))
}
