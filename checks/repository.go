package checks

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/actions"
)

// maxActionDepth is how far composite actions may call one another; GitHub's own limit is the same.
const maxActionDepth = 10

// maxSteps bounds the steps of one job once its actions are read through.
const maxSteps = 500

// repository is everything that was read for one run of the rules.
type repository struct {
	fsys      fs.FS
	config    Config
	files     map[string]*file
	missing   map[string]bool
	workflows []*workflow
	actions   []*action
	byPath    map[string]*action
	checked   []string  // paths that were asked for and read, sorted
	problems  []problem // of no file that was read
	judged    map[*job][]evidence
	alone     []*job // see standalone
	isAirlock bool   // the repository is airlock's own
}

// load reads the files that paths name, and the local actions and workflows that they call.
func load(fsys fs.FS, paths []string, config Config) (*repository, error) {
	r := &repository{fsys: fsys, config: config, files: map[string]*file{}, missing: map[string]bool{}, byPath: map[string]*action{}, judged: map[*job][]evidence{}}
	if module, err := fs.ReadFile(fsys, "go.mod"); err == nil {
		line, _, _ := strings.Cut(string(module), "\n")
		r.isAirlock = strings.TrimSpace(line) == "module github.com/"+config.airlock()
	}
	found, err := r.find(paths)
	if err != nil {
		return nil, err
	}
	for _, name := range found {
		f := r.file(name)
		if f == nil {
			r.problems = append(r.problems, problem{place: Place{File: name, Line: 1, Column: 1, Label: "here"}, message: "the file cannot be read"})
			continue
		}
		r.checked = append(r.checked, name)
		switch {
		case f.root == nil:
		case f.root.get("runs") != nil && f.root.get("jobs") == nil:
			r.action(path.Dir(name), f)
		default:
			r.workflows = append(r.workflows, readWorkflow(f))
		}
	}
	for i := 0; i < len(r.workflows); i++ { // grows by the workflows that are called
		for _, j := range r.workflows[i].jobs {
			r.buildJob(j)
		}
	}
	for _, directory := range slices.Sorted(maps.Keys(r.byPath)) {
		r.actions = append(r.actions, r.byPath[directory])
	}
	r.buildStandalone()
	r.checkConfig()
	return r, nil
}

