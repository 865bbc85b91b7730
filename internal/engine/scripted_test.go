package engine

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/standin"
)

// sessionOf is shell text that sets $session to the session id of the arguments.
const sessionOf = `while [ $# -gt 0 ]; do [ "$1" = --session-id ] && session=$2; shift; done; cat >/dev/null
`

// reporting is a script that prints a reply with these further fields and exits.
func reporting(exit int, fields string) string {
	return sessionOf + `printf '{"type":"result","session_id":"%s",%s}\n' "$session" '` + fields + `'; exit ` + strconv.Itoa(exit)
}

const (
	oneModel  = `"modelUsage":{"claude-sonnet-5-5":{"inputTokens":5,"outputTokens":3,"cacheReadInputTokens":2,"cacheCreationInputTokens":1,"costUSD":0.25}}`
	apiFailed = `"is_error":true,"subtype":"success","terminal_reason":"api_error","num_turns":1,"modelUsage":{}`
)

// scriptedFailures are ends that no server causes in the real CLI, or that a test should not wait for.
var scriptedFailures = []struct {
	name string
	code contract.Code
	body string
}{
	{"no output, exit 0", contract.CodeEngineOutputInvalid, `exit 0`},
	{"no output, exit 2", contract.CodeEngineOutputInvalid, `exit 2`},
	{"usage text", contract.CodeEngineOutputInvalid, `echo 'Usage: claude [options]'; exit 0`},
	{"a list", contract.CodeEngineOutputInvalid, `echo '[{"type":"result"}]'; exit 0`},
	{"two objects", contract.CodeEngineOutputInvalid, `echo '{}'; ` + reporting(0, `"is_error":false,"num_turns":2`)},
	{"killed after half an object", contract.CodeEngineOutputInvalid, `printf '{"type":"result"'; kill -KILL $$`},
	{"too much output", contract.CodeEngineOutputInvalid, `while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done`},
	{"schema", contract.CodeEngineSchemaRefused, `echo 'Error: --json-schema is not a valid JSON Schema: ` + canary + `' >&2; exit 1`},
	{"no bubblewrap", contract.CodeEngineSandboxMissing, `printf 'source text\nError: bubblewrap is required for subprocess env scrubbing' >&2; exit 1`},
	{"no bubblewrap, one line", contract.CodeEngineSandboxMissing, `echo 'Claude Code could not start: bubblewrap is required for' >&2; exit 1`},
	{"unknown option", contract.CodeEngineArguments, `echo "error: unknown option '--no-chrome'" >&2; exit 1`},
	{"session id", contract.CodeEngineArguments, `echo 'Error: Invalid session ID. Must be a valid UUID.' >&2; exit 1`},
	{"system prompt file", contract.CodeEngineArguments, `echo 'Error: System prompt file not found: x' >&2; exit 1`},
	{"no input", contract.CodeEnginePrompt, `echo 'Error: Input must be provided either through stdin' >&2; exit 1`},
	{"white space", contract.CodeEnginePrompt, `echo 'Error: Input contained only whitespace' >&2; exit 1`},
	{"too much input", contract.CodeEnginePrompt, `echo 'Error: piped stdin input exceeds 10MB. Pass' >&2; exit 1`},
	{"unknown start failure", contract.CodeEngineStart, `echo '` + canary + `' >&2; exit 1`},
	{"a notice, then a constant", contract.CodeEngineStart, `echo 'x Error: --json-schema' >&2; exit 1`},
	{"terminated", contract.CodeEngineKilled, `exit 143`},
	{"hung up", contract.CodeEngineKilled, `exit 129`},
	{"killed", contract.CodeEngineKilled, `kill -KILL $$`},
	{"interrupted, exit 0", contract.CodeEngineInterrupted, reporting(0, `"is_error":true,"subtype":"error_during_execution","terminal_reason":"aborted_streaming","num_turns":2,"modelUsage":{}`)},
	{"another session", contract.CodeEngineIdentity, `echo '{"type":"result","session_id":"other","is_error":false,"num_turns":2,"structured_output":{},` + oneModel + `}'`},
	{"another model", contract.CodeEngineIdentity, reporting(0, `"is_error":false,"num_turns":2,"structured_output":{},"modelUsage":{"claude-opus-5-5":{}}`)},
	{"another model beside ours", contract.CodeEngineIdentity, reporting(1, `"is_error":true,"api_error_status":529,"num_turns":2,"modelUsage":{"claude-sonnet-5-5":{},"claude-opus-5-5":{}}`)},
	{"an answer without a model", contract.CodeEngineIdentity, reporting(0, `"is_error":false,"num_turns":2,"structured_output":{},"modelUsage":{}`)},
	{"not logged in", contract.CodeEngineAuth, reporting(1, apiFailed+`,"result":"Not logged in · Please run /login"`)},
	{"an unknown status", contract.CodeEngineOther, reporting(1, `"is_error":true,"subtype":"success","api_error_status":418,"num_turns":1,"modelUsage":{}`)},
	{"unreachable", contract.CodeEngineUnreachable, reporting(1, apiFailed)},
	{"turns", contract.CodeEngineTurns, reporting(1, `"is_error":true,"subtype":"error_max_turns","num_turns":8,`+oneModel)},
	{"an unknown error", contract.CodeEngineOther, reporting(0, `"is_error":true,"subtype":"new","num_turns":2,`+oneModel)},
	{"an answer with exit 3", contract.CodeEngineOther, reporting(3, `"is_error":false,"num_turns":2,"structured_output":{},`+oneModel)},
	{"slash command", contract.CodeEnginePrompt, reporting(0, `"is_error":false,"subtype":"success","num_turns":0,"modelUsage":{},"result":"`+canary+`"`)},
	{"an answer of null", contract.CodeResultMissing, reporting(0, `"is_error":false,"num_turns":2,"structured_output":null,`+oneModel)},
	{"the CLI replaces itself", contract.CodeEngineVersion, `mv "$0" "$0.old"; cp "$0.old" "$0"; ` + reporting(0, `"is_error":false,"num_turns":2,"structured_output":{},`+oneModel)},
	{"the CLI changes itself and sets its time back", contract.CodeEngineVersion, `cp -p "$0" "$TMPDIR/old"; sed 's/^session=none$/session=gone/' "$TMPDIR/old" > "$0"; touch -r "$TMPDIR/old" "$0"; ` + reporting(0, `"is_error":false,"num_turns":2,"structured_output":{},`+oneModel)},
	{"the CLI is swapped and swapped back", contract.CodeEngineVersion, `cp -p "$0" "$TMPDIR/other"; mv "$0" "$TMPDIR/old"; mv "$TMPDIR/other" "$0"; mv "$TMPDIR/old" "$0"; ` + reporting(0, `"is_error":false,"num_turns":2,"structured_output":{},`+oneModel)},
	{"the CLI updates itself", contract.CodeEngineVersion, `sed -i s/2.1.306/2.1.332/ "$0"; ` + reporting(0, `"is_error":false,"num_turns":2,"structured_output":{},`+oneModel)},
}

