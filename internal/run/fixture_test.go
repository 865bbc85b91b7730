package run

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/engine"
	"github.com/seed-2ea642bd/airlock/internal/release"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
	"github.com/seed-2ea642bd/airlock/internal/schema"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/standin"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

const testToken = "sk-ant-oat01-standin-Kq7Zw2Lr9TnB4xVh"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// modelFile is one of the data model's documents.
func modelFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "model", name))
	must(t, err)
	return data
}

// TestMain makes the test's own executable the keeper of what it starts.
func TestMain(m *testing.M) {
	if sandbox.IsKeeper(os.Args) {
		os.Exit(sandbox.Keep())
	}
	os.Exit(m.Run())
}

// stage is a job ready to run: the data model's Run A, admitted by this release.
type stage struct {
	env      map[string]string
	files    map[string][]byte
	decision contract.Decision
	harness  contract.Harness
	stdout   bytes.Buffer
	stderr   bytes.Buffer
}

func newStage(t testing.TB) *stage {
	t.Helper()
	s := &stage{files: map[string][]byte{}}
	for name, model := range map[string]string{bundle.FactsFile: "A.facts.json", bundle.DiffFile: "A.diff.patch", bundle.RoleFile: "role.json",
		bundle.PromptFile: "prompt.md", bundle.PolicyFile: "policy.json", bundle.AppsFile: "apps.json"} {
		s.files[name] = modelFile(t, model)
	}
	must(t, contract.Decode(modelFile(t, "A.decision.json"), &s.decision))
	must(t, contract.Decode(modelFile(t, "harness.json"), &s.harness))
	var err error
	s.decision.Release, err = release.Current()
	must(t, err)
	s.harness.Engines[0].Credential, s.harness.Engines[0].Sandbox = "direct", "off"
	directory := t.TempDir()
	s.env = map[string]string{
		"AIRLOCK_BUNDLE": filepath.Join(directory, "bundle"), "AIRLOCK_RESULT": filepath.Join(directory, "result"),
		"GITHUB_OUTPUT": filepath.Join(directory, "output"), "RUNNER_TEMP": filepath.Join(directory, "t"),
		"PATH": os.Getenv("PATH"), "CLAUDE_CODE_OAUTH_TOKEN": testToken, "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB": "1",
	}
	must(t, os.Mkdir(s.env["RUNNER_TEMP"], 0o700))
	return s
}

// hand writes the bundle as decide would, with digests that fit. Files that are nil are left out.
func (s *stage) hand(t testing.TB) {
	t.Helper()
	if s.files[bundle.HarnessFile] == nil {
		data, err := contract.Canonical(s.harness)
		must(t, err)
		s.files[bundle.HarnessFile] = data
	}
	of := func(name string) contract.File { return contract.FileOf(s.files[name]) }
	s.decision.Inputs = contract.Inputs{Apps: of(bundle.AppsFile), Diff: of(bundle.DiffFile), Facts: of(bundle.FactsFile), Harness: of(bundle.HarnessFile),
		Manifest: of(bundle.RoleFile), Policy: of(bundle.PolicyFile), Prompt: of(bundle.PromptFile)}
	if s.files[bundle.DecisionFile] == nil {
		data, err := contract.Canonical(s.decision)
		must(t, err)
		s.files[bundle.DecisionFile] = data
	}
	if s.env["AIRLOCK_DECISION_SHA256"] == "" {
		s.env["AIRLOCK_DECISION_SHA256"] = strings.TrimPrefix(contract.Digest(s.files[bundle.DecisionFile]), "sha256:")
	}
	must(t, os.MkdirAll(s.env["AIRLOCK_BUNDLE"], 0o700))
	for name, data := range s.files {
		must(t, os.WriteFile(filepath.Join(s.env["AIRLOCK_BUNDLE"], name), data, 0o600))
	}
}

// run runs the program and holds that nothing of it is left in the temporary directory.
func (s *stage) run(t testing.TB) int {
	t.Helper()
	temporary := s.env["RUNNER_TEMP"]
	code := Program(t.Context(), Environment{Env: s.env, Take: take, Clock: time.Now, Random: rand.Reader, Stdout: &s.stdout, Stderr: &s.stderr})
	if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
		t.Errorf("left in the temporary directory: %v, %v", left, err)
	}
	return code
}

