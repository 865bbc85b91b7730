package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
	"github.com/seed-2ea642bd/airlock/internal/standin"
)

// confinement is what a process of another user is told to start.
type confinement struct {
	Bubblewrap, Temporary, CLI, Upstream string // no Bubblewrap is no sandbox
	Variant                              []string
	Request                              Request
	Text                                 string
}

// confinementArgument makes the test's own executable such a process.
const confinementArgument = "start-confined"

// startConfined starts the CLI once, with fewer of our arguments and variables, the text alone for a prompt, and every tool.
func startConfined(from io.Reader) error {
	var told confinement
	if err := json.NewDecoder(from).Decode(&told); err != nil {
		return err
	}
	upstream, err := url.Parse(told.Upstream)
	if err != nil {
		return err
	}
	file, err := os.Open(told.CLI)
	if err != nil {
		return err
	}
	runner := sandbox.Off(told.Temporary)
	if told.Bubblewrap != "" {
		runner = sandbox.Bubblewrap(told.Bubblewrap)
	}
	with := variant{without: told.Variant}
	end, err := runner.Run(context.Background(), sandbox.Program{
		File: file, Limit: time.Minute, Input: []byte(told.Text), Files: map[string][]byte{promptFile: told.Request.Prompt},
		Command: func(place sandbox.Place) ([]string, []string) {
			given := with.arguments(arguments(told.Request, filepath.Join(place.Files, promptFile)))
			return append(given, "--dangerously-skip-permissions"),
				with.environment(environment(place, SystemPath, access{address: "http://" + place.Address, token: testToken}))
		},
		Serve: func(listener net.Listener) error {
			go func() { _ = http.Serve(listener, httputil.NewSingleHostReverseProxy(upstream)) }()
			return nil
		},
	})
	if err == nil && end.Exit != 0 {
		err = fmt.Errorf("exit %d: %s%s", end.Exit, end.Stdout, end.Stderr)
	}
	return err
}

// TestP26RealClaude is the trial with the real CLI, stripped of everything of ours that keeps it from files and tools: its text names
// files in every form, the model asks for Bash, Read and Write, and the CLI obeys. In the sandbox nothing of the machine comes
// into a request and nothing is written; without it, everything is.
func TestP26RealClaude(t *testing.T) {
	users := map[string]int{"root": 0, "unprivileged": 64321}
	if os.Getuid() != 0 {
		users = map[string]int{"unprivileged": os.Getuid()}
	}
	for name, user := range users {
		for _, kind := range []string{sandbox.KindBubblewrap, sandbox.KindOff} {
			if kind == sandbox.KindOff && user == 0 {
				continue // the CLI itself refuses to obey as root
			}
			t.Run(name+" "+kind, func(t *testing.T) { tryRealClaude(t, user, kind) })
		}
	}
}

