package refusal_test

import (
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/refusal"
)

// requestCases is step 7: what kind of review is sent, and on what.
func requestCases() map[contract.Code][]testCase {
	return map[contract.Code][]testCase{
		contract.CodeReviewNotComment: {
			{name: "APPROVE", where: "e1", schema: true, change: func(w *world) { w.review().Event = "APPROVE" }},
			{name: "REQUEST_CHANGES", where: "e1", schema: true, change: func(w *world) { w.review().Event = "REQUEST_CHANGES" }},
			{name: "small letters", where: "e1", schema: true, change: func(w *world) { w.review().Event = "comment" }},
			{name: "no event, which leaves it pending", where: "e1", schema: true, change: func(w *world) { w.review().Event = "" }},
			{name: "in the Result alone", where: "e1", schema: true, change: func(w *world) { w.review().Event = "APPROVE" }, rule: func(s *refusal.State) { s.Plan.Effects[0].Review.Event = plan.EventComment }},
			{name: "another word in the Result alone", where: "e1", schema: true, change: func(w *world) { w.review().Event = "REQUEST_CHANGES" },
				rule: func(s *refusal.State) { s.Plan.Effects[0].Review.Event = plan.EventComment }},
			{name: "in the request alone", where: "e1", rule: func(s *refusal.State) { s.Plan.Effects[0].Review.Event = "APPROVE" }},
			{name: "near: the word in its text", change: func(w *world) { w.review().Body = text("APPROVE: I would, if I could.") }},
		},
		contract.CodeReviewCommit: {
			{name: "another commit in the request", where: "e1", rule: func(s *refusal.State) { s.Plan.Effects[0].Review.Commit = strings.Repeat("0", 40) }},
			{name: "no commit, which GitHub reads as the head", where: "e1", rule: func(s *refusal.State) { s.Plan.Effects[0].Review.Commit = "" }},
			{name: "near: on the admitted commit, of a base that moved on", change: func(w *world) { w.Fresh.Base.Commit = strings.Repeat("9", 40) }},
		},
	}
}
