package checks

import (
	"fmt"
	"strings"
)

// modelSecret is the one secret of a run job.
const modelSecret = "CLAUDE_CODE_OAUTH_TOKEN"

func ruleS03() Rule {
	return Rule{
		ID:    "S03",
		Title: "The run job names one secret, CLAUDE_CODE_OAUTH_TOKEN, at one step, and no token of GitHub's",
		Level: LevelError,
		Doc: `In a job marked run, every mention of a secret is counted, in conditions too, and in the workflow's env: exactly one, of that name, as an input of
the run action or as env of a plain run step. An env: on a step that uses an action counts as held by every step of that action; an input counts as held
by each step of the action that takes it, of which there may be one. GITHUB_TOKEN may not be named, nor taken by a checkout, and nothing else may stand where a credential
stands: a variable, an output, an input.`,
		Why: `What a job does not name it does not have. A second mention is a second process that can read the credential, and an install script among them is
enough.`,
		Violates: `on: workflow_dispatch
jobs:
  run:
    runs-on: ubuntu-24.04
    env: {CLAUDE_CODE_OAUTH_TOKEN: "${{ secrets.CLAUDE_CODE_OAUTH_TOKEN }}"}
    steps:
      - run: npm ci
      - run: ./run`,
		Passes: `on: workflow_dispatch
jobs:
  run:
    runs-on: ubuntu-24.04
    steps:
      - run: npm ci
      - run: ./run
        env: {CLAUDE_CODE_OAUTH_TOKEN: "${{ secrets.CLAUDE_CODE_OAUTH_TOKEN }}"}`,
		Source: "actions/runner, CompositeActionHandler: the env of the calling step is merged into every inner step",
		check: func(r *repository) []Finding {
			var findings []Finding
			for _, j := range r.marked(RoleRun) {
				findings = append(findings, oneSecret(r, j)...)
			}
			return findings
		},
	}
}

func oneSecret(r *repository, j *job) []Finding {
	var findings []Finding
	in := j.key.place("in " + j.describe() + ", marked run")
	report := func(at Place, format string, arguments ...any) {
		findings = append(findings, Finding{Message: fmt.Sprintf(format, arguments...), Places: []Place{at, in}})
	}
	for _, s := range j.steps {
		if actionRepository(s.uses) == "actions/checkout" {
			report(s.node.get("uses").place("this action"), "the run job checks out, which takes GITHUB_TOKEN without being given it")
		}
	}
	var mentions []Place
	var holders []*step
	for _, u := range j.uses() {
		ref := u.reference
		switch {
		case ref.is("github", "token"), ref.is("secrets", "github_token"), ref.context == "github" && len(ref.path) == 0:
			report(u.place("named here"), "the run job names GITHUB_TOKEN")
		case ref.context == "secrets" && (len(ref.path) != 1 || !strings.EqualFold(ref.path[0], modelSecret)):
			report(u.place("named here"), "the run job names %s, and may name the secret %s alone", quote(ref.String()), modelSecret)
		case ref.context == "secrets":
			mentions = append(mentions, u.place("named here"))
			if reason := r.misplaced(u); reason != "" {
				report(u.place("named here"), "the model credential is %s", reason)
			}
		case u.held:
			findings = append(findings, r.otherCredential(u, in)...)
			if u.step != nil && u.step.caller != nil && r.yieldsModelSecret(u) {
				holders = append(holders, u.step)
				if u.section != inEnv || u.step.run() == nil {
					report(u.place("handed on here"), "the action hands the model credential on to %s, %s", u.step.describe(), "which is no plain step that takes it as env")
				}
			}
		}
	}
	switch {
	case len(mentions) == 0:
		report(j.key.place("this job"), "the run job names no model credential: %s is not mentioned", modelSecret)
	case len(mentions) > 1:
		findings = append(findings, Finding{Message: fmt.Sprintf("the run job names the model credential %d times", len(mentions)), Places: append(mentions, in)})
	}
	for i, holder := range holders {
		if i > 0 && holder != holders[0] {
			findings = append(findings, Finding{Message: "the action gives the model credential to more than one of its steps",
				Places: []Place{holder.node.place("this step"), holders[0].node.place("and this step"), in}})
		}
	}
	return findings
}

// misplaced says why a mention of the model secret stands where more than one process can read it.
func (r *repository) misplaced(u use) string {
	switch {
	case u.step == nil:
		return "in the environment of every step, or in no step at all"
	case u.section == inWith && r.isRunAction(u.step.uses):
		return ""
	case u.section == inEnv && u.step.run() != nil && u.step.caller == nil:
		return ""
	case u.section == inEnv:
		return "in the env of a step that uses an action, which every step of the action inherits"
	case u.section == inRun:
		return "written into a script"
	case u.section == inWith:
		return "an input of an action that is not the run action"
	}
	return "named outside env and with"
}

// otherCredential reports a value that stands where a credential stands and is not the model secret.
func (r *repository) otherCredential(u use, in Place) []Finding {
	var findings []Finding
	for _, e := range r.useEvidence(u) {
		if e.origin.kind == fromSecret {
			continue // it is counted where it is named
		}
		findings = append(findings, Finding{Message: fmt.Sprintf("the run job holds another %s credential: %s", e.kind, e.what), Places: append(e.places, in)})
	}
	return findings
}

func (r *repository) yieldsModelSecret(u use) bool {
	for _, o := range r.origins(u) {
		if o.kind == fromSecret && o.name == modelSecret {
			return true
		}
	}
	return false
}
