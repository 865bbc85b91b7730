package demo

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// account writes what a person can follow. Every line comes from a record that a program wrote, or from the emulated
// GitHub's own state; texts of others pass [plain]. No time and no address is printed, so that the same scenario gives the
// same account.
type account struct {
	stage *stage
	out   io.Writer
	quiet bool
	// err is the first failure to write.
	err error
}

// line writes one line as it is.
func (a *account) line(format string, arguments ...any) {
	if a.quiet || a.err != nil {
		return
	}
	_, a.err = fmt.Fprintf(a.out, format+"\n", arguments...)
}

// item writes a line with its label in the margin, under the name of a program; an empty label goes on with the one before.
func (a *account) item(label, format string, arguments ...any) {
	a.line("        %-9s %s", label, fmt.Sprintf(format, arguments...))
}

// program begins the part of one program.
func (a *account) program(name, label, format string, arguments ...any) {
	a.line("")
	a.line("%-7s %-9s %s", name, label, fmt.Sprintf(format, arguments...))
}

// longest is how much of an untrusted text is shown, in characters.
const longest = 96

// plain is untrusted text for a terminal: hidden and control characters visible, on one line, and cut where it is long.
func plain(text string) string {
	visible := oneLine(text)
	if runes := []rune(visible); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return visible
}

// oneLine is plain without the bound: what one of our programs says, which may quote a name.
func oneLine(text string) string {
	visible, _ := untrusted.Escape(text)
	return strings.Join(strings.Fields(visible), " ")
}

// words writes a constant of a record as words.
func words(constant string) string { return strings.ReplaceAll(constant, "_", " ") }

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// idInResult is the id that a Finding has in its Result.
func idInResult(id string) string {
	_, inResult, _ := strings.Cut(id, "/")
	return inResult
}

// named is a Finding for a person: the Run of this demo that found it, and its id there.
func (a *account) named(id string, current *passed) string {
	run, inResult, _ := strings.Cut(id, "/")
	for _, p := range append(slices.Clone(a.stage.runs), current) {
		if p.bundle != nil && p.bundle.Decision.Run == run {
			return fmt.Sprintf("Run %d %s", p.n+1, inResult)
		}
	}
	return plain(id)
}

// title is what a Finding was called in the Result that found it; empty for one of before this demo.
func (a *account) title(id string, current *passed) string {
	for _, p := range append(slices.Clone(a.stage.runs), current) {
		if p.result != nil && contract.FindingID(p.bundle.Decision.Run, idInResult(id)) == id {
			return titleIn(p.result, idInResult(id))
		}
	}
	return ""
}

// titleIn is the title of a Finding by its id in a Result.
func titleIn(result *contract.Result, id string) string {
	for _, finding := range result.Findings {
		if finding.ID == id {
			return plain(finding.Title.Raw())
		}
	}
	return ""
}

func (a *account) opening() {
	s := a.stage
	model := "a recorded answer, replayed; every record says so"
	if s.Engine == EngineClaude {
		model = "the installed claude CLI"
	}
	a.line("airlock demo: one pull request, reviewed by a model that holds no credential that can write")
	a.line("")
	a.line("  GitHub      emulated on loopback; it checks tokens, permissions, request fields and anchors, and keeps state")
	a.line("  model       %s", model)
	a.line("  programs    decide, run and apply: three binaries, three processes, three environments")
	a.line("  change      #%d %q by %s", s.scenario.Number, plain(s.scenario.Title), a.person(s.scenario.Author.ID))
}

// person is an account of the scenario: its login, and what counts of it.
func (a *account) person(id int64) string {
	s := a.stage.scenario
	is := func(user User) bool { return user.ID == id }
	switch {
	case slices.ContainsFunc(s.Maintainers, is):
		return fmt.Sprintf("%s, a maintainer", plain(s.login(id)))
	case s.Author.ID == id:
		return fmt.Sprintf("%s, an outside author", plain(s.login(id)))
	}
	return plain(s.login(id))
}

func (a *account) heading(n int) {
	run := a.stage.scenario.Runs[n]
	title := fmt.Sprintf("Run %d", n+1)
	if n > 0 {
		title += fmt.Sprintf(": the author pushed %q", plain(run.Message))
	}
	if replies := len(a.stage.replies(n)); replies > 0 {
		title += " and answered " + counted(replies, "finding", "findings")
	}
	a.line("")
	a.line("── %s", title)
}

// holds lists the credentials among the variables of a job.
func holds(env map[string]string) string {
	var held []string
	for name, what := range map[string]string{"GITHUB_TOKEN": "reads the repository", credentialName: "pays for the model",
		"AIRLOCK_APP_PRIVATE_KEY": "can mint a token that writes"} {
		if env[name] != "" {
			held = append(held, name+" ("+what+")")
		}
	}
	slices.Sort(held)
	return strings.Join(held, ", ")
}

