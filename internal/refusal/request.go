package refusal

import (
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// request is step 7: what kind of review is about to be sent, and on what.
func request() []Rule {
	return []Rule{
		{contract.CodeReviewNotComment, "The review would be something else than a comment.", reviewNotComment},
		{contract.CodeReviewCommit, "The review would not be on the admitted commit.", reviewCommit},
	}
}

func reviewNotComment(s State) (string, bool) {
	for _, review := range reviews(s.Result) {
		if review.Event != plan.EventComment {
			return review.ID, true
		}
	}
	for _, effect := range s.Plan.Effects {
		if effect.Review != nil && effect.Review.Event != plan.EventComment {
			return effect.ID, true
		}
	}
	return "", false
}

func reviewCommit(s State) (string, bool) {
	for _, effect := range s.Plan.Effects {
		if effect.Review != nil && effect.Review.Commit != s.Decision.Commit {
			return effect.ID, true
		}
	}
	return "", false
}
