package demo

import (
	"fmt"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// given says what the model was given, by trust class, and what was left out.
func (a *account) given(env map[string]string, p *passed) {
	a.program("run", "holds", "%s", holds(env))
	label := "given"
	for _, class := range []contract.Trust{contract.TrustOutside, contract.TrustMaintainer, contract.TrustRole, contract.TrustAdvisory} {
		if texts := textsOf(p, class); texts != "" {
			a.item(label, "%-11s %s", class, texts)
			label = ""
		}
	}
	label = "left out"
	for _, omitted := range p.task.Omitted {
		a.item(label, "%s", leftOut(omitted))
		label = ""
	}
	if files := notShown(p); files != "" {
		a.item("", "not shown: %s", files)
	}
	if e := p.task.Escaped; e.Bidirectional+e.InvalidUTF8+e.Invisible+e.Tag > 0 {
		a.item("escaped", "%s, made visible", counted(int(e.Bidirectional+e.InvalidUTF8+e.Invisible+e.Tag), "hidden character", "hidden characters"))
	}
	if len(p.task.Findings) > 0 {
		a.item("to answer", "%s, each with what was said in its thread", counted(len(p.task.Findings), "open finding", "open findings"))
	}
}

// textsOf lists the texts of one class by kind.
func textsOf(p *passed, class contract.Trust) string {
	var list []string
	count := map[string]int{}
	for _, text := range p.task.Texts {
		if text.Trust != class {
			continue
		}
		switch text.Kind {
		case contract.TextDiff:
			list = append(list, fmt.Sprintf("the diff of %s (%d characters)", counted(len(diff.NewIndex([]byte(text.Text.Raw())).Files()), "file", "files"),
				len([]rune(text.Text.Raw()))))
		case contract.TextTitle, contract.TextBody:
			list = append(list, "the "+text.Kind)
		default:
			count[text.Kind]++
		}
	}
	for _, kind := range []struct{ name, one, many string }{{contract.TextComment, "comment text", "comment texts"},
		{contract.TextReview, "review text", "review texts"}, {contract.TextThread, "reply text", "reply texts"}} {
		if count[kind.name] > 0 {
			list = append(list, counted(count[kind.name], kind.one, kind.many))
		}
	}
	return strings.Join(list, ", ")
}

// leftOut says one kind of omission in words.
func leftOut(o contract.Omitted) string {
	switch o.Kind {
	case contract.OmittedDiff:
		return fmt.Sprintf("%s over the budget, %d characters", counted(o.Files, "file", "files"), o.Characters)
	case contract.OmittedDiffExcluded:
		return fmt.Sprintf("%s excluded by the policy, %d characters", counted(o.Files, "file", "files"), o.Characters)
	case contract.OmittedOpaque:
		return counted(o.Files, "file", "files") + " whose content the diff does not show"
	}
	return fmt.Sprintf("%s over the budget, %d characters", counted(o.Texts, o.Kind+" text", o.Kind+" texts"), o.Characters)
}

// namedFiles bounds how many names are listed.
const namedFiles = 12

// notShown names the changed files whose content is not in the Task's diff.
func notShown(p *passed) string {
	shown := map[string]bool{}
	for _, text := range p.task.Texts {
		if text.Kind == contract.TextDiff {
			for _, file := range diff.NewIndex([]byte(text.Text.Raw())).Files() {
				shown[file.Path()] = true
			}
		}
	}
	var files []string
	for _, file := range p.bundle.Facts.Content.Files {
		name, _ := untrusted.Escape(file.Path.Raw())
		if !shown[name] || !file.Visible {
			files = append(files, plain(name))
		}
	}
	if over := len(files) - namedFiles; over > 0 {
		files = append(files[:namedFiles], fmt.Sprintf("and %d more", over))
	}
	return strings.Join(files, ", ")
}

// answered says what came back.
func (a *account) answered(p *passed) {
	r := p.result
	reason := ""
	if r.Reason != nil {
		known, _ := contract.ReasonOf(contract.Code(*r.Reason))
		reason = fmt.Sprintf(" (%s: %s)", known.Code, known.Sentence)
	}
	from := "a recorded answer"
	if r.Engine.Mode == contract.ModeLive {
		from = plain(r.Engine.Name) + " " + plain(r.Engine.Model)
	}
	asks := map[string]int{}
	for _, effect := range r.Effects {
		asks[effect.Type()]++
	}
	var list []string
	for _, kind := range contract.EffectTypes() {
		if asks[kind] > 0 {
			list = append(list, fmt.Sprintf("%d %s", asks[kind], kind))
		}
	}
	wants := ""
	if len(list) > 0 {
		wants = "; it asks for " + strings.Join(list, ", ")
	}
	a.item("answer", "%s%s, from %s: %s, %s%s", r.Status, reason, from, counted(len(r.Findings), "finding", "findings"),
		counted(len(r.Dispositions), "answer to an open finding", "answers to open findings"), wants)
	if p.wrong != nil {
		a.item("", "%s: %s", plain(a.stage.scenario.Runs[p.n].Answer), oneLine(p.wrong.Error()))
	}
}
