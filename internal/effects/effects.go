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
	// Seen is the item as it was read for the refusals. What is found in it is not written, and costs no further call.
	Seen Seen
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
	// Seen is the last look, or the session's where there was none.
	Seen Seen
	// Halted is what the last look says against writing on, the deciding code first; else empty. It may stand beside Effects
	// that all came out: then it stands against the check.
	Halted []contract.Code
	// Err is the error behind the Effect that failed, or behind a look that failed, for the log; nil otherwise.
	Err error
}

// Write writes the plan's Effects. It never returns an error: how each Effect ended stands in the report.
func Write(ctx context.Context, s Session, p plan.Plan) Report {
	w := writing{Session: s, plan: p, used: map[string]bool{}, report: Report{Effects: []contract.AppliedEffect{},
		Findings: []contract.Finding{}, Dispositions: []contract.AppliedDisposition{}, Seen: s.Seen}}
	ended := false
	for _, effect := range p.Effects {
		applied := contract.AppliedEffect{ID: effect.ID, Key: effect.Key, Type: effect.Type, State: contract.StateNotAttempted}
		if !ended {
			ended = !w.one(ctx, effect, &applied)
		}
		w.report.Effects = append(w.report.Effects, applied)
	}
	w.report.Halted = s.Halted(w.report.Seen)
	return w.report
}

// writing is one passage over a plan.
type writing struct {
	Session
	plan   plan.Plan
	report Report
	// used are the purposes whose token was asked for.
	used map[string]bool
	// fresh says that nothing was written, minted or waited for since the last look.
	fresh bool
}

// one brings one Effect to its end, and reports whether the next may be written.
func (w *writing) one(ctx context.Context, effect plan.Effect, applied *contract.AppliedEffect) bool {
	kind := kinds()[effect.Type]
	if done, next := w.settled(kind, effect, applied); done {
		return next
	}
	if effect.Reason != "" {
		return w.end(applied, contract.StateRefused, effect.Reason, nil)
	}
	if permission, lacks := contract.Beyond(kind.needs, effect.Needs); lacks {
		return w.end(applied, contract.StateFailed, contract.CodeIdentityRequest, errors.New("apps.json does not give it "+permission))
	}
	client, err := w.Client(ctx, effect.Token)
	if err != nil {
		return w.end(applied, contract.StateFailed, identity.CodeOf(err), err)
	}
	if !w.used[effect.Token] {
		w.used[effect.Token], w.fresh = true, false
	}
	cleared := false
	for patience := (Patience{}); ; {
		if !w.fresh {
			if err := w.look(ctx, effect, "look"); err != nil {
				return w.end(applied, contract.StateFailed, CodeOf(err), err)
			}
			if done, next := w.settled(kind, effect, applied); done {
				return next
			}
		}
		w.tell(effect, "write")
		w.fresh = false
		err = kind.write(ctx, w.Session, client, effect)
		if pending(err) && kind.retry.pending && !cleared {
			if cleared = w.cleared(ctx, client, effect); cleared {
				continue
			}
		}
		wait, again := patience.Again(err)
		if !again || !kind.retry.mayAgain(err) || w.Sleep(ctx, wait) != nil {
			break
		}
	}
	if err != nil && !kind.retry.mayBeDone(err) {
		return w.refused(ctx, kind, effect, applied, err)
	}
	return w.readBack(ctx, kind, effect, applied, err)
}

// settled reports whether what was seen ends an Effect, either because it is there or because nothing may be written any
// more, and then whether the next may be written.
func (w *writing) settled(kind kind, effect plan.Effect, applied *contract.AppliedEffect) (done, next bool) {
	if there, ok := kind.find(w.Session, w.report.Seen, effect); ok {
		return true, w.claim(kind, effect, there, contract.StateAlreadyApplied, applied)
	}
	if codes := w.Halted(w.report.Seen); len(codes) > 0 && effect.Reason == "" {
		applied.Reason = &codes[0]
		return true, false
	}
	return false, false
}

// cleared takes our own review that was never submitted out of the way. Where that fails the write's own refusal counts.
func (w *writing) cleared(ctx context.Context, client *github.Client, effect plan.Effect) bool {
	w.tell(effect, "clear a pending review")
	free, err := w.clear(ctx, client)
	return free && err == nil
}

// refused ends an Effect that GitHub said it did not do. What refused it may be a change of the item, such as a lock or a
// push that came between the look and the write, so the item is looked at once more for the report.
func (w *writing) refused(ctx context.Context, kind kind, effect plan.Effect, applied *contract.AppliedEffect, cause error) bool {
	if w.look(ctx, effect, "look") == nil {
		if there, ok := kind.find(w.Session, w.report.Seen, effect); ok {
			return w.claim(kind, effect, there, contract.StateApplied, applied)
		}
	}
	return w.end(applied, contract.StateFailed, CodeOf(cause), cause)
}

// readBack looks for what was written, or for what may have been written where the reply was lost. GitHub may show a write
// late, or show it in parts, so only the last look decides that it is missing or another.
func (w *writing) readBack(ctx context.Context, kind kind, effect plan.Effect, applied *contract.AppliedEffect, cause error) bool {
	var there found
	seen := false
	for _, wait := range ReadBackWaits() {
		if wait > 0 && w.Sleep(ctx, wait) != nil {
			break
		}
		if err := w.look(ctx, effect, "read back"); err != nil {
			if cause == nil {
				cause = err
			}
			continue
		}
		if there, seen = kind.find(w.Session, w.report.Seen, effect); !seen {
			continue
		}
		if fields, _ := kind.compare(w.Session, w.report.Seen, effect, there); differing(fields) == "" {
			break
		}
	}
	if seen {
		return w.claim(kind, effect, there, contract.StateApplied, applied)
	}
	return w.end(applied, contract.StateFailed, contract.CodeEffectUnknown, cause)
}

func (w *writing) look(ctx context.Context, effect plan.Effect, step string) error {
	w.tell(effect, step)
	seen, err := w.Look(ctx)
	if err == nil {
		w.report.Seen, w.fresh = seen, true
	}
	return err
}

// claim compares what was found with the plan, and records it only where it is equal.
func (w *writing) claim(kind kind, effect plan.Effect, there found, state string, applied *contract.AppliedEffect) bool {
	applied.NodeID = &there.nodeID
	if there.databaseID != 0 {
		applied.DatabaseID = &there.databaseID
	}
	fields, back := kind.compare(w.Session, w.report.Seen, effect, there)
	if name := differing(fields); name != "" {
		return w.end(applied, contract.StateFailed, contract.CodeReadbackMismatch, errors.New("read back: "+name))
	}
	applied.State, applied.ReadBack = state, &back
	findings, dispositions := kind.record(w.Session, w.report.Seen, w.plan, effect, there)
	w.report.Findings = append(w.report.Findings, findings...)
	w.report.Dispositions = append(w.report.Dispositions, dispositions...)
	return true
}

// end ends the writing with this Effect.
func (w *writing) end(applied *contract.AppliedEffect, state string, code contract.Code, err error) bool {
	applied.State, applied.Reason, w.report.Err = state, &code, err
	return false
}

func (w *writing) tell(effect plan.Effect, step string) {
	if w.Progress != nil {
		w.Progress(effect.ID, step)
	}
}
