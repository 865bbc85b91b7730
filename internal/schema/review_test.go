package schema

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// reviewOf plans the review of an answer for the data model's second Run, with more files left out than its body names.
func reviewOf(t *testing.T, answer contract.Answer) *plan.Review {
	t.Helper()
	var in plan.Input
	for name, record := range map[string]any{
		"B.decision": &in.Decision, "B.facts": &in.Facts, "B.task": &in.Task, "B.result": &in.Result, "policy": &in.Policy, "apps": &in.Apps,
	} {
		data := example{path: "testdata/model/" + name + ".json"}.read(t)
		if err := contract.Decode(data, record); err != nil {
			t.Fatal(err)
		}
	}
	change, err := os.ReadFile(repository + "/testdata/model/B.diff.patch")
	if err != nil {
		t.Fatal(err)
	}
	var more bytes.Buffer
	more.Write(change)
	for i := range 100 {
		name := fmt.Sprintf("%s%02d", strings.Repeat("n", 85), i)
		fmt.Fprintf(&more, "diff --git a/%s b/%s\nindex 1..2 100644\n--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-a\n+b\n", name, name, name, name)
	}
	in.Task.Omitted = []contract.Omitted{{Kind: contract.OmittedDiff, Files: 99}, {Kind: contract.OmittedDiffExcluded, Files: 999}, {Kind: contract.OmittedOpaque, Files: 999}}
	in.App, in.ResultDigest, in.Diff = in.Apps.Apps[0], contract.Digest(nil), diff.NewIndex(more.Bytes())
	in.Ledger = ledger.Read(in.Facts, in.Policy, in.Apps, in.App)
	in.Decision.Role, in.Decision.Intent = strings.Repeat("r", 40), strings.Repeat("i", 40)
	in.Result.Answer = answer
	p, err := plan.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return p.Review()
}

// TestWorstReview holds the arithmetic to the review that is really made of the worst answer, with every Finding in its body:
// it is no larger than GitHub takes, and what this package reserves beside the texts is enough and not far too much.
func TestWorstReview(t *testing.T) {
	role, intent := embeddedRole(t)
	role.Categories[6] = strings.Repeat("c", 24)
	answer, err := ValidateAnswer(role, intent, bytes.ReplaceAll(worst(t, "x"), []byte("maintainability"), []byte(role.Categories[6])))
	if err != nil {
		t.Fatal(err)
	}
	start, line := 1000000, 1000001
	for i := range answer.Findings {
		// A range whose last line is in a hunk and whose first is not costs a sentence more.
		answer.Findings[i].StartLine, answer.Findings[i].Line = &start, &line
	}
	review := reviewOf(t, answer)
	if len(review.Comments) != 0 || strings.Count(review.Body, "airlock/1 finding ") != intent.Limits.Findings || strings.Count(review.Body, "airlock/1 disposition ") != mostAnswers {
		t.Fatalf("not the worst review: %d comments, %d bytes", len(review.Comments), len(review.Body))
	}
	if len(review.Body) > contract.MaxBodyBytes || len(review.Body) < contract.MaxBodyBytes-6000 {
		t.Errorf("the worst review has %d bytes, want less than %d and not by much", len(review.Body), contract.MaxBodyBytes)
	}
}

// TestWeighIsNeverLess holds, for texts that the renderer has to change, that a valid answer's review is never larger than
// what it was weighed at.
func TestWeighIsNeverLess(t *testing.T) {
	role, intent := embeddedRole(t)
	for _, text := range []string{"@team ", "<b>&", "#12 closes #13 ", "\u200b", "\U000E0041", "字", "`", "```\n@x\n", "[a](https://example.com) ", "*", "\n\n> ", "/merge\n", "::error::\n", "![i](x)"} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			var answer contract.Answer
			if err := contract.Decode(worst(t, "x"), &answer); err != nil {
				t.Fatal(err)
			}
			// Half the Findings, so that most stay valid; fewer of those whose paths hold more backquotes in a row than a code
			// span takes, each of which is written as an escape.
			count := 25
			if text == "`" {
				count = 15
			}
			answer.Findings = answer.Findings[:count]
			review := answer.Effects[0].SubmitReview
			review.Threads = review.Threads[:count]
			for i := range answer.Findings {
				answer.Findings[i].Text = untrusted.New(strings.Repeat(text, 200/len(text)))
				answer.Findings[i].Title = untrusted.New(strings.Repeat(text, 60/len(text)))
				path, start, line := untrusted.New(strings.Repeat(text, 150/len(text))), contract.MaxInteger-1, contract.MaxInteger
				answer.Findings[i].Path, answer.Findings[i].StartLine, answer.Findings[i].Line = &path, &start, &line
			}
			review.Body = untrusted.New(strings.Repeat(text, 300/len(text)))
			document, err := contract.Canonical(answer)
			if err != nil {
				t.Fatal(err)
			}
			valid, err := ValidateAnswer(role, intent, document)
			if err != nil {
				t.Fatal(err)
			}
			if got, most := len(reviewOf(t, valid).Body), weigh(valid); got > most {
				t.Errorf("the review has %d bytes and was weighed at %d", got, most)
			}
		})
	}
}
