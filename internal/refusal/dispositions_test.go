package refusal_test

import (
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/refusal"
)

// dispositionCases is step 6: the Dispositions.
func dispositionCases() map[contract.Code][]testCase {
	return map[contract.Code][]testCase{
		contract.CodeDispositionFindingUnknown: {
			{name: "not open in the Task", where: runA + "/f3", change: func(w *world) { w.Result.Dispositions[2].Finding = runA + "/f3" }},
			{name: "one of this Result", where: "f1", schema: true, change: func(w *world) { w.Result.Dispositions[2].Finding = "f1" }},
			{name: "a reply that no Disposition fills", where: openF2, change: func(w *world) { w.Result.Dispositions = slices.Delete(w.Result.Dispositions, 1, 2) }},
			{name: "an answer that no Disposition fills", where: openF4, change: func(w *world) { w.Result.Dispositions = w.Result.Dispositions[:2] }},
			{name: "a resolve of one that is not open", where: "e9", change: func(w *world) { resolve(w, runA+"/f3") }},
			{name: "near: an open Finding without an answer", change: func(w *world) {
				w.Result.Dispositions, w.Result.Effects = slices.Delete(w.Result.Dispositions, 1, 2), w.Result.Effects[:2]
			}},
		},
		contract.CodeDispositionDuplicate: {
			{name: "two of one Finding", where: openF1, change: func(w *world) { w.Result.Dispositions = append(w.Result.Dispositions, w.Result.Dispositions[0]) }},
			{name: "near: two Findings, the same words", change: func(w *world) {
				w.Result.Dispositions[2].Reviewer = w.Result.Dispositions[1].Reviewer
			}},
		},
		contract.CodeDispositionNoHalf: {
			{name: "neither", where: openF1, change: func(w *world) { w.Result.Dispositions[0].Reviewer = nil }},
			{name: "near: the half that its Role may make", change: same},
		},
		contract.CodeDispositionBothHalves: {
			{name: "both", where: openF1, change: func(w *world) {
				w.Result.Dispositions[0].Author = &contract.AuthorHalf{Text: text("Done."), Verdict: contract.VerdictFixed}
			}},
			{name: "near: one half that speaks of the other", change: func(w *world) {
				w.Result.Dispositions[0].Reviewer.Text = text("The author: fixed. The reviewer: not.")
			}},
		},
		contract.CodeDispositionNotRole: {
			{name: "an author's half by a reviewer", where: openF1, change: func(w *world) {
				w.Result.Dispositions[0] = contract.Disposition{Finding: openF1, Author: &contract.AuthorHalf{Text: text("Done."), Verdict: contract.VerdictFixed}}
			}},
			{name: "a reviewer's half by an author", where: openF1, change: func(w *world) { w.Bundle.Role.DispositionHalf = contract.HalfAuthor }},
			{name: "near: an author's half by an author", change: func(w *world) {
				w.Bundle.Role.DispositionHalf = contract.HalfAuthor
				for i := range w.Result.Dispositions {
					w.Result.Dispositions[i].Reviewer = nil
					w.Result.Dispositions[i].Author = &contract.AuthorHalf{Text: text("Done."), Verdict: contract.VerdictDeclined}
				}
			}},
		},
		contract.CodeDispositionSecurity: {
			{name: "accepted, of declined", where: openF1, change: func(w *world) { accept(w, 0, contract.VerdictDeclined, "thread:61010:1") }},
			{name: "accepted, of deferred", where: openF1, change: func(w *world) { accept(w, 0, contract.VerdictDeferred, "thread:61010:1") }},
			{name: "accepted, of declined, on a maintainer's word in its thread", where: openF1, change: func(w *world) {
				answered(w, 0, maintainer)
				accept(w, 0, contract.VerdictDeclined, "thread:61011:1")
			}},
			{name: "near: accepted, of fixed, on the diff", change: func(w *world) { accept(w, 0, contract.VerdictFixed, diffB) }},
			{name: "near: rejected, of declined", change: func(w *world) { w.Result.Dispositions[0].Reviewer.Of = contract.VerdictDeclined }},
		},
		contract.CodeDispositionUnsupported: {
			{name: "fixed, on the author's word", where: openF1, change: func(w *world) { accept(w, 0, contract.VerdictFixed, "thread:61010:1") }},
			{name: "fixed, on a maintainer's word", where: openF2, change: func(w *world) {
				answered(w, 1, maintainer)
				accept(w, 1, contract.VerdictFixed, "thread:61011:1")
			}},
			{name: "fixed, on the diff of another content", where: openF2, change: func(w *world) {
				accept(w, 1, contract.VerdictFixed, "diff:8a3b64b927c762dddb6c00012fa64f3631e30ae9e818a2066516d603b4078791")
			}},
			{name: "fixed, on a text that is not there", where: openF2, change: func(w *world) { accept(w, 1, contract.VerdictFixed, "thread:1:1") }},
			{name: "declined, on the diff", where: openF2, change: func(w *world) { accept(w, 1, contract.VerdictDeclined, diffB) }},
			{name: "declined, on an outsider's word in its thread", where: openF2, change: func(w *world) {
				answered(w, 1, contributor)
				accept(w, 1, contract.VerdictDeclined, "thread:61011:1")
			}},
			{name: "declined, on a maintainer's word about something else", where: openF2, change: func(w *world) { accept(w, 1, contract.VerdictDeclined, "comment:9001:2") }},
			{name: "declined in the body, on a comment from before the Finding", where: openF4, change: func(w *world) { accept(w, 2, contract.VerdictDeclined, "comment:9001:2") }},
			{name: "declined in the body, on a comment of the Finding's own second", where: openF4, change: func(w *world) {
				w.Fresh.Comments[0].At = w.Fresh.Reviews[0].At
				accept(w, 2, contract.VerdictDeclined, "comment:9001:2")
			}},
			{name: "declined in the body, on a quote in a later comment", where: openF4, change: func(w *world) {
				w.Fresh.Comments[0].At = w.Fresh.ReadAt
				accept(w, 2, contract.VerdictDeclined, "comment:9001:1")
			}},
			{name: "declined, on a maintainer's word that somebody edited", where: openF2, change: func(w *world) {
				answered(w, 1, maintainer)
				words := w.Fresh.Threads[1].Comments
				words[len(words)-1].EditedAt = &w.Fresh.ReadAt
				accept(w, 1, contract.VerdictDeclined, "thread:61011:1")
			}},
			{name: "declined, on a maintainer's word that is gone", where: openF2, change: func(w *world) {
				answered(w, 1, maintainer)
				w.Fresh.Threads[1].Comments = w.Fresh.Threads[1].Comments[:1]
				accept(w, 1, contract.VerdictDeclined, "thread:61011:1")
			}},
			{name: "declined in the body, on a later comment that somebody edited", where: openF4, change: func(w *world) {
				w.Fresh.Comments[0].At, w.Fresh.Comments[0].EditedAt = w.Fresh.ReadAt, &w.Fresh.ReadAt
				accept(w, 2, contract.VerdictDeclined, "comment:9001:2")
			}},
			{name: "declined in the body, on a maintainer's later word in a thread", where: openF4, change: func(w *world) {
				answered(w, 1, maintainer)
				accept(w, 2, contract.VerdictDeclined, "thread:61011:1")
			}},
			{name: "fixed, in a file that was left out", where: openF2, change: func(w *world) { leaveOut(w, "internal/sync/worker.go") }},
			{name: "fixed, in a file that was left out under a new name", where: openF2, change: func(w *world) {
				leaveOut(w, "internal/sync/worker.go")
				w.both(func(f *contract.Facts) { f.Threads[1].Path = text("internal/old/worker.go") })
				w.Bundle.Diff = []byte("diff --git a/internal/old/worker.go b/internal/sync/worker.go\nrename from internal/old/worker.go\nrename to internal/sync/worker.go\n@@ -1 +1 @@\n-a\n+b\n")
				w.answersTask()
			}},
			{name: "fixed, in a file whose content the diff does not show", where: openF2, change: func(w *world) {
				w.both(func(f *contract.Facts) {
					f.Content.Files[0] = contract.ContentFile{Path: text("renamed.bin"), PreviousPath: pointer(text("internal/sync/worker.go"))}
				})
				w.answersTask()
			}},
			{name: "near: fixed, in another file than the one that was left out", change: func(w *world) { leaveOut(w, "internal/sync/other.go") }},
			{name: "of a claim that is none", where: openF2, schema: true, change: func(w *world) { accept(w, 1, "merged", diffB) }},
			{name: "a thread resolved that was not accepted", where: "e9", change: func(w *world) { resolve(w, openF1) }},
			{name: "near: declined, on a maintainer's word in its thread", change: func(w *world) {
				answered(w, 1, maintainer)
				accept(w, 1, contract.VerdictDeclined, "thread:61011:1")
			}},
			{name: "near: deferred, on a maintainer's word in its thread", change: func(w *world) {
				answered(w, 1, maintainer)
				accept(w, 1, contract.VerdictDeferred, "thread:61011:1")
			}},
			{name: "near: declined in the body, on a maintainer's later comment", change: func(w *world) {
				w.Fresh.Comments[0].At = w.Fresh.ReadAt
				accept(w, 2, contract.VerdictDeclined, "comment:9001:2")
			}},
			{name: "near: a thread resolved that was accepted", change: func(w *world) { resolve(w, openF2) }},
			{name: "near: rejected on the author's word", change: same},
		},
		contract.CodeDispositionUnposted: {
			{name: "no reply", where: openF2, change: func(w *world) { w.Result.Effects = w.Result.Effects[:2] }},
			{name: "not in answers", where: openF4, change: func(w *world) { w.review().Answers = nil }},
			{name: "only a resolve", where: openF2, change: func(w *world) {
				w.Result.Effects = w.Result.Effects[:2]
				resolve(w, openF2)
			}},
			{name: "near: in answers though it has a thread", change: func(w *world) {
				w.Result.Effects = w.Result.Effects[:2]
				w.review().Answers = []string{openF2, openF4}
			}},
		},
		contract.CodeDispositionPostedTwice: {
			{name: "a reply and in answers", where: openF1, change: func(w *world) { w.review().Answers = []string{openF1, openF4} }},
			{name: "two replies", where: openF1, change: func(w *world) { w.Result.Effects[2].ReplyThread.Finding = openF1; drop(w, 1) }},
			{name: "twice in answers", where: openF4, change: func(w *world) { w.review().Answers = []string{openF4, openF4} }},
			{name: "near: one in answers, one in its thread", change: same},
		},
		contract.CodeDispositionThread: {
			{name: "a reply to a Finding in the body", where: "e3", change: func(w *world) {
				w.review().Answers = []string{openF2}
				w.Result.Effects[2].ReplyThread.Finding = openF4
			}},
			{name: "the thread is gone", where: "e3", change: func(w *world) { w.Fresh.Threads = w.Fresh.Threads[:1] }},
			{name: "the thread is a stranger's copy of ours", where: "e3", change: func(w *world) { w.Fresh.Threads[1].Comments[0].Author.ID = 2000002 }},
			{name: "the plan is for another thread", where: "e2", rule: func(s *refusal.State) { s.Plan.Effects[1].Reply.ThreadID = "PRRT_a2" }},
			{name: "near: an outdated thread", change: same},
		},
	}
}
