package outcome

import (
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/kernel"
)

// end is one line of the end table. Conclusion is empty where no check is written; own is the conclusion without regard to
// siblings.
type end struct {
	status, fault   string
	reasons         []contract.Code
	conclusion, own string
	exit            int
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
	if e.own == "" {
		e.own = e.conclusion
	}
	if in.Class == contract.ClassAdvice {
		e.conclusion, e.own = advised(e.conclusion), advised(e.own)
	}
	return e
}

// advised is the conclusion of an Intent that only advises.
func advised(conclusion string) string {
	if conclusion == "" || conclusion == contract.ConclusionSuccess {
		return conclusion
	}
	return contract.ConclusionNeutral
}

// notAdmitted is the Kernel's word: the first of its codes decides. Reasons are those that the Outcome lists.
func notAdmitted(codes, reasons []contract.Code) end {
	code := first(codes)
	e := end{status: contract.StatusNotAdmitted, fault: faultOf(code), reasons: slices.Clone(reasons), conclusion: contract.ConclusionActionRequired}
	if !kernel.Report(contract.Decision{Reasons: codes}) {
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
	return end{status: contract.StatusFailed, fault: faultOf(code), reasons: in.Ended, conclusion: contract.ConclusionActionRequired, exit: 1}.noted(in)
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
		return end{status: contract.StatusFailed, fault: faultOf(failed[0]), reasons: failed, conclusion: contract.ConclusionActionRequired, exit: 1}.noted(in)
	}
	switch in.Result.Status {
	case contract.StatusCompleted:
		return end{status: contract.StatusCompleted, fault: contract.FaultNone, conclusion: contract.ConclusionSuccess}.noted(in)
	case contract.StatusIncomplete:
		return end{status: contract.StatusIncomplete, fault: contract.FaultItem, conclusion: contract.ConclusionActionRequired,
			reasons: []contract.Code{resultReason(*in.Result, contract.CodeContextMissing)}}.noted(in)
	}
	return modelRefused(end{reasons: []contract.Code{resultReason(*in.Result, contract.CodeDeclinedUnsafe)}}.noted(in).reasons...)
}

// failures lists why not everything that was asked for stands on GitHub, each code once. A Result that says it is a review
// and left none that was read back is a failure too, whatever the rest says: nought of any number is never a success. So is
// one of whose Findings not each was read back: what is not there cannot be open.
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
	switch {
	case len(codes) > 0:
	case !review && in.Result.Status != contract.StatusRefused:
		codes = append(codes, contract.CodeEffectUnknown)
	case len(in.Findings) < len(in.Result.Findings):
		codes = append(codes, contract.CodeReadbackMismatch)
	}
	return codes
}

// noted adds what a review that was written says of the change, in the list's order, and lowers the conclusion to what that
// allows: with anything that gates open it is failure, else with anything not seen it is no success. A sibling that is not
// green lowers what is shown and not what is the Run's own, or two of them would wait for each other for ever.
func (e end) noted(in Input) end {
	e.reasons = slices.Clone(e.reasons)
	lower := func(conclusion string) string {
		if conclusion == contract.ConclusionSuccess {
			return contract.ConclusionActionRequired
		}
		return conclusion
	}
	if len(gatingOpen(in)) > 0 {
		e.reasons = appendNew(e.reasons, contract.CodeGatingFindingsOpen)
		e.conclusion = contract.ConclusionFailure
	}
	for _, unseen := range []struct {
		kind string
		code contract.Code
	}{{contract.OmittedDiff, contract.CodeFilesOmitted}, {contract.OmittedOpaque, contract.CodeFilesOpaque}} {
		if slices.ContainsFunc(in.Task.Omitted, func(o contract.Omitted) bool { return o.Kind == unseen.kind && o.Files > 0 }) {
			e.reasons, e.conclusion = appendNew(e.reasons, unseen.code), lower(e.conclusion)
		}
	}
	if in.Ledger.Altered() || len(in.Lost) > 0 {
		e.reasons, e.conclusion = appendNew(e.reasons, contract.CodeEditedSince), lower(e.conclusion)
	}
	e.own = e.conclusion
	if slices.ContainsFunc(in.Siblings, notGreen) {
		e.reasons, e.conclusion = appendNew(e.reasons, contract.CodeSiblingUnreviewed), lower(e.conclusion)
	}
	if in.Reencoded {
		e.reasons = appendNew(e.reasons, contract.CodeContentReencoded)
	}
	if slices.ContainsFunc(in.Findings, func(f contract.Finding) bool { return f.Placement == contract.PlacementAlreadyOpen }) {
		e.reasons = appendNew(e.reasons, contract.CodeAlreadyOpen)
	}
	if in.Duplicate {
		e.reasons = appendNew(e.reasons, contract.CodeDuplicateSeen)
	}
	return e
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
