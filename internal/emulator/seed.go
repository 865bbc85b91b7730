package emulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Seed is the state an emulator starts from, and the form of its seed file. Users are referred to by numeric id.
// Fields without a note may be left out and take GitHub's usual value.
type Seed struct {
	// Now fixes the clock; control calls move it. Without it the clock is that of the options.
	Now *time.Time `json:"now,omitempty"`
	// Repository is the one repository whose operations are emulated. Required.
	Repository Repository `json:"repository"`
	// OtherRepositories exist, but no token reaches them: every operation on them answers 404.
	OtherRepositories []Repository  `json:"other_repositories,omitempty"`
	Users             []*User       `json:"users"`
	Apps              []*App        `json:"apps,omitempty"`
	Workflows         []*Workflow   `json:"workflows,omitempty"`
	WorkflowRuns      []*Run        `json:"workflow_runs,omitempty"`
	Artifacts         []*Artifact   `json:"artifacts,omitempty"`
	JobTokens         []JobToken    `json:"job_tokens,omitempty"`
	PullRequests      []*Pull       `json:"pull_requests,omitempty"`
	CheckRuns         []*CheckRun   `json:"check_runs,omitempty"`
	Labels            []RepoLabel   `json:"labels,omitempty"`
	FaultActs         FaultDefaults `json:"fault_acts,omitempty"`
}

// Repository is a repository of the emulated GitHub.
type Repository struct {
	ID int64 `json:"id"`
	// OwnerID is the id of a user or an organisation in Users. Required.
	OwnerID       int64             `json:"owner_id"`
	Name          string            `json:"name"`
	Private       bool              `json:"private"`
	Fork          bool              `json:"fork"`
	DefaultBranch string            `json:"default_branch"`
	PushedAt      time.Time         `json:"pushed_at"`
	Branches      map[string]Branch `json:"branches,omitempty"`
}

// Branch is the head of a branch.
type Branch struct {
	// Commit is 40 hexadecimal digits; made from the tree when empty.
	Commit string `json:"commit"`
	Tree   Tree   `json:"tree"`
}

// User is a person, an organisation or the bot user of an App.
type User struct {
	ID int64 `json:"id"`
	// Login is the REST form: that of a bot ends in "[bot]".
	Login string `json:"login"`
	// Type is User, Bot or Organization.
	Type string `json:"type"`
	// Permission is the user's role on the repository: admin, write, read (the default on a public repository) or none.
	Permission string `json:"permission,omitempty"`
}

// App is a GitHub App with one installation on the repository.
type App struct {
	ID             int64  `json:"id"`
	ClientID       string `json:"client_id,omitempty"`
	Slug           string `json:"slug"`
	InstallationID int64  `json:"installation_id"`
	BotUserID      int64  `json:"bot_user_id"`
	// Permissions is the ceiling: what the installation was granted.
	Permissions map[string]string `json:"permissions"`
	// PublicKey is a PEM block of an RSA public key, against which the App's JWTs are verified.
	PublicKey string `json:"public_key"`
	Suspended bool   `json:"suspended"`
}

// Workflow is a workflow file.
type Workflow struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Path string `json:"path"`
}

// Run is one run of a workflow.
type Run struct {
	ID int64 `json:"id"`
	// WorkflowID names one of Workflows. Required.
	WorkflowID int64  `json:"workflow_id"`
	Title      string `json:"title"`
	Event      string `json:"event"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion,omitempty"`
	HeadBranch string `json:"head_branch"`
	HeadCommit string `json:"head_commit"`
	// HeadRepositoryID is the repository itself unless it is set to that of a fork.
	HeadRepositoryID int64     `json:"head_repository_id"`
	ActorID          int64     `json:"actor_id"`
	Number           int64     `json:"number"`
	Attempt          int64     `json:"attempt"`
	CreatedAt        time.Time `json:"created_at"`
	UpdatedAt        time.Time `json:"updated_at"`
}

// Artifact is an uploaded artifact. Zip is base64 in the seed file and left out of the state.
type Artifact struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	RunID     int64     `json:"run_id"`
	Zip       []byte    `json:"zip,omitempty"`
	Bytes     int64     `json:"bytes"`
	Digest    string    `json:"digest"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// JobToken is the GITHUB_TOKEN of a job. It stops working when its run is completed.
type JobToken struct {
	Token       string            `json:"token"`
	RunID       int64             `json:"run_id"`
	Permissions map[string]string `json:"permissions"`
}

// Pull is a pull request: two trees, and everything said about them.
type Pull struct {
	Number   int        `json:"number"`
	ID       int64      `json:"id"`
	AuthorID int64      `json:"author_id"`
	Title    string     `json:"title"`
	Body     string     `json:"body"`
	EditedAt *time.Time `json:"edited_at"`
	// EditorID is who edited last; the author when zero.
	EditorID int64 `json:"editor_id,omitempty"`
	// State is open (the default) or closed.
	State     string     `json:"state"`
	Merged    bool       `json:"merged"`
	Draft     bool       `json:"draft"`
	Locked    bool       `json:"locked"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
	ClosedAt  *time.Time `json:"closed_at"`
	Base      Base       `json:"base"`
	Head      Head       `json:"head"`
	// Commits are those of the pull request, oldest first; the last is the head.
	Commits  []*Commit  `json:"commits"`
	Labels   []string   `json:"labels"`
	Events   []*Event   `json:"events"`
	Comments []*Comment `json:"comments"`
	Reviews  []*Review  `json:"reviews"`
	Threads  []*Thread  `json:"threads"`

	// changes is the diff of the base to the head, made once per pair of them.
	changes    []*fileChange
	changesKey string
}

