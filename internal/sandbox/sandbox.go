package sandbox

import (
	"errors"
	"net"
	"os"
	"time"
)

// Kinds of a [Runner], as records name them.
const (
	KindBubblewrap = "bwrap"
	KindOff        = "off"
)

// Runner starts programs. A value may run many, one after the other or at once.
type Runner struct {
	// bubblewrap is the path of bwrap, "" for none.
	bubblewrap string
	// keeper is the path of the executable that is started as the first process.
	keeper string
	// temporary is where a runner that is off makes private directories.
	temporary string
	// interruptGrace and killGrace are the package's, unless a test is in a hurry.
	interruptGrace, killGrace time.Duration
	// without are layers that a test leaves out, to show what each is for; extra are read-only paths of the machine that a
	// test adds, for a program that is a script.
	without layers
	extra   []string
}

// ownExecutable names the executable of whoever opens it.
const ownExecutable = "/proc/self/exe"

// Bubblewrap confines programs with the bwrap at this path. The caller's own executable must call [Keep] where [IsKeeper]
// says so.
func Bubblewrap(path string) *Runner {
	return &Runner{bubblewrap: path, keeper: ownExecutable, interruptGrace: InterruptGrace, killGrace: killGrace}
}

// Off starts programs on the machine itself, in a private directory that it makes below this one and removes. The caller's
// own executable must call [Keep] where [IsKeeper] says so.
func Off(temporary string) *Runner {
	return &Runner{keeper: ownExecutable, temporary: temporary, interruptGrace: InterruptGrace, killGrace: killGrace}
}

// Kind is [KindBubblewrap] or [KindOff].
func (r *Runner) Kind() string {
	if r.bubblewrap == "" {
		return KindOff
	}
	return KindBubblewrap
}

// Place is where a program runs, in paths as the program sees them. Every directory is its own and empty. No name says
// anything: a model may see them.
type Place struct {
	// Home, Temporary and Work are directories that can be written to; Work is the working directory.
	Home, Temporary, Work string
	// Files is the directory of [Program.Files].
	Files string
	// Address is where the listener of [Program.Serve] is reached, host and port; "" without one.
	Address string
}

// Program is what to start, once.
type Program struct {
	// File is the program, open for reading: with a sandbox exactly this file is started, whatever its path has come to
	// name. It must stay open until Run returns.
	File *os.File
	// Version is what the program prints on standard output when it is called with --version alone in an empty environment,
	// before and after it is started; "" asks for nothing.
	Version string
	// Command returns the arguments, without the program's own name, and the whole environment. It is called at most once, last before the
	// program is started.
	Command func(Place) (arguments, environment []string)
	// Files are read-only files by name.
	Files map[string][]byte
	// Input is all of standard input.
	Input []byte
	// Limit is the deadline, counted from the start of the program.
	Limit time.Duration
	// Serve is handed the one listener that the program can reach, before Command is called, and begins to serve it. The listener
	// is the callee's, who closes it when Run has returned, with an error too. nil gives the program no network in a sandbox, and
	// [Open] the machine's.
	Serve func(net.Listener) error
	// Open gives a sandboxed program the network of the machine, with the files it takes to find and trust a host.
	Open bool
	// Sealed is called when all is open that the program needs of the machine and nothing of the program has run, with a
	// sandbox only; nil for nothing. Its error ends the call.
	Sealed func() error
}

// Ending is how a program ended. Everything in Stdout and Stderr is untrusted.
type Ending struct {
	Stdout, Stderr []byte
	// Exit is the exit status, -1 after a signal or where it is not known.
	Exit int
	// Deadline says that we ended the program for its time, Overflow that it printed more than it may, Cancelled that the context
	// ended first.
	Deadline, Overflow, Cancelled bool
	// Changed says that the program did not print its [Program.Version] afterwards.
	Changed bool
}

var (
	// ErrVersion says that the program was not started, because it did not print its [Program.Version].
	ErrVersion = errors.New("the program does not say its version")
	// ErrCancelled says that the context ended before the program was started.
	ErrCancelled = errors.New("cancelled before the start")
)
