package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// What is inside a sandbox, beside libraries at their own paths. No name says anything: a model may see them.
const (
	insideKeeper  = "/keeper"
	insideProgram = "/program"
	insidePort    = 8000
)

// insidePlace is the [Place] of every sandbox. Its address is that of a network that is each sandbox's own.
var insidePlace = Place{Home: "/home", Temporary: "/tmp", Work: "/scratch", Files: "/files", Address: "127.0.0.1:" + strconv.Itoa(insidePort)}

// Sizes of the writable directories, in bytes. The pinned CLI writes some kilobytes into each.
const writableSize = 32 << 20

// layer is one thing that a sandbox does. A test takes them away one by one to show what each is for.
type layer string

const (
	layerUser         layer = "user namespace"
	layerPID          layer = "PID namespace"
	layerIPC          layer = "IPC namespace"
	layerUTS          layer = "UTS namespace"
	layerCgroup       layer = "cgroup namespace"
	layerNetwork      layer = "network namespace"
	layerNested       layer = "no user namespace inside"
	layerCapabilities layer = "no capability"
	layerSession      layer = "session of its own" // which our own start of bwrap makes
	layerParent       layer = "dies with its parent"
	layerFiles        layer = "no other file"
	layerProc         layer = "own /proc"
	layerSettings     layer = "read-only /proc"
	layerDevices      layer = "four devices"
	layerReadOnly     layer = "read-only root"
	layerSizes        layer = "sizes of the writable directories"
	layerSystemCalls  layer = "system calls that it does not need"
)

type layers map[layer]bool

// box collects the arguments of bwrap and the files that it is handed.
type box struct {
	arguments []string
	files     []*os.File
	opened    []*os.File // those of files that are closed with the box
}

func (b *box) add(arguments ...string) { b.arguments = append(b.arguments, arguments...) }

// descriptor hands a file on and returns its number there.
func (b *box) descriptor(file *os.File) string {
	b.files = append(b.files, file)
	return strconv.Itoa(control + len(b.files))
}

// open opens a path of the machine, hands it on and returns its number there.
func (b *box) open(path string) (string, error) {
	file, err := os.OpenFile(path, unix.O_PATH, 0)
	if err != nil {
		return "", err
	}
	b.opened = append(b.opened, file)
	return b.descriptor(file), nil
}

// data hands bytes on and returns the number they are read from there.
func (b *box) data(bytes []byte) (string, error) {
	descriptor, err := unix.MemfdCreate("data", unix.MFD_CLOEXEC)
	if err != nil {
		return "", fmt.Errorf("make a file in memory: %w", err)
	}
	file := os.NewFile(uintptr(descriptor), "data")
	b.opened = append(b.opened, file)
	if _, err := file.Write(bytes); err != nil {
		return "", fmt.Errorf("write a file in memory: %w", err)
	}
	if _, err := file.Seek(0, 0); err != nil {
		return "", fmt.Errorf("write a file in memory: %w", err)
	}
	return b.descriptor(file), nil
}

func (b *box) close() {
	for _, file := range b.opened {
		_ = file.Close() // nothing is written to the machine
	}
}

// box makes the arguments for a program. Every file of the machine is mounted through a descriptor that is open already: what
// its path comes to name meanwhile is of no account.
func (r *Runner) box(program Program) (*box, error) {
	b := &box{}
	err := errors.Join(r.namespaces(b, program), r.mounts(b, program))
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (r *Runner) namespaces(b *box, program Program) error {
	for _, part := range []struct {
		layer     layer
		arguments []string
	}{
		{layerUser, []string{"--unshare-user", "--uid", "1000", "--gid", "1000"}},
		{layerPID, []string{"--unshare-pid", "--as-pid-1"}},
		{layerIPC, []string{"--unshare-ipc"}},
		{layerUTS, []string{"--unshare-uts", "--hostname", "sandbox"}},
		{layerCgroup, []string{"--unshare-cgroup"}},
		{layerNetwork, []string{"--unshare-net"}},
		{layerNested, []string{"--disable-userns"}},
		{layerCapabilities, []string{"--cap-drop", "ALL"}},
		{layerParent, []string{"--die-with-parent"}},
	} {
		// The one needs the other.
		nested := part.layer == layerNested && r.without[layerUser]
		if r.without[part.layer] || nested || part.layer == layerNetwork && program.Open {
			continue
		}
		b.add(part.arguments...)
	}
	if r.without[layerSystemCalls] {
		return nil
	}
	filter, err := b.data(systemCallFilter())
	b.add("--seccomp", filter)
	return err
}

func (r *Runner) mounts(b *box, program Program) error {
	if r.without[layerFiles] {
		b.add("--bind", "/", "/machine")
	}
	if r.without[layerProc] {
		b.add("--bind", "/proc", "/proc")
	} else {
		b.add("--proc", "/proc")
	}
	if !r.without[layerSettings] {
		// What root may write below it, settings of the kernel and programs that it starts for one, it may write in any user
		// namespace that root's processes are in.
		b.add("--remount-ro", "/proc")
	}
	if r.without[layerDevices] {
		b.add("--dev-bind", "/dev", "/dev")
	} else {
		for _, device := range []string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"} {
			b.add("--dev-bind", device, device)
		}
	}
	for _, directory := range []string{insidePlace.Home, insidePlace.Temporary, insidePlace.Work} {
		b.add("--perms", "0700")
		if !r.without[layerSizes] {
			b.add("--size", strconv.Itoa(writableSize))
		}
		b.add("--tmpfs", directory)
	}
	keeper, err := os.Open(r.keeper)
	if err != nil {
		return fmt.Errorf("open our own executable: %w", err)
	}
	b.opened = append(b.opened, keeper)
	b.add("--ro-bind-fd", b.descriptor(keeper), insideKeeper, "--ro-bind-fd", b.descriptor(program.File), insideProgram)

	shared := slices.Clone(r.extra)
	for _, file := range []*os.File{keeper, program.File} {
		libraries, err := librariesOf(file)
		if err != nil {
			return err
		}
		shared = append(shared, libraries...)
	}
	if program.Open {
		shared = append(shared, NamesAndCertificates()...)
	}
	slices.Sort(shared)
	for _, path := range slices.Compact(shared) {
		descriptor, err := b.open(path)
		if err != nil {
			return err
		}
		b.add("--ro-bind-fd", descriptor, path)
	}
	for _, name := range slices.Sorted(maps.Keys(program.Files)) {
		descriptor, err := b.data(program.Files[name])
		if err != nil {
			return err
		}
		b.add("--perms", "0555", "--ro-bind-data", descriptor, insidePlace.Files+"/"+name)
	}
	if !r.without[layerReadOnly] {
		b.add("--remount-ro", "/")
	}
	b.add("--chdir", insidePlace.Work, "--", insideKeeper, keeperArgument)
	return nil
}

// NamesAndCertificates are the files of this machine by which a host is found and trusted.
func NamesAndCertificates() []string {
	var found []string
	for _, alternatives := range [][]string{
		{"/etc/resolv.conf"}, {"/etc/hosts"}, {"/etc/nsswitch.conf"},
		// The bundles of Debian, of Red Hat and of SUSE.
		{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem"},
	} {
		for _, path := range alternatives {
			if _, err := os.Stat(path); err == nil {
				found = append(found, path)
				break
			}
		}
	}
	return found
}
