package engine

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/standin"
)

// TestRealClaudeAnswer holds what goes over the wire and what is kept of it: one request, the one tool with our schema,
// our system prompt alone, our prompt whole, and of the reply the answer and the numbers.
func TestRealClaudeAnswer(t *testing.T) {
	api := standin.Start(t, strict(), standin.Answer(goodAnswer))
	request := requestWith("a change by an outside author")
	outcome := ask(t, realClaude(t, api.URL()), request)

	binary, version := pinOf("").Binaries["linux-amd64"], "2.1.306"
	want := Outcome{
		Answer: []byte(goodAnswer),
		Engine: contract.Engine{Binary: &binary, Credential: "direct", Mode: contract.ModeStandIn, Model: testModel, Name: "claude",
			Sandbox: "off", Session: &request.Session, Version: &version},
		Usage: contract.Usage{InputTokens: 100, OutputTokens: 20, CacheReadTokens: 11, CacheWriteTokens: 7, Complete: true,
			CostMicrousd: 419, Requests: 1, Milliseconds: outcome.Usage.Milliseconds},
	}
	if difference := cmp.Diff(want, outcome); difference != "" {
		t.Errorf("outcome (-want +got):\n%s", difference)
	}
	if outcome.Usage.Milliseconds <= 0 {
		t.Errorf("the call took %d ms", outcome.Usage.Milliseconds)
	}

	requests := api.Requests()
	if len(requests) != 1 {
		t.Fatalf("%d requests, want 1", len(requests))
	}
	sent := requests[0].Sent
	if len(sent.Tools) != 1 || sent.Tools[0].Name != standin.OutputTool || compact(t, sent.Tools[0].InputSchema) != compact(t, []byte(testSchema)) {
		t.Errorf("tools: %+v", sent.Tools)
	}
	if len(sent.System) != 3 || sent.System[2].Text != testPrompt {
		t.Errorf("system: %+v", sent.System)
	}
	if sent.Model != testModel {
		t.Errorf("model %q", sent.Model)
	}
	if got := requests[0].Header.Get("X-Claude-Code-Session-Id"); got != request.Session {
		t.Errorf("session %q, want %q", got, request.Session)
	}
	input, err := prompt(request.Task)
	if err != nil {
		t.Fatal(err)
	}
	if got := userText(t, requests[0]); got != strings.TrimSpace(string(input)) {
		t.Errorf("the model's input is not our prompt:\n got %q\nwant %q", got, input)
	}
}

func compact(t *testing.T, document []byte) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(document, &value); err != nil {
		t.Fatal(err)
	}
	sorted, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(sorted)
}

// userText is the text of the first message, as a string or as its blocks joined.
func userText(t *testing.T, request standin.Request) string {
	t.Helper()
	var message struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(request.Sent.Messages[0], &message); err != nil {
		t.Fatal(err)
	}
	var text string
	if json.Unmarshal(message.Content, &text) == nil {
		return strings.TrimSpace(text)
	}
	var blocks []standin.Block
	if err := json.Unmarshal(message.Content, &blocks); err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks {
		text += block.Text
	}
	return strings.TrimSpace(text)
}

// TestRealClaudeLargePrompt holds that a Task of a megabyte goes through whole, and that a prompt beyond the model's window or
// the CLI's limit is a failure with its own code.
func TestRealClaudeLargePrompt(t *testing.T) {
	api := standin.Start(t, strict(), standin.Answer(goodAnswer))
	engine := realClaude(t, api.URL())
	large := strings.Repeat("lorem @ipsum $dolor\n", 50_000)
	outcome := ask(t, engine, requestWith(large))
	if outcome.Failure != "" || len(api.Requests()) != 1 {
		t.Fatalf("failure %q after %d requests", outcome.Failure, len(api.Requests()))
	}
	if got := userText(t, api.Requests()[0]); strings.Count(got, `\u0040ipsum \u0024dolor\n`) != 50_000 {
		t.Error("the prompt did not arrive whole")
	}
	outcome = ask(t, engine, requestWith(strings.Repeat("0123456789", 600_000)))
	if outcome.Failure != contract.CodeEngineTaskTooLong || len(api.Requests()) != 1 {
		t.Errorf("6 MB: failure %q after %d requests", outcome.Failure, len(api.Requests()))
	}
	outcome = ask(t, engine, requestWith(strings.Repeat("0123456789", 1_100_000)))
	if outcome.Failure != contract.CodeEnginePrompt || len(api.Requests()) != 1 {
		t.Errorf("over 10 MB: failure %q after %d requests", outcome.Failure, len(api.Requests()))
	}
}

