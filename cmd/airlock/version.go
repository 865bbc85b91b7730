package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seed-2ea642bd/airlock/internal/release"
)

// versionCommand says which Release this is.
func versionCommand() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "version",
		Short: "Say which Release this is: version, commit, and the digest of its contract",
		Long: "Prints the Release that is part of every record. Two builds with the same contract digest read, write and post the same;\n" +
			"a Result is only ever applied by the Release that admitted it. A build that is no release has a commit of zeros.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return printVersion(command.OutOrStdout(), asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return command
}

func printVersion(out io.Writer, asJSON bool) error {
	current, err := release.Current()
	if err != nil {
		return err
	}
	if asJSON {
		return encodeIndented(out, current)
	}
	_, err = fmt.Fprintf(out, "airlock %s\ncommit   %s\ncontract %s\n", current.Version, current.Commit, current.Contract)
	return err
}
