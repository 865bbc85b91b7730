package refusal_test

import (
	"fmt"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/refusal"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
	"pgregory.net/rapid"
)

// words are what the drawn texts are put together of: what Markdown, our markers and credentials are made of, and noise.
var words = []string{"a", " ", "\n", "\n\n", "`", "```", "~~~", "<!--", "-->", " airlock/", "1 ", "review", "finding", "@x", "#1", token[:20], token[20:],
	"\u200b", "\u202e", "\xff", "\r", "|", "- ", "> ", "    ", ledger.HeadingListed, "<b>", "](x)", "closes", "⟦U+202E⟧"}

func drawnText() *rapid.Generator[untrusted.Text] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(words), 0, 12), func(parts []string) untrusted.Text {
		out := ""
		for _, part := range parts {
			out += part
		}
		return untrusted.New(out)
	})
}

func ptr[T any](t *rapid.T, g *rapid.Generator[T], label string) *T {
	if rapid.Bool().Draw(t, label+" is there") {
		v := g.Draw(t, label)
		return &v
	}
	return nil
}

// drawResult draws a Result of any shape that can be decoded, near enough to the Task that many pass most rules.
func drawResult(t *rapid.T, base contract.Result) contract.Result {
	ids := rapid.SampledFrom([]string{"f1", "f2", "f3", "", "é"})
	opens := rapid.SampledFrom([]string{openF1, openF2, openF4, runA + "/f3", ""})
	effects := rapid.SampledFrom([]string{"e1", "e2", "e3", ""})
	lines := rapid.SampledFrom([]int{-1, 0, 1, 12, 15, 22, 1 << 40})
	result := base
	result.Status = rapid.SampledFrom([]string{contract.StatusCompleted, contract.StatusIncomplete, contract.StatusRefused, contract.StatusFailed, ""}).Draw(t, "status")
	result.Findings, result.Dispositions, result.Effects = nil, nil, nil
	for range rapid.IntRange(0, 4).Draw(t, "findings") {
		result.Findings = append(result.Findings, contract.RawFinding{
			Category: rapid.SampledFrom([]string{"security", "tests", "x", ""}).Draw(t, "category"), ID: ids.Draw(t, "id"),
			Line: ptr(t, lines, "line"), StartLine: ptr(t, lines, "start"), Side: ptr(t, rapid.SampledFrom([]string{"LEFT", "RIGHT", ""}), "side"),
			Path:     ptr(t, rapid.OneOf(rapid.Just(untrusted.New("internal/sync/worker.go")), drawnText()), "path"),
			Severity: rapid.SampledFrom([]string{"critical", "minor", ""}).Draw(t, "severity"), Text: drawnText().Draw(t, "text"), Title: drawnText().Draw(t, "title")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "dispositions") {
		result.Dispositions = append(result.Dispositions, contract.Disposition{Finding: opens.Draw(t, "open"),
			Author: ptr(t, rapid.Map(drawnText(), func(text untrusted.Text) contract.AuthorHalf { return contract.AuthorHalf{Text: text} }), "author"),
			Reviewer: ptr(t, rapid.Map(drawnText(), func(text untrusted.Text) contract.ReviewerHalf {
				return contract.ReviewerHalf{Text: text, Evidence: diffB, Of: contract.VerdictFixed, Verdict: contract.VerdictAccepted}
			}), "reviewer")})
	}
	for range rapid.IntRange(0, 4).Draw(t, "effects") {
		thread := &contract.ThreadEffect{Finding: opens.Draw(t, "thread"), ID: effects.Draw(t, "effect")}
		switch rapid.IntRange(0, 3).Draw(t, "type") {
		case 0:
			thread.Type = contract.ReplyThread
			result.Effects = append(result.Effects, contract.Effect{ReplyThread: thread})
		case 1:
			thread.Type = contract.ResolveThread
			result.Effects = append(result.Effects, contract.Effect{ResolveThread: thread})
		default:
			result.Effects = append(result.Effects, contract.Effect{SubmitReview: &contract.SubmitReviewEffect{ID: thread.ID, Type: contract.SubmitReview,
				Event: rapid.SampledFrom([]string{"COMMENT", "APPROVE", ""}).Draw(t, "event"), Body: drawnText().Draw(t, "body"),
				Threads: rapid.SliceOfN(ids, 0, 3).Draw(t, "threads"), Listed: rapid.SliceOfN(ids, 0, 3).Draw(t, "listed"),
				Answers: rapid.SliceOfN(opens, 0, 2).Draw(t, "answers")}})
		}
	}
	return result
}

// drawValid draws a Result that only the rules about texts can refuse.
func drawValid(t *rapid.T, base contract.Result) contract.Result {
	result := base
	review := &contract.SubmitReviewEffect{ID: "e1", Type: contract.SubmitReview, Event: plan.EventComment, Body: untrusted.New("Seen.\n" + drawnText().Draw(t, "body").Raw())}
	result.Status = rapid.SampledFrom([]string{contract.StatusCompleted, contract.StatusIncomplete}).Draw(t, "status")
	result.Findings, result.Dispositions, result.Effects = nil, nil, []contract.Effect{{SubmitReview: review}}
	lines := rapid.SampledFrom([]int{1, 12, 15, 22, 99})
	for n := range rapid.IntRange(0, 4).Draw(t, "findings") {
		finding := contract.RawFinding{ID: fmt.Sprintf("f%d", n+1), Category: rapid.SampledFrom([]string{"security", "tests", "correctness"}).Draw(t, "category"),
			Severity: rapid.SampledFrom([]string{"critical", "minor"}).Draw(t, "severity"), Text: drawnText().Draw(t, "text"), Title: drawnText().Draw(t, "title"),
			Line: ptr(t, lines, "line"), StartLine: ptr(t, lines, "start"), Side: ptr(t, rapid.SampledFrom([]string{"LEFT", "RIGHT"}), "side"),
			Path: ptr(t, rapid.OneOf(rapid.Just(untrusted.New("internal/sync/worker.go")), drawnText()), "path")}
		result.Findings = append(result.Findings, finding)
		if contract.Gates(finding.Category, finding.Severity) && rapid.Bool().Draw(t, "thread") {
			review.Threads = append(review.Threads, finding.ID)
		} else {
			review.Listed = append(review.Listed, finding.ID)
		}
	}
	for _, open := range []string{openF1, openF2, openF4} {
		if !rapid.Bool().Draw(t, "answer "+open) {
			continue
		}
		result.Dispositions = append(result.Dispositions, contract.Disposition{Finding: open, Reviewer: &contract.ReviewerHalf{Evidence: diffB,
			Of: contract.VerdictFixed, Text: drawnText().Draw(t, "answer"), Verdict: rapid.SampledFrom([]string{contract.VerdictAccepted, contract.VerdictRejected}).Draw(t, "verdict")}})
		if open == openF4 || rapid.Bool().Draw(t, "in the review") {
			review.Answers = append(review.Answers, open)
			continue
		}
		result.Effects = append(result.Effects, contract.Effect{ReplyThread: &contract.ThreadEffect{Finding: open, ID: fmt.Sprintf("e%d", len(result.Effects)+1), Type: contract.ReplyThread}})
	}
	return result
}

// TestAnyResult holds that no Result makes a rule or the Plan panic, that a Plan is the same twice, and that what is not
// refused asks for one comment on the admitted commit, in which package ledger finds every Finding and Disposition again.
func TestAnyResult(t *testing.T) {
	w := model(t, "B")
	base, b, app := w.state(), w.Bundle, w.Bundle.Apps.Apps[0]
	passed := 0
	rapid.Check(t, func(t *rapid.T) {
		s := base
		s.Result = rapid.OneOf(rapid.Custom(func(t *rapid.T) contract.Result { return drawResult(t, base.Result) }),
			rapid.Custom(func(t *rapid.T) contract.Result { return drawValid(t, base.Result) })).Draw(t, "result")
		s.Ledger = ledger.Read(s.Fresh, b.Policy, b.Apps, app)
		in := plan.Input{Decision: s.Decision, Policy: b.Policy, Apps: b.Apps, App: app, Task: s.Task,
			Result: s.Result, ResultDigest: s.ResultDigest, Facts: s.Fresh, Ledger: s.Ledger, Diff: s.Diff}
		var err error
		if s.Plan, err = plan.Build(in); err != nil {
			t.Fatal(err)
		}
		for _, rule := range refusal.Rules() {
			rule.Check(s)
		}
		if again, _ := plan.Build(in); again.Preview() != s.Plan.Preview() {
			t.Fatal("two plans of one Result differ")
		}
		if refusal.Check(s) != nil || len(s.Result.Effects) == 0 {
			return
		}
		passed++
		reviews := 0
		found := map[string]bool{}
		for _, effect := range s.Plan.Effects {
			switch {
			case effect.Review != nil:
				reviews++
				if effect.Review.Event != "COMMENT" || effect.Review.Commit != s.Decision.Commit {
					t.Fatalf("%s on %s", effect.Review.Event, effect.Review.Commit)
				}
				read := ledger.ParseReviewBody(effect.Review.Body)
				if read.Review == nil || read.Review.Key != effect.Key {
					t.Fatalf("no marker in\n%s", effect.Review.Body)
				}
				for _, section := range read.Findings {
					found[section.ID] = true
				}
				for _, d := range read.Dispositions {
					found[d.Finding] = true
				}
				for _, comment := range effect.Review.Comments {
					section, ok := ledger.ParseFindingComment(comment.Body)
					if !ok || !s.Diff.Commentable(comment.Path.Raw(), comment.Side, comment.Line) {
						t.Fatalf("comment %+v", comment)
					}
					found[section.ID] = true
				}
			case effect.Reply != nil:
				d, ok := ledger.ParseReply(effect.Reply.Body)
				if !ok || effect.Reply.ThreadID == "" {
					t.Fatalf("reply %+v", effect.Reply)
				}
				found[d.Finding] = true
			}
		}
		if reviews != 1 {
			t.Fatalf("%d reviews", reviews)
		}
		for _, finding := range s.Plan.Findings {
			if !found[finding.FindingID] && finding.Placement != contract.PlacementAlreadyOpen {
				t.Fatalf("%s is nowhere", finding.FindingID)
			}
		}
		if len(s.Plan.Findings) != len(s.Result.Findings) || len(s.Plan.Dispositions) != len(s.Result.Dispositions) {
			t.Fatal("something is not planned")
		}
		for _, d := range s.Result.Dispositions {
			if !found[d.Finding] {
				t.Fatalf("the answer to %s is nowhere", d.Finding)
			}
		}
	})
	if passed < 10 {
		t.Errorf("only %d drawn Results passed every rule", passed)
	}
}
