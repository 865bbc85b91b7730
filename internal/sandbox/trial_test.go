package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// trial is what a runner is told: a stand-in for the run program on a machine that has much to lose.
type trial struct {
	Directory, Bubblewrap string
	Without               []layer
}

const (
	environmentCanary = "ENVIRONMENT-CANARY-5c1e"
	commandCanary     = "COMMAND-CANARY-5c1e"
)

// runner is the process that starts the planted program and holds what it looks for.
func runner(argument string) error {
	var told trial
	if err := json.Unmarshal([]byte(argument), &told); err != nil {
		return err
	}
	t := target{Directory: told.Directory, Process: os.Getpid(), Canary: environmentCanary, Command: commandCanary, Namespaces: map[string]string{},
		Environment: []string{"ONLY=this"}, Abstract: fmt.Sprintf("@airlock-%d", os.Getpid()), Key: fmt.Sprintf("airlock-%d", os.Getpid()),
		Socket: fmt.Sprintf("%s/socket-%d", told.Directory, os.Getpid())}
	secret := []byte(environmentCanary)
	t.Address = uint64(uintptr(unsafe.Pointer(&secret[0])))
	for _, name := range []string{"ipc", "uts", "cgroup"} {
		t.Namespaces[name], _ = os.Readlink("/proc/self/ns/" + name)
	}
	t.Host, _ = os.Hostname()

	victim := exec.Command("/proc/self/exe", "play:wait")
	blocked, err := victim.StdinPipe()
	if err != nil {
		return err
	}
	defer blocked.Close()
	if err := victim.Start(); err != nil {
		return err
	}
	t.Victim = victim.Process.Pid
	for _, listening := range []struct{ network, address string }{{"tcp", "127.0.0.1:0"}, {"unix", t.Abstract}, {"unix", t.Socket}, {"tcp", ":0"}} {
		listener, err := net.Listen(listening.network, listening.address)
		if err != nil {
			return err
		}
		defer listener.Close()
		go func() {
			for {
				connection, err := listener.Accept()
				if err != nil {
					return
				}
				_ = connection.Close()
			}
		}()
		switch listening.address {
		case "127.0.0.1:0":
			t.TCP = listener.Addr().String()
		case ":0":
			t.Outward = outward(listener.Addr().(*net.TCPAddr).Port)
		}
	}
	names, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer names.Close()
	t.UDP = names.LocalAddr().String()
	go answerNames(names)

	if t.Segment, err = unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600|unix.IPC_CREAT); err != nil {
		return err
	}
	defer unix.SysvShmCtl(t.Segment, unix.IPC_RMID, nil)
	shared, err := unix.SysvShmAttach(t.Segment, 0, 0)
	if err != nil {
		return err
	}
	copy(shared, environmentCanary)
	if _, err := unix.KeyctlJoinSessionKeyring("airlock-trial"); err == nil {
		if _, err := unix.AddKey("user", t.Key, []byte(environmentCanary), unix.KEY_SPEC_SESSION_KEYRING); err != nil {
			return err
		}
	}

	r := Bubblewrap(told.Bubblewrap)
	r.without = layers{}
	for _, layer := range told.Without {
		r.without[layer] = true
	}
	file, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	description, err := json.Marshal(t)
	if err != nil {
		return err
	}
	end, err := r.Run(context.Background(), Program{File: file, Limit: time.Minute, Files: map[string][]byte{"prompt": []byte("x")},
		Command: func(Place) ([]string, []string) { return []string{"play:planted", string(description)}, t.Environment }})
	if err != nil {
		return err
	}
	if end.Exit != 0 {
		return fmt.Errorf("the planted program ended with %d: %s", end.Exit, end.Stderr)
	}
	_, err = os.Stdout.Write(end.Stdout)
	_ = secret
	return err
}

// outward is an address of this machine that is not loopback, "" where it has none.
func outward(port int) string {
	addresses, _ := net.InterfaceAddrs()
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok && !network.IP.IsLoopback() && network.IP.To4() != nil {
			return fmt.Sprintf("%s:%d", network.IP, port)
		}
	}
	return ""
}

// answerNames answers every question with one text.
func answerNames(connection net.PacketConn) {
	question := make([]byte, 512)
	for {
		n, from, err := connection.ReadFrom(question)
		if err != nil {
			return
		}
		end := 12
		for end < n && question[end] != 0 {
			end += int(question[end]) + 1
		}
		end += 5
		answer := append([]byte{question[0], question[1], 0x84, 0, 0, 1, 0, 1, 0, 0, 0, 0}, question[12:min(end, n)]...)
		answer = append(answer, 0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, 2, 1, 'x')
		_, _ = connection.WriteTo(answer, from)
	}
}

