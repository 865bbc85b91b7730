package demo

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// account writes what a person can follow. Every line comes from a record that a program wrote, or from the emulated
// GitHub's own state; texts of others pass [plain].
type account struct {
	out   io.Writer
	quiet bool
}

func (a *account) line(format string, arguments ...any) {
	if !a.quiet {
		fmt.Fprintf(a.out, format+"\n", arguments...)
	}
}

// plain is untrusted text for a terminal: hidden and control characters visible, on one line, at most 100 characters.
func plain(text string) string {
	visible, _ := untrusted.Escape(text)
	visible = strings.Join(strings.Fields(visible), " ")
	if runes := []rune(visible); len(runes) > 100 {
		return string(runes[:99]) + "…"
	}
	return visible
}

func (a *account) opening(s *stage) {
	a.line("airlock demo: one pull request, reviewed by a model that holds no credential that can write")
	a.line("")
	a.line("  GitHub      emulated on loopback: checks permissions, anchors, schemas and order; keeps state")
	engine := "a recorded answer, replayed (every record says so)"
	if s.Engine == "claude" {
		engine = "the installed claude CLI"
	}
	a.line("  model       %s", engine)
	a.line("  programs    decide, run and apply: three binaries, three processes, three environments")
	a.line("  change      #%d %q by %s, an outside author", s.scenario.Number, plain(s.scenario.Title), plain(s.scenario.Author.Login))
}

func (a *account) heading(s *stage, n int) {
	a.line("")
	title := fmt.Sprintf("Run %d", n+1)
	if message := s.scenario.Runs[n].Message; message != "" {
		title += fmt.Sprintf(": the author pushed %q", plain(message))
	}
	if replies := len(s.scenario.Runs[n].Replies); replies > 0 {
		title += fmt.Sprintf(" and answered %d findings", replies)
	}
	a.line("── %s", title)
}

// holds lists the credentials among the variables of a job.
func holds(env map[string]string) string {
	var held []string
	for name, what := range map[string]string{"GITHUB_TOKEN": "GITHUB_TOKEN (read only)", "CLAUDE_CODE_OAUTH_TOKEN": "CLAUDE_CODE_OAUTH_TOKEN (the model's)",
		"AIRLOCK_APP_PRIVATE_KEY": "AIRLOCK_APP_PRIVATE_KEY (can mint a token that writes)"} {
		if env[name] != "" {
			held = append(held, what)
		}
	}
	slices.Sort(held)
	return strings.Join(held, ", ")
}

func (a *account) decided(env map[string]string, b bundle.Bundle, p *passed) {
	d := p.decision
	a.line("")
	a.line("decide  holds %s", holds(env))
	a.line("        read  %d files of the change, %d comments, %d reviews, %d threads, as one snapshot", len(b.Facts.Content.Files), len(b.Facts.Comments), len(b.Facts.Reviews), len(b.Facts.Threads))
	if !d.Admitted {
		for _, code := range d.Reasons {
			reason, _ := contract.ReasonOf(code)
			a.line("        no    %s: %s", code, reason.Sentence)
		}
		if d.Carries != nil {
			a.line("        carries the check of %s to this commit; no model is called", *d.Carries)
		}
		return
	}
	a.line("        yes   %s", why(b))
	a.line("        Run   %s, for exactly these bytes: %s (%d bytes)", d.Run, short(d.ContentID), b.Facts.Content.Bytes)
}

// why says in one line what let the change in.
func why(b bundle.Bundle) string {
	author := b.Facts.Item.Author.ID
	if slices.Contains(b.Policy.Maintainers, author) {
		return "the author is a maintainer"
	}
	for _, event := range slices.Backward(b.Facts.LabelEvents) {
		if event.Label == b.Policy.Labels.Approved && event.Event == "labeled" {
			return fmt.Sprintf("maintainer %d set %q after the author's last push", event.ActorID, event.Label)
		}
	}
	return "the policy needs no approval for this author"
}

func short(digest string) string {
	if len(digest) > 19 {
		return digest[:19] + "…"
	}
	return digest
}

func (a *account) answered(env map[string]string, p *passed) {
	a.line("")
	a.line("run     holds %s", holds(env))
	trust := map[contract.Trust]int{}
	characters := 0
	for _, text := range p.task.Texts {
		trust[text.Trust]++
		characters += len([]rune(text.Text.Raw()))
	}
	var classes []string
	for _, class := range []contract.Trust{contract.TrustMaintainer, contract.TrustRole, contract.TrustAdvisory, contract.TrustOutside} {
		if trust[class] > 0 {
			classes = append(classes, fmt.Sprintf("%d %s", trust[class], class))
		}
	}
	a.line("        gave  %d texts (%s), %d characters; %d open findings to answer", len(p.task.Texts), strings.Join(classes, ", "), characters, len(p.task.Findings))
	for _, omitted := range p.task.Omitted {
		a.line("        left out  %s", leftOut(omitted))
	}
	r := p.result
	reason := ""
	if r.Reason != nil {
		reason = " (" + *r.Reason + ")"
	}
	a.line("        got   %s%s from %s %s: %d findings, %d answers, %d effects asked for", r.Status, reason, r.Engine.Mode, plain(r.Engine.Name),
		len(r.Findings), len(r.Dispositions), len(r.Effects))
}

