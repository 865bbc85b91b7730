package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestRefusal holds which command a person is told, by the switch that the system has set.
func TestRefusal(t *testing.T) {
	for name, test := range map[string]struct {
		said     string
		switches map[string]string
		command  string
	}{
		"AppArmor": {"bwrap: setting up uid map: Permission denied", map[string]string{"kernel/apparmor_restrict_unprivileged_userns": "1\n"},
			`printf 'abi <abi/4.0>,\nprofile airlock-bwrap /usr/bin/bwrap flags=(unconfined) {\n  userns,\n}\n' | sudo tee /etc/apparmor.d/airlock-bwrap && sudo apparmor_parser --replace /etc/apparmor.d/airlock-bwrap`},
		"a limit of 0":        {"bwrap: Creating new namespace failed: No space left on device", map[string]string{"user/max_user_namespaces": "0\n"}, "sudo sysctl -w user.max_user_namespaces=15000"},
		"an older Debian":     {"bwrap: No permissions to create new namespace", map[string]string{"kernel/unprivileged_userns_clone": "0\n"}, "sudo sysctl -w kernel.unprivileged_userns_clone=1"},
		"a container":         {"bwrap: No permissions to create new namespace", nil, commandContainer},
		"switches that allow": {"bwrap: pivot_root: Operation not permitted", map[string]string{"user/max_user_namespaces": "15000", "kernel/unprivileged_userns_clone": "1", "kernel/apparmor_restrict_unprivileged_userns": "0"}, commandContainer},
		"too old":             {"bwrap: Unknown option --ro-bind-fd", map[string]string{"user/max_user_namespaces": "0"}, commandOld},
		"nothing said":        {"", nil, commandContainer},
	} {
		t.Run(name, func(t *testing.T) {
			err := refusal("/usr/bin/bwrap", []byte(test.said+"\nmore\n"), func(path string) ([]byte, error) {
				value, found := test.switches[strings.TrimPrefix(path, "/proc/sys/")]
				if !found {
					return nil, os.ErrNotExist
				}
				return []byte(value), nil
			})
			refused := (*RefusedError)(nil)
			if !errors.As(err, &refused) || refused.Command != test.command || refused.Said != test.said && test.said != "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestRefusedForReal holds that nothing is started where the kernel itself allows no more user namespaces.
func TestRefusedForReal(t *testing.T) {
	path, err := os.Executable()
	must(t, err)
	command := exec.Command(path, "play:refused", bwrapPath(t))
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
	output, err := command.CombinedOutput()
	must(t, err)
	if got := string(output); !strings.Contains(got, "to allow it, run: sudo sysctl -w user.max_user_namespaces=15000") || strings.Contains(got, "echoed") {
		t.Errorf("it said %q", got)
	}
}

// refused forbids this process, which is in a user namespace of its own, to make another, and runs a program.
func refused(arguments []string) int {
	if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0); err != nil {
		fmt.Println(err)
		return 1
	}
	file, err := os.Open("/proc/self/exe")
	if err != nil {
		return 1
	}
	end, err := Bubblewrap(arguments[0]).Run(context.Background(), Program{File: file, Limit: checkLimit,
		Command: func(Place) ([]string, []string) { return []string{"play:echo"}, nil }, Input: []byte("echoed")})
	fmt.Printf("%v %s\n", err, end.Stdout)
	return 0
}
