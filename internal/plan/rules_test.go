package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// TestMarkerSaysWhatTheResultIs holds that the review's marker never claims more than the Result: what carries a check later
// on goes by it.
func TestMarkerSaysWhatTheResultIs(t *testing.T) {
	for _, status := range []string{contract.StatusCompleted, contract.StatusIncomplete, contract.StatusRefused} {
		in := input()
		in.Result.Status = status
		read := ledger.ParseReviewBody(build(t, in).Review().Body)
		want := &ledger.ReviewMarker{Key: contract.EffectKey(in.Decision.Run, in.ResultDigest, "e1"), Run: in.Decision.Run, Role: "pr-review", Intent: "review-change",
			Content: strings.Repeat("d", 64), Commit: strings.Repeat("c", 40), Status: status}
		if difference := cmp.Diff(want, read.Review); difference != "" {
			t.Errorf("%s (-want +read):\n%s", status, difference)
		}
	}
}

// TestTextsEndWhereTheyEnd holds that what a model puts at the end of a text is neither taken for the next heading nor lost.
func TestTextsEndWhereTheyEnd(t *testing.T) {
	for text, want := range map[string]string{
		"Because.\n\n" + ledger.HeadingListed:   "Because.\n\n\\" + ledger.HeadingListed,
		"Because.\n\n" + ledger.HeadingUnplaced: "Because.\n\n\\" + ledger.HeadingUnplaced,
		"Because.\n\n \n\t":                     "Because.",
		ledger.HeadingAnswers + "\n\nBecause.":  ledger.HeadingAnswers + "\n\nBecause.",
		"```\n" + ledger.HeadingListed:          "```\n" + ledger.HeadingListed + "\n```",
	} {
		first, second := raw("f1"), raw("f2")
		first.Text = untrusted.New(text)
		p := build(t, input(first, second))
		read := ledger.ParseReviewBody(p.Review().Body)
		if want = "**major, correctness.** It breaks\n\n" + want; p.Findings[0].Body != want || len(read.Findings) != 2 || read.Findings[0].Body != want {
			t.Errorf("%q is planned as\n%s\nand read as %+v", text, p.Findings[0].Body, read.Findings)
		}
	}
	blank := raw("f1")
	blank.Title, blank.Text = untrusted.New("\n"), untrusted.New(" \n ")
	if got := build(t, input(blank)).Findings[0].Body; got != "**major, correctness.** " {
		t.Errorf("a Finding of blanks is %q", got)
	}
}

// TestNamedTwice holds that what the Result says twice is planned once, the first time; package refusal refuses it.
func TestNamedTwice(t *testing.T) {
	other := raw("f1")
	other.Title = untrusted.New("Another")
	in := input(raw("f1"), other)
	review := in.Result.Effects[0].SubmitReview
	review.Threads, review.Listed = []string{"f1", "f1"}, []string{"f1"}
	p := build(t, in)
	if len(p.Findings) != 1 || !strings.Contains(p.Findings[0].Body, "It breaks") || strings.Count(p.Review().Body, "airlock/1 finding") != 1 {
		t.Errorf("%d Findings in\n%s", len(p.Findings), p.Review().Body)
	}
	const open = "run-222222222222222222222222/f7"
	half := func(verdict string) *contract.ReviewerHalf {
		return &contract.ReviewerHalf{Of: contract.VerdictFixed, Verdict: verdict, Text: untrusted.New("So.")}
	}
	in.Result.Dispositions = []contract.Disposition{{Finding: open, Reviewer: half(contract.VerdictRejected)}, {Finding: open, Reviewer: half(contract.VerdictAccepted)}}
	review.Answers = []string{open}
	if p := build(t, in); len(p.Dispositions) != 1 || p.Dispositions[0].Verdict != contract.VerdictRejected {
		t.Errorf("answers %+v", p.Dispositions)
	}
	in.Result.Dispositions = []contract.Disposition{{Finding: open, Reviewer: half(contract.VerdictAccepted), Author: &contract.AuthorHalf{Verdict: contract.VerdictFixed, Text: untrusted.New("So.")}}}
	if p := build(t, in); len(p.Dispositions) != 0 || strings.Contains(p.Review().Body, ledger.HeadingAnswers) {
		t.Errorf("both halves at once are posted: %+v", p.Dispositions)
	}
}

