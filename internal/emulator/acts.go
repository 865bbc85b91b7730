package emulator

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The acts below are what people and the platform do between the calls of a program. They are not calls of the API:
// they are not counted, and nobody's permission is asked. Each names its actor by user id. Unknown numbers are errors.

// PushAct is a push to the head of a pull request.
type PushAct struct {
	Number int `json:"number"`
	// ActorID is who pushes; the author of the pull request when zero.
	ActorID int64 `json:"actor_id,omitempty"`
	// Commit is made from the tree when empty.
	Commit  string `json:"commit,omitempty"`
	Message string `json:"message,omitempty"`
	Tree    Tree   `json:"tree"`
	// Force replaces all commits: reviews then point to the new head, whatever was reviewed.
	Force bool `json:"force,omitempty"`
}

// Push adds a commit, or replaces all, and returns its id. Threads follow their lines or become outdated.
func (server *Server) Push(act PushAct) (string, error) {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	return server.push(act)
}

func (server *Server) push(act PushAct) (string, error) {
	w, now := &server.world, server.clock.now()
	if pull := w.pull(act.Number); act.ActorID == 0 && pull != nil {
		act.ActorID = pull.AuthorID
	}
	pull, err := w.known(act.Number, act.ActorID)
	if err != nil {
		return "", err
	}
	setDefault(&act.Message, fmt.Sprintf("Push %d", len(w.commits)))
	parent := pull.Head.Commit
	if act.Force {
		parent = pull.Base.Commit
	}
	commit, err := w.addCommit(&Commit{SHA: act.Commit, Parent: parent, Message: act.Message, AuthorID: act.ActorID, At: now, Tree: act.Tree})
	if err != nil {
		return "", err
	}
	if act.Force {
		pull.Commits = nil
		w.addEvent(pull, "head_ref_force_pushed", act.ActorID, "", now)
	}
	pull.Commits = append(pull.Commits, commit)
	pull.Head.Commit, pull.UpdatedAt = commit.SHA, now
	if pull.Head.Repository != nil {
		pull.Head.Repository.PushedAt = now
	} else {
		w.repository.PushedAt = now
		w.repository.Branches[pull.Head.Ref] = Branch{Commit: commit.SHA, Tree: commit.Tree}
	}
	for _, thread := range pull.Threads {
		w.moveThread(pull, thread, thread.Commit)
	}
	if act.Force {
		for _, review := range pull.Reviews {
			review.Commit = commit.SHA
		}
	}
	return commit.SHA, nil
}

// BranchAct sets the head of a branch of the repository: a push to it, or its creation.
type BranchAct struct {
	Name   string `json:"name"`
	Commit string `json:"commit,omitempty"`
	Tree   Tree   `json:"tree"`
}

// SetBranch moves a branch and returns the id of its new head. Pull requests keep their base until they are retargeted.
func (server *Server) SetBranch(act BranchAct) (string, error) {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	w := &server.world
	commit, err := w.addCommit(&Commit{SHA: act.Commit, Parent: w.repository.Branches[act.Name].Commit, Message: "State of " + act.Name,
		AuthorID: w.repository.OwnerID, At: server.clock.now(), Tree: act.Tree})
	if err != nil {
		return "", err
	}
	w.repository.Branches[act.Name] = Branch{Commit: commit.SHA, Tree: commit.Tree}
	return commit.SHA, nil
}

// LabelAct sets or removes a label.
type LabelAct struct {
	Number  int    `json:"number"`
	ActorID int64  `json:"actor_id"`
	Label   string `json:"label"`
	Remove  bool   `json:"remove,omitempty"`
}

// Label changes the labels of a pull request and records the event. Setting a label that is set does nothing.
func (server *Server) Label(act LabelAct) error {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	return server.label(act)
}

func (server *Server) label(act LabelAct) error {
	pull, err := server.world.known(act.Number, act.ActorID)
	if err != nil {
		return err
	}
	at := slices.Index(pull.Labels, act.Label)
	if (at >= 0) != act.Remove {
		return nil
	}
	event := "labeled"
	if act.Remove {
		event = "unlabeled"
		pull.Labels = slices.Delete(pull.Labels, at, at+1)
	} else {
		pull.Labels = append(pull.Labels, act.Label)
	}
	server.world.addEvent(pull, event, act.ActorID, act.Label, server.clock.now())
	return nil
}

