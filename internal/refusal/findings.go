package refusal

import (
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// findings is step 5: whether each Finding is one, and is posted once.
func findings() []Rule {
	return []Rule{
		{contract.CodeFindingDuplicate, "A Finding id is named twice.", findingDuplicate},
		{contract.CodeFindingUnknown, "A review names a Finding that the Result does not hold.", findingUnknown},
		{contract.CodeFindingNotOwned, "A Finding is of a category that the Task does not give the Role.", findingNotOwned},
		{contract.CodeFindingUnposted, "A Finding is posted by no Effect.", func(s State) (string, bool) {
			return findingPosted(s, func(times int) bool { return times == 0 })
		}},
		{contract.CodeFindingPostedTwice, "A Finding is posted more than once.", func(s State) (string, bool) {
			return findingPosted(s, func(times int) bool { return times > 1 })
		}},
		{contract.CodeFindingNotGatingOnThread, "A Finding that does not gate is asked for as a thread.", findingNotGatingOnThread},
	}
}

func findingDuplicate(s State) (string, bool) {
	seen := map[string]bool{}
	for _, finding := range s.Result.Findings {
		if seen[finding.ID] {
			return finding.ID, true
		}
		seen[finding.ID] = true
	}
	return "", false
}

func findingUnknown(s State) (string, bool) {
	for _, review := range reviews(s.Result) {
		for _, id := range slices.Concat(review.Threads, review.Listed) {
			if _, ok := find(s.Result, id); !ok {
				return id, true
			}
		}
	}
	return "", false
}

func findingNotOwned(s State) (string, bool) {
	for _, finding := range s.Result.Findings {
		if !slices.Contains(s.Task.Categories, finding.Category) || !slices.Contains(s.Role.Categories, finding.Category) {
			return finding.ID, true
		}
	}
	return "", false
}

func findingPosted(s State, wrong func(times int) bool) (string, bool) {
	posted := map[string]int{}
	for _, review := range reviews(s.Result) {
		for _, id := range slices.Concat(review.Threads, review.Listed) {
			posted[id]++
		}
	}
	for _, finding := range s.Result.Findings {
		if wrong(posted[finding.ID]) {
			return finding.ID, true
		}
	}
	return "", false
}

func findingNotGatingOnThread(s State) (string, bool) {
	for _, review := range reviews(s.Result) {
		for _, id := range review.Threads {
			if finding, ok := find(s.Result, id); ok && !contract.Gates(finding.Category, finding.Severity) {
				return id, true
			}
		}
	}
	return "", false
}

func reviews(result contract.Result) []contract.SubmitReviewEffect {
	var reviews []contract.SubmitReviewEffect
	for _, effect := range result.Effects {
		if effect.SubmitReview != nil {
			reviews = append(reviews, *effect.SubmitReview)
		}
	}
	return reviews
}

func find(result contract.Result, id string) (contract.RawFinding, bool) {
	for _, finding := range result.Findings {
		if finding.ID == id {
			return finding, true
		}
	}
	return contract.RawFinding{}, false
}
