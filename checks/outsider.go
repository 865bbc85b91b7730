package checks

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// outsiderEvents start a workflow of the default branch, with its secrets, for something that an outsider did.
var outsiderEvents = []string{"pull_request_target", "issue_comment", "workflow_run", "pull_request_review", "pull_request_review_comment", "issues", "discussion", "discussion_comment"}

// closedLeaves are properties of an event that hold a number, a digest, a time or a word of GitHub's own choice.
var closedLeaves = []string{"number", "id", "node_id", "databaseid", "sha", "before", "after", "head_sha", "merge_commit_sha", "action", "type", "state", "draft",
	"merged", "locked", "author_association", "created_at", "updated_at", "closed_at", "merged_at", "run_id", "run_number", "run_attempt", "conclusion",
	"status", "event", "private", "fork", "additions", "deletions", "changed_files", "comments", "commits", "schedule"}

// maintainersParts are parts of an event that say what the repository is, and nothing of who caused the event.
var maintainersParts = []string{"repository", "organization", "enterprise", "installation"}

// outsiderWritten reports whether an outsider chooses the text of a reference, so that a shell must not see it as code.
func outsiderWritten(r reference) bool {
	switch {
	case r.is("github", "head_ref"):
		return true
	case r.under("github", "event") && len(r.path) > 1 && slices.Contains(maintainersParts, r.path[1]):
		return false
	case r.under("github", "event") && len(r.path) > 1:
		return !slices.Contains(closedLeaves, r.path[len(r.path)-1])
	case r.is("github", "event"), r.context == "github" && len(r.path) == 0, r.is("github", computed), r.is("github", every):
		return true
	}
	return false
}

// spokenRefs are texts of an event in which an outsider can name any code.
var spokenRefs = []string{"comment", "issue", "review", "discussion"}

// headOfItem reports whether a reference names the code of a pull request, or of the run of one.
func headOfItem(r reference, w *workflow) bool {
	switch {
	case r.is("github", "head_ref"),
		r.may("github", "event", "pull_request", "head"),
		r.may("github", "event", "pull_request", "merge_commit_sha"),
		r.may("github", "event", "workflow_run", "head_sha"),
		r.may("github", "event", "workflow_run", "head_branch"),
		r.may("github", "event", "workflow_run", "head_commit"),
		r.may("github", "event", "workflow_run", "head_repository"),
		r.may("github", "event", "workflow_run", "pull_requests"),
		r.may("github", "event", "check_suite", "head_sha"),
		r.may("github", "event", "check_suite", "pull_requests"),
		r.may("github", "event", "check_run", "head_sha"),
		r.may("github", "event", "check_run", "pull_requests"),
		r.under("github", "event") && len(r.path) == 3 && slices.Contains(spokenRefs, r.path[1]) && (r.path[2] == "body" || r.path[2] == "title"),
		r.is("github", "event", "pull_request", "title"), r.is("github", "event", "pull_request", "body"),
		r.is("github", "event", "after") && w != nil && w.hasEvent("pull_request", "pull_request_target"):
		return true
	case r.is("github", "ref"), r.is("github", "sha"), r.is("github", "ref_name"):
		return w != nil && w.hasEvent("pull_request")
	}
	return false
}

// headName matches what people call the head of a pull request: in a variable, or in the output of a step that reads it.
var headName = regexp.MustCompile(`(?i)(^|[^a-z])(head([_-]?(sha|ref|branch|repo|oid|commit))?|pr[_-]?(head|sha|ref|branch|repo|oid|commit))($|[^a-z])|headref(oid|name)|headrepository`)

// headQuery matches a script that asks GitHub for the head of a pull request.
var headQuery = regexp.MustCompile(`headRefOid|headRefName|headRepository|\.head\.(sha|ref|repo)|head_sha|head_branch|HEAD_SHA|refs/pull/`)

// pullRef matches GitHub's own names for the code of a pull request, and the address of its patch.
var pullRef = regexp.MustCompile(`refs/pull/|(^|[/+:])pull/[^/]+/(head|merge)|/pull/[^/ ]+\.(patch|diff)`)

// codeOfItem follows a scalar and reports the place where it becomes the code of a work item, if it does.
func (r *repository) codeOfItem(n *node, j *job, s *step) (Place, bool) {
	return r.traceItem(n, j, s, trail{})
}

