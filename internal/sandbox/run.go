package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// StdoutLimit bounds what a program may print, in bytes; beyond it, it is killed. StderrLimit bounds standard error.
	StdoutLimit = 8 << 20
	StderrLimit = 8 << 20
	// InterruptGrace is how long a program has to end after SIGINT.
	InterruptGrace = 5 * time.Second

	// stderrKept is how much of standard error is handed on, in bytes.
	stderrKept = 64 << 10
	// startLimit is how long the keeper has until the program could start, some 20 ms; checkLimit a program to print its version, some 50.
	startLimit = 30 * time.Second
	checkLimit = 10 * time.Second
	// killGrace is how long the keeper has to end everything below it, before it is killed itself.
	killGrace = 5 * time.Second
)

// Run starts the program and waits until it and all that it started is gone. At the deadline, or when the context ends, the
// program gets SIGINT and, after [InterruptGrace], everything SIGKILL; a program that prints too much gets SIGKILL at once; what
// is left when the program has ended gets SIGKILL too, however that was. The error says that the program was not started:
// [ErrVersion], [ErrCancelled], a [*RefusedError] where the system does not let a sandbox be made, or the system's own.
func (r *Runner) Run(ctx context.Context, program Program) (Ending, error) {
	// The keeper's end is bound to the end of the thread that starts it, so that thread may not end before.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	place, private, err := r.place(program)
	if err != nil {
		return Ending{}, err
	}
	defer func() { _ = os.RemoveAll(private) }() // what cannot be removed the machine is thrown away with; "" is nothing
	if !r.sandboxed() && program.Serve != nil {
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return Ending{}, fmt.Errorf("listen on loopback: %w", err)
		}
		place.Address = listener.Addr().String()
		if err := program.Serve(listener); err != nil {
			return Ending{}, err
		}
	}
	s, err := r.start(program)
	if err != nil {
		return Ending{}, err
	}
	defer s.end()
	// A keeper that is gone is found to be by whoever reads its reports.
	_ = json.NewEncoder(s.connection).Encode(r.order(program, place, private))
	return s.follow(ctx, program, place)
}

func (r *Runner) sandboxed() bool { return r.Kind() == KindBubblewrap }

// place makes the directories of a runner that is off, below one that is returned too. A sandbox makes its own.
func (r *Runner) place(program Program) (Place, string, error) {
	if r.sandboxed() {
		place := insidePlace
		if program.Serve == nil {
			place.Address = ""
		}
		return place, "", nil
	}
	root, err := os.MkdirTemp(r.temporary, "w")
	if err != nil {
		return Place{}, "", fmt.Errorf("make a private directory: %w", err)
	}
	place := Place{Home: filepath.Join(root, "home"), Temporary: filepath.Join(root, "tmp"), Work: filepath.Join(root, "work"), Files: filepath.Join(root, "files")}
	for _, directory := range []string{place.Home, place.Temporary, place.Work, place.Files} {
		err = errors.Join(err, os.Mkdir(directory, 0o700))
	}
	for name, data := range program.Files {
		err = errors.Join(err, os.WriteFile(filepath.Join(place.Files, name), data, 0o500))
	}
	if err != nil {
		return Place{}, "", errors.Join(fmt.Errorf("make a private directory: %w", err), os.RemoveAll(root))
	}
	return place, root, nil
}

func (r *Runner) order(program Program, place Place, private string) order {
	o := order{Path: []byte(program.File.Name()), Directory: []byte(place.Work), Version: []byte(program.Version), Remove: []byte(private)}
	if r.sandboxed() {
		o.Path = []byte(insideProgram)
		if program.Serve != nil {
			o.Port = insidePort
		}
	}
	return o
}

func lists(texts []string) [][]byte {
	made := make([][]byte, len(texts))
	for i, text := range texts {
		made[i] = []byte(text)
	}
	return made
}

// session is one keeper and what is between it and us.
type session struct {
	process    *exec.Cmd
	connection *net.UnixConn
	messages   <-chan message
	stdin      *os.File
	stdout     *stream
	stderr     *stream
	overflow   chan struct{}
	exited     chan struct{} // closed when the process was waited for
	runner     *Runner
}

// start starts the keeper.
func (r *Runner) start(program Program) (_ *session, err error) {
	s := &session{overflow: make(chan struct{}, 2), exited: make(chan struct{}), runner: r, process: exec.Command(r.keeper, keeperArgument)}
	if r.sandboxed() {
		b, err := r.box(program)
		if err != nil {
			return nil, err
		}
		defer b.close()
		s.process = exec.Command(r.bubblewrap, b.arguments...)
		s.process.ExtraFiles = b.files
	}
	s.process.Env = []string{} // nil would mean our own
	s.process.Dir = "/"
	s.process.SysProcAttr = &syscall.SysProcAttr{Setsid: !r.without[layerSession]}

	var theirs, mine files
	defer theirs.close() // the keeper has its own
	defer func() {
		if err != nil {
			mine.close()
		}
	}()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("connect to the keeper: %w", err)
	}
	s.process.ExtraFiles = append([]*os.File{theirs.add(os.NewFile(uintptr(pair[1]), "control"))}, s.process.ExtraFiles...)
	end := os.NewFile(uintptr(pair[0]), "control")
	connection, err := net.FileConn(end)
	_ = end.Close() // the connection has a descriptor of its own
	if err != nil {
		return nil, fmt.Errorf("connect to the keeper: %w", err)
	}
	s.connection = connection.(*net.UnixConn)
	mine.also = s.connection.Close
	var stdout, stderr *os.File
	for _, pipe := range []struct {
		ours, child **os.File
		weRead      bool
	}{
		{&s.stdin, new(*os.File), false}, {&stdout, new(*os.File), true}, {&stderr, new(*os.File), true},
	} {
		reader, writer, err := os.Pipe()
		if err != nil {
			return nil, fmt.Errorf("open a pipe: %w", err)
		}
		*pipe.ours, *pipe.child = writer, reader
		if pipe.weRead {
			*pipe.ours, *pipe.child = reader, writer
		}
		mine.add(*pipe.ours)
		theirs.add(*pipe.child)
	}
	s.process.Stdin, s.process.Stdout, s.process.Stderr = theirs.list[1], theirs.list[2], theirs.list[3]
	if err := s.process.Start(); err != nil {
		return nil, fmt.Errorf("start the keeper: %w", err)
	}
	exceeded := func() { s.overflow <- struct{}{} }
	s.stdout = collect(stdout, StdoutLimit, StdoutLimit, exceeded)
	s.stderr = collect(stderr, StderrLimit, stderrKept, exceeded)
	messages := make(chan message, 8)
	s.messages = messages
	go listen(s.connection, messages)
	go func() {
		// The error only repeats the state, which is read where it matters.
		_ = s.process.Wait()
		close(s.exited)
	}()
	return s, nil
}
