package kernel

import (
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/trust"
)

// authorNeedsApproval: the change comes from outside, the policy wants a maintainer's word for those, and there is none for
// what was last pushed.
func authorNeedsApproval(in Input) bool {
	return in.Policy.Approval.Outside != contract.ApprovalNotRequired && !inside(in) && !approved(in)
}

// inside: both the author and whoever can push to the head are ours. The head of a deleted repository is nobody's.
func inside(in Input) bool {
	head := in.Facts.Head
	if !exempt(in, in.Facts.Item.Author.ID) || head.RepositoryID == nil {
		return false
	}
	return *head.RepositoryID == in.Facts.Repository.ID || head.OwnerID != nil && exempt(in, *head.OwnerID)
}

func exempt(in Input, id int64) bool {
	return id > 0 && (trust.Of(id, in.Policy, in.Apps) == contract.TrustMaintainer || slices.Contains(in.Policy.Approval.Exempt, id))
}

// approved: the label is set, and what last happened to it is that a maintainer set it, later than the last push to the
// head repository. A commit's own dates are the author's to choose, so the push is the only time there is; where it is not
// known, or falls into the same second, no label can be proved to be later.
func approved(in Input) bool {
	pushed := in.Facts.Head.PushedAt
	if pushed == nil || !hasLabel(in, in.Policy.Labels.Approved) {
		return false
	}
	var newest *contract.LabelEvent
	for i, event := range in.Facts.LabelEvents {
		if strings.EqualFold(event.Label, in.Policy.Labels.Approved) && (newest == nil || !event.At.Before(newest.At)) {
			newest = &in.Facts.LabelEvents[i]
		}
	}
	return newest != nil && newest.Event == "labeled" && newest.At.After(*pushed) &&
		trust.Of(newest.ActorID, in.Policy, in.Apps) == contract.TrustMaintainer
}
