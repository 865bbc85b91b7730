package contract

import "github.com/seed-2ea642bd/airlock/internal/untrusted"

// Applied is applied/1: what was written, only from what was read back. Result is nil where there was none.
type Applied struct {
	Schema       string               `json:"schema"`
	Run          string               `json:"run"`
	Release      Release              `json:"release"`
	Attempt      int                  `json:"attempt"`
	Result       *AppliedResult       `json:"result"`
	Effects      []AppliedEffect      `json:"effects"`
	Findings     []Finding            `json:"findings"`
	Dispositions []AppliedDisposition `json:"dispositions"`
	Tokens       []TokenRecord        `json:"tokens"`
	Calls        Calls                `json:"calls"`
	FinishedAt   Time                 `json:"finished_at"`
	StartedAt    Time                 `json:"started_at"`
}

// AppliedResult is the artifact that was applied.
type AppliedResult struct {
	ArtifactID int64  `json:"artifact_id"`
	Bytes      int64  `json:"bytes"`
	SHA256     string `json:"sha256"`
}

// States of an [AppliedEffect].
const (
	StateApplied        = "applied"
	StateAlreadyApplied = "already_applied"
	StateRefused        = "refused"
	StateFailed         = "failed"
	StateNotAttempted   = "not_attempted"
)

// AppliedEffect is the end of one Effect. ReadBack is nil unless it was read back whole.
type AppliedEffect struct {
	DatabaseID *int64    `json:"database_id"`
	ID         string    `json:"id"`
	Key        string    `json:"key"`
	NodeID     *string   `json:"node_id"`
	ReadBack   *ReadBack `json:"read_back"`
	Reason     *Code     `json:"reason"`
	State      string    `json:"state"`
	Type       string    `json:"type"`
}

// ReadBack is what GitHub returned afterwards: exactly one form is set, by the Effect's type.
type ReadBack struct {
	Review  *ReviewReadBack
	Reply   *ReplyReadBack
	Resolve *ResolveReadBack
}

// ReviewReadBack is a review as read back.
type ReviewReadBack struct {
	AuthorID   int64             `json:"author_id"`
	BodySHA256 string            `json:"body_sha256"`
	Comments   []CommentReadBack `json:"comments"`
	Commit     string            `json:"commit"`
	State      string            `json:"state"`
}

// CommentReadBack is one line comment of a review as read back.
type CommentReadBack struct {
	DatabaseID int64          `json:"database_id"`
	Line       int            `json:"line"`
	Path       untrusted.Text `json:"path"`
	Side       string         `json:"side"`
}

// ReplyReadBack is a reply as read back.
type ReplyReadBack struct {
	AuthorID   int64  `json:"author_id"`
	BodySHA256 string `json:"body_sha256"`
	ThreadID   string `json:"thread_id"`
}

// ResolveReadBack is a resolved thread as read back. ResolvedByID is nil where GitHub names nobody, as it does for an App.
type ResolveReadBack struct {
	Resolved     bool   `json:"resolved"`
	ResolvedByID *int64 `json:"resolved_by_id"`
	ThreadID     string `json:"thread_id"`
}

func (r *ReadBack) variant(member func(string) (string, bool)) (any, func()) {
	if _, ok := member("comments"); ok {
		review := &ReviewReadBack{}
		return review, func() { r.Review = review }
	}
	if _, ok := member("resolved"); ok {
		resolve := &ResolveReadBack{}
		return resolve, func() { r.Resolve = resolve }
	}
	reply := &ReplyReadBack{}
	return reply, func() { r.Reply = reply }
}

func (r *ReadBack) members() any {
	switch {
	case r.Review != nil:
		return *r.Review
	case r.Reply != nil:
		return *r.Reply
	case r.Resolve != nil:
		return *r.Resolve
	}
	return nil
}

// Finding is finding/1: a Finding from its own marker and text in what was read back from GitHub.
type Finding struct {
	Schema      string          `json:"schema"`
	Anchor      *string         `json:"anchor"`
	AuthorID    int64           `json:"author_id"`
	Body        untrusted.Text  `json:"body"`
	Category    string          `json:"category"`
	Commit      string          `json:"commit"`
	ContentID   string          `json:"content_id"`
	DatabaseID  int64           `json:"database_id"`
	Fingerprint string          `json:"fingerprint"`
	Gates       bool            `json:"gates"`
	ID          string          `json:"id"`
	Item        Item            `json:"item"`
	Line        *int            `json:"line"`
	NodeID      string          `json:"node_id"`
	Path        *untrusted.Text `json:"path"`
	Placement   string          `json:"placement"`
	ReadAt      Time            `json:"read_at"`
	Role        string          `json:"role"`
	Run         string          `json:"run"`
	Severity    string          `json:"severity"`
	Side        *string         `json:"side"`
	StartLine   *int            `json:"start_line"`
	ThreadID    *string         `json:"thread_id"`
}

// AppliedDisposition is disposition/1: one half that was read back in the text of an Effect.
type AppliedDisposition struct {
	Schema  string  `json:"schema"`
	Effect  string  `json:"effect"`
	Finding string  `json:"finding"`
	Half    string  `json:"half"`
	NodeID  string  `json:"node_id"`
	Of      *string `json:"of"`
	Run     string  `json:"run"`
	Verdict string  `json:"verdict"`
}

// Purposes of a token.
const (
	PurposeEffects = "effects"
	PurposeResolve = "resolve"
	PurposeReport  = "report"
)

// TokenRecord is one installation token that was asked for: what was asked, what was granted, and whether it is known to be revoked.
type TokenRecord struct {
	ExpiresAt    Time              `json:"expires_at"`
	Granted      map[string]string `json:"granted"`
	Purpose      string            `json:"purpose"`
	RepositoryID int64             `json:"repository_id"`
	Requested    map[string]string `json:"requested"`
	Revoked      bool              `json:"revoked"`
}

// Calls counts the API calls of the program.
type Calls struct {
	GraphQL int `json:"graphql"`
	REST    int `json:"rest"`
}
