package refusal

import (
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// Ending is what ends a Run before its Result is looked at.
type Ending struct {
	// Codes are the reasons in order; empty where the Run goes on. A Run that the Kernel would not admit any more has
	// contract.CodeNotAdmitted and the Kernel's codes after it.
	Codes []contract.Code
	// Reencoded says that the diff's bytes differ while head and files do not: the same content.
	Reencoded bool
}

// Ended reports whether the Run ends here.
func (e Ending) Ended() bool { return len(e.Codes) > 0 }

// Superseded holds a Decision that admitted against fresh facts and the Kernel's answer on them, which was asked with this
// Run left out and without budgets.
//
// The order is: closed, changed, reviewed, held, paused, draft, then what else the Kernel says. The first three write no
// check, because the item is over or another Run writes it; a hold on a change that is not this Run's any more must not put
// this Run's word on the new head. already_ran means that another Run reviewed the content, because the Kernel leaves this
// one out. Facts that could not be read whole are enough to see that something changed, not to see that nothing did.
func Superseded(decision contract.Decision, fresh contract.Facts, codes []contract.Code) Ending {
	has := func(code contract.Code) bool { return slices.Contains(codes, code) }
	switch {
	case has(contract.CodeItemClosed):
		return ended(contract.CodeSupersededClosed)
	case changed(decision, fresh):
		return ended(contract.CodeSupersededChanged)
	case has(contract.CodeAlreadyRan):
		return ended(contract.CodeSupersededReviewed)
	case has(contract.CodeItemHeld):
		return ended(contract.CodeSupersededHeld)
	case has(contract.CodeFactoryPaused):
		return ended(contract.CodeSupersededPaused)
	case has(contract.CodeItemDraft):
		return ended(contract.CodeSupersededDraft)
	}
	others := slices.DeleteFunc(slices.Clone(codes), func(code contract.Code) bool {
		return code == contract.CodeBudgetItem || code == contract.CodeBudgetRepository
	})
	if len(others) > 0 {
		return Ending{Codes: append([]contract.Code{contract.CodeNotAdmitted}, others...)}
	}
	return Ending{Reencoded: fresh.Content.ID != decision.ContentID}
}

func ended(code contract.Code) Ending { return Ending{Codes: []contract.Code{code}} }

// changed reports whether the item is another than the one that was admitted. The diff's bytes alone do not count: GitHub
// writes longer abbreviated ids as a repository grows, while the full blob ids of the files stay.
func changed(decision contract.Decision, fresh contract.Facts) bool {
	item := fresh.Parts.Item.Complete && (fresh.Head.Commit != decision.Commit || fresh.Base.Ref != decision.BaseRef ||
		fresh.Repository.ID != decision.Repository.ID)
	return item || fresh.Parts.Content.Complete && fresh.Content.FilesDigest != decision.FilesDigest
}
