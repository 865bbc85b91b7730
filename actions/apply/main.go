// Command apply is the process that writes: it holds the App's key and a read-only token, and never thinks.
package main

import (
	"context"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/apply"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := apply.Program(ctx, apply.Environment{Env: workflow.Variables(os.Environ()), Clock: time.Now,
		Transport: http.DefaultTransport, Sleep: workflow.Sleep, Stderr: os.Stderr})
	stop()
	os.Exit(code)
}
