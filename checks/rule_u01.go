package checks

import (
	"fmt"
	"maps"
	"slices"
)

func ruleU01() Rule {
	return Rule{
		ID:    "U01",
		Title: "Every file is understood",
		Level: LevelError,
		Doc: `The file is one YAML document without duplicate keys; every key of a workflow, a job, a step and of what an action runs is known; every expression
can be parsed; every local action and workflow that is called can be read; every job that the configuration marks exists. Aliases are followed,
within bounds.`,
		Why: `What is not understood cannot be judged. A file that is passed because it was not understood is a way around every other rule, so it is
reported; if no file at all could be read, the exit code is 3.`,
		Violates: `on: push
jobs:
  build:
    runs-on: ubuntu-24.04
    steps:
      - paralel: [{run: make}]`,
		Passes: `on: push
jobs:
  build:
    runs-on: ubuntu-24.04
    steps:
      - parallel: [{run: make}]`,
		Source: "GitHub, workflow syntax for GitHub Actions; metadata syntax for GitHub Actions",
		check: func(r *repository) []Finding {
			problems := slices.Clone(r.problems)
			for _, name := range slices.Sorted(maps.Keys(r.files)) {
				problems = append(problems, r.files[name].problems...)
			}
			var findings []Finding
			for _, problem := range problems {
				findings = append(findings, Finding{Message: fmt.Sprintf("not understood: %s", problem.message), Places: []Place{problem.place}})
			}
			return findings
		},
	}
}
