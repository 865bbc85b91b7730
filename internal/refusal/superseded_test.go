package refusal_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/refusal"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// TestSuperseded holds what the Kernel's second answer and the fresh facts mean for a Run that was admitted.
func TestSuperseded(t *testing.T) {
	codes := func(codes ...contract.Code) []contract.Code { return codes }
	same := func(*contract.Facts) {}
	pushed := func(f *contract.Facts) { f.Head.Commit = strings.Repeat("9", 40) }
	for _, c := range []struct {
		name      string
		change    func(*contract.Facts)
		kernel    []contract.Code
		want      []contract.Code
		reencoded bool
	}{
		{"nothing changed", same, nil, nil, false},
		{"held", same, codes(contract.CodeItemHeld), codes(contract.CodeSupersededHeld), false},
		{"paused", same, codes(contract.CodeFactoryPaused), codes(contract.CodeSupersededPaused), false},
		{"held and paused", same, codes(contract.CodeItemHeld, contract.CodeFactoryPaused), codes(contract.CodeSupersededHeld), false},
		{"closed", same, codes(contract.CodeItemClosed), codes(contract.CodeSupersededClosed), false},
		{"draft", same, codes(contract.CodeItemDraft), codes(contract.CodeSupersededDraft), false},
		{"another head commit", pushed, nil, codes(contract.CodeSupersededChanged), false},
		{"another base ref", func(f *contract.Facts) { f.Base.Ref = untrusted.New("next") }, nil, codes(contract.CodeSupersededChanged), false},
		{"another repository", func(f *contract.Facts) { f.Repository.ID++ }, nil, codes(contract.CodeSupersededChanged), false},
		{"other files", func(f *contract.Facts) { f.Content.FilesDigest = contract.Digest(nil) }, nil, codes(contract.CodeSupersededChanged), false},
		{"the base moved on", func(f *contract.Facts) { f.Base.Commit = strings.Repeat("9", 40) }, nil, nil, false},
		{"other diff bytes of the same files", func(f *contract.Facts) { f.Content.ID = contract.Digest(nil) }, nil, nil, true},
		{"other diff bytes, other files", func(f *contract.Facts) {
			f.Content.ID, f.Content.FilesDigest = contract.Digest(nil), contract.Digest(nil)
		}, nil, codes(contract.CodeSupersededChanged), false},
		{"reviewed by another Run", same, codes(contract.CodeAlreadyRan), codes(contract.CodeSupersededReviewed), false},
		{"closed and changed", pushed, codes(contract.CodeItemClosed), codes(contract.CodeSupersededClosed), false},
		{"changed and held", pushed, codes(contract.CodeItemHeld), codes(contract.CodeSupersededChanged), false},
		{"reviewed and held", same, codes(contract.CodeItemHeld, contract.CodeAlreadyRan), codes(contract.CodeSupersededReviewed), false},
		{"over budget, which is not asked again", same, codes(contract.CodeBudgetItem, contract.CodeBudgetRepository), nil, false},
		{"approval withdrawn", same, codes(contract.CodeAuthorNeedsApproval), codes(contract.CodeNotAdmitted, contract.CodeAuthorNeedsApproval), false},
		{"locked, and over budget", same, codes(contract.CodeItemLocked, contract.CodeBudgetItem), codes(contract.CodeNotAdmitted, contract.CodeItemLocked), false},
		{"facts not whole", func(f *contract.Facts) { f.Parts.Content.Complete, f.Content.FilesDigest = false, "" }, codes(contract.CodeFactsIncomplete),
			codes(contract.CodeNotAdmitted, contract.CodeFactsIncomplete), false},
		{"facts not whole, another head", func(f *contract.Facts) { pushed(f); f.Parts.Content.Complete = false }, codes(contract.CodeFactsIncomplete), codes(contract.CodeSupersededChanged), false},
		{"the item not read at all", func(f *contract.Facts) { *f = contract.Facts{} }, codes(contract.CodeFactsIncomplete), codes(contract.CodeNotAdmitted, contract.CodeFactsIncomplete), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := model(t, "B")
			c.change(&w.Fresh)
			got := refusal.Superseded(w.Bundle.Decision, w.Fresh, c.kernel)
			if !slices.Equal(got.Codes, c.want) || got.Ended() != (len(c.want) > 0) || got.Reencoded != c.reencoded {
				t.Errorf("%+v, want %v, %v", got, c.want, c.reencoded)
			}
		})
	}
}
