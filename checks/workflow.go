package checks

import (
	"slices"
	"strings"
)

// The keys that a workflow, a job, a step and what an action runs may have. A key outside these lists is not understood
// (U01): what it does with a credential is then unknown too. Beside runs an action may say what it likes; nothing acts on it.
var (
	workflowKeys = []string{"name", "run-name", "on", "permissions", "env", "defaults", "concurrency", "cache-mode", "jobs"}
	jobKeys      = []string{"name", "permissions", "needs", "if", "runs-on", "snapshot", "environment", "concurrency", "cache-mode", "outputs",
		"env", "defaults", "steps", "timeout-minutes", "strategy", "continue-on-error", "container", "services", "uses", "with", "secrets"}
	stepKeys = []string{"id", "if", "name", "uses", "run", "working-directory", "shell", "with", "env", "continue-on-error", "timeout-minutes",
		"background", "parallel", "wait", "wait-all", "cancel"}
	runsKeys = []string{"using", "steps", "main", "pre", "pre-if", "post", "post-if", "image", "args", "env", "entrypoint", "pre-entrypoint",
		"post-entrypoint", "plugin"}
)

// workflow is the part of a workflow file that the rules judge.
type workflow struct {
	file   *file
	root   *node
	events []event
	jobs   []*job
}

// event is one trigger and its settings, which may be nil.
type event struct {
	name     string
	at       *node
	settings *node
}

func (w *workflow) hasEvent(names ...string) bool {
	return slices.ContainsFunc(w.events, func(e event) bool { return slices.Contains(names, e.name) })
}

func (w *workflow) job(id string) *job {
	for _, j := range w.jobs {
		if j.id == id {
			return j
		}
	}
	return nil
}

// job is one job of a workflow, or the steps of a composite action that is judged by itself; then workflow is nil.
type job struct {
	id       string
	key      *node // where the job begins
	node     *node
	workflow *workflow
	action   *action
	steps    []*step // in order, the steps of parallel: blocks and of actions that can be read included
}

// permissions is the node that is in effect for the job: its own, else the workflow's, else nil.
func (j *job) permissions() *node {
	if own := j.node.get("permissions"); own != nil || j.workflow == nil {
		return own
	}
	return j.workflow.root.get("permissions")
}

// needs lists the jobs that this one waits for.
func (j *job) needs() []string { return j.node.get("needs").strings() }

// describe names a job for a person.
func (j *job) describe() string {
	if j.action != nil {
		return "action " + quote(j.id)
	}
	return "job " + quote(j.id)
}

// step is one step, with the step that called the action it stands in, if any.
type step struct {
	job    *job
	node   *node
	caller *step   // the step whose action holds this one; nil for a step of the job itself
	callee *action // the action that this step calls, where it can be read
	uses   string
	inner  bool // called through an action that was read
}

func (s *step) id() string      { return s.node.get("id").text() }
func (s *step) run() *node      { return s.node.get("run") }
func (s *step) env() *node      { return s.node.get("env") }
func (s *step) with() *node     { return s.node.get("with") }
func (s *step) composite() bool { return s.callee != nil && s.callee.composite() }
func (s *step) input(n string) *node {
	return s.with().getFold(n)
}

// describe names a step for a person.
func (s *step) describe() string {
	switch {
	case s.node.get("name").text() != "":
		return "step " + quote(s.node.get("name").text())
	case s.id() != "":
		return "step " + quote(s.id())
	case s.uses != "":
		return "step " + quote(s.uses)
	}
	return "step"
}

// action is an action.yml.
type action struct {
	file *file
	root *node
	path string // its directory, for a person
}

func (a *action) composite() bool { return a.root.get("runs").get("using").is("composite") }

// readWorkflow gives the typed view of a file and notes what is not understood in it.
func readWorkflow(f *file) *workflow {
	w := &workflow{file: f, root: f.root}
	known(f, f.root, "workflow", workflowKeys)
	w.readEvents()
	jobs := f.root.get("jobs")
	if jobs == nil || jobs.kind != mappingNode || len(jobs.entries) == 0 {
		f.problem(f.root, "a workflow has no jobs")
	} else {
		for _, e := range jobs.entries {
			if e.value.kind != mappingNode {
				f.problem(e.value, "job %q is not a mapping", e.key.value)
				continue
			}
			known(f, e.value, "job", jobKeys)
			w.jobs = append(w.jobs, &job{id: e.key.value, key: e.key, node: e.value, workflow: w})
		}
	}
	checkPermissions(f, f.root.get("permissions"))
	for _, j := range w.jobs {
		checkPermissions(f, j.node.get("permissions"))
		if j.node.get("steps") == nil && j.node.get("uses") == nil {
			f.problem(j.key, "job %q has neither steps nor uses", j.id)
		}
		for _, name := range j.needs() {
			if w.job(name) == nil {
				f.problem(j.node.get("needs"), "job %q needs %q, which is not in the file", j.id, name)
			}
		}
	}
	checkExpressions(f)
	return w
}

