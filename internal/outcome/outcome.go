package outcome

import (
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
)

// Input is how far a Run came. What it did not come to is left at its zero value.
type Input struct {
	Decision contract.Decision
	// Class is the Intent's; anything but contract.ClassAdvice, such as that of an unknown Intent, is held to a gate's rules.
	Class   string
	Release contract.Release
	// Attempt is this workflow run's attempt, which may be later than decide's.
	Attempt int
	// Ended are the codes that ended the Run before all its Effects were tried, the deciding one first: of the artifact, of
	// refusal.Ending or refusal.Refusal, or of stage effect, such as a mint that failed. Empty where they all were tried, and
	// for a Decision that does not admit, whose own reasons count.
	Ended []contract.Code
	// Result is nil where there is none.
	Result *contract.Result
	// Task is the one rebuilt; its omitted list counts.
	Task contract.Task
	// Effects, Findings and Dispositions are as in applied/1.
	Effects      []contract.AppliedEffect
	Findings     []contract.Finding
	Dispositions []contract.AppliedDisposition
	// Ledger is of the facts read last: after the last write, or where those could not be read, before the first.
	Ledger ledger.Ledger
	// Lost are the ids of Findings that the check of an earlier Run has as open and that are not there any more; see [Lost].
	Lost []string
	// Siblings are of the facts read last.
	Siblings []contract.Sibling
	// Reencoded is refusal.Ending's.
	Reencoded bool
	// Duplicate says that an Effect of this Run was read back more than once.
	Duplicate bool
	AppliedAt contract.Time
}

// Report is the end of a Run.
type Report struct {
	// Outcome lacks Check alone, which is filled with what is read back: see CheckWritten and CheckFailed.
	Outcome contract.Outcome
	// ExitCode is the program's, 0 or 1.
	ExitCode int
	// Check is the check to write on the admitted commit, nil where none is written.
	Check *Check
}

// Check is the request of a check.
type Check struct {
	Name, Commit, Conclusion string
	// Own is the conclusion without regard to siblings. The check must carry it, because it is what the Run of a sibling asks
	// of this one: were it asked for Conclusion, two pull requests of one head commit would wait for each other for ever.
	Own string
	// Title is at most 255 bytes, Summary at most 60,000.
	Title, Summary string
}

// Conclude decides how a Run ended.
func Conclude(in Input) Report {
	end := decide(in)
	out := contract.Outcome{Schema: "outcome/1", Run: in.Decision.Run, Release: in.Release, Attempt: in.Attempt,
		Status: end.status, Fault: end.fault, Reasons: end.reasons, GatingOpen: gatingOpen(in),
		Effects: counts(in.Effects), Omitted: in.Task.Omitted,
		Times: contract.OutcomeTimes{AppliedAt: in.AppliedAt, DecidedAt: in.Decision.DecidedAt}}
	if out.Omitted == nil {
		out.Omitted = []contract.Omitted{}
	}
	if out.Reasons == nil {
		out.Reasons = []contract.Code{}
	}
	if in.Result != nil {
		usage := in.Result.Usage
		out.Usage = &usage
	}
	report := Report{Outcome: out, ExitCode: end.exit}
	if end.conclusion != "" {
		conclusion := end.conclusion
		report.Outcome.Conclusion = &conclusion
		report.Check = &Check{Name: contract.CheckName(in.Decision.Role), Commit: in.Decision.Commit, Conclusion: conclusion, Own: end.own}
		report.Check.Title, report.Check.Summary = title(report.Outcome), summary(report.Outcome)
	}
	return report
}

// CheckWritten records the check that was read back.
func (r Report) CheckWritten(record contract.CheckRecord) Report {
	r.Outcome.Check = &record
	return r
}

// CheckFailed records that the check could not be written or not be read back, by a code of stage effect. The Run then
// failed whatever it did before, because its word did not reach the commit.
func (r Report) CheckFailed(code contract.Code) Report {
	r.Outcome.Check, r.Outcome.Conclusion = nil, nil
	r.Outcome.Status, r.Outcome.Fault = contract.StatusFailed, faultOf(code)
	r.Outcome.Reasons = append([]contract.Code{code}, slices.DeleteFunc(slices.Clone(r.Outcome.Reasons), func(c contract.Code) bool { return c == code })...)
	r.ExitCode = 1
	return r
}

// gatingOpen adds to [GatingOpen] the Findings that were lost: nobody settled them.
func gatingOpen(in Input) []string {
	open := GatingOpen(in.Ledger, in.Findings, in.Dispositions)
	for _, id := range in.Lost {
		if !slices.Contains(open, id) {
			open = append(open, id)
		}
	}
	return open
}

// GatingOpen lists the ids of the Findings that gate and are open: those of the ledger, in its order, without those that an
// acceptance closes which the ledger does not hold yet, then those that it does not hold yet. Of an acceptance that it holds it
// has the last word, since it knows whether it was edited meanwhile. It is never nil.
func GatingOpen(read ledger.Ledger, findings []contract.Finding, dispositions []contract.AppliedDisposition) []string {
	accepted := map[string]bool{}
	for _, d := range dispositions {
		there := slices.ContainsFunc(read.Dispositions, func(known ledger.Disposition) bool { return known.Finding == d.Finding && known.Run == d.Run })
		if d.Half == contract.HalfReviewer && !there {
			accepted[d.Finding] = d.Verdict == contract.VerdictAccepted
		}
	}
	open := []string{}
	known := map[string]bool{}
	for _, finding := range read.Findings {
		known[finding.ID] = true
		if finding.Gates && finding.Open && (finding.Altered || !accepted[finding.ID]) {
			open = append(open, finding.ID)
		}
	}
	for _, finding := range findings {
		if finding.Gates && !known[finding.ID] && !accepted[finding.ID] {
			open, known[finding.ID] = append(open, finding.ID), true
		}
	}
	return open
}

func counts(effects []contract.AppliedEffect) contract.EffectCounts {
	var n contract.EffectCounts
	for _, effect := range effects {
		switch effect.State {
		case contract.StateApplied:
			n.Applied++
		case contract.StateAlreadyApplied:
			n.AlreadyApplied++
		case contract.StateRefused:
			n.Refused++
		case contract.StateFailed:
			n.Failed++
		default:
			n.NotAttempted++
		}
	}
	return n
}
