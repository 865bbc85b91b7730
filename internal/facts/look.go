package facts

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
)

// Item names what [Look] looks at.
type Item struct {
	Owner, Name  string
	RepositoryID int64
	Number       int
	// Head is the commit whose other open pull requests are looked for.
	Head string
	Now  func() time.Time
}

// Look reads the item as it is now, in one GraphQL call where every list fits its first page. Unlike [Read] it has no parts:
// what cannot be read whole is an error.
func Look(ctx context.Context, client *github.Client, item Item) (Sight, error) {
	c, err := converse(ctx, asked{client, item.Owner, item.Name, item.Number, item.Head}, item.RepositoryID)
	if err == nil && len(c.faults) > 0 {
		err = fmt.Errorf("%s: %w", c.faults[0].Part, c.faults[0].Err)
	}
	if err != nil {
		return Sight{}, fmt.Errorf("look at pull request %d: %w", item.Number, err)
	}
	facts := contract.Facts{
		Schema: "facts/1", ReadAt: contract.At(item.Now()), Repository: c.repository, Item: c.item, ConfigCommit: c.config,
		Head: contract.Head{Commit: c.head}, Base: contract.Base{Ref: c.baseRef},
		Labels: c.labels, Comments: c.comments, Reviews: c.reviews, Threads: c.threads, Siblings: Siblings(c.siblings, nil),
	}
	whole := func(count int) contract.Part { return contract.Part{Complete: true, Count: count} }
	facts.Parts.Item, facts.Parts.Labels = whole(1), whole(len(c.labels))
	facts.Parts.Comments, facts.Parts.Reviews, facts.Parts.Threads = whole(len(c.comments)), whole(len(c.reviews)), whole(len(c.threads))
	return Sight{Facts: facts, Policy: c.policy}, nil
}
