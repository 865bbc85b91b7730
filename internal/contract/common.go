package contract

import "github.com/seed-2ea642bd/airlock/internal/untrusted"

// Kinds of Item.
const PullRequest = "pull_request"

// Item names a work item inside one repository.
type Item struct {
	Kind   string `json:"kind"`
	Number int    `json:"number"`
}

// Repository names a repository: the id is its identity, owner and name are for URLs and display.
type Repository struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Owner string `json:"owner"`
}

// Release is what made a record: a version, a commit of 40 hexadecimal digits, and one digest over the schemas, the
// reason list and the renderer's tables.
type Release struct {
	Commit   string `json:"commit"`
	Contract string `json:"contract"`
	Version  string `json:"version"`
}

// File is one file of a bundle by size in bytes and digest.
type File struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// FileOf describes the bytes of a file.
func FileOf(data []byte) File { return File{Bytes: int64(len(data)), SHA256: Digest(data)} }

// User is an account on GitHub: the id is its identity. Type is "User", "Bot" or "Organization".
type User struct {
	ID    int64          `json:"id"`
	Login untrusted.Text `json:"login"`
	Type  string         `json:"type"`
}

// Limits bound one Run of an Intent. Money is in micro-dollars; characters are Unicode code points.
type Limits struct {
	CostMicrousd   int64 `json:"cost_microusd"`
	Effects        int   `json:"effects"`
	Findings       int   `json:"findings"`
	Seconds        int   `json:"seconds"`
	TextCharacters int   `json:"text_characters"`
}

// Omitted counts what was left out of a Task, one entry per kind of which something was.
type Omitted struct {
	Kind       string `json:"kind"`
	Texts      int    `json:"texts"`
	Files      int    `json:"files"`
	Characters int64  `json:"characters"`
}

// Kinds of [Omitted], in the order they are listed.
const (
	OmittedDiff         = "diff"
	OmittedDiffExcluded = "diff_excluded"
	OmittedOpaque       = "opaque"
	OmittedTitle        = "title"
	OmittedBody         = "body"
	OmittedComment      = "comment"
	OmittedReview       = "review"
	OmittedThread       = "thread"
)

// Usage is what a Run cost. It is a lower bound where Complete is false.
type Usage struct {
	CacheReadTokens  int64 `json:"cache_read_tokens"`
	CacheWriteTokens int64 `json:"cache_write_tokens"`
	Complete         bool  `json:"complete"`
	CostMicrousd     int64 `json:"cost_microusd"`
	InputTokens      int64 `json:"input_tokens"`
	Milliseconds     int64 `json:"milliseconds"`
	OutputTokens     int64 `json:"output_tokens"`
	Requests         int64 `json:"requests"`
}

// MaxBodyBytes is the longest body of a review, a comment or a reply that is sent, its marker included. GitHub documents
// 65,536 characters and does not say of which kind; bytes are never fewer, so below this many every reading of it holds.
const MaxBodyBytes = 65_000

// Trust is who wrote a text. It never means that the text may instruct.
type Trust string

// The trust classes.
const (
	TrustMaintainer Trust = "maintainer"
	TrustRole       Trust = "role"
	TrustAdvisory   Trust = "advisory"
	TrustOutside    Trust = "outside"
)

// Effect types. No other exists.
const (
	SubmitReview  = "submit_review"
	ReplyThread   = "reply_thread"
	ResolveThread = "resolve_thread"
)

// EffectTypes lists the Effect types in the order they are written.
func EffectTypes() []string { return []string{SubmitReview, ReplyThread, ResolveThread} }

// Sides of a diff.
const (
	Left  = "LEFT"
	Right = "RIGHT"
)

// Severities that gate; with category [CategorySecurity] any severity gates.
const (
	SeverityCritical = "critical"
	SeverityMajor    = "major"
	SeverityMinor    = "minor"
	SeverityNote     = "note"
	CategorySecurity = "security"
)

// Gates reports whether a Finding of this category and severity gates.
func Gates(category, severity string) bool {
	return severity == SeverityCritical || severity == SeverityMajor || category == CategorySecurity
}
