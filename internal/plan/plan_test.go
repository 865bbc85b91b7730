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

// change has two hunks of one file, a removed file and one whose name hides a character.
const change = `diff --git a/src/a.go b/src/a.go
index 1..2 100644
--- a/src/a.go
+++ b/src/a.go
@@ -10,3 +10,4 @@
 ten
-eleven
+eleven new
+twelve new
 twelve
@@ -30,2 +31,2 @@
 thirty
-thirty-one
+thirty-one new
diff --git a/src/gone.go b/src/gone.go
deleted file mode 100644
index 1..0
--- a/src/gone.go
+++ /dev/null
@@ -1,2 +0,0 @@
-one
-two
` + "diff --git a/src/z\u200b.go b/src/z\u200b.go\nindex 1..2 100644\n--- a/src/z\u200b.go\n+++ b/src/z\u200b.go\n@@ -1 +1 @@\n-a\n+b\n"

func number(n int) *int { return &n }

func side(s string) *string { return &s }

func path(s string) *untrusted.Text { text := untrusted.New(s); return &text }

func raw(id string) contract.RawFinding {
	return contract.RawFinding{ID: id, Category: "correctness", Severity: contract.SeverityMajor,
		Title: untrusted.New("It breaks"), Text: untrusted.New("Because.")}
}

// input asks for one review that posts findings as threads, over the change.
func input(findings ...contract.RawFinding) Input {
	in := Input{
		Decision: contract.Decision{Run: "run-" + strings.Repeat("1", 24), Role: "pr-review", Intent: "review-change",
			Commit: strings.Repeat("c", 40), ContentID: "sha256:" + strings.Repeat("d", 64)},
		Apps: contract.Apps{Needs: map[string]map[string]string{
			contract.SubmitReview: {"pull_requests": "write"}, contract.ReplyThread: {"pull_requests": "write"},
			contract.ResolveThread: {"contents": "write", "pull_requests": "write"}, contract.NeedReport: {"checks": "write"}}},
		App:  contract.App{BotUserID: 9, Ceiling: map[string]string{"checks": "write", "pull_requests": "write"}},
		Diff: diff.NewIndex([]byte(change)),
	}
	in.Facts.Head.Commit = strings.Repeat("e", 40)
	review := contract.SubmitReviewEffect{ID: "e1", Type: contract.SubmitReview, Event: EventComment, Body: untrusted.New("Seen.")}
	for _, finding := range findings {
		review.Threads = append(review.Threads, finding.ID)
	}
	in.Result.Status, in.Result.Findings = contract.StatusCompleted, findings
	in.Result.Effects = []contract.Effect{{SubmitReview: &review}}
	return in
}

