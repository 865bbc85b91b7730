package refusal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// Ids of the data model.
const (
	runA                   = "run-db93904f83c62707abbb84a5"
	runB                   = "run-1ca64a37f06e75eabc7d6e40"
	openF1, openF2, openF4 = runA + "/f1", runA + "/f2", runA + "/f4"
	diffB                  = "diff:ec1bf5b7b040304c281a5c779f606867c3c4c210bd7875b52c9a2ba05a1c8e26"
	// token has the shape of a credential and is none.
	token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
)

// model is the State of one Run of the data model, "A" or "B", which nothing refuses; the Plan is not built yet.
func model(t testing.TB, run string) State {
	t.Helper()
	var s State
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "model", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	decode := func(name string, record any) []byte {
		data := read(name)
		if err := contract.Decode(data, record); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return data
	}
	decode(run+".decision.json", &s.Decision)
	decode(run+".facts.json", &s.Fresh)
	s.TaskDigest = contract.Digest(decode(run+".task.json", &s.Task))
	s.ResultDigest = contract.Digest(decode(run+".result.json", &s.Result))
	decode("role.json", &s.Role)
	decode("policy.json", &s.Policy)
	decode("apps.json", &s.Apps)
	s.App = s.Apps.Apps[0]
	s.Diff = diff.NewIndex(read(run + ".diff.patch"))
	return s
}

// planned reads the ledger and builds the Plan.
func planned(t testing.TB, s State) State {
	t.Helper()
	s.Ledger = ledger.Read(s.Fresh, s.Policy, s.Apps, s.App)
	p, err := plan.Build(plan.Input{Decision: s.Decision, Role: s.Role, Policy: s.Policy, Apps: s.Apps, App: s.App, Task: s.Task,
		Result: s.Result, ResultDigest: s.ResultDigest, Facts: s.Fresh, Ledger: s.Ledger, Diff: s.Diff})
	if err != nil {
		t.Fatal(err)
	}
	s.Plan = p
	return s
}

// testCase breaks one thing in a Run of the data model, B unless it says A.
type testCase struct {
	name  string
	run   string
	where string // of the Refusal; empty for a near miss, which nothing may refuse
	// change changes the State before the Plan is built, after afterwards.
	change func(*State)
	after  func(*State)
}

func review(s *State) *contract.SubmitReviewEffect { return s.Result.Effects[0].SubmitReview }

func text(s string) untrusted.Text { return untrusted.New(s) }

// resolve lets the Role resolve threads, and asks for it after what the Result asks already.
func resolve(s *State, finding string) {
	s.Role.Intents[0].PermittedEffects = contract.EffectTypes()
	s.Task.PermittedEffects = contract.EffectTypes()
	s.App.Ceiling = map[string]string{"checks": "write", "contents": "write", "metadata": "read", "pull_requests": "write"}
	s.Result.Effects = append(s.Result.Effects, contract.Effect{ResolveThread: &contract.ThreadEffect{Finding: finding, ID: "e9", Type: contract.ResolveThread}})
}

// answered adds a maintainer's reply to the thread of f2 to facts and Task.
func answered(s *State) {
	reply := contract.ThreadComment{At: s.Fresh.ReadAt, Author: contract.User{ID: 1000001, Type: "User"}, ID: 61011, NodeID: "PRRC_r2", Text: text("We accept that.")}
	s.Fresh.Threads[1].Comments = append(s.Fresh.Threads[1].Comments, reply)
	s.Task.Findings[1].Answers = []string{"thread:61011:1"}
	source := int64(1000001)
	s.Task.Texts = append(s.Task.Texts, contract.TaskText{ID: "thread:61011:1", Kind: contract.TextThread, Source: &source, Text: reply.Text, Trust: contract.TrustMaintainer})
}

