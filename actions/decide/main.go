// Command decide reads one snapshot of a pull request, asks the Kernel, and writes the bundle.
package main

import (
	"context"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/decide"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := decide.Program(ctx, decide.Environment{
		Env: workflow.Variables(os.Environ()), Clock: time.Now, Transport: http.DefaultTransport, Sleep: workflow.Sleep,
		Stdout: os.Stdout, Stderr: os.Stderr,
	})
	stop()
	os.Exit(code)
}
