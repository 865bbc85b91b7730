package run

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/engine"
	"github.com/seed-2ea642bd/airlock/internal/schema"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/standin"
)

// realStage is a stage with the real CLI before a stand-in.
func realStage(t testing.TB, api *standin.Server) *stage {
	t.Helper()
	s := newStage(t)
	s.env["AIRLOCK_CLI"] = standin.RealCLI(t, "../..")
	s.harness.Engines[0].Upstream = api.URL()
	return s
}

func strict() standin.Options { return standin.Options{Token: testToken} }

// TestRealClaudeProgram holds the whole way with the real CLI.
func TestRealClaudeProgram(t *testing.T) {
	api := standin.Start(t, strict(), standin.Answer(string(modelFile(t, "A.result.model.json"))))
	s := realStage(t, api)
	s.hand(t)
	if code := s.run(t); code != 0 {
		t.Fatalf("exit %d: %s", code, s.stderr.String())
	}
	result := s.result(t)
	var answer contract.Answer
	must(t, contract.Decode(modelFile(t, "A.result.model.json"), &answer))
	if difference := cmp.Diff(answer, result.Answer); difference != "" {
		t.Errorf("answer (-want +got):\n%s", difference)
	}
	binary, version := s.harness.Engines[0].Binaries["linux-amd64"], s.harness.Engines[0].Version
	want := contract.Engine{Binary: &binary, Credential: "direct", Mode: "stand_in", Model: "claude-sonnet-5-5", Name: "claude", Sandbox: "off",
		Session: result.Engine.Session, Version: &version}
	if difference := cmp.Diff(want, result.Engine); difference != "" {
		t.Errorf("engine (-want +got):\n%s", difference)
	}
	if usage := result.Usage; !usage.Complete || usage.InputTokens != 100 || usage.OutputTokens != 20 || usage.CostMicrousd != 419 || usage.Requests != 1 {
		t.Errorf("usage: %+v", usage)
	}
	sent := api.Requests()[0].Sent
	if len(sent.System) != 3 || sent.System[2].Text != string(bytes.TrimSpace(modelFile(t, "prompt.md"))) && sent.System[2].Text != string(modelFile(t, "prompt.md")) {
		t.Errorf("system prompt: %+v", sent.System)
	}
}

// TestRealClaudeTakesLoweredSchema holds that the pinned CLI takes the schema of every Role we have and lets its answers through
// unchanged.
func TestRealClaudeTakesLoweredSchema(t *testing.T) {
	roles := map[string][]byte{"the data model's role": modelFile(t, "role.json")}
	for _, name := range []string{"roles/pr-review.json"} {
		data, err := airlock.Files.ReadFile(name)
		must(t, err)
		roles[name] = data
	}
	for name, manifest := range roles {
		var role contract.Role
		must(t, schema.Decode("role/1", manifest, &role))
		for _, intent := range role.Intents {
			for _, answer := range []string{"A.result.model.json", "B.result.model.json"} {
				t.Run(fmt.Sprintf("%s %s %s", name, intent.Name, answer), func(t *testing.T) {
					lowered, err := schema.Lower(role, intent)
					must(t, err)
					api := standin.Start(t, strict(), standin.Answer(string(modelFile(t, answer))))
					s := realStage(t, api)
					claude, err := engine.NewClaude(s.harness.Engines[0], engine.ClaudeOptions{Binary: s.env["AIRLOCK_CLI"], Credential: secret.New(testToken),
						Path: s.env["PATH"], Temporary: s.env["RUNNER_TEMP"], Clock: time.Now})
					must(t, err)
					outcome := claude.Answer(t.Context(), engine.Request{Prompt: []byte("x"), Schema: lowered, Model: "claude-sonnet-5-5", Effort: "high",
						Limits: intent.Limits, Session: "0b9f5b1e-5a51-4d6c-9a0e-6a3f7a1f2c10"})
					if outcome.Failure != "" {
						t.Fatalf("failure %s", outcome.Failure)
					}
					got, err := contract.Canonicalize(outcome.Answer)
					must(t, err)
					if string(got) != string(modelFile(t, answer)) {
						t.Errorf("the answer came back as %s", got)
					}
					if sent, err := contract.Canonicalize(api.Requests()[0].Sent.Tools[0].InputSchema); err != nil || string(sent) != string(canonical(t, lowered)) {
						t.Errorf("the schema was sent as %s, %v", sent, err)
					}
				})
			}
		}
	}
}