// TestPlacement holds where a Finding goes, by what its place is in the diff.
func TestPlacement(t *testing.T) {
	for _, c := range []struct {
		name       string
		path       *untrusted.Text
		line       *int
		side       *string
		start      *int
		want       string // placement
		wantStart  *int
		wantAnchor string // the anchored line, empty for none
		location   string // in the review's body
	}{
		{"an added line", path("src/a.go"), number(12), side("RIGHT"), nil, "line", nil, "twelve new", ""},
		{"a context line, by its new number", path("src/a.go"), number(13), side("RIGHT"), nil, "line", nil, "twelve", ""},
		{"a removed line", path("src/a.go"), number(11), side("LEFT"), nil, "line", nil, "eleven", ""},
		{"a line of a removed file", path("src/gone.go"), number(2), side("LEFT"), nil, "line", nil, "two", ""},
		{"a removed line asked for on the right", path("src/gone.go"), number(2), side("RIGHT"), nil, "body", nil, "", "`src/gone.go` line 2"},
		{"outside the hunks", path("src/a.go"), number(20), side("RIGHT"), nil, "body", nil, "", "`src/a.go` line 20"},
		{"far outside", path("src/a.go"), number(99999), side("RIGHT"), nil, "body", nil, "", "`src/a.go` line 99999"},
		{"a file that is not in the change", path("src/zz.go"), number(1), side("RIGHT"), nil, "body", nil, "", "`src/zz.go` line 1"},
		{"a path that only begins like one", path("./src/a.go"), number(12), side("RIGHT"), nil, "body", nil, "", "`./src/a.go` line 12"},
		{"a file without a line", path("src/a.go"), nil, nil, nil, "body", nil, "", "`src/a.go`"},
		{"a line without a side", path("src/a.go"), number(12), nil, nil, "body", nil, "", "`src/a.go`"},
		{"no file", nil, nil, nil, nil, "body", nil, "", ""},
		{"a line of no file", nil, number(12), side("RIGHT"), nil, "body", nil, "", ""},
		{"a range in one hunk", path("src/a.go"), number(12), side("RIGHT"), number(10), "line", number(10), "twelve new", ""},
		{"a range of one line", path("src/a.go"), number(12), side("RIGHT"), number(12), "line", nil, "twelve new", ""},
		{"a range over two hunks", path("src/a.go"), number(31), side("RIGHT"), number(12), "line", nil, "thirty", ""},
		{"a range that begins outside", path("src/a.go"), number(12), side("RIGHT"), number(2), "line", nil, "twelve new", ""},
		{"a range that ends before it begins", path("src/a.go"), number(11), side("RIGHT"), number(12), "line", nil, "eleven new", ""},
		{"a range that ends outside", path("src/a.go"), number(20), side("RIGHT"), number(12), "body", nil, "", "`src/a.go` line 20"},
		{"a name as the model was shown it", path("src/z⟦U+200B⟧.go"), number(1), side("RIGHT"), nil, "line", nil, "b", ""},
		{"a name that cannot stand in code as it is", path("a`b\n@x"), number(1), side("RIGHT"), nil, "body", nil, "", "`` a`b⟦U+000A⟧@x `` line 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			finding := raw("f1")
			finding.Path, finding.Line, finding.Side, finding.StartLine = c.path, c.line, c.side, c.start
			p := build(t, input(finding))
			got, request := p.Findings[0], p.Review()
			if request.Commit != strings.Repeat("c", 40) {
				t.Errorf("on commit %q, not on the admitted one", request.Commit)
			}
			if got.Placement != c.want || !cmp.Equal(got.StartLine, c.wantStart) {
				t.Errorf("placed %s from %v, want %s from %v", got.Placement, got.StartLine, c.want, c.wantStart)
			}
			switch {
			case c.wantAnchor == "" && got.Anchor != nil:
				t.Errorf("anchor %s, want none", *got.Anchor)
			case c.wantAnchor != "" && (got.Anchor == nil || *got.Anchor != diff.Anchor(c.wantAnchor)):
				t.Errorf("not anchored at %q", c.wantAnchor)
			}
			if c.want == "line" {
				comment := request.Comments[0]
				if want, _ := untrusted.Unescape(c.path.Raw()); comment.Path.Raw() != want || got.Path.Raw() != want || got.Fingerprint != contract.Fingerprint("correctness", want, *got.Anchor) {
					t.Errorf("on %q, fingerprint %s: not as the diff names the file", comment.Path.Raw(), got.Fingerprint)
				}
				if comment.Line != *c.line || comment.Side != *c.side || !cmp.Equal(comment.StartLine, c.wantStart) || (comment.StartSide == nil) != (c.wantStart == nil) {
					t.Errorf("comment %+v", comment)
				}
				if strings.Contains(request.Body, "It breaks") {
					t.Error("it is in the body too")
				}
				cut := c.start != nil && c.wantStart == nil && *c.start != *c.line
				if strings.Contains(comment.Body, "This is about the lines ") != cut {
					t.Errorf("a range that is cut is named in words, and no other:\n%s", comment.Body)
				}
				return
			}
			if len(request.Comments) != 0 {
				t.Errorf("%d comments", len(request.Comments))
			}
			want := ledger.HeadingUnplaced + "\n\n" + got.marker() + "\n"
			if c.location != "" {
				want += c.location + "\n\n"
			}
			if want += "**major, correctness.** It breaks\n\nBecause.\n\n<!-- airlock/1 review "; !strings.Contains(request.Body, want) {
				t.Errorf("body\n%s\nlacks\n%s", request.Body, want)
			}
		})
	}
}

// TestTitle holds that a title stays one line whatever the model puts in it, so that it opens no block.
func TestTitle(t *testing.T) {
	for title, want := range map[string]string{"Two\n\n# lines": "Two # lines", "A\n```\nfence": "A \\`\\`\\` fence", "\t tabs \t": "tabs"} {
		finding := raw("f1")
		finding.Title = untrusted.New(title)
		if got := build(t, input(finding)).Findings[0].Body; got != "**major, correctness.** "+want+"\n\nBecause." {
			t.Errorf("%q became\n%s", title, got)
		}
	}
}

