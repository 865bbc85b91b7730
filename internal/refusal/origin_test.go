package refusal_test

import (
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// originCases is step 3: where the Result comes from.
func originCases() map[contract.Code][]testCase {
	return map[contract.Code][]testCase{
		contract.CodeResultReplaced: {
			{name: "a review of this Run with another key", where: "review", change: func(w *world) {
				w.Fresh.Reviews = append(w.Fresh.Reviews, ownReview(w, strings.Repeat("0", 32), runB))
			}},
			{name: "a reply of this Run with another key", where: openF1, change: func(w *world) {
				w.Fresh.Threads[0].Comments = append(w.Fresh.Threads[0].Comments, ownReply(w, strings.Repeat("0", 32), runB))
			}},
			{name: "the same, when the Result names another Run", where: "review", change: func(w *world) {
				w.Fresh.Reviews = append(w.Fresh.Reviews, ownReview(w, strings.Repeat("0", 32), runB))
				w.Result.Run = runA
			}},
			{name: "near: this Result's own review", change: func(w *world) {
				w.Fresh.Reviews = append(w.Fresh.Reviews, ownReview(w, w.key("e1"), runB))
			}},
			{name: "near: this Result's own reply", change: func(w *world) {
				w.Fresh.Threads[0].Comments = append(w.Fresh.Threads[0].Comments, ownReply(w, w.key("e2"), runB))
			}},
			{name: "near: a stranger's forged marker", change: func(w *world) {
				forged := ownReview(w, strings.Repeat("0", 32), runB)
				forged.Author.ID = 2000002
				w.Fresh.Reviews = append(w.Fresh.Reviews, forged)
			}},
			{name: "near: a review of another Run", change: same},
			{name: "near: a reply of another Run", change: func(w *world) {
				w.Fresh.Threads[0].Comments = append(w.Fresh.Threads[0].Comments, ownReply(w, strings.Repeat("0", 32), "run-"+strings.Repeat("3", 24)))
			}},
		},
		contract.CodeRunMismatch: {
			{name: "another Run", where: "run", change: func(w *world) { w.Result.Run = runA }},
			{name: "another Run, after this one's own review", where: "run", change: func(w *world) {
				w.Result.Run = runA
				w.Fresh.Reviews = append(w.Fresh.Reviews, ownReview(w, w.key("e1"), runB))
			}},
			{name: "no Run", where: "run", schema: true, change: func(w *world) { w.Result.Run = "" }},
			{name: "near: another session of the same Run", change: func(w *world) {
				w.Result.Engine.Session = pointer("0b8e9c5e-3d0c-4a6e-9a34-2f5a51c8f0aa")
			}},
		},
		contract.CodeReleaseMismatch: {
			{name: "another version", where: "release", change: func(w *world) { w.Result.Release.Version = "0.3.1" }},
			{name: "another commit", where: "release", change: func(w *world) { w.Result.Release.Commit = strings.Repeat("0", 40) }},
			{name: "another contract", where: "release", change: func(w *world) { w.Result.Release.Contract = contract.Digest(nil) }},
			{name: "near: another version of the engine", change: func(w *world) { w.Result.Engine.Version = pointer("9.9.9") }},
			{name: "this program is of another", where: otherProgram, change: func(w *world) { w.Release.Commit = strings.Repeat("0", 40) }},
		},
		contract.CodeTaskMismatch: {
			{name: "another Task", where: "task", change: func(w *world) { w.Result.Task = contract.Digest(nil) }},
			{name: "the bundle makes another", where: "task", change: func(w *world) { w.Bundle.Facts.Comments = nil }},
			{name: "near: what is said since would make another", change: func(w *world) { w.Fresh.Comments = nil }},
		},
	}
}
