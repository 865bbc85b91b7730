package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-2ea642bd/airlock/internal/demo"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// demoCommand plays one pull request, reviewed twice, against an emulated GitHub.
func demoCommand() *cobra.Command {
	options := demo.Options{}
	command := &cobra.Command{
		Use:   "demo",
		Short: "Review one pull request twice against an emulated GitHub, in separate processes",
		Long: "Starts an emulated GitHub on loopback, seeds a pull request with planted defects, and runs decide, run and apply as\n" +
			"separate processes of separate binaries, each with exactly the environment its job would have. Needs Go alone.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if options.Engine != "replay" && options.Engine != "claude" {
				return &exitError{exitUsage, fmt.Errorf("usage: --engine is replay or claude, not %q", options.Engine)}
			}
			options.Env, options.Now = workflow.Variables(os.Environ()), time.Now
			options.Stdout = command.OutOrStdout()
			if terminal(command.ErrOrStderr()) {
				options.Progress = command.ErrOrStderr()
			}
			if err := demo.Run(command.Context(), options); err != nil {
				return &exitError{exitFound, err}
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.StringVar(&options.Out, "out", "", "keep every record in this folder")
	flags.IntVar(&options.RepeatApply, "repeat-apply", 1, "apply each Result this many times")
	flags.StringVar(&options.Fault, "fault", "", "inject a fault, KIND@K: at API call K of the first apply (airlock emulate --faults lists the kinds)")
	flags.StringVar(&options.Engine, "engine", "replay", "replay a recorded answer, or ask an installed and logged-in claude")
	flags.StringVar(&options.Folder, "pull-request", "", "another change: a folder with pull-request.json, base and head trees")
	flags.StringVar(&options.Programs, "programs", "", "a folder with the three programs, instead of building them")
	flags.BoolVar(&options.JSON, "json", false, "print how each Run ended as JSON")
	return command
}

// terminal reports whether somebody watches the stream.
func terminal(stream io.Writer) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