// Base is what a pull request would be merged into.
type Base struct {
	Ref string `json:"ref"`
	// Commit and Tree are the merge base, from which the diff is made; the branch's own when left out.
	Commit string `json:"commit"`
	Tree   Tree   `json:"tree,omitempty"`
}

// Head is where a pull request's commits are. Commit and Tree name the first head; later ones come by Push.
type Head struct {
	Ref    string `json:"ref"`
	Commit string `json:"commit"`
	Tree   Tree   `json:"tree,omitempty"`
	// Repository is the fork; nil is the repository itself, unless Gone.
	Repository *Repository `json:"repository,omitempty"`
	// Gone says that the head repository was deleted: GitHub answers null for it.
	Gone bool `json:"gone"`
}

// Commit is one commit of a pull request.
type Commit struct {
	SHA      string    `json:"sha"`
	Parent   string    `json:"parent"`
	Message  string    `json:"message"`
	AuthorID int64     `json:"author_id"`
	At       time.Time `json:"at"`
	Tree     Tree      `json:"tree"`
}

// Event is an event of an issue or pull request: labeled, unlabeled, closed, reopened, locked, base_ref_changed,
// head_ref_force_pushed, convert_to_draft, ready_for_review.
type Event struct {
	ID      int64     `json:"id"`
	Event   string    `json:"event"`
	ActorID int64     `json:"actor_id"`
	Label   string    `json:"label,omitempty"`
	At      time.Time `json:"at"`
}

// Comment is a comment on the conversation of a pull request.
type Comment struct {
	ID        int64      `json:"id"`
	AuthorID  int64      `json:"author_id"`
	Body      string     `json:"body"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
	EditedAt  *time.Time `json:"edited_at"`
	EditorID  int64      `json:"editor_id,omitempty"`
}

// Review is a review of a pull request. Its line comments are in Thread.
type Review struct {
	ID       int64  `json:"id"`
	AuthorID int64  `json:"author_id"`
	Body     string `json:"body"`
	// State is COMMENTED (the default), APPROVED, CHANGES_REQUESTED, DISMISSED or PENDING.
	State string `json:"state"`
	// Commit is what GitHub answers as commit_id: a force-push moves it to the new head.
	Commit    string     `json:"commit"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
	EditedAt  *time.Time `json:"edited_at"`
	EditorID  int64      `json:"editor_id,omitempty"`
}

// Thread is a line of the diff with the comments on it; the first comment is the top one.
type Thread struct {
	ID   int64  `json:"id"`
	Path string `json:"path"`
	// Side is LEFT or RIGHT (the default).
	Side string `json:"side"`
	// Line is nil when the line is no longer in the diff; StartLine is nil for a thread of one line too.
	Line              *int           `json:"line"`
	StartLine         *int           `json:"start_line"`
	OriginalLine      int            `json:"original_line"`
	OriginalStartLine *int           `json:"original_start_line"`
	StartSide         string         `json:"start_side,omitempty"`
	OriginalCommit    string         `json:"original_commit"`
	Commit            string         `json:"commit"`
	Hunk              string         `json:"hunk"`
	Position          *int           `json:"position"`
	OriginalPosition  int            `json:"original_position"`
	Resolved          bool           `json:"resolved"`
	ResolvedByID      int64          `json:"resolved_by_id"`
	Comments          []*LineComment `json:"comments"`
}

// LineComment is a comment in a thread.
type LineComment struct {
	ID        int64      `json:"id"`
	ReviewID  int64      `json:"review_id"`
	AuthorID  int64      `json:"author_id"`
	Body      string     `json:"body"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
	EditedAt  *time.Time `json:"edited_at"`
	EditorID  int64      `json:"editor_id,omitempty"`
}

// CheckRun is a check on a commit.
type CheckRun struct {
	ID         int64      `json:"id"`
	AppID      int64      `json:"app_id"`
	Name       string     `json:"name"`
	HeadCommit string     `json:"head_commit"`
	ExternalID string     `json:"external_id"`
	DetailsURL string     `json:"details_url"`
	Status     string     `json:"status"`
	Conclusion string     `json:"conclusion,omitempty"`
	Title      string     `json:"title"`
	Summary    string     `json:"summary"`
	Text       string     `json:"text"`
	StartedAt  *time.Time `json:"started_at"`
	// CompletedAt is nil until the check is completed.
	CompletedAt *time.Time `json:"completed_at"`
	Annotations int        `json:"annotations"`
}

// RepoLabel is a label of the repository. Labels that a pull request carries exist without being listed here.
type RepoLabel struct {
	Name        string `json:"name"`
	Color       string `json:"color"`
	Description string `json:"description"`
}

// FaultDefaults say who acts and how in the faults that are events between two calls.
type FaultDefaults struct {
	// ActorID is the acting user; the repository's owner when zero.
	ActorID int64 `json:"actor_id"`
	// HoldLabel is the label the fault event-hold sets; "airlock:hold" when empty.
	HoldLabel string `json:"hold_label"`
}

// ReadSeed decodes a seed file. Unknown fields and trailing data are errors.
func ReadSeed(document []byte) (Seed, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.DisallowUnknownFields()
	var seed Seed
	if err := decoder.Decode(&seed); err != nil {
		return Seed{}, fmt.Errorf("read seed: %w", err)
	}
	if decoder.More() {
		return Seed{}, fmt.Errorf("read seed: data after the document at byte %d", decoder.InputOffset())
	}
	return seed, nil
}

// copy is a seed that shares nothing with the receiver, since a server changes what it was given.
func (seed Seed) copy() (Seed, error) {
	document, err := json.Marshal(seed)
	if err != nil {
		return Seed{}, err
	}
	return ReadSeed(document)
}
