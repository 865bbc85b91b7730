package account

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/outcome"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// block is one part of a document: a heading of a level from 1 on, a paragraph, or a list. The order is that of the document.
type block struct {
	level int
	line  line
	list  []entry
}

// entry is one point of a list. An address leads to what it is about; details are said below it.
type entry struct {
	line    line
	url     string
	details []line
}

// line is what stands on one line.
type line []span

// span is a piece of a line. Words are constants of ours and numbers; a value is anything else, a text of others too, and is
// written as code in Markdown. Tone colours it on a terminal.
type span struct {
	text  string
	value bool
	tone  tone
}

type tone uint8

const (
	plain tone = iota
	good
	bad
	open
	strong
)

// longest is how many characters of one text of others are shown; what is over is counted. JSON and SARIF have it whole.
const longest = 400

func words(text string) span { return span{text: text} }

func value(text string) span {
	if text == "" {
		return words("(empty)")
	}
	return span{text: text, value: true}
}

// theirs is a text of others: nothing hidden, on one line.
func theirs(text untrusted.Text) line {
	shown := []rune(untrusted.VisibleLine(text))
	if len(shown) <= longest {
		return line{value(string(shown))}
	}
	return line{value(string(shown[:longest])), words(" and " + counted(len(shown)-longest, "character", "characters") + " more")}
}

// spoken writes a constant of a record as words.
func spoken(constant string) string { return strings.ReplaceAll(constant, "_", " ") }

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func (l line) and(more ...span) line { return append(slices.Clip(l), more...) }

// section is a heading with a list below it, or nothing where the list is empty.
func section(title string, list []entry) []block {
	if len(list) == 0 {
		return nil
	}
	return []block{{level: 2, line: line{words(title)}}, {list: list}}
}

// layout puts an account in the order in which a person asks: how it ended and why, what was found, what was written, with what
// rights, and what it cost.
func (a Account) layout() []block {
	blocks := []block{{level: 1, line: a.headline()}, {list: a.about()}}
	for _, note := range a.Notes {
		blocks = append(blocks, block{line: line{words(note)}})
	}
	for _, part := range [][]block{
		section("Why", a.reasons()),
		section("Findings", a.findingEntries()),
		section("Answers to earlier Findings", a.answerEntries()),
		section("Effects", a.effectEntries()),
		section("Tokens", a.tokenEntries()),
		section("Cost", a.costEntries()),
		section("Not given to the model", a.leftOutEntries()),
	} {
		blocks = append(blocks, part...)
	}
	return blocks
}

func (a Account) headline() line {
	name := "airlock"
	if a.Role != "" {
		name = contract.CheckName(a.Role)
	}
	out := line{value(name), words(": ")}
	switch {
	case a.Status != "":
		return out.and(span{text: spoken(a.Status), tone: toneOf(a.Status)})
	case a.Admitted != nil && !*a.Admitted:
		return out.and(span{text: "not admitted; nothing says how it ended", tone: open})
	case a.Admitted != nil:
		return out.and(span{text: "admitted; nothing says how it ended", tone: open})
	}
	return out.and(span{text: "nothing says how it ended", tone: open})
}

func toneOf(word string) tone {
	switch word {
	case contract.StatusCompleted, contract.ConclusionSuccess, contract.StateApplied, contract.StateAlreadyApplied, StatePosted:
		return good
	case contract.StatusFailed, contract.ConclusionFailure, contract.StatusRefused:
		return bad
	}
	return open
}

