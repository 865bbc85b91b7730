package emulator

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// world is all that the emulated GitHub knows. Its methods need the server's mutex.
type world struct {
	repository *Repository
	others     []Repository
	users      []*User
	apps       []*App
	workflows  []*Workflow
	runs       []*Run
	artifacts  []*Artifact
	pulls      []*Pull
	checks     []*CheckRun
	labels     []RepoLabel
	commits    map[string]*Commit
	tokens     []*token
	defaults   FaultDefaults
	// last is the highest id given out, by kind.
	last map[string]int64
}

// firstIDs start the sequences of ids, so that ids of different kinds cannot be confused in a test.
var firstIDs = map[string]int64{
	"artifact": 5000000000, "check": 31000, "comment": 9000, "event": 5000, "line_comment": 61000,
	"pull": 120000, "review": 51000, "run": 17000000000, "thread": 71000, "token": 0,
}

// A job's GITHUB_TOKEN acts as this bot user of GitHub's own App.
const (
	actionsUserID = 41898282
	actionsAppID  = 15368
)

var commitPattern = regexp.MustCompile(`^[0-9a-f]{40}$`)

// next is the next id of a kind.
func (w *world) next(kind string) int64 {
	w.last[kind]++
	return w.last[kind]
}

// use returns an id that the seed chose, or the next one, and keeps the sequence above it.
func (w *world) use(kind string, chosen int64) int64 {
	if chosen == 0 {
		return w.next(kind)
	}
	w.last[kind] = max(w.last[kind], chosen)
	return chosen
}

// plant fills the world from a seed.
func (w *world) plant(seed Seed, now time.Time) error {
	w.last, w.commits = map[string]int64{}, map[string]*Commit{}
	for kind, first := range firstIDs {
		w.last[kind] = first
	}
	repository := seed.Repository
	w.repository, w.others = &repository, seed.OtherRepositories
	w.users, w.apps, w.workflows = seed.Users, seed.Apps, seed.Workflows
	w.runs, w.artifacts, w.pulls, w.checks = seed.WorkflowRuns, seed.Artifacts, seed.PullRequests, seed.CheckRuns
	w.labels, w.defaults = seed.Labels, seed.FaultActs
	setDefault(&w.defaults.HoldLabel, "airlock:hold")
	if w.defaults.ActorID == 0 {
		w.defaults.ActorID = repository.OwnerID
	}
	steps := []func(time.Time) error{w.plantUsers, w.plantRepository, w.plantApps, w.plantRuns, w.plantPulls}
	for _, step := range steps {
		if err := step(now); err != nil {
			return err
		}
	}
	for i, given := range seed.JobTokens {
		if err := w.addJobToken(given, now); err != nil {
			return fmt.Errorf("job_tokens[%d]: %w", i, err)
		}
	}
	for i, check := range w.checks {
		if w.commits[check.HeadCommit] == nil {
			return fmt.Errorf("check_runs[%d]: head_commit: %q is no commit of the seed", i, check.HeadCommit)
		}
		check.ID = w.use("check", check.ID)
	}
	return nil
}

func (w *world) plantUsers(time.Time) error {
	if w.user(actionsUserID) == nil {
		w.users = append(w.users, &User{ID: actionsUserID, Login: "github-actions[bot]", Type: "Bot"})
	}
	seen := map[int64]bool{}
	for i, user := range w.users {
		if user.ID <= 0 || seen[user.ID] {
			return fmt.Errorf("users[%d]: id: %d is missing or given twice", i, user.ID)
		}
		seen[user.ID] = true
		if !slices.Contains([]string{"User", "Bot", "Organization"}, user.Type) {
			return fmt.Errorf("users[%d]: type: %q is none of User, Bot, Organization", i, user.Type)
		}
		if user.Type == "Bot" != isBotLogin(user.Login) {
			return fmt.Errorf("users[%d]: login: %q of a %s; a bot's login, and only a bot's, ends in [bot]", i, user.Login, user.Type)
		}
	}
	return nil
}

func (w *world) plantRepository(now time.Time) error {
	repository := w.repository
	if repository.ID <= 0 || repository.Name == "" || w.user(repository.OwnerID) == nil {
		return errors.New("repository: needs id, name and an owner_id among the users")
	}
	if repository.DefaultBranch == "" {
		repository.DefaultBranch = "main"
	}
	if repository.PushedAt.IsZero() {
		repository.PushedAt = now
	}
	branches := map[string]Branch{}
	for name, branch := range repository.Branches {
		commit, err := w.addCommit(&Commit{SHA: branch.Commit, Message: "State of " + name, AuthorID: repository.OwnerID, At: repository.PushedAt, Tree: branch.Tree})
		if err != nil {
			return fmt.Errorf("repository: branches: %s: %w", name, err)
		}
		branches[name] = Branch{Commit: commit.SHA, Tree: commit.Tree}
	}
	repository.Branches = branches
	if _, exists := branches[repository.DefaultBranch]; !exists {
		return fmt.Errorf("repository: branches: the default branch %q is missing", repository.DefaultBranch)
	}
	return nil
}

func (w *world) plantApps(time.Time) error {
	for i, app := range w.apps {
		if bot := w.user(app.BotUserID); bot == nil || bot.Type != "Bot" {
			return fmt.Errorf("apps[%d]: bot_user_id: %d is no bot among the users", i, app.BotUserID)
		}
		if _, err := parsePublicKey(app.PublicKey); err != nil {
			return fmt.Errorf("apps[%d]: public_key: %w", i, err)
		}
		for key, level := range app.Permissions {
			if !validPermission(key, level) {
				return fmt.Errorf("apps[%d]: permissions: %s: %s is not a permission of GitHub's", i, key, level)
			}
		}
	}
	return nil
}

func (w *world) plantRuns(now time.Time) error {
	for i, run := range w.runs {
		if err := w.completeRun(run, now); err != nil {
			return fmt.Errorf("workflow_runs[%d]: %w", i, err)
		}
	}
	for i, artifact := range w.artifacts {
		if w.run(artifact.RunID) == nil {
			return fmt.Errorf("artifacts[%d]: run_id: %d is no run of the seed", i, artifact.RunID)
		}
		artifact.ID = w.use("artifact", artifact.ID)
		artifact.seal(now)
	}
	return nil
}

func (w *world) plantPulls(now time.Time) error {
	for i, pull := range w.pulls {
		if err := w.plantPull(pull, now); err != nil {
			return fmt.Errorf("pull_requests[%d]: %w", i, err)
		}
	}
	return nil
}

func (w *world) plantPull(pull *Pull, now time.Time) error {
	if pull.Number <= 0 || w.user(pull.AuthorID) == nil {
		return errors.New("needs number and an author_id among the users")
	}
	branch, exists := w.repository.Branches[pull.Base.Ref]
	if !exists {
		return fmt.Errorf("base: ref: no branch %q", pull.Base.Ref)
	}
	pull.ID = w.use("pull", pull.ID)
	setDefault(&pull.State, "open")
	setDefault(&pull.Head.Ref, "change")
	setTime(&pull.CreatedAt, now)
	setTime(&pull.UpdatedAt, pull.CreatedAt)
	if pull.Base.Tree == nil && pull.Base.Commit == "" {
		pull.Base.Tree, pull.Base.Commit = branch.Tree, branch.Commit
	}
	base, err := w.addCommit(&Commit{SHA: pull.Base.Commit, Message: "Base", AuthorID: w.repository.OwnerID, At: pull.CreatedAt, Tree: pull.Base.Tree})
	if err != nil {
		return fmt.Errorf("base: %w", err)
	}
	pull.Base.Commit, pull.Base.Tree = base.SHA, base.Tree
	if len(pull.Commits) == 0 {
		pull.Commits = []*Commit{{SHA: pull.Head.Commit, Message: pull.Title, AuthorID: pull.AuthorID, At: pull.CreatedAt, Tree: pull.Head.Tree}}
	}
	parent := base.SHA
	for i, commit := range pull.Commits {
		setDefault(&commit.Parent, parent)
		if pull.Commits[i], err = w.addCommit(commit); err != nil {
			return fmt.Errorf("commits[%d]: %w", i, err)
		}
		parent = pull.Commits[i].SHA
	}
	pull.Head.Commit, pull.Head.Tree = parent, nil
	if fork := pull.Head.Repository; fork != nil {
		if fork.ID <= 0 || fork.Name == "" || w.user(fork.OwnerID) == nil {
			return errors.New("head: repository: needs id, name and an owner_id among the users")
		}
		fork.Fork = true
		setDefault(&fork.DefaultBranch, "main")
		setTime(&fork.PushedAt, pull.CreatedAt)
	}
	return w.plantTalk(pull)
}

// plantTalk completes what was said about a pull request.
func (w *world) plantTalk(pull *Pull) error {
	for i, event := range pull.Events {
		if w.user(event.ActorID) == nil {
			return fmt.Errorf("events[%d]: actor_id: no user %d", i, event.ActorID)
		}
		event.ID = w.use("event", event.ID)
		setTime(&event.At, pull.CreatedAt)
	}
	for _, comment := range pull.Comments {
		comment.ID = w.use("comment", comment.ID)
		setTime(&comment.CreatedAt, pull.CreatedAt)
		setTime(&comment.UpdatedAt, comment.CreatedAt)
	}
	for _, review := range pull.Reviews {
		review.ID = w.use("review", review.ID)
		setDefault(&review.State, "COMMENTED")
		setDefault(&review.Commit, pull.Head.Commit)
		setTime(&review.CreatedAt, pull.CreatedAt)
		setTime(&review.UpdatedAt, review.CreatedAt)
	}
	for i, thread := range pull.Threads {
		if err := w.plantThread(pull, thread); err != nil {
			return fmt.Errorf("threads[%d]: %w", i, err)
		}
	}
	return nil
}

// plantThread completes a thread. Its line, when it has one, is a line of the head's diff.
func (w *world) plantThread(pull *Pull, thread *Thread) error {
	if len(thread.Comments) == 0 {
		return errors.New("comments: a thread has at least one")
	}
	thread.ID = w.use("thread", thread.ID)
	setDefault(&thread.Side, right)
	setDefault(&thread.OriginalCommit, pull.Head.Commit)
	setDefault(&thread.Commit, thread.OriginalCommit)
	switch {
	case thread.Line != nil:
		change := changeOf(w.changes(pull), thread.Path)
		if change == nil {
			return fmt.Errorf("path: %q is not in the change", thread.Path)
		}
		place, found := change.locate(thread.Side, *thread.Line)
		if !found {
			return fmt.Errorf("line: %d is not in the diff of %s; an outdated thread has only an original_line", *thread.Line, thread.Path)
		}
		thread.Commit = pull.Head.Commit
		setDefault(&thread.Hunk, place.hunkUpTo())
		thread.Position = &place.position
		if thread.OriginalLine == 0 {
			thread.OriginalLine, thread.OriginalPosition = *thread.Line, place.position
		}
	case thread.OriginalLine == 0:
		return errors.New("original_line: a thread has one")
	}
	for i, comment := range thread.Comments {
		comment.ID = w.use("line_comment", comment.ID)
		setTime(&comment.CreatedAt, pull.CreatedAt)
		setTime(&comment.UpdatedAt, comment.CreatedAt)
		if comment.ReviewID == 0 {
			comment.ReviewID = w.next("review")
			pull.Reviews = append(pull.Reviews, &Review{ID: comment.ReviewID, AuthorID: comment.AuthorID, State: "COMMENTED",
				Commit: thread.Commit, CreatedAt: comment.CreatedAt, UpdatedAt: comment.UpdatedAt})
		}
		if pull.review(comment.ReviewID) == nil {
			return fmt.Errorf("comments[%d]: review_id: no review %d", i, comment.ReviewID)
		}
	}
	return nil
}

// addCommit makes a commit known; its id is made from its content when it has none.
func (w *world) addCommit(commit *Commit) (*Commit, error) {
	if commit.SHA == "" {
		commit.SHA = commitID(commit.Tree, commit.Parent, commit.Message)
	}
	if !commitPattern.MatchString(commit.SHA) {
		return nil, fmt.Errorf("commit: %q is not 40 lower-case hexadecimal digits", commit.SHA)
	}
	if known := w.commits[commit.SHA]; known != nil {
		if commit.Tree != nil && known.Tree.id() != commit.Tree.id() {
			return nil, fmt.Errorf("commit: %s names two trees", commit.SHA)
		}
		return known, nil
	}
	if commit.Tree == nil {
		commit.Tree = Tree{}
	}
	w.commits[commit.SHA] = commit
	return commit, nil
}

// changes is the diff of a pull request as it is.
func (w *world) changes(pull *Pull) []*fileChange {
	key := pull.Base.Commit + " " + pull.Head.Commit
	if pull.changesKey != key {
		pull.changes, pull.changesKey = compareTrees(pull.Base.Tree, w.commits[pull.Head.Commit].Tree), key
	}
	return pull.changes
}

func (w *world) user(id int64) *User {
	return find(w.users, func(user *User) bool { return user.ID == id })
}

func (w *world) userByLogin(login string) *User {
	return find(w.users, func(user *User) bool { return equalFold(user.Login, login) })
}

func (w *world) app(id int64) *App {
	return find(w.apps, func(app *App) bool { return app.ID == id })
}

func (w *world) run(id int64) *Run {
	return find(w.runs, func(run *Run) bool { return run.ID == id })
}

func (w *world) workflow(id int64) *Workflow {
	return find(w.workflows, func(workflow *Workflow) bool { return workflow.ID == id })
}

func (w *world) artifact(id int64) *Artifact {
	return find(w.artifacts, func(artifact *Artifact) bool { return artifact.ID == id })
}

func (w *world) pull(number int) *Pull {
	return find(w.pulls, func(pull *Pull) bool { return pull.Number == number })
}

func (pull *Pull) review(id int64) *Review {
	return find(pull.Reviews, func(review *Review) bool { return review.ID == id })
}

// lineComment finds a comment and its thread.
func (pull *Pull) lineComment(id int64) (*Thread, *LineComment) {
	for _, thread := range pull.Threads {
		for _, comment := range thread.Comments {
			if comment.ID == id {
				return thread, comment
			}
		}
	}
	return nil, nil
}
