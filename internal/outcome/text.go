package outcome

import (
	"fmt"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

const (
	maxTitleBytes = 255
	listedIDs     = 100
	// headingOpen is over the ids of what is open, by which a later Run reads them: see [OpenOf].
	headingOpen = "### Open"
)

// title says in one line why the check is what it is.
func title(o contract.Outcome) string {
	switch {
	case *o.Conclusion == contract.ConclusionSuccess:
		return "Reviewed; nothing that gates is open"
	case len(o.GatingOpen) > 0 && *o.Conclusion == contract.ConclusionFailure:
		return counted(len(o.GatingOpen), "finding that gates is open", "findings that gate are open")
	}
	reason, ok := contract.ReasonOf(deciding(o))
	if !ok {
		return "A person must look at this"
	}
	return cut(strings.TrimSuffix(reason.Sentence, ".") + " (" + string(reason.Code) + ")")
}

// deciding is the reason that a person must act on: that of the Kernel for a Run that it would not admit any more, and for
// one that is carried what the earlier review left.
func deciding(o contract.Outcome) contract.Code {
	for _, code := range o.Reasons {
		if code != contract.CodeNotAdmitted && (code != contract.CodeAlreadyRan || len(o.Reasons) == 1) {
			return code
		}
	}
	return first(o.Reasons)
}

// summary says in Markdown what is open, what was left out, what was written and what to do next.
func summary(o contract.Outcome) string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("**%s**, by the Run `%s`.", strings.ReplaceAll(o.Status, "_", " "), o.Run)
	reasons(line, o.Reasons)
	if len(o.GatingOpen) > 0 {
		line("\n%s\n", headingOpen)
		for i, id := range o.GatingOpen {
			if i == listedIDs {
				line("- and %d more", len(o.GatingOpen)-i)
				break
			}
			line("- `%s`", id)
		}
	}
	omitted(line, o.Omitted)
	n := o.Effects
	if n != (contract.EffectCounts{}) {
		line("\n### Written\n\n%d applied, %d applied before, %d failed, %d not attempted, %d refused.",
			n.Applied, n.AlreadyApplied, n.Failed, n.NotAttempted, n.Refused)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func reasons(line func(string, ...any), codes []contract.Code) {
	if len(codes) > 0 {
		line("")
	}
	for _, code := range codes {
		if reason, ok := contract.ReasonOf(code); ok {
			line("- `%s`: %s %s", code, reason.Sentence, reason.Next)
		}
	}
}

func omitted(line func(string, ...any), list []contract.Omitted) {
	if len(list) == 0 {
		return
	}
	line("\n### Not given to the model\n")
	for _, o := range list {
		line("- %s: %s, %s, %s", OmittedWords(o.Kind), counted(o.Files, "file", "files"), counted(o.Texts, "text", "texts"),
			counted(int(o.Characters), "character", "characters"))
	}
}

// OmittedWords says a kind of omission in words.
func OmittedWords(kind string) string {
	switch kind {
	case contract.OmittedDiff:
		return "changed files over the budget"
	case contract.OmittedDiffExcluded:
		return "changed files that the policy excludes"
	case contract.OmittedOpaque:
		return "changed files whose content the diff does not show"
	case contract.OmittedTitle, contract.OmittedBody, contract.OmittedComment, contract.OmittedReview, contract.OmittedThread:
		return kind
	}
	return "other"
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func cut(title string) string {
	if len(title) <= maxTitleBytes {
		return title
	}
	return title[:maxTitleBytes-1] + "." // sentences of the list are ASCII; a test holds that none is this long
}
