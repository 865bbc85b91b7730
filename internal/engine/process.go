package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// stdoutLimit bounds what a CLI may print: an answer of 2 MB is printed twice.
	stdoutLimit = 8 << 20
	// stderrLimit bounds what is looked at of standard error.
	stderrLimit = 64 << 10
	// interruptGrace is how long a CLI has to end after SIGINT.
	interruptGrace = 5 * time.Second
	// markedSweeps bounds how often marked processes are looked for: one that forks may be missed by one look.
	markedSweeps = 20
	// pipeGrace is how long a stray holder of a pipe, one that left the process group, can delay the end.
	pipeGrace = time.Second
)

// process is one program to run in a process group of its own.
type process struct {
	path        string
	arguments   []string
	environment []string
	directory   string
	input       []byte
	// limit is the deadline, counted from the start of the program.
	limit time.Duration
	// mark is a path that stands in the environment or is above the working directory of what the program starts; "" for
	// none. By it are found those that left the process group.
	mark string
}

// ending is how a process ended. Everything in stdout and stderr is untrusted and may be the model's prose.
type ending struct {
	stdout, stderr []byte
	// exit is the exit status, -1 after a signal.
	exit int
	// deadline says that we ended it for its time, overflow that it printed more than [stdoutLimit], cancelled that the
	// context ended first.
	deadline, overflow, cancelled bool
}

// run starts the process and waits until it and its group are gone. At the deadline, or when the context ends, the process
// gets SIGINT and, after [interruptGrace], the group SIGKILL; a process that prints too much gets SIGKILL at once; a group
// whose leader ended gets SIGKILL whatever its end, and so does every process with the mark. One that hides on purpose, in
// another session, directory and environment, is not found without a sandbox. The error says that the process could not be started.
func (p process) run(ctx context.Context) (ending, error) {
	command := exec.Command(p.path, p.arguments...)
	command.Env = p.environment
	if command.Env == nil {
		command.Env = []string{} // nil would mean our own
	}
	command.Dir = p.directory
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}

	pipes, err := openPipes(command)
	if err != nil {
		return ending{}, err
	}
	defer pipes.close()
	if err := command.Start(); err != nil {
		pipes.closeChildEnds()
		return ending{}, fmt.Errorf("start the program: %w", err)
	}
	group := command.Process.Pid
	defer func() { // whatever is left, on every way out
		killGroup(group)
		killMarked(p.mark)
	}()
	pipes.closeChildEnds()

	overflow := make(chan struct{})
	stdout := collect(pipes.stdout, stdoutLimit, func() { close(overflow) })
	stderr := collect(pipes.stderr, stderrLimit, func() {})
	go func() {
		// The program may end before it has read everything; its exit status is what counts.
		_, _ = pipes.stdin.Write(p.input)
		_ = pipes.stdin.Close()
	}()
	exited := make(chan struct{})
	go func() {
		// The error only repeats the state, which is read below.
		_ = command.Wait()
		close(exited)
	}()

	deadline := time.NewTimer(p.limit)
	defer deadline.Stop()
	end := supervise(ctx, command.Process, exited, overflow, deadline.C)
	killGroup(group)
	killMarked(p.mark)
	stray := time.AfterFunc(pipeGrace, pipes.close)
	defer stray.Stop()
	end.stdout, end.stderr = <-stdout, <-stderr
	end.exit = command.ProcessState.ExitCode()
	return end, nil
}

// supervise waits for the end of a process and hastens it: see [process.run].
func supervise(ctx context.Context, leader *os.Process, exited, overflow <-chan struct{}, deadline <-chan time.Time) ending {
	var end ending
	cancelled := ctx.Done()
	grace := time.NewTimer(0)
	grace.Stop()
	interrupt := func() {
		// It may have ended meanwhile, which the loop will see.
		_ = leader.Signal(os.Interrupt)
		grace.Reset(interruptGrace)
		cancelled, deadline = nil, nil
	}
	for {
		select {
		case <-exited:
			return end
		case <-deadline:
			end.deadline = true
			interrupt()
		case <-cancelled:
			end.cancelled = true
			interrupt()
		case <-overflow:
			end.overflow, overflow = true, nil
			killGroup(leader.Pid)
		case <-grace.C:
			killGroup(leader.Pid)
		}
	}
}

// killGroup ends whatever is left of a process group. That nothing is left is the usual case and not an error.
func killGroup(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }

// killMarked ends every process of ours that has the mark, and those that it started meanwhile.
func killMarked(mark string) {
	if mark == "" {
		return
	}
	for range markedSweeps {
		found := false
		directories, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well formed
		for _, directory := range directories {
			pid, err := strconv.Atoi(filepath.Base(directory))
			if err != nil || pid == os.Getpid() {
				continue
			}
			// What cannot be read is gone or another user's.
			environment, _ := os.ReadFile(filepath.Join(directory, "environ"))
			work, _ := os.Readlink(filepath.Join(directory, "cwd"))
			if bytes.Contains(environment, []byte(mark)) || work == mark || strings.HasPrefix(work, mark+"/") {
				found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
			}
		}
		if !found {
			return
		}
	}
}

// collect reads to the end and hands on the first limit+1 bytes; beyond the limit it calls exceeded once and goes on
// reading, so that the writer is not stopped by a full pipe.
func collect(from io.Reader, limit int64, exceeded func()) <-chan []byte {
	collected := make(chan []byte, 1)
	go func() {
		// An error is the pipe's deadline: what came until then is what there is.
		data, _ := io.ReadAll(io.LimitReader(from, limit+1))
		if int64(len(data)) > limit {
			exceeded()
			_, _ = io.Copy(io.Discard, from)
		}
		collected <- data
	}()
	return collected
}

// pipes are our ends of the three standard streams, and the child's ends until it has them.
type pipes struct {
	stdin, stdout, stderr *os.File
	child                 []*os.File
}

func openPipes(command *exec.Cmd) (*pipes, error) {
	p := &pipes{}
	open := func(ours, theirs **os.File, ourEndReads bool) error {
		reader, writer, err := os.Pipe()
		if err != nil {
			return fmt.Errorf("open a pipe: %w", err)
		}
		*ours, *theirs = writer, reader
		if ourEndReads {
			*ours, *theirs = reader, writer
		}
		p.child = append(p.child, *theirs)
		return nil
	}
	var stdin, stdout, stderr *os.File
	err := errors.Join(open(&p.stdin, &stdin, false), open(&p.stdout, &stdout, true), open(&p.stderr, &stderr, true))
	if err != nil {
		p.closeChildEnds()
		p.close()
		return nil, err
	}
	command.Stdin, command.Stdout, command.Stderr = stdin, stdout, stderr
	return p, nil
}

func (p *pipes) closeChildEnds() {
	for _, file := range p.child {
		_ = file.Close() // a pipe's close loses nothing
	}
}

// close closes every end that is still open. It may be called at any time, and more than once.
func (p *pipes) close() {
	for _, file := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if file != nil {
			_ = file.Close() // a pipe's close loses nothing
		}
	}
}
