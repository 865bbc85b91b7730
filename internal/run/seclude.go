package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed-2ea642bd/airlock/internal/engine"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

// handOver is the variable that names the descriptor through which a program gets the credential from the one that it replaced.
const handOver = "AIRLOCK_CREDENTIAL_DESCRIPTOR"

// ownExecutable is this executable, whatever its path has come to name; programName is what the new image is called.
const (
	ownExecutable = "/proc/self/exe"
	programName   = "airlock-run"
)

// pipeBytes bounds the credential: what fits a pipe without a reader, on every Linux.
const pipeBytes = 4096

// Seclude makes this process one that no other of its user can look into, and returns the model credential.
//
// The environment that a process was started with can be read by others as long as its image lives, whatever the process does
// to its own copy. So where the environment holds the credential, Seclude puts it into a pipe, starts this very executable
// again in place of this process (the same process: signals and the exit status stay the runner's) without it, and does not
// return. The new image reads the pipe, closes it, and is not dumpable: its memory, environment and descriptors are shown to
// nobody but root, and no fault writes them to disk.
//
// The program takes no arguments, and the new image gets none. The map is changed: neither the credential nor the descriptor's
// number stays in it. An error says what could not be done, and there is no credential then.
func Seclude(env map[string]string) (secret.Credential, error) {
	if err := hide(); err != nil {
		return secret.Credential{}, fmt.Errorf("keep this process from being looked into: %w", err)
	}
	text := strings.TrimSpace(env[engine.CredentialName])
	if _, handed := env[handOver]; handed || text == "" {
		return takeFrom(env)
	}
	delete(env, engine.CredentialName)
	reader, err := pipeOf(text)
	if err != nil {
		return secret.Credential{}, err
	}
	variables := []string{handOver + "=" + strconv.Itoa(reader)}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		variables = append(variables, name+"="+env[name])
	}
	err = unix.Exec(ownExecutable, []string{programName}, variables)
	return secret.Credential{}, errors.Join(fmt.Errorf("start this program again without the credential in its environment: %w", err), unix.Close(reader))
}

// hide lets no process of this user look into this one, and nothing write its memory down. A limit of one byte also keeps a core
// from a handler that the system pipes it to, which one of 0 would not; a limit that is 0 already cannot be raised.
func hide() error {
	var core unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &core); err != nil {
		return err
	}
	core.Max = min(core.Max, 1)
	core.Cur = core.Max
	return errors.Join(unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0), unix.Setrlimit(unix.RLIMIT_CORE, &core))
}

// pipeOf returns the reading end of a pipe that holds the text and nothing more, and that survives a new image.
func pipeOf(text string) (int, error) {
	if len(text) > pipeBytes {
		return 0, fmt.Errorf("the credential is longer than %d bytes", pipeBytes)
	}
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_NONBLOCK); err != nil {
		return 0, fmt.Errorf("open a pipe for the credential: %w", err)
	}
	written, err := unix.Write(ends[1], []byte(text))
	if err = errors.Join(err, unix.Close(ends[1])); err != nil || written != len(text) {
		return 0, errors.Join(fmt.Errorf("hand the credential on, %d bytes: %w", written, err), unix.Close(ends[0]))
	}
	return ends[0], nil
}

// takeFrom takes the credential that was handed over, or none.
func takeFrom(env map[string]string) (secret.Credential, error) {
	text := env[engine.CredentialName]
	descriptor, handed := env[handOver]
	delete(env, engine.CredentialName)
	delete(env, handOver)
	switch {
	case handed && text != "":
		return secret.Credential{}, errors.New("both the credential and a descriptor of it are in the environment")
	case handed:
		return takeOver(descriptor)
	}
	return secret.Credential{}, nil
}

// takeOver reads the credential from a descriptor, which must be a pipe, and closes it.
func takeOver(descriptor string) (secret.Credential, error) {
	number, err := strconv.Atoi(descriptor)
	if err != nil || number < 3 {
		return secret.Credential{}, errors.New(handOver + " is no descriptor of ours")
	}
	var state unix.Stat_t
	if err := unix.Fstat(number, &state); err != nil || state.Mode&unix.S_IFMT != unix.S_IFIFO {
		return secret.Credential{}, errors.New(handOver + " is no descriptor of ours")
	}
	defer unix.Close(number)
	if err := unix.SetNonblock(number, true); err != nil {
		return secret.Credential{}, fmt.Errorf("read the credential that was handed over: %w", err)
	}
	// A pipe gives at once what was put in, whole, and then its end; one that would have to be waited for is not ours.
	held := make([]byte, pipeBytes+1)
	defer clear(held)
	length, err := unix.Read(number, held)
	if err == nil && length > 0 {
		var more int
		more, err = unix.Read(number, held[length:])
		length += more
	}
	if err != nil || length > pipeBytes {
		return secret.Credential{}, errors.New("the credential that was handed over cannot be read")
	}
	return secret.New(string(held[:length])), nil
}