func (w *workflow) readEvents() {
	on := w.root.get("on")
	switch {
	case on == nil:
		w.file.problem(w.root, "a workflow has no triggers")
	case on.kind == scalarNode:
		w.events = append(w.events, event{name: on.value, at: on})
	case on.kind == sequenceNode:
		for _, item := range on.items {
			w.events = append(w.events, event{name: item.text(), at: item})
		}
	default:
		for _, e := range on.entries {
			w.events = append(w.events, event{name: e.key.value, at: e.key, settings: e.value})
		}
	}
}

// readAction gives the typed view of an action.yml.
func readAction(f *file, directory string) *action {
	a := &action{file: f, root: f.root, path: directory}
	known(f, f.root.get("runs"), "runs", runsKeys)
	if f.root.get("runs").get("using").text() == "" {
		f.problem(f.root, "an action does not say what it runs with")
	}
	checkExpressions(f)
	return a
}

func known(f *file, n *node, what string, keys []string) {
	if n == nil || n.kind != mappingNode {
		f.problem(n, "the %s is not a mapping", what)
		return
	}
	for _, e := range n.entries {
		if !slices.Contains(keys, e.key.value) {
			f.problem(e.key, "%s key %q is not known", what, e.key.value)
		}
	}
}

// checkPermissions notes a permissions node of a form that GitHub does not describe.
func checkPermissions(f *file, n *node) {
	switch {
	case n == nil:
	case n.kind == scalarNode:
		if !slices.Contains([]string{"read-all", "write-all"}, n.value) {
			f.problem(n, "permissions %q are neither read-all, write-all nor a mapping", n.value)
		}
	case n.kind == sequenceNode:
		f.problem(n, "permissions are a list")
	default:
		for _, e := range n.entries {
			if !slices.Contains([]string{"read", "write", "none"}, e.value.text()) {
				f.problem(e.value, "permission %s is %q: neither read, write nor none", e.key.value, e.value.text())
			}
		}
	}
}

// checkExpressions notes every ${{ }} of the file that cannot be read.
func checkExpressions(f *file) {
	f.root.walk(func(n *node) {
		if condition := n.get("if"); condition != nil && condition.kind == scalarNode && !strings.Contains(condition.value, "${{") {
			if _, err := condition.condition(); err != nil {
				f.problem(condition, "%s", err)
			}
		}
		if n.kind != scalarNode || !strings.Contains(n.value, "${{") {
			return
		}
		if _, err := parseEmbedded(n.value); err != nil {
			f.problem(n, "%s", err)
		}
	})
}

// expressions lists the ${{ }} of a scalar. Those that cannot be read are problems of the file already.
func (n *node) expressions() []embedded {
	if n == nil || n.kind != scalarNode || !strings.Contains(n.value, "${{") {
		return nil
	}
	found, _ := parseEmbedded(n.value)
	return found
}

// folded is the scalar's text with every expression in it folded.
func (n *node) folded() string {
	var text strings.Builder
	at := 0
	for _, part := range n.expressions() {
		text.WriteString(n.value[at:part.start])
		text.WriteString(part.expression.folded())
		at = part.end
	}
	text.WriteString(n.value[at:])
	return text.String()
}

// condition parses an if:, whose text may or may not stand in ${{ }}. It is nil where there is none.
func (n *node) condition() (*expression, error) {
	if n == nil {
		return nil, nil
	}
	text := strings.TrimSpace(n.text())
	if strings.HasPrefix(text, "${{") && closing(text, 3) == len(text)-2 {
		text = text[3 : len(text)-2]
	}
	return parseExpression(text, 0)
}

// collectSteps finds every step under a node, however it is nested: the entries of steps:, of parallel:, and of a key that
// is not known. Order is that of the file.
func collectSteps(n *node, depth int, found []*node) []*node {
	if n == nil || depth > maxDepth {
		return found
	}
	if n.kind == mappingNode && (n.get("run") != nil || n.get("uses") != nil) {
		found = append(found, n)
	}
	for _, e := range n.entries {
		if key := e.key.value; key == "with" || key == "env" || key == "outputs" {
			continue
		}
		found = collectSteps(e.value, depth+1, found)
	}
	for _, item := range n.items {
		found = collectSteps(item, depth+1, found)
	}
	return found
}

// checkSteps notes unknown keys of steps, and steps that do nothing that is known.
func checkSteps(f *file, steps *node) {
	if steps == nil {
		return
	}
	if steps.kind != sequenceNode {
		f.problem(steps, "the steps are not a list")
		return
	}
	for _, item := range steps.items {
		known(f, item, "step", stepKeys)
		if parallel := item.get("parallel"); parallel != nil {
			checkSteps(f, parallel)
			continue
		}
		if item.kind == mappingNode && !slices.ContainsFunc([]string{"run", "uses", "wait", "wait-all", "cancel"}, func(key string) bool { return item.get(key) != nil }) {
			f.problem(item, "a step neither runs nor uses anything")
		}
		if item.get("run") != nil && item.get("uses") != nil {
			f.problem(item, "a step both runs and uses something")
		}
	}
}