// TestRealClaudeEnvironment reads the environment and the arguments of the CLI from the system while it waits for a silent
// server, and that only the CLI itself is waiting. Then it cancels the call.
func TestRealClaudeEnvironment(t *testing.T) {
	t.Setenv("GITHUB_WORKSPACE", t.TempDir()) // stands in the job's environment and must not reach the CLI
	api := standin.Start(t, strict(), standin.Silence())
	engine := realClaude(t, api.URL())
	request := requestWith("x")
	ctx, cancel := newCancel(t)
	ended := make(chan Outcome)
	go func() { ended <- engine.Answer(ctx, request) }()
	<-api.Arrived()

	running := processesWith(t, request.Session)
	if len(running) != 1 {
		t.Fatalf("processes of the session: %v", running)
	}
	directory := filepath.Dir(strings.SplitN(running[0], ":", 2)[0])
	environment := procList(t, filepath.Join(directory, "environ"))
	arguments := procList(t, filepath.Join(directory, "cmdline"))
	work, err := os.Readlink(filepath.Join(directory, "cwd"))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	outcome := <-ended

	root := filepath.Dir(work)
	want := []string{
		"ANTHROPIC_BASE_URL=" + api.URL(), "API_TIMEOUT_MS=300000", "CLAUDE_CODE_DISABLE_ATTACHMENTS=1",
		"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", "CLAUDE_CODE_DISABLE_CLAUDE_MDS=1", "CLAUDE_CODE_DISABLE_FILE_MENTIONS=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=64000", "CLAUDE_CODE_MAX_RETRIES=2", "CLAUDE_CODE_OAUTH_TOKEN=" + testToken,
		"CLAUDE_CODE_SUBPROCESS_ENV_SCRUB=1", "CLAUDE_CONFIG_DIR=" + root + "/home/cfg", "DISABLE_AUTOUPDATER=1",
		"DISABLE_ERROR_REPORTING=1", "DISABLE_TELEMETRY=1", "HOME=" + root + "/home", "PATH=/usr/bin:/bin", "TMPDIR=" + root + "/tmp",
	}
	slices.Sort(environment)
	if difference := cmp.Diff(want, environment); difference != "" {
		t.Errorf("environment (-want +got):\n%s", difference)
	}
	if got := arguments[1:]; !slices.Equal(got, engine.argumentsFor(t, request, root+"/files/prompt")) {
		t.Errorf("arguments: %q", got)
	}
	if count := strings.Count(strings.Join(arguments, "\x00"), "--tools"); count != 1 {
		t.Errorf("--tools occurs %d times", count)
	}
	if filepath.Base(work) != "work" || filepath.Dir(root) != engine.temporary {
		t.Errorf("working directory %s", work)
	}
	if outcome.Failure != contract.CodeEngineInterrupted {
		t.Errorf("cancelled: %q", outcome.Failure)
	}
}

// argumentsFor are the arguments written out, so that a change of them is a change of this test.
func (c *Claude) argumentsFor(t *testing.T, request Request, promptFile string) []string {
	t.Helper()
	return []string{"-p", "--output-format", "json", "--json-schema", testSchema, "--tools", "", "--model", testModel,
		"--session-id", request.Session, "--system-prompt-file", promptFile, "--strict-mcp-config", "--mcp-config", `{"mcpServers":{}}`,
		"--setting-sources", "", "--no-session-persistence", "--disable-slash-commands", "--safe-mode", "--restricted",
		"--permission-prompts", "none", "--no-chrome", "--effort", "medium", "--max-turns", "8", "--max-budget-usd", "2.000000"}
}

// procList reads a list of strings that each end in a zero.
func procList(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}

// TestRealClaudeLeavesNothingToFind looks at every file in the CLI's private directories after a call, before they are
// removed: no prompt, no answer, no prose, no thinking, no credential.
func TestRealClaudeLeavesNothingToFind(t *testing.T) {
	const prose, thinking, text = "CANARY-PROSE-4711", "CANARY-THINKING-4712", "CANARY-TASK-4713"
	api := standin.Start(t, strict(), standin.Message("tool_use", standin.Thinking(thinking), standin.Text(prose),
		standin.Call(standin.OutputTool, goodAnswer)))
	engine := realClaude(t, api.URL())
	request := requestWith(text)
	input, err := prompt(request.Task)
	if err != nil {
		t.Fatal(err)
	}
	place := makePlace(t)
	printed := bare(t, engine.binary, place, arguments(request, filepath.Join(place.Files, promptFile)), environment(place, "/usr/bin:/bin", engine.direct()), input)
	if !bytes.Contains(printed, []byte(`"verdict"`)) {
		t.Fatal("no answer came; the test would find nothing anywhere")
	}
	files := 0
	root := filepath.Dir(place.Work)
	err = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || filepath.Base(path) == promptFile {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		for _, canary := range []string{prose, thinking, text, testToken, "verdict", testPrompt} {
			if bytes.Contains(data, []byte(canary)) {
				t.Errorf("%s holds %s", strings.TrimPrefix(path, root), canary)
			}
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("looked at %d files, %v", files, err)
	}
}

// TestRealClaudeUserTextIsCountedWhole holds that characters of every kind in a Task reach the model as they are.
func TestRealClaudeUserTextIsCountedWhole(t *testing.T) {
	api := standin.Start(t, strict(), standin.Answer(`{"verdict":"bad","n":`+strconv.Itoa(contract.MaxInteger)+`}`))
	request := requestWith("quotes \" and \\ and \x01 and é and 日本 and \U0001f600 and \u2028 ultrathink /help !ls")
	outcome := ask(t, realClaude(t, api.URL()), request)
	if got, want := string(outcome.Answer), `{"verdict":"bad","n":9007199254740991}`; got != want {
		t.Errorf("answer %s, want %s", got, want)
	}
	input, err := prompt(request.Task)
	if err != nil {
		t.Fatal(err)
	}
	if got := userText(t, api.Requests()[0]); got != strings.TrimSpace(string(input)) {
		t.Errorf("the model's input is not our prompt:\n got %q\nwant %q", got, input)
	}
}
