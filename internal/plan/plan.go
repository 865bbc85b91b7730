package plan

import (
	"fmt"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// Input is the bundle and the Result.
type Input struct {
	Decision contract.Decision
	Policy   contract.Policy
	Apps     contract.Apps
	App      contract.App
	Task     contract.Task
	Result   contract.Result
	// ResultDigest is the digest of result.json's bytes: Effect keys are made from it.
	ResultDigest string
	// Facts are the bundle's, and Ledger is what they hold for the Role: with fresh ones the bodies of a second attempt would differ from
	// those that the first one wrote.
	Facts  contract.Facts
	Ledger ledger.Ledger
	// Diff is the admitted diff.
	Diff *diff.Index
}

// Plan is what apply writes, and why it looks as it does.
type Plan struct {
	// Effects are in the order they are written: by type in the order of contract.EffectTypes, the Result's order within.
	Effects []Effect
	// Findings are the Result's that an Effect posts, in the Result's order.
	Findings []Finding
	// Dispositions are those that an Effect posts, in the order of Effects.
	Dispositions []Disposition
	// Tokens are to be minted in this order, each just before its first use.
	Tokens []Token
	// Unseen are the files that the model was not shown.
	Unseen Unseen
}

// Effect is one write: exactly one of Review, Reply and Resolve is set.
type Effect struct {
	ID, Type string
	// Key is what the write is found again by.
	Key string
	// Needs are the permissions that this write needs of its token.
	Needs map[string]string
	// Token is the purpose of the token that writes it.
	Token string
	// Reason is contract.CodeIdentityCeiling where the App may never hold what the Effect needs, so that it cannot be
	// written; else empty.
	Reason  contract.Code
	Review  *Review
	Reply   *Reply
	Resolve *Resolve
}

// Review is the request of a submit_review.
type Review struct {
	// Commit is always the admitted commit.
	Commit string
	// Event is contract's EventComment, or what the Result asked for, which package refusal then refuses.
	Event string
	Body  string
	// Comments are the new threads in the Result's order.
	Comments []Comment
}

// EventComment is the one event of a review that may be written.
const EventComment = "COMMENT"

// Comment is one line comment of a review.
type Comment struct {
	Path untrusted.Text
	Line int
	Side string
	// StartLine and StartSide are nil unless the comment is on a range of lines, which then ends at Line in the same hunk.
	StartLine *int
	StartSide *string
	Body      string
	// FindingID is the id everywhere but in the Result.
	FindingID string
}

// Reply is the request of a reply_thread. ThreadID and CommentID are empty where the Finding has no thread of ours, which
// package refusal refuses.
type Reply struct {
	FindingID string
	ThreadID  string
	// CommentID is the database id of the thread's first comment, which REST's replies endpoint takes.
	CommentID int64
	Body      string
}

// Resolve is the request of a resolve_thread.
type Resolve struct {
	FindingID string
	ThreadID  string
}

// Finding is where and as what a Finding of the Result is posted.
type Finding struct {
	// ID is the id in the Result; FindingID the one everywhere else. That of a Finding that is open already is the open one's.
	ID, FindingID string
	// Effect is the id of the Effect that posts it.
	Effect             string
	Category, Severity string
	Gates              bool
	// Anchor is nil where the place is not a line of the diff.
	Anchor      *string
	Fingerprint string
	// Placement is contract's PlacementLine, PlacementBody or PlacementAlreadyOpen.
	Placement string
	Path      *untrusted.Text
	// Line, StartLine and Side are nil unless it is placed on a line.
	Line, StartLine *int
	Side            *string
	// Body is the rendered text without its marker, as a finding/1 holds it.
	Body string
	// Why says in our words why it is placed so.
	Why string
}

// Disposition is one half that an Effect posts.
type Disposition struct {
	Effect, Finding, Half, Verdict string
	// Of is the claim that a reviewer half is about, nil in an author half.
	Of *string
}

// Build makes the Plan of a Result. It takes any decoded Result and never panics: what the Result gets wrong, such as an
// unknown reference, is left out here and refused by package refusal. The error is a fault of the configuration: apps/1 does
// not say what a type of Effect needs.
func Build(in Input) (Plan, error) {
	b := newBuilder(in)
	p := Plan{Unseen: UnseenIn(in.Task, in.Facts, in.Diff)}
	for _, kind := range contract.EffectTypes() {
		for _, asked := range in.Result.Effects {
			if asked.Type() != kind {
				continue
			}
			effect, err := b.effect(asked, p.Unseen)
			if err != nil {
				return Plan{}, err
			}
			p.Effects = append(p.Effects, effect)
		}
	}
	p.Findings = b.placedInOrder()
	p.Dispositions = b.dispositions
	tokens, err := assignTokens(p.Effects, in.Apps, in.App)
	if err != nil {
		return Plan{}, err
	}
	p.Tokens = tokens
	return p, nil
}

// Review returns the Plan's first review, or nil.
func (p Plan) Review() *Review {
	for _, effect := range p.Effects {
		if effect.Review != nil {
			return effect.Review
		}
	}
	return nil
}

// builder keeps what the Effects of one Result share.
type builder struct {
	in       Input
	raw      map[string]contract.RawFinding  // the Result's by id, the first of each
	answers  map[string]contract.Disposition // the Result's by Finding, the first of each
	asked    map[string]contract.TaskFinding // the Task's by id
	accepted map[string]bool                 // ids of open Findings that this Result accepts
	text     renderer

	placed       map[string]Finding // by id in the Result
	dispositions []Disposition
}

func newBuilder(in Input) *builder {
	b := &builder{in: in, raw: map[string]contract.RawFinding{}, answers: map[string]contract.Disposition{},
		asked: map[string]contract.TaskFinding{}, accepted: map[string]bool{}, placed: map[string]Finding{},
		text: newRenderer(in.Policy, in.Diff)}
	for _, finding := range in.Result.Findings {
		if _, ok := b.raw[finding.ID]; !ok {
			b.raw[finding.ID] = finding
		}
	}
	for _, disposition := range in.Result.Dispositions {
		if _, ok := b.answers[disposition.Finding]; !ok {
			b.answers[disposition.Finding] = disposition
		}
		if disposition.Reviewer != nil && disposition.Reviewer.Verdict == contract.VerdictAccepted {
			b.accepted[disposition.Finding] = true
		}
	}
	for _, finding := range in.Task.Findings {
		b.asked[finding.ID] = finding
	}
	return b
}

func (b *builder) effect(asked contract.Effect, unseen Unseen) (Effect, error) {
	needs, ok := b.in.Apps.Needs[asked.Type()]
	if !ok {
		return Effect{}, fmt.Errorf("plan %s: apps.json does not say what it needs", asked.Type())
	}
	effect := Effect{ID: asked.ID(), Type: asked.Type(), Needs: needs,
		Key: contract.EffectKey(b.in.Decision.Run, b.in.ResultDigest, asked.ID())}
	switch {
	case asked.SubmitReview != nil:
		effect.Review = b.review(*asked.SubmitReview, effect.Key, unseen)
	case asked.ReplyThread != nil:
		effect.Reply = b.reply(*asked.ReplyThread, effect.Key)
	case asked.ResolveThread != nil:
		effect.Resolve = &Resolve{FindingID: asked.ResolveThread.Finding}
		if open, ok := b.in.Ledger.Finding(asked.ResolveThread.Finding); ok {
			effect.Resolve.ThreadID = open.ThreadID
		}
	}
	return effect, nil
}

// placedInOrder lists the placed Findings in the Result's order.
func (b *builder) placedInOrder() []Finding {
	findings := []Finding{}
	listed := map[string]bool{}
	for _, raw := range b.in.Result.Findings {
		if finding, ok := b.placed[raw.ID]; ok && !listed[raw.ID] {
			findings, listed[raw.ID] = append(findings, finding), true
		}
	}
	return findings
}
