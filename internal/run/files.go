package run

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/google/renameio/v2"

	"github.com/seed-2ea642bd/airlock/internal/sandbox"
)

// What this package reads and writes of the machine it reads and writes here. Beside it the engine opens the CLI, the sandbox what
// it hands into a sandbox, and the step the runner's file of outputs.

// readFile reads a regular file of at most limit bytes. It waits for nobody who would have to write into a pipe.
func readFile(path string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if state, err := file.Stat(); err != nil {
		return nil, err
	} else if !state.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("it is larger than %d bytes", limit)
	}
	return data, nil
}

// writeFile writes a file whole or not at all, and nothing outside its directory, which is made.
func writeFile(path string, data []byte) error {
	directory := filepath.Dir(path)
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(path, data, 0o600, renameio.WithTempDir(directory))
}

// ground is what is left of the machine to this process once the CLI is up: what it takes to find and trust the one host, the place of
// the Result, and the runner's file of outputs, which are made first.
func ground(in inputs, upstream string) (sandbox.Ground, error) {
	output, err := os.OpenFile(in.output, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return sandbox.Ground{}, err
	}
	err = errors.Join(output.Close(), os.MkdirAll(in.result, 0o700))
	address, parsed := url.Parse(upstream)
	if err := errors.Join(err, parsed); err != nil {
		return sandbox.Ground{}, err
	}
	ports := []uint16{443, 53} // names too, where an answer is too long for UDP
	if port, err := strconv.ParseUint(address.Port(), 10, 16); err == nil {
		ports[0] = uint16(port)
	}
	return sandbox.Ground{Read: sandbox.NamesAndCertificates(), Write: []string{in.result, in.output}, Connect: ports}, nil
}