// about says which change, which Run, and the check.
func (a Account) about() []entry {
	var list []entry
	add := func(label, url string, spans ...span) {
		list = append(list, entry{line: append(line{span{text: label, tone: strong}, words(": ")}, spans...), url: url})
	}
	if a.Item != nil {
		spans := []span{words("#" + strconv.Itoa(a.Item.Number))}
		if a.Repository != "" {
			spans = append(spans, words(" of "), value(a.Repository))
		}
		add("pull request", a.Links.Item, spans...)
	}
	if a.Commit != "" {
		add("commit", a.Links.Commit, value(a.Commit))
	}
	if a.ContentID != "" {
		add("content", "", value(a.ContentID))
	}
	if a.Check != nil {
		url, spans := a.Check.URL, []span{words("none is written")}
		if a.Check.Conclusion != "" {
			spans = []span{{text: spoken(a.Check.Conclusion), tone: toneOf(a.Check.Conclusion)}}
			if a.Check.ReadBack {
				spans = append(spans, words(", read back from App "+strconv.FormatInt(a.Check.AuthorAppID, 10)))
				if a.Check.Commit != a.Commit {
					spans = append(spans, words(" on "), value(a.Check.Commit))
				}
			} else {
				spans = append(spans, words(", not read back"))
			}
		}
		add("check", url, spans...)
	}
	run := []span{value(a.Run)}
	if a.Intent != "" {
		run = append(run, words(" for "), value(a.Intent))
	}
	if a.Attempt > 1 {
		run = append(run, words(", attempt "+strconv.Itoa(a.Attempt)))
	}
	if a.Carries != nil {
		run = append(run, words(", carries "), value(*a.Carries))
	}
	add("Run", a.Links.Workflow, run...)
	if a.Asked != nil {
		asked := []span{value(a.Asked.Event)}
		if a.Asked.Action != "" {
			asked = append(asked, words(", "), value(a.Asked.Action))
		}
		if a.Asked.SenderID != 0 {
			asked = append(asked, words(", by user id "+strconv.FormatInt(a.Asked.SenderID, 10)))
		}
		if a.Asked.Again {
			asked = append(asked, words(", once more"))
		}
		add("asked by", "", asked...)
	}
	add("time", "", words(a.Times.words()))
	if a.Release != nil {
		add("release", "", value(a.Release.Version), words(", commit "), value(a.Release.Commit), words(", contract "), value(a.Release.Contract))
	}
	if len(a.Absent) > 0 {
		add("not known", "", words("there is no "+strings.Join(a.Absent, ", no ")))
	}
	return list
}

func (t Times) words() string {
	var said []string
	for _, moment := range []struct {
		what string
		at   *contract.Time
	}{{"decided", t.DecidedAt}, {"apply began", t.StartedAt}, {"ended", t.EndedAt}} {
		if moment.at != nil && !moment.at.IsZero() {
			said = append(said, moment.what+" "+moment.at.String())
		}
	}
	if len(said) == 0 {
		return "not known"
	}
	return strings.Join(said, ", ")
}

func (a Account) reasons() []entry {
	var list []entry
	for _, reason := range a.Why {
		list = append(list, entry{line: line{value(string(reason.Code)), words(": " + reason.Sentence)}, details: next(reason)})
	}
	return list
}

func next(reason Reason) []line {
	if reason.Next == "" {
		return nil
	}
	return []line{{words("next: " + reason.Next)}}
}

func (a Account) findingEntries() []entry {
	var list []entry
	for _, f := range a.Findings {
		said := line{value(f.ID)}
		if f.Severity != "" {
			said = said.and(words(": " + f.Severity + ", "))
			said = said.and(value(f.Category))
		} else {
			said = said.and(words(": no record here says more"))
		}
		switch {
		case f.Open:
			said = said.and(words(", "), span{text: "open", tone: bad})
		case f.Gates:
			said = said.and(words(", gates"))
		}
		e := entry{line: said, url: f.URL}
		if f.Path != nil || f.Line != nil {
			e.details = append(e.details, f.place())
		}
		if f.Title != nil {
			e.details = append(e.details, theirs(*f.Title))
		}
		said = line{span{text: f.stateWords(), tone: f.tone()}}
		if f.State == StateNotPosted && a.nothingTellsWrites() {
			said = line{span{text: "not known whether it was posted", tone: open}}
		}
		e.details = append(e.details, said)
		list = append(list, e)
	}
	return list
}

// place says where a Finding stands.
func (f Finding) place() line {
	at := line{words("a file that is not told")}
	if f.Path != nil {
		at = theirs(*f.Path)
	}
	switch {
	case f.Line != nil && f.StartLine != nil && *f.StartLine != *f.Line:
		at = at.and(words(fmt.Sprintf(", lines %d to %d", *f.StartLine, *f.Line)))
	case f.Line != nil:
		at = at.and(words(fmt.Sprintf(", line %d", *f.Line)))
	}
	if f.Line != nil && f.Side != nil && *f.Side == contract.Left {
		at = at.and(words(" of the file before the change"))
	}
	return at
}

