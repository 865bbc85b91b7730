package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// versionLimit bounds one call of a CLI with --version, which takes some 30 ms.
const versionLimit = 10 * time.Second

// identity is what makes two looks at a file the same file, unchanged. Whoever writes a file can set back the time of its
// modification; the time of its change, which a rename moves too, nobody can.
type identity struct {
	device, inode uint64
	bytes         int64
	modified      time.Time
	changed       syscall.Timespec
}

func identityOf(file os.FileInfo) identity {
	of := identity{bytes: file.Size(), modified: file.ModTime()}
	if system, ok := file.Sys().(*syscall.Stat_t); ok {
		of.device, of.inode, of.changed = uint64(system.Dev), system.Ino, system.Ctim
	}
	return of
}

// executable reports whether the path is a regular file that somebody may execute.
func executable(path string) bool {
	file, err := os.Stat(path)
	return err == nil && file.Mode().IsRegular() && file.Mode().Perm()&0o111 != 0
}

// binary is a CLI that was looked at whole.
type binary struct {
	path     string
	digest   string
	identity identity
}

// inspect reads the file behind a path and returns its digest and identity. A file that is absent or cannot be executed is
// engine_missing.
func inspect(path string) (binary, contract.Code) {
	if !executable(path) {
		return binary{}, contract.CodeEngineMissing
	}
	file, err := os.Open(path)
	if err != nil {
		return binary{}, contract.CodeEngineMissing
	}
	defer file.Close()
	state, err := file.Stat()
	if err != nil {
		return binary{}, contract.CodeEngineMissing
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return binary{}, contract.CodeEngineMissing
	}
	return binary{path: path, digest: "sha256:" + hex.EncodeToString(hash.Sum(nil)), identity: identityOf(state)}, ""
}

// unchanged reports whether the path still names the very file that was inspected.
func (b binary) unchanged() bool {
	file, err := os.Stat(b.path)
	return err == nil && identityOf(file) == b.identity
}

// hasVersion asks the CLI for its version, in an empty environment, and reports whether it prints exactly the pinned one.
func (b binary) hasVersion(ctx context.Context, version, directory string) bool {
	end, err := process{path: b.path, arguments: []string{"--version"}, directory: directory, limit: versionLimit}.run(ctx)
	return err == nil && end.exit == 0 && string(end.stdout) == fmt.Sprintf("%s (Claude Code)\n", version)
}
