package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// keeperArgument, as the only argument, makes an executable of ours the keeper.
const keeperArgument = "airlock-keeper"

// control is the descriptor of the keeper's end of the connection to whoever started it.
const control = 3

// IsKeeper reports whether a process with these arguments is the first process of a [Runner]. Then main calls [Keep] and
// exits with what it returns, before it does anything else.
func IsKeeper(arguments []string) bool { return len(arguments) == 2 && arguments[1] == keeperArgument }

// order is the first message to the keeper. It holds bytes, because a path need not be text.
type order struct {
	Path, Directory, Version []byte
	// Port, where it is not 0, is the port on loopback of which the listener is sent back.
	Port int
	// Remove is removed when whoever gave the order is gone without a word; "" for nothing.
	Remove []byte
}

// command is the second message. After it come single bytes; the end of the connection means that everything is to end.
type command struct {
	Arguments, Environment [][]byte
}

// interrupt is the byte that sends the program SIGINT.
const interrupt = 'i'

// report is a message of the keeper's.
type report struct {
	// Event says what happened; the other fields belong to one event each.
	Event event `json:"event"`
	// Exit is the exit status, -1 after a signal.
	Exit int `json:"exit"`
	// Errno says why the program could not be started, Changed that it did not say its version.
	Errno   int  `json:"errno"`
	Changed bool `json:"changed"`
}

type event string

const (
	eventReady   event = "ready"   // waits for the command; with the listener, if one was ordered
	eventStarted event = "started" // the program runs
	eventEnded   event = "ended"   // it has ended
	eventDone    event = "done"    // nothing is left; or nothing was started, for the version or an error
)

// Keep is the keeper. It starts nothing that is not in its order, and returns the exit code when nothing is left.
func Keep() int {
	// What a thread is forbidden holds for what that thread starts: the keeper starts everything from this one.
	runtime.LockOSThread()
	k := keeper{namespaced: os.Getpid() == 1}
	if err := k.confine(); err != nil {
		fmt.Fprintln(os.NewFile(2, "stderr"), "airlock keeper:", err)
		return 1
	}
	err := k.keep()
	k.clear()
	if err != nil && len(k.order.Remove) != 0 {
		_ = os.RemoveAll(string(k.order.Remove)) // whoever gave the order removes it too, if it is there
	}
	if err != nil {
		return 1
	}
	return 0
}

type keeper struct {
	// namespaced says that this is the first process of a PID namespace, with which everything in it ends.
	namespaced bool
	connection *net.UnixConn
	order      order

	mutex sync.Mutex
	// program is the process id of what runs now, until it is reaped; 0 for nothing.
	program int
	// ending says that nothing more is to be started.
	ending bool
}

// confine gives up what the keeper, and with it everything that it starts, has no need of.
func (k *keeper) confine() error {
	// A program of the same user could read and stop a process that is dumpable.
	err := errors.Join(
		unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0),
		unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
		unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0),
		limitCore(),
	)
	descriptors, listed := filepath.Glob("/proc/self/fd/*")
	err = errors.Join(err, listed)
	for _, path := range descriptors {
		if descriptor, parsed := strconv.Atoi(filepath.Base(path)); parsed == nil && descriptor > 2 {
			unix.CloseOnExec(descriptor)
		}
	}
	return err
}

// limitCore lets nothing write this process down. A limit of one byte also keeps a core from a handler that the system pipes it to,
// which one of 0 would not; a limit that is 0 already cannot be raised.
func limitCore() error {
	var core unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &core); err != nil {
		return err
	}
	core.Max = min(core.Max, 1)
	core.Cur = core.Max
	return unix.Setrlimit(unix.RLIMIT_CORE, &core)
}

// keep follows one order to its end.
func (k *keeper) keep() error {
	// Whoever wants the keeper to end says so on the connection; a signal may come from the program.
	dropped := make(chan os.Signal, 1)
	signal.Notify(dropped, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGPIPE)
	file := os.NewFile(control, "control")
	connection, err := net.FileConn(file)
	if err != nil {
		return fmt.Errorf("open the connection: %w", err)
	}
	_ = file.Close() // the connection has a descriptor of its own
	var is bool
	if k.connection, is = connection.(*net.UnixConn); !is {
		return errors.New("open the connection: it is none")
	}
	decoder := json.NewDecoder(k.connection)
	if err := decoder.Decode(&k.order); err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	if err := k.ready(); err != nil {
		return err
	}
	var start command
	if err := decoder.Decode(&start); err != nil {
		return fmt.Errorf("read the command: %w", err)
	}
	go k.listen(io.MultiReader(decoder.Buffered(), k.connection))
	return k.work(start)
}

// ready says that the program could be started, and hands the listener on.
func (k *keeper) ready() error {
	var rights []byte
	if k.order.Port != 0 {
		socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return fmt.Errorf("open a socket: %w", err)
		}
		defer unix.Close(socket)
		err = errors.Join(unix.Bind(socket, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: k.order.Port}), unix.Listen(socket, 64))
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		rights = unix.UnixRights(socket)
	}
	message, err := json.Marshal(report{Event: eventReady})
	if err != nil {
		return err
	}
	_, _, err = k.connection.WriteMsgUnix(message, rights, nil)
	return err
}

