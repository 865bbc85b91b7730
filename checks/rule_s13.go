package checks

import (
	"fmt"
	"slices"
	"strings"
)

func ruleS13() Rule {
	return Rule{
		ID:    "S13",
		Title: "The marked jobs are cut off from caches, deployments and each other's cancellation, and apply reports",
		Level: LevelError,
		Doc: `For marked jobs: cache-mode: none is in effect; a set-up action does not cache (cache: false) and no action restores a cache; run and apply name an
environment with deployment: false; the workflow has no concurrency of its own, run has one per item with cancel-in-progress: true, apply one per item with
cancel-in-progress: false and queue: max, in two groups; apply needs decide and run and has exactly the condition that lets it report; each step of an action that can be
read is given to bash or sh and ends in exec, and one that holds a credential is nothing else; nothing lets a marked job, or the
step of apply, fail or be left out unseen; the pins of airlock's actions in a file are whole commits and equal. That an
environment has a rule for the default branch cannot be seen in a file.`,
		Why: `A cache is written by other workflows and would be linked into the program that holds the key. A cancelled apply stops between a write and its read-back.
The runner signals only the process that it started: a shell that stays keeps a copy of the credential and passes no signal on. A skipped apply is silence.`,
		Violates: `on: workflow_dispatch
jobs:
  apply:
    runs-on: ubuntu-24.04
    environment: factory-apply
    concurrency: {group: apply, cancel-in-progress: true}
    steps: [{run: ./apply}]`,
		Passes: `on: workflow_dispatch
cache-mode: none
jobs:
  decide:
    runs-on: ubuntu-24.04
    steps: [{run: ./decide}]
  run:
    needs: decide
    runs-on: ubuntu-24.04
    environment: {name: factory-run, deployment: false}
    concurrency: {group: "run-${{ needs.decide.outputs.item }}", cancel-in-progress: true}
    steps: [{run: ./run}]
  apply:
    needs: [decide, run]
    if: ${{ !cancelled() && needs.decide.outputs.report == 'true' }}
    runs-on: ubuntu-24.04
    environment: {name: factory-apply, deployment: false}
    concurrency: {group: "apply-${{ needs.decide.outputs.item }}", cancel-in-progress: false, queue: max}
    steps: [{run: ./apply}]`,
		Source: "GitHub changelog: cache-mode, deployment: false, queue; actions/runner, ProcessInvoker",
		check: func(r *repository) []Finding {
			var findings []Finding
			for _, w := range r.workflows {
				marked := slices.DeleteFunc(slices.Clone(w.jobs), func(j *job) bool { return r.role(j) == "" })
				if len(marked) == 0 {
					continue
				}
				findings = append(findings, unequalPins(r, w)...)
				if n := w.root.get("concurrency"); n != nil {
					findings = append(findings, Finding{Message: "the workflow has a concurrency of its own, which lets any later event end or displace a Run", Places: []Place{n.place("this concurrency")}})
				}
				for _, j := range marked {
					s := &shape{r: r, job: j, role: r.role(j)}
					s.cache()
					s.environment()
					s.concurrency()
					s.applyReports()
					s.mayBeSilent()
					s.execs()
					findings = append(findings, s.findings...)
				}
			}
			return findings
		},
	}
}

func unequalPins(r *repository, w *workflow) []Finding {
	var findings []Finding
	var first *node
	for _, j := range w.jobs {
		for _, s := range j.steps {
			if _, ok := r.airlockProgram(s.uses); !ok || s.caller != nil {
				continue
			}
			n := s.node.get("uses")
			_, ref, _ := strings.Cut(s.uses, "@")
			if first == nil {
				first = n
			}
			_, wanted, _ := strings.Cut(first.value, "@")
			switch {
			case !isPinned(s.uses):
				findings = append(findings, Finding{Message: fmt.Sprintf("%s is not pinned to a whole commit", quote(s.uses)), Places: []Place{n.place("this pin")}})
			case ref != wanted:
				findings = append(findings, Finding{Message: "the pins of airlock's actions differ, so their releases do", Places: []Place{n.place("this pin"), first.place("and this one")}})
			}
		}
	}
	return findings
}

