package outcome

import (
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
)

// carried is the end of a Decision that admits nothing because this content was reviewed before: the check on this commit
// says what is read now of that review. Where it is not there any more, or was edited, nobody can say that it was.
func carried(in Input) end {
	e := end{status: contract.StatusNotAdmitted, fault: contract.FaultNone, reasons: slices.Clone(in.Decision.Reasons)}
	e.conclusion = contract.ConclusionActionRequired
	review, found := carriedReview(in)
	if !found {
		return e.noted(in)
	}
	if review.Status == contract.StatusCompleted {
		e.conclusion = contract.ConclusionSuccess
	}
	if review.Omitted > 0 {
		// The marker has one number for files over the budget and files that are not shown.
		in.Task.Omitted = []contract.Omitted{{Kind: contract.OmittedDiff, Files: review.Omitted}}
	}
	e = e.noted(in)
	e.reasons = appendNew(e.reasons, contract.CodeCarried)
	return e
}

// carriedReview is the review of the Run that the Decision carries, of its Role, Intent and content.
func carriedReview(in Input) (ledger.Review, bool) {
	if in.Decision.Carries == nil {
		return ledger.Review{}, false
	}
	for _, review := range in.Ledger.Reviews {
		if review.Run == *in.Decision.Carries && review.Role == in.Decision.Role && review.Intent == in.Decision.Intent &&
			review.ContentID() == in.Decision.ContentID && !review.Edited {
			return review, true
		}
	}
	return ledger.Review{}, false
}
