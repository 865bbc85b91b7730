package effects

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
)

// pending reports whether GitHub refused a text because its author has a review that was not submitted. Nothing was done then.
func pending(err error) bool {
	return github.ClassOf(err) == github.ClassInvalid && strings.Contains(err.Error(), "one pending review")
}

// unsubmitted is what is read of a review in GitHub's list, and of a comment of one.
type unsubmitted struct {
	ID    int64  `json:"id"`
	State string `json:"state"`
	Body  string `json:"body"`
	User  struct {
		ID int64 `json:"id"`
	} `json:"user"`
}

// clear deletes the review of our App that was never submitted, which GitHub shows to its author alone, and reports whether the
// way is free. One that a process of ours left holds nothing but what carries our markers, or is empty; any other was written by
// somebody who uses the App for something else, and is left to a person.
func (s Session) clear(ctx context.Context, client *github.Client) (bool, error) {
	reviews, err := all(ctx, client, s.pull()+"/reviews")
	if err != nil {
		return false, err
	}
	for _, review := range reviews {
		if review.State != "PENDING" || review.User.ID != s.App.BotUserID {
			continue
		}
		path := fmt.Sprintf("%s/reviews/%d", s.pull(), review.ID)
		comments, err := all(ctx, client, path+"/comments")
		if err != nil {
			return false, err
		}
		if !ours(review, comments) {
			return false, nil
		}
		// Whether it went is said by the next write, so an answer that was lost is none to look for.
		if _, err := client.REST(ctx, http.MethodDelete, path, nil, nil); err != nil && !github.ClassOf(err).OutcomeUnknown() && github.ClassOf(err) != github.ClassNotFound {
			return false, err
		}
		return true, nil
	}
	return false, nil
}

// ours reports whether a review holds nothing that our App would not write.
func ours(review unsubmitted, comments []unsubmitted) bool {
	if strings.TrimSpace(review.Body) != "" && ledger.ParseReviewBody(review.Body).Review == nil {
		return false
	}
	for _, comment := range comments {
		_, finding := ledger.ParseFindingComment(comment.Body)
		_, answer := ledger.ParseReply(comment.Body)
		if !finding && !answer {
			return false
		}
	}
	return true
}

// maxPendingPages bounds a list that is read for a pending review.
const maxPendingPages = 50

// all reads a list to its end.
func all(ctx context.Context, client *github.Client, path string) ([]unsubmitted, error) {
	var list []unsubmitted
	unusable := github.Malformed("GET /"+path, "the list is missing, or does not end")
	whole, err := github.Pages(path, maxPendingPages, func(path string) (*github.Response, error) {
		var items []unsubmitted
		response, err := client.REST(ctx, http.MethodGet, path, nil, &items)
		if err == nil && items == nil {
			err = unusable
		}
		list = append(list, items...)
		return response, err
	})
	if err == nil && !whole {
		err = unusable
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}
