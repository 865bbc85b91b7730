// Mutants is a tool of the project's own tests: make mutants.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime"

	"github.com/seed-2ea642bd/airlock/internal/mutants"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	root, err := os.Getwd()
	if err != nil {
		root = "."
	}
	var progress io.Writer
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		progress = os.Stderr
	}
	code := mutants.Program(ctx, os.Args[1:], root, runtime.NumCPU(), os.Stdout, os.Stderr, progress)
	stop()
	os.Exit(code)
}
