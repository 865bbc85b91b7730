package main

import (
	"github.com/seed-2ea642bd/airlock/internal/apply"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/outcome"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// foreseen is what apply would do, and how the Run would end if GitHub did everything that is asked of it.
type foreseen struct {
	decision contract.Decision
	prepared apply.Prepared
	// standing holds the ids of Effects whose key the item holds already: they would be found, not written again.
	standing map[string]bool
	report   outcome.Report
}

// stands reports whether Effects would be written.
func (f foreseen) stands() bool { return len(f.prepared.Ending) == 0 }

// foresee prepares, and concludes as if every Effect were written and read back as planned. The error is a fault of the
// configuration.
func foresee(m apply.Material) (foreseen, error) {
	prepared, err := apply.Prepare(m)
	if err != nil {
		return foreseen{}, err
	}
	f := foreseen{decision: m.Bundle.Decision, prepared: prepared, standing: map[string]bool{}}
	intent, _ := m.Bundle.Role.Intent(f.decision.Intent)
	in := outcome.Input{Decision: f.decision, Class: intent.Class, Release: m.Release, Attempt: 1, Ended: prepared.Ending, Result: prepared.Result,
		Ledger: prepared.Ledger, Siblings: m.Fresh.Siblings, Reencoded: prepared.Reencoded, AppliedAt: m.Now}
	if !f.decision.Admitted {
		in.Ended = nil
	}
	if prepared.Task != nil {
		in.Task = *prepared.Task
	}
	if f.stands() {
		f.written(&in)
	}
	f.report = outcome.Conclude(in)
	return f, nil
}

// written fills in what the Effects would leave, up to the first that cannot be written.
func (f foreseen) written(in *outcome.Input) {
	p, ended := *f.prepared.Plan, false
	done := map[string]bool{}
	for _, effect := range p.Effects {
		applied := contract.AppliedEffect{ID: effect.ID, Key: effect.Key, Type: effect.Type, State: contract.StateNotAttempted}
		_, review := f.prepared.Ledger.ReviewByKey(effect.Key)
		_, reply := f.prepared.Ledger.DispositionByKey(effect.Key)
		switch {
		case ended:
		case review || reply:
			f.standing[effect.ID], done[effect.ID] = true, true
			applied.State, applied.ReadBack = contract.StateAlreadyApplied, readBackOf(effect)
		case effect.Reason != "":
			reason := effect.Reason
			applied.State, applied.Reason, ended = contract.StateRefused, &reason, true
		default:
			done[effect.ID] = true
			applied.State, applied.ReadBack = contract.StateApplied, readBackOf(effect)
		}
		in.Effects = append(in.Effects, applied)
	}
	for _, finding := range p.Findings {
		if done[finding.Effect] {
			in.Findings = append(in.Findings, contract.Finding{ID: finding.FindingID, Gates: finding.Gates, Placement: finding.Placement,
				Category: finding.Category, Severity: finding.Severity})
		}
	}
	for _, d := range p.Dispositions {
		if done[d.Effect] {
			in.Dispositions = append(in.Dispositions, contract.AppliedDisposition{Effect: d.Effect, Finding: d.Finding, Half: d.Half,
				Verdict: d.Verdict, Of: d.Of, Run: f.decision.Run})
		}
	}
}

// readBackOf has the form of what would be read back; that it is there is all that counts.
func readBackOf(effect plan.Effect) *contract.ReadBack {
	switch {
	case effect.Review != nil:
		return &contract.ReadBack{Review: &contract.ReviewReadBack{}}
	case effect.Reply != nil:
		return &contract.ReadBack{Reply: &contract.ReplyReadBack{}}
	}
	return &contract.ReadBack{Resolve: &contract.ResolveReadBack{Resolved: true}}
}
