package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

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

// binary is a CLI that was looked at whole. Its file stays open, such that what is started is what was looked at.
type binary struct {
	file     *os.File
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
	state, err := file.Stat()
	hash := sha256.New()
	if err == nil {
		_, err = io.Copy(hash, file)
	}
	if err != nil {
		_ = file.Close() // it was only read
		return binary{}, contract.CodeEngineMissing
	}
	return binary{file: file, digest: "sha256:" + hex.EncodeToString(hash.Sum(nil)), identity: identityOf(state)}, ""
}

// close gives the file up; it was only read.
func (b binary) close() { _ = b.file.Close() }

// unchanged reports whether the path still names the very file that was inspected.
func (b binary) unchanged() bool {
	file, err := os.Stat(b.file.Name())
	return err == nil && identityOf(file) == b.identity
}
