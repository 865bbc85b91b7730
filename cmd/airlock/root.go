package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes of every command.
const (
	exitDone    = 0 // did what was asked
	exitFound   = 1 // findings, or something that failed or was refused
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
			"and the process that writes never thinks. The work itself is done by three programs that GitHub Actions starts;\n" +
			"these are the commands of a maintainer at a terminal. None of them writes to GitHub.\n\n" +
			"Exit codes: 0 done; 1 findings, or something failed or was refused; 2 usage or bad input; 3 nothing could be read\n" +
			"(checks). Commands that a program may read take --json.",
		Example: "  airlock demo                  see a pull request reviewed, without an account or a key\n" +
			"  airlock checks                look for the boundary in this repository's own workflows\n" +
			"  airlock rules item_held       what a reason code means, and what to do next",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetArgs(arguments)
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.CompletionOptions.DisableDefaultCmd = true
	root.DisableSuggestions = true // they would come as lines of their own
	var asVersion bool
	root.Flags().BoolVar(&asVersion, "version", false, "say which Release this is, as the command version does")
	root.RunE = func(command *cobra.Command, arguments []string) error {
		if asVersion {
			return printVersion(command.OutOrStdout(), false)
		}
		return command.Help()
	}
	for _, command := range commands() {
		endWithOne(command)
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
		fmt.Fprintf(std.Err, "airlock: usage: %v; %ssee airlock --help\n", err, near(root, arguments))
		return exitUsage
	}
}

// near names the commands that may have been meant by one that there is not.
func near(root *cobra.Command, arguments []string) string {
	command, rest, _ := root.Find(arguments) // that there is none is why this is asked
	if len(rest) == 0 {
		return ""
	}
	command.SuggestionsMinimumDistance = 2
	if meant := command.SuggestionsFor(rest[0]); len(meant) > 0 {
		return "did you mean " + strings.Join(meant, " or ") + "? "
	}
	return ""
}

// endWithOne makes an error that a command returns without a code end it with 1: what is left to run is cobra's own, a call
// that it does not know.
func endWithOne(command *cobra.Command) {
	for _, inner := range command.Commands() {
		endWithOne(inner)
	}
	inner := command.RunE
	if inner == nil {
		return // it only holds others
	}
	command.RunE = func(command *cobra.Command, arguments []string) error {
		err := inner(command, arguments)
		var exit *exitError
		if err == nil || errors.As(err, &exit) {
			return err
		}
		return &exitError{exitFound, fmt.Errorf("%s: %w", command.Name(), err)}
	}
}

// commands lists the commands, one file each.
func commands() []*cobra.Command {
	return []*cobra.Command{
		applyCommand(),
		checksCommand(),
		configCommand(),
		demoCommand(),
		emulateCommand(),
		lockCommand(),
		rulesCommand(),
		showCommand(),
		versionCommand(),
	}
}