func cases() map[contract.Code][]testCase {
	return map[contract.Code][]testCase{
		contract.CodeResultReplaced: {
			{name: "a review of this Run with another key", where: "review", change: func(s *State) {
				s.Fresh.Reviews = append(s.Fresh.Reviews, ownReview(s, strings.Repeat("0", 32), runB))
			}},
			{name: "a reply of this Run with another key", where: openF1, change: func(s *State) {
				s.Fresh.Threads[0].Comments = append(s.Fresh.Threads[0].Comments, ownReply(s, strings.Repeat("0", 32), runB))
			}},
			{name: "the same, when the Result names another Run", where: "review", change: func(s *State) {
				s.Fresh.Reviews = append(s.Fresh.Reviews, ownReview(s, strings.Repeat("0", 32), runB))
				s.Result.Run = runA
			}},
			{name: "near: this Result's own review", change: func(s *State) {
				s.Fresh.Reviews = append(s.Fresh.Reviews, ownReview(s, contract.EffectKey(runB, s.ResultDigest, "e1"), runB))
			}},
			{name: "near: this Result's own reply", change: func(s *State) {
				s.Fresh.Threads[0].Comments = append(s.Fresh.Threads[0].Comments, ownReply(s, contract.EffectKey(runB, s.ResultDigest, "e2"), runB))
			}},
			{name: "near: a stranger's forged marker", change: func(s *State) {
				forged := ownReview(s, strings.Repeat("0", 32), runB)
				forged.Author.ID = 2000002
				s.Fresh.Reviews = append(s.Fresh.Reviews, forged)
			}},
			{name: "near: a review of another Run", change: func(*State) {}},
			{name: "near: a reply of another Run", change: func(s *State) {
				s.Fresh.Threads[0].Comments = append(s.Fresh.Threads[0].Comments, ownReply(s, strings.Repeat("0", 32), "run-"+strings.Repeat("3", 24)))
			}},
		},
		contract.CodeRunMismatch: {
			{name: "another Run", where: "run", change: func(s *State) { s.Result.Run = runA }},
			{name: "another Run, after this one's own review", where: "run", change: func(s *State) {
				s.Fresh.Reviews = append(s.Fresh.Reviews, ownReview(s, contract.EffectKey(runB, s.ResultDigest, "e1"), runB))
				s.Result.Run = runA
			}},
			{name: "no Run", where: "run", change: func(s *State) { s.Result.Run = "" }},
		},
		contract.CodeReleaseMismatch: {
			{name: "another version", where: "release", change: func(s *State) { s.Result.Release.Version = "0.3.1" }},
			{name: "another commit", where: "release", change: func(s *State) { s.Result.Release.Commit = strings.Repeat("0", 40) }},
			{name: "another contract", where: "release", change: func(s *State) { s.Result.Release.Contract = contract.Digest(nil) }},
		},
		contract.CodeTaskMismatch: {
			{name: "another Task", where: "task", change: func(s *State) { s.Result.Task = contract.Digest(nil) }},
			{name: "the bundle makes another", where: "task", change: func(s *State) { s.TaskDigest = contract.Digest(nil) }},
		},
		contract.CodeEffectNotPermitted: {
			{name: "resolve by a Role that may not", where: "e9", change: func(s *State) {
				s.Result.Effects = append(s.Result.Effects, contract.Effect{ResolveThread: &contract.ThreadEffect{Finding: openF2, ID: "e9", Type: contract.ResolveThread}})
			}},
			{name: "permitted by the manifest alone", where: "e2", change: func(s *State) { s.Task.PermittedEffects = []string{contract.SubmitReview} }},
			{name: "permitted by the Task alone", where: "e2", change: func(s *State) { s.Role.Intents[0].PermittedEffects = []string{contract.SubmitReview} }},
			{name: "near: resolve where permitted", change: func(s *State) { resolve(s, openF2) }},
		},
		contract.CodeEffectDuplicate: {
			{name: "two e2", where: "e2", change: func(s *State) { s.Result.Effects[2].ReplyThread.ID = "e2" }},
			{name: "two e1 of different types", where: "e1", change: func(s *State) { s.Result.Effects[2].ReplyThread.ID = "e1" }},
		},
		contract.CodeReviewCount: {
			{name: "none", where: "effects", change: func(s *State) { s.Result.Effects = s.Result.Effects[1:] }},
			{name: "no Effect at all", where: "effects", change: func(s *State) { s.Result.Effects = nil }},
			{name: "nothing at all, and completed", where: "effects", change: func(s *State) {
				s.Result.Effects, s.Result.Findings, s.Result.Dispositions = nil, nil, nil
			}},
			{name: "nothing at all, and incomplete", where: "effects", change: func(s *State) {
				s.Result.Status, s.Result.Effects, s.Result.Findings, s.Result.Dispositions = contract.StatusIncomplete, nil, nil, nil
			}},
			{name: "two", where: "effects", change: func(s *State) {
				second := *review(s)
				second.ID = "e8"
				s.Result.Effects = append(s.Result.Effects, contract.Effect{SubmitReview: &second})
			}},
			{name: "with nothing in it", where: "e1", change: func(s *State) {
				*review(s) = contract.SubmitReviewEffect{ID: "e1", Type: contract.SubmitReview, Event: "COMMENT", Body: text(" \n\t")}
			}},
			{name: "refused, with a Finding that would be lost", where: "effects", change: func(s *State) {
				s.Result.Status, s.Result.Effects = contract.StatusRefused, nil
			}},
			{name: "near: refused, with nothing", change: func(s *State) {
				s.Result.Status, s.Result.Effects, s.Result.Findings, s.Result.Dispositions = contract.StatusRefused, nil, nil, nil
			}},
			{name: "near: an empty body and one thread", change: func(s *State) { review(s).Body = text("") }},
			{name: "near: an answer alone", change: func(s *State) {
				review(s).Body, review(s).Threads, s.Result.Findings = text(""), nil, nil
			}},
			{name: "near: a body alone", run: "A", change: func(s *State) {
				review(s).Threads, review(s).Listed, s.Result.Findings = nil, nil, nil
			}},
		},
		contract.CodeFindingDuplicate: {
			{name: "two f1", where: "f1", run: "A", change: func(s *State) { s.Result.Findings[1].ID = "f1" }},
			{name: "the same twice", where: "f4", run: "A", change: func(s *State) { s.Result.Findings = append(s.Result.Findings, s.Result.Findings[3]) }},
		},
		contract.CodeFindingUnknown: {
			{name: "in threads", where: "f9", change: func(s *State) { review(s).Threads = []string{"f1", "f9"} }},
			{name: "in listed", where: "f9", change: func(s *State) { review(s).Listed = []string{"f9"} }},
			{name: "one of an earlier Run in threads", where: openF2, change: func(s *State) { review(s).Threads = []string{"f1", openF2} }},
		},
		contract.CodeFindingNotOwned: {
			{name: "a category that the Task does not hold", where: "f1", change: func(s *State) { s.Result.Findings[0].Category = "licensing" }},
			{name: "one that the manifest does not hold", where: "f1", change: func(s *State) { s.Role.Categories = []string{"security"} }},
			{name: "near: each of the Role's", change: func(s *State) { s.Result.Findings[0].Category = "compatibility" }},
		},
		contract.CodeFindingUnposted: {
			{name: "in no list", where: "f3", run: "A", change: func(s *State) { review(s).Listed = nil }},
		},
		contract.CodeFindingPostedTwice: {
			{name: "in both lists", where: "f1", run: "A", change: func(s *State) { review(s).Listed = []string{"f3", "f1"} }},
			{name: "twice in one", where: "f3", run: "A", change: func(s *State) { review(s).Listed = []string{"f3", "f3"} }},
		},
		contract.CodeFindingNotGatingOnThread: {
			{name: "minor", where: "f3", run: "A", change: func(s *State) {
				review(s).Threads, review(s).Listed = []string{"f1", "f2", "f3", "f4"}, nil
			}},
			{name: "note", where: "f2", run: "A", change: func(s *State) { s.Result.Findings[1].Severity = contract.SeverityNote }},
			{name: "near: a note of category security", run: "A", change: func(s *State) { s.Result.Findings[0].Severity = contract.SeverityNote }},
			{name: "near: one that gates in the list", run: "A", change: func(s *State) {
				review(s).Threads, review(s).Listed = []string{"f1", "f4"}, []string{"f2", "f3"}
			}},
		},
		contract.CodeDispositionFindingUnknown: {
			{name: "not open in the Task", where: runA + "/f3", change: func(s *State) { s.Result.Dispositions[2].Finding = runA + "/f3" }},
			{name: "one of this Result", where: "f1", change: func(s *State) { s.Result.Dispositions[2].Finding = "f1" }},
			{name: "a reply that no Disposition fills", where: openF2, change: func(s *State) { s.Result.Dispositions = slices.Delete(s.Result.Dispositions, 1, 2) }},
			{name: "an answer that no Disposition fills", where: openF4, change: func(s *State) { s.Result.Dispositions = s.Result.Dispositions[:2] }},
			{name: "a resolve of one that is not open", where: "e9", change: func(s *State) { resolve(s, runA+"/f3") }},
			{name: "near: an open Finding without an answer", change: func(s *State) {
				s.Result.Dispositions, s.Result.Effects = slices.Delete(s.Result.Dispositions, 1, 2), s.Result.Effects[:2]
			}},
		},
		contract.CodeDispositionDuplicate: {
			{name: "two of one Finding", where: openF1, change: func(s *State) { s.Result.Dispositions = append(s.Result.Dispositions, s.Result.Dispositions[0]) }},
		},
		contract.CodeDispositionNoHalf: {
			{name: "neither", where: openF1, change: func(s *State) { s.Result.Dispositions[0].Reviewer = nil }},
		},
		contract.CodeDispositionBothHalves: {
			{name: "both", where: openF1, change: func(s *State) {
				s.Result.Dispositions[0].Author = &contract.AuthorHalf{Text: text("Done."), Verdict: contract.VerdictFixed}
			}},
		},
		contract.CodeDispositionNotRole: {
			{name: "an author's half by a reviewer", where: openF1, change: func(s *State) {
				s.Result.Dispositions[0] = contract.Disposition{Finding: openF1, Author: &contract.AuthorHalf{Text: text("Done."), Verdict: contract.VerdictFixed}}
			}},
			{name: "a reviewer's half by an author", where: openF1, change: func(s *State) { s.Role.DispositionHalf = contract.HalfAuthor }},
			{name: "near: an author's half by an author", change: func(s *State) {
				s.Role.DispositionHalf = contract.HalfAuthor
				for i := range s.Result.Dispositions {
					s.Result.Dispositions[i].Reviewer = nil
					s.Result.Dispositions[i].Author = &contract.AuthorHalf{Text: text("Done."), Verdict: contract.VerdictDeclined}
				}
			}},
		},
		contract.CodeDispositionSecurity: {
			{name: "accepted, of declined", where: openF1, change: func(s *State) { accept(s, 0, contract.VerdictDeclined, "thread:61010:1") }},
			{name: "accepted, of deferred", where: openF1, change: func(s *State) { accept(s, 0, contract.VerdictDeferred, "thread:61010:1") }},
			{name: "accepted, of declined, on a maintainer's word in its thread", where: openF1, change: func(s *State) {
				answered(s)
				s.Task.Findings[0].Answers = []string{"thread:61011:1"}
				accept(s, 0, contract.VerdictDeclined, "thread:61011:1")
			}},
			{name: "near: accepted, of fixed, on the diff", change: func(s *State) { accept(s, 0, contract.VerdictFixed, diffB) }},
			{name: "near: rejected, of declined", change: func(s *State) { s.Result.Dispositions[0].Reviewer.Of = contract.VerdictDeclined }},
		},
		contract.CodeDispositionUnsupported: {
			{name: "fixed, on the author's word", where: openF1, change: func(s *State) { accept(s, 0, contract.VerdictFixed, "thread:61010:1") }},
			{name: "fixed, on a maintainer's word", where: openF2, change: func(s *State) {
				answered(s)
				accept(s, 1, contract.VerdictFixed, "thread:61011:1")
			}},
			{name: "fixed, on the diff of another content", where: openF2, change: func(s *State) {
				accept(s, 1, contract.VerdictFixed, "diff:8a3b64b927c762dddb6c00012fa64f3631e30ae9e818a2066516d603b4078791")
			}},
			{name: "fixed, on a text that is not there", where: openF2, change: func(s *State) { accept(s, 1, contract.VerdictFixed, "thread:1:1") }},
			{name: "declined, on the diff", where: openF2, change: func(s *State) { accept(s, 1, contract.VerdictDeclined, diffB) }},
			{name: "declined, on an outsider's word in its thread", where: openF2, change: func(s *State) {
				answered(s)
				s.Task.Texts[len(s.Task.Texts)-1].Trust = contract.TrustOutside
				accept(s, 1, contract.VerdictDeclined, "thread:61011:1")
			}},
			{name: "declined, on a maintainer's word about something else", where: openF2, change: func(s *State) { accept(s, 1, contract.VerdictDeclined, "comment:9001:2") }},
			{name: "declined in the body, on a comment from before the Finding", where: openF4, change: func(s *State) { accept(s, 2, contract.VerdictDeclined, "comment:9001:2") }},
			{name: "declined in the body, on a quote in a later comment", where: openF4, change: func(s *State) {
				s.Fresh.Comments[0].At = s.Fresh.ReadAt
				accept(s, 2, contract.VerdictDeclined, "comment:9001:1")
			}},
			{name: "declined, on a maintainer's word that somebody edited", where: openF2, change: func(s *State) {
				answered(s)
				words := s.Fresh.Threads[1].Comments
				words[len(words)-1].EditedAt = &s.Fresh.ReadAt
				accept(s, 1, contract.VerdictDeclined, "thread:61011:1")
			}},
			{name: "declined, on a maintainer's word that is gone", where: openF2, change: func(s *State) {
				answered(s)
				s.Fresh.Threads[1].Comments = s.Fresh.Threads[1].Comments[:1]
				accept(s, 1, contract.VerdictDeclined, "thread:61011:1")
			}},
			{name: "declined in the body, on a later comment that somebody edited", where: openF4, change: func(s *State) {
				s.Fresh.Comments[0].At, s.Fresh.Comments[0].EditedAt = s.Fresh.ReadAt, &s.Fresh.ReadAt
				accept(s, 2, contract.VerdictDeclined, "comment:9001:2")
			}},
			{name: "declined in the body, on a maintainer's later word in a thread", where: openF4, change: func(s *State) {
				answered(s)
				accept(s, 2, contract.VerdictDeclined, "thread:61011:1")
			}},
			{name: "fixed, in a file that was left out", where: openF2, change: func(s *State) { leaveOut(s, "internal/sync/worker.go") }},
			{name: "fixed, in a file that was left out under a new name", where: openF2, change: func(s *State) {
				leaveOut(s, "internal/sync/worker.go")
				s.Fresh.Threads[1].Path = text("internal/old/worker.go")
				s.Diff = diff.NewIndex([]byte("diff --git a/internal/old/worker.go b/internal/sync/worker.go\nrename from internal/old/worker.go\nrename to internal/sync/worker.go\n@@ -1 +1 @@\n-a\n+b\n"))
			}},
			{name: "fixed, in a file whose content the diff does not show", where: openF2, change: func(s *State) {
				s.Task.Omitted = []contract.Omitted{{Kind: contract.OmittedOpaque, Files: 1}}
				old := text("internal/sync/worker.go")
				s.Fresh.Content.Files[0] = contract.ContentFile{Path: text("renamed.bin"), PreviousPath: &old}
			}},
			{name: "near: fixed, in another file than the one that was left out", change: func(s *State) { leaveOut(s, "internal/sync/other.go") }},
			{name: "of a claim that is none", where: openF2, change: func(s *State) { accept(s, 1, "merged", diffB) }},
			{name: "a thread resolved that was not accepted", where: "e9", change: func(s *State) { resolve(s, openF1) }},
			{name: "near: declined, on a maintainer's word in its thread", change: func(s *State) {
				answered(s)
				accept(s, 1, contract.VerdictDeclined, "thread:61011:1")
			}},
			{name: "near: deferred, on a maintainer's word in its thread", change: func(s *State) {
				answered(s)
				accept(s, 1, contract.VerdictDeferred, "thread:61011:1")
			}},
			{name: "near: declined in the body, on a maintainer's later comment", change: func(s *State) {
				s.Fresh.Comments[0].At = s.Fresh.ReadAt
				accept(s, 2, contract.VerdictDeclined, "comment:9001:2")
			}},
			{name: "near: a thread resolved that was accepted", change: func(s *State) { resolve(s, openF2) }},
			{name: "near: rejected on the author's word", change: func(*State) {}},
		},
		contract.CodeDispositionUnposted: {
			{name: "no reply", where: openF2, change: func(s *State) { s.Result.Effects = s.Result.Effects[:2] }},
			{name: "not in answers", where: openF4, change: func(s *State) { review(s).Answers = nil }},
			{name: "only a resolve", where: openF2, change: func(s *State) {
				s.Result.Effects = s.Result.Effects[:2]
				resolve(s, openF2)
			}},
			{name: "near: in answers though it has a thread", change: func(s *State) {
				s.Result.Effects = s.Result.Effects[:2]
				review(s).Answers = []string{openF2, openF4}
			}},
		},
		contract.CodeDispositionPostedTwice: {
			{name: "a reply and in answers", where: openF1, change: func(s *State) { review(s).Answers = []string{openF1, openF4} }},
			{name: "two replies", where: openF1, change: func(s *State) { s.Result.Effects[2].ReplyThread.Finding = openF1; drop(s, 1) }},
			{name: "twice in answers", where: openF4, change: func(s *State) { review(s).Answers = []string{openF4, openF4} }},
		},
		contract.CodeDispositionThread: {
			{name: "a reply to a Finding in the body", where: "e3", change: func(s *State) {
				review(s).Answers = []string{openF2}
				s.Result.Effects[2].ReplyThread.Finding = openF4
			}},
			{name: "the thread is gone", where: "e3", change: func(s *State) { s.Fresh.Threads = s.Fresh.Threads[:1] }},
			{name: "the thread is a stranger's copy of ours", where: "e3", change: func(s *State) { s.Fresh.Threads[1].Comments[0].Author.ID = 2000002 }},
			{name: "the plan is for another thread", where: "e2", change: func(*State) {}, after: func(s *State) { s.Plan.Effects[1].Reply.ThreadID = "PRRT_a2" }},
			{name: "near: an outdated thread", change: func(*State) {}},
		},
		contract.CodeReviewNotComment: {
			{name: "APPROVE", where: "e1", change: func(s *State) { review(s).Event = "APPROVE" }},
			{name: "REQUEST_CHANGES", where: "e1", change: func(s *State) { review(s).Event = "REQUEST_CHANGES" }},
			{name: "small letters", where: "e1", change: func(s *State) { review(s).Event = "comment" }},
			{name: "no event, which leaves it pending", where: "e1", change: func(s *State) { review(s).Event = "" }},
			{name: "in the Result alone", where: "e1", change: func(s *State) { review(s).Event = "APPROVE" }, after: func(s *State) { s.Plan.Effects[0].Review.Event = plan.EventComment }},
			{name: "in the request alone", where: "e1", change: func(*State) {}, after: func(s *State) { s.Plan.Effects[0].Review.Event = "APPROVE" }},
		},
		contract.CodeReviewCommit: {
			{name: "another commit in the request", where: "e1", change: func(*State) {}, after: func(s *State) { s.Plan.Effects[0].Review.Commit = strings.Repeat("0", 40) }},
			{name: "no commit, which GitHub reads as the head", where: "e1", change: func(*State) {}, after: func(s *State) { s.Plan.Effects[0].Review.Commit = "" }},
		},
		contract.CodeTextSecret: {
			{name: "in the review", where: "e1", change: func(s *State) { review(s).Body = text("The token is " + token + ".") }},
			{name: "in a title", where: "f1", change: func(s *State) { s.Result.Findings[0].Title = text(token) }},
			{name: "in a code fence of a Finding", where: "f1", change: func(s *State) { s.Result.Findings[0].Text = text("```\n" + token + "\n```") }},
			{name: "in a path", where: "f1", change: func(s *State) { path := text("a/" + token); s.Result.Findings[0].Path = &path }},
			{name: "in an answer", where: openF2, change: func(s *State) { s.Result.Dispositions[1].Reviewer.Text = text(token) }},
			{name: "split by invisible characters", where: "e1", change: func(s *State) { review(s).Body = text(token[:12] + "\u2063" + token[12:]) }},
			{name: "a private key", where: "e1", change: func(s *State) {
				review(s).Body = text("-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0123456789abcdef\n-----END RSA PRIVATE KEY-----")
			}},
			{name: "put together by the request", where: "e1", change: func(*State) {}, after: func(s *State) { s.Plan.Effects[0].Review.Body += "\n" + token }},
			{name: "near: in the admitted diff, which is masked", change: func(s *State) {
				s.Diff = diff.NewIndex([]byte("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n a\n+key = " + token + "\n"))
				review(s).Body = text("The token " + token + " must not be here.")
			}},
			{name: "near: the beginning of one", change: func(s *State) { review(s).Body = text("Tokens begin with ghp_ or sk-ant-.") }},
		},
		contract.CodeTextMarker: {
			{name: "in the review", where: "e1", change: func(s *State) { review(s).Body = text("Fine. <!-- airlock/1 review key= -->") }},
			{name: "in a code fence", where: "f1", change: func(s *State) { s.Result.Findings[0].Text = text("```\n<!-- airlock/1 finding id=x -->\n```") }},
			{name: "in a title", where: "f1", change: func(s *State) { s.Result.Findings[0].Title = text("<!-- airlock/") }},
			{name: "in a path", where: "f1", change: func(s *State) { path := text("<!-- airlock/x"); s.Result.Findings[0].Path = &path }},
			{name: "in an answer", where: openF1, change: func(s *State) { s.Result.Dispositions[0].Reviewer.Text = text("<!-- airlock/1 x -->") }},
			{name: "split by an invisible character", where: "e1", change: func(s *State) { review(s).Body = text("<!-\u200b- airlock/1 review -->") }},
			{name: "spaced and written otherwise", where: "e1", change: func(s *State) { review(s).Body = text("<!--\tAirlock/1 review -->") }},
			{name: "one too many in the request", where: "e1", change: func(*State) {}, after: func(s *State) {
				s.Plan.Effects[0].Review.Body = ledger.Prefix + "1 x -->\n" + s.Plan.Effects[0].Review.Body
			}},
			{name: "written as a browser takes it", where: "e1", change: func(s *State) { review(s).Body = text("<!---  airlock /1 review -->") }},
			{name: "another way in the request", where: "e1", change: func(*State) {}, after: func(s *State) {
				s.Plan.Effects[0].Review.Body = "<!-- Airlock/1 x -->\n" + s.Plan.Effects[0].Review.Body
			}},
			{name: "none in the request", where: "e2", change: func(*State) {}, after: func(s *State) { s.Plan.Effects[1].Reply.Body = "Fine." }},
			{name: "near: another comment", change: func(s *State) { review(s).Body = text("<!-- airlocked: see airlock/1 -->") }},
			{name: "near: the words alone", change: func(s *State) { review(s).Body = text("airlock/1 writes a marker.") }},
		},
		contract.CodeTextTooLong: {
			{name: "a review one byte over", where: "e1", change: func(*State) {}, after: func(s *State) { fill(&s.Plan.Effects[0].Review.Body, contract.MaxBodyBytes+1) }},
			{name: "a comment one byte over", where: runB + "/f1", change: func(*State) {}, after: func(s *State) { fill(&s.Plan.Effects[0].Review.Comments[0].Body, contract.MaxBodyBytes+1) }},
			{name: "a reply one byte over", where: "e2", change: func(*State) {}, after: func(s *State) { fill(&s.Plan.Effects[1].Reply.Body, contract.MaxBodyBytes+1) }},
			{name: "over with its marker alone", where: "e1", change: func(s *State) { review(s).Body = text(strings.Repeat("a", contract.MaxBodyBytes-100)) }},
			{name: "few characters of many bytes", where: "e1", change: func(s *State) { review(s).Body = text(strings.Repeat("語", 22000)) }},
			{name: "near: exactly the limit", change: func(*State) {}, after: func(s *State) { fill(&s.Plan.Effects[0].Review.Body, contract.MaxBodyBytes) }},
		},
	}
}

// reserved are the codes that nothing can give, because no type of Effect can push.
var reserved = []contract.Code{contract.CodePushProtected, contract.CodePushLensInput}

// TestRefusal holds each rule to what it must refuse and to what it must let pass.
func TestRefusal(t *testing.T) {
	all := cases()
	for _, code := range contract.CodesOf(contract.StageRefusal) {
		if slices.Contains(reserved, code) {
			continue
		}
		t.Run(string(code), func(t *testing.T) {
			if len(all[code]) == 0 {
				t.Fatal("no case")
			}
			for _, c := range all[code] {
				t.Run(c.name, func(t *testing.T) {
					run := "B"
					if c.run != "" {
						run = c.run
					}
					s := model(t, run)
					c.change(&s)
					s = planned(t, s)
					if c.after != nil {
						c.after(&s)
					}
					got := Check(s)
					switch {
					case c.where == "" && got != nil:
						t.Errorf("refused with %s at %s", got.Code, got.Where)
					case c.where != "" && got == nil:
						t.Error("not refused")
					case c.where != "" && (got.Code != code || got.Where != c.where):
						t.Errorf("refused with %s at %s, want %s at %s", got.Code, got.Where, code, c.where)
					}
					if strings.HasPrefix(c.name, "near: ") != (c.where == "") {
						t.Error("a near miss is named near, and nothing else is")
					}
				})
			}
		})
	}
}

// TestRules holds the list to the design's order and completeness, and each rule to one sentence.
func TestRules(t *testing.T) {
	var codes []contract.Code
	for _, rule := range Rules() {
		codes = append(codes, rule.Code)
		if !strings.HasSuffix(rule.Doc, ".") {
			t.Errorf("%s: %q is no sentence", rule.Code, rule.Doc)
		}
	}
	codes = append(codes, reserved...)
	if want := contract.CodesOf(contract.StageRefusal); !slices.Equal(codes, want) {
		t.Errorf("rules are\n%v, want\n%v", codes, want)
	}
}

// TestNothingCanPush holds that the reserved codes need no rule: the types of Effects are these three, and none needs more
// than a review or a resolve does.
func TestNothingCanPush(t *testing.T) {
	if got := contract.EffectTypes(); !slices.Equal(got, []string{contract.SubmitReview, contract.ReplyThread, contract.ResolveThread}) {
		t.Fatalf("types of Effects are %v", got)
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "schemas", "effect.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"push", "commits", "branch", "merge", "approve", "label"} {
		if strings.Contains(strings.ToLower(string(data)), `"`+word) {
			t.Errorf("schemas/effect.json names %q", word)
		}
	}
	pushing := `{"id":"e1","type":"push_commits","finding":"` + openF1 + `"}`
	var effect contract.Effect
	if err := contract.Decode([]byte(pushing), &effect); err == nil {
		t.Error("an Effect of type push_commits was decoded")
	}
}

// TestOrder holds that of two rules that both hold the design's order decides.
func TestOrder(t *testing.T) {
	s := model(t, "B")
	s.Result.Run, s.Result.Task = runA, ""
	review(&s).Event, review(&s).Body = "APPROVE", text(token)
	if got := Check(planned(t, s)); got == nil || got.Code != contract.CodeRunMismatch {
		t.Errorf("refused with %v, want run_mismatch", got)
	}
}

// TestWhere holds that no text of a Result gets into a Refusal, not even as an id.
func TestWhere(t *testing.T) {
	for id, want := range map[string]string{"<b>@everyone</b>": "(an id that is not one)", strings.Repeat("f", 99): "(an id that is too long)", "f1": "f1"} {
		s := model(t, "B")
		s.Result.Findings = append(s.Result.Findings, contract.RawFinding{ID: id}, contract.RawFinding{ID: id})
		if got := Check(planned(t, s)); got == nil || got.Code != contract.CodeFindingDuplicate || got.Where != want {
			t.Errorf("refused with %v, want %s at %s", got, contract.CodeFindingDuplicate, want)
		}
	}
}

func accept(s *State, i int, of, evidence string) {
	s.Result.Dispositions[i].Reviewer = &contract.ReviewerHalf{Evidence: evidence, Of: of, Text: text("Fine."), Verdict: contract.VerdictAccepted}
}