// TestScriptedFailures holds the rest of the taxonomy with a script in place of the CLI.
func TestScriptedFailures(t *testing.T) {
	for _, failing := range scriptedFailures {
		t.Run(failing.name, func(t *testing.T) {
			if outcome := ask(t, scripted(t, failing.body), requestWith("x")); outcome.Failure != failing.code {
				t.Errorf("failure %q, want %q", outcome.Failure, failing.code)
			}
		})
	}
}

// TestScriptedAnswer holds that the script's form of a reply is an answer where nothing is wrong with it, and that usage
// comes from modelUsage.
func TestScriptedAnswer(t *testing.T) {
	outcome := ask(t, scripted(t, reporting(0, `"is_error":false,"num_turns":3,"structured_output":{"n":1},"usage":{"input_tokens":999},`+oneModel)), requestWith("x"))
	outcome.Usage.Milliseconds = 0
	want := contract.Usage{InputTokens: 5, OutputTokens: 3, CacheReadTokens: 2, CacheWriteTokens: 1, CostMicrousd: 250_000, Requests: 2, Complete: true}
	if string(outcome.Answer) != `{"n":1}` || outcome.Usage != want {
		t.Errorf("answer %s, failure %q, usage %+v", outcome.Answer, outcome.Failure, outcome.Usage)
	}
}

