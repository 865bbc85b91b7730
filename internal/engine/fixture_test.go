package engine

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/standin"
)

const (
	testToken  = "sk-ant-oat01-standin-Kq7Zw2Lr9TnB4xVh"
	testModel  = "claude-sonnet-5-5"
	testPrompt = "You review one change. SYSTEM-PROMPT-OF-OURS."
	testSchema = `{"type":"object","properties":{"verdict":{"type":"string","enum":["ok","bad"]},"n":{"type":"integer"}},"required":["verdict","n"],"additionalProperties":false}`
	goodAnswer = `{"verdict":"ok","n":1}`
)

// pinOf is a pin of the real CLI whose upstream is a stand-in.
func pinOf(upstream string) contract.EnginePin {
	return contract.EnginePin{
		Binaries:   map[string]string{"linux-amd64": "sha256:520bc6c1f40af466bd03a278b5ae1af1a2938bc7de5b9e5cb15526da20d71cfe"},
		Credential: CredentialDirect, Name: ClaudeName, Sandbox: sandbox.KindOff, Upstream: upstream, Version: "2.1.306",
	}
}

// realClaude is the real CLI before a stand-in. Its directory must be empty when the test ends.
func realClaude(t testing.TB, upstream string) *Claude {
	t.Helper()
	return claudeAt(t, standin.RealCLI(t, "../.."), pinOf(upstream))
}

func claudeAt(t testing.TB, binary string, pin contract.EnginePin) *Claude {
	t.Helper()
	// Not t.TempDir: its path names the test, and the model may see it.
	temporary, err := os.MkdirTemp("", "d")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		left, err := os.ReadDir(temporary)
		if err != nil || len(left) != 0 {
			t.Errorf("left in the temporary directory: %v, %v", left, err)
		}
		if err := os.RemoveAll(temporary); err != nil {
			t.Error(err)
		}
	})
	claude, err := NewClaude(pin, ClaudeOptions{Binary: binary, Credential: secret.New(testToken), Path: os.Getenv("PATH"), Temporary: temporary, Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return claude
}

// confined puts an engine's CLI into a sandbox.
func confined(c *Claude) *Claude {
	c.pin.Sandbox = sandbox.KindBubblewrap
	return c
}

// scripted is an engine whose CLI is a shell script.
func scripted(t testing.TB, body string) *Claude {
	t.Helper()
	standin.NeedBubblewrap(t)
	path, digest, err := standin.ScriptedCLI(t.TempDir(), "2.1.306", body)
	if err != nil {
		t.Fatal(err)
	}
	pin := pinOf("http://127.0.0.1:1")
	pin.Binaries = map[string]string{runtime.GOOS + "-" + runtime.GOARCH: digest}
	return claudeAt(t, path, pin)
}

func requestWith(text string) Request {
	return Request{
		Task: taskWith(text), Prompt: []byte(testPrompt), Schema: []byte(testSchema), Model: testModel, Effort: "medium",
		Limits: contract.Limits{CostMicrousd: 2_000_000, Seconds: 60}, Session: newSession(),
	}
}

func newSession() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// TestMain makes the test's own executable the keeper of what it starts.
func TestMain(m *testing.M) {
	if sandbox.IsKeeper(os.Args) {
		os.Exit(sandbox.Keep())
	}
	if len(os.Args) == 2 && os.Args[1] == confinementArgument {
		if err := startConfined(os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func strict() standin.Options { return standin.Options{Token: testToken} }

// processesWith lists processes whose command line holds the text. The session id finds the CLI and what it starts.
func processesWith(t testing.TB, text string) []string {
	t.Helper()
	var found []string
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range lines {
		// A process that ended meanwhile has no line.
		if line, err := os.ReadFile(path); err == nil && bytes.Contains(line, []byte(text)) {
			found = append(found, path+": "+strings.ReplaceAll(string(line), "\x00", " ")[:min(len(line), 80)])
		}
	}
	return found
}

func ask(t testing.TB, engine Engine, request Request) Outcome {
	t.Helper()
	outcome := engine.Answer(context.Background(), request)
	if (outcome.Failure == "") != (outcome.Answer != nil) {
		t.Errorf("the outcome is not one of answer and failure: %d bytes, %q", len(outcome.Answer), outcome.Failure)
	}
	if left := processesWith(t, request.Session); len(left) != 0 {
		t.Errorf("still running: %v", left)
	}
	return outcome
}

func newCancel(t testing.TB) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return ctx, cancel
}

// makePlace makes a place as a runner without a sandbox does, which stays for the test to look at.
func makePlace(t *testing.T) sandbox.Place {
	t.Helper()
	// Not t.TempDir: its path names the test, and the model may see it.
	root, err := os.MkdirTemp("", "d")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(root)) })
	place := sandbox.Place{Home: filepath.Join(root, "home"), Temporary: filepath.Join(root, "tmp"), Work: filepath.Join(root, "work"), Files: filepath.Join(root, "files")}
	for _, directory := range []string{place.Home, place.Temporary, place.Work, place.Files} {
		must(t, os.Mkdir(directory, 0o700))
	}
	must(t, os.WriteFile(filepath.Join(place.Files, promptFile), []byte(testPrompt), 0o600))
	return place
}

// bare runs a CLI without a runner and returns what it printed.
func bare(t *testing.T, binary string, place sandbox.Place, arguments, environment []string, input []byte) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, binary, arguments...)
	command.Dir, command.Env, command.Stdin = place.Work, environment, bytes.NewReader(input)
	printed, err := command.Output()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return printed
}
