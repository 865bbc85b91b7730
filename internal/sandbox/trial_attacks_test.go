package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// target is what a planted program is told of the process that started it, such that it need not search.
type target struct {
	Directory                string // the runner's own, below what no mount of ours covers
	Process, Victim          int
	Address                  uint64 // of a secret in the runner's memory
	TCP, Outward, UDP        string
	Abstract, Socket         string
	Segment                  int
	Key                      string
	Namespaces               map[string]string
	Host                     string
	Environment              []string // what the program itself should hold
	Canary, Command, Pattern string
}

// attack returns what it got, "" for nothing.
type attack struct {
	name string
	try  func(target) string
}

// paths are where a path of the machine may be found: at its own place, or where a sandbox without a layer has it.
func paths(path string) []string { return []string{path, "/machine" + path} }

func readable(candidates ...string) string {
	for _, candidate := range candidates {
		for _, path := range paths(candidate) {
			if data, err := os.ReadFile(path); err == nil && len(data) > 0 {
				return path
			}
		}
	}
	return ""
}

func writable(candidates ...string) string {
	for _, candidate := range candidates {
		for _, path := range paths(candidate) {
			if file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err == nil {
				_ = file.Close()
				return path
			}
		}
	}
	return ""
}

// holding is the first of the files of every process, but our own, that holds the text.
func holding(pattern, text string) string {
	for _, root := range paths("/proc") {
		found, _ := filepath.Glob(root + pattern)
		for _, path := range found {
			if strings.HasPrefix(path, fmt.Sprintf("%s/%d/", root, os.Getpid())) {
				continue
			}
			if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte(text)) {
				return "holds the canary"
			}
		}
	}
	return ""
}

func dialled(network, address string) string {
	connection, err := net.DialTimeout(network, address, 2*time.Second)
	if err != nil {
		return ""
	}
	_ = connection.Close()
	return network + " connected"
}

func called(number uintptr, arguments ...uintptr) string {
	var all [6]uintptr
	copy(all[:], arguments)
	_, _, errno := unix.Syscall6(number, all[0], all[1], all[2], all[3], all[4], all[5])
	if errno == unix.EPERM || errno == unix.ENOSYS || errno == unix.EACCES {
		return ""
	}
	return "the kernel looked at it"
}

