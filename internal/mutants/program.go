package mutants

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
)

// Usage is what -h prints before the flags.
const Usage = `usage: go run ./cmd/mutants [flags], in the module's root

Breaks one line of the source at a time and demands that the test that is there for it fails by an assertion. The list is in
internal/mutants/list; go doc ./internal/mutants says how it is written.

Exit codes: 0 every mutant was killed; 1 one survived, which is named; 2 usage, or a mutant that is none: its text is not found
exactly once, it does not compile, or its test is missing, red or breaks off.

`

// Program runs the command and returns its exit code. Progress is nil where standard error is no terminal.
func Program(ctx context.Context, arguments []string, root string, workers int, stdout, stderr, progress io.Writer) int {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		_, _ = io.WriteString(stderr, Usage)
		flags.PrintDefaults()
	}
	run := flags.String("run", "", "only the mutants whose place, file, test or code this regular expression finds")
	asJSON := flags.Bool("json", false, "print one JSON object, mutants/1")
	list := flags.Bool("list", false, "print the mutants, one a line, and try none")
	flags.IntVar(&workers, "workers", workers, "how many are tried at once")
	if err := flags.Parse(arguments); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	fail := func(err error) int {
		_, _ = fmt.Fprintln(stderr, "mutants:", err)
		return 2
	}
	chosen, err := choose(*run)
	if err == nil && flags.NArg() > 0 {
		err = errors.New("it takes flags alone; see -h")
	}
	if err != nil {
		return fail(err)
	}
	if *list {
		for _, m := range chosen {
			if _, err := fmt.Fprintln(stdout, m); err != nil {
				return fail(err)
			}
		}
		return 0
	}
	options := Options{Root: root, Workers: workers}
	if progress != nil {
		options.Progress = func(done, total int, o Outcome) {
			if o.State != Killed {
				_, _ = fmt.Fprintf(progress, "\r\x1b[K%s %s\n", o.State, o.At)
			}
			_, _ = fmt.Fprintf(progress, "\r\x1b[K%d of %d", done, total)
		}
		defer func() { _, _ = fmt.Fprint(progress, "\r\x1b[K") }()
	}
	outcomes, err := Run(ctx, chosen, options)
	if err != nil && ctx.Err() == nil {
		return fail(err)
	}
	report := ReportOf(outcomes)
	if *asJSON {
		err = report.JSON(stdout)
	} else {
		err = report.Text(stdout)
	}
	if err != nil {
		return fail(err)
	}
	return report.ExitCode()
}

// choose filters the list. A filter that finds nothing is a mistake.
func choose(run string) ([]Mutant, error) {
	filter, err := regexp.Compile(run)
	if err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	all, err := All()
	if err != nil {
		return nil, err
	}
	var chosen []Mutant
	for _, m := range all {
		if filter.MatchString(m.At) || filter.MatchString(m.File) || filter.MatchString(m.Test) || m.Code != "" && filter.MatchString(m.Code) {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-run %q finds none of %d mutants", run, len(all))
	}
	return chosen, nil
}