func (w *world) addEvent(pull *Pull, event string, actor int64, label string, now time.Time) {
	pull.Events = append(pull.Events, &Event{ID: w.next("event"), Event: event, ActorID: actor, Label: label, At: now})
	pull.UpdatedAt = now
}

// TextAct is a text of a person on a pull request: a comment, or with CommentID a reply in the thread of that comment.
type TextAct struct {
	Number    int    `json:"number"`
	ActorID   int64  `json:"actor_id"`
	Body      string `json:"body"`
	CommentID int64  `json:"comment_id,omitempty"`
}

// Comment adds to the conversation and returns the comment's id.
func (server *Server) Comment(act TextAct) (int64, error) {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	pull, err := server.world.known(act.Number, act.ActorID)
	if err != nil {
		return 0, err
	}
	return server.world.addComment(pull, act.ActorID, act.Body, server.clock.now()).ID, nil
}

// Reply adds to the thread of a line comment and returns the reply's id.
func (server *Server) Reply(act TextAct) (int64, error) {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	pull, err := server.world.known(act.Number, act.ActorID)
	if err != nil {
		return 0, err
	}
	thread, _ := pull.lineComment(act.CommentID)
	if thread == nil {
		return 0, fmt.Errorf("comment_id: no line comment %d", act.CommentID)
	}
	reply, refusal, refused := server.reply(act.ActorID, pull, thread, act.Body)
	if refused {
		return 0, fmt.Errorf("reply: %v", refusal.body)
	}
	return reply.ID, nil
}

// ReviewAct is a review of a person, with comments on lines of the head's diff.
type ReviewAct struct {
	Number  int    `json:"number"`
	ActorID int64  `json:"actor_id"`
	Body    string `json:"body"`
	// State is COMMENTED (the default), APPROVED, CHANGES_REQUESTED or PENDING.
	State    string        `json:"state,omitempty"`
	Comments []LineTextAct `json:"comments,omitempty"`
}

// LineTextAct is a text on a line.
type LineTextAct struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	// Side is RIGHT when empty.
	Side string `json:"side,omitempty"`
	Body string `json:"body"`
}

// Review adds a review and returns its id. A comment on a line outside the diff is an error.
func (server *Server) Review(act ReviewAct) (int64, error) {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	w, now := &server.world, server.clock.now()
	pull, err := w.known(act.Number, act.ActorID)
	if err != nil {
		return 0, err
	}
	setDefault(&act.State, "COMMENTED")
	review := &Review{ID: w.next("review"), AuthorID: act.ActorID, Body: act.Body, State: act.State, Commit: pull.Head.Commit, CreatedAt: now, UpdatedAt: now}
	var threads []*Thread
	for i, comment := range act.Comments {
		thread, complaint := newThread(w.changes(pull), commentRequest{Path: comment.Path, Line: &comment.Line, Side: comment.Side})
		if complaint != "" {
			return 0, fmt.Errorf("comments[%d]: %s", i, complaint)
		}
		thread.ID, thread.OriginalCommit, thread.Commit = w.next("thread"), pull.Head.Commit, pull.Head.Commit
		thread.Comments = []*LineComment{{ID: w.next("line_comment"), ReviewID: review.ID, AuthorID: act.ActorID, Body: comment.Body, CreatedAt: now, UpdatedAt: now}}
		threads = append(threads, thread)
	}
	pull.Reviews, pull.Threads, pull.UpdatedAt = append(pull.Reviews, review), append(pull.Threads, threads...), now
	return review.ID, nil
}

// EditAct is an edit in the browser, of the text named by exactly one of the ids, or of the pull request itself.
type EditAct struct {
	Number int `json:"number"`
	// ActorID is the editor; the author of the text when zero.
	ActorID       int64  `json:"actor_id,omitempty"`
	ReviewID      int64  `json:"review_id,omitempty"`
	CommentID     int64  `json:"comment_id,omitempty"`
	LineCommentID int64  `json:"line_comment_id,omitempty"`
	Body          string `json:"body"`
	Title         string `json:"title,omitempty"`
}

