package refusal

import (
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// effects is step 4: which Effects are asked for.
func effects() []Rule {
	return []Rule{
		{contract.CodeEffectNotPermitted, "An Effect's type is not one that the Task permits.", effectNotPermitted},
		{contract.CodeEffectDuplicate, "An Effect id is named twice.", effectDuplicate},
		{contract.CodeReviewCount, "There is not exactly one submit_review with something in it.", reviewCount},
	}
}

// effectNotPermitted also asks the manifest, which is the same unless the Task was built by other code.
func effectNotPermitted(s State) (string, bool) {
	intent, _ := s.Role.Intent(s.Decision.Intent)
	for _, effect := range s.Result.Effects {
		if !slices.Contains(s.Task.PermittedEffects, effect.Type()) || !slices.Contains(intent.PermittedEffects, effect.Type()) {
			return effect.ID(), true
		}
	}
	return "", false
}

func effectDuplicate(s State) (string, bool) {
	seen := map[string]bool{}
	for _, effect := range s.Result.Effects {
		if seen[effect.ID()] {
			return effect.ID(), true
		}
		seen[effect.ID()] = true
	}
	return "", false
}

// reviewCount lets one kind of Result ask for nothing: one that is no review, with nothing in it that would be lost.
func reviewCount(s State) (string, bool) {
	result := s.Result
	if (result.Status == contract.StatusRefused || result.Status == contract.StatusFailed) &&
		len(result.Effects)+len(result.Findings)+len(result.Dispositions) == 0 {
		return "", false
	}
	reviews := 0
	for _, effect := range result.Effects {
		review := effect.SubmitReview
		if review == nil {
			continue
		}
		reviews++
		if strings.TrimSpace(review.Body.Raw()) == "" && len(review.Threads)+len(review.Listed)+len(review.Answers) == 0 {
			return review.ID, true
		}
	}
	return "effects", reviews != 1
}