// TestLead holds the words of ours before an answer, and that a text which begins with a block keeps it.
func TestLead(t *testing.T) {
	for _, c := range []struct{ verdict, of, text, want string }{
		{"accepted", "fixed", "Done.", "Fixed. Done."},
		{"rejected", "fixed", "No.", "Not fixed. No."},
		{"accepted", "declined", "Fine.", "Accepted as declined. Fine."},
		{"rejected", "deferred", "No.", "Not accepted as deferred. No."},
		{"declined", "", "It is internal.", "Declined. It is internal."},
		{"", "", "x", ". x"},
		{"rejected", "fixed", "```go\nx := 1\n```", "Not fixed.\n\n```go\nx := 1\n```"},
		{"rejected", "fixed", "- one\n- two", "Not fixed.\n\n- one\n- two"},
		{"rejected", "fixed", "\n\n語", "Not fixed. 語"},
		{"rejected", "fixed", "2 cases are left.", "Not fixed. 2 cases are left."},
		{"accepted", "fixed", " \n\t\n", "Fixed."},
		{"accepted", "fixed", "Done.\n\n" + ledger.HeadingAnswers + "\n", "Fixed. Done.\n\n\\" + ledger.HeadingAnswers},
	} {
		if got := newRenderer(contract.Policy{}, nil).answer(c.verdict, c.of, untrusted.New(c.text)); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.verdict, c.of, got, c.want)
		}
	}
}

// TestListed holds that a Finding that asks for no thread gets none, wherever it points.
func TestListed(t *testing.T) {
	finding := raw("f1")
	finding.Path, finding.Line, finding.Side = path("src/a.go"), number(12), side("RIGHT")
	in := input(finding)
	in.Result.Effects[0].SubmitReview.Threads, in.Result.Effects[0].SubmitReview.Listed = nil, []string{"f1"}
	p := build(t, in)
	if got := p.Findings[0]; got.Placement != contract.PlacementBody || got.Line != nil || *got.Anchor != diff.Anchor("twelve new") {
		t.Errorf("placed %+v", got)
	}
	want := "Seen.\n\n### Also seen\n\n" + p.Findings[0].marker() + "\n`src/a.go` line 12\n\n**major, correctness.** It breaks\n\nBecause.\n\n"
	if !strings.HasPrefix(p.Review().Body, want) {
		t.Errorf("body\n%s", p.Review().Body)
	}
}

// open is an open gating Finding of an earlier Run in the ledger.
func open(in *Input, finding Finding, id string) {
	anchor := ledger.None
	if finding.Anchor != nil {
		anchor = *finding.Anchor
	}
	in.Ledger.Findings = append(in.Ledger.Findings, ledger.Finding{FindingMarker: ledger.FindingMarker{ID: id, Category: finding.Category,
		Severity: finding.Severity, Anchor: anchor, Fingerprint: finding.Fingerprint}, Gates: finding.Gates, Open: true, Body: untrusted.New(finding.Body)})
}

// TestAlreadyOpen holds when a Finding is not posted again.
func TestAlreadyOpen(t *testing.T) {
	const earlier = "run-222222222222222222222222/f7"
	anchored, loose := raw("f1"), raw("f2")
	anchored.Path, anchored.Line, anchored.Side = path("src/a.go"), number(12), side("RIGHT")
	loose.Path = path("src/a.go")
	for _, c := range []struct {
		name    string
		finding contract.RawFinding
		change  func(in *Input, planned Finding)
		want    bool
	}{
		{"the same line and category", anchored, func(in *Input, f Finding) { open(in, f, earlier) }, true},
		{"the same under another title", anchored, func(in *Input, f Finding) { f.Body = "**major, correctness.** Other"; open(in, f, earlier) }, true},
		{"closed", anchored, func(in *Input, f Finding) { open(in, f, earlier); in.Ledger.Findings[0].Open = false }, false},
		{"one that does not gate is never open", anchored, func(in *Input, f Finding) { f.Gates = false; open(in, f, earlier) }, false},
		{"another category", anchored, func(in *Input, f Finding) {
			f.Fingerprint = contract.Fingerprint("security", "src/a.go", *f.Anchor)
			open(in, f, earlier)
		}, false},
		{"accepted by this Result", anchored, func(in *Input, f Finding) {
			open(in, f, earlier)
			in.Result.Dispositions = []contract.Disposition{{Finding: earlier, Reviewer: &contract.ReviewerHalf{Of: contract.VerdictFixed, Verdict: contract.VerdictAccepted}}}
		}, false},
		{"rejected by this Result", anchored, func(in *Input, f Finding) {
			open(in, f, earlier)
			in.Result.Dispositions = []contract.Disposition{{Finding: earlier, Reviewer: &contract.ReviewerHalf{Of: contract.VerdictFixed, Verdict: contract.VerdictRejected}}}
		}, true},
		{"this Run's own, written before", anchored, func(in *Input, f Finding) { open(in, f, f.FindingID) }, false},
		{"no anchor, the same title", loose, func(in *Input, f Finding) { open(in, f, earlier) }, true},
		{"no anchor, another title", loose, func(in *Input, f Finding) { f.Body = "**major, correctness.** Other"; open(in, f, earlier) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := input(c.finding)
			c.change(&in, build(t, in).Findings[0])
			p := build(t, in)
			got := p.Findings[0]
			if already := got.Placement == contract.PlacementAlreadyOpen; already != c.want {
				t.Fatalf("placed %s", got.Placement)
			}
			posted := len(p.Review().Comments) == 1 || strings.Contains(p.Review().Body, got.marker())
			if posted == c.want {
				t.Errorf("posted: %v", posted)
			}
			if c.want && (got.FindingID != earlier || !strings.HasPrefix(p.Review().Body, "Seen.\n\nOne finding was open already and is not repeated here.\n\n<!--")) {
				t.Errorf("it is %s, in\n%s", got.FindingID, p.Review().Body)
			}
		})
	}
}

