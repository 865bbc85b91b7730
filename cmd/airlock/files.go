package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
)

// usage is a call that a command does not know how to follow.
func usage(format string, arguments ...any) error {
	return &exitError{exitUsage, fmt.Errorf("usage: "+format, arguments...)}
}

// readFile reads a regular file of at most limit bytes. Its errors do not name the file, which the caller does.
func readFile(path string, limit int64) ([]byte, error) {
	// Opening a pipe waits for whoever writes to it, so it is looked at before.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return nil, withoutPath(err)
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("it is larger than %d bytes", limit)
	}
	return data, nil
}

func withoutPath(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

func asBundleError(err error) (*bundle.Error, bool) {
	var broken *bundle.Error
	return broken, errors.As(err, &broken)
}