func (r *repository) traceItem(n *node, j *job, s *step, passed trail) (Place, bool) {
	if !passed.first(n, s) || n.kind != scalarNode {
		return Place{}, false
	}
	if at := pullRef.FindStringIndex(n.value); at != nil {
		return n.placeAt(at[0], "the code of a pull request"), true
	}
	if pullRef.MatchString(n.folded()) {
		return n.place("the code of a pull request"), true
	}
	for _, part := range n.expressions() {
		for _, ref := range part.expression.held() {
			if place, found := r.referenceToItem(use{job: j, step: s, at: n, reference: ref, held: true}, passed); found {
				return place, true
			}
		}
	}
	return Place{}, false
}

func (r *repository) referenceToItem(u use, passed trail) (Place, bool) {
	ref, place := u.reference, u.place("the code of a work item: "+quote(u.reference.String()))
	switch {
	case headOfItem(ref, u.job.workflow):
		return place, true
	case ref.context == "env" && len(ref.path) == 1:
		value, holder := u.job.variable(ref.written[0], u.step)
		if value == nil || value == u.at {
			return place, headName.MatchString(ref.written[0]) && u.job.aboutItems()
		}
		return r.traceItem(value, u.job, holder, passed)
	case ref.context == "inputs" && len(ref.path) == 1 && u.step != nil && u.step.caller != nil:
		return r.traceItem(u.step.caller.input(ref.path[0]), u.step.caller.job, u.step.caller, passed)
	case ref.context == "inputs":
		for _, given := range r.given(u) {
			if found, is := r.traceItem(given.at, given.job, nil, passed); is {
				return found, true
			}
		}
	case ref.context == "matrix" && len(ref.path) > 0:
		for _, value := range u.job.matrix(ref.path[0]) {
			if found, is := r.traceItem(value, u.job, nil, passed); is {
				return found, true
			}
		}
	case len(ref.path) == 0 && ref.context == "github", ref.is("github", "event"):
		return place, true // one of its properties is chosen where no name shows it
	case ref.under("needs") && len(ref.path) == 3 && ref.path[1] == "outputs" && u.job.workflow != nil:
		if source := u.job.workflow.job(ref.path[0]); source != nil {
			if output := source.node.get("outputs").getFold(ref.path[2]); output != nil {
				return r.traceItem(output, source, nil, passed)
			}
		}
		return place, headName.MatchString(ref.path[2])
	case ref.under("steps") && len(ref.path) == 3 && ref.path[1] == "outputs":
		if headName.MatchString(ref.path[2]) {
			return place, true
		}
		for _, candidate := range u.job.steps {
			if strings.EqualFold(candidate.id(), ref.path[0]) && r.readsHead(candidate) {
				return place, true
			}
		}
	}
	return Place{}, false
}

// readsHead reports whether a step's script asks for, or is given, the head of a pull request.
func (r *repository) readsHead(s *step) bool {
	if headQuery.MatchString(s.run().text()) || headQuery.MatchString(s.input("script").text()) {
		return true
	}
	for _, n := range []*node{s.env(), s.with()} {
		for _, e := range n.entriesOf() {
			for _, part := range e.value.expressions() {
				for _, ref := range part.expression.held() {
					if headOfItem(ref, s.job.workflow) {
						return true
					}
				}
			}
		}
	}
	return false
}

// fetchOfItem finds how a step brings the code of a work item onto the machine. The first place is where; indirect is true
// where it lands in a directory of its own that no later step names.
type fetchOfItem struct {
	places   []Place
	harmless bool
}

func (r *repository) fetch(s *step) (fetchOfItem, bool) {
	if actionRepository(s.uses) == "actions/checkout" {
		return r.checkout(s)
	}
	run := s.run()
	commands := s.commands()
	written := assignments(commands)
	for i, command := range commands {
		words := command.program()
		if len(words) < 2 {
			continue
		}
		at := run.placeAt(command.offset, "this command fetches it")
		switch program := path.Base(words[0]); {
		case program == "gh" && words[1] == "pr" && len(words) > 2 && words[2] == "checkout":
			return fetchOfItem{places: []Place{at}}, true
		case command.before == "|" && applies(program, words):
			for from := i - 1; from >= 0; from-- {
				source := commands[from].program()
				if len(source) > 2 && path.Base(source[0]) == "gh" && source[1] == "pr" && source[2] == "diff" ||
					slices.ContainsFunc(source, pullRef.MatchString) {
					return fetchOfItem{places: []Place{at, run.placeAt(commands[from].offset, "and takes it from here")}}, true
				}
				if commands[from].before != "|" {
					break
				}
			}
		case program == "hub" && words[1] == "pr", program == "git" && fetches(words), slices.Contains([]string{"gh", "curl", "wget"}, program):
			for _, word := range named(program, words) {
				if source, found := r.wordOfItem(word, s, written); found {
					return fetchOfItem{places: append([]Place{at}, source...)}, true
				}
			}
		}
	}
	return fetchOfItem{}, false
}

