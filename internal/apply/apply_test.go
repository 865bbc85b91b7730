package apply

import (
	"slices"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

func TestReviewIsWrittenOnceAndReadBack(t *testing.T) {
	w := newWorld(t, nil)
	w.admit()
	w.answer(review(onLine("f1", "security", "critical", 10), onLine("f2", "concurrency", "major", 31), onLine("f3", "tests", "minor", 0)))
	first := w.apply(nil)
	if first.code != 0 || first.outcome.Status != contract.StatusCompleted || *first.outcome.Conclusion != contract.ConclusionFailure {
		t.Fatalf("first apply: code %d, outcome %+v\n%s", first.code, first.outcome, first.log)
	}
	if got := first.applied.Effects[0]; got.State != contract.StateApplied || len(got.ReadBack.Review.Comments) != 2 || got.ReadBack.Review.Commit != w.decision.Commit {
		t.Errorf("effect: %+v", got)
	}
	if len(first.applied.Findings) != 3 || first.applied.Findings[0].Placement != contract.PlacementLine || *first.applied.Findings[0].Line != 10 {
		t.Errorf("findings: %+v", first.applied.Findings)
	}
	if want := []string{w.decision.Run + "/f1", w.decision.Run + "/f2"}; !slices.Equal(first.outcome.GatingOpen, want) {
		t.Errorf("gating open %v, want %v", first.outcome.GatingOpen, want)
	}
	second := w.apply(func(env map[string]string) { env["GITHUB_RUN_ATTEMPT"] = "2" })
	if first.applied.Attempt != 1 || second.applied.Attempt != 2 || second.outcome.Attempt != 2 {
		t.Errorf("attempts %d, then %d and %d", first.applied.Attempt, second.applied.Attempt, second.outcome.Attempt)
	}
	if second.code != 0 || second.applied.Effects[0].State != contract.StateAlreadyApplied || w.reviewsByUs() != 1 {
		t.Errorf("second apply: code %d, %d reviews, %+v\n%s", second.code, w.reviewsByUs(), second.applied.Effects, second.log)
	}
	if got := w.checks(w.decision.Commit); !slices.Equal(got, []string{"failure"}) {
		t.Errorf("checks %v, want one failure", got)
	}
	for _, token := range w.State(t).Tokens {
		if token.Kind == "installation" && !token.Revoked {
			t.Errorf("a token is left alive: %+v", token)
		}
	}
	if token := first.applied.Tokens; len(token) != 1 || !token[0].Revoked || token[0].RepositoryID != emulatortest.RepositoryID ||
		token[0].Granted["pull_requests"] != "write" || token[0].Granted["checks"] != "write" || len(token[0].Granted) != 3 {
		t.Errorf("tokens: %+v", token)
	}
	t.Logf("calls: %+v", first.applied.Calls)
}
