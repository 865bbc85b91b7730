package plan

import "testing"

// TestWhatKeepsAReviewFromBeingWhole holds which of the files that the model was not shown count: those over the budget and those
// that the diff does not show, and not those that the policy excludes.
func TestWhatKeepsAReviewFromBeingWhole(t *testing.T) {
	if got := (Unseen{OverBudget: 1, Excluded: 2, Opaque: 4}).Count(); got != 5 {
		t.Errorf("%d files, want 5", got)
	}
}

// TestMergeKeepsTheHigherAccess holds both orders in which two needs of one permission can come.
func TestMergeKeepsTheHigherAccess(t *testing.T) {
	for _, order := range [][]string{{"read", "write"}, {"write", "read"}, {"write", "write"}} {
		into := map[string]string{}
		for _, access := range order {
			merge(into, map[string]string{"contents": access})
		}
		if into["contents"] != "write" {
			t.Errorf("%v makes %s", order, into["contents"])
		}
	}
}
