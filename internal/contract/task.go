package contract

import "github.com/seed-2ea642bd/airlock/internal/untrusted"

// Task is task/1: all that the model is given, and what was left out.
type Task struct {
	Schema           string        `json:"schema"`
	Run              string        `json:"run"`
	Release          Release       `json:"release"`
	Role             string        `json:"role"`
	Intent           string        `json:"intent"`
	Tier             string        `json:"tier"`
	Item             Item          `json:"item"`
	Commit           string        `json:"commit"`
	ContentID        string        `json:"content_id"`
	Limits           Limits        `json:"limits"`
	PermittedEffects []string      `json:"permitted_effects"`
	Categories       []string      `json:"categories"`
	Texts            []TaskText    `json:"texts"`
	Findings         []TaskFinding `json:"findings"`
	Omitted          []Omitted     `json:"omitted"`
	Escaped          Escaped       `json:"escaped"`
}

// Kinds of [TaskText].
const (
	TextDiff    = "diff"
	TextTitle   = "title"
	TextBody    = "body"
	TextComment = "comment"
	TextReview  = "review"
	TextThread  = "thread"
)

// TaskText is one text, labelled by its trust class. Source is the writer's user id, nil for a block quote.
type TaskText struct {
	ID     string         `json:"id"`
	Kind   string         `json:"kind"`
	Source *int64         `json:"source"`
	Text   untrusted.Text `json:"text"`
	Trust  Trust          `json:"trust"`
}

// Placements of a Finding.
const (
	PlacementLine        = "line"
	PlacementBody        = "body"
	PlacementAlreadyOpen = "already_open"
)

// TaskFinding is an open gating Finding that the model must answer. AnchorPresent is nil where there is no anchor.
type TaskFinding struct {
	AnchorPresent *bool           `json:"anchor_present"`
	Answers       []string        `json:"answers"`
	Body          untrusted.Text  `json:"body"`
	Category      string          `json:"category"`
	ID            string          `json:"id"`
	Line          *int            `json:"line"`
	Path          *untrusted.Text `json:"path"`
	Placement     string          `json:"placement"`
	Severity      string          `json:"severity"`
	Side          *string         `json:"side"`
}

// Escaped counts the characters that were made visible in a Task's texts.
type Escaped struct {
	Bidirectional int64 `json:"bidirectional"`
	InvalidUTF8   int64 `json:"invalid_utf8"`
	Invisible     int64 `json:"invisible"`
	Tag           int64 `json:"tag"`
}
