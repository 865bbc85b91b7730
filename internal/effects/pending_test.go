package effects

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
)

// TestAReviewThatWasNeverSubmitted holds which one is taken out of the way: our own, where it holds nothing but what is ours.
func TestAReviewThatWasNeverSubmitted(t *testing.T) {
	const reviews, left = "/repos/example-org/ledger/pulls/12/reviews", "/repos/example-org/ledger/pulls/12/reviews/777"
	seen := []string{"GET " + reviews, "GET " + left + "/comments"}
	gone := append(slices.Clone(seen), "DELETE "+left)
	var comment, reply, review string
	{
		p := model(t, "B")
		review, comment, reply = p.plan.Effects[0].Review.Body, p.plan.Effects[0].Review.Comments[0].Body, p.plan.Effects[1].Reply.Body
	}
	for name, c := range map[string]struct {
		left   leftover
		states string
		aside  []string // what was asked about it
		writes int
	}{
		"empty":                                 {leftover{}, allApplied, gone, 4},
		"blank":                                 {leftover{body: " \n"}, allApplied, gone, 4},
		"with our marker":                       {leftover{body: review}, allApplied, gone, 4},
		"with our marker and a Finding of ours": {leftover{body: review, comments: []string{comment}}, allApplied, gone, 4},
		"with a Finding of ours alone":          {leftover{comments: []string{comment}}, allApplied, gone, 4},
		"with an answer of ours":                {leftover{comments: []string{reply}}, allApplied, gone, 4},
		"with a text of somebody's":             {leftover{body: "To be said."}, "failed review_pending, not_attempted, not_attempted", seen, 1},
		"with our marker quoted":                {leftover{body: "> " + strings.ReplaceAll(review, "\n", "\n> ")}, "failed review_pending, not_attempted, not_attempted", seen, 1},
		"with a comment of somebody's":          {leftover{body: review, comments: []string{comment, "To be said."}}, "failed review_pending, not_attempted, not_attempted", seen, 1},
		"that is gone by itself":                {leftover{stays: http.StatusNotFound}, "failed review_pending, not_attempted, not_attempted", gone, 2},
		"that may not be deleted":               {leftover{stays: http.StatusForbidden}, "failed review_pending, not_attempted, not_attempted", gone, 1},
		"whose deletion is not answered":        {leftover{stays: http.StatusBadGateway}, "failed review_pending, not_attempted, not_attempted", gone, 2},
	} {
		t.Run(name, func(t *testing.T) {
			p := model(t, "B")
			c.left.author = p.app.BotUserID
			p.left = &c.left
			report := p.write()
			var aside []string
			for _, request := range p.requests {
				if !strings.HasPrefix(request, "POST ") {
					aside = append(aside, request)
				}
			}
			if got := states(report); got != c.states || p.writes != c.writes || !slices.Equal(aside, c.aside) {
				t.Errorf("%s by %d writes and %v, want %s by %d and %v: %v", got, p.writes, aside, c.states, c.writes, c.aside, report.Err)
			}
		})
	}
}

// TestAnotherAuthorsPendingReview holds that one of somebody else's, which a wrong answer shows, is not touched.
func TestAnotherAuthorsPendingReview(t *testing.T) {
	p := model(t, "B")
	p.left = &leftover{author: 5}
	p.answer = from(1, 422, `{"message":"Unprocessable Entity","errors":["User can only have one pending review per pull request"]}`)
	if got := states(p.write()); got != "failed review_pending, not_attempted, not_attempted" || p.left == nil || len(p.requests) != 2 {
		t.Errorf("%s by %v", got, p.requests)
	}
}

// TestAResolveMeetsNoPendingReview holds that a resolve, which makes no text, clears none.
func TestAResolveMeetsNoPendingReview(t *testing.T) {
	p := model(t, "B").resolving()
	p.plan.Effects = p.plan.Effects[3:]
	p.answer = from(1, 422, `{"message":"Unprocessable Entity","errors":["User can only have one pending review per pull request"]}`)
	if got := states(p.write()); got != "failed review_pending" || len(p.requests) != 1 {
		t.Errorf("%s by %v", got, p.requests)
	}
}

// TestRetries holds that each type says of every class of failure what follows, and as package github has it.
func TestRetries(t *testing.T) {
	for name, kind := range kinds() {
		for _, class := range []github.Class{github.ClassNotFound, github.ClassGone, github.ClassUnauthorized, github.ClassPermissionDenied, github.ClassLocked,
			github.ClassRateLimited, github.ClassRedirected, github.ClassNotAcceptable, github.ClassConflict, github.ClassInvalid, github.ClassUnavailable,
			github.ClassMalformed, github.ClassTooLarge, github.ClassUnreachable} {
			err := &github.Error{Class: class}
			if kind.retry.mayBeDone(err) != class.OutcomeUnknown() {
				t.Errorf("%s, %s: may be done %v", name, class, kind.retry.mayBeDone(err))
			}
			if _, again := (&Patience{}).Again(err); kind.retry.mayAgain(err) != again || again && kind.retry.mayBeDone(err) {
				t.Errorf("%s, %s: again %v", name, class, kind.retry.mayAgain(err))
			}
		}
	}
}

// TestNeeds holds that the configuration asks for exactly what each type cannot do without, and that one which gives less is
// not tried: no token is asked for.
func TestNeeds(t *testing.T) {
	for n, name := range []string{contract.SubmitReview, contract.ReplyThread, contract.ReplyThread, contract.ResolveThread} {
		least := kinds()[name].needs
		if p := model(t, "B"); !maps.Equal(p.apps.Needs[name], least) {
			t.Errorf("%s needs %v, apps.json says %v", name, least, p.apps.Needs[name])
		}
		for permission := range least {
			for _, access := range []string{"", "read"} {
				p := model(t, "B").resolving()
				needs := maps.Clone(least)
				if needs[permission] = access; access == "" {
					delete(needs, permission)
				}
				p.plan.Effects[n].Needs = needs
				report := p.write()
				if got := state(report.Effects[n]); got != "failed identity_request" || p.writes != n || len(p.purposes) != n || report.Err.Error() != "apps.json does not give it "+permission+": write" {
					t.Errorf("%s with %v: %s by %d writes, tokens %v: %v", name, needs, got, p.writes, p.purposes, report.Err)
				}
			}
		}
	}
}