// listen follows what comes after the command, until everything has to end. Then it only kills: whoever waits for the program
// sees it end.
func (k *keeper) listen(from io.Reader) {
	told := make([]byte, 1)
	for {
		_, err := io.ReadFull(from, told)
		k.mutex.Lock()
		switch {
		case err != nil:
			k.ending = true
			k.killAll()
			k.mutex.Unlock()
			return
		case told[0] == interrupt && k.program != 0:
			_ = unix.Kill(k.program, unix.SIGINT) // not reaped yet, so it is the program
		}
		k.mutex.Unlock()
	}
}

// work asks for the version, runs the program, clears up, and asks again.
func (k *keeper) work(c command) error {
	if same, err := k.versioned(); err != nil || !same {
		return k.report(report{Event: eventDone, Changed: err == nil, Errno: errno(err)})
	}
	if err := k.start(c.Arguments, c.Environment, []uintptr{0, 1, 2}); err != nil {
		return k.report(report{Event: eventDone, Errno: errno(err)})
	}
	// Whoever reads the streams waits for their end, and the keeper holds them too.
	err := k.silence()
	if err == nil {
		err = k.report(report{Event: eventStarted})
	}
	if err != nil {
		return err
	}
	exit := k.wait()
	k.clear()
	if err := k.report(report{Event: eventEnded, Exit: exit}); err != nil {
		return err
	}
	same, _ := k.versioned() // a program that cannot be started again is not the same
	return k.report(report{Event: eventDone, Changed: !same})
}

// silence gives up the keeper's own standard streams.
func (k *keeper) silence() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	for descriptor := range 3 {
		err = errors.Join(err, unix.Dup3(int(null.Fd()), descriptor, 0))
	}
	return err
}

func (k *keeper) report(what report) error {
	message, err := json.Marshal(what)
	if err != nil {
		return err
	}
	_, err = k.connection.Write(message)
	return err
}

// start starts the program of the order with these open files.
func (k *keeper) start(arguments, environment [][]byte, files []uintptr) error {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.ending {
		return unix.ECANCELED
	}
	path := string(k.order.Path)
	program, err := syscall.ForkExec(path, append([]string{path}, texts(arguments)...), &syscall.ProcAttr{
		Dir: string(k.order.Directory), Env: texts(environment), Files: files, Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}})
	if err == nil {
		k.program = program
	}
	return err
}

// wait reaps until the program has ended, and returns its exit status, -1 after a signal.
func (k *keeper) wait() int {
	exit := -1
	for {
		program, status, err := k.reap()
		if err != nil {
			return exit // nothing is left
		}
		if program {
			return status
		}
	}
}

// reap waits for one child and reaps it.
func (k *keeper) reap() (program bool, exit int, err error) {
	// The wait leaves the child a zombie, so that its process id is nobody else's until it is no longer the program's.
	var ended unix.Siginfo
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Waitid(unix.P_ALL, 0, &ended, unix.WEXITED|unix.WNOWAIT, nil)
	}
	if err != nil {
		return false, 0, err
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	var status unix.WaitStatus
	child, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
	if err != nil || child == 0 {
		return false, 0, err
	}
	if child != k.program {
		return false, 0, nil
	}
	k.program = 0
	return true, status.ExitStatus(), nil
}

// clear kills and reaps until nothing is left below the keeper.
func (k *keeper) clear() {
	for k.hasChildren() {
		k.mutex.Lock()
		k.killAll()
		k.mutex.Unlock()
		if _, _, err := k.reap(); err != nil {
			return
		}
	}
}

// hasChildren reports whether anybody is left: who has no child has no descendant, because whoever is orphaned becomes a child.
func (k *keeper) hasChildren() bool {
	return !errors.Is(unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil), unix.ECHILD)
}

// killAll kills everything below the keeper. A process that was sent SIGKILL finishes no fork, so once there is nobody whom it was
// not sent to, there will be nobody.
func (k *keeper) killAll() {
	if k.namespaced {
		_ = unix.Kill(-1, unix.SIGKILL) // everyone but the keeper; the error says that there is nobody
		return
	}
	sent := map[int]bool{}
	for fresh := true; fresh; {
		fresh = false
		for _, process := range descendants(os.Getpid()) {
			if !sent[process] {
				fresh, sent[process] = true, true
				_ = unix.Kill(process, unix.SIGKILL) // it may have ended meanwhile
			}
		}
	}
}

// versionLimit bounds what is read of a version, in bytes.
const versionLimit = 4096

// versioned reports whether the program prints its version.
func (k *keeper) versioned() (bool, error) {
	if len(k.order.Version) == 0 {
		return true, nil
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer null.Close()
	reader, writer, err := os.Pipe()
	if err != nil {
		return false, err
	}
	defer reader.Close()
	err = k.start([][]byte{[]byte("--version")}, nil, []uintptr{null.Fd(), writer.Fd(), null.Fd()})
	_ = writer.Close() // the program has its own
	if err != nil {
		return false, err
	}
	printed := make(chan []byte, 1)
	go func() {
		// What came until an error is what there is; a writer that is not read ends.
		data, _ := io.ReadAll(io.LimitReader(reader, versionLimit))
		_ = reader.Close()
		printed <- data
	}()
	exit := k.wait()
	k.clear()
	return bytes.Equal(<-printed, k.order.Version) && exit == 0, nil
}

// errno is the system's number of an error, 0 for none.
func errno(err error) int {
	if err == nil {
		return 0
	}
	number := syscall.EIO
	errors.As(err, &number)
	return int(number)
}

func texts(list [][]byte) []string {
	made := make([]string, len(list))
	for i, text := range list {
		made[i] = string(text)
	}
	return made
}
