package facts

import (
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
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
	// their parts, and the numbers of the siblings without their conclusions. Content, records, label events, and the rest
	// of head and base are zero, and their parts are incomplete, so that nobody takes them for read.
	Facts contract.Facts
	// Policy is the policy file at the default branch's head; nil where the repository has none.
	Policy []byte
}