// find lists the files under the paths, sorted. With no path it is the whole tree.
func (r *repository) find(paths []string) ([]string, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	seen := map[string]bool{}
	for _, name := range paths {
		if !fs.ValidPath(name) {
			return nil, fmt.Errorf("find the files to check: %q is not a path inside the repository", name)
		}
		information, err := fs.Stat(r.fsys, name)
		if err != nil || !information.IsDir() {
			seen[name] = true // a file that is not there is a finding, and not a usage error
			continue
		}
		err = fs.WalkDir(r.fsys, name, func(at string, entry fs.DirEntry, err error) error {
			switch base := path.Base(at); {
			case err != nil:
				seen[at] = true
				if entry != nil && entry.IsDir() {
					return fs.SkipDir
				}
			case entry.IsDir() && at != name && slices.Contains([]string{".git", "node_modules", "testdata", "vendor"}, base):
				return fs.SkipDir
			case entry.IsDir():
			case path.Dir(at) == ".github/workflows" && isYAML(base), base == "action.yml", base == "action.yaml":
				seen[at] = true
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("find the files to check: %w", err)
		}
	}
	return slices.Sorted(maps.Keys(seen)), nil
}

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml")
}

// file reads and parses a file once. It is nil where the file cannot be read.
func (r *repository) file(name string) *file {
	if f, ok := r.files[name]; ok || r.missing[name] {
		return f
	}
	source, err := r.read(name)
	if err != nil {
		r.missing[name] = true
		return nil
	}
	f := readFile(name, source)
	r.files[name] = f
	return f
}

func (r *repository) read(name string) ([]byte, error) {
	opened, err := r.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	information, err := opened.Stat()
	if err != nil {
		return nil, err
	}
	if information.Size() > maxFileBytes {
		return make([]byte, maxFileBytes+1), nil
	}
	return fs.ReadFile(r.fsys, name)
}

// action registers the action of a directory.
func (r *repository) action(directory string, f *file) *action {
	if a, ok := r.byPath[directory]; ok {
		return a
	}
	if f.root == nil {
		r.byPath[directory] = nil
		return nil
	}
	a := readAction(f, directory)
	if a.composite() {
		checkSteps(f, f.root.get("runs").get("steps"))
	}
	r.byPath[directory] = a
	return a
}

var errUnreadable = errors.New("cannot be read")

// callee is the action that a uses: names, where it can be read: a local one, or airlock's own at a whole commit. It is
// nil without an error for an action of another repository, which is judged by what it is given.
func (r *repository) callee(uses string) (*action, error) {
	if directory, ok := localPath(uses); ok {
		if !fs.ValidPath(directory) {
			return nil, errUnreadable
		}
		return r.localAction(directory)
	}
	program, ok := r.airlockProgram(uses)
	if !ok || !isPinned(uses) {
		return nil, nil
	}
	if r.isAirlock {
		return r.localAction("actions/" + program)
	}
	source, err := fs.ReadFile(actions.Definitions, program+"/action.yml")
	if err != nil {
		return nil, nil // airlock has no such action
	}
	directory := r.config.airlock() + "/actions/" + program
	return r.action(directory, readFile(directory+"/action.yml", source)), nil
}

func (r *repository) localAction(directory string) (*action, error) {
	for _, name := range []string{"action.yml", "action.yaml"} {
		if f := r.file(path.Join(directory, name)); f != nil {
			if a := r.action(directory, f); a != nil {
				return a, nil
			}
			break
		}
	}
	return nil, errUnreadable
}

// localPath is the directory or file of a uses: within its own repository.
func localPath(uses string) (string, bool) {
	for _, prefix := range []string{"./", "$/"} {
		if rest, ok := strings.CutPrefix(uses, prefix); ok {
			return path.Clean(rest), true
		}
	}
	return "", false
}

// airlockProgram is the program of a uses: of airlock's own repository: decide, run or apply.
func (r *repository) airlockProgram(uses string) (string, bool) {
	program, ok := strings.CutPrefix(actionPath(uses), strings.ToLower(r.config.airlock())+"/actions/")
	return program, ok && !strings.Contains(program, "/")
}

// isRunAction reports whether a uses: is airlock's run action, pinned or local.
func (r *repository) isRunAction(uses string) bool {
	if program, ok := r.airlockProgram(uses); ok {
		return program == "run"
	}
	directory, ok := localPath(uses)
	return ok && r.isAirlock && directory == "actions/run"
}

// buildJob lists the steps of a job and reads through what it calls.
func (r *repository) buildJob(j *job) {
	checkSteps(j.workflow.file, j.node.get("steps"))
	for _, e := range j.node.entries {
		if slices.Contains([]string{"env", "with", "secrets", "outputs"}, e.key.value) {
			continue
		}
		r.buildSteps(j, nil, collectSteps(e.value, 0, nil), 0)
	}
	uses := j.node.get("uses")
	if name, ok := localPath(uses.text()); ok {
		f := (*file)(nil)
		if fs.ValidPath(name) {
			_, had := r.files[name]
			if f = r.file(name); f != nil && f.root != nil && !had {
				r.workflows = append(r.workflows, readWorkflow(f))
			}
		}
		if f == nil || f.root == nil {
			j.workflow.file.problem(uses, "the workflow %q that job %q calls cannot be read", uses.text(), j.id)
		}
	}
}

func (r *repository) buildSteps(j *job, caller *step, nodes []*node, depth int) {
	for _, n := range nodes {
		s := &step{job: j, node: n, caller: caller, uses: n.get("uses").text(), inner: caller != nil}
		j.steps = append(j.steps, s)
		if s.uses == "" {
			continue
		}
		callee, err := r.callee(s.uses)
		switch {
		case err != nil:
			n.file.problem(n.get("uses"), "the action %q cannot be read", s.uses)
		case callee == nil:
		case depth >= maxActionDepth || len(j.steps) > maxSteps:
			n.file.problem(n.get("uses"), "actions call one another deeper than %d, or have more than %d steps together", maxActionDepth, maxSteps)
		default:
			s.callee = callee
			if callee.composite() {
				r.buildSteps(j, s, collectSteps(callee.root.get("runs").get("steps"), 0, nil), depth+1)
			}
		}
	}
}

// buildStandalone makes every composite action that was read a job of its own, so that one is judged before anybody calls
// it.
func (r *repository) buildStandalone() {
	for _, a := range r.actions {
		if a == nil || !a.composite() {
			continue
		}
		j := &job{id: a.path, key: a.root.get("runs"), node: a.root.get("runs"), action: a}
		r.buildSteps(j, nil, collectSteps(a.root.get("runs").get("steps"), 0, nil), 1)
		r.alone = append(r.alone, j)
	}
}

// jobs lists every job of every workflow that was read.
func (r *repository) jobs() []*job {
	var jobs []*job
	for _, w := range r.workflows {
		jobs = append(jobs, w.jobs...)
	}
	return jobs
}

// callers lists the jobs that call a workflow of this repository.
func (r *repository) callers(w *workflow) []*job {
	var callers []*job
	for _, j := range r.jobs() {
		if name, ok := localPath(j.node.get("uses").text()); ok && name == w.file.path {
			callers = append(callers, j)
		}
	}
	return callers
}

// role is what the configuration says a job is, or empty.
func (r *repository) role(j *job) Role {
	if j.workflow == nil {
		return ""
	}
	return r.config.Jobs[j.workflow.file.path+"#"+j.id]
}

// marked lists the jobs of one role.
func (r *repository) marked(role Role) []*job {
	var jobs []*job
	for _, j := range r.jobs() {
		if r.role(j) == role {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// checkConfig notes what the configuration names and the files do not have. A job that was renamed would otherwise lose
// its rules without a word.
func (r *repository) checkConfig() {
	for _, name := range slices.Sorted(maps.Keys(r.config.Jobs)) {
		file, id, _ := strings.Cut(name, "#")
		w := slices.IndexFunc(r.workflows, func(w *workflow) bool { return w.file.path == file })
		if w < 0 {
			if _, err := fs.Stat(r.fsys, file); err == nil {
				continue // it was not asked for
			}
		}
		if w < 0 || r.workflows[w].job(id) == nil {
			r.problems = append(r.problems, problem{
				place:   Place{File: ConfigFile, Line: 1, Column: 1, Label: "here"},
				message: fmt.Sprintf("the configuration names the job %s, which does not exist", quote(name)),
			})
		}
	}
}
