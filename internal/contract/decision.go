package contract

import "github.com/seed-2ea642bd/airlock/internal/untrusted"

// Decision is decision/1: admit or not, for one Role's Intent on one content id. Reasons is empty exactly when Admitted;
// else it holds every reason that holds, in the Kernel's order. Carries names an earlier Run of the same content.
type Decision struct {
	Schema       string         `json:"schema"`
	Run          string         `json:"run"`
	Admitted     bool           `json:"admitted"`
	Reasons      []Code         `json:"reasons"`
	Carries      *string        `json:"carries"`
	Role         string         `json:"role"`
	Intent       string         `json:"intent"`
	Item         Item           `json:"item"`
	Repository   Repository     `json:"repository"`
	Commit       string         `json:"commit"`
	ContentID    string         `json:"content_id"`
	BaseRef      untrusted.Text `json:"base_ref"`
	ConfigCommit string         `json:"config_commit"`
	Asked        Asked          `json:"asked"`
	Workflow     Workflow       `json:"workflow"`
	DecidedAt    Time           `json:"decided_at"`
	Release      Release        `json:"release"`
	Inputs       Inputs         `json:"inputs"`
	FilesDigest  string         `json:"files_digest"`
}

// Asked is who asked for the Run and how. Action is empty for an event without one. Again is a request to review the same content once more.
type Asked struct {
	Action   string `json:"action"`
	Again    bool   `json:"again"`
	Event    string `json:"event"`
	SenderID int64  `json:"sender_id"`
}

// Workflow is the workflow run and attempt in which decide ran.
type Workflow struct {
	Attempt int    `json:"attempt"`
	Path    string `json:"path"`
	RunID   int64  `json:"run_id"`
}

// Inputs are the files of the bundle beside the Decision.
type Inputs struct {
	Apps     File `json:"apps"`
	Diff     File `json:"diff"`
	Facts    File `json:"facts"`
	Harness  File `json:"harness"`
	Manifest File `json:"manifest"`
	Policy   File `json:"policy"`
	Prompt   File `json:"prompt"`
}
