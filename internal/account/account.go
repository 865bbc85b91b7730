// Package account says of one Run, for a person or a program, what was asked, what was done, what GitHub showed when it was
// read back, and what it cost. It is a function over records: [Of] makes an [Account] of them, and the step summary of apply
// and the command `airlock show` are two ways to write one.
//
// It promises that every line comes from a record; that of what a model asked for and GitHub never showed only ids, closed
// words, line numbers and names of changed files are in an Account, so that a text which was refused does not leave by being
// reported; that every text of others is written with nothing hidden in it, as code in Markdown; and that what is written under
// a limit of bytes stays under it and says what is left out. It leaves to others which records belong together, and whether
// they are true.
package account

import (
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// Records are what is known of one Run: each is nil where there is none. Applied and Outcome are of one attempt.
type Records struct {
	Decision *contract.Decision
	Task     *contract.Task
	Result   *contract.Result
	Applied  *contract.Applied
	Outcome  *contract.Outcome
	// Changed are the files of the change, as the files API lists them; nil where that is not known.
	Changed []contract.ContentFile
	// Unseen are the names of the changed files that the model was not shown.
	Unseen []untrusted.Text
	// Server is the address of GitHub's pages, such as https://github.com; links are made only of an https address without a
	// path, or of http on loopback.
	Server string
}

// Account is one Run, or one attempt to apply it. What is not known is null or empty, and Absent says which records that is for.
type Account struct {
	Run        string         `json:"run"`
	Attempt    int            `json:"attempt,omitempty"`
	Role       string         `json:"role,omitempty"`
	Intent     string         `json:"intent,omitempty"`
	Repository string         `json:"repository,omitempty"`
	Item       *contract.Item `json:"item"`
	Commit     string         `json:"commit,omitempty"`
	ContentID  string         `json:"content_id,omitempty"`
	Admitted   *bool          `json:"admitted"`
	Carries    *string        `json:"carries"`
	Asked      *Asked         `json:"asked"`
	Status     string         `json:"status,omitempty"`
	Fault      string         `json:"fault,omitempty"`
	Why        []Reason       `json:"why"`
	Check      *Check         `json:"check"`
	GatingOpen []string       `json:"gating_open"`
	Findings   []Finding      `json:"findings"`
	Answers    []Answer       `json:"answers"`
	Effects    []Effect       `json:"effects"`
	Tokens     []Token        `json:"tokens"`
	Calls      *Calls         `json:"calls"`
	Cost       *Cost          `json:"cost"`
	LeftOut    LeftOut        `json:"left_out"`
	Times      Times          `json:"times"`
	Release    *Release       `json:"release"`
	Links      Links          `json:"links"`
	Absent     []string       `json:"absent"`
	Notes      []string       `json:"notes"`
	repository *contract.Repository
	link       linker
}

// Asked is who asked for the Run, and how.
type Asked struct {
	Event    string `json:"event"`
	Action   string `json:"action,omitempty"`
	Again    bool   `json:"again"`
	SenderID int64  `json:"sender_id"`
}

// Release is what made the records.
type Release = contract.Release

// Calls are API calls.
type Calls = contract.Calls

// Reason is a code with what it means and what to do next.
type Reason struct {
	Code     contract.Code `json:"code"`
	Sentence string        `json:"sentence"`
	Next     string        `json:"next"`
}

// Check is the check on the commit. Conclusion is empty where none is to be written; ReadBack says that GitHub showed it.
type Check struct {
	Name        string `json:"name"`
	Conclusion  string `json:"conclusion,omitempty"`
	Commit      string `json:"commit,omitempty"`
	ReadBack    bool   `json:"read_back"`
	DatabaseID  int64  `json:"database_id,omitempty"`
	AuthorAppID int64  `json:"author_app_id,omitempty"`
	URL         string `json:"url,omitempty"`
}

// Times are when what happened.
type Times struct {
	DecidedAt *contract.Time `json:"decided_at"`
	StartedAt *contract.Time `json:"started_at"`
	EndedAt   *contract.Time `json:"ended_at"`
}

// Links are GitHub's pages.
type Links struct {
	Repository string `json:"repository,omitempty"`
	Item       string `json:"item,omitempty"`
	Commit     string `json:"commit,omitempty"`
	Workflow   string `json:"workflow,omitempty"`
}

// Cost is what the model side took. Tokens in are those read, from a cache or not. Engine is nil where it is not known.
type Cost struct {
	contract.Usage
	Engine *contract.Engine `json:"engine"`
}

// LeftOut is what the model was not given. Files names those of the change, in its order, as far as they are known.
type LeftOut struct {
	Kinds []contract.Omitted `json:"kinds"`
	Files []untrusted.Text   `json:"files"`
}

// Of makes the account of one Run.
func Of(r Records) Account {
	a := Account{Why: []Reason{}, GatingOpen: []string{}, Findings: []Finding{}, Answers: []Answer{}, Effects: []Effect{},
		Tokens: []Token{}, LeftOut: LeftOut{Kinds: []contract.Omitted{}, Files: []untrusted.Text{}}, Absent: []string{}, Notes: []string{}}
	a.decided(r)
	a.ended(r)
	a.cost(r)
	a.leftOut(r)
	a.link = linker{server: serverOf(r.Server), repository: a.repository, item: a.Item}
	a.links(r)
	a.effects(r)
	a.findings(r)
	a.answers(r)
	for _, record := range []struct {
		there bool
		kind  string
	}{{r.Decision != nil, "decision/1"}, {r.Result != nil, "result/1"}, {r.Applied != nil, "applied/1"}, {r.Outcome != nil, "outcome/1"}} {
		if !record.there {
			a.Absent = append(a.Absent, record.kind)
		}
	}
	return a
}

// decided takes what was asked for, from the Decision or whatever else names it.
func (a *Account) decided(r Records) {
	switch {
	case r.Decision != nil:
		d := r.Decision
		a.Run, a.Role, a.Intent, a.Commit, a.ContentID = d.Run, d.Role, d.Intent, d.Commit, d.ContentID
		a.repository, a.Repository = &d.Repository, d.Repository.Owner+"/"+d.Repository.Name
		a.Item, a.Admitted, a.Carries, a.Release = &d.Item, &d.Admitted, d.Carries, &d.Release
		a.Asked = &Asked{Event: d.Asked.Event, Action: d.Asked.Action, Again: d.Asked.Again, SenderID: d.Asked.SenderID}
		a.Times.DecidedAt = &d.DecidedAt
		a.why(d.Reasons)
	case r.Task != nil:
		t := r.Task
		a.Run, a.Role, a.Intent, a.Commit, a.ContentID, a.Item, a.Release = t.Run, t.Role, t.Intent, t.Commit, t.ContentID, &t.Item, &t.Release
	case r.Result != nil:
		a.Run, a.Release = r.Result.Run, &r.Result.Release
	}
	if applied := r.Applied; applied != nil {
		a.Run, a.Attempt, a.Release = applied.Run, applied.Attempt, &applied.Release
		a.Calls, a.Times.StartedAt, a.Times.EndedAt = &applied.Calls, &applied.StartedAt, &applied.FinishedAt
		for _, finding := range applied.Findings {
			if a.Item == nil {
				a.Item, a.Role, a.Commit, a.ContentID = &finding.Item, finding.Role, finding.Commit, finding.ContentID
			}
		}
	}
}

// ended takes how the Run ended.
func (a *Account) ended(r Records) {
	o := r.Outcome
	if o == nil {
		return
	}
	a.Run, a.Attempt, a.Status, a.Fault, a.GatingOpen = o.Run, o.Attempt, o.Status, o.Fault, slices.Clone(o.GatingOpen)
	if a.GatingOpen == nil {
		a.GatingOpen = []string{}
	}
	if a.Release == nil {
		a.Release = &o.Release
	}
	if a.Times.DecidedAt == nil {
		a.Times.DecidedAt = &o.Times.DecidedAt
	}
	if a.Times.EndedAt == nil {
		a.Times.EndedAt = &o.Times.AppliedAt
	}
	a.Why = []Reason{}
	a.why(o.Reasons)
	a.Check = &Check{}
	if a.Role != "" {
		a.Check.Name = contract.CheckName(a.Role)
	}
	if o.Conclusion != nil {
		a.Check.Conclusion = *o.Conclusion
	}
	if c := o.Check; c != nil {
		a.Check.Name, a.Check.Commit, a.Check.ReadBack, a.Check.DatabaseID, a.Check.AuthorAppID = c.Name, c.Commit, true, c.DatabaseID, c.AuthorAppID
		a.Check.Conclusion = c.Conclusion
		if a.Commit == "" {
			a.Commit = c.Commit
		}
	}
}

func (a *Account) why(codes []contract.Code) {
	for _, code := range codes {
		a.Why = append(a.Why, reasonOf(code))
	}
}

func reasonOf(code contract.Code) Reason {
	reason, _ := contract.ReasonOf(code)
	return Reason{Code: code, Sentence: reason.Sentence, Next: reason.Next}
}

// cost takes the usage of the Outcome, or where there is none of the Result.
func (a *Account) cost(r Records) {
	if r.Outcome != nil && r.Outcome.Usage != nil {
		a.Cost = &Cost{Usage: *r.Outcome.Usage}
	}
	if r.Result != nil {
		if a.Cost == nil {
			a.Cost = &Cost{Usage: r.Result.Usage}
		}
		a.Cost.Engine = &r.Result.Engine
	}
}

func (a *Account) leftOut(r Records) {
	switch {
	case r.Outcome != nil:
		a.LeftOut.Kinds = append(a.LeftOut.Kinds, r.Outcome.Omitted...)
	case r.Task != nil:
		a.LeftOut.Kinds = append(a.LeftOut.Kinds, r.Task.Omitted...)
	}
	if len(a.LeftOut.Kinds) > 0 {
		a.LeftOut.Files = append(a.LeftOut.Files, r.Unseen...)
	}
}
