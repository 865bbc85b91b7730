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
	"strconv"
	"strings"
	"testing"
)

// sealing seals this process and says what it can do then, on a thread that was there before.
func sealing(arguments []string) int {
	directory, kept, other := arguments[0], arguments[1], arguments[2]
	turn, answer := make(chan struct{}), make(chan map[string]bool)
	go func() {
		runtime.LockOSThread() // a thread of its own, begun before
		<-turn
		answer <- able(directory, kept, other)
	}()
	port, _ := strconv.ParseUint(kept[strings.LastIndexByte(kept, ':')+1:], 10, 16)
	version, err := Seal(Ground{Read: []string{filepath.Join(directory, "read")}, Write: []string{filepath.Join(directory, "out"), filepath.Join(directory, "output"), filepath.Join(directory, "absent")},
		Connect: []uint16{uint16(port)}})
	if errors.Is(err, ErrNotSealed) {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	close(turn)
	can := <-answer
	can["ports"] = version >= 4
	if json.NewEncoder(os.Stdout).Encode(can) != nil {
		return 1
	}
	return 0
}

func able(directory, kept, other string) map[string]bool {
	at := func(name string) string { return filepath.Join(directory, name) }
	write := func(name string) bool { return os.WriteFile(at(name), []byte("x"), 0o600) == nil }
	read := func(path string) bool { _, err := os.ReadFile(path); return err == nil }
	connect := func(address string) bool {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			_ = connection.Close()
		}
		return err == nil
	}
	var plain net.ListenConfig
	plain.SetMultipathTCP(false) // which Landlock does not know
	_, listening := plain.Listen(context.Background(), "tcp", "127.0.0.1:0")
	return map[string]bool{
		"read what is kept":           read(at("read")),
		"read another file":           read(at("secret")),
		"read the system's":           read("/etc/passwd"),
		"list":                        func() bool { _, err := os.ReadDir(directory); return err == nil }(),
		"write into its directory":    write("out/a") && os.Rename(at("out/a"), at("out/b")) == nil && os.Remove(at("out/b")) == nil,
		"write its file":              write("output"),
		"write what it may read":      write("read"),
		"write beside":                write("beside"),
		"start a program":             exec.Command("/proc/self/exe", "--version").Run() == nil,
		"connect to the one port":     connect(kept),
		"connect to another":          connect(other),
		"listen":                      listening == nil,
		"remove what it may read":     os.Remove(at("read")) == nil,
		"make a directory":            os.Mkdir(at("out/d"), 0o700) == nil,
		"make a link to another file": os.Symlink(at("secret"), at("out/l")) == nil,
	}
}

// TestSeal holds what a sealed process can do, on every one of its threads; where the kernel has no Landlock, that it says so. The
// program is built as ours is: where C code is linked no process can be sealed, which is said too.
func TestSeal(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "test", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v: %s", err, output)
	}
	directory := t.TempDir()
	for _, name := range []string{"read", "secret", "output"} {
		must(t, os.WriteFile(filepath.Join(directory, name), []byte("x"), 0o600))
	}
	must(t, os.Mkdir(filepath.Join(directory, "out"), 0o700))
	var addresses []string
	for range 2 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		t.Cleanup(func() { listener.Close() })
		addresses = append(addresses, listener.Addr().String())
	}
	output, err := exec.Command(program, "play:seal", directory, addresses[0], addresses[1]).Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) && failed.ExitCode() == 3 {
		if !strings.Contains(string(failed.Stderr), "the kernel has no Landlock") {
			t.Errorf("not sealed: %s", failed.Stderr)
		}
		return
	}
	must(t, err)
	var can map[string]bool
	must(t, json.Unmarshal(output, &can))
	may := map[string]bool{"read what is kept": true, "write into its directory": true, "write its file": true, "connect to the one port": true}
	if !can["ports"] { // which came with version 4
		may["connect to another"], may["listen"] = true, true
	}
	delete(can, "ports")
	if len(can) != 15 {
		t.Errorf("tried: %v", can)
	}
	for what, could := range can {
		if could != may[what] {
			t.Errorf("%s: %t", what, could)
		}
	}
}
