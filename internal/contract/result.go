package contract

import "github.com/seed-2ea642bd/airlock/internal/untrusted"

// Statuses of a Result. A model may answer with any but [StatusFailed], which is the harness's own.
const (
	StatusCompleted  = "completed"
	StatusIncomplete = "incomplete"
	StatusRefused    = "refused"
	StatusFailed     = "failed"
)

// Answer is what the model answers: result/1 without the harness's own fields.
type Answer struct {
	Status       string        `json:"status"`
	Reason       *string       `json:"reason"`
	Findings     []RawFinding  `json:"findings"`
	Dispositions []Disposition `json:"dispositions"`
	Effects      []Effect      `json:"effects"`
}

// Result is result/1: the model's validated answer and how it was got. A failed one has empty lists.
type Result struct {
	Schema  string  `json:"schema"`
	Run     string  `json:"run"`
	Release Release `json:"release"`
	Task    string  `json:"task"`
	Engine  Engine  `json:"engine"`
	Usage   Usage   `json:"usage"`
	Answer
}

// Modes of an [Engine]: a vendor's model was asked, a recorded answer was replayed, or a CLI asked at an address of its own
// machine, which is for tests.
const (
	ModeLive    = "live"
	ModeReplay  = "replay"
	ModeStandIn = "stand_in"
)

// Engine is which CLI answered, in one of the modes. Binary, Session and Version are nil where there was none
// (a replay, or a failure before it was known).
type Engine struct {
	Binary     *string `json:"binary"`
	Credential string  `json:"credential"`
	Mode       string  `json:"mode"`
	Model      string  `json:"model"`
	Name       string  `json:"name"`
	Sandbox    string  `json:"sandbox"`
	Session    *string `json:"session"`
	Version    *string `json:"version"`
}

// RawFinding is a Finding as the model states it; [Finding] is one as it was read back from GitHub.
type RawFinding struct {
	Category  string          `json:"category"`
	ID        string          `json:"id"`
	Line      *int            `json:"line"`
	Path      *untrusted.Text `json:"path"`
	Severity  string          `json:"severity"`
	Side      *string         `json:"side"`
	StartLine *int            `json:"start_line"`
	Text      untrusted.Text  `json:"text"`
	Title     untrusted.Text  `json:"title"`
}

// Disposition answers an open Finding by exactly one half.
type Disposition struct {
	Finding  string        `json:"finding"`
	Author   *AuthorHalf   `json:"author"`
	Reviewer *ReviewerHalf `json:"reviewer"`
}

// Verdicts of the author half.
const (
	VerdictFixed    = "fixed"
	VerdictDeclined = "declined"
	VerdictDeferred = "deferred"
)

// Verdicts of the reviewer half.
const (
	VerdictAccepted = "accepted"
	VerdictRejected = "rejected"
)

// AuthorHalf is the author's claim.
type AuthorHalf struct {
	Text    untrusted.Text `json:"text"`
	Verdict string         `json:"verdict"`
}

// ReviewerHalf is the reviewer's verdict on a claim, resting on a text of the Task.
type ReviewerHalf struct {
	Evidence string         `json:"evidence"`
	Of       string         `json:"of"`
	Text     untrusted.Text `json:"text"`
	Verdict  string         `json:"verdict"`
}

// Effect is one typed write that a Result asks for: exactly one of the three forms is set.
type Effect struct {
	SubmitReview  *SubmitReviewEffect
	ReplyThread   *ThreadEffect
	ResolveThread *ThreadEffect
}

// SubmitReviewEffect asks for the review: Threads and Listed hold Finding ids, Answers ids of open Findings.
type SubmitReviewEffect struct {
	Answers []string       `json:"answers"`
	Body    untrusted.Text `json:"body"`
	Event   string         `json:"event"`
	ID      string         `json:"id"`
	Listed  []string       `json:"listed"`
	Threads []string       `json:"threads"`
	Type    string         `json:"type"`
}

// ThreadEffect asks for a reply in, or the resolving of, the thread of an open Finding.
type ThreadEffect struct {
	Finding string `json:"finding"`
	ID      string `json:"id"`
	Type    string `json:"type"`
}

// ID returns the Effect's id in its Result, "e1" and so on.
func (e Effect) ID() string {
	if e.SubmitReview != nil {
		return e.SubmitReview.ID
	}
	return e.thread().ID
}

// Type returns one of [EffectTypes].
func (e Effect) Type() string {
	if e.SubmitReview != nil {
		return e.SubmitReview.Type
	}
	return e.thread().Type
}

// Finding returns the Finding that a thread Effect is about, or "".
func (e Effect) Finding() string { return e.thread().Finding }

func (e Effect) thread() ThreadEffect {
	switch {
	case e.ReplyThread != nil:
		return *e.ReplyThread
	case e.ResolveThread != nil:
		return *e.ResolveThread
	}
	return ThreadEffect{}
}

func (e *Effect) variant(member func(string) (string, bool)) (any, func()) {
	kind, _ := member("type")
	switch kind {
	case SubmitReview:
		review := &SubmitReviewEffect{}
		return review, func() { e.SubmitReview = review }
	case ReplyThread:
		reply := &ThreadEffect{}
		return reply, func() { e.ReplyThread = reply }
	case ResolveThread:
		resolve := &ThreadEffect{}
		return resolve, func() { e.ResolveThread = resolve }
	}
	return nil, nil
}

func (e *Effect) members() any {
	switch {
	case e.SubmitReview != nil:
		return *e.SubmitReview
	case e.ReplyThread != nil:
		return *e.ReplyThread
	case e.ResolveThread != nil:
		return *e.ResolveThread
	}
	return nil
}
