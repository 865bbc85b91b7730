package checks

import (
	"fmt"
	"slices"
	"strings"
)

func ruleS11() Rule {
	return Rule{
		ID:    "S11",
		Title: "A file with marked jobs has the configured triggers only, and under an outsider's trigger the shape that makes it safe",
		Level: LevelError,
		Doc: `Every trigger is in the configured list (pull_request_target, workflow_dispatch and schedule without one). Where one of them can be pulled by an outsider,
no job of the file checks out or fetches the work item, no expression that an outsider writes stands in a script, and a job marked run has permissions: {},
needs a job marked decide, and runs only if that job's output admitted, which is the output of one of its steps, is 'true'. A script is run:, shell:, working-directory: and the inputs of
actions that are run as code; a text is followed through env, inputs, a matrix, and the outputs of steps and jobs.`,
		Why: `Such a trigger runs the default branch's workflow with its secrets for anyone's pull request. That is wanted, and safe only while nothing of the pull request
is code here.`,
		Violates: `on: pull_request_target
permissions: {}
jobs:
  run:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@<40 hex>
        with: {ref: "${{ github.event.pull_request.head.sha }}"}
      - run: ./run`,
		Passes: `on: pull_request_target
permissions: {}
jobs:
  decide:
    runs-on: ubuntu-24.04
    outputs: {admitted: "${{ steps.decide.outputs.admitted }}"}
    steps: [{id: decide, run: ./decide}]
  run:
    needs: decide
    if: needs.decide.outputs.admitted == 'true'
    runs-on: ubuntu-24.04
    steps: [{run: ./run}]`,
		Source: "GitHub, events that trigger workflows; GitHub Security Lab, untrusted input",
		check: func(r *repository) []Finding {
			var findings []Finding
			for _, w := range r.workflows {
				if !slices.ContainsFunc(w.jobs, func(j *job) bool { return r.role(j) != "" }) {
					continue
				}
				findings = append(findings, otherTriggers(r, w)...)
				if outsider := slices.IndexFunc(w.events, func(e event) bool { return slices.Contains(outsiderEvents, e.name) }); outsider >= 0 {
					findings = append(findings, unsafeShape(r, w, w.events[outsider])...)
				}
			}
			return findings
		},
	}
}

func otherTriggers(r *repository, w *workflow) []Finding {
	var findings []Finding
	allowed := r.config.triggers(w.file.path)
	for _, e := range w.events {
		if !slices.Contains(allowed, e.name) {
			findings = append(findings, Finding{
				Message: fmt.Sprintf("the trigger %s is not one of the configured: %s", quote(e.name), strings.Join(allowed, ", ")),
				Places:  []Place{e.at.place("this trigger")},
			})
		}
	}
	return findings
}

func unsafeShape(r *repository, w *workflow, outsider event) []Finding {
	var findings []Finding
	trigger := outsider.at.place("an outsider can pull this trigger")
	report := func(at []Place, format string, arguments ...any) {
		findings = append(findings, Finding{Message: fmt.Sprintf(format, arguments...), Places: append(at, trigger)})
	}
	for _, j := range w.jobs {
		for _, s := range j.steps {
			if fetched, found := r.fetch(s); found {
				report(fetched.places, "%s brings the code of a work item onto the machine", j.describe())
			}
		}
		for _, u := range j.uses() {
			if !u.held || u.section != inRun && (u.section != inWith || !slices.Contains(scriptInputs, strings.ToLower(u.key))) {
				continue
			}
			for _, o := range r.origins(u) {
				switch {
				case o.kind == fromEvent && outsiderWritten(o.reference):
					report(append([]Place{u.place("this expression")}, o.via...), "%s puts into a script what an outsider writes: %s", j.describe(), quote(o.reference.String()))
				case o.kind == fromStep && o.step != nil && r.passesOn(o.step):
					report([]Place{u.place("this expression"), o.step.node.place("this step may hand it on")}, "%s puts into a script the output of a step that is given what an outsider writes", j.describe())
				}
			}
		}
		if r.role(j) == RoleRun {
			findings = append(findings, ungated(r, j, trigger)...)
		}
	}
	return findings
}

