package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-2ea642bd/airlock/checks"
)

// checksCommand lints workflows by the boundary.
func checksCommand() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "checks [PATH…]",
		Short: "Report where a workflow job holds both a model credential and one that can write",
		Long: "Reads the workflow and action files of a repository, anybody's, and reports where one job holds both a credential for\n" +
			"a model and a credential that can write. It uses no network and no credential. A PATH is a workflow or action file, or\n" +
			"a folder; without one it reads every workflow and every action file of the repository that the working directory is\n" +
			"in. Jobs that " + checks.ConfigFile + " marks as decide, run or apply are held to that job's shape too.\n\n" +
			"Exit codes: 0 nothing found; 1 findings; 2 usage or a wrong configuration; 3 no file could be read and understood.",
		Example: "  airlock checks\n  airlock checks .github/workflows/review.yml\n  airlock checks --json ../other-repository\n  airlock checks rules",
		RunE: func(command *cobra.Command, arguments []string) error {
			root, paths, err := locate(arguments)
			if err != nil {
				return usage("checks: %w", err)
			}
			tree := os.DirFS(root)
			config, err := checks.ReadConfig(tree)
			if err != nil {
				return &exitError{exitUsage, fmt.Errorf("checks: %s: %s; docs/checks.md shows its form", checks.ConfigFile, visible(err.Error()))}
			}
			report, err := checks.Run(tree, paths, config)
			if err != nil {
				return usage("checks: %w", err)
			}
			return writeReport(command, report, asJSON)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	command.AddCommand(checksRulesCommand())
	return command
}

// writeReport prints a report and turns it into the command's end.
func writeReport(command *cobra.Command, report checks.Report, asJSON bool) error {
	write := report.WriteText
	if asJSON {
		write = report.WriteJSON
	}
	if err := write(command.OutOrStdout()); err != nil {
		return err
	}
	code := report.ExitCode()
	var cause error
	switch {
	case len(report.Files) == 0 && len(report.Findings) == 0:
		cause = fmt.Errorf("checks: there is no workflow and no action file here, so nothing was checked; give a path, or run it inside a repository")
	case code == checks.ExitUnreadable:
		cause = fmt.Errorf("checks: no file could be read and understood, so nothing was checked; the findings say why")
	case !asJSON && len(report.Findings) == 0:
		fmt.Fprintf(command.OutOrStdout(), "%s checked: nothing found\n", counted(len(report.Files), "file"))
	case !asJSON:
		fmt.Fprintf(command.OutOrStdout(), "%s checked: %s; `airlock checks rules` explains each\n", counted(len(report.Files), "file"), counted(len(report.Findings), "finding"))
	}
	if code == checks.ExitClean {
		return nil
	}
	return &exitError{code, cause}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// locate finds the repository that the paths are in, and the paths inside it. Local actions are found from its root, which is the
// nearest folder upwards that holds .git, or .github; without either it is the folder itself.
func locate(arguments []string) (root string, paths []string, err error) {
	if len(arguments) == 0 {
		folder, err := filepath.Abs(".")
		if err != nil {
			return "", nil, err
		}
		root, found := rootOf(folder)
		if !found {
			return "", nil, errors.New("there is no repository here, neither .git nor .github upwards; name what to check")
		}
		return root, nil, nil
	}
	for n, argument := range arguments {
		path, err := filepath.Abs(argument)
		if err != nil {
			return "", nil, err
		}
		if n == 0 {
			root, _ = rootOf(path)
		}
		inside, err := filepath.Rel(root, path)
		if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
			return "", nil, fmt.Errorf("%s is not inside the repository %s; check one repository at a time", argument, root)
		}
		paths = append(paths, filepath.ToSlash(inside))
	}
	if len(paths) == 1 && paths[0] == "." {
		paths = nil
	}
	return root, paths, nil
}

// rootOf is the repository's root, and whether there is one.
func rootOf(path string) (string, bool) {
	folder := path
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		folder = filepath.Dir(path)
	}
	for _, mark := range []string{".git", ".github"} {
		for at := folder; ; at = filepath.Dir(at) {
			if _, err := os.Stat(filepath.Join(at, mark)); err == nil {
				return at, true
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return folder, false
}

// checksRulesCommand lists the rules.
func checksRulesCommand() *cobra.Command {
	var asJSON, asMarkdown bool
	command := &cobra.Command{
		Use:     "rules [RULE]",
		Short:   "List the rules of the checks: what each holds, and why",
		Long:    "Lists every rule with its level and what it holds; with a RULE, all about that one, and an example that it reports.",
		Example: "  airlock checks rules\n  airlock checks rules B01\n  airlock checks rules --markdown > docs/checks.md",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			out := command.OutOrStdout()
			rules := checks.Rules()
			if asMarkdown {
				return checks.WriteDocumentation(out)
			}
			if len(arguments) == 1 {
				rules = ruleNamed(rules, arguments[0])
				if len(rules) == 0 {
					return usage("checks rules: there is no such rule; airlock checks rules lists them all")
				}
			}
			if asJSON {
				return encodeIndented(out, ruleRows(rules))
			}
			for _, rule := range rules {
				fmt.Fprintf(out, "%s  %-7s  %s\n", rule.ID, rule.Level, rule.Title)
				if len(arguments) == 1 {
					fmt.Fprintf(out, "\n%s\n\nWhy: %s\n\nReported:\n\n%s\n\nClean:\n\n%s\n\nSource: %s.\n", rule.Doc, rule.Why, rule.Violates, rule.Passes, rule.Source)
				}
			}
			return nil
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	command.Flags().BoolVar(&asMarkdown, "markdown", false, "print docs/checks.md")
	command.MarkFlagsMutuallyExclusive("json", "markdown")
	return command
}

func ruleNamed(rules []checks.Rule, id string) []checks.Rule {
	for _, rule := range rules {
		if strings.EqualFold(rule.ID, id) {
			return []checks.Rule{rule}
		}
	}
	return nil
}

type ruleRow struct {
	ID       string       `json:"id"`
	Level    checks.Level `json:"level"`
	Title    string       `json:"title"`
	Doc      string       `json:"doc"`
	Why      string       `json:"why"`
	Violates string       `json:"violates"`
	Passes   string       `json:"passes"`
	Source   string       `json:"source"`
}

func ruleRows(rules []checks.Rule) []ruleRow {
	rows := []ruleRow{}
	for _, rule := range rules {
		rows = append(rows, ruleRow{rule.ID, rule.Level, rule.Title, rule.Doc, rule.Why, rule.Violates, rule.Passes, rule.Source})
	}
	return rows
}
