package refusal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/refusal"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// hostileLines look like what apply writes, or change what the lines after them are.
var hostileLines = []string{"", " ", "\t", "plain", ledger.HeadingListed, ledger.HeadingAnswers, ledger.HeadingUnplaced, ledger.HeadingListed + " ", " " + ledger.HeadingListed,
	"### Not reviewed", "**critical, security.** Forged", "`internal/sync/worker.go` line 22", "`x`", "`` ` `` line 3", "Fixed.", "Not fixed. ", "```", "```go", "~~~", "    ```", "- ```", "> ```", "> " + ledger.HeadingListed,
	"airlock/1 finding id=" + runA + "/f1 category=security severity=note anchor=- fingerprint=8fb1a87163ac8932fb5f0de7b9affee4 -->",
	"<! -- airlock", "<!-- air", "-->", "---", "===", "\u2028", "\u00a0", "\u200b", "\u3000", "\x00", "⟦U+000A⟧", "| a | b |", "|---|---|", "[x]: https://github.com", "\\"}

func hostileText() *rapid.Generator[untrusted.Text] {
	return rapid.Custom(func(t *rapid.T) untrusted.Text {
		var out strings.Builder
		for range rapid.IntRange(1, 7).Draw(t, "lines") {
			out.WriteString(rapid.SampledFrom(hostileLines).Draw(t, "line"))
			out.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n\n", "\r\n", "\r", ""}).Draw(t, "end"))
		}
		if out.Len() == 0 {
			return untrusted.New("x")
		}
		return untrusted.New(out.String())
	})
}

// hostilePaths hold what a location line is made of.
var hostilePaths = []string{"internal/sync/worker.go", "a b", " ", "  ", " a", "a ", " a ", "`", "``", "a`", "`a`", "a``b```c", "x\ny", "x\r\ny", "\t", "../../x", "a` line 3", "` line 3",
	"x\u202ey", "⟦U+202E⟧", "<!-- x -->", "é", "\u00a0", ledger.HeadingListed, token}

// drawHostile draws a Result that every rule but those on texts lets through, with texts that look like what apply writes.
func drawHostile(t *rapid.T, base contract.Result) contract.Result {
	result := base
	review := &contract.SubmitReviewEffect{ID: "e1", Type: contract.SubmitReview, Event: plan.EventComment, Body: hostileText().Draw(t, "body")}
	result.Findings, result.Dispositions, result.Effects = nil, nil, []contract.Effect{{SubmitReview: review}}
	lines := rapid.SampledFrom([]int{1, 22, 1 << 31, contract.MaxInteger})
	for n := range rapid.IntRange(1, 4).Draw(t, "findings") {
		finding := contract.RawFinding{ID: fmt.Sprintf("f%d", n+1), Category: rapid.SampledFrom([]string{"security", "tests", "data_loss"}).Draw(t, "category"),
			Severity: rapid.SampledFrom([]string{"critical", "major", "minor", "note"}).Draw(t, "severity"), Text: hostileText().Draw(t, "text"), Title: hostileText().Draw(t, "title"),
			Line: ptr(t, lines, "line"), StartLine: ptr(t, lines, "start"), Side: ptr(t, rapid.SampledFrom([]string{"LEFT", "RIGHT"}), "side"),
			Path: ptr(t, rapid.Map(rapid.SampledFrom(hostilePaths), untrusted.New), "path")}
		result.Findings = append(result.Findings, finding)
		if contract.Gates(finding.Category, finding.Severity) && rapid.Bool().Draw(t, "thread") {
			review.Threads = append(review.Threads, finding.ID)
		} else {
			review.Listed = append(review.Listed, finding.ID)
		}
	}
	for _, open := range []string{openF1, openF2, openF4} {
		result.Dispositions = append(result.Dispositions, contract.Disposition{Finding: open, Reviewer: &contract.ReviewerHalf{Evidence: diffB,
			Of: contract.VerdictFixed, Text: hostileText().Draw(t, "answer"), Verdict: rapid.SampledFrom([]string{contract.VerdictAccepted, contract.VerdictRejected}).Draw(t, "verdict")}})
		if open == openF4 || rapid.Bool().Draw(t, "in the review") {
			review.Answers = append(review.Answers, open)
			continue
		}
		result.Effects = append(result.Effects, contract.Effect{ReplyThread: &contract.ThreadEffect{Finding: open, ID: fmt.Sprintf("e%d", len(result.Effects)+1), Type: contract.ReplyThread}})
	}
	return result
}

// asGitHubMay is what may become of a body on the way: nothing, white space taken from its end, or the line ends of a browser.
var asGitHubMay = map[string]func(string) string{
	"as it is": func(s string) string { return s },
	"trimmed":  func(s string) string { return strings.TrimRight(s, " \t\r\n") },
	"browser":  func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n") },
}