// result reads the Result that was written, and holds that it is valid, canonical and the one the outputs name.
func (s *stage) result(t testing.TB) contract.Result {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.env["AIRLOCK_RESULT"], ResultFile))
	must(t, err)
	var result contract.Result
	must(t, schema.Decode("result/1", data, &result))
	canonical, err := contract.Canonical(result)
	must(t, err)
	if !bytes.Equal(canonical, data) {
		t.Error("the Result is not in canonical form")
	}
	reason := "none"
	if result.Reason != nil {
		reason = *result.Reason
	}
	outputs := s.outputs(t)
	for name, want := range map[string]string{"status": result.Status, "reason": reason, "result-sha256": strings.TrimPrefix(contract.Digest(data), "sha256:")} {
		if outputs[name] != want {
			t.Errorf("output %s is %q, want %q", name, outputs[name], want)
		}
	}
	return result
}

// outputs reads the runner's file of outputs: name<<delimiter, value, delimiter.
func (s *stage) outputs(t testing.TB) map[string]string {
	t.Helper()
	data, err := os.ReadFile(s.env["GITHUB_OUTPUT"])
	must(t, err)
	outputs := map[string]string{}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for i := 0; i+1 < len(lines); i++ {
		if name, delimiter, ok := strings.Cut(lines[i], "<<"); ok && i+2 < len(lines) && lines[i+2] == delimiter {
			outputs[name] = lines[i+1]
			i += 2
		} else if name, value, ok := strings.Cut(lines[i], "="); ok {
			outputs[name] = value
		}
	}
	return outputs
}

// replaying binds the job to a recorded answer.
func (s *stage) replaying(t testing.TB, answer []byte) {
	t.Helper()
	s.env["AIRLOCK_REPLAY"] = filepath.Join(t.TempDir(), "answer.json")
	must(t, os.WriteFile(s.env["AIRLOCK_REPLAY"], answer, 0o600))
}

// scripted puts a shell script in place of the CLI.
func (s *stage) scripted(t testing.TB, body string) {
	t.Helper()
	standin.NeedBubblewrap(t)
	path, digest, err := standin.ScriptedCLI(t.TempDir(), "2.1.306", body)
	must(t, err)
	s.env["AIRLOCK_CLI"] = path
	s.harness.Engines[0].Binaries = map[string]string{runtime.GOOS + "-" + runtime.GOARCH: digest}
}

func stepAndInputs(t testing.TB, s *stage) (*workflow.Step, inputs) {
	t.Helper()
	step := workflow.New("run", s.env, &s.stdout)
	credential, err := take(s.env)
	must(t, err)
	in, err := readInputs(step, s.env, credential)
	must(t, err)
	return step, in
}

// take takes the credential as [Seclude] does, but in the test's own process.
func take(env map[string]string) (secret.Credential, error) {
	credential := secret.New(strings.TrimSpace(env[engine.CredentialName]))
	delete(env, engine.CredentialName)
	return credential, nil
}

// writeAnswer writes Run A's answer into a file and returns its path.
func writeAnswer(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "answer.json")
	must(t, os.WriteFile(path, modelFile(t, "A.result.model.json"), 0o600))
	return path
}

// built is the real program, as its action builds it.
func built(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "run")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "../../actions/run")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v: %s", err, output)
	}
	return program
}

// process is the real program in this stage's environment, not started.
func (s *stage) process(program string) *exec.Cmd {
	command := exec.Command(program)
	for name, value := range s.env {
		command.Env = append(command.Env, name+"="+value)
	}
	command.Stdout, command.Stderr = &s.stdout, &s.stderr
	return command
}

// untilAsked starts the program and returns when its CLI has written into the pipe. What is returned yields once, when the program
// has ended.
func (s *stage) untilAsked(t *testing.T, command *exec.Cmd, pipe string) <-chan error {
	t.Helper()
	must(t, command.Start())
	started, ended := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := os.ReadFile(pipe) // waits until the CLI writes
		started <- err
	}()
	go func() { ended <- command.Wait() }()
	select {
	case err := <-started:
		must(t, err)
	case err := <-ended:
		t.Fatalf("it ended before it asked: %v: %s", err, s.stderr.String())
	}
	return ended
}
