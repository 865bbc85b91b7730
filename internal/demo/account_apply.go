package demo

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// writes begins the part of one apply.
func (a *account) writes(env map[string]string, attempt int) {
	if attempt > 1 {
		a.program("apply", "again", "the same Result, applied for the %s time", ordinal(attempt))
		return
	}
	a.program("apply", "holds", "%s", holds(env))
}

func ordinal(n int) string {
	switch n {
	case 2:
		return "second"
	case 3:
		return "third"
	}
	return fmt.Sprintf("%dth", n)
}

// struck says which call got the fault; number counts apply's calls from 1.
func (a *account) struck(call *emulator.Call, number int) {
	fault := a.stage.fault
	if call == nil {
		a.item("fault", "%s was not reached: apply made %s", fault.Kind, counted(number, "API call", "API calls"))
		return
	}
	doc := ""
	for _, kind := range emulator.Kinds() {
		if kind.Name == fault.Kind {
			doc = kind.Doc
		}
	}
	path, _, _ := strings.Cut(call.Path, "?")
	a.item("fault", "%s at API call %d, %s %s", fault.Kind, number, call.Method, plain(path))
	a.item("", "%s", doc)
}

// wrote says what an apply that wrote its records did.
func (a *account) wrote(p *passed, code int) {
	for _, token := range p.applied.Tokens {
		a.item("token", "for %s, one repository: %s; %s", token.Purpose, permissions(token.Granted), revoked(token.Revoked))
	}
	for _, effect := range p.applied.Effects {
		reason := ""
		if effect.Reason != nil {
			known, _ := contract.ReasonOf(*effect.Reason)
			reason = fmt.Sprintf(" (%s: %s)", known.Code, known.Sentence)
		}
		a.item(effect.ID, "%s: %s%s%s", effect.Type, words(effect.State), reason, readBack(effect))
		if effect.ReadBack != nil && !p.told[effect.ID] {
			p.told[effect.ID] = true
			a.inside(effect.ID, p)
		}
	}
	o := p.outcome
	check := "none written"
	if o.Check != nil {
		check = fmt.Sprintf("%s on %s, read back", words(o.Check.Conclusion), shortCommit(o.Check.Commit))
	}
	a.item("check", "%s: %s", contract.CheckName(role), check)
	for _, code := range o.Reasons {
		reason, _ := contract.ReasonOf(code)
		a.item("", "%s: %s", code, reason.Sentence)
	}
	if len(o.GatingOpen) > 0 {
		var open []string
		for _, id := range o.GatingOpen {
			open = append(open, a.named(id, p))
		}
		a.item("", "open: %s", strings.Join(open, ", "))
	}
	a.item("end", "%s, exit code %d; %s, %s", words(o.Status), code, counted(p.applied.Calls.REST, "REST call", "REST calls"),
		counted(p.applied.Calls.GraphQL, "GraphQL call", "GraphQL calls"))
}

// inside lists the Findings and the answers that one Effect posted, once.
func (a *account) inside(effect string, p *passed) {
	for _, planned := range p.plan.Findings {
		at := slices.IndexFunc(p.applied.Findings, func(f contract.Finding) bool { return f.ID == planned.FindingID })
		if planned.Effect != effect || at < 0 {
			continue
		}
		finding := p.applied.Findings[at]
		gates := ""
		if finding.Gates {
			gates = ", gates"
		}
		a.item("", "%-3s %s, %s%s: %q", planned.ID, finding.Severity, finding.Category, gates, titleIn(p.result, planned.ID))
		a.item("", "    %s, because %s", placed(finding), planned.Why)
	}
	for _, d := range p.applied.Dispositions {
		if d.Effect == effect {
			a.answer(d, p)
		}
	}
}

// answer shows one half: the Finding, what was claimed in its thread, the verdict with its words, and what follows.
func (a *account) answer(d contract.AppliedDisposition, p *passed) {
	a.item("", "%s: %q", a.named(d.Finding, p), a.title(d.Finding, p))
	said := false
	for _, finding := range p.task.Findings {
		for _, text := range p.task.Texts {
			if finding.ID == d.Finding && slices.Contains(finding.Answers, text.ID) {
				by := "somebody"
				if text.Source != nil {
					by = a.person(*text.Source)
				}
				a.item("", "    said    %q, by %s", plain(text.Text.Raw()), by)
				said = true
			}
		}
	}
	if !said {
		a.item("", "    said    nothing in its thread")
	}
	of := ""
	if d.Of != nil {
		of = fmt.Sprintf(" (claim: %s)", *d.Of)
	}
	a.item("", "    answer  the %s's half: %s%s: %q", d.Half, d.Verdict, of, wordsOf(p, d))
	if slices.Contains(p.outcome.GatingOpen, d.Finding) {
		a.item("", "    so      it stays open")
		return
	}
	a.item("", "    so      it is closed")
}

// wordsOf are the model's words of one half.
func wordsOf(p *passed, d contract.AppliedDisposition) string {
	for _, asked := range p.result.Dispositions {
		if asked.Finding != d.Finding {
			continue
		}
		if asked.Reviewer != nil {
			return plain(asked.Reviewer.Text.Raw())
		}
		return plain(asked.Author.Text.Raw())
	}
	return ""
}

func placed(f contract.Finding) string {
	where := ""
	if f.Path != nil {
		where = plain(f.Path.Raw())
	}
	switch {
	case f.Placement == contract.PlacementAlreadyOpen:
		return "not posted again"
	case f.Placement == contract.PlacementLine && f.StartLine != nil:
		return fmt.Sprintf("a thread on %s, lines %d to %d", where, *f.StartLine, *f.Line)
	case f.Placement == contract.PlacementLine:
		return fmt.Sprintf("a thread on %s, line %d", where, *f.Line)
	case where != "":
		return "in the review's body, under " + where
	}
	return "in the review's body"
}

func readBack(e contract.AppliedEffect) string {
	switch {
	case e.ReadBack == nil:
		return ""
	case e.ReadBack.Review != nil:
		return fmt.Sprintf("; read back as review %s with %s", number(e.DatabaseID), counted(len(e.ReadBack.Review.Comments), "line thread", "line threads"))
	case e.ReadBack.Reply != nil:
		return "; read back as comment " + number(e.DatabaseID)
	}
	return "; read back as resolved"
}

func permissions(granted map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(granted)) {
		list = append(list, name+": "+granted[name])
	}
	return strings.Join(list, ", ")
}

func revoked(yes bool) string {
	if yes {
		return "revoked"
	}
	return "not known to be revoked, so it works for up to an hour"
}