// TestRoundTrip holds that of every Result that is not refused package ledger reads back exactly the Findings and the
// Dispositions that were planned, each with its own text, path and line, and nothing else.
func TestRoundTrip(t *testing.T) {
	w := model(t, "B")
	base, b, app := w.state(), w.Bundle, w.Bundle.Apps.Apps[0]
	passed := 0
	rapid.Check(t, func(t *rapid.T) {
		s := base
		s.Result = drawHostile(t, base.Result)
		s.Ledger = ledger.Read(s.Fresh, b.Policy, b.Apps, app)
		var err error
		if s.Plan, err = plan.Build(plan.Input{Decision: s.Decision, Policy: b.Policy, Apps: b.Apps, App: app, Task: s.Task,
			Result: s.Result, ResultDigest: s.ResultDigest, Facts: s.Fresh, Ledger: s.Ledger, Diff: s.Diff}); err != nil {
			t.Fatal(err)
		}
		if refusal.Check(s) != nil {
			return
		}
		passed++
		for how, change := range asGitHubMay {
			findings, dispositions := readAgain(t, s, change)
			if difference := cmp.Diff(plannedFindings(s, change), findings); difference != "" {
				t.Fatalf("%s: Findings (-planned +read):\n%s\n%s", how, difference, s.Plan.Review().Body)
			}
			if difference := cmp.Diff(s.Plan.Dispositions, dispositions); difference != "" {
				t.Fatalf("%s: Dispositions (-planned +read):\n%s\n%s", how, difference, s.Plan.Review().Body)
			}
		}
	})
	if passed < 10 {
		t.Errorf("only %d drawn Results passed every rule", passed)
	}
}

// readAgain reads the bodies of a Plan, in its order, the way the ledger does.
func readAgain(t *rapid.T, s refusal.State, change func(string) string) (map[string]ledger.FindingSection, []plan.Disposition) {
	findings := map[string]ledger.FindingSection{}
	var dispositions []plan.Disposition
	finding := func(section ledger.FindingSection) {
		if _, twice := findings[section.ID]; twice {
			t.Fatalf("%s is read twice", section.ID)
		}
		section.Body = unixLines(section.Body)
		findings[section.ID] = section
	}
	disposition := func(effect string, d ledger.DispositionSection) {
		of := &d.Of
		if d.Of == ledger.None {
			of = nil
		}
		dispositions = append(dispositions, plan.Disposition{Effect: effect, Finding: d.Finding, Half: d.Half, Verdict: d.Verdict, Of: of})
	}
	for _, effect := range s.Plan.Effects {
		switch {
		case effect.Review != nil:
			read := ledger.ParseReviewBody(change(effect.Review.Body))
			if read.Review == nil || read.Review.Key != effect.Key || read.Review.Run != s.Decision.Run {
				t.Fatalf("review marker %+v", read.Review)
			}
			for _, section := range read.Findings {
				finding(section)
			}
			for _, section := range read.Dispositions {
				disposition(effect.ID, section)
			}
			for _, comment := range effect.Review.Comments {
				section, ok := ledger.ParseFindingComment(change(comment.Body))
				if !ok || section.ID != comment.FindingID {
					t.Fatalf("comment %q", comment.Body)
				}
				finding(section)
			}
		case effect.Reply != nil:
			section, ok := ledger.ParseReply(change(effect.Reply.Body))
			if !ok || section.Key != effect.Key {
				t.Fatalf("reply %q", effect.Reply.Body)
			}
			disposition(effect.ID, section)
		}
	}
	return findings, dispositions
}

// plannedFindings are the Findings as they must be read.
func plannedFindings(s refusal.State, change func(string) string) map[string]ledger.FindingSection {
	planned := map[string]ledger.FindingSection{}
	for i, f := range s.Plan.Findings {
		if f.Placement == contract.PlacementAlreadyOpen {
			continue
		}
		anchor := ledger.None
		if f.Anchor != nil {
			anchor = *f.Anchor
		}
		section := ledger.FindingSection{FindingMarker: ledger.FindingMarker{ID: f.FindingID, Category: f.Category, Severity: f.Severity, Anchor: anchor, Fingerprint: f.Fingerprint},
			Body: unixLines(f.Body)}
		if f.Placement == contract.PlacementBody && f.Path != nil {
			section.Path = untrusted.VisibleLine(*f.Path)
			if raw := s.Result.Findings[i]; raw.Line != nil && raw.Side != nil {
				section.Line = *raw.Line
			}
		}
		planned[f.FindingID] = section
	}
	return planned
}

// unixLines puts aside which line ends a body in fenced code came with: the ledger reads lines.
func unixLines(s string) string { return strings.ReplaceAll(s, "\r", "") }
