package apply

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// ids are numbers that nothing of the seed has.
func ids() func() int64 {
	last := int64(8_000_000)
	return func() int64 { last++; return last }
}

// crowd says how many texts of others stand in each list before ours.
type crowd struct{ comments, reviews, threads, inThreads, checks int }

// among is the moment with a crowd. Threads of ours have it between their first comment and our replies.
func (m moment) among(c crowd) moment {
	pull := *m.seed.PullRequests[0]
	at := m.seed.Now.Add(-time.Hour)
	id := ids()
	say := func(i int) string { return fmt.Sprintf("Number %d of many.", i) }
	var comments []*emulator.Comment
	for i := range c.comments {
		comments = append(comments, &emulator.Comment{ID: id(), AuthorID: emulatortest.ContributorID, Body: say(i), CreatedAt: at, UpdatedAt: at})
	}
	var reviews []*emulator.Review
	for i := range c.reviews {
		reviews = append(reviews, &emulator.Review{ID: id(), AuthorID: emulatortest.ContributorID, Body: say(i), State: "COMMENTED", Commit: pull.Commits[0].SHA, CreatedAt: at, UpdatedAt: at})
	}
	lines := func(n int) []*emulator.LineComment {
		var list []*emulator.LineComment
		for i := range n {
			list = append(list, &emulator.LineComment{ID: id(), ReviewID: pull.Reviews[0].ID, AuthorID: emulatortest.ContributorID, Body: say(i), CreatedAt: at, UpdatedAt: at})
		}
		return list
	}
	var threads []*emulator.Thread
	for range c.threads {
		thread := *pull.Threads[0]
		thread.ID, thread.Comments, thread.Resolved, thread.ResolvedByID = id(), lines(1), false, 0
		threads = append(threads, &thread)
	}
	for _, ours := range pull.Threads {
		thread := *ours
		thread.Comments = slices.Concat(ours.Comments[:1], lines(c.inThreads), ours.Comments[1:])
		threads = append(threads, &thread)
	}
	pull.Comments, pull.Reviews, pull.Threads = append(comments, pull.Comments...), append(reviews, pull.Reviews...), threads
	var checks []*emulator.CheckRun
	for i := range c.checks {
		// GitHub lists the newest first, and these are newer than ours.
		checks = append(checks, &emulator.CheckRun{ID: id(), AppID: emulatortest.AppID, Name: contract.CheckName("pr-review"), HeadCommit: m.decision.Commit, Status: "completed",
			Conclusion: "action_required", ExternalID: fmt.Sprintf("run-%024d#99#action_required", i), Title: "Of another item.", Summary: "Nothing.", StartedAt: &at, CompletedAt: &at})
	}
	m.seed.PullRequests = append([]*emulator.Pull{&pull}, m.seed.PullRequests[1:]...)
	m.seed.CheckRuns = append(slices.Clone(m.seed.CheckRuns), checks...)
	return m
}

// applied is the moment after a Run with every Effect type.
func applied(t *testing.T) (m moment, calls int) {
	w := newWorld(t, resolves(t)).reviewed().pushed()
	w.admit()
	w.answer(w.asking([]string{contract.SubmitReview, contract.ReplyThread, contract.ResolveThread}))
	if e := w.apply(nil); e.code != 0 {
		t.Fatalf("%d\n%s", e.code, e.log)
	}
	m = w.moment()
	return m, apiCalls(m.start(t).apply(nil))
}

func apiCalls(e ended) int {
	n := 0
	for _, call := range e.calls {
		n += min(call.Number, 1)
	}
	return n
}

var allDone = []string{"already_applied", "already_applied", "already_applied", "already_applied"}

// TestMarkersOnPageFive puts 450 texts of others before ours in each list, and in all of them: what stands on the fifth page is found,
// nothing is written again, and the check is updated and not made anew.
func TestMarkersOnPageFive(t *testing.T) {
	m, _ := applied(t)
	const many = 450
	for name, c := range map[string]crowd{
		"comments": {comments: many}, "reviews": {reviews: many}, "threads": {threads: many}, "comments of our threads": {inThreads: many},
		"checks": {checks: many}, "every list": {many, many, many, many, many},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := m.among(c).start(t)
			before := w.left()
			e := w.apply(nil)
			if after := w.left(); e.code != 0 || !slices.Equal(e.states(), allDone) || !slices.Equal(e.writes(), []string{patchCheck}) || !after.equal(before) {
				t.Errorf("%d: %v by %v\n%s", e.code, e.states(), e.writes(), e.log)
			}
		})
	}
}

