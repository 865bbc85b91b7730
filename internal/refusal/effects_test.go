package refusal_test

import (
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/refusal"
)

// effectCases is step 4: which Effects are asked for.
func effectCases() map[contract.Code][]testCase {
	return map[contract.Code][]testCase{
		contract.CodeEffectNotPermitted: {
			{name: "resolve by a Role that may not", where: "e9", change: func(w *world) {
				w.Result.Effects = append(w.Result.Effects, contract.Effect{ResolveThread: &contract.ThreadEffect{Finding: openF2, ID: "e9", Type: contract.ResolveThread}})
			}},
			{name: "permitted by the manifest alone", where: "e2", rule: func(s *refusal.State) { s.Task.PermittedEffects = []string{contract.SubmitReview} }},
			{name: "permitted by the Task alone", where: "e2", rule: func(s *refusal.State) { s.Role.Intents[0].PermittedEffects = []string{contract.SubmitReview} }},
			{name: "a reply by an Intent that may only review", where: "e2", change: func(w *world) {
				w.intent().PermittedEffects = []string{contract.SubmitReview}
				w.answersTask()
			}},
			{name: "near: resolve where permitted", change: func(w *world) { resolve(w, openF2) }},
		},
		contract.CodeEffectDuplicate: {
			{name: "two e2", where: "e2", change: func(w *world) { w.Result.Effects[2].ReplyThread.ID = "e2" }},
			{name: "two e1 of different types", where: "e1", change: func(w *world) { w.Result.Effects[2].ReplyThread.ID = "e1" }},
			{name: "near: one id begins with another", change: func(w *world) {
				w.Result.Effects[1].ReplyThread.ID, w.Result.Effects[2].ReplyThread.ID = "e11", "e12"
			}},
		},
		contract.CodeReviewCount: {
			{name: "none", where: "effects", change: func(w *world) { w.Result.Effects = w.Result.Effects[1:] }},
			{name: "no Effect at all", where: "effects", change: func(w *world) { w.Result.Effects = nil }},
			{name: "nothing at all, and completed", where: "effects", change: func(w *world) {
				w.Result.Effects, w.Result.Findings, w.Result.Dispositions = nil, nil, nil
			}},
			{name: "nothing at all, and incomplete", where: "effects", change: func(w *world) {
				w.says(contract.StatusIncomplete, contract.CodeContextMissing)
				w.Result.Effects, w.Result.Findings, w.Result.Dispositions = nil, nil, nil
			}},
			{name: "two", where: "effects", change: func(w *world) {
				second := *w.review()
				second.ID = "e8"
				w.Result.Effects = append(w.Result.Effects, contract.Effect{SubmitReview: &second})
			}},
			{name: "with nothing in it", where: "e1", change: func(w *world) {
				*w.review() = contract.SubmitReviewEffect{ID: "e1", Type: contract.SubmitReview, Event: "COMMENT", Body: text(" \n\t")}
			}},
			{name: "refused, with a Finding that would be lost", where: "effects", change: func(w *world) {
				w.says(contract.StatusRefused, contract.CodeDeclinedUnsafe)
				w.Result.Effects = nil
			}},
			{name: "refused, with Findings alone", run: "A", where: "effects", change: func(w *world) {
				w.says(contract.StatusRefused, contract.CodeDeclinedUnsafe)
				w.Result.Effects = nil
			}},
			{name: "refused, with answers alone", where: "effects", change: func(w *world) {
				w.says(contract.StatusRefused, contract.CodeDeclinedUnsafe)
				w.Result.Effects, w.Result.Findings = nil, nil
			}},
			{name: "near: one thread alone", run: "A", change: func(w *world) {
				w.review().Body, w.review().Threads, w.review().Listed, w.Result.Findings = text(""), []string{"f1"}, nil, w.Result.Findings[:1]
			}},
			{name: "near: one in the list alone", run: "A", change: func(w *world) {
				w.review().Body, w.review().Threads, w.review().Listed, w.Result.Findings = text(""), nil, []string{"f1"}, w.Result.Findings[:1]
			}},
			{name: "near: refused, with nothing", change: func(w *world) {
				w.says(contract.StatusRefused, contract.CodeDeclinedUnsafe)
				w.Result.Effects, w.Result.Findings, w.Result.Dispositions = nil, nil, nil
			}},
			{name: "near: an empty body and one thread", change: func(w *world) { w.review().Body = text("") }},
			{name: "near: an answer alone", change: func(w *world) {
				w.review().Body, w.review().Threads, w.Result.Findings = text(""), nil, nil
			}},
			{name: "near: a body alone", run: "A", change: func(w *world) {
				w.review().Threads, w.review().Listed, w.Result.Findings = nil, nil, nil
			}},
			{name: "near: failed, with nothing", change: func(w *world) {
				w.says(contract.StatusFailed, contract.CodeEngineTimeout)
				w.Result.Effects, w.Result.Findings, w.Result.Dispositions = nil, nil, nil
			}},
		},
	}
}
