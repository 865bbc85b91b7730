package kernel

import (
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/trust"
)

func factoryPaused(in Input) bool { return in.Policy.Paused != nil }

// ownEvent keeps our Apps from answering themselves.
func ownEvent(in Input) bool { return trust.IsApp(in.Asked.SenderID, in.Apps) }

// intentUnknown: the Role has no Intent of that name for this kind of item.
func intentUnknown(in Input) bool {
	_, ok := intent(in)
	return !ok
}

// evalsMissing: a gate without the set that shows what it finds. An unknown Intent has no set to miss.
func evalsMissing(in Input) bool {
	known, ok := intent(in)
	return ok && known.Class == contract.ClassGate && !in.EvalsPresent
}

func intent(in Input) (contract.Intent, bool) {
	known, ok := in.Role.Intent(in.Intent)
	if !ok {
		return contract.Intent{}, false
	}
	for _, kind := range known.Items {
		if kind == in.Facts.Item.Kind {
			return known, true
		}
	}
	return contract.Intent{}, false
}

// alreadyRan: this content was reviewed for this Intent, and no maintainer asked for it again.
func alreadyRan(in Input) bool {
	if in.Asked.Again && trust.Of(in.Asked.SenderID, in.Policy, in.Apps) == contract.TrustMaintainer {
		return false
	}
	_, ok := earlierReview(in)
	return ok
}

// earlierReview is the newest review by which another Run completed this Intent on this content.
//
// An incomplete one may be tried again. One that was edited is no proof that anything was reviewed: a writer could give it
// the content id of a change that no model saw. Neither is one that left out fewer files than the diff hides now: the content
// id says of a hidden file no more than an abbreviated id.
func earlierReview(in Input) (ledger.Review, bool) {
	app, ok := in.Apps.Named(in.Role.App)
	if !ok {
		return ledger.Review{}, false
	}
	hidden := 0
	for _, file := range in.Facts.Content.Files {
		if !file.Visible {
			hidden++
		}
	}
	var newest ledger.Review
	found := false
	for _, review := range ledger.Read(in.Facts, in.Policy, in.Apps, app).Reviews {
		same := review.Role == in.Role.Name && review.Intent == in.Intent && review.ContentID() == in.Facts.Content.ID
		if !same || review.Status != contract.StatusCompleted || review.Edited || review.Omitted < hidden || review.Run == in.Run {
			continue
		}
		if !found || !review.At.Before(newest.At) {
			newest, found = review, true
		}
	}
	return newest, found
}
