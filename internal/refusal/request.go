package refusal

import (
	"strconv"
	"strings"

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

// commentID is the database id in a Task's text id "comment:<id>:<n>", or 0.
func commentID(textID string) int64 {
	parts := strings.Split(textID, ":")
	if len(parts) != 3 || parts[0] != contract.TextComment {
		return 0
	}
	id, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return 0
	}
	return id
}
