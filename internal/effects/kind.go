package effects

import (
	"context"
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// kind is one Effect type. Its file says these things and nothing else; in which order they are done is [Write]'s, once for all.
type kind struct {
	// needs are the least permissions of the token that writes it.
	needs map[string]string
	// find returns the Effect as it stands in what was read, on all pages and by our App's user id; false where it does not.
	find func(s Session, seen Seen, effect plan.Effect) (found, bool)
	// write makes the one request.
	write func(ctx context.Context, s Session, client *github.Client, effect plan.Effect) error
	// compare holds what was found to the plan, a field at a time, and says what was read back.
	compare func(s Session, seen Seen, effect plan.Effect, there found) ([]field, contract.ReadBack)
	// record returns what an Effect that was found and is equal adds to the records.
	record func(s Session, seen Seen, p plan.Plan, effect plan.Effect, there found) ([]contract.Finding, []contract.AppliedDisposition)
	// retry says what follows when the request failed.
	retry retries
}

// kinds lists the Effect types.
func kinds() map[string]kind {
	return map[string]kind{
		contract.SubmitReview:  submitReview(),
		contract.ReplyThread:   replyThread(),
		contract.ResolveThread: resolveThread(),
	}
}

// found is an Effect as it stands on the item. DatabaseID is 0 where it has none.
type found struct {
	databaseID int64
	nodeID     string
}

// field is one thing that was compared, and what it is called in our words.
type field struct {
	name string
	same bool
}

// differing names the first field that is not what the plan says, or is "".
func differing(fields []field) string {
	for _, f := range fields {
		if !f.same {
			return f.name
		}
	}
	return ""
}

// retries says for each class of failure whether the request may be made again. A class in neither list is a refusal: nothing
// was done, and asking again would not help.
type retries struct {
	// again: GitHub says that it did nothing, and waiting may help. See [Patience] for how long.
	again []github.Class
	// unknown: it may have been done all the same. The Effect is looked for and never written a second time.
	unknown []github.Class
	// pending: GitHub takes it no more than a second review while an unsubmitted one of the same author stands in the way.
	pending bool
}

// newPost is what holds for a request that makes a new text: made twice it stands twice.
func newPost() retries {
	return retries{
		again:   []github.Class{github.ClassUnauthorized, github.ClassPermissionDenied, github.ClassRateLimited},
		unknown: []github.Class{github.ClassUnavailable, github.ClassMalformed, github.ClassTooLarge, github.ClassUnreachable},
		pending: true,
	}
}

// newState is what holds for a request that sets a state. Made twice it would change nothing, but where a person changed it back
// in between it would undo that, so what is unknown is looked for here too.
func newState() retries {
	r := newPost()
	r.pending = false
	return r
}

func (r retries) mayBeDone(err error) bool { return slices.Contains(r.unknown, github.ClassOf(err)) }
func (r retries) mayAgain(err error) bool  { return slices.Contains(r.again, github.ClassOf(err)) }
