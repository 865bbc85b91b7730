// Package effects writes the Effects of a plan, each exactly once as far as one process can: looked for by its key before it
// is written, written by one request, and claimed only from what is read back and equal. One file an Effect type.
//
// The order is the plan's. The first Effect that does not come out ends the writing; what was written stays and is
// recorded, and running again goes on from there. Hold, pause, close, lock and head are looked at again before each write.
package effects

import (
	"context"
	"errors"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/identity"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// Seen is one look at the item: the discussion's part of its facts, and the policy at the default branch's head.
type Seen struct {
	Facts  contract.Facts
	Policy contract.Policy
	Ledger ledger.Ledger
}

// Session is what writing needs.
type Session struct {
	Decision contract.Decision
	App      contract.App
	// Look reads the item afresh; one API call.
	Look func(context.Context) (Seen, error)
	// Client returns the client of the token with this purpose, minting it at its first use.
	Client func(ctx context.Context, purpose string) (*github.Client, error)
	// Halted says why nothing more may be written, the deciding code first; empty where nothing stands against it.
	Halted func(Seen) []contract.Code
	Sleep  func(context.Context, time.Duration) error
	// Progress is told of each step in our words.
	Progress func(effect, step string)
}

// Report is how the writing ended.
type Report struct {
	Effects      []contract.AppliedEffect
	Findings     []contract.Finding
	Dispositions []contract.AppliedDisposition
	// Seen is the last look, nil where there was none.
	Seen *Seen
	// Halted is why the writing ended before its end because the item changed, the deciding code first; else empty.
	Halted []contract.Code
	// Err is the error behind the Effect that failed, or behind a look that failed, for the log; nil otherwise.
	Err error
}

// kind is one Effect type.
type kind interface {
	// find returns the Effect as it stands in what was read, found by its key; false where it does not.
	find(s Session, seen Seen, effect plan.Effect) (found, bool)
	// write makes the one request.
	write(ctx context.Context, s Session, client *github.Client, effect plan.Effect) error
	// record returns what an Effect that was found and compared adds to the records.
	record(s Session, seen Seen, p plan.Plan, effect plan.Effect, at contract.Time) ([]contract.Finding, []contract.AppliedDisposition)
}

// found is an Effect as it was read.
type found struct {
	databaseID int64
	nodeID     string
	readBack   contract.ReadBack
	// differs names in our words the first field that is not what the plan says, or is "".
	differs string
}

// kinds lists the Effect types.
func kinds() map[string]kind {
	return map[string]kind{
		contract.SubmitReview:  reviewKind{},
		contract.ReplyThread:   replyKind{},
		contract.ResolveThread: resolveKind{},
	}
}

// Write writes the plan's Effects. It never returns an error: how each Effect ended stands in the report.
func Write(ctx context.Context, s Session, p plan.Plan) Report {
	report := Report{Effects: []contract.AppliedEffect{}, Findings: []contract.Finding{}, Dispositions: []contract.AppliedDisposition{}}
	ended := false
	for _, effect := range p.Effects {
		applied := contract.AppliedEffect{ID: effect.ID, Key: effect.Key, Type: effect.Type, State: contract.StateNotAttempted}
		if !ended {
			ended = !s.one(ctx, p, effect, &applied, &report)
		}
		report.Effects = append(report.Effects, applied)
	}
	return report
}

// one brings one Effect to its end, and reports whether the next may be written.
func (s Session) one(ctx context.Context, p plan.Plan, effect plan.Effect, applied *contract.AppliedEffect, report *Report) bool {
	end := func(state string, code contract.Code, err error) bool {
		applied.State, applied.Reason, report.Err = state, &code, err
		return false
	}
	kind := kinds()[effect.Type]
	if report.Seen == nil {
		s.tell(effect, "look")
		seen, err := s.Look(ctx)
		if err != nil {
			return end(contract.StateFailed, CodeOf(err), err)
		}
		report.Seen = &seen
	}
	if there, ok := kind.find(s, *report.Seen, effect); ok {
		return s.claim(p, effect, there, contract.StateAlreadyApplied, applied, report)
	}
	if effect.Reason != "" {
		return end(contract.StateRefused, effect.Reason, nil)
	}
	if codes := s.Halted(*report.Seen); len(codes) > 0 {
		report.Halted = codes
		applied.Reason = &codes[0]
		return false
	}
	client, err := s.Client(ctx, effect.Token)
	if err != nil {
		return end(contract.StateFailed, identity.CodeOf(err), err)
	}
	s.tell(effect, "write")
	writeErr := s.write(ctx, client, kind, effect)
	if writeErr != nil && !github.ClassOf(writeErr).OutcomeUnknown() {
		return end(contract.StateFailed, CodeOf(writeErr), writeErr)
	}
	s.tell(effect, "read back")
	for _, wait := range readBackWaits() {
		if wait > 0 && s.Sleep(ctx, wait) != nil {
			break
		}
		seen, err := s.Look(ctx)
		if err != nil {
			report.Err = err
			continue
		}
		report.Seen = &seen
		if there, ok := kind.find(s, seen, effect); ok {
			return s.claim(p, effect, there, contract.StateApplied, applied, report)
		}
	}
	if writeErr == nil {
		writeErr = report.Err
	}
	return end(contract.StateFailed, contract.CodeEffectUnknown, writeErr)
}

// readBackWaits are the waits before each look after a write: GitHub answers 404 for some seconds after it wrote.
func readBackWaits() []time.Duration {
	return []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
}

// write sends the request. An answer that says that nothing was done is tried again where waiting may help: a token that
// was minted seconds ago may not be known everywhere yet, and a rate limit names its wait.
func (s Session) write(ctx context.Context, client *github.Client, kind kind, effect plan.Effect) error {
	waited := false
	for attempt := 0; ; attempt++ {
		err := kind.write(ctx, s, client, effect)
		var failure *github.Error
		if err == nil || !errors.As(err, &failure) {
			return err
		}
		var wait time.Duration
		switch {
		case (failure.Class == github.ClassUnauthorized || failure.Class == github.ClassPermissionDenied) && attempt < 3:
			wait = time.Second << attempt
		case failure.Class == github.ClassRateLimited && !waited && failure.RetryAfter <= time.Minute:
			waited, wait = true, max(failure.RetryAfter, time.Second)
		default:
			return err
		}
		if s.Sleep(ctx, wait) != nil {
			return err
		}
	}
}

// claim compares what was found with the plan, and records it only where it is equal.
func (s Session) claim(p plan.Plan, effect plan.Effect, there found, state string, applied *contract.AppliedEffect, report *Report) bool {
	applied.DatabaseID, applied.NodeID, applied.ReadBack = &there.databaseID, &there.nodeID, &there.readBack
	if there.databaseID == 0 {
		applied.DatabaseID = nil
	}
	if there.differs != "" {
		code := contract.CodeReadbackMismatch
		applied.State, applied.Reason = contract.StateFailed, &code
		report.Err = errors.New("read back: " + there.differs)
		return false
	}
	applied.State = state
	findings, dispositions := kinds()[effect.Type].record(s, *report.Seen, p, effect, report.Seen.Facts.ReadAt)
	report.Findings = append(report.Findings, findings...)
	report.Dispositions = append(report.Dispositions, dispositions...)
	return true
}

func (s Session) tell(effect plan.Effect, step string) {
	if s.Progress != nil {
		s.Progress(effect.ID, step)
	}
}

// CodeOf turns the failure of a call into a reason.
func CodeOf(err error) contract.Code {
	switch github.ClassOf(err) {
	case github.ClassPermissionDenied, github.ClassUnauthorized, github.ClassNotFound:
		return contract.CodePermissionDenied
	case github.ClassLocked:
		return contract.CodeItemLocked
	case github.ClassRateLimited:
		return contract.CodeRateLimited
	case github.ClassInvalid, github.ClassConflict:
		if pending(err) {
			return contract.CodeReviewPending
		}
		return contract.CodeEffectRejected
	}
	return contract.CodePlatformError
}
