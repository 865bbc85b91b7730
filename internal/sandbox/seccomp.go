package sandbox

import (
	"encoding/binary"
	"runtime"

	"golang.org/x/sys/unix"
)

// deniedCalls are system calls that no model CLI needs and that namespaces do not confine, or that only serve to get out of
// them: keys, other processes, the kernel's log and its own programs, mounts and namespaces, new kernels and modules.
func deniedCalls() []uint32 {
	return []uint32{
		unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
		unix.SYS_SYSLOG, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN,
		unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS,
		unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_QUOTACTL, unix.SYS_ACCT, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
		unix.SYS_REBOOT, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	}
}

// allowedFamilies are the kinds of socket that are confined by a network namespace. Others, as those to a virtual machine's
// host, are not.
func allowedFamilies() []uint32 {
	return []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
}

// deniedControls are requests to a terminal that write into its input.
func deniedControls() []uint32 { return []uint32{unix.TIOCSTI, unix.TIOCLINUX} }

// Offsets in what a filter looks at: the number of the call, the machine, and the low halves of the first two arguments of a
// little-endian machine.
const (
	offsetCall  = 0
	offsetArch  = 4
	offsetFirst = 16
	offsetNext  = 24
)

// foreignCalls is the bit that the calls of the machine's other calling convention have, on x86-64.
const foreignCalls = 0x40000000

// systemCallFilter is a program for the kernel that denies what is listed above, and every call made as for another machine, of
// which the numbers mean something else.
func systemCallFilter() []byte {
	arch := uint32(unix.AUDIT_ARCH_X86_64)
	if runtime.GOARCH == "arm64" {
		arch = unix.AUDIT_ARCH_AARCH64
	}
	deny := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
	allow := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	// unless goes on with the next instruction where the value is equal, and skips some where it is not.
	unless := func(value uint32, skip int) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: value, Jf: uint8(skip)}
	}
	program := []unix.SockFilter{
		load(offsetArch),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: arch, Jt: 1},
		deny,
		load(offsetCall),
		{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: foreignCalls, Jf: 1},
		deny,
	}
	for _, call := range deniedCalls() {
		program = append(program, unless(call, 1), deny)
	}
	families := allowedFamilies()
	for _, call := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		program = append(program, unless(call, 2+2*len(families)), load(offsetFirst))
		for _, family := range families {
			program = append(program, unless(family, 1), allow)
		}
		program = append(program, deny)
	}
	program = append(program, unless(unix.SYS_IOCTL, 1+2*len(deniedControls())), load(offsetNext))
	for _, control := range deniedControls() {
		program = append(program, unless(control, 1), deny)
	}
	program = append(program, allow)

	var encoded []byte
	for _, instruction := range program {
		encoded = binary.NativeEndian.AppendUint16(encoded, instruction.Code)
		encoded = append(encoded, instruction.Jt, instruction.Jf)
		encoded = binary.NativeEndian.AppendUint32(encoded, instruction.K)
	}
	return encoded
}