func (f Finding) stateWords() string {
	switch f.State {
	case StatePosted:
		switch f.Placement {
		case contract.PlacementLine:
			return "posted as a thread on its line"
		case contract.PlacementBody:
			return "posted in the review's body"
		}
		return "posted"
	case StateAlreadyOpen:
		return "already open from an earlier Run, so not posted again"
	case StateEarlier:
		return "posted by an earlier Run"
	}
	return unpostedWords(f.State)
}

func (f Finding) tone() tone {
	if f.State == StatePosted || f.State == StateAlreadyOpen || f.State == StateEarlier {
		return plain
	}
	return open
}

// unpostedWords says what became of something that was asked for and not read back.
func unpostedWords(state string) string {
	switch state {
	case contract.StateFailed:
		return "not posted as far as is known: its Effect failed"
	case contract.StateRefused:
		return "not posted: its Effect was refused"
	case contract.StateNotAttempted:
		return "not posted: its Effect was not attempted"
	}
	return "not posted"
}

// nothingTellsWrites: without applied/1 what is not shown to stand may stand all the same.
func (a Account) nothingTellsWrites() bool {
	return slices.Contains(a.Absent, "applied/1")
}

func (a Account) answerEntries() []entry {
	var list []entry
	for _, answer := range a.Answers {
		said := line{value(answer.Finding), words(": the " + answer.Half + "'s half says "), span{text: answer.Verdict, tone: strong}}
		if answer.Of != nil {
			said = said.and(words(" of the claim " + *answer.Of))
		}
		e := entry{line: said, url: answer.URL}
		if answer.State == StatePosted {
			so := words("so it is not open any more")
			if answer.StaysOpen {
				so = words("so it stays open")
			}
			e.details = []line{{words("posted by "), value(answer.Effect), words("; "), so}}
		} else {
			text := unpostedWords(answer.State)
			if answer.State == StateNotPosted && a.nothingTellsWrites() {
				text = "not known whether it was posted"
			}
			e.details = []line{{span{text: text, tone: open}}}
		}
		list = append(list, e)
	}
	return list
}

func (a Account) effectEntries() []entry {
	var list []entry
	for _, effect := range a.Effects {
		state := effect.State
		if state == "" {
			state = "not tried"
			if a.nothingTellsWrites() {
				state = "not known whether it was tried"
			}
		}
		e := entry{line: line{value(effect.ID), words(" "), value(effect.Type), words(": "), span{text: spoken(state), tone: toneOf(state)}}, url: effect.URL}
		if effect.Asked != nil {
			e.details = append(e.details, effect.Asked.line())
		}
		if effect.State != "" {
			e.details = append(e.details, effect.readBack())
		}
		if effect.Why != nil {
			e.details = append(append(e.details, line{value(string(effect.Why.Code)), words(": " + effect.Why.Sentence)}), next(*effect.Why)...)
		}
		list = append(list, e)
	}
	return list
}

// listedIDs is how many ids are named on one line.
const listedIDs = 20

func (e AskedEffect) line() line {
	out := line{words("asked: ")}
	for n, part := range []struct {
		what string
		ids  []string
	}{{"threads for ", e.Threads}, {"in the body ", e.Listed}, {"answers ", e.Answers}, {"about ", one(e.Finding)}} {
		if len(part.ids) == 0 {
			continue
		}
		if n > 0 && len(out) > 1 {
			out = out.and(words("; "))
		}
		out = out.and(words(part.what))
		for i, id := range part.ids {
			if i == listedIDs {
				out = out.and(words(fmt.Sprintf(" and %d more", len(part.ids)-i)))
				break
			}
			if i > 0 {
				out = out.and(words(", "))
			}
			out = out.and(value(id))
		}
	}
	if len(out) == 1 {
		return out.and(words("a review without Findings"))
	}
	return out
}

func one(id string) []string {
	if id == "" {
		return nil
	}
	return []string{id}
}

