package kernel

import (
	"fmt"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

func and(mutations ...func(*Input)) func(*Input) {
	return func(in *Input) {
		for _, mutate := range mutations {
			mutate(in)
		}
	}
}

func labels(set ...string) func(*Input) {
	return func(in *Input) { in.Facts.Labels = set }
}

func events(list ...contract.LabelEvent) func(*Input) {
	return func(in *Input) { in.Facts.LabelEvents = list }
}

func labeled(actor int64, clock, event, label string) contract.LabelEvent {
	return contract.LabelEvent{ActorID: actor, At: at(clock), Event: event, Label: label}
}

func unapproved(in *Input) { in.Facts.Labels = nil }

func excludes(globs ...string) func(*Input) {
	return func(in *Input) { in.Policy.ExcludedPaths = globs }
}

func author(id int64) func(*Input) {
	return func(in *Input) { in.Facts.Item.Author.ID = id }
}

func comments(list ...contract.Comment) func(*Input) {
	return func(in *Input) { in.Facts.Comments = list }
}

func said(author int64, clock, text string) contract.Comment {
	return contract.Comment{At: at(clock), Author: contract.User{ID: author}, Text: untrusted.New(text)}
}

func edited(comment contract.Comment) contract.Comment {
	comment.EditedAt = pointer(comment.At)
	return comment
}

func again(sender int64) func(*Input) {
	return func(in *Input) { in.Asked.Again, in.Asked.SenderID = true, sender }
}

func applyAsks(in *Input) { in.Run = "run-" + strings.Repeat("d", 24) }

// review is how a review differs from our App's own on Run A's content.
type review struct {
	author                                              int64
	run, role, intent, content, commit, status, omitted string
	clock                                               string
	edited                                              bool
}

func reviewed(list ...review) func(*Input) {
	or := func(value, other string) string {
		if value == "" {
			return other
		}
		return value
	}
	return func(in *Input) {
		for _, r := range list {
			if r.author == 0 {
				r.author = bot
			}
			marker := fmt.Sprintf("<!-- airlock/1 review key=%s run=%s role=%s intent=%s content=%s commit=%s status=%s omitted=%s -->",
				strings.Repeat("e", 32), or(r.run, "run-"+strings.Repeat("a", 24)), or(r.role, "pr-review"), or(r.intent, "review-change"),
				or(r.content, strings.TrimPrefix(in.Facts.Content.ID, "sha256:")), or(r.commit, in.Facts.Head.Commit),
				or(r.status, "completed"), or(r.omitted, "0"))
			posted := contract.Review{At: at(or(r.clock, "10:05:05")), Author: contract.User{ID: r.author}, Text: untrusted.New("Nothing.\n\n" + marker)}
			if r.edited {
				posted.EditedAt = &posted.At
			}
			in.Facts.Reviews = append(in.Facts.Reviews, posted)
		}
	}
}

// flight is how another workflow run differs from one that is in flight for Run A's item.
type flight struct {
	id                   int64
	status, title, clock string
}

func flights(f flight) func(*Input) {
	return func(in *Input) {
		run := contract.WorkflowRun{Attempt: 1, CreatedAt: at("10:05:01"), ID: ownRun - 1, Status: "in_progress", Title: untrusted.New("airlock pr-review #12")}
		if f.id != 0 {
			run.ID = f.id
		}
		if f.status != "" {
			run.Status = f.status
		}
		if f.title != "" {
			run.Title = untrusted.New(f.title)
		}
		if f.clock != "" {
			run.CreatedAt = at(f.clock)
		}
		in.Facts.Records.WorkflowRuns = append(in.Facts.Records.WorkflowRuns, run)
	}
}

// spentRuns are ended runs of that title, each with a Result.
func spentRuns(count int, title, clock string) func(*Input) {
	return func(in *Input) {
		for i := range count {
			id := int64(16000000000 + i)
			in.Facts.Records.WorkflowRuns = append(in.Facts.Records.WorkflowRuns,
				contract.WorkflowRun{Attempt: 1, CreatedAt: at(clock), ID: id, Status: "completed", Title: untrusted.New(title)})
			in.Facts.Records.Results = append(in.Facts.Records.Results, contract.ResultRecord{ArtifactID: id, CreatedAt: at(clock), WorkflowRunID: id})
		}
	}
}