func canonical(t testing.TB, document []byte) []byte {
	t.Helper()
	data, err := contract.Canonicalize(document)
	must(t, err)
	return data
}

// TestSecretCanaries searches every byte that the program leaves, in the log, the outputs, the Result and on disk, for words
// that a model or a server put into everything that is not the answer, and for the credential.
func TestSecretCanaries(t *testing.T) {
	const canary = "CANARY-5d0e"
	good := string(modelFile(t, "A.result.model.json"))
	headers := map[string]string{"request-id": canary, "retry-after": "0", "x-note": canary}
	for name, steps := range map[string][]standin.Step{
		"prose and thinking before the answer": {standin.Message("tool_use", standin.Thinking(canary), standin.Text(canary), standin.Call(standin.OutputTool, good))},
		"prose instead of an answer":           {standin.Prose(canary)},
		"an answer that is not kept":           {standin.Answer(strings.Replace(good, `{"dispositions"`, `{"`+canary+`":"`+canary+`","dispositions"`, 1))},
		"another tool":                         {standin.Message("tool_use", standin.Call(canary, `{"`+canary+`":1}`)), standin.Answer(good)},
		"an error body":                        {standin.Error(400, canary, canary, headers)},
		"a refused credential":                 {standin.Error(401, "authentication_error", canary, headers)},
		"a refusal":                            {standin.Message("refusal", standin.Text(canary))},
		"a broken stream":                      {standin.BrokenStream(canary)},
		"a page":                               {standin.Raw(200, "text/html", "<html>"+canary+"</html>")},
	} {
		t.Run(name, func(t *testing.T) {
			api := standin.Start(t, strict(), steps...)
			s := realStage(t, api)
			s.hand(t)
			s.run(t)
			s.result(t)
			if len(api.Requests()) == 0 {
				t.Fatal("nothing was asked")
			}
			left := map[string][]byte{"stdout": s.stdout.Bytes(), "stderr": s.stderr.Bytes()}
			must(t, filepath.WalkDir(filepath.Dir(s.env["AIRLOCK_RESULT"]), func(path string, entry os.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				left[path], err = os.ReadFile(path)
				return err
			}))
			for where, data := range left {
				for _, word := range []string{canary, testToken} {
					if bytes.Contains(data, []byte(word)) {
						t.Errorf("%s holds %s", where, word)
					}
				}
			}
		})
	}
}

// TestSignal holds that the program, as its own process, hands a signal on to the CLI and still writes a whole Result, and
// that nothing it starts sees the credential of its environment.
func TestSignal(t *testing.T) {
	program := built(t)
	s := newStage(t)
	ready := filepath.Join(t.TempDir(), "ready")
	must(t, syscall.Mkfifo(ready, 0o600))
	s.scripted(t, `echo ready > `+ready+`; exec sleep 1000`)
	s.hand(t)
	command := s.process(program)
	ended := s.untilAsked(t, command, ready)
	must(t, command.Process.Signal(syscall.SIGTERM))
	<-ended
	if code := command.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit %d: %s", code, s.stderr.String())
	}
	if result := s.result(t); result.Status != contract.StatusFailed || *result.Reason != "engine_interrupted" {
		t.Errorf("status %s, reason %s", result.Status, *result.Reason)
	}
	if left, err := os.ReadDir(s.env["RUNNER_TEMP"]); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