// readBack says what GitHub showed afterwards.
func (e Effect) readBack() line {
	id := "without an id"
	if e.DatabaseID != nil {
		id = strconv.FormatInt(*e.DatabaseID, 10)
	}
	switch {
	case e.ReadBack == nil && (e.State == contract.StateRefused || e.State == contract.StateNotAttempted):
		return line{words("nothing was written, so nothing was read back")}
	case e.ReadBack == nil:
		return line{span{text: "not read back", tone: open}}
	case e.ReadBack.Review != nil:
		return line{words("read back: review " + id + " of user id " + strconv.FormatInt(e.ReadBack.Review.AuthorID, 10) + " with " +
			counted(len(e.ReadBack.Review.Comments), "thread", "threads") + ", on "), value(e.ReadBack.Review.Commit)}
	case e.ReadBack.Reply != nil:
		return line{words("read back: comment " + id + " of user id " + strconv.FormatInt(e.ReadBack.Reply.AuthorID, 10))}
	case e.ReadBack.Resolve != nil:
		by := "somebody whose account is gone"
		if id := e.ReadBack.Resolve.ResolvedByID; id != nil {
			by = "user id " + strconv.FormatInt(*id, 10)
		}
		return line{words("read back: resolved by " + by)}
	}
	return line{words("not read back")}
}

func (a Account) tokenEntries() []entry {
	var list []entry
	for _, token := range a.Tokens {
		end := span{text: "revoked", tone: good}
		if !token.Revoked {
			end = span{text: "not known to be revoked; it works until " + token.ExpiresAt.String(), tone: bad}
		}
		e := entry{line: line{words("for " + token.Purpose + ", repository id " + strconv.FormatInt(token.RepositoryID, 10) + ": "), end}}
		e.details = append(e.details, permissions("asked for ", token.Requested), permissions("granted ", token.Granted))
		list = append(list, e)
	}
	return list
}

func permissions(what string, held map[string]string) line {
	out := line{words(what)}
	for n, name := range slices.Sorted(maps.Keys(held)) {
		if n > 0 {
			out = out.and(words(", "))
		}
		out = out.and(value(name + ": " + held[name]))
	}
	if len(held) == 0 {
		out = out.and(words("nothing"))
	}
	return out
}

func (a Account) costEntries() []entry {
	var list []entry
	if c := a.Cost; c != nil {
		atLeast := ""
		if !c.Complete {
			atLeast = "at least "
		}
		list = append(list, entry{line: line{span{text: atLeast + Dollars(c.CostMicrousd), tone: strong}, words(": " +
			counted(int(c.Requests), "request", "requests") + " in " + seconds(c.Milliseconds))}, details: []line{{words(fmt.Sprintf(
			"tokens: %d in, %d read from the cache, %d written to it, %d out", c.InputTokens, c.CacheReadTokens, c.CacheWriteTokens, c.OutputTokens))}}})
		if e := c.Engine; e != nil {
			said := line{words("engine "), value(e.Name)}
			if e.Version != nil {
				said = said.and(words(" "), value(*e.Version))
			}
			said = said.and(words(", model "), value(e.Model), words(", "+e.Mode+", credential "+e.Credential+", sandbox "+e.Sandbox))
			list = append(list, entry{line: said})
		}
	}
	if a.Calls != nil {
		list = append(list, entry{line: line{words("apply made " + counted(a.Calls.REST, "REST call", "REST calls") + " and " +
			counted(a.Calls.GraphQL, "GraphQL call", "GraphQL calls"))}})
	}
	return list
}

// Dollars writes micro-dollars as dollars, whole to the last of them.
func Dollars(micro int64) string { return fmt.Sprintf("$%d.%06d", micro/1_000_000, micro%1_000_000) }

func seconds(milliseconds int64) string {
	return fmt.Sprintf("%d.%03d seconds", milliseconds/1000, milliseconds%1000)
}

func (a Account) leftOutEntries() []entry {
	var list []entry
	for _, kind := range a.LeftOut.Kinds {
		list = append(list, entry{line: line{words(outcome.OmittedWords(kind.Kind) + ": " + counted(kind.Files, "file", "files") + ", " +
			counted(kind.Texts, "text", "texts") + ", " + counted(int(kind.Characters), "character", "characters"))}})
	}
	for _, file := range a.LeftOut.Files {
		list = append(list, entry{line: append(line{words("not shown: ")}, theirs(file)...)})
	}
	return list
}
