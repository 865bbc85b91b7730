package refusal

import (
	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// origin is step 3: whether this is the one Result of this Run.
func origin() []Rule {
	return []Rule{
		{contract.CodeResultReplaced, "A marker of ours on this item carries this Run with a key that is none of this Result's.", resultReplaced},
		{contract.CodeRunMismatch, "The Result names another Run than the Decision.", func(s State) (string, bool) {
			return "run", s.Result.Run != s.Decision.Run
		}},
		{contract.CodeReleaseMismatch, "The Result was made by another Release than the Decision.", func(s State) (string, bool) {
			return "release", s.Result.Release != s.Decision.Release
		}},
		{contract.CodeTaskMismatch, "The Result answers another Task than the one that the bundle makes.", func(s State) (string, bool) {
			return "task", s.Result.Task != s.TaskDigest
		}},
	}
}

// resultReplaced looks at what our App wrote, edited or not: somebody's edit does not undo a write. The keys are made with
// the Decision's Run, whatever the Result says.
func resultReplaced(s State) (string, bool) {
	ours := map[string]bool{}
	for _, effect := range s.Result.Effects {
		ours[contract.EffectKey(s.Decision.Run, s.ResultDigest, effect.ID())] = true
	}
	for _, review := range s.Ledger.Reviews {
		if review.Run == s.Decision.Run && !ours[review.Key] {
			return "review", true
		}
	}
	for _, disposition := range s.Ledger.Dispositions {
		if disposition.Run == s.Decision.Run && !ours[disposition.Key] {
			return disposition.Finding, true
		}
	}
	return "", false
}
