package account

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// hostile draws a text that would speak to a terminal, to Markdown or to JSON.
func hostile(t *rapid.T, label string) untrusted.Text {
	return untrusted.New(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"\x1b[31m", "\x1b]8;;http://x\a", "\u009b2J", "\u202e", "\u200b", "\r", "\n", "\t",
		"`", "``", "```", "\n```\n", "|", "](http://evil.example)", "[", "]", "<img src=x>", "<!--", "-->", "@everyone", "#1", "**", "_", "\\", "&lt;", "\u2028",
		"![x](y)", "- ", "\n# ", "{0}", "ordinary words", " ", "é", "\U000e0041", "\xff", "::set-output::"}), 0, 12).Draw(t, label), ""))
}

// drawn is an account whose every text of others is hostile.
func drawn(t *rapid.T, records Records) Account {
	applied, outcome := *records.Applied, *records.Outcome
	applied.Findings = nil
	outcome.GatingOpen = nil
	for n := range rapid.IntRange(0, 6).Draw(t, "findings") {
		path, line := hostile(t, "path"), rapid.IntRange(1, 99).Draw(t, "line")
		f := records.Applied.Findings[0]
		f.ID, f.Path, f.Line, f.Body = fmt.Sprintf("%s/f%d", runA, n+1), &path, &line, untrusted.New("**major, tests.** "+hostile(t, "title").Raw()+"\n\n"+hostile(t, "text").Raw())
		f.Placement = rapid.SampledFrom([]string{contract.PlacementLine, contract.PlacementBody, contract.PlacementAlreadyOpen}).Draw(t, "placement")
		applied.Findings = append(applied.Findings, f)
		outcome.GatingOpen = append(outcome.GatingOpen, f.ID)
	}
	records.Applied, records.Outcome = &applied, &outcome
	outcome.Omitted = []contract.Omitted{{Kind: contract.OmittedOpaque, Files: 3}}
	for range rapid.IntRange(0, 4).Draw(t, "unseen") {
		records.Unseen = append(records.Unseen, hostile(t, "file"))
	}
	return Of(records)
}

// TestNothingHidden holds that no form of an account holds a hidden character but line ends, whatever the texts are.
func TestNothingHidden(t *testing.T) {
	records := model(t, "A")
	rapid.Check(t, func(t *rapid.T) {
		a := drawn(t, records)
		data, err := JSON([]Account{a})
		if err != nil {
			t.Fatal(err)
		}
		var back any
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatalf("no JSON: %v\n%s", err, data)
		}
		for _, made := range []string{Text([]Account{a}, TextOptions{Width: 80}), Markdown([]Account{a}), Summary(a, 3000, "look elsewhere"), string(data)} {
			for _, r := range made {
				if r != '\n' && untrusted.Hidden(r) || r == '\t' || r == '\r' || r == '\uFFFD' && made != string(data) {
					t.Fatalf("%U in\n%q", r, made)
				}
			}
		}
	})
}

// codeSpans are those of one line of Markdown in which every other backtick is escaped.
func withoutCode(line string) string {
	var out strings.Builder
	for i := 0; i < len(line); {
		switch {
		case line[i] == '\\':
			i += 2
		case line[i] == '`':
			run := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
			fence := line[i : i+run]
			end := -1
			for at := i + run; at < len(line); {
				if line[at] != '`' {
					at++
					continue
				}
				closing := len(line[at:]) - len(strings.TrimLeft(line[at:], "`"))
				if closing == len(fence) {
					end = at + closing
					break
				}
				at += closing
			}
			if end < 0 {
				return out.String() + line[i:]
			}
			i = end
		default:
			out.WriteByte(line[i])
			i++
		}
	}
	return out.String()
}

var (
	// ourLine is a line of ours without its code: a heading or a point, then words, bold and our own links.
	ourLine = regexp.MustCompile(`^(|## .*|### .*|- .*|  - .*)$`)
	ourLink = regexp.MustCompile(`\(\[on GitHub\]\(https://github\.com/example-org/ledger/[a-z0-9/#_-]+\)\)`)
)

// TestMarkdownIsDead holds that outside code spans a Markdown account has nothing but our own words, bold and links.
func TestMarkdownIsDead(t *testing.T) {
	records := model(t, "A")
	rapid.Check(t, func(t *rapid.T) {
		for _, line := range strings.Split(Markdown([]Account{drawn(t, records)}), "\n") {
			rest := withoutCode(line)
			if !ourLine.MatchString(rest) {
				t.Fatalf("a line that begins like nothing of ours: %q", line)
			}
			rest = strings.ReplaceAll(ourLink.ReplaceAllString(rest, ""), "**", "")
			if at := strings.IndexAny(rest, "`[]<>*_|@&!"); at >= 0 || strings.Contains(rest, "evil") || strings.Contains(rest, "://") {
				t.Fatalf("outside of code: %q of %q", rest, line)
			}
		}
	})
}

