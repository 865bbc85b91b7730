package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// Preview is the Plan as plain text for a person at a terminal: which tokens would be asked for, what would be written and
// why it looks as it does. Every line of a body is indented by four spaces and a bar, with what a terminal would act on made
// visible, so that no text of a model can look like a line of ours.
func (p Plan) Preview() string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	for _, token := range p.Tokens {
		line("token for %s: %s", token.Purpose, permissions(token.Permissions))
	}
	for _, effect := range p.Effects {
		line("%s %s, key %s", effect.ID, effect.Type, effect.Key)
		if effect.Reason != "" {
			reason, _ := contract.ReasonOf(effect.Reason)
			line("  not written: %s (%s)", reason.Sentence, effect.Reason)
		}
		switch {
		case effect.Review != nil:
			line("  %s on commit %s, %d bytes", effect.Review.Event, effect.Review.Commit, len(effect.Review.Body))
			indent(line, effect.Review.Body)
			for _, comment := range effect.Review.Comments {
				start := ""
				if comment.StartLine != nil {
					start = fmt.Sprintf("%d to ", *comment.StartLine)
				}
				line("  comment on %s, line %s%d, %s", untrusted.VisibleLine(comment.Path), start, comment.Line, comment.Side)
				indent(line, comment.Body)
			}
		case effect.Reply != nil:
			line("  in thread %s, under comment %d", effect.Reply.ThreadID, effect.Reply.CommentID)
			indent(line, effect.Reply.Body)
		case effect.Resolve != nil:
			line("  thread %s", effect.Resolve.ThreadID)
		}
	}
	for _, finding := range p.Findings {
		line("finding %s: %s, %s; %s, because %s", finding.FindingID, finding.Severity, finding.Category,
			strings.ReplaceAll(finding.Placement, "_", " "), finding.Why)
	}
	for _, d := range p.Dispositions {
		line("answer to %s: %s by the %s, posted by %s", d.Finding, d.Verdict, d.Half, d.Effect)
	}
	return out.String()
}

func indent(line func(string, ...any), body string) {
	for _, text := range strings.Split(body, "\n") {
		line("    | %s", untrusted.VisibleLine(untrusted.New(text)))
	}
}

func permissions(all map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, name+": "+all[name])
	}
	return strings.Join(list, ", ")
}