// TestTokens holds the permissions that are asked for, for every set of Effect types, with a ceiling that allows all and
// with the default one.
func TestTokens(t *testing.T) {
	all := map[string]string{"checks": "write", "contents": "write", "metadata": "read", "pull_requests": "write"}
	effects := Token{contract.PurposeEffects, map[string]string{"checks": "write", "pull_requests": "write"}}
	report := Token{contract.PurposeReport, map[string]string{"checks": "write"}}
	resolve := Token{contract.PurposeResolve, map[string]string{"contents": "write", "pull_requests": "write"}}
	for _, c := range []struct {
		name    string
		types   []string
		ceiling map[string]string
		want    []Token
		reasons []contract.Code
	}{
		{"nothing", nil, all, []Token{report}, nil},
		{"review", []string{contract.SubmitReview}, all, []Token{effects}, []contract.Code{""}},
		{"reply", []string{contract.ReplyThread}, all, []Token{effects}, []contract.Code{""}},
		{"review, reply", []string{contract.SubmitReview, contract.ReplyThread}, all, []Token{effects}, []contract.Code{"", ""}},
		{"resolve", []string{contract.ResolveThread}, all, []Token{report, resolve}, []contract.Code{""}},
		{"all, resolve asked for first", []string{contract.ResolveThread, contract.ReplyThread, contract.SubmitReview}, all, []Token{effects, resolve}, []contract.Code{"", "", ""}},
		{"all, under the default ceiling", contract.EffectTypes(), input().App.Ceiling, []Token{effects}, []contract.Code{"", "", contract.CodeIdentityCeiling}},
		{"review, read alone allowed", []string{contract.SubmitReview}, map[string]string{"pull_requests": "read"}, []Token{report}, []contract.Code{contract.CodeIdentityCeiling}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := input()
			in.App.Ceiling, in.Result.Effects = c.ceiling, nil
			for _, kind := range c.types {
				thread := &contract.ThreadEffect{ID: "e-" + kind, Type: kind}
				in.Result.Effects = append(in.Result.Effects, map[string]contract.Effect{
					contract.SubmitReview:  {SubmitReview: &contract.SubmitReviewEffect{ID: "e-" + kind, Type: kind}},
					contract.ReplyThread:   {ReplyThread: thread},
					contract.ResolveThread: {ResolveThread: thread}}[kind])
			}
			p := build(t, in)
			if difference := cmp.Diff(c.want, p.Tokens); difference != "" {
				t.Errorf("tokens (-want +got):\n%s", difference)
			}
			var order []string
			var reasons []contract.Code
			for _, effect := range p.Effects {
				order, reasons = append(order, effect.Type), append(reasons, effect.Reason)
				if (effect.Token == "") != (effect.Reason != "") {
					t.Errorf("%s: token %q, reason %q", effect.Type, effect.Token, effect.Reason)
				}
			}
			if !slices.IsSortedFunc(order, func(a, b string) int {
				return slices.Index(contract.EffectTypes(), a) - slices.Index(contract.EffectTypes(), b)
			}) {
				t.Errorf("written in the order %v", order)
			}
			if !slices.Equal(reasons, c.reasons) {
				t.Errorf("reasons %v, want %v", reasons, c.reasons)
			}
		})
	}
	in := input()
	delete(in.Apps.Needs, contract.SubmitReview)
	if _, err := Build(in); err == nil {
		t.Error("a type of Effect without needs was planned")
	}
}

