package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// RefusedError says that the system does not let a sandbox be made. Nothing of the program has run.
type RefusedError struct {
	// Said is the first line that bubblewrap printed; its text is not ours.
	Said string
	// Command is what an administrator of the machine can run about it, one line.
	Command string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("bubblewrap cannot make a sandbox (%q); to allow it, run: %s", e.Said, e.Command)
}

// switches are what a system refuses user namespaces by, with the value that does, in the order they are looked at.
func switches(bubblewrap string) []struct{ path, value, command string } {
	const profile = "/etc/apparmor.d/airlock-bwrap"
	return []struct{ path, value, command string }{
		{"/proc/sys/user/max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=15000"},
		{"/proc/sys/kernel/unprivileged_userns_clone", "0", "sudo sysctl -w kernel.unprivileged_userns_clone=1"},
		// A profile for the one program is narrower than the switch itself.
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
			`printf 'abi <abi/4.0>,\nprofile airlock-bwrap ` + bubblewrap + ` flags=(unconfined) {\n  userns,\n}\n' | sudo tee ` + profile +
				` && sudo apparmor_parser --replace ` + profile},
	}
}

// Commands for what no switch explains.
const (
	commandOld       = "sudo apt-get update && sudo apt-get install --yes bubblewrap"
	commandContainer = "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined IMAGE"
)

// refusal is the error of a bubblewrap that printed this before it started anything. read reads a file of the system.
func refusal(bubblewrap string, stderr []byte, read func(path string) ([]byte, error)) error {
	first, _, _ := bytes.Cut(bytes.TrimSpace(stderr), []byte("\n"))
	refused := &RefusedError{Said: string(first[:min(len(first), 300)]), Command: commandContainer}
	if bytes.Contains(first, []byte("Unknown option")) {
		refused.Command = commandOld
		return refused
	}
	for _, known := range switches(bubblewrap) {
		// A switch that cannot be read is not there.
		if value, err := read(known.path); err == nil && strings.TrimSpace(string(value)) == known.value {
			refused.Command = known.command
			break
		}
	}
	return refused
}

// readSystem reads a file of the system.
func readSystem(path string) ([]byte, error) { return os.ReadFile(path) }
