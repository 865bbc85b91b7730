package outcome

import (
	"fmt"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// listedFindings bounds the step summary, which GitHub cuts at 1 MiB.
const listedFindings = 200

// StepSummary is the job's summary in Markdown: what was asked, what was done and read back, and what it cost. Of untrusted
// text it holds file names only, as code.
func StepSummary(decision contract.Decision, applied contract.Applied, o contract.Outcome) string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	conclusion := "none written"
	if o.Conclusion != nil {
		conclusion = *o.Conclusion
	}
	line("## airlock / %s: %s\n", decision.Role, strings.ReplaceAll(o.Status, "_", " "))
	line("Pull request #%d at `%s`, content `%s`, Run `%s`. Check: **%s**.\n", decision.Item.Number, decision.Commit, decision.ContentID, o.Run, conclusion)
	line("%s", summary(o))
	if len(applied.Effects) > 0 {
		line("\n### Effects\n\n| effect | type | state | reason | read back |\n|---|---|---|---|---|")
		for _, e := range applied.Effects {
			line("| %s | %s | %s | %s | %s |", e.ID, e.Type, strings.ReplaceAll(e.State, "_", " "), codeOf(e.Reason), readBack(e))
		}
	}
	if len(applied.Findings) > 0 {
		line("\n### Findings\n")
		for i, f := range applied.Findings {
			if i == listedFindings {
				line("- and %d more", len(applied.Findings)-i)
				break
			}
			line("- `%s` %s, %s: %s", f.ID, f.Severity, f.Category, where(f))
		}
	}
	if len(applied.Dispositions) > 0 {
		line("\n### Answers\n")
		for _, d := range applied.Dispositions {
			line("- `%s`: %s by the %s", d.Finding, d.Verdict, d.Half)
		}
	}
	if u := o.Usage; u != nil {
		atLeast := ""
		if !u.Complete {
			atLeast = "at least "
		}
		line("\n### Cost\n\n%s%d.%06d dollars, %s, %d tokens in, %d out, %d ms; %d REST and %d GraphQL calls.", atLeast,
			u.CostMicrousd/1_000_000, u.CostMicrousd%1_000_000, counted(int(u.Requests), "request", "requests"),
			u.InputTokens+u.CacheReadTokens+u.CacheWriteTokens, u.OutputTokens, u.Milliseconds, applied.Calls.REST, applied.Calls.GraphQL)
	}
	return out.String()
}

func codeOf(code *contract.Code) string {
	if code == nil {
		return ""
	}
	return "`" + string(*code) + "`"
}

func readBack(e contract.AppliedEffect) string {
	switch r := e.ReadBack; {
	case r == nil:
		return "nothing"
	case r.Review != nil:
		return fmt.Sprintf("review %s with %s", id(e.DatabaseID), counted(len(r.Review.Comments), "line comment", "line comments"))
	case r.Reply != nil:
		return "reply " + id(e.DatabaseID)
	case r.Resolve != nil && r.Resolve.Resolved:
		return "resolved"
	}
	return "nothing"
}

func id(n *int64) string {
	if n == nil {
		return "without an id"
	}
	return fmt.Sprint(*n)
}

// where is the place a Finding was read back at.
func where(f contract.Finding) string {
	place := strings.ReplaceAll(f.Placement, "_", " ")
	if f.Path == nil {
		return place
	}
	line := 0
	if f.Line != nil {
		line = *f.Line
	}
	return place + ", " + ledger.Location(untrusted.VisibleLine(*f.Path), line)
}