// attacks are the trial. What a planted program can do with a model's words is among them.
var attacks = []attack{
	{"environment of another process", func(t target) string { return holding("/[0-9]*/environ", t.Canary) }},
	{"environment of another thread", func(t target) string { return holding("/[0-9]*/task/*/environ", t.Canary) }},
	{"command line of another process", func(t target) string { return holding("/[0-9]*/cmdline", t.Command) }},
	{"memory of another process", func(t target) string {
		for _, root := range paths("/proc") {
			file, err := os.Open(fmt.Sprintf("%s/%d/mem", root, t.Process))
			if err != nil {
				continue
			}
			data := make([]byte, len(t.Canary))
			_, err = file.ReadAt(data, int64(t.Address))
			_ = file.Close()
			if err == nil && string(data) == t.Canary {
				return "holds the canary"
			}
		}
		return ""
	}},
	{"memory, by a system call", func(t target) string {
		data := make([]byte, len(t.Canary))
		local := []unix.Iovec{{Base: &data[0], Len: uint64(len(data))}}
		remote := []unix.RemoteIovec{{Base: uintptr(t.Address), Len: len(data)}}
		if n, err := unix.ProcessVMReadv(t.Process, local, remote, 0); err == nil && n == len(data) && string(data) == t.Canary {
			return "holds the canary"
		}
		return ""
	}},
	{"tracing another process", func(t target) string {
		if err := unix.PtraceSeize(t.Victim); err != nil {
			return ""
		}
		_ = unix.PtraceDetach(t.Victim)
		return "attached"
	}},
	{"killing another process", func(t target) string {
		if unix.Kill(t.Victim, 0) != nil {
			return ""
		}
		return "it may"
	}},
	{"the keeper", func(t target) string {
		for _, name := range []string{"environ", "mem", "fd/3", "maps"} {
			if file, err := os.Open("/proc/1/" + name); err == nil {
				_ = file.Close()
				return name + " of process 1"
			}
		}
		return ""
	}},
	{"the runner's files", func(t target) string {
		return readable(t.Directory+"/_temp/bundle.json", t.Directory+"/_runner/.credentials")
	}},
	{"writing the runner's files", func(t target) string { return writable(t.Directory + "/_temp/set_env") }},
	{"files of the system", func(t target) string { return readable("/etc/passwd", "/etc/hostname", "/usr/bin/env") }},
	{"files of root", func(t target) string { return readable("/etc/shadow") }},
	{"a setuid program", func(t target) string {
		for _, path := range paths(t.Directory + "/setuid") {
			output, err := exec.Command(path, "play:who").Output()
			if err == nil && strings.TrimSpace(string(output)) == "0" {
				return "root"
			}
		}
		return ""
	}},
	{"another port", func(t target) string { return dialled("tcp", t.TCP) }},
	{"another host", func(t target) string {
		if t.Outward == "" {
			return ""
		}
		return dialled("tcp", t.Outward)
	}},
	{"a name, by DNS", func(t target) string {
		resolver := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "udp", t.UDP)
		}}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if _, err := resolver.LookupTXT(ctx, t.Canary+".example.invalid"); err == nil {
			return "answered"
		}
		return ""
	}},
	{"an interface of the network", func(t target) string {
		interfaces, _ := net.Interfaces()
		for _, one := range interfaces {
			if one.Flags&net.FlagLoopback == 0 {
				return "there is another than loopback"
			}
		}
		return ""
	}},
	{"an abstract socket", func(t target) string { return dialled("unix", t.Abstract) }},
	{"a socket by path", func(t target) string {
		for _, path := range paths(t.Socket) {
			if got := dialled("unix", path); got != "" {
				return got
			}
		}
		return ""
	}},
	{"the virtual machine's host", func(t target) string {
		socket, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)
		if err != nil {
			return ""
		}
		_ = unix.Close(socket)
		return "a socket to it"
	}},
	{"shared memory", func(t target) string {
		address, err := unix.SysvShmAttach(t.Segment, 0, unix.SHM_RDONLY)
		if err != nil || !bytes.HasPrefix(address, []byte(t.Canary)) {
			return ""
		}
		return "holds the canary"
	}},
	{"keys", func(t target) string {
		for _, ring := range []int{unix.KEY_SPEC_SESSION_KEYRING, unix.KEY_SPEC_USER_KEYRING} {
			if key, err := unix.KeyctlSearch(ring, "user", t.Key, 0); err == nil {
				data := make([]byte, 64)
				if n, err := unix.KeyctlBuffer(unix.KEYCTL_READ, key, data, 0); err == nil && string(data[:min(n, len(data))]) == t.Canary {
					return "holds the canary"
				}
			}
		}
		return ""
	}},
	{"the terminal", func(target) string {
		terminal, err := unix.Open("/dev/tty", unix.O_RDWR, 0)
		if err != nil {
			return ""
		}
		_ = unix.Close(terminal)
		return "opened"
	}},
	{"typing into the terminal", func(target) string {
		terminal, err := unix.Open("/dev/tty", unix.O_RDWR, 0)
		if err != nil {
			return ""
		}
		defer unix.Close(terminal)
		// Whether the kernel still takes it is a setting of its own; that the call reaches it is enough.
		letter := byte('x')
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(terminal), unix.TIOCSTI, uintptr(unsafe.Pointer(&letter))); errno == unix.EPERM {
			return ""
		}
		return "the kernel looked at it"
	}},
	{"devices", func(t target) string {
		for _, path := range []string{"/dev/kmsg", "/dev/mem", "/dev/vda", "/dev/sda", "/dev/fuse", "/dev/net/tun", "/dev/loop-control", "/dev/ptmx", "/dev/full"} {
			if device, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK, 0); err == nil {
				_ = unix.Close(device)
				return "one of the machine's"
			}
		}
		return ""
	}},
	{"/sys", func(t target) string {
		for _, path := range paths("/sys/kernel") {
			if list, err := os.ReadDir(path); err == nil && len(list) > 0 {
				return path
			}
		}
		return ""
	}},
	{"settings of the kernel", func(t target) string { return writable("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger") }},
	{"the kernel's log", func(t target) string {
		if n, err := unix.Klogctl(unix.SYSLOG_ACTION_READ_ALL, make([]byte, 64)); err == nil && n >= 0 {
			return "read"
		}
		return ""
	}},
	{"rare system calls", func(t target) string {
		for _, number := range []uintptr{unix.SYS_IO_URING_SETUP, unix.SYS_KEYCTL, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN} {
			if got := called(number, ^uintptr(0)); got != "" {
				return got
			}
		}
		return ""
	}},
	{"capabilities", func(t target) string {
		status, _ := os.ReadFile("/proc/self/status")
		for _, line := range strings.Split(string(status), "\n") {
			if strings.HasPrefix(line, "Cap") && strings.Trim(line[7:], "\t 0") != "" {
				return "some"
			}
		}
		return ""
	}},
	{"new privileges", func(t target) string {
		if set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || set != 1 {
			return "possible"
		}
		return ""
	}},
	{"a mount", func(t target) string {
		if unix.Mount("none", ".", "tmpfs", 0, "") != nil {
			return ""
		}
		if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
			return err.Error()
		}
		return "made"
	}},
	{"a user namespace of its own", func(t target) string {
		command := exec.Command("/proc/self/exe", "play:who")
		command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
		if _, err := command.Output(); err != nil {
			return ""
		}
		return "made"
	}},
	{"descriptors", func(t target) string {
		list, _ := os.ReadDir("/proc/self/fd")
		var others []string
		for _, entry := range list {
			to, err := os.Readlink("/proc/self/fd/" + entry.Name())
			// Its own runtime's and the directory itself.
			if err != nil || strings.HasPrefix(to, "/machine/sys/fs/cgroup/") || strings.HasPrefix(to, "pipe:") && slices.Contains([]string{"0", "1", "2"}, entry.Name()) ||
				strings.HasPrefix(to, "anon_inode:") || strings.HasPrefix(to, "/proc/") {
				continue
			}
			others = append(others, to)
		}
		return strings.Join(others, " ")
	}},
	{"its own environment", func(t target) string {
		if !slices.Equal(os.Environ(), t.Environment) {
			return strings.Join(os.Environ(), " ")
		}
		return ""
	}},
	{"writing outside its directories", func(t target) string {
		for _, path := range []string{"/x", "/files/x", "/files/prompt", "/keeper", "/lib/x", "/etc/x", "/dev/x", "/proc/x"} {
			if file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
				_ = file.Close()
				_ = os.Remove(path)
				return "at the root"
			}
		}
		return ""
	}},
	{"more room than it is given", func(t target) string {
		for _, directory := range []string{"/home", "/tmp", "/scratch"} {
			file, err := os.Create(filepath.Join(directory, "fill"))
			if err != nil {
				return err.Error()
			}
			written, err := io.Copy(file, io.LimitReader(zeros{}, writableSize+4096))
			_ = file.Close()
			_ = os.Remove(file.Name())
			if err == nil && written > writableSize {
				return "filled"
			}
		}
		return ""
	}},
	{"the machine's own IPC", func(t target) string { return sameNamespace(t, "ipc") }},
	{"the machine's own name", func(t target) string {
		if name, _ := os.Hostname(); name == t.Host {
			return "known"
		}
		return ""
	}},
	{"the machine's own control groups", func(t target) string { return sameNamespace(t, "cgroup") }},
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func sameNamespace(t target, name string) string {
	if got, err := os.Readlink("/proc/self/ns/" + name); err == nil && got == t.Namespaces[name] {
		return "shared"
	}
	return ""
}

// planted tries everything and prints what it got.
func planted(argument string) int {
	var t target
	if err := json.Unmarshal([]byte(argument), &t); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	got := map[string]string{}
	for _, attack := range attacks {
		if result := attack.try(t); result != "" {
			got[attack.name] = result
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(got); err != nil {
		return 2
	}
	return 0
}
