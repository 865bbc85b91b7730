package facts

import (
	"context"
	"fmt"

	"github.com/seed-2ea642bd/airlock/internal/github"
)

// maxPages is how many pages of one list are read; a longer list is incomplete.
const maxPages = 50

// follow reads a list to its end from its first page. With an error it returns what was read so far.
func follow[T any](page connection[T], next func(after string) (connection[T], error)) ([]T, error) {
	nodes, total := page.Nodes, page.TotalCount
	for read := 1; ; read++ {
		switch {
		case page.Nodes == nil:
			return nodes, github.Malformed(conversationName, "a list is missing from the answer")
		case !page.PageInfo.HasNextPage && len(nodes) < total:
			return nodes, github.Malformed(conversationName, fmt.Sprintf("a list of %d ended after %d", total, len(nodes)))
		case !page.PageInfo.HasNextPage:
			return nodes, nil
		case read == maxPages:
			return nodes, fmt.Errorf("the list is longer than the %d pages that are read", maxPages)
		case page.PageInfo.EndCursor == "":
			return nodes, github.Malformed(conversationName, "a page names no end to go on from")
		}
		var err error
		if page, err = next(page.PageInfo.EndCursor); err != nil {
			return nodes, err
		}
		nodes = append(nodes, page.Nodes...)
	}
}

// more asks for a further page of one of the item's lists.
func more[T any](ctx context.Context, a asked, document string, pick func(pageAnswer) connection[T]) func(string) (connection[T], error) {
	return func(after string) (connection[T], error) {
		variables := a.variables()
		variables["after"] = after
		var answer pageAnswer
		if err := a.client.GraphQL(ctx, document, variables, &answer, github.Limit(conversationLimit)); err != nil {
			return connection[T]{}, err
		}
		if answer.Repository == nil || answer.Repository.PullRequest == nil {
			return connection[T]{}, github.Malformed(conversationName, "a further page has no pull request")
		}
		return pick(answer), nil
	}
}

// moreOfThread asks for a further page of a thread's comments.
func moreOfThread(ctx context.Context, client *github.Client, thread string) func(string) (connection[threadCommentNode], error) {
	return func(after string) (connection[threadCommentNode], error) {
		var answer threadPageAnswer
		variables := map[string]any{"thread": thread, "after": after}
		if err := client.GraphQL(ctx, threadCommentsPageDocument, variables, &answer, github.Limit(conversationLimit)); err != nil {
			return connection[threadCommentNode]{}, err
		}
		if answer.Node == nil {
			return connection[threadCommentNode]{}, github.Malformed(conversationName, "a further page has no thread")
		}
		return answer.Node.Comments, nil
	}
}