// TestUnseen holds that files which the model was not shown are counted and named, and which of them the marker counts.
func TestUnseen(t *testing.T) {
	shown := strings.SplitAfter(change, "+thirty-one new\n")[0]
	in := input()
	in.Task.Texts = []contract.TaskText{{ID: "diff:x", Kind: contract.TextDiff, Text: untrusted.New(shown)}}
	in.Task.Omitted = []contract.Omitted{{Kind: contract.OmittedDiff, Files: 1}, {Kind: contract.OmittedDiffExcluded, Files: 1}, {Kind: contract.OmittedOpaque, Files: 2}}
	in.Facts.Content.Files = []contract.ContentFile{{Path: untrusted.New("src/a.go"), Visible: true},
		{Path: untrusted.New("logo.png")}, {Path: untrusted.New("`@everyone`\n# x.bin")}}
	p := build(t, in)
	want := "Seen.\n\n### Not reviewed\n\n1 file over the budget, 1 file excluded by the policy, 2 files whose content the diff does not show.\n\n" +
		"- `src/gone.go`\n- `src/z⟦U+200B⟧.go`\n- `logo.png`\n- `` `@everyone`⟦U+000A⟧# x.bin ``\n\n<!-- airlock/1 review "
	if got := p.Review().Body; !strings.HasPrefix(got, want) {
		t.Errorf("body\n%s\nwant\n%s", got, want)
	}
	if !strings.HasSuffix(p.Review().Body, " omitted=3 -->") {
		t.Error("the marker counts another number than 3")
	}
	for range 100 {
		in.Facts.Content.Files = append(in.Facts.Content.Files, contract.ContentFile{Path: untrusted.New("x" + strings.Repeat("a", len(in.Facts.Content.Files)))})
	}
	if got := build(t, in).Review().Body; strings.Count(got, "\n- ") != namedFiles+1 || !strings.Contains(got, "\n- and 64 more\n") {
		t.Errorf("names\n%s", got)
	}
	whole := input()
	whole.Task.Texts = []contract.TaskText{{ID: "diff:x", Kind: contract.TextDiff, Text: untrusted.New(change)}}
	if got := build(t, whole).Review().Body; strings.Contains(got, headingUnseen) {
		t.Errorf("nothing was left out, but:\n%s", got)
	}
}

// TestMasked holds that a token shape which the admitted diff holds is hidden wherever the model repeats it.
func TestMasked(t *testing.T) {
	const token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
	finding := raw("f1")
	finding.Title, finding.Text, finding.Path = untrusted.New("Leak of "+token), untrusted.New("```\n"+token+"\n```"), path("conf/"+token)
	in := input(finding)
	in.Diff = diff.NewIndex([]byte("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n a\n+key = " + token + "\n"))
	body := build(t, in).Review().Body
	if strings.Contains(body, token) || strings.Count(body, "[masked github]") < 3 {
		t.Errorf("body\n%s", body)
	}
}

// TestReadAgain holds that package ledger reads back what is planned here, whatever the texts do: an open fence, a heading
// of ours, a line of dashes.
func TestReadAgain(t *testing.T) {
	texts := []string{"Plain.", "```go\nopen fence", "~~~\n```", "> quote\n- list\n  ```", "Title\n---", "<!-- open comment", "<details><summary>", "\n\n    indented", "# heading", "@everyone closes #1", "````\n```\n<!-- x -->\n```"}
	for _, text := range texts {
		first, second := raw("f1"), raw("f2")
		first.Text, first.Title = untrusted.New(text), untrusted.New(text)
		second.Text = untrusted.New("After.")
		in := input(first, second)
		in.Result.Effects[0].SubmitReview.Body = untrusted.New(text)
		in.Result.Effects[0].SubmitReview.Answers = []string{"run-222222222222222222222222/f7"}
		in.Result.Dispositions = []contract.Disposition{{Finding: "run-222222222222222222222222/f7",
			Reviewer: &contract.ReviewerHalf{Of: contract.VerdictFixed, Verdict: contract.VerdictAccepted, Text: untrusted.New(text)}}}
		p := build(t, in)
		read := ledger.ParseReviewBody(p.Review().Body)
		if read.Review == nil || read.Review.Key != p.Effects[0].Key || len(read.Findings) != 2 || len(read.Dispositions) != 1 {
			t.Errorf("%q: read %+v of\n%s", text, read, p.Review().Body)
			continue
		}
		for i, section := range read.Findings {
			if section.Body != p.Findings[i].Body {
				t.Errorf("%q: section %d reads\n%s\nwant\n%s", text, i, section.Body, p.Findings[i].Body)
			}
		}
		if strings.Contains(strings.NewReplacer(ledger.Prefix, "", `\<!--`, "").Replace(p.Review().Body), "<!--") && !strings.HasPrefix(text, "```") {
			t.Errorf("%q: an HTML comment of the model's stays", text)
		}
	}
}
