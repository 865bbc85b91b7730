package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hurried is a runner that waits less for those who do not heed a signal.
func hurried(r *Runner) *Runner {
	r.interruptGrace, r.killGrace = 200*time.Millisecond, 200*time.Millisecond
	return r
}

// mark is a word that only the processes of one test have on their command line.
func mark(t testing.TB) string {
	return fmt.Sprintf("mark-%d-%s", os.Getpid(), strings.ReplaceAll(t.Name(), "/", "-"))
}

// marked lists the processes with a word on their command line, zombies left out, this one too.
func marked(t testing.TB, word string) []int {
	t.Helper()
	var found []int
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must(t, err)
	for _, path := range lines {
		// A process that ended meanwhile has no line, nor has a zombie.
		if line, err := os.ReadFile(path); err == nil && bytes.Contains(line, []byte(word)) {
			if process, _ := strconv.Atoi(filepath.Base(filepath.Dir(path))); process != os.Getpid() {
				found = append(found, process)
			}
		}
	}
	return found
}

// parts of a program that misbehaves. Each says on its standard output, or to its listener, when it is where the test wants it.
var parts = map[string]func(arguments []string) int{
	"heed": func([]string) int { // ends at SIGINT and says so
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, os.Interrupt)
		fmt.Print("up ")
		<-heard
		fmt.Print("heard")
		return 3
	},
	"ignore": func([]string) int {
		signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		fmt.Print("up")
		select {}
	},
	"flood": func(arguments []string) int {
		to := map[string]*os.File{"stdout": os.Stdout, "stderr": os.Stderr}[arguments[0]]
		_, _ = io.Copy(to, zeros{})
		return 0
	},
	"leave": func(arguments []string) int { // starts somebody who stays, and ends
		if err := leave(arguments[0], arguments[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	},
	"stay": func([]string) int { // says that it is up on descriptor 3, and stays
		signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		_ = os.NewFile(3, "up").Close()
		select {}
	},
	"again": func(arguments []string) int { // a middle process, which leaves its child to whoever adopts it
		return boolean(leave(arguments[0], arguments[1]) == nil)
	},
	"tree": func(arguments []string) int { // everybody stays, and the listener is told
		for _, how := range manners() {
			if err := leave(how, arguments[0]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
		connection, err := net.Dial("tcp", arguments[1])
		if err != nil {
			return 1
		}
		_, _ = connection.Write([]byte("up"))
		select {}
	},
	"orphan": func([]string) int { // an orphan that ends is reaped
		command := exec.Command("/proc/self/exe", "play:orphaning")
		output, err := command.Output()
		if err != nil {
			return 1
		}
		for {
			if _, err := os.Stat("/proc/" + strings.TrimSpace(string(output))); err != nil {
				return 0
			}
			runtime.Gosched()
		}
	},
	"orphaning": func([]string) int {
		command := exec.Command("/proc/self/exe", "--version")
		if err := command.Start(); err != nil {
			return 1
		}
		fmt.Println(command.Process.Pid)
		return 0
	},
	"parricide": func([]string) int { // tries to end its keeper
		_ = unix.Kill(os.Getppid(), unix.SIGSTOP)
		_ = unix.Kill(os.Getppid(), unix.SIGKILL)
		fmt.Print("it lives")
		return 0
	},
	"parent":  parentOfATree,
	"seal":    sealing,
	"refused": refused,
	"list":    list,
	"ask":     ask,
}

func boolean(ok bool) int {
	if ok {
		return 0
	}
	return 1
}

// manners are the ways in which a process gets away from whoever started it.
func manners() []string { return []string{"child", "group", "session", "daemon", "elsewhere"} }

// leave starts a process that stays, in one of the manners, with a word on its command line, and returns when it is up.
func leave(how, word string) error {
	up, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer up.Close()
	command := exec.Command("/proc/self/exe", "play:stay", word)
	command.ExtraFiles = []*os.File{theirs}
	command.Stdout, command.Stderr = os.Stdout, os.Stderr // and holds the streams
	command.SysProcAttr = &syscall.SysProcAttr{}
	switch how {
	case "group":
		command.SysProcAttr.Setpgid = true
	case "session":
		command.SysProcAttr.Setsid = true
	case "daemon": // a child of a child that has ended
		command = exec.Command("/proc/self/exe", "play:again", "session", word)
		command.Stdout, command.Stderr = os.Stdout, os.Stderr
		command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		_ = theirs.Close()
		return command.Run()
	case "elsewhere": // in another directory, without an environment or a stream
		command.SysProcAttr.Setsid = true
		command.Dir, command.Env = "/", []string{}
		command.Stdout, command.Stderr = nil, nil
	}
	err = command.Start()
	_ = theirs.Close()
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, up) // until it has closed its end
	return err
}

// TestSurvivors holds that nothing that a program leaves is there when Run returns, on success too, and that it does not delay the
// end by holding the streams.
func TestSurvivors(t *testing.T) {
	for kind, runner := range runners(t) {
		for _, how := range manners() {
			t.Run(kind+" "+how, func(t *testing.T) {
				word := mark(t)
				end, err := runner.Run(t.Context(), playing(t, "leave", how, word))
				must(t, err)
				if end.Exit != 0 || end.Changed {
					t.Fatalf("exit %d: %s", end.Exit, end.Stderr)
				}
				if left := marked(t, word); len(left) != 0 {
					t.Errorf("still there: %v", left)
				}
			})
		}
	}
}

// TestOrphansAreReaped holds that an orphan that ends while the program runs does not stay a zombie, nor does the keeper after it.
func TestOrphansAreReaped(t *testing.T) {
	for kind, runner := range runners(t) {
		t.Run(kind, func(t *testing.T) {
			end, err := runner.Run(t.Context(), playing(t, "orphan"))
			must(t, err)
			if end.Exit != 0 {
				t.Errorf("exit %d: %s", end.Exit, end.Stderr)
			}
			var status unix.WaitStatus
			if child, err := unix.Wait4(-1, &status, unix.WNOHANG, nil); !errors.Is(err, unix.ECHILD) {
				t.Errorf("a child is left: %d, %v", child, err)
			}
		})
	}
}

// TestDeadlineIsALadder holds that at the deadline, and when the context ends, a program gets SIGINT and may end by itself, and that one
// that does not is killed.
func TestDeadlineIsALadder(t *testing.T) {
	for kind, runner := range runners(t) {
		t.Run(kind, func(t *testing.T) {
			program := playing(t, "heed")
			program.Limit = 500 * time.Millisecond
			end, err := runner.Run(t.Context(), program)
			must(t, err)
			if !end.Deadline || end.Cancelled || end.Exit != 3 || string(end.Stdout) != "up heard" {
				t.Errorf("deadline: %+v", end)
			}

			ctx, cancel := context.WithCancel(t.Context())
			program = playing(t, "heed")
			program.Command = func(Place) ([]string, []string) {
				// The program is started after this; it may be told before it listens, which is an end by the signal.
				time.AfterFunc(300*time.Millisecond, cancel)
				return []string{"play:heed"}, nil
			}
			end, err = runner.Run(ctx, program)
			if err != nil && !errors.Is(err, ErrCancelled) || err == nil && (!end.Cancelled || end.Deadline) {
				t.Errorf("cancelled: %+v, %v", end, err)
			}

			program = playing(t, "ignore")
			program.Limit = 300 * time.Millisecond
			end, err = hurried(runner).Run(t.Context(), program)
			must(t, err)
			if !end.Deadline || end.Exit != -1 {
				t.Errorf("ignored: %+v", end)
			}
		})
	}
}

// TestCancelledBeforeTheStart holds that nothing is started in a context that has ended.
func TestCancelledBeforeTheStart(t *testing.T) {
	for kind, runner := range runners(t) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		program := playing(t, "flood", "stdout")
		program.Command = func(Place) ([]string, []string) { return []string{"play:flood", "stdout"}, nil }
		if end, err := runner.Run(ctx, program); !errors.Is(err, ErrCancelled) || len(end.Stdout) != 0 {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestFlood holds that a program that prints too much, on either stream, is killed, and that what is kept is bounded.
func TestFlood(t *testing.T) {
	for kind, runner := range runners(t) {
		for _, stream := range []string{"stdout", "stderr"} {
			t.Run(kind+" "+stream, func(t *testing.T) {
				end, err := runner.Run(t.Context(), playing(t, "flood", stream))
				must(t, err)
				if !end.Overflow || end.Exit != -1 || len(end.Stdout) > StdoutLimit || len(end.Stderr) > stderrKept {
					t.Errorf("overflow %t, exit %d, %d and %d bytes", end.Overflow, end.Exit, len(end.Stdout), len(end.Stderr))
				}
			})
		}
	}
}

// TestParricide holds that a program cannot get away by ending its keeper: in a sandbox it cannot, and without one it ends with it.
func TestParricide(t *testing.T) {
	for kind, runner := range runners(t) {
		t.Run(kind, func(t *testing.T) {
			end, err := hurried(runner).Run(t.Context(), playing(t, "parricide"))
			must(t, err)
			if lives := string(end.Stdout) == "it lives" && end.Exit == 0; kind == KindBubblewrap && !lives {
				t.Errorf("the first process of a sandbox heeded a signal from inside: %+v", end)
			}
		})
	}
}

// TestVersion holds that a program that does not say its version is not started.
func TestVersion(t *testing.T) {
	for kind, runner := range runners(t) {
		program := playing(t, "echo")
		program.Version = "1.2.4 (Test)\n"
		if _, err := runner.Run(t.Context(), program); !errors.Is(err, ErrVersion) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestEveryWayOutClearsUp holds that no process, directory or descriptor is left where a function of the caller's panics or fails.
func TestEveryWayOutClearsUp(t *testing.T) {
	failure := errors.New("failure of the caller")
	for kind, runner := range runners(t) {
		for name, break_ := range map[string]func(*Program){
			"Command panics": func(p *Program) { p.Command = func(Place) ([]string, []string) { panic(failure) } },
			"Serve panics":   func(p *Program) { p.Serve = func(l net.Listener) error { _ = l.Close(); panic(failure) } },
			"Serve fails":    func(p *Program) { p.Serve = func(l net.Listener) error { return errors.Join(failure, l.Close()) } },
			"Sealed fails":   func(p *Program) { p.Sealed = func() error { return failure } },
			"Sealed panics":  func(p *Program) { p.Sealed = func() error { panic(failure) } },
		} {
			if kind == KindOff && strings.HasPrefix(name, "Sealed") {
				continue // which is a sandbox's
			}
			t.Run(kind+" "+name, func(t *testing.T) {
				program := playing(t, "echo")
				break_(&program)
				runtime.GC() // closes what earlier tests dropped
				before := descriptors(t)
				var caught any
				func() {
					defer func() { caught = recover() }()
					_, err := runner.Run(t.Context(), program)
					if !errors.Is(err, failure) {
						t.Errorf("error %v", err)
					}
				}()
				if strings.HasSuffix(name, "panics") != (caught == failure) {
					t.Errorf("panic: %v", caught)
				}
				if after := descriptors(t); after != before {
					t.Errorf("%d descriptors before, %d after", before, after)
				}
				if left := descendants(os.Getpid()); len(left) != 0 {
					t.Errorf("processes are left: %v", left)
				}
				if runner.temporary != "" {
					if left, err := os.ReadDir(runner.temporary); err != nil || len(left) != 0 {
						t.Errorf("directories are left: %v, %v", left, err)
					}
				}
			})
		}
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(list)
}

// parentOfATree runs a tree and says when it is up. It ends with it, or is killed.
func parentOfATree(arguments []string) int {
	kind, directory, word := arguments[0], arguments[1], arguments[2]
	r := Off(directory)
	if kind != KindOff {
		r = Bubblewrap(kind)
	}
	if len(arguments) > 3 {
		r.without = layers{layer(arguments[3]): true}
	}
	file, err := os.Open("/proc/self/exe")
	if err != nil {
		return 1
	}
	path, err := os.Executable()
	if err != nil {
		return 1
	}
	if kind == KindOff {
		if file, err = os.Open(path); err != nil {
			return 1
		}
	}
	_, err = r.Run(context.Background(), Program{File: file, Limit: time.Hour,
		Command: func(place Place) ([]string, []string) { return []string{"play:tree", word, place.Address}, nil },
		Serve: func(listener net.Listener) error {
			go func() {
				connection, err := listener.Accept()
				if err != nil {
					return
				}
				told := make([]byte, 2)
				if _, err := io.ReadFull(connection, told); err == nil {
					fmt.Println(string(told))
				}
			}()
			return nil
		}})
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// TestParentIsKilled holds that nothing survives a kill -9 of whoever called Run, with each of the two ties to it that a sandbox has: a
// keeper that cannot act is killed by the kernel, and one whom the kernel does not kill sees the connection end.
func TestParentIsKilled(t *testing.T) {
	for _, test := range []struct {
		name, kind string
		without    []string
		stopped    bool
	}{
		{"sandbox", bwrapPath(t), nil, false},
		{"sandbox, by the kernel alone", bwrapPath(t), nil, true},
		{"sandbox, by the connection alone", bwrapPath(t), []string{string(layerParent)}, false},
		{"off", KindOff, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			word, directory := mark(t), t.TempDir()
			path, err := os.Executable()
			must(t, err)
			parent := exec.Command(path, append([]string{"play:parent", test.kind, directory, word}, test.without...)...)
			var stderr bytes.Buffer
			parent.Stderr = &stderr
			stdout, err := parent.StdoutPipe()
			must(t, err)
			must(t, parent.Start())
			if up, _ := io.ReadAll(io.LimitReader(stdout, 2)); string(up) != "up" {
				_ = parent.Wait()
				t.Fatalf("the tree is not up: %s", stderr.String())
			}
			below := descendants(parent.Process.Pid)
			if tree := marked(t, word); len(tree) != 2+len(manners()) {
				t.Errorf("%d processes: %v", len(tree), tree) // the parent, the program, and those that stay
			}
			if test.stopped {
				for _, process := range below {
					if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", process)); bytes.HasPrefix(line, []byte(insideKeeper)) {
						must(t, unix.Kill(process, unix.SIGSTOP))
					}
				}
			}
			var ends []int
			for _, process := range below {
				end, err := unix.PidfdOpen(process, 0)
				must(t, err)
				ends = append(ends, end)
			}
			must(t, parent.Process.Kill())
			_ = parent.Wait() // it says that it was killed
			for i, end := range ends {
				for {
					ready := []unix.PollFd{{Fd: int32(end), Events: unix.POLLIN}}
					if n, err := unix.Poll(ready, 20_000); errors.Is(err, unix.EINTR) {
						continue
					} else if err != nil || n == 0 {
						t.Errorf("process %d lives on, %v", below[i], err)
					}
					break
				}
				_ = unix.Close(end)
			}
			if left := marked(t, word); len(left) != 0 {
				t.Errorf("still there: %v", left)
			}
			if left, err := os.ReadDir(directory); err != nil || len(left) != 0 {
				t.Errorf("directories are left: %v, %v", left, err)
			}
		})
	}
}

// TestDescendants holds that whoever is below a process is found, at any depth.
func TestDescendants(t *testing.T) {
	command := exec.Command("/proc/self/exe", "play:wait")
	input, err := command.StdinPipe()
	must(t, err)
	must(t, command.Start())
	if !slices.Contains(descendants(os.Getpid()), command.Process.Pid) || slices.Contains(descendants(command.Process.Pid), command.Process.Pid) {
		t.Errorf("descendants: %v", descendants(os.Getpid()))
	}
	must(t, input.Close())
	must(t, command.Wait())
}
