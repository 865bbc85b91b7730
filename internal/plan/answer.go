package plan

import (
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
)

// reply builds the request of a reply_thread: the Disposition's text and its marker.
func (b *builder) reply(asked contract.ThreadEffect, key string) *Reply {
	reply := &Reply{FindingID: asked.Finding}
	if open, ok := b.in.Ledger.Finding(asked.Finding); ok && open.ThreadID != "" {
		reply.ThreadID, reply.CommentID = open.ThreadID, open.DatabaseID
	}
	if marker, text, ok := b.answer(asked.Finding, asked.ID, key); ok {
		reply.Body = text + "\n\n" + marker
	}
	return reply
}

// answer renders the Disposition of a Finding for the Effect that posts it. One that has not exactly one half is not posted.
func (b *builder) answer(finding, effect, key string) (marker, text string, ok bool) {
	asked, known := b.answers[finding]
	if !known || (asked.Author == nil) == (asked.Reviewer == nil) {
		return "", "", false
	}
	posted := Disposition{Effect: effect, Finding: finding}
	of := ledger.None
	if half := asked.Reviewer; half != nil {
		claim := half.Of
		posted.Half, posted.Verdict, posted.Of, of = contract.HalfReviewer, half.Verdict, &claim, claim
		text = b.text.answer(half.Verdict, claim, half.Text)
	} else {
		posted.Half, posted.Verdict = contract.HalfAuthor, asked.Author.Verdict
		text = b.text.answer(asked.Author.Verdict, "", asked.Author.Text)
	}
	b.dispositions = append(b.dispositions, posted)
	marker = ledger.DispositionMarker{Key: key, Run: b.in.Decision.Run, Finding: finding,
		Half: posted.Half, Verdict: posted.Verdict, Of: of}.String()
	return marker, text, true
}