// machine makes what the trial is about, readable to the user, in a place that no mount of a sandbox covers.
func machine(t *testing.T, user int) string {
	t.Helper()
	directory, err := os.MkdirTemp("/var/tmp", "d")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(directory)) })
	for _, name := range []string{"_temp/bundle.json", "_temp/set_env", "_runner/.credentials"} {
		path := filepath.Join(directory, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(environmentCanary), 0o600))
	}
	// The test's own executable may be where another user cannot reach it.
	own, err := os.Open("/proc/self/exe")
	must(t, err)
	defer own.Close()
	program, err := os.OpenFile(filepath.Join(directory, "program"), os.O_CREATE|os.O_WRONLY, 0o755)
	must(t, err)
	_, err = io.Copy(program, own)
	must(t, err)
	must(t, program.Close())
	must(t, filepath.WalkDir(directory, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, user, user)
	}))
	if os.Getuid() == 0 {
		must(t, exec.Command("cp", filepath.Join(directory, "program"), filepath.Join(directory, "setuid")).Run())
		must(t, os.Chmod(filepath.Join(directory, "setuid"), 0o4755))
	}
	return directory
}

// try runs the trial as a user and returns what the planted program got.
func try(t *testing.T, user int, told trial) map[string]string {
	t.Helper()
	told.Bubblewrap = bwrapPath(t)
	argument, err := json.Marshal(told)
	must(t, err)
	command := exec.Command(filepath.Join(told.Directory, "program"), "play:runner", string(argument), commandCanary)
	command.Env = []string{"SECRET=" + environmentCanary}
	command.Dir = "/"
	// A terminal is what a program could type into.
	terminal, typed := pseudoterminal(t)
	defer terminal.Close()
	defer typed.Close()
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = typed, &stdout, &stderr
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if user != os.Getuid() {
		command.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}
		must(t, typed.Chown(user, user))
	}
	if err := command.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var got map[string]string
	must(t, json.Unmarshal(stdout.Bytes(), &got))
	return got
}

