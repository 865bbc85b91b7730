package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Ground is what a process keeps of the machine when it is sealed. Paths that are not there are left out.
type Ground struct {
	// Read are files, and directories of files, that may be read.
	Read []string
	// Write are files that may be written, and directories in which files may be made, written, renamed and removed.
	Write []string
	// Connect are TCP ports that may be connected to, on any host. UDP and multipath TCP are not taken.
	Connect []uint16
}

// ErrNotSealed says that the kernel, or the way this executable was built, does not allow a process to be sealed.
var ErrNotSealed = errors.New("not sealed")

// Rights that Landlock knows, by the version of its interface that brought them.
const (
	firstRights = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1 // version 1
	fileRights  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	writeRights = fileRights | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE
	readRights  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
)

// ruleNetPort is the kernel's LANDLOCK_RULE_NET_PORT.
const ruleNetPort = 2

// handledRights are the rights over files that a version of Landlock takes away.
func handledRights(version int) uint64 {
	rights := uint64(firstRights)
	for _, brought := range []struct {
		version int
		right   uint64
	}{{2, unix.LANDLOCK_ACCESS_FS_REFER}, {3, unix.LANDLOCK_ACCESS_FS_TRUNCATE}, {5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV}} {
		if version >= brought.version {
			rights |= brought.right
		}
	}
	return rights
}

// Seal takes everything but the ground from this process and from all that it starts from then on, for good: files by their path
// (what is open stays open), and from version 4 of Landlock TCP ports. It does not take what needs neither, as a look at a file's
// size. It returns the version, or [ErrNotSealed] with the reason, and then nothing was taken.
func Seal(ground Ground) (version int, err error) {
	number, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, fmt.Errorf("%w: the kernel has no Landlock: %w", ErrNotSealed, errno)
	}
	version = int(number)
	attributes := unix.LandlockRulesetAttr{Handled_access_fs: handledRights(version)}
	size := unsafe.Sizeof(attributes.Handled_access_fs)
	if version >= 4 {
		attributes.Handled_access_net = unix.LANDLOCK_ACCESS_NET_CONNECT_TCP | unix.LANDLOCK_ACCESS_NET_BIND_TCP
		size += unsafe.Sizeof(attributes.Handled_access_net)
	}
	descriptor, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attributes)), size, 0)
	if errno != 0 {
		return 0, fmt.Errorf("%w: make a set of rules: %w", ErrNotSealed, errno)
	}
	rules := os.NewFile(descriptor, "rules")
	defer rules.Close()
	for _, part := range []struct {
		paths  []string
		rights uint64
	}{{ground.Read, readRights}, {ground.Write, writeRights}} {
		for _, path := range part.paths {
			if err := allow(rules, path, part.rights&attributes.Handled_access_fs); err != nil && !errors.Is(err, os.ErrNotExist) {
				return 0, fmt.Errorf("%w: keep a path: %w", ErrNotSealed, err)
			}
		}
	}
	for _, port := range ground.Connect {
		if version < 4 {
			break
		}
		rule := struct{ access, port uint64 }{unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, uint64(port)}
		if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, rules.Fd(), ruleNetPort, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
			return 0, fmt.Errorf("%w: keep a port: %w", ErrNotSealed, errno)
		}
	}
	return version, restrict(rules)
}

// allow adds one path to the rules, with those of the rights that its kind of file can have.
func allow(rules *os.File, path string, rights uint64) error {
	file, err := os.OpenFile(path, unix.O_PATH, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	state, err := file.Stat()
	if err != nil {
		return err
	}
	if !state.IsDir() {
		rights &= fileRights
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(file.Fd())}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, rules.Fd(), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// restrict puts every thread under the rules, which cannot be done where C code may have threads of its own.
func restrict(rules *os.File) error {
	if _, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("%w: give up new privileges: %w", ErrNotSealed, errno)
	}
	if _, _, errno := syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules.Fd(), 0, 0); errno != 0 {
		return fmt.Errorf("%w: put the process under the rules: %w", ErrNotSealed, errno)
	}
	return nil
}
