package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/seed-2ea642bd/airlock/internal/account"
	"github.com/seed-2ea642bd/airlock/internal/sarif"
)

// Forms in which a Run is shown.
const (
	formatText     = "text"
	formatJSON     = "json"
	formatMarkdown = "markdown"
	formatSARIF    = "sarif"
)

// textWidth is where a line of the text is broken.
const textWidth = 120

// showCommand shows Runs from their records.
func showCommand() *cobra.Command {
	var format, server string
	command := &cobra.Command{
		Use:   "show DIR|FILE…",
		Short: "Show Runs from their records: what was asked, done and read back, and what it cost",
		Long: "Reads the records of one Run or of several, and shows of each how it ended and why, each Finding, each answer, each\n" +
			"Effect with what was asked, what was done and what GitHub showed when it was read back, the tokens, the cost, and what\n" +
			"the model was not given. It uses no network.\n\n" +
			"DIR is any folder that holds records: artifacts of a workflow run, unpacked or as downloaded (.zip), or what\n" +
			"`airlock demo --out DIR` kept. Records are known by what they say they are, whatever their names: applied/1, outcome/1,\n" +
			"decision/1, result/1 and task/1; with the whole bundle beside a Decision the files that the model was not shown are\n" +
			"named. What was asked for and never stood on GitHub is shown by its ids only: its text may be why it was refused.\n\n" +
			"The formats: text, for a terminal; markdown, as the step summary has it; json (airlock-show/1), for a program; sarif\n" +
			"(2.1.0), of the Findings that stand. Colour is used on a terminal only, and not where NO_COLOR is set.\n\n" +
			"Exit codes: 0 everything was shown, however the Runs ended; 1 a file could not be used, and what could be was shown;\n" +
			"2 usage, or nothing could be shown.",
		Example: "  airlock show kept\n  airlock show --format sarif airlock-outcome.zip\n  airlock show --format json applied.json outcome.json",
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) == 0 {
				return usage("show: name a folder, a downloaded artifact (.zip) or files of records")
			}
			return nil
		},
		RunE: func(command *cobra.Command, arguments []string) error {
			switch format {
			case formatText, formatJSON, formatMarkdown, formatSARIF:
			default:
				return usage("show: --format is one of %s, %s, %s, %s", formatText, formatJSON, formatMarkdown, formatSARIF)
			}
			found := collect(arguments)
			accounts := found.accounts(server)
			for _, one := range found.problems {
				fmt.Fprintln(command.ErrOrStderr(), "airlock: show:", one)
			}
			switch {
			case len(accounts) == 0 && len(found.problems) > 0:
				return &exitError{code: exitUsage}
			case len(accounts) == 0:
				return usage("show: no record of a Run is there (applied, outcome, decision, result or task)")
			}
			if err := writeAccounts(command.OutOrStdout(), accounts, format); err != nil {
				return err
			}
			if len(found.problems) > 0 {
				return &exitError{code: exitFound}
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.StringVar(&format, "format", formatText, "text, json, markdown or sarif")
	flags.StringVar(&server, "server", account.DefaultServer, "the address of GitHub's pages, for links")
	return command
}

func writeAccounts(out io.Writer, accounts []account.Account, format string) error {
	var data []byte
	var err error
	switch format {
	case formatJSON:
		data, err = account.JSON(accounts)
	case formatSARIF:
		data, err = sarif.Write(accounts)
	case formatMarkdown:
		data = []byte(account.Markdown(accounts))
	default:
		data = []byte(account.Text(accounts, account.TextOptions{Width: textWidth, Color: colored(out)}))
	}
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return err
}

// colored reports whether colours are wanted: somebody watches, and nothing says that they would be in the way.
func colored(out io.Writer) bool {
	return terminal(out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
