package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// opening is the time of tests that play no program.
var opening = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

func clock() time.Time { return opening }

// withoutApps leaves out the App, whose key a test that writes nothing does not make.
func withoutApps(seed emulator.Seed) emulator.Seed {
	seed.Apps = nil
	return seed
}

// servedDiff is the diff as the emulated GitHub serves it.
func servedDiff(t *testing.T, server *emulator.Server, s *Scenario) []byte {
	t.Helper()
	run, err := server.SetWorkflowRun(emulator.Run{ID: 1, WorkflowID: workflowID, Event: "pull_request_target", Status: "in_progress",
		HeadBranch: s.Repository.DefaultBranch, ActorID: s.Maintainers[0].ID, Number: 1, Attempt: 1, CreatedAt: opening, UpdatedAt: opening})
	if err != nil {
		t.Fatal(err)
	}
	token, err := server.MintJobToken(emulator.JobToken{RunID: run, Permissions: map[string]string{"metadata": "read", "pull_requests": "read", "contents": "read"}})
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodGet, "/repos/"+s.Repository.Owner+"/"+s.Repository.Name+"/pulls/"+strconv.Itoa(s.Number), nil)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Accept", "application/vnd.github.diff")
	request.Header.Set("User-Agent", "test")
	recorder := httptest.NewRecorder()
	server.Handler().ServeHTTP(recorder, request)
	if recorder.Code != http.StatusOK {
		t.Fatalf("the diff is answered with %d: %s", recorder.Code, recorder.Body.String())
	}
	return recorder.Body.Bytes()
}

// TestMain removes the programs that tests built.
func TestMain(m *testing.M) {
	code := m.Run()
	if folder, err := programsOnce(); err == nil {
		os.RemoveAll(folder)
	}
	os.Exit(code)
}

// programsOnce builds the three programs at its first call.
var programsOnce = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "airlock-test-")
	if err != nil {
		return "", err
	}
	arguments := []string{"build", "-o", folder + string(filepath.Separator)}
	for _, name := range programs() {
		arguments = append(arguments, "../../actions/"+name)
	}
	if out, err := exec.Command("go", arguments...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the programs: %w\n%s", err, out)
	}
	return folder, nil
})

// built returns the folder with the three programs.
func built(t *testing.T) string {
	t.Helper()
	folder, err := programsOnce()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// options are those of a whole demo that keeps nothing.
func options(t *testing.T, programs string) Options {
	return Options{RepeatApply: 1, Engine: EngineReplay, Programs: programs, Env: map[string]string{"PATH": os.Getenv("PATH")}, Now: time.Now,
		Temporary: t.TempDir(), Stdout: io.Discard}
}

// TestOneReviewHoweverOften holds that applying the same Result again writes nothing: at the end there is one review of each
// Run, as GitHub itself counts.
func TestOneReviewHoweverOften(t *testing.T) {
	o := options(t, built(t))
	o.RepeatApply, o.JSON, o.Out = 3, true, filepath.Join(t.TempDir(), "kept")
	var out bytes.Buffer
	o.Stdout = &out
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if want := (totals{Reviews: 2, Replies: 3, Threads: 4, Checks: 3, Minted: d.GitHub.Minted, Live: 0}); d.GitHub != want {
		t.Errorf("on GitHub stand %+v, want %+v", d.GitHub, want)
	}
	for n, want := range []int{1, 4, 0} {
		if got := len(d.Runs[n].Effects); got != want {
			t.Errorf("Run %d has %d effects, want %d", n+1, got, want)
		}
		for _, effect := range d.Runs[n].Effects {
			if effect.State != "already_applied" {
				t.Errorf("Run %d: the last apply says of %s that it is %s", n+1, effect.ID, effect.State)
			}
		}
	}
	// GitHub's own call log: one request that makes a review, for each Run.
	var state emulator.State
	data, err := os.ReadFile(filepath.Join(o.Out, "github.json"))
	if err == nil {
		err = json.Unmarshal(data, &state)
	}
	if err != nil {
		t.Fatal(err)
	}
	posted := 0
	for _, call := range state.Calls {
		if call.Method == http.MethodPost && strings.HasSuffix(call.Path, "/reviews") {
			posted++
		}
	}
	if posted != 2 {
		t.Errorf("%d requests made a review, want 2", posted)
	}
	if entries, err := os.ReadDir(o.Temporary); err != nil || len(entries) > 0 {
		t.Errorf("the demo left %d folders, %v", len(entries), err)
	}
}

// TestDiscard holds that a folder which was there before stays, empty as it was.
func TestDiscard(t *testing.T) {
	folder := t.TempDir()
	keep, err := newKeeper(folder)
	if err := errors.Join(err, keep.file("run-1/result.json", nil), keep.file("seed.json", nil), keep.discard()); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("it holds %d entries, %v", len(entries), err)
	}
}

