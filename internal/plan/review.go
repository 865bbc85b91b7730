package plan

import (
	"fmt"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
)

// review builds the request of a submit_review. Its body is, in this order: the Result's text, what is open already, the
// files that were not shown, the Findings that stand on no line, the listed ones, the answers, and the marker.
func (b *builder) review(asked contract.SubmitReviewEffect, key string, unseen Unseen) *Review {
	request := &Review{Commit: b.in.Decision.Commit, Event: asked.Event, Comments: []Comment{}}
	var unplaced, listed, answers []string
	open := 0
	for _, id := range asked.Threads {
		finding, ok := b.place(id, asked.ID, true)
		if !ok {
			continue
		}
		switch finding.Placement {
		case contract.PlacementLine:
			request.Comments = append(request.Comments, comment(finding))
		case contract.PlacementBody:
			unplaced = append(unplaced, b.section(id, finding))
		default:
			open++
		}
	}
	for _, id := range asked.Listed {
		finding, ok := b.place(id, asked.ID, false)
		if !ok {
			continue
		}
		if finding.Placement == contract.PlacementAlreadyOpen {
			open++
			continue
		}
		listed = append(listed, b.section(id, finding))
	}
	for _, id := range asked.Answers {
		if marker, text, ok := b.answer(id, asked.ID, key); ok {
			answers = append(answers, marker+"\n"+text)
		}
	}

	var parts []string
	add := func(heading string, sections []string) {
		if len(sections) > 0 {
			parts = append(append(parts, heading), sections...)
		}
	}
	if text := b.text.block(asked.Body); text != "" {
		parts = append(parts, text)
	}
	if open > 0 {
		parts = append(parts, alreadyOpen(open))
	}
	if text := unseen.section(b.text); text != "" {
		parts = append(parts, text)
	}
	add(ledger.HeadingUnplaced, unplaced)
	add(ledger.HeadingListed, listed)
	add(ledger.HeadingAnswers, answers)
	parts = append(parts, ledger.ReviewMarker{Key: key, Run: b.in.Decision.Run, Role: b.in.Decision.Role, Intent: b.in.Decision.Intent,
		Content: strings.TrimPrefix(b.in.Decision.ContentID, "sha256:"), Commit: b.in.Decision.Commit,
		Status: b.in.Result.Status, Omitted: unseen.Count()}.String())
	request.Body = strings.Join(parts, "\n\n")
	return request
}

func alreadyOpen(findings int) string {
	if findings == 1 {
		return "One finding was open already and is not repeated here."
	}
	return fmt.Sprintf("%d findings were open already and are not repeated here.", findings)
}

// place decides where a Finding of the Result goes, once: the first Effect that names it posts it.
func (b *builder) place(id, effect string, thread bool) (Finding, bool) {
	raw, known := b.raw[id]
	if _, placed := b.placed[id]; !known || placed {
		return Finding{}, false
	}
	at := locate(raw, b.in.Diff)
	finding := Finding{ID: id, FindingID: contract.FindingID(b.in.Decision.Run, id), Effect: effect,
		Category: raw.Category, Severity: raw.Severity, Gates: contract.Gates(raw.Category, raw.Severity),
		Anchor: at.anchor, Fingerprint: at.fingerprint(raw.Category), Path: at.path, Body: b.text.finding(raw, at)}
	open, repeated := b.openAlready(finding)
	switch {
	case repeated:
		finding.Placement, finding.FindingID, finding.Why = contract.PlacementAlreadyOpen, open, "the same category stands open at the same place"
	case thread && at.inHunk:
		line, side := at.line, at.side
		finding.Placement, finding.Line, finding.Side, finding.StartLine = contract.PlacementLine, &line, &side, at.start
		finding.Why = "its line is in a hunk"
	case thread && raw.Path == nil:
		finding.Placement, finding.Why = contract.PlacementBody, "it names no file"
	case thread && (raw.Line == nil || raw.Side == nil):
		finding.Placement, finding.Why = contract.PlacementBody, "it names no line"
	case thread:
		finding.Placement, finding.Why = contract.PlacementBody, "its line is in no hunk of this change"
	default:
		finding.Placement, finding.Why = contract.PlacementBody, "it asked for no thread"
	}
	b.placed[id] = finding
	return finding, true
}

func (f Finding) marker() string {
	anchor := ledger.None
	if f.Anchor != nil {
		anchor = *f.Anchor
	}
	return ledger.FindingMarker{ID: f.FindingID, Category: f.Category, Severity: f.Severity, Anchor: anchor, Fingerprint: f.Fingerprint}.String()
}

func comment(f Finding) Comment {
	c := Comment{Path: *f.Path, Line: *f.Line, Side: *f.Side, StartLine: f.StartLine, Body: f.Body + "\n\n" + f.marker(), FindingID: f.FindingID}
	if f.StartLine != nil {
		side := *f.Side
		c.StartSide = &side
	}
	return c
}

// section is a Finding in the review's body: its marker, where it is about, and its text.
func (b *builder) section(id string, f Finding) string {
	head := f.marker()
	if f.Path != nil {
		head += "\n" + b.text.location(locate(b.raw[id], b.in.Diff)) + "\n"
	}
	return head + "\n" + f.Body
}