// Edit replaces a text. A browser sends CRLF for each line end, and GitHub stores what it is sent.
func (server *Server) Edit(act EditAct) error {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	editor := act.ActorID
	if editor == 0 {
		editor = actionsUserID // known to every world; it is not stored
	}
	pull, err := server.world.known(act.Number, editor)
	if err != nil {
		return err
	}
	now := server.clock.now()
	body := strings.ReplaceAll(strings.ReplaceAll(act.Body, "\r\n", "\n"), "\n", "\r\n")
	switch {
	case act.ReviewID != 0:
		review := pull.review(act.ReviewID)
		if review == nil {
			return fmt.Errorf("review_id: no review %d", act.ReviewID)
		}
		review.Body, review.EditedAt, review.UpdatedAt, review.EditorID = body, &now, now, act.ActorID
	case act.CommentID != 0:
		comment := find(pull.Comments, func(comment *Comment) bool { return comment.ID == act.CommentID })
		if comment == nil {
			return fmt.Errorf("comment_id: no comment %d", act.CommentID)
		}
		comment.Body, comment.EditedAt, comment.UpdatedAt, comment.EditorID = body, &now, now, act.ActorID
	case act.LineCommentID != 0:
		_, comment := pull.lineComment(act.LineCommentID)
		if comment == nil {
			return fmt.Errorf("line_comment_id: no line comment %d", act.LineCommentID)
		}
		comment.Body, comment.EditedAt, comment.UpdatedAt, comment.EditorID = body, &now, now, act.ActorID
	default:
		pull.Body, pull.EditedAt, pull.EditorID = body, &now, act.ActorID
		if act.Title != "" {
			pull.Title = act.Title
		}
	}
	pull.UpdatedAt = now
	return nil
}

// ResolveAct resolves a thread, named by any of its comments, or opens it again.
type ResolveAct struct {
	Number    int   `json:"number"`
	ActorID   int64 `json:"actor_id"`
	CommentID int64 `json:"comment_id"`
	Unresolve bool  `json:"unresolve,omitempty"`
}

// Resolve changes whether a thread is resolved, and by whom.
func (server *Server) Resolve(act ResolveAct) error {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	pull, err := server.world.known(act.Number, act.ActorID)
	if err != nil {
		return err
	}
	thread, _ := pull.lineComment(act.CommentID)
	if thread == nil {
		return fmt.Errorf("comment_id: no line comment %d", act.CommentID)
	}
	thread.Resolved, thread.ResolvedByID = !act.Unresolve, act.ActorID
	if act.Unresolve {
		thread.ResolvedByID = 0
	}
	return nil
}

// StateAct changes what state a pull request is in.
type StateAct struct {
	Number  int   `json:"number"`
	ActorID int64 `json:"actor_id"`
	// To is closed, merged, reopened, locked, unlocked, draft or ready.
	To string `json:"to"`
}

// SetState closes, merges, reopens, locks, unlocks a pull request, or moves it between draft and ready, and records
// the event.
func (server *Server) SetState(act StateAct) error {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	return server.setState(act)
}

// Close closes a pull request.
func (server *Server) Close(number int, actorID int64) error {
	return server.SetState(StateAct{Number: number, ActorID: actorID, To: "closed"})
}

func (server *Server) setState(act StateAct) error {
	pull, err := server.world.known(act.Number, act.ActorID)
	if err != nil {
		return err
	}
	now, event := server.clock.now(), act.To
	switch act.To {
	case "closed", "merged":
		pull.State, pull.ClosedAt, pull.Merged = "closed", &now, act.To == "merged"
	case "reopened":
		pull.State, pull.ClosedAt, pull.Merged = "open", nil, false
	case "locked", "unlocked":
		pull.Locked = act.To == "locked"
	case "draft":
		pull.Draft, event = true, "convert_to_draft"
	case "ready":
		pull.Draft, event = false, "ready_for_review"
	default:
		return fmt.Errorf("to: %q is no state", act.To)
	}
	server.world.addEvent(pull, event, act.ActorID, "", now)
	return nil
}

// RetargetAct changes the branch a pull request would be merged into.
type RetargetAct struct {
	Number  int    `json:"number"`
	ActorID int64  `json:"actor_id"`
	Ref     string `json:"ref"`
}

// Retarget moves a pull request to another branch; its diff is made from that branch's head then.
func (server *Server) Retarget(act RetargetAct) error {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	return server.retarget(act)
}

func (server *Server) retarget(act RetargetAct) error {
	pull, err := server.world.known(act.Number, act.ActorID)
	if err != nil {
		return err
	}
	branch, exists := server.world.repository.Branches[act.Ref]
	if !exists {
		return fmt.Errorf("ref: no branch %q", act.Ref)
	}
	pull.Base = Base{Ref: act.Ref, Commit: branch.Commit, Tree: branch.Tree}
	for _, thread := range pull.Threads {
		server.world.moveThread(pull, thread, thread.Commit)
	}
	server.world.addEvent(pull, "base_ref_changed", act.ActorID, "", server.clock.now())
	return nil
}

// OpenPull opens another pull request, in the form of the seed.
func (server *Server) OpenPull(pull Pull) error {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	if server.world.pull(pull.Number) != nil {
		return fmt.Errorf("number: %d is taken", pull.Number)
	}
	if err := server.world.plantPull(&pull, server.clock.now()); err != nil {
		return err
	}
	server.world.pulls = append(server.world.pulls, &pull)
	return nil
}

// SetWorkflowRun starts a run, or changes the run of that id: its given status, conclusion, attempt and title replace
// the old ones. A completed run's job tokens stop working. It returns the run's id.
func (server *Server) SetWorkflowRun(given Run) (int64, error) {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	now := server.clock.now()
	run := server.world.run(given.ID)
	if run == nil {
		if given.WorkflowID == 0 && len(server.world.workflows) > 0 {
			given.WorkflowID = server.world.workflows[0].ID
		}
		run = &given
		if err := server.world.completeRun(run, now); err != nil {
			return 0, err
		}
		server.world.runs = append(server.world.runs, run)
		return run.ID, nil
	}
	for _, field := range []struct{ value, into *string }{
		{&given.Status, &run.Status}, {&given.Conclusion, &run.Conclusion}, {&given.Title, &run.Title}, {&given.Event, &run.Event}, {&given.HeadBranch, &run.HeadBranch}} {
		if *field.value != "" {
			*field.into = *field.value
		}
	}
	run.Attempt = max(run.Attempt, given.Attempt)
	if run.Status != "completed" {
		run.Conclusion = ""
	}
	run.UpdatedAt = now
	return run.ID, nil
}

// UploadArtifact is what the upload step of a run does with its runtime token. A name is unique in its run, whatever
// the attempt; a second upload of it is an error. The artifact's digest is that of the given bytes, in hexadecimal.
func (server *Server) UploadArtifact(runID int64, name string, zip []byte) (Artifact, error) {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	if server.world.run(runID) == nil {
		return Artifact{}, fmt.Errorf("run_id: no run %d", runID)
	}
	if name == "" || len(zip) == 0 {
		return Artifact{}, errors.New("needs a name and bytes")
	}
	for _, other := range server.world.artifacts {
		if other.RunID == runID && other.Name == name {
			return Artifact{}, fmt.Errorf("name: the run %d has an artifact %q", runID, name)
		}
	}
	artifact := &Artifact{ID: server.world.next("artifact"), Name: name, RunID: runID, Zip: slices.Clone(zip)}
	artifact.seal(server.clock.now())
	server.world.artifacts = append(server.world.artifacts, artifact)
	return *artifact, nil
}

// ArtifactZip returns the bytes of an artifact, as the download step of a run gets them.
func (server *Server) ArtifactZip(id int64) ([]byte, error) {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	artifact := server.world.artifact(id)
	if artifact == nil {
		return nil, fmt.Errorf("no artifact %d", id)
	}
	return slices.Clone(artifact.Zip), nil
}

// MintJobToken makes the GITHUB_TOKEN of a job and returns its value, which is the given one or a new one.
func (server *Server) MintJobToken(given JobToken) (string, error) {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	if given.Token == "" {
		digest := sha256.Sum256(fmt.Appendf(nil, "emulated job token %d", server.world.next("token")))
		given.Token = "ghs_" + hex.EncodeToString(digest[:])[:36]
	}
	return given.Token, server.world.addJobToken(given, server.clock.now())
}

// SetClock moves the clock to a time; it goes on from there if the clock of the options does.
func (server *Server) SetClock(now time.Time) {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	server.clock.offset = now.Sub(server.clock.source())
}

// Now is the emulator's time.
func (server *Server) Now() time.Time {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	return server.clock.now()
}

// known finds a pull request for an act of a user.
func (w *world) known(number int, actorID int64) (*Pull, error) {
	if w.user(actorID) == nil {
		return nil, fmt.Errorf("actor_id: no user %d", actorID)
	}
	if pull := w.pull(number); pull != nil {
		return pull, nil
	}
	return nil, fmt.Errorf("number: no pull request %d", number)
}
