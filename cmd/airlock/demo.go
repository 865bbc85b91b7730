package main

import (
	"errors"
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
			"separate processes of separate binaries, each with exactly the environment its job would have; then the author pushes\n" +
			"and answers, and everything runs again. It prints an account of what each program did, from the records it wrote.\n" +
			"Needs Go alone, inside a clone of airlock. docs/demo.md explains the account and the options.\n\n" +
			"Exit codes: 0 every program did its part (a check that is not green is no failure); 1 one did not; 2 usage or bad input.",
		Example: "  airlock demo\n" +
			"  airlock demo --out kept                          keep every record, log and summary\n" +
			"  airlock demo --repeat-apply 3                    nothing is posted twice\n" +
			"  airlock demo --fault killed-after@14 --repeat-apply 2\n" +
			"  airlock demo --pull-request my-change --engine claude",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			options.Env, options.Now, options.Temporary = workflow.Variables(os.Environ()), time.Now, os.TempDir()
			options.Stdout = command.OutOrStdout()
			if terminal(command.ErrOrStderr()) {
				options.Progress = command.ErrOrStderr()
			}
			err := demo.Run(command.Context(), options)
			var asked *demo.Usage
			if errors.As(err, &asked) {
				return usage("demo: %w", err)
			}
			return err
		},
	}
	flags := command.Flags()
	flags.StringVar(&options.Out, "out", "", "keep every record, log and summary in this new folder")
	flags.IntVar(&options.RepeatApply, "repeat-apply", 1, "apply each Result this many times")
	flags.StringVar(&options.Fault, "fault", "", "inject a fault, KIND@K: at API call K of the first apply (airlock emulate --faults lists the kinds)")
	flags.StringVar(&options.Engine, "engine", demo.EngineReplay, "replay a recorded answer, or ask an installed claude (CLAUDE_CODE_OAUTH_TOKEN, AIRLOCK_CLI)")
	flags.StringVar(&options.Folder, "pull-request", "", "another change: a folder with pull-request.json, base and head trees (docs/demo.md)")
	flags.StringVar(&options.Programs, "programs", "", "a folder with the programs decide, run and apply, instead of building them")
	flags.BoolVar(&options.JSON, "json", false, "print how each Run ended as one JSON object, instead of the account")
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