func (a *account) decided(env map[string]string, p *passed) {
	b := p.bundle
	a.program("decide", "holds", "%s", holds(env))
	a.item("read", "one snapshot: %s, %s, %s, %s", counted(len(b.Facts.Content.Files), "changed file", "changed files"),
		counted(len(b.Facts.Comments), "comment", "comments"), counted(len(b.Facts.Reviews), "review", "reviews"), counted(len(b.Facts.Threads), "thread", "threads"))
	if b.Decision.Admitted {
		a.item("admits", "%s", a.why(p))
		a.item("Run", "%s, for exactly these bytes: %s, %d bytes", b.Decision.Run, short(b.Decision.ContentID), b.Facts.Content.Bytes)
		return
	}
	for _, code := range b.Decision.Reasons {
		reason, _ := contract.ReasonOf(code)
		a.item("admits", "nothing: %s: %s", code, reason.Sentence)
	}
	if b.Decision.Carries != nil {
		a.item("carries", "the verdict of %s to this commit", strings.TrimSpace(a.named(*b.Decision.Carries+"/", p)))
	}
}

// why says what let the change in.
func (a *account) why(p *passed) string {
	author := p.bundle.Facts.Item.Author.ID
	if slices.Contains(p.bundle.Policy.Maintainers, author) {
		return "the author is a maintainer"
	}
	for _, event := range slices.Backward(p.bundle.Facts.LabelEvents) {
		if event.Label == p.bundle.Policy.Labels.Approved && event.Event == "labeled" {
			return fmt.Sprintf("%s (user id %d), set %q after the author's last push", a.person(event.ActorID), event.ActorID, plain(event.Label))
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

// notRun says that no model is asked.
func (a *account) notRun() {
	a.program("run", "skipped", "decide admitted nothing, so no model is called")
}

// failed says that a program ended without a record of its own.
func (a *account) failed(name string, e ended) {
	if name == "decide" {
		a.program(name, "ended", "with exit code %d and no record:", e.code)
	} else {
		a.item("ended", "with exit code %d and no record:", e.code)
	}
	for _, line := range splitLines(e.log) {
		a.item("", "%s", oneLine(strings.ReplaceAll(line, a.stage.address, "the emulated GitHub")))
	}
}

// cutShort says why the next Run is not played.
func (a *account) cutShort(n int) {
	a.line("")
	a.line("── Run %d is not played: it rests on the review that Run %d was to post", n+2, n+1)
	if exits := a.stage.runs[n].exits; a.stage.RepeatApply == 1 && exits[len(exits)-1].Code != 0 {
		a.line("   --repeat-apply 2 applies the same Result again, which goes on from what was written")
	}
}

// closing is the emulated GitHub's own word: what stands there now.
func (a *account) closing(state emulator.State) {
	t := standing(state, a.stage.scenario)
	a.line("")
	a.line("── What stands on GitHub now")
	a.line("")
	a.item("written", "%s and %s by our App, %s, %s", counted(t.Reviews, "review", "reviews"), counted(t.Replies, "reply", "replies"),
		counted(t.Threads, "thread", "threads"), counted(t.Checks, "check", "checks"))
	a.item("tokens", "%d minted, %d still work", t.Minted, t.Live)
	for n, check := range state.CheckRuns {
		label := "checks"
		if n > 0 {
			label = ""
		}
		a.item(label, "%s: %s: %s: %s", shortCommit(check.HeadCommit), check.Name, words(check.Conclusion), plain(check.Title))
	}
	if a.stage.Out != "" {
		a.item("records", "every record, log and summary is kept in %s", a.stage.Out)
	}
}

func shortCommit(commit string) string { return commit[:min(12, len(commit))] }

// totals count what stands on the emulated GitHub.
type totals struct {
	Reviews int `json:"reviews"`
	Replies int `json:"replies"`
	Threads int `json:"threads"`
	Checks  int `json:"checks"`
	Minted  int `json:"tokens_minted"`
	Live    int `json:"tokens_live"`
}

// standing counts what the scenario's App wrote. A review without a text is the one GitHub makes around a reply.
func standing(state emulator.State, s *Scenario) totals {
	t := totals{Checks: len(state.CheckRuns)}
	pull := state.Pull(s.Number)
	for _, review := range pull.Reviews {
		if review.AuthorID == s.App.BotUserID && review.Body != "" {
			t.Reviews++
		}
	}
	t.Threads = len(pull.Threads)
	for _, thread := range pull.Threads {
		for _, comment := range thread.Comments[1:] {
			if comment.AuthorID == s.App.BotUserID {
				t.Replies++
			}
		}
	}
	for _, token := range state.Tokens {
		if token.Kind != "installation" {
			continue
		}
		t.Minted++
		if !token.Revoked {
			t.Live++
		}
	}
	return t
}

func number(n *int64) string {
	if n == nil {
		return "without an id"
	}
	return strconv.FormatInt(*n, 10)
}
