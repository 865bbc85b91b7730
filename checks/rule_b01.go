package checks

import (
	"fmt"
	"strings"
)

func ruleB01() Rule {
	return Rule{
		ID:    "B01",
		Title: "No job holds a model credential and a write credential",
		Level: LevelError,
		Doc: `Every scalar under the job, the workflow's env and permissions in effect, and the steps of local actions are searched. A model credential is
recognised by the secret's name, by the variable or input it is given to, by a scope (models, copilot-requests), by a federation rule with id-token: write,
and as any unknown secret given to a known agent. A write credential is a write scope, a token or key by name or by use, a minting action that is not
narrowed to reading, or an agent action that trades the job's OIDC token for its own App's token. A secret that is only compared is not held. It is a
warning where the job never runs (if: false), where all that can write is a token of unknown strength in a fallback or a cloud account, and
where permissions are not stated at all, so that the repository's default decides.`,
		Why: `A model reads text that outsiders wrote. A process that follows such a text and can write is the attack; one that holds no credential
that can write is not.`,
		Violates: `on: pull_request
jobs:
  review:
    runs-on: ubuntu-24.04
    permissions: {contents: read, pull-requests: write}
    steps:
      - run: claude -p "$(cat task.json)"
        env: {ANTHROPIC_API_KEY: "${{ secrets.ANTHROPIC_API_KEY }}"}`,
		Passes: `on: pull_request
jobs:
  run:
    runs-on: ubuntu-24.04
    permissions: {contents: read}
    steps:
      - run: ./run
        env: {CLAUDE_CODE_OAUTH_TOKEN: "${{ secrets.CLAUDE_CODE_OAUTH_TOKEN }}"}
  apply:
    needs: run
    runs-on: ubuntu-24.04
    permissions: {pull-requests: write}
    steps:
      - run: ./apply`,
		Source: "GitHub, permissions for the GITHUB_TOKEN; the sources of anthropics/claude-code-action and sst/opencode",
		check: func(r *repository) []Finding {
			var findings []Finding
			for _, j := range append(r.jobs(), r.alone...) {
				if _, local := localPath(j.node.get("uses").text()); local {
					continue // the jobs of the called workflow are judged, with what this one hands them
				}
				findings = append(findings, bothKinds(r, j)...)
			}
			return findings
		},
	}
}

func bothKinds(r *repository, j *job) []Finding {
	all := r.evidence(j)
	model, write := ofKind(all, KindModel), ofKind(all, KindWrite)
	if len(model) == 0 {
		return nil
	}
	what := j.describe()
	_, unknown := r.effectivePermissions(j)
	finding := Finding{Level: LevelError}
	switch {
	case len(write) > 0:
		finding.Message = fmt.Sprintf("%s holds a model credential (%s) and a write credential (%s)", what, names(model), names(write))
		if allWeak(write) || allWeak(model) {
			finding.Level = LevelWarning
		}
	case unknown:
		finding.Level = LevelWarning
		finding.Message = fmt.Sprintf("%s holds a model credential (%s), and nothing states its permissions: the repository's default may let it write", what, names(model))
	default:
		return nil
	}
	if neverRuns(j) {
		finding.Level = LevelWarning
	}
	finding.Places = append([]Place{j.key.place("in " + what)}, append(placesOf(model), placesOf(write)...)...)
	return []Finding{finding}
}

// names lists what the evidence is, each once.
func names(all []evidence) string {
	var list []string
	seen := map[string]bool{}
	for _, e := range all {
		if !seen[e.what] {
			seen[e.what] = true
			list = append(list, e.what)
		}
	}
	return strings.Join(list, ", ")
}

func neverRuns(j *job) bool {
	condition, err := j.node.get("if").condition()
	return err == nil && condition != nil && condition.operator == opLiteral && !condition.isText && condition.value == "false"
}
