package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// programs are the names of the three binaries.
func programs() []string { return []string{"apply", "decide", "run"} }

// findPrograms returns the folder that holds the three programs: the one asked for, or that of the running program where it
// has them beside itself. It is empty where they are to be built.
func findPrograms(folder string) (string, error) {
	if folder != "" {
		if missing := missingProgram(folder); missing != "" {
			return "", usage("--programs", "%s has no program %s; it is a folder with %s", folder, missing, strings.Join(programs(), ", "))
		}
		return filepath.Abs(folder)
	}
	if self, err := os.Executable(); err == nil && missingProgram(filepath.Dir(self)) == "" {
		return filepath.Dir(self), nil
	}
	return "", nil
}

func missingProgram(folder string) string {
	for _, name := range programs() {
		if !executable(filepath.Join(folder, name)) {
			return name
		}
	}
	return ""
}

// build makes the three binaries.
func build(ctx context.Context, work string, env map[string]string) (string, error) {
	folder := filepath.Join(work, "programs")
	arguments := []string{"build", "-trimpath", "-o", folder + string(filepath.Separator)}
	for _, name := range programs() {
		arguments = append(arguments, "github.com/seed-2ea642bd/airlock/actions/"+name)
	}
	command := interruptible(ctx, "go", arguments...)
	inside := maps.Clone(env)
	inside["GOTMPDIR"] = work // what an interrupted build leaves goes with the demo's own folder
	command.Env = environ(inside)
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the three programs: %w\n%s\nrun the demo inside a clone of airlock, or give --programs", err, bytes.TrimSpace(out))
	}
	return folder, nil
}

// interruptible is a command that is interrupted when the context ends, with the children that are of its group, so that it
// can bring what it holds to an end; one that does not end is killed. A terminal's own interrupt does not reach it, so it is
// interrupted once.
func interruptible(ctx context.Context, name string, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, name, arguments...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGINT) }
	command.WaitDelay = 10 * time.Second
	return command
}

func environ(env map[string]string) []string {
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// ended is how a program ended, and what it left beside its records.
type ended struct {
	code         int
	outputs      map[string]string
	log, summary string
}

// job runs one program as its job would: exactly this environment and the runner's own files, a fresh working directory, no
// standard input. What it left is kept under the name given.
func (s *stage) job(ctx context.Context, name string, env map[string]string, kept string) (ended, error) {
	s.tell("%s", kept)
	folder, err := os.MkdirTemp(s.work, name+"-")
	if err != nil {
		return ended{}, err
	}
	outputs, summary := filepath.Join(folder, "output"), filepath.Join(folder, "summary.md")
	env["GITHUB_OUTPUT"], env["GITHUB_STEP_SUMMARY"], env["RUNNER_TEMP"] = outputs, summary, folder
	for _, file := range []string{outputs, summary} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			return ended{}, err
		}
	}
	var log bytes.Buffer
	command := interruptible(ctx, filepath.Join(s.programs, name))
	command.Env, command.Dir, command.Stdout, command.Stderr = environ(env), folder, &log, &log
	err = command.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ended{}, ctx.Err()
	case err != nil && !errors.As(err, &exit):
		return ended{}, fmt.Errorf("start %s: %w", name, err)
	}
	e := ended{code: command.ProcessState.ExitCode(), log: log.String()}
	data := map[string][]byte{}
	for _, file := range []string{outputs, summary} {
		if data[file], err = os.ReadFile(file); err != nil {
			return ended{}, err
		}
	}
	e.outputs, e.summary = workflow.ParseOutputs(string(data[outputs])), string(data[summary])
	return e, errors.Join(s.keep.file(kept+"/log.txt", log.Bytes()), s.keep.file(kept+"/outputs.txt", data[outputs]),
		s.keep.file(kept+"/summary.md", data[summary]))
}

func splitLines(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }
