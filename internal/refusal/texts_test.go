package refusal_test

import (
	"fmt"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/refusal"
)

// textCases is step 8: text that may not leave.
func textCases() map[contract.Code][]testCase {
	return map[contract.Code][]testCase{
		contract.CodeTextSecret: {
			{name: "in the review", where: "e1", change: func(w *world) { w.review().Body = text("The token is " + token + ".") }},
			{name: "in a title", where: "f1", change: func(w *world) { w.Result.Findings[0].Title = text(token) }},
			{name: "in a code fence of a Finding", where: "f1", change: func(w *world) { w.Result.Findings[0].Text = text("```\n" + token + "\n```") }},
			{name: "in a path", where: "f1", change: func(w *world) { path := text("a/" + token); w.Result.Findings[0].Path = &path }},
			{name: "in an answer", where: openF2, change: func(w *world) { w.Result.Dispositions[1].Reviewer.Text = text(token) }},
			{name: "in an author's answer", where: openF1, change: func(w *world) {
				w.Bundle.Role.DispositionHalf = contract.HalfAuthor
				for i := range w.Result.Dispositions {
					w.Result.Dispositions[i].Reviewer = nil
					w.Result.Dispositions[i].Author = &contract.AuthorHalf{Text: text(token), Verdict: contract.VerdictFixed}
				}
			}},
			{name: "split by invisible characters", where: "e1", change: func(w *world) { w.review().Body = text(token[:12] + "\u2063" + token[12:]) }},
			{name: "a private key", where: "e1", change: func(w *world) {
				w.review().Body = text("-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0123456789abcdef\n-----END RSA PRIVATE KEY-----")
			}},
			{name: "put together by the request", where: "e1", rule: func(s *refusal.State) { s.Plan.Effects[0].Review.Body += "\n" + token }},
			{name: "near: in the admitted diff, which is masked", change: func(w *world) {
				w.Bundle.Diff = []byte("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n a\n+key = " + token + "\n")
				w.review().Body = text("The token " + token + " must not be here.")
				w.answersTask()
			}},
			{name: "near: the beginning of one", change: func(w *world) { w.review().Body = text("Tokens begin with ghp_ or sk-ant-.") }},
		},
		contract.CodeTextMarker: {
			{name: "in the review", where: "e1", change: func(w *world) { w.review().Body = text("Fine. <!-- airlock/1 review key= -->") }},
			{name: "in a code fence", where: "f1", change: func(w *world) { w.Result.Findings[0].Text = text("```\n<!-- airlock/1 finding id=x -->\n```") }},
			{name: "in a title", where: "f1", change: func(w *world) { w.Result.Findings[0].Title = text("<!-- airlock/") }},
			{name: "in a path", where: "f1", change: func(w *world) { path := text("<!-- airlock/x"); w.Result.Findings[0].Path = &path }},
			{name: "in an answer", where: openF1, change: func(w *world) { w.Result.Dispositions[0].Reviewer.Text = text("<!-- airlock/1 x -->") }},
			{name: "split by an invisible character", where: "e1", change: func(w *world) { w.review().Body = text("<!-\u200b- airlock/1 review -->") }},
			{name: "spaced and written otherwise", where: "e1", change: func(w *world) { w.review().Body = text("<!--\tAirlock/1 review -->") }},
			{name: "one too many in the request", where: "e1", rule: func(s *refusal.State) {
				s.Plan.Effects[0].Review.Body = ledger.Prefix + "1 x -->\n" + s.Plan.Effects[0].Review.Body
			}},
			{name: "written as a browser takes it", where: "e1", change: func(w *world) { w.review().Body = text("<!---  airlock /1 review -->") }},
			{name: "another way in the request", where: "e1", rule: func(s *refusal.State) {
				s.Plan.Effects[0].Review.Body = "<!-- Airlock/1 x -->\n" + s.Plan.Effects[0].Review.Body
			}},
			{name: "none in the request", where: "e2", rule: func(s *refusal.State) { s.Plan.Effects[1].Reply.Body = "Fine." }},
			{name: "near: another comment", change: func(w *world) { w.review().Body = text("<!-- airlocked: see airlock/1 -->") }},
			{name: "near: the words alone", change: func(w *world) { w.review().Body = text("airlock/1 writes a marker.") }},
		},
		contract.CodeTextTooLong: {
			{name: "nine listed Findings of 8,000 characters", where: "e1", run: "A", change: func(w *world) { list(w, 9) }},
			{name: "a review one byte over", where: "e1", rule: func(s *refusal.State) { fill(&s.Plan.Effects[0].Review.Body, contract.MaxBodyBytes+1) }},
			{name: "a comment one byte over", where: runB + "/f1", rule: func(s *refusal.State) { fill(&s.Plan.Effects[0].Review.Comments[0].Body, contract.MaxBodyBytes+1) }},
			{name: "a reply one byte over", where: "e2", rule: func(s *refusal.State) { fill(&s.Plan.Effects[1].Reply.Body, contract.MaxBodyBytes+1) }},
			{name: "over with its marker alone", where: "e1", schema: true, change: func(w *world) { w.review().Body = text(strings.Repeat("a", contract.MaxBodyBytes-100)) }},
			{name: "few characters of many bytes", where: "e1", schema: true, change: func(w *world) { w.review().Body = text(strings.Repeat("語", 22000)) }},
			{name: "near: seven listed Findings of 8,000 characters", run: "A", change: func(w *world) { list(w, 7) }},
			{name: "near: exactly the limit", rule: func(s *refusal.State) { fill(&s.Plan.Effects[0].Review.Body, contract.MaxBodyBytes) }},
		},
	}
}

// list lists so many long Findings.
func list(w *world, count int) {
	w.Result.Findings, w.review().Threads, w.review().Listed = nil, nil, nil
	for i := range count {
		id := fmt.Sprintf("f%d", i+1)
		w.Result.Findings = append(w.Result.Findings, contract.RawFinding{Category: "tests", Severity: contract.SeverityMinor, ID: id, Title: text("Long"),
			Text: text(strings.Repeat("word ", 1600))})
		w.review().Listed = append(w.review().Listed, id)
	}
}