// TestRecoveryCost holds that finding everything again among 2,000 texts of others costs at most one call for each hundred.
func TestRecoveryCost(t *testing.T) {
	m, alone := applied(t)
	const many = 2000
	for name, c := range map[string]crowd{
		"comments": {comments: many}, "reviews": {reviews: many}, "threads": {threads: many}, "comments of a thread, twice": {inThreads: many / 2},
		"some of each": {comments: many / 5, reviews: many / 5, threads: many / 5, inThreads: many / 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := m.among(c).start(t)
			e := w.apply(nil)
			if more := apiCalls(e) - alone; e.code != 0 || !slices.Equal(e.states(), allDone) || more > many/100 || more < many/100-6 {
				t.Errorf("%d: %v with %d calls more than the %d without, at most %d wanted\n%s", e.code, e.states(), more, alone, many/100, e.log)
			}
		})
	}
}

// forger is somebody who puts a text of ours where he may.
type forger struct {
	name string
	id   int64
	user *emulator.User
	// wraps is what he makes of the text.
	wraps func(string) string
}

func forgers() []forger {
	as := func(text string) string { return text }
	quoted := func(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") + "\n\nI agree." }
	fenced := func(text string) string { return "Look:\n\n```\n" + text + "\n```\n" }
	user := func(id int64, login, kind string) *emulator.User {
		return &emulator.User{ID: id, Login: login, Type: kind}
	}
	return []forger{
		{"the author", emulatortest.ContributorID, nil, as},
		{"the author, in a fence", emulatortest.ContributorID, nil, fenced},
		{"a maintainer", emulatortest.MaintainerID, nil, as},
		{"a maintainer who quotes us", emulatortest.MaintainerID, nil, quoted},
		{"a maintainer, in a fence", emulatortest.MaintainerID, nil, fenced},
		{"the bot of another App", 190000002, user(190000002, "other[bot]", "Bot"), as},
		{"the bot of another App that quotes us", 190000002, user(190000002, "other[bot]", "Bot"), quoted},
		{"a user with our login as GraphQL has it", 2000021, user(2000021, "pr-review", "User"), as},
		{"a user with a login like ours", 2000022, user(2000022, "pr-review-bot", "User"), as},
		{"a bot with a login like ours", 190000003, user(190000003, "pr-reviewer[bot]", "Bot"), as},
		{"an organization with our login as GraphQL has it", 5000021, user(5000021, "PR-Review", "Organization"), as},
		{"an account that is gone", 0, nil, as},
	}
}

// TestForgedMarkers has each forger post each of our texts of the Run that is about to be applied, in every place where a text can
// stand: a comment, a review, a thread of his own, our thread. What apply writes is the same as without him, his texts stay as
// they are, and the same Findings are open.
func TestForgedMarkers(t *testing.T) {
	start := newWorld(t, func(seed *emulator.Seed) {
		resolves(t)(seed)
		for _, f := range forgers() {
			if f.user != nil && !slices.ContainsFunc(seed.Users, func(u *emulator.User) bool { return u.ID == f.id }) {
				seed.Users = append(seed.Users, f.user)
			}
		}
	}).reviewed().pushed()
	start.admit()
	start.answer(start.asking([]string{contract.SubmitReview, contract.ReplyThread, contract.ResolveThread}))
	m := start.moment()
	undisturbed := m.start(t)
	calm := undisturbed.apply(nil)
	want := undisturbed.left()
	texts := slices.Concat(want.reviews, want.comments)
	for i := range texts {
		texts[i] = strings.TrimPrefix(texts[i], "COMMENTED ")
	}
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" }) // the review of a reply has none
	for _, f := range forgers() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			w := m.forge(f, texts).start(t)
			forged := w.forged()
			e := w.apply(nil)
			w.holdsClaims(e)
			if got := w.left(); e.code != 0 || !got.equal(want) || !slices.Equal(e.states(), calm.states()) || !slices.Equal(e.writes(), calm.writes()) {
				t.Errorf("%d: %v by %v\n%s", e.code, e.states(), e.writes(), e.log)
			}
			if !slices.Equal(w.forged(), forged) {
				t.Error("a text of his was changed")
			}
			if !slices.Equal(e.outcome.GatingOpen, calm.outcome.GatingOpen) || e.conclusion() != calm.conclusion() || !slices.Equal(e.outcome.Reasons, calm.outcome.Reasons) {
				t.Errorf("open %v, %s for %v; want %v, %s for %v", e.outcome.GatingOpen, e.conclusion(), e.outcome.Reasons, calm.outcome.GatingOpen, calm.conclusion(), calm.outcome.Reasons)
			}
		})
	}
}

