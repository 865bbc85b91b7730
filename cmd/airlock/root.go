package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// Exit codes of every command.
const (
	exitDone    = 0 // did what was asked
	exitFound   = 1 // findings, or a Run that failed or was refused
	exitUsage   = 2 // called in a way it does not know, or bad input
	exitNotRead = 3 // checks: a file could not be read or understood
)

// streams are the standard streams as values.
type streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// exitError ends a command with a code of its own; a nil cause prints nothing more.
type exitError struct {
	code  int
	cause error
}

func (e *exitError) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.cause.Error()
}

func (e *exitError) Unwrap() error { return e.cause }

// run is the whole command line; it returns the exit code.
func run(ctx context.Context, arguments []string, std streams) int {
	root := &cobra.Command{
		Use:   "airlock",
		Short: "A model reviews; the process that thinks holds no credential that can write",
		Long: "airlock lets a model work on pull requests while the process that thinks holds no credential that can write,\n" +
			"and the process that writes never thinks.\n\n" +
			"Exit codes: 0 done; 1 findings, or a Run that failed or was refused; 2 usage or bad input; 3 a file could not be read (checks).",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetArgs(arguments)
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.CompletionOptions.DisableDefaultCmd = true
	for _, command := range commands() {
		root.AddCommand(command)
	}
	err := root.ExecuteContext(ctx)
	var exit *exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		if exit.cause != nil {
			fmt.Fprintln(std.Err, "airlock:", exit.cause)
		}
		return exit.code
	default:
		fmt.Fprintf(std.Err, "airlock: usage: %v; see airlock --help\n", err)
		return exitUsage
	}
}

// commands lists the commands, one file each.
func commands() []*cobra.Command {
	return []*cobra.Command{
		demoCommand(),
		emulateCommand(),
		rulesCommand(),
	}
}
