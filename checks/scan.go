package checks

import (
	"regexp"
	"strings"
)

// section says which part of a job a scalar belongs to, as far as it decides what a value is used for.
type section string

const (
	inEnv       section = "env"
	inWith      section = "with"
	inSecrets   section = "secrets" // of a call of a reusable workflow
	inRun       section = "run"
	inCondition section = "if"
	elsewhere   section = ""
)

// use is one reference in one scalar of a job: what is read, where, and what it is given to.
type use struct {
	job          *job
	step         *step // nil outside every step
	at           *node
	reference    reference
	section      section
	key          string // of the environment variable, the input or the secret that takes the value
	held         bool   // the expression can yield it; else it is only tested
	alternatives int    // how many references the expression falls back over
}

func (u use) place(label string) Place { return u.at.placeAt(u.reference.offset, label) }

// uses lists every reference of a job, from every scalar under the job's node, from the workflow's env, and from the
// actions it calls that can be read. Unknown keys are no hiding place: no scalar is left out.
func (j *job) uses() []use {
	s := &scanner{job: j, steps: map[*node]*step{}}
	s.scope(nil)
	if j.workflow != nil {
		s.walk(j.workflow.root.get("env"), inEnv, "", nil)
	}
	s.walk(j.node, elsewhere, "", nil)
	for _, called := range j.steps {
		if called.callee != nil { // what a container action gives its container stands beside the steps of no one
			runs := called.callee.root.get("runs")
			s.scope(called)
			s.walk(runs, elsewhere, "", &step{job: j, node: runs, caller: called})
		}
	}
	return s.found
}

type scanner struct {
	job   *job
	steps map[*node]*step
	found []use
}

// scope makes the steps of one caller known by their nodes. An action that is called twice has its steps twice, under one
// node each, so only one call is in scope at a time.
func (s *scanner) scope(caller *step) {
	clear(s.steps)
	for _, inner := range s.job.steps {
		if inner.caller == caller {
			s.steps[inner.node] = inner
		}
	}
}

func (s *scanner) walk(n *node, in section, key string, current *step) {
	if n == nil {
		return
	}
	if known := s.steps[n]; known != nil {
		current = known
	}
	if n.kind == scalarNode {
		s.scalar(n, in, key, current)
		return
	}
	for _, e := range n.entries {
		s.scalar(e.key, elsewhere, "", current)
		inner, name := in, e.key.value
		if in == elsewhere {
			name = ""
			switch e.key.value {
			case "env", "with", "secrets", "run", "if":
				inner = section(e.key.value)
			case "shell", "working-directory":
				inner = inRun // the runner makes a command line of both
			}
		}
		s.walk(e.value, inner, name, current)
	}
	for _, item := range n.items {
		s.walk(item, in, key, current)
	}
}

