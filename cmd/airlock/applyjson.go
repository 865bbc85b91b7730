package main

import (
	"io"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// The document of apply --plan --json. Fields are only ever added.
type (
	planDocument struct {
		Schema       string                `json:"schema"`
		Run          string                `json:"run"`
		Commit       string                `json:"commit"`
		Stands       bool                  `json:"stands"`
		Ended        []endedDocument       `json:"ended"`
		Tokens       []tokenDocument       `json:"tokens"`
		Effects      []effectDocument      `json:"effects"`
		Findings     []findingDocument     `json:"findings"`
		Dispositions []dispositionDocument `json:"dispositions"`
		Status       string                `json:"status"`
		Reasons      []contract.Code       `json:"reasons"`
		GatingOpen   []string              `json:"gating_open"`
		Check        *checkDocument        `json:"check"`
	}
	endedDocument struct {
		Code     contract.Code `json:"code"`
		Sentence string        `json:"sentence"`
		Where    string        `json:"where"`
		Next     string        `json:"next"`
	}
	tokenDocument struct {
		Purpose     string            `json:"purpose"`
		Permissions map[string]string `json:"permissions"`
	}
	effectDocument struct {
		ID       string            `json:"id"`
		Type     string            `json:"type"`
		Key      string            `json:"key"`
		Needs    map[string]string `json:"needs"`
		Refused  contract.Code     `json:"refused"`
		Standing bool              `json:"standing"`
		Commit   string            `json:"commit,omitempty"`
		Event    string            `json:"event,omitempty"`
		Finding  string            `json:"finding,omitempty"`
		Thread   string            `json:"thread,omitempty"`
		Body     string            `json:"body,omitempty"`
		Comments []commentDocument `json:"comments,omitempty"`
	}
	commentDocument struct {
		Finding   string `json:"finding"`
		Path      string `json:"path"`
		StartLine *int   `json:"start_line"`
		Line      int    `json:"line"`
		Side      string `json:"side"`
		Body      string `json:"body"`
	}
	findingDocument struct {
		ID          string  `json:"id"`
		Effect      string  `json:"effect"`
		Category    string  `json:"category"`
		Severity    string  `json:"severity"`
		Gates       bool    `json:"gates"`
		Placement   string  `json:"placement"`
		Why         string  `json:"why"`
		Path        *string `json:"path"`
		Line        *int    `json:"line"`
		Fingerprint string  `json:"fingerprint"`
	}
	dispositionDocument struct {
		Finding string  `json:"finding"`
		Effect  string  `json:"effect"`
		Half    string  `json:"half"`
		Verdict string  `json:"verdict"`
		Of      *string `json:"of"`
	}
	checkDocument struct {
		Name       string `json:"name"`
		Commit     string `json:"commit"`
		Conclusion string `json:"conclusion"`
		Title      string `json:"title"`
		Summary    string `json:"summary"`
	}
)

// writePlanJSON prints a plan, or the end of the Run, for a program.
func writePlanJSON(w io.Writer, f foreseen) error {
	document := planDocument{Schema: "airlock-plan/1", Run: f.decision.Run, Commit: f.decision.Commit, Stands: f.stands(),
		Ended: []endedDocument{}, Tokens: []tokenDocument{}, Effects: []effectDocument{}, Findings: []findingDocument{},
		Dispositions: []dispositionDocument{}, Status: f.report.Outcome.Status, Reasons: f.report.Outcome.Reasons, GatingOpen: f.report.Outcome.GatingOpen}
	for n, code := range f.prepared.Ending {
		reason, _ := contract.ReasonOf(code)
		ended := endedDocument{Code: code, Sentence: reason.Sentence, Next: reason.Next}
		if n == len(f.prepared.Ending)-1 {
			ended.Where = f.prepared.Where
		}
		document.Ended = append(document.Ended, ended)
	}
	if check := f.report.Check; check != nil {
		document.Check = &checkDocument{check.Name, check.Commit, check.Conclusion, check.Title, check.Summary}
	}
	if f.stands() {
		for _, token := range f.prepared.Plan.Tokens {
			document.Tokens = append(document.Tokens, tokenDocument{token.Purpose, token.Permissions})
		}
		for _, effect := range f.prepared.Plan.Effects {
			document.Effects = append(document.Effects, documentEffect(effect, f.standing[effect.ID]))
		}
		for _, finding := range f.prepared.Plan.Findings {
			document.Findings = append(document.Findings, documentFinding(finding))
		}
		for _, d := range f.prepared.Plan.Dispositions {
			document.Dispositions = append(document.Dispositions, dispositionDocument{d.Finding, d.Effect, d.Half, d.Verdict, d.Of})
		}
	}
	return encodeIndented(w, document)
}

func documentEffect(effect plan.Effect, standing bool) effectDocument {
	d := effectDocument{ID: effect.ID, Type: effect.Type, Key: effect.Key, Needs: effect.Needs, Refused: effect.Reason, Standing: standing}
	switch {
	case effect.Review != nil:
		d.Commit, d.Event, d.Body = effect.Review.Commit, effect.Review.Event, effect.Review.Body
		for _, c := range effect.Review.Comments {
			d.Comments = append(d.Comments, commentDocument{c.FindingID, c.Path.Raw(), c.StartLine, c.Line, c.Side, c.Body})
		}
	case effect.Reply != nil:
		d.Finding, d.Thread, d.Body = effect.Reply.FindingID, effect.Reply.ThreadID, effect.Reply.Body
	case effect.Resolve != nil:
		d.Finding, d.Thread = effect.Resolve.FindingID, effect.Resolve.ThreadID
	}
	return d
}

func documentFinding(finding plan.Finding) findingDocument {
	d := findingDocument{ID: finding.FindingID, Effect: finding.Effect, Category: finding.Category, Severity: finding.Severity, Gates: finding.Gates,
		Placement: finding.Placement, Why: finding.Why, Line: finding.Line, Fingerprint: finding.Fingerprint}
	if finding.Path != nil {
		path := finding.Path.Raw()
		d.Path = &path
	}
	return d
}
