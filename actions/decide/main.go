// Command decide reads one snapshot of a pull request, asks the Kernel, and writes the bundle.
package main

import (
	"context"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/decide"
)

func main() {
	env := map[string]string{}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := decide.Program(ctx, decide.Environment{
		Env: env, Clock: time.Now, Transport: http.DefaultTransport, Sleep: decide.Sleep, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	stop()
	os.Exit(code)
}