// assignment finds the variable that a script gives an expression to: NAME=${{ … }} or NAME="${{ … }}".
var assignment = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)=["']?$`)

func (s *scanner) scalar(n *node, in section, key string, current *step) {
	if in == inCondition {
		if !strings.Contains(n.value, "${{") {
			if e, err := n.condition(); err == nil && e != nil {
				for _, r := range e.mentions() {
					s.found = append(s.found, use{job: s.job, step: current, at: n, reference: r, section: in})
				}
			}
			return
		}
	}
	for _, part := range n.expressions() {
		name := key
		if in == inRun {
			if match := assignment.FindStringSubmatch(n.value[:part.start]); match != nil {
				name = match[1]
			} else if strings.HasSuffix(n.value[:part.start], "x-access-token:") {
				name = urlToken
			}
		}
		held := map[int]bool{}
		if in != inCondition {
			for _, r := range part.expression.held() {
				held[r.offset] = true
			}
		}
		for _, r := range part.expression.mentions() {
			s.found = append(s.found, use{job: s.job, step: current, at: n, reference: r, section: in, key: name,
				held: held[r.offset], alternatives: part.expression.alternatives()})
		}
	}
}

// originKind is where a value comes from in the end.
type originKind int

const (
	fromSecret     originKind = iota // name: the secret's
	fromAllSecrets                   // the whole secrets context, or one chosen when it runs
	fromToken                        // the job's own GITHUB_TOKEN: it can what the permissions say
	fromVariable                     // name: of the vars context
	fromStep                         // name: the step's id; step where it is known
	fromJob                          // an output of another job
	fromInput                        // an input whose caller is not seen
	fromEvent                        // github.*, matrix.* and the rest
)

// origin is the end of the road of one value: through env, through the inputs of actions that can be read, through the
// secrets that a calling workflow hands on.
type origin struct {
	kind         originKind
	name         string
	step         *step
	reference    reference
	alternatives int
	via          []Place // the places the value passed, the use itself not included
}

// trail holds the scalars that one search has followed, each with the step it was followed for: none is followed twice, so
// a search ends, and takes no longer than there are scalars.
type trail map[crossing]bool

type crossing struct {
	at   *node
	step *step
}

// first reports whether the search comes by a scalar for the first time.
func (t trail) first(n *node, s *step) bool {
	if n == nil || t[crossing{n, s}] {
		return false
	}
	t[crossing{n, s}] = true
	return true
}

// origins follows one use to where its value comes from.
func (r *repository) origins(u use) []origin { return r.trace(u, trail{}) }

func (r *repository) trace(u use, passed trail) []origin {
	ref := u.reference
	end := func(kind originKind, name string) []origin {
		return []origin{{kind: kind, name: name, reference: ref, alternatives: u.alternatives}}
	}
	switch {
	case ref.context == "secrets" && (len(ref.path) == 0 || ref.path[0] == computed || ref.path[0] == every):
		return end(fromAllSecrets, "")
	case ref.is("secrets", "github_token"), ref.is("github", "token"):
		return end(fromToken, "")
	case ref.context == "secrets":
		found := end(fromSecret, strings.ToUpper(ref.written[0]))
		if u.job.workflow != nil {
			for _, caller := range r.callers(u.job.workflow) {
				found = append(found, r.follow(caller.node.get("secrets").getFold(ref.path[0]), caller, nil, passed)...)
			}
		}
		return found
	case ref.context == "vars" && len(ref.path) > 0:
		return end(fromVariable, strings.ToUpper(ref.written[0]))
	case ref.context == "inputs" && len(ref.path) == 1 && u.step != nil && u.step.caller != nil:
		caller := u.step.caller
		if given := caller.input(ref.path[0]); given != nil {
			return r.follow(given, caller.job, caller, passed)
		}
		return r.follow(caller.callee.root.get("inputs").getFold(ref.path[0]).get("default"), caller.job, u.step, passed)
	case ref.context == "inputs":
		found := end(fromInput, ref.String())
		for _, given := range r.given(u) {
			found = append(found, r.follow(given.at, given.job, nil, passed)...)
		}
		return found
	case ref.context == "matrix" && len(ref.path) > 0:
		found := end(fromEvent, ref.String())
		for _, value := range u.job.matrix(ref.path[0]) {
			found = append(found, r.follow(value, u.job, nil, passed)...)
		}
		return found
	case ref.context == "env" && len(ref.path) == 1:
		value, holder := u.job.variable(ref.written[0], u.step)
		if value == nil || value == u.at {
			return end(fromEvent, ref.String())
		}
		return r.follow(value, u.job, holder, passed)
	case ref.context == "steps" && len(ref.path) > 0:
		found := end(fromStep, ref.path[0])
		for _, candidate := range u.job.steps {
			sameScope := u.step == nil && candidate.caller == nil || u.step != nil && candidate.caller == u.step.caller
			if sameScope && strings.EqualFold(candidate.id(), ref.path[0]) {
				found[0].step = candidate
			}
		}
		return found
	case ref.context == "needs":
		found := end(fromJob, ref.String())
		if output, source := u.output(); output != nil {
			// The runner hands on no output that holds a secret, so what counts here is what an event brought.
			for _, o := range r.follow(output, source, nil, passed) {
				if o.kind == fromEvent {
					found = append(found, o)
				}
			}
		}
		return found
	}
	return end(fromEvent, ref.String())
}

// output is the scalar behind needs.<job>.outputs.<name>, and its job, where both are in the file.
func (u use) output() (*node, *job) {
	ref := u.reference
	if ref.context != "needs" || len(ref.path) < 3 || ref.path[1] != "outputs" || u.job.workflow == nil {
		return nil, nil
	}
	for _, source := range u.job.workflow.jobs {
		if strings.EqualFold(source.id, ref.path[0]) {
			return source.node.get("outputs").getFold(ref.path[2]), source
		}
	}
	return nil, nil
}

// givenInput is what one job that calls a workflow gives to an input of it.
type givenInput struct {
	at  *node
	job *job
}

// given lists what the callers of a workflow of this repository give to the input that a use reads.
func (r *repository) given(u use) []givenInput {
	if u.reference.context != "inputs" || len(u.reference.path) == 0 || u.job.workflow == nil || u.step != nil && u.step.caller != nil {
		return nil
	}
	var found []givenInput
	for _, caller := range r.callers(u.job.workflow) {
		if value := caller.node.get("with").getFold(u.reference.path[0]); value != nil {
			found = append(found, givenInput{value, caller})
		}
	}
	return found
}

// matrix lists the scalars that matrix.<name> may be, and the one that makes the whole matrix where there is such a one.
func (j *job) matrix(name string) []*node {
	matrix := j.node.get("strategy").get("matrix")
	if matrix == nil || matrix.kind == scalarNode {
		return scalarsOf(matrix)
	}
	values := scalarsOf(matrix.getFold(name))
	include := matrix.get("include")
	if include != nil && include.kind == scalarNode {
		return append(values, include)
	}
	if include != nil {
		for _, item := range include.items {
			values = append(values, scalarsOf(item.getFold(name))...)
		}
	}
	return values
}

// scalarsOf lists the scalars under a node, keys left out.
func scalarsOf(n *node) []*node {
	switch {
	case n == nil:
		return nil
	case n.kind == scalarNode:
		return []*node{n}
	}
	var found []*node
	for _, e := range n.entries {
		found = append(found, scalarsOf(e.value)...)
	}
	for _, item := range n.items {
		found = append(found, scalarsOf(item)...)
	}
	return found
}

// follow gives the origins of every value that a scalar can yield.
func (r *repository) follow(n *node, j *job, s *step, passed trail) []origin {
	var found []origin
	if !passed.first(n, s) {
		return nil
	}
	for _, part := range n.expressions() {
		for _, ref := range part.expression.held() {
			next := use{job: j, step: s, at: n, reference: ref, held: true, alternatives: part.expression.alternatives()}
			for _, o := range r.trace(next, passed) {
				o.via = append([]Place{next.place("the value comes from here")}, o.via...)
				o.alternatives = max(o.alternatives, next.alternatives)
				found = append(found, o)
			}
		}
	}
	return found
}

// variable finds the environment variable that a step sees, and the step whose env sets it (nil for the job and the
// workflow).
func (j *job) variable(name string, s *step) (*node, *step) {
	for at := s; at != nil; at = at.caller {
		if value := at.env().getFold(name); value != nil {
			return value, at
		}
	}
	if value := j.node.get("env").getFold(name); value != nil {
		return value, nil
	}
	if j.workflow != nil {
		return j.workflow.root.get("env").getFold(name), nil
	}
	return nil, nil
}