// forge is the moment with the texts of a forger, before and after ours.
func (m moment) forge(f forger, texts []string) moment {
	pull := *m.seed.PullRequests[0]
	id := ids()
	early, late := m.seed.Now.Add(-4*time.Hour), m.seed.Now.Add(-time.Minute)
	pull.Threads = slices.Clone(pull.Threads)
	for i, ours := range pull.Threads {
		thread := *ours
		for _, text := range texts {
			thread.Comments = append(slices.Clone(thread.Comments), &emulator.LineComment{ID: id(), ReviewID: pull.Reviews[0].ID, AuthorID: f.id, Body: f.wraps(text), CreatedAt: late, UpdatedAt: late})
		}
		pull.Threads[i] = &thread
	}
	for n, at := range []time.Time{early, late} {
		for _, text := range texts {
			body := f.wraps(text)
			comment := &emulator.Comment{ID: id(), AuthorID: f.id, Body: body, CreatedAt: at, UpdatedAt: at}
			review := &emulator.Review{ID: id(), AuthorID: f.id, Body: body, State: "COMMENTED", Commit: pull.Head.Commit, CreatedAt: at, UpdatedAt: at}
			thread := *pull.Threads[0]
			thread.ID, thread.Resolved, thread.ResolvedByID = id(), false, 0
			thread.Comments = []*emulator.LineComment{{ID: id(), ReviewID: pull.Reviews[0].ID, AuthorID: f.id, Body: body, CreatedAt: at, UpdatedAt: at}}
			if n == 0 {
				pull.Comments, pull.Reviews, pull.Threads = slices.Insert(slices.Clone(pull.Comments), 0, comment), slices.Insert(slices.Clone(pull.Reviews), 0, review), slices.Insert(pull.Threads, 0, &thread)
			} else {
				pull.Comments, pull.Reviews, pull.Threads = append(pull.Comments, comment), append(pull.Reviews, review), append(pull.Threads, &thread)
			}
		}
	}
	m.seed.PullRequests = append([]*emulator.Pull{&pull}, m.seed.PullRequests[1:]...)
	return m
}

// forged are the texts that are not ours.
func (w *world) forged() []string {
	var texts []string
	state := w.State(w.t)
	pull := state.Pull(emulatortest.Number)
	for _, comment := range pull.Comments {
		texts = append(texts, comment.Body)
	}
	for _, review := range pull.Reviews {
		if review.AuthorID != emulatortest.BotUserID {
			texts = append(texts, review.Body)
		}
	}
	for _, thread := range pull.Threads {
		for _, comment := range thread.Comments {
			if comment.AuthorID != emulatortest.BotUserID {
				texts = append(texts, comment.Body)
			}
		}
	}
	return texts
}

// TestMarkersInEditedTexts has a maintainer put our texts into what our App wrote before: those of the Run that is about to be applied,
// which rejects an answer to a Finding, and those it would have written had it accepted. Who may write to the repository can, and the
// author is then still we. Nothing of it is believed: the Finding stays open, the check is not green, and what is asked for is
// written all the same or the Run says in red why not.
func TestMarkersInEditedTexts(t *testing.T) {
	start := newWorld(t, nil).reviewed().pushed()
	start.admit()
	accepting := start.answers()
	accepting.Dispositions[0] = start.verdict("f1", contract.VerdictAccepted)
	var texts []string
	var m moment
	var calm ended
	for _, a := range []contract.Answer{accepting, start.answers()} {
		start.answer(a)
		m = start.moment()
		undisturbed := m.start(t)
		calm = undisturbed.apply(nil)
		left := undisturbed.left()
		for _, text := range slices.Concat(left.reviews, left.comments) {
			if text = strings.TrimPrefix(text, "COMMENTED "); text != "" && !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	if calm.conclusion() != contract.ConclusionFailure || len(calm.outcome.GatingOpen) != 1 {
		t.Fatalf("undisturbed: %s for %v\n%s", calm.conclusion(), calm.outcome.Reasons, calm.log)
	}
	for i, text := range texts {
		for name, put := range map[string]func(own string) string{
			"before": func(own string) string { return text + "\n\n" + own }, "after": func(own string) string { return own + "\n\n" + text },
			"in its place": func(string) string { return text }, "in a fence": func(own string) string { return own + "\n\n```\n" + text + "\n```\n" },
		} {
			for _, where := range []string{"review", "finding"} {
				t.Run(fmt.Sprintf("text %d %s a %s", i, name, where), func(t *testing.T) {
					w := m.start(t)
					state := w.State(t)
					pull := state.Pull(emulatortest.Number)
					act := emulator.EditAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID}
					if where == "review" {
						act.ReviewID, act.Body = pull.Reviews[0].ID, put(pull.Reviews[0].Body)
					} else {
						act.LineCommentID, act.Body = pull.Threads[0].Comments[0].ID, put(pull.Threads[0].Comments[0].Body)
					}
					w.must(w.Edit(act))
					e := w.apply(nil)
					w.holdsClaims(e)
					written := slices.Equal(e.states(), calm.states()) && slices.Equal(e.writes(), calm.writes())
					if e.conclusion() == contract.ConclusionSuccess || len(e.outcome.GatingOpen) == 0 || !written && e.code == 0 {
						t.Errorf("%d, %s for %v: %v by %v\n%s", e.code, e.conclusion(), e.outcome.Reasons, e.states(), e.writes(), e.log)
					}
					for _, kept := range w.State(t).Pull(emulatortest.Number).Threads[0].Comments[:1] {
						if where == "finding" && strings.ReplaceAll(kept.Body, "\r\n", "\n") != act.Body {
							t.Error("the edited text was changed")
						}
					}
				})
			}
		}
	}
}