// TestBeforeTheStart holds the failures that are found before the CLI runs: nothing is asked, nothing is spent.
func TestBeforeTheStart(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "started")
	body := "touch " + marker
	for name, failing := range map[string]struct {
		code   contract.Code
		change func(*Claude, *Request)
	}{
		"no CLI":                    {contract.CodeEngineMissing, func(c *Claude, _ *Request) { c.binary += ".absent" }},
		"a directory":               {contract.CodeEngineMissing, func(c *Claude, _ *Request) { c.binary = filepath.Dir(c.binary) }},
		"not executable":            {contract.CodeEngineMissing, func(c *Claude, _ *Request) { must(t, os.Chmod(c.binary, 0o600)) }},
		"another digest":            {contract.CodeEngineVersion, func(c *Claude, _ *Request) { c.digest = contract.Digest(nil) }},
		"another version":           {contract.CodeEngineVersion, func(c *Claude, _ *Request) { c.pin.Version = "2.1.30" }},
		"no bubblewrap":             {contract.CodeEngineSandboxMissing, func(c *Claude, _ *Request) { c.path = t.TempDir() }},
		"no credential":             {contract.CodeEngineAuth, func(c *Claude, _ *Request) { c.credential = secret.Credential{} }},
		"a long schema":             {contract.CodeEngineSchemaSize, func(_ *Claude, r *Request) { r.Schema = []byte(strings.Repeat(" ", schemaLimit+1)) }},
		"no schema":                 {contract.CodeEngineArguments, func(_ *Claude, r *Request) { r.Schema = nil }},
		"no model":                  {contract.CodeEngineArguments, func(_ *Claude, r *Request) { r.Model = "" }},
		"text that is not a record": {contract.CodeEnginePrompt, func(_ *Claude, r *Request) { r.Task = taskWith("\xff") }},
		"no place":                  {contract.CodeEngineStart, func(c *Claude, _ *Request) { c.temporary += "/absent" }},
	} {
		t.Run(name, func(t *testing.T) {
			engine, request := scripted(t, body), requestWith("x")
			failing.change(engine, &request)
			outcome := ask(t, engine, request)
			if outcome.Failure != failing.code || outcome.Usage != (contract.Usage{Complete: true}) {
				t.Errorf("failure %q, usage %+v, want %q and nothing spent", outcome.Failure, outcome.Usage, failing.code)
			}
			if _, err := os.Stat(marker); err == nil {
				t.Error("the CLI was started")
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSchemaLimit holds that the longest schema still starts the CLI, and that the system refuses one byte more.
func TestSchemaLimit(t *testing.T) {
	engine, request := scripted(t, reporting(0, `"is_error":false,"num_turns":2,"structured_output":{},`+oneModel)), requestWith("x")
	for bytes, want := range map[int]contract.Code{131071: "", 131072: contract.CodeEngineSchemaSize} {
		request.Schema = []byte(strings.Repeat(" ", bytes))
		// Too long a schema is found before anything is looked at.
		if outcome := ask(t, engine, request); outcome.Failure != want || (outcome.Engine.Binary == nil) != (want != "") {
			t.Errorf("%d bytes: %q, want %q", bytes, outcome.Failure, want)
		}
	}
	if err := exec.Command(engine.binary, strings.Repeat(" ", 131072)).Run(); !errors.Is(err, syscall.E2BIG) {
		t.Errorf("the system takes an argument of 131072 bytes: %v", err)
	}
}

// TestVersionAfterwards holds that the version is asked for again after the call, whatever the file says of itself.
func TestVersionAfterwards(t *testing.T) {
	version := filepath.Join(t.TempDir(), "version")
	must(t, os.WriteFile(version, []byte("2.1.306"), 0o600))
	path, digest, err := standin.ScriptedCLI(t.TempDir(), `'"$(cat `+version+`)"'`,
		`printf 2.1.332 > `+version+`; `+reporting(0, `"is_error":false,"num_turns":2,"structured_output":{},`+oneModel))
	must(t, err)
	pin := pinOf("http://127.0.0.1:1")
	pin.Binaries = map[string]string{runtime.GOOS + "-" + runtime.GOARCH: digest}
	if outcome := ask(t, claudeAt(t, path, pin), requestWith("x")); outcome.Failure != contract.CodeEngineVersion {
		t.Errorf("failure %q", outcome.Failure)
	}
}

// TestDeadline holds the end of a CLI that does not end: SIGINT first, usage as a lower bound; SIGKILL where SIGINT is not
// heeded; and nothing is left of the group either way.
func TestDeadline(t *testing.T) {
	interruptible := `session=$1; ` + sessionOf + `trap 'printf "{\"type\":\"result\",\"session_id\":\"%s\",\"is_error\":true,\"num_turns\":2,%s}" "$session" "$usage"; exit 0' INT
usage='` + oneModel + `'; while :; do sleep 0.05; done`
	for name, hanging := range map[string]struct {
		body  string
		input int64
	}{
		"heeds SIGINT":  {interruptible, 5},
		"heeds nothing": {`trap '' INT TERM; while :; do sleep 1000; done`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			request := requestWith("x")
			request.Limits.Seconds = 1
			outcome := ask(t, scripted(t, hanging.body), request)
			if outcome.Failure != contract.CodeEngineTimeout || outcome.Usage.Complete || outcome.Usage.InputTokens != hanging.input {
				t.Errorf("failure %q, usage %+v", outcome.Failure, outcome.Usage)
			}
		})
	}
}

// TestRealClaudeDeadline holds that a silent server costs no more than the deadline, and that nothing is left.
func TestRealClaudeDeadline(t *testing.T) {
	api := standin.Start(t, strict(), standin.Silence())
	request := requestWith("x")
	request.Limits.Seconds = 2
	outcome := ask(t, realClaude(t, api.URL()), request)
	if outcome.Failure != contract.CodeEngineTimeout || outcome.Usage.Complete {
		t.Errorf("failure %q, usage %+v", outcome.Failure, outcome.Usage)
	}
}

// TestSurvivors holds that what a CLI leaves running, in its group or out of it, is gone when Answer returns, on success too, and that it
// does not delay the end by holding the pipes.
func TestSurvivors(t *testing.T) {
	for name, c := range map[string]struct{ before, exit string }{
		"success": {"", "0"}, "failure": {"", "3"},
		"in a session of its own":                    {"setsid ", "0"},
		"in a session of its own, without a pipe":    {"setsid -f ", "0"},
		"in a session of its own, elsewhere":         {"cd /; setsid ", "0"},
		"in a session of its own, in no environment": {"env -i PATH=/usr/bin:/bin setsid ", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			exit, left, up := c.exit, "airlock-survivor-"+newSession(), filepath.Join(t.TempDir(), "up")
			body := c.before + `sh -c ': > ` + up + `; trap "" INT TERM HUP; while :; do sleep 1000; done' ` + left + ` & while ! [ -e ` + up + ` ]; do sleep 0.01; done; ` +
				strings.Replace(reporting(0, `"is_error":false,"num_turns":2,"structured_output":{},`+oneModel), "exit 0", "exit "+exit, 1)
			outcome := ask(t, scripted(t, body), requestWith("x"))
			if got := outcome.Failure == ""; got != (exit == "0") {
				t.Errorf("failure %q", outcome.Failure)
			}
			if running := processesWith(t, left); len(running) != 0 {
				t.Errorf("still running: %v", running)
			}
		})
	}
}

// TestStandardErrorIsBounded holds that much standard error does not stop the CLI, and that one who does not stop printing there
// is stopped.
func TestStandardErrorIsBounded(t *testing.T) {
	for body, want := range map[string]contract.Code{
		`head -c 2000000 /dev/zero >&2; `:                   "",
		`while :; do head -c 1000000 /dev/zero; done >&2; `: contract.CodeEngineOutputInvalid,
	} {
		outcome := ask(t, scripted(t, body+reporting(0, `"is_error":false,"num_turns":2,"structured_output":{},`+oneModel)), requestWith("x"))
		if outcome.Failure != want {
			t.Errorf("%s: failure %q, want %q", body, outcome.Failure, want)
		}
	}
}

// TestInputIsNotRead holds that a CLI that does not read its prompt is judged by how it ends.
func TestInputIsNotRead(t *testing.T) {
	body := strings.Replace(reporting(0, `"is_error":false,"num_turns":2,"structured_output":{},`+oneModel), "cat >/dev/null", "", 1)
	if outcome := ask(t, scripted(t, body), requestWith(strings.Repeat("x", 1<<20))); outcome.Failure != "" {
		t.Errorf("failure %q", outcome.Failure)
	}
}

// elsewhere are the codes of the engine stage that no engine of this release gives, and why.
var elsewhere = map[contract.Code]string{
	contract.CodeEngineEgress: "the broker gives it: TestBrokerEndsTheRun",
	contract.CodeResultSecret: "the run program gives it, which alone sees the whole answer beside the credential",
}

// TestEngineFailures holds that every code of the engine stage has a test that causes it.
func TestEngineFailures(t *testing.T) {
	caused := map[contract.Code]string{
		contract.CodeEngineMissing: "TestBeforeTheStart/no CLI", contract.CodeEngineSchemaSize: "TestBeforeTheStart/a long schema",
		contract.CodeEngineTimeout: "TestDeadline", contract.CodeEngineSandboxRefused: "TestSandboxRefused",
	}
	for _, failing := range realFailures {
		caused[failing.code] = "TestRealClaudeFailures/" + failing.name
	}
	for _, failing := range scriptedFailures {
		caused[failing.code] = "TestScriptedFailures/" + failing.name
	}
	for _, code := range contract.CodesOf(contract.StageEngine) {
		t.Run(string(code), func(t *testing.T) {
			by, isCaused := caused[code]
			why, isElsewhere := elsewhere[code]
			if isCaused == isElsewhere {
				t.Errorf("caused by %q, excepted because %q: exactly one must be", by, why)
			}
		})
	}
	for code := range caused {
		if reason, known := contract.ReasonOf(code); !known || !slices.Contains([]contract.Stage{contract.StageEngine, contract.StageModel, contract.StageArtifact}, reason.Stage) {
			t.Errorf("%s is no code of a Result", code)
		}
	}
}

// TestNewClaude holds what a pin may ask for in this release.
func TestNewClaude(t *testing.T) {
	good := pinOf("https://api.anthropic.com")
	good.Binaries[runtime.GOOS+"-"+runtime.GOARCH] = contract.Digest(nil)
	for name, refused := range map[string]struct {
		field  string
		change func(*contract.EnginePin)
	}{
		"no credential":     {"credential", func(p *contract.EnginePin) { p.Credential = "none" }},
		"sandbox":           {"sandbox", func(p *contract.EnginePin) { p.Sandbox = "chroot" }},
		"no binary":         {"binaries", func(p *contract.EnginePin) { p.Binaries = map[string]string{"plan9-mips": ""} }},
		"another host":      {"upstream", func(p *contract.EnginePin) { p.Upstream = "https://collector.example.invalid" }},
		"http off loopback": {"upstream", func(p *contract.EnginePin) { p.Upstream = "http://192.0.2.1:80" }},
		"a name like ours":  {"upstream", func(p *contract.EnginePin) { p.Upstream = "http://127.0.0.1.example.invalid" }},
		"a user":            {"upstream", func(p *contract.EnginePin) { p.Upstream = "http://localhost@example.invalid" }},
		"not an address":    {"upstream", func(p *contract.EnginePin) { p.Upstream = "http://%zz" }},
	} {
		t.Run(name, func(t *testing.T) {
			pin := good
			refused.change(&pin)
			_, err := NewClaude(pin, ClaudeOptions{Binary: "/x"})
			if err == nil || !strings.Contains(err.Error(), "engines."+refused.field) {
				t.Errorf("error %v does not name %s", err, refused.field)
			}
		})
	}
	for address, told := range map[string]string{
		"https://api.anthropic.com": "", "http://127.0.0.1:8080": "http://127.0.0.1:8080", "http://[::1]:8080": "http://[::1]:8080", "http://localhost:1": "http://localhost:1",
	} {
		pin := good
		pin.Upstream = address
		claude, err := NewClaude(pin, ClaudeOptions{Binary: "/x"})
		if err != nil || claude.direct().address != told || claude.StandIn() != (told != "") {
			t.Errorf("upstream %s: %v", address, err)
		}
	}
	for address, possible := range map[string]bool{"https://gateway.example": true, "http://gateway.example": false, "https://gateway.example/path": false} {
		pin := good
		pin.Credential, pin.Upstream = "broker", address
		if _, err := NewClaude(pin, ClaudeOptions{Binary: "/x"}); (err == nil) != possible {
			t.Errorf("a broker before %s: %v", address, err)
		}
	}
}

// TestCancelledWithoutAWord holds that a call that was cancelled is interrupted, also where the CLI ends without a word.
func TestCancelledWithoutAWord(t *testing.T) {
	for name, body := range map[string]string{
		"nothing, exit 0": `trap 'exit 0' INT; `, "half an object": `trap 'printf "{"; exit 0' INT; `, "exit 1": `trap 'exit 1' INT; `, "by the signal": ``,
	} {
		t.Run(name, func(t *testing.T) {
			up := filepath.Join(t.TempDir(), "up")
			engine, request := scripted(t, body+`cat >/dev/null; : > `+up+`; while :; do sleep 0.01; done`), requestWith("x")
			ctx, cancel := newCancel(t)
			ended := make(chan Outcome)
			go func() { ended <- engine.Answer(ctx, request) }()
			for {
				if _, err := os.Stat(up); err == nil {
					break
				}
				runtime.Gosched()
			}
			cancel()
			if outcome := <-ended; outcome.Failure != contract.CodeEngineInterrupted {
				t.Errorf("failure %q", outcome.Failure)
			}
		})
	}
}
