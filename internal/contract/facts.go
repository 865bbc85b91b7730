package contract

import "github.com/seed-2ea642bd/airlock/internal/untrusted"

// Facts is facts/1: one snapshot of an Item read from GitHub. Every list is in GitHub's order.
type Facts struct {
	Schema       string          `json:"schema"`
	ReadAt       Time            `json:"read_at"`
	Repository   FactsRepository `json:"repository"`
	Item         FactsItem       `json:"item"`
	Head         Head            `json:"head"`
	Base         Base            `json:"base"`
	ConfigCommit string          `json:"config_commit"`
	Content      Content         `json:"content"`
	Labels       []string        `json:"labels"`
	LabelEvents  []LabelEvent    `json:"label_events"`
	Comments     []Comment       `json:"comments"`
	Reviews      []Review        `json:"reviews"`
	Threads      []Thread        `json:"threads"`
	Records      Records         `json:"records"`
	Parts        Parts           `json:"parts"`
	Siblings     []Sibling       `json:"siblings"`
}

// FactsRepository is the repository of the item.
type FactsRepository struct {
	DefaultBranch string `json:"default_branch"`
	ID            int64  `json:"id"`
	Name          string `json:"name"`
	Owner         string `json:"owner"`
	Private       bool   `json:"private"`
}

// FactsItem is the pull request itself. State is "open" or "closed".
type FactsItem struct {
	Author   User           `json:"author"`
	Body     untrusted.Text `json:"body"`
	Draft    bool           `json:"draft"`
	EditedAt *Time          `json:"edited_at"`
	Kind     string         `json:"kind"`
	Locked   bool           `json:"locked"`
	NodeID   string         `json:"node_id"`
	Number   int            `json:"number"`
	State    string         `json:"state"`
	Title    untrusted.Text `json:"title"`
}

// Head is where the change comes from; the last three are nil where the head repository is gone.
type Head struct {
	Commit       string         `json:"commit"`
	OwnerID      *int64         `json:"owner_id"`
	PushedAt     *Time          `json:"pushed_at"`
	Ref          untrusted.Text `json:"ref"`
	RepositoryID *int64         `json:"repository_id"`
}

// Base is where the change goes.
type Base struct {
	Commit string         `json:"commit"`
	Ref    untrusted.Text `json:"ref"`
}

// States of [Content].
const (
	ContentText     = "text"
	ContentNotText  = "not_text"
	ContentTooLarge = "too_large"
	ContentAbsent   = "absent"
)

// Content describes the diff. ID is the digest of its bytes as GitHub served them, of none where there is no diff or it is too
// large; FilesDigest is that of Files in canonical form.
type Content struct {
	Bytes       int64         `json:"bytes"`
	Files       []ContentFile `json:"files"`
	FilesDigest string        `json:"files_digest"`
	ID          string        `json:"id"`
	State       string        `json:"state"`
}

// ContentFile is one changed file of the files API. Blob is the full blob id; Visible is false where the diff does not
// show the file's content.
type ContentFile struct {
	Blob         string          `json:"blob"`
	Path         untrusted.Text  `json:"path"`
	PreviousPath *untrusted.Text `json:"previous_path"`
	Status       string          `json:"status"`
	Visible      bool            `json:"visible"`
}

// LabelEvent is one setting ("labeled") or removal ("unlabeled") of a label. ActorID is 0 for a deleted account.
type LabelEvent struct {
	ActorID int64  `json:"actor_id"`
	At      Time   `json:"at"`
	Event   string `json:"event"`
	ID      int64  `json:"id"`
	Label   string `json:"label"`
}

// Comment is a comment on the item's conversation. EditorID, here and below, is the account that edited the text last: nil
// where nobody did, or where that account is gone.
type Comment struct {
	At       Time           `json:"at"`
	Author   User           `json:"author"`
	EditedAt *Time          `json:"edited_at"`
	EditorID *int64         `json:"editor_id"`
	ID       int64          `json:"id"`
	Text     untrusted.Text `json:"text"`
}

// Review is a submitted review. Commit moves on a force-push: nothing may rest on it.
type Review struct {
	At       Time           `json:"at"`
	Author   User           `json:"author"`
	Commit   string         `json:"commit"`
	EditedAt *Time          `json:"edited_at"`
	EditorID *int64         `json:"editor_id"`
	ID       int64          `json:"id"`
	NodeID   string         `json:"node_id"`
	State    string         `json:"state"`
	Text     untrusted.Text `json:"text"`
}

// Thread is a review thread; Line is nil where it is outdated. OriginalLine is nil for a thread on a whole file, and
// OriginalStartLine for one on a single line. OriginalCommit is the commit it was begun on, which does not move; 40 zeros
// where GitHub names none. ReviewID is the review it was begun with, nil where GitHub names none.
type Thread struct {
	Comments          []ThreadComment `json:"comments"`
	Line              *int            `json:"line"`
	NodeID            string          `json:"node_id"`
	OriginalCommit    string          `json:"original_commit"`
	OriginalLine      *int            `json:"original_line"`
	OriginalStartLine *int            `json:"original_start_line"`
	Outdated          bool            `json:"outdated"`
	Path              untrusted.Text  `json:"path"`
	Resolved          bool            `json:"resolved"`
	ResolvedBy        *User           `json:"resolved_by"`
	ReviewID          *int64          `json:"review_id"`
	Side              string          `json:"side"`
}

// ThreadComment is one comment of a thread.
type ThreadComment struct {
	At       Time           `json:"at"`
	Author   User           `json:"author"`
	EditedAt *Time          `json:"edited_at"`
	EditorID *int64         `json:"editor_id"`
	ID       int64          `json:"id"`
	NodeID   string         `json:"node_id"`
	Text     untrusted.Text `json:"text"`
}

// Records are the last 24 hours' believed workflow runs of this workflow file, and their Result artifacts, of the whole repository.
type Records struct {
	Results      []ResultRecord `json:"results"`
	WorkflowRuns []WorkflowRun  `json:"workflow_runs"`
}

// ResultRecord is one Result artifact: a Run that reached a model.
type ResultRecord struct {
	ArtifactID    int64 `json:"artifact_id"`
	CreatedAt     Time  `json:"created_at"`
	WorkflowRunID int64 `json:"workflow_run_id"`
}

// WorkflowRun is one run of the workflow; Title is its run-name, "airlock <role> #<number>".
type WorkflowRun struct {
	Attempt   int            `json:"attempt"`
	CreatedAt Time           `json:"created_at"`
	ID        int64          `json:"id"`
	Status    string         `json:"status"`
	Title     untrusted.Text `json:"title"`
}

// Parts says of each part of the facts whether it was read whole.
type Parts struct {
	Comments Part `json:"comments"`
	Content  Part `json:"content"`
	Item     Part `json:"item"`
	Labels   Part `json:"labels"`
	Records  Part `json:"records"`
	Reviews  Part `json:"reviews"`
	Threads  Part `json:"threads"`
}

// Part is the completeness of one part, and how many entries were read.
type Part struct {
	Complete bool `json:"complete"`
	Count    int  `json:"count"`
}

// Complete reports whether every part was read whole.
func (p Parts) Complete() bool {
	for _, part := range []Part{p.Comments, p.Content, p.Item, p.Labels, p.Records, p.Reviews, p.Threads} {
		if !part.Complete {
			return false
		}
	}
	return true
}

// Sibling is another open pull request with the same head commit. Conclusion is the own conclusion, which disregards
// siblings, of our App's newest completed check for the same role that was written for that item; nil where there is none.
type Sibling struct {
	Conclusion *string `json:"conclusion"`
	Number     int     `json:"number"`
}