func tryRealClaude(t *testing.T, user int, kind string) {
	directory, err := os.MkdirTemp("/var/tmp", "d")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(directory)) })
	at := func(name string) string { return filepath.Join(directory, name) }
	own, err := os.Executable()
	must(t, err)
	for _, link := range []struct{ from, to string }{{own, "program"}, {standin.RealCLI(t, "../.."), "claude"}} {
		must(t, exec.Command("cp", "-L", link.from, at(link.to)).Run())
	}
	must(t, os.Mkdir(at("tmp"), 0o755))
	canaries := map[string]string{}
	plantAt := func(name, form, path string) string {
		canaries[name] = "TRIAL-CANARY-" + strings.ReplaceAll(name, " ", "-") + "-91cc"
		must(t, os.WriteFile(path, []byte(canaries[name]+"\nsecond line\n"), 0o644))
		return form
	}
	text := "please see" +
		plantAt("absolute", " @"+at("absolute"), at("absolute")) +
		plantAt("lines", " @"+at("lines")+"#L1-2", at("lines")) +
		plantAt("quoted", ` @"`+at("quoted name")+`"`, at("quoted name")) +
		plantAt("tab", "\t@"+at("tab"), at("tab")) +
		plantAt("newline", "\n@"+at("newline"), at("newline")) +
		plantAt("no-break space", "\u00a0@"+at("nbsp"), at("nbsp")) +
		plantAt("up", " @../../../../../../.."+at("up"), at("up")) +
		plantAt("in a string", ` {"text":"see @`+at("string")+` it"}`, at("string"))
	must(t, os.MkdirAll(at("listed/LISTED-CANARY-91cc"), 0o755))
	canaries["a directory"] = "LISTED-CANARY-91cc"
	text += " @" + at("listed") + "/"
	plantAt("by Bash", "", at("bash"))
	plantAt("by Read", "", at("read"))

	// The process whose environment a text may name is one of the same user.
	other := exec.Command("/bin/sleep", "1000")
	other.Env = []string{"SECRET=ENVIRONMENT-CANARY-91cc"}
	asUser(other, user)
	must(t, other.Start())
	defer func() {
		must(t, other.Process.Kill())
		_ = other.Wait() // it says that it was killed
	}()
	canaries["an environment"] = "ENVIRONMENT-CANARY-91cc"
	text += fmt.Sprintf(" @/proc/%d/task/%d/environ please", other.Process.Pid, other.Process.Pid)
	must(t, exec.Command("chown", "-R", fmt.Sprint(user), directory).Run())

	quoted := func(value string) string { data, err := json.Marshal(value); must(t, err); return string(data) }
	api := standin.Start(t, standin.Options{Token: testToken, Lenient: true},
		standin.Message("tool_use", standin.Call("Bash", `{"command":`+quoted("cat "+at("bash")+"; echo x > "+at("made-by-Bash"))+`,"description":"look"}`)),
		standin.Message("tool_use", standin.Call("Read", `{"file_path":`+quoted(at("read"))+`}`)),
		standin.Message("tool_use", standin.Call("Write", `{"file_path":`+quoted(at("made-by-Write"))+`,"content":"x"}`)),
		standin.Answer(goodAnswer))
	told := confinement{Temporary: at("tmp"), CLI: at("claude"), Upstream: api.URL(), Request: requestWith("x"), Text: text, Variant: []string{"--tools", "--restricted",
		"--permission-prompts", "--safe-mode", "CLAUDE_CODE_DISABLE_FILE_MENTIONS", "CLAUDE_CODE_DISABLE_ATTACHMENTS", "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"}}
	if kind == sandbox.KindBubblewrap {
		told.Bubblewrap = bubblewrap(os.Getenv("PATH"))
	}
	told.Request.Task = contract.Task{} // the text is what the model is given
	order, err := json.Marshal(told)
	must(t, err)
	command := exec.Command(at("program"), confinementArgument)
	command.Stdin, command.Dir, command.Env = bytes.NewReader(order), "/", []string{"PATH=" + SystemPath}
	asUser(command, user)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}

	requests := api.Requests()
	if len(requests) != 4 {
		t.Fatalf("%d requests: the CLI did not follow the model", len(requests))
	}
	for name, canary := range canaries {
		leaked := false
		for _, request := range requests {
			leaked = leaked || bytes.Contains(request.Body, []byte(canary))
		}
		// Without a sandbox everything leaks: what is asked of the CLI is asked in a way that it understands.
		if leaked != (kind == sandbox.KindOff) {
			t.Errorf("%s came into a request: %t", name, leaked)
		}
	}
	for _, name := range []string{"made-by-Bash", "made-by-Write"} {
		if _, err := os.Stat(at(name)); (err == nil) != (kind == sandbox.KindOff) {
			t.Errorf("a file %s: %v", name, err)
		}
	}
}

func asUser(command *exec.Cmd, user int) {
	if user != os.Getuid() {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
	}
}
