package sandbox

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// list prints every path below the root but those of /proc, and who may write it.
func list([]string) int {
	err := filepath.WalkDir("/", func(path string, entry fs.DirEntry, err error) error {
		if path == "/proc" {
			return fs.SkipDir
		}
		fmt.Println(path)
		return err
	})
	return boolean(err == nil)
}

// ask prints what it gets from an address.
func ask(arguments []string) int {
	answer, err := http.Get("http://" + arguments[0])
	if err != nil {
		return 1
	}
	_, _ = io.Copy(os.Stdout, answer.Body)
	return 0
}

// TestNoOtherPath holds every path that there is in a sandbox: what was given, the libraries of what was given, and nothing else.
func TestNoOtherPath(t *testing.T) {
	program := playing(t, "list")
	program.Files = map[string][]byte{"prompt": []byte("x"), "bwrap": nil}
	end, err := Bubblewrap(bwrapPath(t)).Run(t.Context(), program)
	must(t, err)
	if end.Exit != 0 {
		t.Fatalf("exit %d: %s", end.Exit, end.Stderr)
	}
	want := []string{"/", "/dev", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero", "/files", "/files/bwrap", "/files/prompt", "/home", "/keeper", "/program",
		"/proc", "/scratch", "/tmp"}
	libraries, err := librariesOf(program.File)
	must(t, err)
	for _, path := range libraries {
		for ; path != "/"; path = filepath.Dir(path) {
			want = append(want, path)
		}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	got := append(strings.Fields(string(end.Stdout)), "/proc")
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("paths:\n got %q\nwant %q", got, want)
	}
}

// TestLibraries holds that exactly the loader and the libraries of the real CLI's kind of program are found, and none for a static
// program or a script.
func TestLibraries(t *testing.T) {
	sh, err := filepath.EvalSymlinks("/bin/sh")
	must(t, err)
	file, err := os.Open(sh)
	must(t, err)
	defer file.Close()
	found, err := librariesOf(file)
	must(t, err)
	if len(found) < 2 || !strings.Contains(found[0], "ld-linux") || !strings.HasSuffix(found[1], "libc.so.6") {
		t.Errorf("libraries of a shell: %q", found)
	}
	script := filepath.Join(t.TempDir(), "script")
	must(t, os.WriteFile(script, []byte("#!/bin/sh\n"), 0o700))
	text, err := os.Open(script)
	must(t, err)
	defer text.Close()
	if found, err := librariesOf(text); len(found) != 0 || err != nil {
		t.Errorf("libraries of a script: %q, %v", found, err)
	}
}

// TestWhatWasLookedAtIsStarted holds that the file that was opened is started, whatever its path has come to name.
func TestWhatWasLookedAtIsStarted(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "program")
	own, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	must(t, os.WriteFile(path, own, 0o700))
	program := playing(t, "echo")
	program.File, err = os.Open(path)
	must(t, err)
	defer program.File.Close()
	must(t, os.Rename(path, path+".moved"))
	must(t, os.WriteFile(path, []byte("#!/bin/sh\necho another\n"), 0o700))
	program.Input = []byte("the same")
	end, err := Bubblewrap(bwrapPath(t)).Run(t.Context(), program)
	must(t, err)
	if string(end.Stdout) != "the same" {
		t.Errorf("it was another: %q, exit %d", end.Stdout, end.Exit)
	}
	// One that has gone altogether cannot be mounted, and is refused.
	must(t, os.Remove(path+".moved"))
	if end, err := Bubblewrap(bwrapPath(t)).Run(t.Context(), program); err == nil {
		t.Errorf("a file that is gone was started: %q", end.Stdout)
	}
}

// TestTheOneRoad holds that a program reaches the listener that is served, through both kinds of runner.
func TestTheOneRoad(t *testing.T) {
	for kind, runner := range runners(t) {
		t.Run(kind, func(t *testing.T) {
			var closing net.Listener
			program := playing(t, "ask")
			program.Serve = func(listener net.Listener) error {
				closing = listener
				go func() {
					_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "answered") }))
				}()
				return nil
			}
			program.Command = func(place Place) ([]string, []string) { return []string{"play:ask", place.Address}, nil }
			end, err := runner.Run(t.Context(), program)
			must(t, err)
			must(t, closing.Close())
			if string(end.Stdout) != "answered" || end.Exit != 0 {
				t.Errorf("%q, exit %d", end.Stdout, end.Exit)
			}
		})
	}
}

// TestMachinesNetwork holds what a program gets that is given the machine's network: that, names and certificates, and no more files.
func TestMachinesNetwork(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	go func() {
		_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "answered") }))
	}()
	for _, open := range []bool{true, false} {
		program := playing(t, "ask", listener.Addr().String())
		program.Open = open
		end, err := Bubblewrap(bwrapPath(t)).Run(t.Context(), program)
		must(t, err)
		if got := string(end.Stdout) == "answered"; got != open {
			t.Errorf("open %t: answered %t", open, got)
		}
	}
	program := playing(t, "list")
	program.Open = true
	end, err := Bubblewrap(bwrapPath(t)).Run(t.Context(), program)
	must(t, err)
	for _, path := range strings.Fields(string(end.Stdout)) {
		if strings.HasPrefix(path, "/etc/") && !slices.ContainsFunc(NamesAndCertificates(), func(known string) bool {
			return path == known || strings.HasPrefix(known, path+"/")
		}) {
			t.Errorf("there is %s", path)
		}
	}
}