// scriptInputs are inputs of actions, in lower case, that are run as code.
var scriptInputs = []string{"script", "command", "commands", "cmd", "run", "shell", "inlinescript", "inline-script", "azcliscript"}

// passesOn reports whether a script that sets outputs is given what an outsider writes.
func (r *repository) passesOn(s *step) bool {
	if s.run() == nil || !strings.Contains(s.run().text(), "GITHUB_OUTPUT") {
		return false
	}
	for _, u := range s.job.uses() {
		if u.step != s || !u.held || u.section != inEnv && u.section != inRun {
			continue
		}
		for _, o := range r.origins(u) {
			if o.kind == fromEvent && outsiderWritten(o.reference) {
				return true
			}
		}
	}
	return false
}

// ungated says how a run job could start, or act, without the Decision of a job marked decide.
func ungated(r *repository, j *job, trigger Place) []Finding {
	var findings []Finding
	report := func(at Place, format string, arguments ...any) {
		findings = append(findings, Finding{Message: fmt.Sprintf(format, arguments...), Places: []Place{at, trigger}})
	}
	nodes, unknown := r.effectivePermissions(j)
	for _, n := range nodes {
		if n.kind != mappingNode || len(n.entries) > 0 {
			report(n.place("these permissions"), "%s, marked run, has permissions under an outsider's trigger, and may have none: {}", j.describe())
		}
	}
	if unknown {
		report(j.key.place("this job"), "%s, marked run, states no permissions under an outsider's trigger, and must state none: {}", j.describe())
	}
	gate := neededRole(r, j, RoleDecide)
	if gate == "" {
		report(j.key.place("this job"), "%s, marked run, needs no job marked decide", j.describe())
		return findings
	}
	if output := j.workflow.job(gate).node.get("outputs").getFold("admitted"); output != nil && !isStepOutput(output) {
		report(output.place("what says that a Run is admitted"), "the output admitted of job %s is not the output of one of its steps", quote(gate))
	}
	n := j.node.get("if")
	at := j.key
	if n != nil {
		at = n
	}
	if !isConjunction(n, nil, admitted(gate)) {
		report(at.place("when it runs"), "%s, marked run, must run exactly if %s", j.describe(), admitted(gate))
	}
	return findings
}

// isStepOutput reports whether a scalar is the output of a step and nothing else.
func isStepOutput(n *node) bool {
	parts := n.expressions()
	if len(parts) != 1 || parts[0].start != 0 || parts[0].end != len(n.value) || parts[0].expression.operator != opContext {
		return false
	}
	ref := parts[0].expression.context
	return ref.context == "steps" && len(ref.path) == 3 && ref.path[1] == "outputs"
}

// neededRole is the id of the job of a role that this job waits for itself, or empty.
func neededRole(r *repository, j *job, role Role) string {
	for _, id := range j.needs() {
		if needed := j.workflow.job(id); needed != nil && r.role(needed) == role {
			return id
		}
	}
	return ""
}

func admitted(gate string) string { return "needs." + gate + ".outputs.admitted == 'true'" }
func reported(gate string) string { return "needs." + gate + ".outputs.report == 'true'" }

// isConjunction reports whether an if: is the conjunction of exactly the wanted terms, and of one of the alternatives where
// there are any. Order and parentheses do not matter.
func isConjunction(n *node, alternatives []string, wanted ...string) bool {
	condition, err := n.condition()
	if err != nil || condition == nil {
		return false
	}
	var terms []string
	for _, term := range condition.conjuncts() {
		terms = append(terms, term.String())
	}
	want := make([]string, 0, len(wanted)+1)
	for _, text := range wanted {
		want = append(want, canonicalTerm(text))
	}
	slices.Sort(terms)
	if len(alternatives) == 0 {
		slices.Sort(want)
		return slices.Equal(terms, want)
	}
	return slices.ContainsFunc(alternatives, func(alternative string) bool {
		all := append(slices.Clone(want), canonicalTerm(alternative))
		slices.Sort(all)
		return slices.Equal(terms, all)
	})
}

// canonicalTerm writes a term of ours as a parsed one prints.
func canonicalTerm(text string) string {
	e, err := parseExpression(text, 0)
	if err != nil {
		return text
	}
	return e.String()
}
