// Package kernel decides whether a Run is admitted.
//
// It promises a pure function: facts, configuration, who asked and the time in, every reason against it out, in one order.
// It reads nothing and knows no clock. What a person may do about a reason is said by the reason list of package contract;
// what a Run that is not admitted leads to is package outcome's.
package kernel

import (
	"fmt"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// Input is all that the Kernel looks at.
type Input struct {
	Facts  contract.Facts
	Policy contract.Policy
	Apps   contract.Apps
	Role   contract.Role
	// Intent is the name that was asked for.
	Intent string
	// EvalsPresent is whether the Intent's eval set exists, at the configuration's commit or embedded.
	EvalsPresent bool
	Asked        contract.Asked
	// Workflow is the workflow run in which decide runs or ran; what GitHub recorded of it counts for nothing.
	Workflow contract.Workflow
	Now      contract.Time
	// Run is this Run's id when apply asks again, and empty when decide asks. With it, this Run's own review is no reason,
	// and what bounds the start of a Run (run_in_flight, the budgets) is not asked.
	Run string
}

type rule struct {
	code  contract.Code
	holds func(Input) bool
}

// rules is the Kernel's order: the first rule that holds decides.
func rules() []rule {
	return []rule{
		{contract.CodeFactsIncomplete, factsIncomplete},
		{contract.CodeItemClosed, itemClosed},
		{contract.CodeItemDraft, itemDraft},
		{contract.CodeItemHeld, itemHeld},
		{contract.CodeItemLocked, itemLocked},
		{contract.CodeFactoryPaused, factoryPaused},
		{contract.CodeOwnEvent, ownEvent},
		{contract.CodeContentAbsent, contentAbsent},
		{contract.CodeContentNotText, contentNotText},
		{contract.CodeContentTooLarge, contentTooLarge},
		{contract.CodeAuthorNeedsApproval, authorNeedsApproval},
		{contract.CodeIntentUnknown, intentUnknown},
		{contract.CodeEvalsMissing, evalsMissing},
		{contract.CodeAlreadyRan, alreadyRan},
		{contract.CodeRunInFlight, runInFlight},
		{contract.CodeBudgetItem, budgetItem},
		{contract.CodeBudgetRepository, budgetRepository},
	}
}

// Reasons lists every reason that holds against a Run, in the Kernel's order. It is empty exactly when the Run is admitted.
func Reasons(in Input) []contract.Code {
	reasons := []contract.Code{}
	for _, r := range rules() {
		if r.holds(in) {
			reasons = append(reasons, r.code)
		}
	}
	return reasons
}

// Decide makes the Decision. Carries is set exactly where already_ran decides, so that a reason that comes before it is
// never answered with an earlier Run's check.
func Decide(in Input, release contract.Release, inputs contract.Inputs) contract.Decision {
	facts := in.Facts
	item := contract.Item{Kind: facts.Item.Kind, Number: facts.Item.Number}
	d := contract.Decision{
		Schema:       "decision/1",
		Run:          contract.RunID(facts.Repository.ID, item, in.Role.Name, in.Intent, facts.Content.ID, in.Workflow),
		Reasons:      Reasons(in),
		Role:         in.Role.Name,
		Intent:       in.Intent,
		Item:         item,
		Repository:   contract.Repository{ID: facts.Repository.ID, Name: facts.Repository.Name, Owner: facts.Repository.Owner},
		Commit:       facts.Head.Commit,
		ContentID:    facts.Content.ID,
		BaseRef:      facts.Base.Ref,
		ConfigCommit: facts.ConfigCommit,
		Asked:        in.Asked,
		Workflow:     in.Workflow,
		DecidedAt:    in.Now,
		Release:      release,
		Inputs:       inputs,
		FilesDigest:  facts.Content.FilesDigest,
	}
	d.Admitted = len(d.Reasons) == 0
	if !d.Admitted && d.Reasons[0] == contract.CodeAlreadyRan {
		if review, ok := earlierReview(in); ok {
			d.Carries = &review.Run
		}
	}
	return d
}

// Report reports whether apply has to say something about the Decision: of a closed item, an event of our own, and a Run
// that another one in flight will answer, it says nothing.
func Report(d contract.Decision) bool {
	if d.Admitted || len(d.Reasons) == 0 {
		return true
	}
	switch d.Reasons[0] {
	case contract.CodeItemClosed, contract.CodeOwnEvent, contract.CodeRunInFlight:
		return false
	}
	return true
}

// title is the run-name of the workflow for this Role and item, by which its runs are found again.
func title(in Input) string { return fmt.Sprintf("airlock %s #%d", in.Role.Name, in.Facts.Item.Number) }

// asks reports whether decide asks, and not apply on behalf of a Run that was admitted.
func asks(in Input) bool { return in.Run == "" }
