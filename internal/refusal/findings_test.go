package refusal_test

import (
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/refusal"
)

// findingCases is step 5: the Findings.
func findingCases() map[contract.Code][]testCase {
	return map[contract.Code][]testCase{
		contract.CodeFindingDuplicate: {
			{name: "two f1", where: "f1", run: "A", change: func(w *world) { w.Result.Findings[1].ID = "f1" }},
			{name: "the same twice", where: "f4", run: "A", change: func(w *world) { w.Result.Findings = append(w.Result.Findings, w.Result.Findings[3]) }},
			{name: "near: the same under two ids", run: "A", change: func(w *world) {
				copied := w.Result.Findings[3]
				copied.ID = "f5"
				w.Result.Findings, w.review().Listed = append(w.Result.Findings, copied), append(w.review().Listed, "f5")
			}},
		},
		contract.CodeFindingUnknown: {
			{name: "in threads", where: "f9", change: func(w *world) { w.review().Threads = []string{"f1", "f9"} }},
			{name: "in listed", where: "f9", change: func(w *world) { w.review().Listed = []string{"f9"} }},
			{name: "one of an earlier Run in threads", where: openF2, schema: true, change: func(w *world) { w.review().Threads = []string{"f1", openF2} }},
			{name: "near: each that it holds, in another order", run: "A", change: func(w *world) { slices.Reverse(w.review().Threads) }},
		},
		contract.CodeFindingNotOwned: {
			{name: "a category that the Task does not hold", where: "f1", change: func(w *world) { w.Result.Findings[0].Category = "licensing" }},
			{name: "one that the manifest holds and the Task does not", where: "f1", rule: func(s *refusal.State) { s.Task.Categories = []string{"security"} }},
			{name: "one that the manifest does not hold", where: "f1", rule: func(s *refusal.State) { s.Role.Categories = []string{"security"} }},
			{name: "one of another Role's", where: "f1", change: func(w *world) {
				w.Bundle.Role.Categories = []string{"security"}
				w.answersTask()
			}},
			{name: "near: each of the Role's", change: func(w *world) { w.Result.Findings[0].Category = "compatibility" }},
		},
		contract.CodeFindingUnposted: {
			{name: "in no list", where: "f3", run: "A", change: func(w *world) { w.review().Listed = nil }},
			{name: "near: each in some list", run: "A", change: func(w *world) {
				w.review().Threads, w.review().Listed = nil, []string{"f1", "f2", "f3", "f4"}
			}},
		},
		contract.CodeFindingPostedTwice: {
			{name: "in both lists", where: "f1", run: "A", change: func(w *world) { w.review().Listed = []string{"f3", "f1"} }},
			{name: "twice in one", where: "f3", run: "A", change: func(w *world) { w.review().Listed = []string{"f3", "f3"} }},
			{name: "near: one in each list", run: "A", change: func(w *world) {
				w.review().Threads, w.review().Listed = []string{"f1", "f2"}, []string{"f3", "f4"}
			}},
		},
		contract.CodeFindingNotGatingOnThread: {
			{name: "minor", where: "f3", run: "A", change: func(w *world) {
				w.review().Threads, w.review().Listed = []string{"f1", "f2", "f3", "f4"}, nil
			}},
			{name: "note", where: "f2", run: "A", change: func(w *world) { w.Result.Findings[1].Severity = contract.SeverityNote }},
			{name: "near: a note of category security", run: "A", change: func(w *world) { w.Result.Findings[0].Severity = contract.SeverityNote }},
			{name: "near: one that gates in the list", run: "A", change: func(w *world) {
				w.review().Threads, w.review().Listed = []string{"f1", "f4"}, []string{"f2", "f3"}
			}},
		},
	}
}
