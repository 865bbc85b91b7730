package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// writePlanText prints a plan, or the end of the Run, for a person.
func writePlanText(w io.Writer, f foreseen) error {
	out := bufio.NewWriter(w)
	line := func(format string, arguments ...any) { fmt.Fprintf(out, format+"\n", arguments...) }
	d := f.decision
	line("plan of %s for pull request #%d of %s/%s at %s; nothing is written", d.Run, d.Item.Number, visible(d.Repository.Owner),
		visible(d.Repository.Name), d.Commit)
	line("")
	if f.stands() {
		fmt.Fprint(out, f.prepared.Plan.Preview())
		for _, effect := range f.prepared.Plan.Effects {
			if f.standing[effect.ID] {
				line("%s stands on the item already: it would be found by its key, not written again", effect.ID)
			}
		}
		if f.prepared.Reencoded {
			reason, _ := contract.ReasonOf(contract.CodeContentReencoded)
			line("%s: %s", reason.Code, reason.Sentence)
		}
	} else {
		line("no Effect would be written")
		for _, code := range f.prepared.Ending {
			reason, _ := contract.ReasonOf(code)
			line("  %s: %s", code, reason.Sentence)
			if code == f.prepared.Ending[len(f.prepared.Ending)-1] && f.prepared.Where != "" {
				line("    where: %s", visible(f.prepared.Where))
			}
			line("    next: %s", reason.Next)
		}
	}
	line("")
	writeEndText(line, f)
	return out.Flush()
}

// writeEndText says how the Run would end.
func writeEndText(line func(string, ...any), f foreseen) {
	o := f.report.Outcome
	supposing := ""
	if f.stands() {
		supposing = ", if GitHub does what is asked"
	}
	line("the Run would end as %s%s", strings.ReplaceAll(o.Status, "_", " "), supposing)
	if f.report.Check == nil {
		line("no check would be written")
	} else {
		line("check %q on %s: %s: %s", f.report.Check.Name, f.report.Check.Commit, f.report.Check.Conclusion, f.report.Check.Title)
	}
	for _, code := range o.Reasons {
		if reason, known := contract.ReasonOf(code); known && !slices.Contains(f.prepared.Ending, code) {
			line("  %s: %s", code, reason.Sentence)
		}
	}
	for _, id := range o.GatingOpen {
		line("  open: %s", id)
	}
}

// visible is a text on one line with nothing hidden in it.
func visible(text string) string {
	shown, _ := untrusted.Escape(text)
	return strings.Join(strings.Fields(shown), " ")
}
