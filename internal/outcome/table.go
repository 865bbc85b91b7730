package outcome

import (
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// end is one line of the end table. Conclusion is empty where no check is written.
type end struct {
	status, fault string
	reasons       []contract.Code
	conclusion    string
	exit          int
}

// decide finds the line of the end table, as a gate has it, and softens it for an Intent that only advises.
func decide(in Input) end {
	var e end
	switch {
	case !in.Decision.Admitted && first(in.Decision.Reasons) == contract.CodeAlreadyRan:
		e = carried(in)
	case !in.Decision.Admitted:
		e = notAdmitted(in.Decision.Reasons, in.Decision.Reasons)
	case len(in.Ended) > 0:
		e = endedEarly(in)
	case in.Result == nil:
		e = noReview(contract.CodeArtifactMissing)
	case in.Result.Status == contract.StatusFailed:
		e = failedResult(*in.Result)
	default:
		e = written(in)
	}
	if in.Class == contract.ClassAdvice && e.conclusion != "" && e.conclusion != contract.ConclusionSuccess {
		e.conclusion = contract.ConclusionNeutral
	}
	return e
}

// notAdmitted is the Kernel's word, whose first reason decides; reasons are those that the Outcome lists.
func notAdmitted(kernel, reasons []contract.Code) end {
	code := first(kernel)
	e := end{status: contract.StatusNotAdmitted, fault: faultOf(code), reasons: slices.Clone(reasons), conclusion: contract.ConclusionActionRequired}
	switch code {
	case contract.CodeItemClosed, contract.CodeOwnEvent, contract.CodeRunInFlight:
		e.conclusion = ""
	}
	if e.fault == contract.FaultConfiguration || e.fault == contract.FaultPlatform {
		e.exit = 1
	}
	return e
}

// endedEarly is a Run that ended before all its Effects were tried.
func endedEarly(in Input) end {
	code := first(in.Ended)
	reason, _ := contract.ReasonOf(code)
	switch reason.Stage {
	case contract.StageKernel:
		return notAdmitted(in.Ended, in.Ended)
	case contract.StageSuperseded:
		return superseded(in.Ended)
	case contract.StageRefusal:
		return end{status: contract.StatusRefused, fault: contract.FaultItem, reasons: slices.Clone(in.Ended),
			conclusion: contract.ConclusionActionRequired, exit: 1}
	case contract.StageArtifact:
		return noReview(in.Ended...)
	}
	e := end{status: contract.StatusFailed, fault: faultOf(code), conclusion: contract.ConclusionActionRequired, exit: 1}
	e.reasons, e.conclusion = withNotes(in, in.Ended, e.conclusion)
	return e
}

// superseded: a draft is to be marked ready by a person, like a hold is to be lifted, so it has a check too.
func superseded(codes []contract.Code) end {
	e := end{status: contract.StatusSuperseded, fault: contract.FaultSuperseded, reasons: slices.Clone(codes), conclusion: contract.ConclusionActionRequired}
	switch first(codes) {
	case contract.CodeNotAdmitted:
		return notAdmitted(codes[1:], codes)
	case contract.CodeSupersededClosed, contract.CodeSupersededChanged, contract.CodeSupersededReviewed:
		e.conclusion = ""
	}
	return e
}

// noReview: there is no Result, or what there is cannot be taken for one. Whatever the code says of the item, the fault is
// the model side's or its configuration's.
func noReview(codes ...contract.Code) end {
	fault := contract.FaultEngine
	if faultOf(first(codes)) == contract.FaultConfiguration {
		fault = contract.FaultConfiguration
	}
	return end{status: contract.StatusFailed, fault: fault, reasons: slices.Clone(codes), conclusion: contract.ConclusionActionRequired, exit: 1}
}

// failedResult: the vendor stopping an answer is the model refusing, in other words than its own.
func failedResult(result contract.Result) end {
	code := resultReason(result, contract.CodeEngineOther)
	if code == contract.CodeModelRefused {
		return modelRefused(code)
	}
	return noReview(code)
}

func modelRefused(reasons ...contract.Code) end {
	return end{status: contract.StatusRefused, fault: contract.FaultItem, reasons: reasons, conclusion: contract.ConclusionActionRequired}
}

// written is a Run whose Effects were all tried.
func written(in Input) end {
	if failed := failures(in); len(failed) > 0 {
		e := end{status: contract.StatusFailed, fault: faultOf(failed[0]), exit: 1}
		e.reasons, e.conclusion = withNotes(in, failed, contract.ConclusionActionRequired)
		return e
	}
	var e end
	switch in.Result.Status {
	case contract.StatusCompleted:
		e = end{status: contract.StatusCompleted, fault: contract.FaultNone}
		e.reasons, e.conclusion = withNotes(in, nil, contract.ConclusionSuccess)
	case contract.StatusIncomplete:
		e = end{status: contract.StatusIncomplete, fault: contract.FaultItem}
		e.reasons, e.conclusion = withNotes(in, []contract.Code{resultReason(*in.Result, contract.CodeContextMissing)}, contract.ConclusionActionRequired)
	default:
		reasons, _ := withNotes(in, []contract.Code{resultReason(*in.Result, contract.CodeDeclinedUnsafe)}, contract.ConclusionActionRequired)
		e = modelRefused(reasons...)
	}
	return e
}

// failures lists why not everything that was asked for stands on GitHub, each code once. A Result that says it is a review
// and left none that was read back is a failure too, whatever the rest says: nought of any number is never a success.
func failures(in Input) []contract.Code {
	var codes []contract.Code
	review := false
	for _, effect := range in.Effects {
		done := effect.State == contract.StateApplied || effect.State == contract.StateAlreadyApplied
		switch {
		case done && effect.ReadBack == nil:
			codes = appendNew(codes, contract.CodeReadbackMismatch)
		case done:
			review = review || effect.ReadBack.Review != nil
		case effect.Reason != nil:
			codes = appendNew(codes, *effect.Reason)
		case effect.State != contract.StateNotAttempted:
			codes = appendNew(codes, contract.CodePlatformError)
		}
	}
	if len(codes) == 0 && !review && in.Result.Status != contract.StatusRefused {
		codes = append(codes, contract.CodeEffectUnknown)
	}
	return codes
}

// withNotes adds what a review that was written says of the change, in the list's order, and lowers the conclusion to what
// that allows: with anything that gates open it is failure, else with anything not seen or a sibling not green it is no success.
func withNotes(in Input, reasons []contract.Code, conclusion string) ([]contract.Code, string) {
	notes := slices.Clone(reasons)
	lower := func(code contract.Code) {
		notes = appendNew(notes, code)
		if conclusion == contract.ConclusionSuccess {
			conclusion = contract.ConclusionActionRequired
		}
	}
	if len(GatingOpen(in.Ledger, in.Findings, in.Dispositions)) > 0 {
		notes = appendNew(notes, contract.CodeGatingFindingsOpen)
		conclusion = contract.ConclusionFailure
	}
	for _, omitted := range in.Task.Omitted {
		if omitted.Kind == contract.OmittedDiff && omitted.Files > 0 {
			lower(contract.CodeFilesOmitted)
		}
	}
	for _, omitted := range in.Task.Omitted {
		if omitted.Kind == contract.OmittedOpaque && omitted.Files > 0 {
			lower(contract.CodeFilesOpaque)
		}
	}
	if slices.ContainsFunc(in.Siblings, notGreen) {
		lower(contract.CodeSiblingUnreviewed)
	}
	if in.Reencoded {
		notes = appendNew(notes, contract.CodeContentReencoded)
	}
	if slices.ContainsFunc(in.Findings, func(f contract.Finding) bool { return f.Placement == contract.PlacementAlreadyOpen }) {
		notes = appendNew(notes, contract.CodeAlreadyOpen)
	}
	return notes, conclusion
}

// notGreen: a check stands on a commit, not on a pull request, so a green one here is seen on every sibling.
func notGreen(sibling contract.Sibling) bool {
	return sibling.Conclusion == nil || *sibling.Conclusion != contract.ConclusionSuccess
}

func first(codes []contract.Code) contract.Code {
	if len(codes) == 0 {
		return ""
	}
	return codes[0]
}

// faultOf is the side a code lies on; one that is not on the list is ours.
func faultOf(code contract.Code) string {
	reason, ok := contract.ReasonOf(code)
	if !ok {
		return contract.FaultPlatform
	}
	return reason.Fault
}

// resultReason is the reason of a Result as a code. A Result's schema lets no other words through; where one came anyhow it
// is not repeated.
func resultReason(result contract.Result, otherwise contract.Code) contract.Code {
	if result.Reason == nil {
		return otherwise
	}
	if _, ok := contract.ReasonOf(contract.Code(*result.Reason)); !ok {
		return otherwise
	}
	return contract.Code(*result.Reason)
}

func appendNew(codes []contract.Code, code contract.Code) []contract.Code {
	if slices.Contains(codes, code) {
		return codes
	}
	return append(codes, code)
}
