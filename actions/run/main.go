// Command run asks the model for the answer to one admitted Task, and writes result.json.
package main

import (
	"context"
	"crypto/rand"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/run"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

func main() {
	if sandbox.IsKeeper(os.Args) {
		os.Exit(sandbox.Keep())
	}
	env := workflow.Variables(os.Environ())
	os.Clearenv() // nothing that is started later inherits anything
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run.Program(ctx, run.Environment{Env: env, Take: run.Seclude, Seal: sandbox.Seal, Clock: time.Now, Random: rand.Reader, Stdout: os.Stdout, Stderr: os.Stderr})
	stop()
	os.Exit(code)
}
