package kernel

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

func decided(t *testing.T, mutate func(*Input)) contract.Decision {
	in, want := modelInput(t, "A")
	mutate(&in)
	return Decide(in, want.Release, want.Inputs)
}

func TestDecisionListsEveryReason(t *testing.T) {
	d := decided(t, and(unapproved, reviewed(review{}), applyAsks, func(in *Input) {
		in.Facts.Item.Draft = true
		in.Facts.Item.Locked = true
		in.Policy.Paused = pointer("rotation")
		in.Asked.SenderID = bot
		in.EvalsPresent = false
	}))
	want := []contract.Code{contract.CodeItemDraft, contract.CodeItemLocked, contract.CodeFactoryPaused, contract.CodeOwnEvent,
		contract.CodeAuthorNeedsApproval, contract.CodeEvalsMissing, contract.CodeAlreadyRan}
	if difference := cmp.Diff(want, d.Reasons); difference != "" || d.Admitted {
		t.Errorf("admitted %v (-want +got):\n%s", d.Admitted, difference)
	}
}

func TestCarriesNamesTheNewestReviewOfTheContent(t *testing.T) {
	oldest, newest := "run-"+strings.Repeat("1", 24), "run-"+strings.Repeat("2", 24)
	for name, test := range map[string]struct {
		mutate func(*Input)
		want   *string
	}{
		"none":                        {func(*Input) {}, nil},
		"newest last":                 {reviewed(review{run: oldest, clock: "10:05:01"}, review{run: newest, clock: "10:05:02"}), &newest},
		"newest first":                {reviewed(review{run: newest, clock: "10:05:02"}, review{run: oldest, clock: "10:05:01"}), &newest},
		"both in one second":          {reviewed(review{run: oldest, clock: "10:05:01"}, review{run: newest, clock: "10:05:01"}), &newest},
		"newest is of other content":  {reviewed(review{run: oldest}, review{run: newest, content: strings.Repeat("0", 64)}), &oldest},
		"another reason comes first":  {and(reviewed(review{run: oldest}), func(in *Input) { in.Facts.Item.Draft = true }), nil},
		"another reason comes after":  {and(reviewed(review{run: oldest}), spentRuns(8, "airlock pr-review #12", "09:00:00")), &oldest},
		"asked again by a maintainer": {and(reviewed(review{run: oldest}), again(maintainer)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if difference := cmp.Diff(test.want, decided(t, test.mutate).Carries); difference != "" {
				t.Errorf("(-want +got):\n%s", difference)
			}
		})
	}
}

// The table of the design: what apply writes nothing about.
func TestReport(t *testing.T) {
	silent := map[contract.Code]bool{contract.CodeItemClosed: true, contract.CodeOwnEvent: true, contract.CodeRunInFlight: true}
	for _, code := range contract.CodesOf(contract.StageKernel) {
		d := contract.Decision{Reasons: []contract.Code{code, contract.CodeItemClosed}}
		if got := Report(d); got == silent[code] {
			t.Errorf("%s: report is %v", code, got)
		}
	}
	if !Report(contract.Decision{Admitted: true}) {
		t.Error("an admitted Run has nothing to report")
	}
	if !Report(contract.Decision{}) {
		t.Error("a Decision that neither admits nor says why is passed over in silence")
	}
}

func TestRunOfADecisionFollowsItsInput(t *testing.T) {
	base := decided(t, func(*Input) {})
	for name, mutate := range map[string]func(*Input){
		"content":  func(in *Input) { in.Facts.Content.ID = "sha256:" + strings.Repeat("0", 64) },
		"item":     func(in *Input) { in.Facts.Item.Number = 13 },
		"workflow": func(in *Input) { in.Workflow.RunID++ },
		"attempt":  func(in *Input) { in.Workflow.Attempt++ },
		"intent":   func(in *Input) { in.Intent = "other" },
		"role":     func(in *Input) { in.Role.Name = "other" },
	} {
		if d := decided(t, mutate); d.Run == base.Run {
			t.Errorf("%s: the Run is the same", name)
		}
	}
}