func leftOut(o contract.Omitted) string {
	what := map[string]string{contract.OmittedDiff: "over the budget", contract.OmittedDiffExcluded: "excluded by policy",
		contract.OmittedOpaque: "whose content the diff does not show"}[o.Kind]
	if what == "" {
		return fmt.Sprintf("%d %s texts, %d characters", o.Texts, o.Kind, o.Characters)
	}
	files := "files"
	if o.Files == 1 {
		files = "file"
	}
	if o.Characters == 0 {
		return fmt.Sprintf("%d %s %s", o.Files, files, what)
	}
	return fmt.Sprintf("%d %s %s, %d characters", o.Files, files, what, o.Characters)
}

func (a *account) wrote(env map[string]string, attempt int, p *passed) {
	a.line("")
	if attempt > 1 {
		a.line("apply   once more (attempt %d)", attempt)
	} else {
		a.line("apply   holds %s", holds(env))
	}
	for _, token := range p.applied.Tokens {
		a.line("        token for %s: %s; one repository; %s", token.Purpose, permissions(token.Granted), revoked(token.Revoked))
	}
	for _, effect := range p.applied.Effects {
		reason := ""
		if effect.Reason != nil {
			reason = " (" + string(*effect.Reason) + ")"
		}
		a.line("        %s    %s: %s%s%s", effect.ID, effect.Type, strings.ReplaceAll(effect.State, "_", " "), reason, readBack(effect))
		a.inside(effect.ID, p)
	}
	o := p.outcome
	check := "none written"
	if o.Check != nil {
		check = fmt.Sprintf("%s on %s, read back", o.Check.Conclusion, o.Check.Commit[:12])
	}
	a.line("        end   %s; check %q: %s", strings.ReplaceAll(o.Status, "_", " "), "airlock / "+role, check)
	for _, code := range o.Reasons {
		reason, _ := contract.ReasonOf(code)
		a.line("              %s: %s", code, reason.Sentence)
	}
	if len(o.GatingOpen) > 0 {
		a.line("              open: %s", strings.Join(o.GatingOpen, ", "))
	}
	a.line("        calls %d REST, %d GraphQL", p.applied.Calls.REST, p.applied.Calls.GraphQL)
}

// inside lists what one Effect posted.
func (a *account) inside(effect string, p *passed) {
	posted := func(e contract.Effect) bool { return e.ID() == effect }
	at := slices.IndexFunc(p.result.Effects, posted)
	if at < 0 {
		return
	}
	if p.result.Effects[at].SubmitReview != nil {
		for _, finding := range p.applied.Findings {
			a.line("              %-6s %-8s %-12s %s", finding.ID[strings.IndexByte(finding.ID, '/')+1:], finding.Severity, finding.Category, placed(finding))
		}
	}
	for _, d := range p.applied.Dispositions {
		if d.Effect == effect {
			of := ""
			if d.Of != nil {
				of = ", of " + *d.Of
			}
			a.line("              %s %s%s", d.Finding, d.Verdict, of)
		}
	}
}

func placed(f contract.Finding) string {
	switch {
	case f.Placement == contract.PlacementLine && f.Path != nil && f.Line != nil:
		where := fmt.Sprintf("%s:%d", plain(f.Path.Raw()), *f.Line)
		if f.StartLine != nil {
			where = fmt.Sprintf("%s:%d-%d", plain(f.Path.Raw()), *f.StartLine, *f.Line)
		}
		return "on line " + where
	case f.Placement == contract.PlacementAlreadyOpen:
		return "open already, not posted again"
	case f.Path != nil:
		return "in the body: " + plain(f.Path.Raw()) + " is not on a line of this change"
	}
	return "in the body"
}

func readBack(e contract.AppliedEffect) string {
	switch {
	case e.ReadBack == nil:
		return ""
	case e.ReadBack.Review != nil:
		return fmt.Sprintf("; read back as review %d with %d line threads", *e.DatabaseID, len(e.ReadBack.Review.Comments))
	case e.ReadBack.Reply != nil:
		return fmt.Sprintf("; read back as comment %d", *e.DatabaseID)
	}
	return "; read back as resolved"
}

func permissions(granted map[string]string) string {
	var list []string
	for name, access := range granted {
		list = append(list, name+": "+access)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func revoked(yes bool) string {
	if yes {
		return "revoked"
	}
	return "not known to be revoked; it ends within the hour"
}

// failed says that a program ended with an error of its own.
func (a *account) failed(name string, code int, log string) {
	a.line("")
	a.line("%s   ended with exit code %d", name, code)
	for _, line := range splitLines(log) {
		a.line("        %s", plain(line))
	}
}

// closing is the emulated GitHub's own word: what stands there now.
func (a *account) closing(s *stage, state emulator.State) {
	pull := state.Pull(s.scenario.Number)
	reviews, replies := 0, 0
	for _, review := range pull.Reviews {
		if review.AuthorID == s.scenario.App.BotUserID {
			reviews++
		}
	}
	for _, thread := range pull.Threads {
		for _, comment := range thread.Comments[1:] {
			if comment.AuthorID == s.scenario.App.BotUserID {
				replies++
			}
		}
	}
	live := 0
	for _, token := range state.Tokens {
		if token.Kind == "installation" && !token.Revoked {
			live++
		}
	}
	a.line("")
	a.line("── What stands on GitHub now")
	a.line("")
	a.line("        %d reviews and %d replies by our App, %d threads, %d checks", reviews, replies, len(pull.Threads), len(state.CheckRuns))
	a.line("        %d tokens minted that still work", live)
	for _, check := range state.CheckRuns {
		a.line("        %s on %s: %s: %s", check.Name, check.HeadCommit[:12], check.Conclusion, plain(check.Title))
	}
	if s.Out != "" {
		a.line("")
		a.line("        every record is in %s", s.Out)
	}
}
