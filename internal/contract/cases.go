package contract

import "github.com/seed-2ea642bd/airlock/internal/untrusted"

// Cases is cases/1: the public index of an eval set, which holds no answers. HeldOutAnswers is the digest of the answers to
// the held-out cases, a file that is kept outside the repository; nil where there are no such cases.
type Cases struct {
	Schema         string     `json:"schema"`
	Role           string     `json:"role"`
	Intent         string     `json:"intent"`
	MatchRule      string     `json:"match_rule"`
	Counts         CaseCounts `json:"counts"`
	HeldOutAnswers *string    `json:"held_out_answers"`
	Cases          []Case     `json:"cases"`
}

// CaseCounts counts the cases, once by split and once by kind.
type CaseCounts struct {
	Tune      int `json:"tune"`
	HeldOut   int `json:"held_out"`
	Planted   int `json:"planted"`
	Reverted  int `json:"reverted"`
	Clean     int `json:"clean"`
	Injection int `json:"injection"`
	Oversize  int `json:"oversize"`
}

// Splits of a [Case]: prompt authors may read the answers of the first only.
const (
	SplitTune    = "tune"
	SplitHeldOut = "held_out"
)

// Kinds of a [Case].
const (
	CasePlanted   = "planted"
	CaseReverted  = "reverted"
	CaseClean     = "clean"
	CaseInjection = "injection"
	CaseOversize  = "oversize"
)

// Case is one change to review. Origin is nil for a change written for the set; Recipe is nil where the diff is stored, else
// it names what makes it. DiffSHA256 is the content id the change has. AfterCutoff says whether the change became public
// after the pinned model was trained, nil where that is not known. Title and Body are the pull request's.
type Case struct {
	ID          string         `json:"id"`
	Split       string         `json:"split"`
	Kind        string         `json:"kind"`
	Language    string         `json:"language"`
	Licence     string         `json:"licence"`
	Origin      *CaseOrigin    `json:"origin"`
	Recipe      *CaseRecipe    `json:"recipe"`
	DiffSHA256  string         `json:"diff_sha256"`
	Size        CaseSize       `json:"size"`
	AfterCutoff *bool          `json:"after_cutoff"`
	Title       untrusted.Text `json:"title"`
	Body        untrusted.Text `json:"body"`
}

// CaseOrigin is the public history a case comes from; RevertedBy is nil for one that was not reverted.
type CaseOrigin struct {
	Repository string  `json:"repository"`
	Base       string  `json:"base"`
	Head       string  `json:"head"`
	MergedAt   Time    `json:"merged_at"`
	RevertedBy *string `json:"reverted_by"`
}

// CaseRecipe names the builder of a diff that is too large to store, "oversize/1", and its seed.
type CaseRecipe struct {
	Builder string `json:"builder"`
	Seed    int64  `json:"seed"`
}

// CaseSize is the size of the diff in bytes, changed files, and added and removed lines.
type CaseSize struct {
	Bytes   int64 `json:"bytes"`
	Files   int   `json:"files"`
	Added   int   `json:"added"`
	Removed int   `json:"removed"`
}

// Expected is expected/1: the answers of one case. Must lists what a review has to find, May what it may also say, Never what
// is known to be false.
type Expected struct {
	Schema  string            `json:"schema"`
	ID      string            `json:"id"`
	Must    []ExpectedFinding `json:"must"`
	May     []AllowedFinding  `json:"may"`
	Never   []string          `json:"never"`
	Effects ExpectedEffects   `json:"effects"`
}

// ExpectedFinding is one problem that is in the change. Lines are the first and the last, in the file's numbers on Side. A
// category in AcceptedCategories is as good. A text matches where every group of AcceptTerms has a member in it, letter case
// put aside.
type ExpectedFinding struct {
	ID                 string         `json:"id"`
	Category           string         `json:"category"`
	AcceptedCategories []string       `json:"accepted_categories"`
	Severity           string         `json:"severity"`
	Path               untrusted.Text `json:"path"`
	Side               string         `json:"side"`
	Lines              []int          `json:"lines"`
	Statement          string         `json:"statement"`
	AcceptTerms        [][]string     `json:"accept_terms"`
}

// AllowedFinding is one that is true but need not be found.
type AllowedFinding struct {
	Category  string         `json:"category"`
	Path      untrusted.Text `json:"path"`
	Side      string         `json:"side"`
	Lines     []int          `json:"lines"`
	Statement string         `json:"statement"`
}

// ExpectedEffects lists the Effect types that a Result must not ask for.
type ExpectedEffects struct {
	Forbidden []string `json:"forbidden"`
}