func pseudoterminal(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	must(t, err)
	must(t, unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	must(t, err)
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	must(t, err)
	return ours, theirs
}

// users are who starts a sandbox: root, and somebody without any privilege.
func users() map[string]int {
	if os.Getuid() != 0 {
		return map[string]int{"unprivileged": os.Getuid()}
	}
	return map[string]int{"root": 0, "unprivileged": 64321}
}

// TestP26 is the trial: a program in place of the CLI, in the hands of whoever writes the change, gets nothing.
func TestP26(t *testing.T) {
	for name, user := range users() {
		t.Run(name, func(t *testing.T) {
			if got := try(t, user, trial{Directory: machine(t, user)}); len(got) != 0 {
				t.Errorf("it got %q", got)
			}
		})
	}
}

// leaks says what the planted program gets without some layers, whoever started it; root what it gets besides where that was root.
// Needed are those of them that it gets only when all of these layers are gone: each alone holds them.
type leaks struct {
	without             []layer
	got, root, needsAll []string
	why                 string // where it gets nothing
}

// trials are every layer taken away alone, and those together that hold something each.
func trials() []leaks {
	const (
		commandLine = "command line of another process"
		nested      = "a user namespace of its own"
	)
	return []leaks{
		{without: []layer{layerUser}, got: []string{nested}, root: []string{"capabilities"},
			why: "bubblewrap makes one by itself for an unprivileged user, then without forbidding another"},
		{without: []layer{layerPID}, got: []string{commandLine, "killing another process"}},
		{without: []layer{layerIPC}, got: []string{"shared memory", "the machine's own IPC"}},
		{without: []layer{layerUTS}, got: []string{"the machine's own name"}},
		{without: []layer{layerCgroup}, got: []string{"the machine's own control groups"}},
		{without: []layer{layerNetwork}, got: []string{"a name, by DNS", "an abstract socket", "an interface of the network", "another host", "another port"}},
		{without: []layer{layerNested}, got: []string{nested}},
		{without: []layer{layerCapabilities}, root: []string{"capabilities"}, why: "bubblewrap drops them by itself where it was started by an unprivileged user"},
		{without: []layer{layerFiles}, got: []string{"/sys", "a socket by path", commandLine, "files of the system", "the runner's files", "writing the runner's files"},
			root: []string{"files of root", "settings of the kernel"}},
		{without: []layer{layerProc}, got: []string{commandLine}},
		{without: []layer{layerSettings}, root: []string{"settings of the kernel"}, why: "who is not root may not write them anywhere"},
		{without: []layer{layerDevices}, got: []string{"devices"}, root: []string{"writing outside its directories"}},
		{without: []layer{layerReadOnly}, got: []string{"writing outside its directories"}},
		{without: []layer{layerSizes}, got: []string{"more room than it is given"}},
		{without: []layer{layerSystemCalls}, got: []string{"keys", "rare system calls", "the virtual machine's host"}},
		{without: []layer{layerSession}, why: "the devices hold the terminal too: see the two rows below"},
		{without: []layer{layerParent}, why: "the keeper ends with the connection to its parent too: TestParentIsKilled takes each away"},
		{without: []layer{layerSession, layerDevices}, got: []string{"devices", "the terminal"}, root: []string{"writing outside its directories"},
			needsAll: []string{"the terminal"}},
		{without: []layer{layerSession, layerDevices, layerSystemCalls}, needsAll: []string{"typing into the terminal"},
			got:  []string{"devices", "keys", "rare system calls", "the terminal", "the virtual machine's host", "typing into the terminal"},
			root: []string{"writing outside its directories"}},
		{without: []layer{layerUser, layerCapabilities, layerSystemCalls}, got: []string{"keys", nested, "rare system calls", "the virtual machine's host"},
			root: []string{"a mount", "capabilities", "the keeper", "the kernel's log"}, needsAll: []string{"a mount", "the kernel's log"}},
		// An unprivileged user's sandbox cannot be without a user namespace, which alone holds memory and environments.
		{without: []layer{layerUser, layerPID, layerCapabilities}, got: []string{commandLine, "killing another process", nested},
			root: []string{"capabilities", "environment of another process", "environment of another thread", "memory of another process"}},
	}
}

// TestP26Layers holds what would have leaked without each layer, by running the trial without it.
func TestP26Layers(t *testing.T) {
	for name, user := range users() {
		directory := machine(t, user)
		got := func(t *testing.T, without []layer) []string {
			return slices.Sorted(maps.Keys(try(t, user, trial{Directory: directory, Without: without})))
		}
		for _, row := range trials() {
			t.Run(fmt.Sprintf("%s without %v", name, row.without), func(t *testing.T) {
				want := slices.Clone(row.got)
				if user == 0 {
					want = append(want, row.root...)
				}
				slices.Sort(want)
				if len(want) == 0 && row.why == "" {
					t.Error("a layer that holds nothing needs a reason")
				}
				if got := got(t, row.without); !slices.Equal(got, want) {
					t.Errorf("it got %q, want %q", got, want)
				}
				if len(row.needsAll) == 0 {
					return
				}
				for i, kept := range row.without {
					others := slices.Delete(slices.Clone(row.without), i, i+1)
					for _, attack := range got(t, others) {
						if slices.Contains(row.needsAll, attack) {
							t.Errorf("%s does not hold %s alone", kept, attack)
						}
					}
				}
			})
		}
	}
}

// allLayers lists every layer.
func allLayers() []layer {
	return []layer{layerUser, layerPID, layerIPC, layerUTS, layerCgroup, layerNetwork, layerNested, layerCapabilities, layerSession, layerParent,
		layerFiles, layerProc, layerSettings, layerDevices, layerReadOnly, layerSizes, layerSystemCalls}
}

// TestP26EveryLayerIsTried holds that no layer is without its row, and no attack without a row in which it succeeds, but for those
// that no layer of ours holds.
func TestP26EveryLayerIsTried(t *testing.T) {
	always := map[string]string{
		"new privileges":           "bubblewrap and the keeper both forbid them, which cannot be taken back",
		"a setuid program":         "nothing gains privileges: see new privileges",
		"descriptors":              "the keeper closes them for what it starts",
		"its own environment":      "the keeper hands it over by name",
		"memory, by a system call": "as memory of another process, and the call is denied too",
		"tracing another process":  "as memory of another process, and the call is denied too",
	}
	succeeded := map[string]bool{}
	tried := map[layer]bool{}
	for _, row := range trials() {
		for _, attack := range append(slices.Clone(row.got), row.root...) {
			succeeded[attack] = true
		}
		if len(row.without) == 1 {
			tried[row.without[0]] = true
		}
	}
	for _, layer := range allLayers() {
		if !tried[layer] {
			t.Errorf("%s is never taken away", layer)
		}
	}
	for _, attack := range attacks {
		if succeeded[attack.name] == (always[attack.name] != "") {
			t.Errorf("%s: it must succeed without some layer, or be said to be held always", attack.name)
		}
	}
}
