package checks

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteDocumentation writes the page of the rules, docs/checks.md, in Markdown: the exit codes, the configuration and one
// part for each rule of [Rules].
func WriteDocumentation(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `# Checks

`+"`airlock checks [PATH…]`"+` reads the workflow and action files of a repository, anybody's, and reports where one job holds both a
credential for a model and a credential that can write. It uses no network. Without a path it reads every file of
`+"`.github/workflows`"+` and every `+"`action.yml`"+`; the local actions and workflows that those call are read through, and so are airlock's own
actions when they are pinned to a whole commit (as they are in the release that checks).

This page is made from the list of rules in the code; a test holds the two equal.

| exit code | when |
|---|---|
| %d | nothing was found, or notes alone |
| %d | at least one error or warning |
| %d | the call or the configuration is wrong |
| %d | no file could be read and understood, so nothing was checked |

A finding's first line is `+"`file:line:column: level: message [rule]`"+`; the lines under it are the other places it rests on. `+"`--json`"+` prints one object with
`+"`schema`, `exit`, `findings`, `files` and `understood`"+`.

## Configuration

`+"`%s`"+` holds what workflow files cannot. Every key is optional, and an unknown one is an error.

`+"```yaml"+`
jobs:                                       # marks jobs, by file#job, to be held to the shape rules (S)
  .github/workflows/review.yml#run: run     # decide, run or apply
triggers:                                   # the events that may start a file with a marked job
  .github/workflows/review.yml: [pull_request_target, workflow_dispatch, schedule]
permissions:                                # the scopes that a marked job reads with, exactly
  apply: [actions, checks, contents, issues, pull-requests]
secrets:                                    # what a secret is good for: model, write, read or neither
  TEAM_VALUE: model
environments:                               # what the secrets of an environment are good for
  factory-apply: write
airlock: seed-2ea642bd/airlock              # where airlock's actions are called from
`+"```"+`

A job that the configuration names and the files do not have is a finding, so that renaming one does not lose its rules.

## Rules

| rule | level | holds |
|---|---|---|
`, ExitClean, ExitFindings, ExitUsage, ExitUnreadable, ConfigFile)
	for _, rule := range Rules() {
		fmt.Fprintf(out, "| [%s](#%s) | %s | %s |\n", rule.ID, strings.ToLower(rule.ID), rule.Level, rule.Title)
	}
	for _, rule := range Rules() {
		fmt.Fprintf(out, "\n### %s\n\n**%s.**\n\n%s\n\n*Why.* %s\n\nReported:\n\n```yaml\n%s\n```\n\nClean:\n\n```yaml\n%s\n```\n\nSource: %s.\n",
			rule.ID, rule.Title, rule.Doc, rule.Why, rule.Violates, rule.Passes, rule.Source)
	}
	return out.Flush()
}
