// Command airlock is what a maintainer runs: the rules, the demo, the emulated GitHub, the linter, the check of a configuration,
// the plan of an apply, and the account of a Run.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	signal.Ignore(syscall.SIGPIPE) // a reader that has seen enough must not keep a command from clearing up
	os.Exit(run(ctx, os.Args[1:], streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
