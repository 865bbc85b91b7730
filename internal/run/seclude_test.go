package run

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/engine"
)

// brokered binds the job to the broker.
func (s *stage) brokered() {
	pin := &s.harness.Engines[0]
	pin.Credential, pin.Upstream = engine.CredentialBroker, "https://api.anthropic.com"
	pin.Prices = map[string]contract.Price{"claude-sonnet-5-5": {CacheReadMicrousd: 100_000, CacheWriteHourMicrousd: 4_000_000, CacheWriteMicrousd: 2_500_000,
		ContextTokens: 1_000_000, InputMicrousd: 2_000_000, OutputMicrousd: 10_000_000}}
}

// nobody is a user without any right; only root can be another user.
const nobody = 65534

// asNobody makes a command another user's, where the test is root's, and gives that user every file of the test.
func asNobody(t *testing.T, commands ...*exec.Cmd) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	must(t, filepath.WalkDir(filepath.Dir(t.TempDir()), func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, nobody, nobody))
	}))
	for _, command := range commands {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
}

// TestBrokerCredentialIsHidden holds, with the real program as its own process, that while the CLI works no other process of the
// same user can look into it, that its environment holds the credential no longer, not even for root, and that neither the CLI
// nor anything else that was started holds it. Root can still read the program's memory: nothing hides from it.
func TestBrokerCredentialIsHidden(t *testing.T) {
	// A credential of this test alone: every process of the machine is looked into, and other tests hand theirs to a CLI.
	token := testToken + rand.Text()
	program := built(t)
	s := newStage(t)
	s.brokered()
	s.env[engine.CredentialName] = token
	ready, seen := filepath.Join(t.TempDir(), "ready"), filepath.Join(t.TempDir(), "seen")
	must(t, syscall.Mkfifo(ready, 0o600))
	s.scripted(t, `env > `+seen+`; echo "$PPID" > `+ready+`; exec sleep 1000`)
	s.hand(t)
	command := s.process(program)
	asNobody(t, command)
	ended := s.untilAsked(t, command, ready)
	pid := command.Process.Pid

	look := func(of int, script string) (string, error) {
		t.Helper()
		looking := exec.Command("/bin/sh", "-c", script, "sh", strconv.Itoa(of))
		if os.Geteuid() == 0 {
			looking.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		output, err := looking.CombinedOutput()
		return string(output), err
	}
	// The looker can look: into itself, with the very same commands.
	for what, script := range map[string]string{
		"environ": `cat /proc/${2:-$1}/environ`, "mem": `exec 3< /proc/${2:-$1}/mem`, "maps": `cat /proc/${2:-$1}/maps`, "descriptors": `ls /proc/${2:-$1}/fd`, "cwd": `readlink /proc/${2:-$1}/cwd`,
	} {
		if output, err := look(pid, script); err == nil {
			t.Errorf("another process of the user sees %s: %.80q", what, output)
		}
		if output, err := look(pid, "set -- $1 $$; "+script); err != nil {
			t.Errorf("the looker does not see its own %s: %v %q", what, err, output)
		}
	}
	if os.Geteuid() == 0 {
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		must(t, err)
		if bytes.Contains(environment, []byte(token)) || !bytes.Contains(environment, []byte("AIRLOCK_RESULT=")) {
			t.Errorf("the environment for root: %q", environment)
		}
	}
	for _, file := range []string{"cmdline", "limits"} {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
		must(t, err)
		if bytes.Contains(data, []byte(token)) {
			t.Errorf("%s holds the credential", file)
		}
		if file == "limits" && !regexp.MustCompile(`Max core file size +[01] +[01] `).Match(data) {
			t.Errorf("limits: %s", data)
		}
	}
	others := 0
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	must(t, err)
	for _, path := range environments {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // gone, or another user's
		}
		if others++; bytes.Contains(data, []byte(token)) && filepath.Base(filepath.Dir(path)) != strconv.Itoa(os.Getpid()) {
			t.Errorf("%s holds the credential", path)
		}
	}
	told, err := os.ReadFile(seen)
	must(t, err)
	if others == 0 || bytes.Contains(told, []byte(token)) || !bytes.Contains(told, []byte("\nCLAUDE_CODE_OAUTH_TOKEN=airlock-run-")) && !bytes.HasPrefix(told, []byte("CLAUDE_CODE_OAUTH_TOKEN=airlock-run-")) {
		t.Errorf("the CLI's environment: %q", told)
	}

	must(t, command.Process.Signal(syscall.SIGTERM))
	<-ended
	if result := s.result(t); *result.Reason != "engine_interrupted" || result.Engine.Credential != "broker" {
		t.Errorf("reason %s, credential %s: %s", *result.Reason, result.Engine.Credential, s.stderr.String())
	}
	for name, data := range map[string][]byte{"stdout": s.stdout.Bytes(), "stderr": s.stderr.Bytes()} {
		if bytes.Contains(data, []byte(token)) {
			t.Errorf("%s holds the credential", name)
		}
	}
}

// TestSecludeRefuses holds what is no hand-over.
func TestSecludeRefuses(t *testing.T) {
	file, err := os.Open(os.DevNull)
	must(t, err)
	defer file.Close()
	var ends [2]int
	must(t, unix.Pipe2(ends[:], unix.O_NONBLOCK))
	defer func() { _ = unix.Close(ends[1]) }()
	for name, env := range map[string]map[string]string{
		"both":             {engine.CredentialName: testToken, handOver: strconv.Itoa(ends[0])},
		"standard input":   {handOver: "0"},
		"a file":           {handOver: strconv.Itoa(int(file.Fd()))},
		"no number":        {handOver: "three"},
		"nobody's":         {handOver: "100000"},
		"a pipe not ended": {handOver: strconv.Itoa(ends[0])},
	} {
		if credential, err := takeFrom(env); err == nil || !credential.IsZero() || strings.Contains(err.Error(), testToken) {
			t.Errorf("%s: %v", name, err)
		}
		if len(env) != 0 {
			t.Errorf("%s: left in the environment: %d variables", name, len(env))
		}
	}
	if _, err := pipeOf(strings.Repeat("x", pipeBytes+1)); err == nil {
		t.Error("a credential that does not fit the pipe")
	}
	reader, err := pipeOf(testToken)
	must(t, err)
	if credential, err := takeFrom(map[string]string{handOver: strconv.Itoa(reader)}); err != nil || credential.Reveal() != testToken {
		t.Errorf("a good hand-over: %v", err)
	}
	if _, err := unix.FcntlInt(uintptr(reader), unix.F_GETFD, 0); err == nil {
		t.Error("the descriptor is open")
	}
}