// applies reports whether a command changes files by a patch that it reads.
func applies(program string, words []string) bool {
	return program == "patch" || program == "git" && slices.ContainsFunc(words[1:], func(word string) bool { return word == "apply" || word == "am" })
}

// named lists the words of a command that may name the code that it brings: not those that name a new branch, and of
// programs that bring anything those that name an archive of a repository.
func named(program string, words []string) []string {
	var kept []string
	for i, word := range words[1:] {
		switch before := words[i]; {
		case program == "git" && slices.Contains([]string{"-b", "-B", "-c", "-C", "--orphan", "--create"}, before) && !strings.HasPrefix(word, "pull/"):
		case program == "git" || program == "hub" || archiveAddress.MatchString(word):
			kept = append(kept, word)
		}
	}
	return kept
}

var archiveAddress = regexp.MustCompile(`/(tarball|zipball|archive)/`)

// aboutItems reports whether the name of a variable may be about a pull request: the job's workflow is started by one, or by
// something that does not say.
func (j *job) aboutItems() bool {
	return j.workflow == nil || slices.ContainsFunc(j.workflow.events, func(e event) bool {
		return !slices.Contains([]string{"push", "schedule", "release", "create", "delete"}, e.name)
	})
}

// fetches reports whether a git command brings commits or files.
func fetches(words []string) bool {
	for i := 1; i < len(words); i++ {
		switch word := words[i]; {
		case word == "-C" || word == "-c" || word == "--git-dir" || word == "--work-tree":
			i++
		case strings.HasPrefix(word, "-"):
		default:
			return slices.Contains([]string{"checkout", "switch", "fetch", "pull", "reset", "clone", "worktree", "merge", "rebase", "cherry-pick", "restore", "archive", "read-tree"}, word)
		}
	}
	return false
}

var shellVariable = regexp.MustCompile(`\$\{?([A-Za-z_][A-Za-z0-9_]*)`)

// wordOfItem reports whether a word of a shell command names the code of a work item: by GitHub's name for it, by an
// expression, by a variable whose value is one, or by a variable whose name says so.
func (r *repository) wordOfItem(word string, s *step, written map[string]string) ([]Place, bool) {
	if pullRef.MatchString(word) {
		return nil, true
	}
	if parts, err := parseEmbedded(word); err == nil {
		for _, part := range parts {
			for _, ref := range part.expression.held() {
				// The word's offsets are not those of the script, so the place is the command's.
				if _, found := r.referenceToItem(use{job: s.job, step: s, at: s.run(), reference: ref}, trail{}); found {
					return nil, true
				}
			}
		}
	}
	for _, match := range shellVariable.FindAllStringSubmatch(word, -1) {
		if value, found := written[match[1]]; found && strings.Contains(value, "${{") {
			if source, found := r.wordOfItem(value, s, nil); found {
				return source, true
			}
			continue
		}
		if value, holder := s.job.variable(match[1], s); value != nil {
			if place, found := r.codeOfItem(value, s.job, holder); found {
				return []Place{place}, true
			}
			continue
		}
		if headName.MatchString(match[1]) && s.job.aboutItems() || match[1] == "GITHUB_HEAD_REF" {
			return nil, true
		}
	}
	return nil, false
}

// checkout judges one use of actions/checkout.
func (r *repository) checkout(s *step) (fetchOfItem, bool) {
	uses := s.node.get("uses")
	fetched := fetchOfItem{places: []Place{uses.place("this checkout")}}
	found := false
	for _, name := range []string{"ref", "repository"} {
		if place, tainted := r.codeOfItem(s.input(name), s.job, s); tainted {
			fetched.places = append(fetched.places, place)
			found = true
		}
	}
	if !found && s.input("ref").text() == "" && s.input("repository").text() == "" && s.job.workflow != nil {
		for _, e := range s.job.workflow.events {
			if e.name == "pull_request" {
				fetched.places = append(fetched.places, e.at.place("the default ref of pull_request is the pull request's own code"))
				found = true
			}
		}
	}
	if !found {
		return fetchOfItem{}, false
	}
	if directory := path.Clean(s.input("path").text()); directory != "." {
		fetched.harmless = !namedLater(s, directory)
	}
	return fetched, true
}

// namedLater reports whether a step after this one names a directory, to work in or in a script.
func namedLater(s *step, directory string) bool {
	after := false
	for _, other := range s.job.steps {
		if other == s {
			after = true
			continue
		}
		if !after {
			continue
		}
		named := false
		other.node.walk(func(n *node) {
			named = named || n.kind == scalarNode && strings.Contains(n.value, directory)
		})
		if named {
			return true
		}
	}
	return false
}