// TestEnvironmentOfEachJob holds which variables each program is started with: no credential of another job's.
func TestEnvironmentOfEachJob(t *testing.T) {
	folder := t.TempDir()
	real := built(t)
	for _, name := range programs() {
		script := "#!/bin/sh\nenv | sed -n 's/^\\([A-Z][A-Z0-9_]*\\)=.*/\\1/p' | grep -v -e '^PWD$' -e '^OLDPWD$' -e '^SHLVL$' | LC_ALL=C sort > " + filepath.Join(folder, name+".env") + "\nexec " + filepath.Join(real, name) + "\n"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	o := options(t, folder)
	o.Env["CLAUDE_CODE_OAUTH_TOKEN"], o.Env["SECRET_OF_THE_CALLER"] = "x", "y"
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	const runner = "CI GITHUB_ACTIONS GITHUB_API_URL GITHUB_EVENT_NAME GITHUB_EVENT_PATH GITHUB_GRAPHQL_URL GITHUB_OUTPUT GITHUB_REPOSITORY " +
		"GITHUB_REPOSITORY_ID GITHUB_RUN_ATTEMPT GITHUB_RUN_ID GITHUB_SERVER_URL GITHUB_STEP_SUMMARY GITHUB_WORKFLOW_REF PATH RUNNER_TEMP "
	for name, own := range map[string]string{
		"decide": "AIRLOCK_AGAIN AIRLOCK_BUNDLE AIRLOCK_INTENT AIRLOCK_NUMBER AIRLOCK_ROLE GITHUB_TOKEN",
		"run":    "AIRLOCK_BUNDLE AIRLOCK_DECISION_SHA256 AIRLOCK_REPLAY AIRLOCK_RESULT CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_SUBPROCESS_ENV_SCRUB",
		"apply": "AIRLOCK_APP_PRIVATE_KEY AIRLOCK_BUNDLE_ARTIFACT_DIGEST AIRLOCK_BUNDLE_ARTIFACT_ID AIRLOCK_DECISION_SHA256 AIRLOCK_OUT " +
			"AIRLOCK_RESULT_ARTIFACT_DIGEST AIRLOCK_RESULT_ARTIFACT_ID AIRLOCK_RESULT_SHA256 GITHUB_TOKEN",
	} {
		data, err := os.ReadFile(filepath.Join(folder, name+".env"))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Fields(runner + own)
		slices.Sort(want)
		if got := strings.Fields(string(data)); !slices.Equal(got, want) {
			t.Errorf("%s is started with\n%q, want\n%q", name, got, want)
		}
	}
}

// TestInterrupted holds that a demo that is interrupted while a program works leaves no process and no folder.
func TestInterrupted(t *testing.T) {
	folder := t.TempDir()
	started := filepath.Join(folder, "pid")
	if err := exec.Command("mkfifo", started).Run(); err != nil {
		t.Fatal(err)
	}
	for _, name := range programs() {
		script := "#!/bin/sh\necho $$ > " + started + "\nexec sleep 300\n"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	o := options(t, folder)
	o.Out = filepath.Join(t.TempDir(), "kept")
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, o) }()
	data, err := os.ReadFile(started) // waits until the program writes
	if err != nil {
		t.Fatal(err)
	}
	interrupt()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("ended with %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	if process, err := os.FindProcess(pid); err == nil && process.Signal(syscall.Signal(0)) == nil {
		t.Errorf("the process %d still runs", pid)
	}
	if entries, err := os.ReadDir(o.Temporary); err != nil || len(entries) > 0 {
		t.Errorf("the demo left %d folders, %v", len(entries), err)
	}
	if _, err := os.Stat(o.Out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the records of half a demo are kept: %v", err)
	}
}

