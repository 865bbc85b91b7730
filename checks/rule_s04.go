package checks

import (
	"fmt"
	"slices"
	"strings"
)

func ruleS04() Rule {
	return Rule{
		ID:    "S04",
		Title: "A marked job's permissions are exactly the configured read set",
		Level: LevelError,
		Doc: `The permissions in effect for a job marked decide, run or apply are compared with the configuration: every scope of the set with read, no other. Without
configuration run has none, and decide and apply have actions, checks, contents, issues and pull-requests. id-token is never part of a set.`,
		Why: `The token is in the runner's memory whether a step names it or not. What it may do is what whoever gets at it may do.`,
		Violates: `on: workflow_dispatch
jobs:
  run:
    runs-on: ubuntu-24.04
    permissions: read-all
    steps: [{run: ./run}]`,
		Passes: `on: workflow_dispatch
jobs:
  run:
    runs-on: ubuntu-24.04
    permissions: {}
    steps: [{run: ./run}]`,
		Source: "GitHub, permissions for the GITHUB_TOKEN",
		check: func(r *repository) []Finding {
			var findings []Finding
			for _, j := range r.jobs() {
				role := r.role(j)
				if role == "" {
					continue
				}
				want := r.config.permissions(role)
				nodes, unknown := r.effectivePermissions(j)
				if unknown {
					findings = append(findings, Finding{Message: fmt.Sprintf("%s, marked %s, has no permissions stated", j.describe(), role), Places: []Place{j.key.place("this job")}})
				}
				for _, n := range nodes {
					if got, ok := readSet(n); !ok || !slices.Equal(got, want) || slices.Contains(got, "id-token") {
						findings = append(findings, Finding{
							Message: fmt.Sprintf("%s, marked %s, has other permissions than the configured: %s", j.describe(), role, setName(want)),
							Places:  []Place{n.place("these permissions"), j.key.place("of this job")},
						})
					}
				}
			}
			return findings
		},
	}
}

// readSet lists the scopes of a permissions mapping, sorted. ok is false where one is not for reading.
func readSet(n *node) (scopes []string, ok bool) {
	if n.kind != mappingNode {
		return nil, false
	}
	for _, e := range n.entries {
		switch e.value.text() {
		case "read":
			scopes = append(scopes, e.key.value)
		case "none":
		default:
			return nil, false
		}
	}
	slices.Sort(scopes)
	return scopes, true
}

func setName(scopes []string) string {
	if len(scopes) == 0 {
		return "{}"
	}
	return "read for " + strings.Join(scopes, ", ")
}