// shape gathers the findings about one marked job.
type shape struct {
	r        *repository
	job      *job
	role     Role
	findings []Finding
}

func (s *shape) report(at *node, format string, arguments ...any) {
	if at == nil {
		at = s.job.key
	}
	s.findings = append(s.findings, Finding{
		Message: fmt.Sprintf("%s, marked %s, ", s.job.describe(), s.role) + fmt.Sprintf(format, arguments...),
		Places:  []Place{at.place("here"), s.job.key.place("in this job")},
	})
}

func (s *shape) cache() {
	mode := s.job.node.get("cache-mode")
	if mode == nil {
		mode = s.job.workflow.root.get("cache-mode")
	}
	if !mode.is("none") {
		s.report(mode, "has no cache-mode: none")
	}
	for _, step := range s.job.steps {
		repository := actionRepository(step.uses)
		at := step.node.get("uses")
		off := func(input string) bool { return strings.EqualFold(step.input(input).text(), "false") }
		_, name, _ := strings.Cut(actionPath(step.uses), "/")
		cache := step.input("cache")
		unless, caches := cachesUnless[repository]
		switch {
		case strings.Contains(name, "cache"):
			s.report(at, "restores a cache")
		case caches && !slices.ContainsFunc(unless, off) && !(repository == "gradle/actions" && strings.EqualFold(step.input("cache-disabled").text(), "true")):
			s.report(at, "sets up with a cache: %s caches unless told not to", quote(repository))
		case strings.Contains(repository, "/setup-") && cache != nil && !off("cache"), strings.EqualFold(step.input("bundler-cache").text(), "true"),
			strings.HasPrefix(repository, "docker/") && (step.input("cache-from").text() != "" || step.input("cache-to").text() != ""):
			s.report(at, "sets up with a cache")
		}
	}
}

// cachesUnless are actions that use the cache unless one of these inputs is false.
var cachesUnless = map[string][]string{
	"actions/setup-go": {"cache"}, "actions/setup-node": {"cache", "package-manager-cache"}, "astral-sh/setup-uv": {"enable-cache"},
	"gradle/actions": nil, "golangci/golangci-lint-action": nil, "oven-sh/setup-bun": nil, "jdx/mise-action": {"cache"}, "actions-rust-lang/setup-rust-toolchain": {"cache"},
}

func (s *shape) environment() {
	n := s.job.node.get("environment")
	switch {
	case n == nil && s.role != RoleDecide:
		s.report(nil, "names no environment, so its credential has no rule for the default branch")
	case n != nil && !n.get("deployment").is("false"):
		s.report(n, "files a deployment for each Run: deployment: false is missing")
	}
}

// isItemReference reports whether a reference tells one item from another.
func isItemReference(ref reference) bool {
	last := ""
	if len(ref.path) > 0 {
		last = ref.path[len(ref.path)-1]
	}
	switch ref.context {
	case "needs":
		return len(ref.path) == 3 && ref.path[1] == "outputs" && (last == "item" || last == "number")
	case "github":
		return ref.under("github", "event") && last == "number"
	case "inputs":
		return last == "number" || last == "item"
	}
	return false
}

