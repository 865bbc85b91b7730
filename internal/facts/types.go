package facts

import (
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// Request says what is read.
type Request struct {
	// Owner and Name are where the repository is asked for; RepositoryID is what must answer.
	Owner, Name  string
	RepositoryID int64
	Number       int
	// Role names the check whose conclusion is read for siblings, App whose check it must be.
	Role string
	App  contract.App
	// WorkflowFile is the file name of the workflow whose runs are records, such as "review.yml".
	WorkflowFile string
	// OwnRunID is the workflow run that asks; artifacts are listed only where there is another.
	OwnRunID int64
	// ConfigCommit is the commit the configuration was read at; empty takes the default branch's head as it is now.
	ConfigCommit string
	Now          func() time.Time
}

// Snapshot is what [Read] returns.
type Snapshot struct {
	Facts contract.Facts
	// Diff is the diff exactly as GitHub served it; empty where Facts.Content.State is absent or too_large.
	Diff []byte
	// Policy is the policy file at the default branch's head, read with the conversation; nil where the repository has none.
	Policy []byte
	// Faults say why parts are incomplete, in the order they were met.
	Faults []Fault
}

// Fault is why one part is incomplete. Err never quotes what a stranger wrote.
type Fault struct {
	// Part is the name of a field of facts.parts.
	Part string
	Err  error
}

// Sight is what [Look] returns: the item as it is now.
type Sight struct {
	// Facts holds repository, item, head.commit, base.ref, config_commit, labels, comments, reviews and threads, and
	// their parts. Content, records, label events, siblings, and the rest of head and base are zero, and their parts
	// are incomplete, so that nobody takes them for read.
	Facts contract.Facts
	// Policy is the policy file at the default branch's head; nil where the repository has none.
	Policy []byte
	// Placed are the line comments of all threads, in the order of the threads.
	Placed []Placed
	// Pending are reviews that were not submitted. GitHub shows them to their author only.
	Pending []contract.Review
}

// Placed is one comment of a review thread with the place GitHub gives it.
type Placed struct {
	// ReviewID is the review the comment was posted with, 0 where GitHub names none.
	ReviewID   int64
	DatabaseID int64
	NodeID     string
	// ThreadID is the node id of the thread. Top says that it is the thread's first comment.
	ThreadID string
	Top      bool
	AuthorID int64
	Path     untrusted.Text
	// Side is LEFT or RIGHT. Line is nil where the thread is outdated, StartLine for one line too.
	Side            string
	Line, StartLine *int
	// OriginalCommit is the commit the comment was posted on; it does not move.
	OriginalCommit string
	Body           untrusted.Text
	Edited         bool
}
