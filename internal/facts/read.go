package facts

import (
	"context"
	"errors"
	"fmt"

	gogithub "github.com/google/go-github/v66/github"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
)

// snapshotTries is how often the change is read before it counts as one that does not stand still.
const snapshotTries = 3

// errMoved: the pull request changed between two looks at it.
var errMoved = errors.New("the pull request changed while it was read")

// Read reads one snapshot. The error is of what nothing can be decided without: the pull request itself, or a context that
// ended. Everything else that fails leaves its part incomplete, with a [Fault].
//
// What belongs to which part: content is the diff, the files and that they belong to one head and base; labels is the labels
// and their events; item is the pull request, its time of edit, the default branch's head and the siblings.
func Read(ctx context.Context, client *github.Client, request Request) (Snapshot, error) {
	r := reader{client: client, request: request}
	now := request.Now()
	s := &Snapshot{Facts: contract.Facts{Schema: "facts/1", ReadAt: contract.At(now), ConfigCommit: request.ConfigCommit}}
	pull, err := r.readSnapshot(ctx, s)
	if err != nil {
		return Snapshot{}, fmt.Errorf("read pull request %d: %w", request.Number, err)
	}
	r.take(pull, &s.Facts)
	if s.Facts.ConfigCommit == "" {
		s.Facts.ConfigCommit = noCommit // until the conversation says which
	}
	siblings := r.readConversation(ctx, s)
	s.Facts.LabelEvents, err = r.readLabelEvents(ctx)
	s.fault("labels", err)
	s.Facts.Records, err = r.readRecords(ctx, now, s.Facts.Repository.DefaultBranch)
	s.fault("records", err)
	s.Facts.Siblings, err = r.judge(ctx, siblings, s.Facts.Head.Commit)
	s.fault("item", err)
	s.account()
	if err := ctx.Err(); err != nil {
		return Snapshot{}, fmt.Errorf("read pull request %d: %w", request.Number, err)
	}
	return *s, nil
}

// readSnapshot reads the change between two equal looks at the pull request, and returns the last look.
func (r reader) readSnapshot(ctx context.Context, s *Snapshot) (*gogithub.PullRequest, error) {
	before, err := r.readPull(ctx)
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		raw, contentErr := r.readContent(ctx)
		after, err := r.readPull(ctx)
		if err != nil {
			return nil, err
		}
		if !same(before, after) && try < snapshotTries {
			before = after
			continue
		}
		s.Facts.Content, err = raw.describe(after.GetChangedFiles())
		s.Diff = raw.diff
		switch {
		case contentErr != nil:
			s.fault("content", contentErr)
		case !same(before, after):
			s.fault("content", errMoved)
		default:
			s.fault("content", err)
		}
		return after, nil
	}
}

// readConversation reads what GraphQL alone knows, and returns the numbers of the siblings.
func (r reader) readConversation(ctx context.Context, s *Snapshot) []int {
	facts := &s.Facts
	c, err := converse(ctx, asked{r.client, r.request.Owner, r.request.Name, r.request.Number, facts.Head.Commit}, r.request.RepositoryID)
	facts.Comments, facts.Reviews, facts.Threads = []contract.Comment{}, []contract.Review{}, []contract.Thread{}
	if err != nil {
		for _, part := range []string{"item", "comments", "reviews", "threads"} {
			s.fault(part, err)
		}
		return nil
	}
	facts.Item.EditedAt = c.item.EditedAt
	facts.Comments, facts.Reviews, facts.Threads = c.comments, c.reviews, c.threads
	s.Policy = c.policy
	s.Faults = append(s.Faults, c.faults...)
	if r.request.ConfigCommit == "" {
		facts.ConfigCommit = c.config
	}
	if c.head != facts.Head.Commit || c.baseRef != facts.Base.Ref {
		s.fault("content", errMoved)
	}
	return c.siblings
}

func (s *Snapshot) fault(part string, err error) {
	if err != nil {
		s.Faults = append(s.Faults, Fault{Part: part, Err: err})
	}
}

// account writes what is whole and how much of it was read.
func (s *Snapshot) account() {
	f := &s.Facts
	part := func(name string, count int) contract.Part {
		complete := true
		for _, fault := range s.Faults {
			complete = complete && fault.Part != name
		}
		return contract.Part{Complete: complete, Count: count}
	}
	f.Parts = contract.Parts{
		Comments: part("comments", len(f.Comments)),
		Content:  part("content", 1),
		Item:     part("item", 1),
		Labels:   part("labels", len(f.Labels)),
		Records:  part("records", len(f.Records.WorkflowRuns)),
		Reviews:  part("reviews", len(f.Reviews)),
		Threads:  part("threads", len(f.Threads)),
	}
}