// leaveOut takes a file, which the diff then holds alone, from what the model was shown.
func leaveOut(s *State, path string) {
	s.Task.Omitted = []contract.Omitted{{Kind: contract.OmittedDiff, Files: 1, Characters: 100}}
	s.Task.Texts[0].Text = text("")
	s.Diff = diff.NewIndex([]byte("diff --git a/" + path + " b/" + path + "\n--- a/" + path + "\n+++ b/" + path + "\n@@ -1 +1 @@\n-a\n+b\n"))
}

// drop removes a Disposition.
func drop(s *State, i int) { s.Result.Dispositions = slices.Delete(s.Result.Dispositions, i, i+1) }

// fill lengthens a body at its beginning.
func fill(body *string, size int) { *body = strings.Repeat("a", size-len(*body)) + *body }

// ownReview is a review that our App submitted for a Run on this item.
func ownReview(s *State, key, run string) contract.Review {
	marker := ledger.ReviewMarker{Key: key, Run: run, Role: "pr-review", Intent: "review-change",
		Content: strings.TrimPrefix(s.Decision.ContentID, "sha256:"), Commit: s.Decision.Commit, Status: contract.StatusCompleted}
	return contract.Review{At: s.Fresh.ReadAt, Author: contract.User{ID: 190000001, Type: "Bot"}, Commit: s.Decision.Commit, ID: 51009,
		NodeID: "PRR_x", State: "COMMENTED", Text: text("Fine.\n\n" + marker.String())}
}

// ownReply is a reply of our App for a Run in the thread of f1.
func ownReply(s *State, key, run string) contract.ThreadComment {
	marker := ledger.DispositionMarker{Key: key, Run: run, Finding: openF1, Half: contract.HalfReviewer, Verdict: contract.VerdictRejected, Of: contract.VerdictFixed}
	return contract.ThreadComment{At: s.Fresh.ReadAt, Author: contract.User{ID: 190000001, Type: "Bot"}, ID: 61019, NodeID: "PRRC_x", Text: text("No.\n\n" + marker.String())}
}