func (s *shape) concurrency() {
	if s.role == RoleDecide {
		return
	}
	n := s.job.node.get("concurrency")
	if n == nil {
		s.report(nil, "has no concurrency: two Runs of one item are not kept apart")
		return
	}
	group := n
	if n.kind == mappingNode {
		group = n.get("group")
	}
	perItem := false
	for _, part := range group.expressions() {
		perItem = perItem || slices.ContainsFunc(part.expression.held(), isItemReference)
	}
	if !perItem {
		s.report(n, "has a concurrency group that is not per item")
	}
	if s.role == RoleApply {
		for _, other := range s.r.marked(RoleRun) {
			theirs := other.node.get("concurrency")
			if theirs != nil && theirs.kind == mappingNode {
				theirs = theirs.get("group")
			}
			if other.workflow == s.job.workflow && group != nil && theirs != nil && strings.EqualFold(canonicalText(group), canonicalText(theirs)) {
				s.report(n, "has the concurrency group of %s, which cancels what is in progress in it", other.describe())
			}
		}
	}
	cancel := n.get("cancel-in-progress")
	switch {
	case s.role == RoleRun && !cancel.is("true"):
		s.report(n, "does not cancel an older Run of the item: cancel-in-progress: true is missing")
	case s.role == RoleApply && !cancel.is("false"):
		s.report(n, "may be cancelled between a write and its read-back: cancel-in-progress: false is missing")
	case s.role == RoleApply && !n.get("queue").is("max"):
		s.report(n, "may be displaced while it waits: queue: max is missing")
	}
}

// canonicalText is a scalar's text with its expressions printed in one form.
func canonicalText(n *node) string {
	var text strings.Builder
	at := 0
	for _, part := range n.expressions() {
		text.WriteString(n.value[at:part.start])
		text.WriteString("${{" + part.expression.String() + "}}")
		at = part.end
	}
	text.WriteString(n.value[at:])
	return text.String()
}

// mayBeSilent reports what lets a job, or the step that does its work, fail or be left out unseen.
func (s *shape) mayBeSilent() {
	if n := s.job.node.get("continue-on-error"); n != nil && !n.is("false") {
		s.report(n, "may fail unseen: continue-on-error")
	}
	if s.role != RoleApply {
		return
	}
	for _, step := range s.job.steps {
		program, ours := s.r.airlockProgram(step.uses)
		if !(ours && program == "apply") && step.run() == nil || step.caller != nil {
			continue
		}
		for _, key := range []string{"if", "continue-on-error"} {
			if n := step.node.get(key); n != nil && !n.is("false") || n != nil && key == "if" {
				s.report(n, "has a step that may be left out or fail unseen: %s", key)
			}
		}
	}
}

func (s *shape) applyReports() {
	if s.role != RoleApply {
		return
	}
	gate, run := neededRole(s.r, s.job, RoleDecide), neededRole(s.r, s.job, RoleRun)
	if gate == "" || run == "" {
		s.report(s.job.node.get("needs"), "does not need a job marked decide and one marked run")
		return
	}
	if !isConjunction(s.job.node.get("if"), []string{"!cancelled()", "always()"}, reported(gate)) {
		s.report(s.job.node.get("if"), "must run exactly if !cancelled() && %s, or a Run ends without a word", reported(gate))
	}
}

func (s *shape) execs() {
	for _, step := range s.job.steps {
		run := step.run()
		if step.caller == nil || run == nil {
			continue
		}
		if shell := step.shell(); !shell.is("bash") && !shell.is("sh") {
			s.report(run, "calls an action whose %s is not given to bash or sh alone, so another shell may stay", step.describe())
		}
		commands := parseShell(run.value)
		last := -1
		for i, command := range commands {
			if command.depth == 0 {
				last = i
			}
		}
		switch {
		case last < 0 || !isExec(commands[last]):
			s.report(run, "calls an action whose %s does not end in exec", step.describe())
		case last > 0 && s.holdsCredential(step):
			s.report(run, "calls an action whose %s holds a credential and runs more than one exec", step.describe())
		}
	}
}

// isExec reports whether a command replaces the shell for certain.
func isExec(command shellCommand) bool {
	alone := func(separator string) bool { return separator == "" || separator == "\n" || separator == ";" }
	return len(command.words) > 1 && command.words[0] == "exec" && alone(command.before) && alone(command.after)
}

func (s *shape) holdsCredential(step *step) bool {
	for _, e := range s.r.evidence(s.job) {
		if e.step == step && e.use != nil && e.use.section == inEnv {
			return true
		}
	}
	return false
}