// largest is an account of a Run that has more of everything than any configuration allows.
func largest() Account {
	long := strings.Repeat("`\u202eA", 200)
	path := untrusted.New(long)
	a := Of(Records{Decision: &contract.Decision{Run: runA, Role: "pr-review", Repository: contract.Repository{ID: 1, Owner: "example-org", Name: "ledger"},
		Item: contract.Item{Kind: contract.PullRequest, Number: 12}}, Server: DefaultServer})
	for n := range 600 {
		line := n + 1
		f := Finding{ID: runA + "/f" + strconv.Itoa(n+1), Severity: "critical", Category: "maintainability", State: StatePosted, Gates: true, Open: true,
			Placement: contract.PlacementLine, Path: &path, Line: &line, Title: &path, Text: &path, URL: DefaultServer + "/example-org/ledger/pull/12#discussion_r1"}
		a.Findings = append(a.Findings, f)
		reason := reasonOf(contract.CodePlatformError)
		a.Effects = append(a.Effects, Effect{ID: "e" + strconv.Itoa(n+1), Type: contract.ReplyThread, State: contract.StateFailed, Why: &reason,
			Asked: &AskedEffect{Finding: f.ID}})
	}
	for range 3000 {
		a.LeftOut.Files = append(a.LeftOut.Files, path)
	}
	for _, reason := range contract.Reasons() {
		a.Why = append(a.Why, reasonOf(reason.Code))
	}
	return a
}

var lacking = regexp.MustCompile(`(?m)^- \*\*(\d+) entr(?:y is|ies are) left out here, because GitHub takes no longer summary\*\*; (.*)$`)

// TestSummaryStaysUnderTheLimit holds the bound in bytes for the largest account and any limit, that what is left out is counted
// exactly, and that short lists are whole as long as there is room.
func TestSummaryStaysUnderTheLimit(t *testing.T) {
	a := largest()
	whole := Summary(a, 1<<40, "")
	if len(whole) < 2<<20 || lacking.MatchString(whole) {
		t.Fatalf("the whole account has %d bytes", len(whole))
	}
	entries := func(made string) int { return strings.Count("\n"+made, "\n- ") }
	for _, limit := range []int{8_000, 20_000, 65_536, 200_001, workflow.MaxSummaryBytes, len(whole) - 1} {
		made := Summary(a, limit, "all of it is in applied.json")
		cuts, missing := 0, 0
		for _, cut := range lacking.FindAllStringSubmatch(made, -1) {
			n, err := strconv.Atoi(cut[1])
			if err != nil || cut[2] != "all of it is in applied.json" {
				t.Errorf("limit %d: %q", limit, cut[0])
			}
			cuts, missing = cuts+1, missing+n-1 // the entry that says so is one itself
		}
		if len(made) > limit || cuts == 0 || entries(made)+missing != entries(whole) {
			t.Errorf("limit %d: %d bytes, %d entries and %d left out of %d", limit, len(made), entries(made), missing, entries(whole))
		}
		if limit >= 65_536 && (!strings.Contains(made, "`evals_missing`") || !strings.Contains(made, "pull request")) {
			t.Errorf("limit %d: a short list is cut", limit)
		}
		if limit > 20_000 && float64(len(made)) < 0.9*float64(limit) {
			t.Errorf("limit %d: only %d bytes are used", limit, len(made))
		}
	}
	if workflow.MaxSummaryBytes >= 1<<20 {
		t.Errorf("the limit of a summary is %d", workflow.MaxSummaryBytes)
	}
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(8_000, 200_000).Draw(t, "limit")
		few := a
		few.Findings = a.Findings[:rapid.IntRange(0, 90).Draw(t, "findings")]
		few.Effects = a.Effects[:rapid.IntRange(0, 90).Draw(t, "effects")]
		few.LeftOut.Files = a.LeftOut.Files[:rapid.IntRange(0, 100).Draw(t, "files")]
		if made := Summary(few, limit, "see applied.json"); len(made) > limit {
			t.Fatalf("%d bytes, limit %d", len(made), limit)
		}
	})
}

// TestLongTextIsCounted holds that one long text is cut with the number of its characters that are not shown, and whole in JSON.
func TestLongTextIsCounted(t *testing.T) {
	records := model(t, "A")
	path := untrusted.New(strings.Repeat("é", longest+7))
	records.Applied.Findings[0].Path = &path
	a := Of(records)
	if text := Text([]Account{a}, TextOptions{}); !strings.Contains(text, strings.Repeat("é", longest)+" and 7 characters more, line 15") {
		t.Errorf("the path is not cut as it should be:\n%.2000s", text)
	}
	data, err := JSON([]Account{a})
	if err != nil || !bytes.Contains(data, []byte(path.Raw())) {
		t.Errorf("the path is not whole in JSON (%v)", err)
	}
}