// TestReplyWithoutAThread holds that a reply to a Finding in a review's body goes nowhere: the review's id is no comment's.
func TestReplyWithoutAThread(t *testing.T) {
	in := model(t, "B")
	in.Result.Effects[1].ReplyThread.Finding = "run-db93904f83c62707abbb84a5/f4"
	if reply := build(t, in).Effects[1].Reply; reply.ThreadID != "" || reply.CommentID != 0 {
		t.Errorf("it goes to thread %q, comment %d", reply.ThreadID, reply.CommentID)
	}
}

// TestTokenKeepsTheHigherAccess holds that a need to read does not take away another's to write.
func TestTokenKeepsTheHigherAccess(t *testing.T) {
	in := model(t, "B")
	in.Apps.Needs = map[string]map[string]string{contract.SubmitReview: {"pull_requests": "write"}, contract.ReplyThread: {"pull_requests": "read"},
		contract.ResolveThread: {}, contract.NeedReport: {"checks": "write"}}
	if got := build(t, in).Tokens; len(got) != 1 || !cmp.Equal(got[0].Permissions, map[string]string{"checks": "write", "pull_requests": "write"}) {
		t.Errorf("tokens %+v", got)
	}
	if got := in.Apps.Needs[contract.NeedReport]; !cmp.Equal(got, map[string]string{"checks": "write"}) {
		t.Errorf("the configuration was changed to %v", got)
	}
}

// TestHides holds by which names a file is hidden, that it is named once, and that the list of names is bounded in bytes.
func TestHides(t *testing.T) {
	in := input()
	in.Task.Omitted = []contract.Omitted{{Kind: contract.OmittedDiff, Files: 1}, {Kind: contract.OmittedOpaque, Files: 2}}
	in.Diff = diff.NewIndex([]byte("diff --git a/old\tname b/new.go\nrename from old\tname\nrename to new.go\n@@ -1 +1 @@\n-a\n+b\n" +
		"diff --git a/seen.go b/seen.go\n--- a/seen.go\n+++ b/seen.go\n@@ -1 +1 @@\n-a\n+b\n"))
	in.Task.Texts = []contract.TaskText{{Kind: contract.TextDiff, Text: untrusted.New(string(in.Diff.Files()[1].Raw))}}
	in.Facts.Content.Files = []contract.ContentFile{{Path: untrusted.New("new.go")}, {Path: untrusted.New("logo.png"), PreviousPath: path("icon.png")}, {Path: untrusted.New("seen.go"), Visible: true}}
	u := build(t, in).Unseen
	for name, want := range map[string]bool{"new.go": true, "old\tname": true, "old⟦U+0009⟧name": true, "logo.png": true, "icon.png": true, "seen.go": false, "other.go": false} {
		if got := u.Hides(untrusted.New(name)); got != want {
			t.Errorf("%q hidden: %v, want %v", name, got, want)
		}
	}
	if want := []untrusted.Text{untrusted.New("new.go"), untrusted.New("logo.png")}; !slices.Equal(u.Files, want) {
		t.Errorf("named %d files, want 2", len(u.Files))
	}
	for i := range 30 {
		in.Facts.Content.Files = append(in.Facts.Content.Files, contract.ContentFile{Path: untrusted.New(strings.Repeat(string(rune('a'+i)), 400))})
	}
	if list := build(t, in).Unseen.section(newRenderer(in.Policy, nil)); len(list) > nameBytes+200 || !strings.Contains(list, "more") {
		t.Errorf("%d bytes of names", len(list))
	}
}

// TestPreview holds that no text of a model can look like a line of ours, or act on a terminal.
func TestPreview(t *testing.T) {
	finding := raw("f1")
	finding.Path, finding.Line, finding.Side = path("src/a.go"), number(12), side("RIGHT")
	finding.Text = untrusted.New("```\ne9 resolve_thread, key 0\n\x1b[2J\u202e\ttab\n```")
	lines := strings.Split(build(t, input(finding)).Preview(), "\n")
	if !slices.Contains(lines, "    | e9 resolve_thread, key 0") || !slices.Contains(lines, "    | ⟦U+001B⟧[2J⟦U+202E⟧⟦U+0009⟧tab") {
		t.Errorf("preview\n%s", strings.Join(lines, "\n"))
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "e9") {
			t.Errorf("a text of the model's is a line of ours: %s", line)
		}
	}
}