// TestProgramsThatFail holds that the account and the error say which program did not do its part, and that apply reports
// when run left nothing.
func TestProgramsThatFail(t *testing.T) {
	real := built(t)
	for name, want := range map[string]struct {
		account []string
		failed  string
	}{
		"decide": {[]string{"ended     with exit code 2 and no record:", "broken on purpose", "── Run 2 is not played"}, "Run 1: decide ended with exit code 2"},
		"run":    {[]string{"broken on purpose", "artifact_missing", "end       failed, exit code 1"}, "Run 1: run ended with exit code 2; Run 1: apply ended with exit code 1"},
		"apply":  {[]string{"broken on purpose", "── Run 2 is not played"}, "Run 1: apply ended with exit code 2"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for _, program := range programs() {
				if err := os.Symlink(filepath.Join(real, program), filepath.Join(folder, program)); err != nil {
					t.Fatal(err)
				}
			}
			broken := filepath.Join(folder, name)
			if err := errors.Join(os.Remove(broken), os.WriteFile(broken, []byte("#!/bin/sh\nprintf 'broken on purpose\\033[2J\\n'\nexit 2\n"), 0o755)); err != nil {
				t.Fatal(err)
			}
			o := options(t, folder)
			var out bytes.Buffer
			o.Stdout = &out
			err := Run(context.Background(), o)
			var failed *Failed
			if !errors.As(err, &failed) || err.Error() != want.failed {
				t.Errorf("ended with %v, want %q", err, want.failed)
			}
			for _, line := range want.account {
				if !strings.Contains(out.String(), line) {
					t.Errorf("the account does not say %q:\n%s", line, out.String())
				}
			}
			if strings.Contains(out.String(), "\x1b") {
				t.Error("a control character reached the terminal")
			}
		})
	}
}

// TestPlain holds that no text of others acts on a terminal or starts a line of its own.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"two\nlines\tand a tab":      "two lines and a tab",
		"\x1b[2Jcleared":             "⟦U+001B⟧[2Jcleared",
		"right\u202eleft":            "right⟦U+202E⟧left",
		"bad\xff":                    "bad⟦xFF⟧",
		strings.Repeat("x", longest): strings.Repeat("x", longest),
		strings.Repeat("x", 500):     strings.Repeat("x", longest-1) + "…",
	} {
		if got := plain(text); got != want {
			t.Errorf("plain(%q) is %q, want %q", text, got, want)
		}
	}
}

func TestFindCLI(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"cli/claude", "cli/plain", "tools/bwrap"} {
		path := filepath.Join(folder, name)
		mode := os.FileMode(0o755)
		if strings.HasSuffix(name, "plain") {
			mode = 0o644
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("#!/bin/sh\n"), mode)); err != nil {
			t.Fatal(err)
		}
	}
	cli, tools := filepath.Join(folder, "cli"), filepath.Join(folder, "tools")
	both := cli + string(os.PathListSeparator) + tools
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"nothing":          {map[string]string{"PATH": tools}, "there is no claude on PATH"},
		"not a program":    {map[string]string{"PATH": both, "AIRLOCK_CLI": filepath.Join(cli, "plain")}, "AIRLOCK_CLI names no program"},
		"not logged in":    {map[string]string{"PATH": both}, "CLAUDE_CODE_OAUTH_TOKEN is not set"},
		"no bubblewrap":    {map[string]string{"PATH": cli, credentialName: "x"}, "bubblewrap (bwrap) is not on PATH"},
		"on PATH":          {map[string]string{"PATH": both, credentialName: "x"}, ""},
		"by its own name":  {map[string]string{"PATH": tools, credentialName: "x", "AIRLOCK_CLI": filepath.Join(cli, "claude")}, ""},
		"relative on PATH": {map[string]string{"PATH": "cli", credentialName: "x"}, "there is no claude on PATH"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := findCLI(EngineClaude, c.env)
			if c.want == "" {
				if err != nil || got != filepath.Join(cli, "claude") {
					t.Errorf("got %q, %v", got, err)
				}
				return
			}
			var asked *Usage
			if !errors.As(err, &asked) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestCLIThatIsNotThePinnedOne holds how a live engine that cannot be used ends: a failed Result, a check that asks for a
// person, and no second Run.
func TestCLIThatIsNotThePinnedOne(t *testing.T) {
	tools := t.TempDir()
	for _, name := range []string{"claude", "bwrap"} {
		if err := os.WriteFile(filepath.Join(tools, name), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	o := options(t, built(t))
	o.Engine, o.Env = EngineClaude, map[string]string{"PATH": tools, credentialName: "worthless"}
	var out bytes.Buffer
	o.Stdout = &out
	err := Run(context.Background(), o)
	if err == nil || err.Error() != "Run 1: run ended with exit code 1; Run 1: apply ended with exit code 1" {
		t.Errorf("ended with %v", err)
	}
	for _, line := range []string{"  model       the installed claude CLI", "answer    failed (engine_version: The CLI is not the pinned one.)",
		"check     airlock / pr-review: action required on", "── Run 2 is not played"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("the account does not say %q:\n%s", line, out.String())
		}
	}
	if strings.Contains(out.String(), "worthless") {
		t.Error("the credential is in the account")
	}
}
