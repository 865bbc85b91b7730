package facts

import (
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
)

// noCommit stands where GitHub names no commit: nothing rests on a review's.
var noCommit = strings.Repeat("0", 40)

func convertComments(nodes []commentNode) ([]contract.Comment, error) {
	comments := make([]contract.Comment, 0, len(nodes))
	for _, node := range nodes {
		if node.ID <= 0 || node.Created.IsZero() {
			return comments, github.Malformed(conversationName, "a comment has no id or no time")
		}
		comments = append(comments, contract.Comment{
			At: at(node.Created), Author: node.Author.user(), EditedAt: editedAt(node.EditedAt), EditorID: editor(node.EditedAt, node.Editor),
			ID: int64(node.ID), Text: node.Body,
		})
	}
	return comments, nil
}

// convertReviews leaves out reviews that were not submitted, which GitHub shows to nobody but their author.
func convertReviews(nodes []reviewNode) ([]contract.Review, error) {
	reviews := make([]contract.Review, 0, len(nodes))
	for _, node := range nodes {
		if node.ID <= 0 || node.NodeID == "" || node.Created.IsZero() || node.State == "" {
			return reviews, github.Malformed(conversationName, "a review has no id, no time or no state")
		}
		if node.State == "PENDING" {
			continue
		}
		review := contract.Review{
			At: at(node.Created), Author: node.Author.user(), Commit: commitOf(node.Commit), EditedAt: editedAt(node.EditedAt),
			EditorID: editor(node.EditedAt, node.Editor), ID: int64(node.ID), NodeID: node.NodeID, State: node.State, Text: node.Body,
		}
		if node.Submitted != nil {
			review.At = at(*node.Submitted)
		}
		reviews = append(reviews, review)
	}
	return reviews, nil
}

// convertThreads leaves out comments that were not submitted, and threads that have no other.
func convertThreads(nodes []threadNode) ([]contract.Thread, error) {
	threads := make([]contract.Thread, 0, len(nodes))
	for _, node := range nodes {
		if node.NodeID == "" || node.Path.Len() == 0 || node.Side != contract.Left && node.Side != contract.Right {
			return threads, github.Malformed(conversationName, "a thread has no id, no path or no side")
		}
		thread := contract.Thread{
			Comments: make([]contract.ThreadComment, 0, len(node.Comments.Nodes)), Line: node.Line, NodeID: node.NodeID, OriginalLine: node.OriginalLine, OriginalStartLine: node.OriginalStartLine,
			OriginalCommit: noCommit, Outdated: node.Outdated, Path: node.Path, Resolved: node.Resolved, Side: node.Side,
		}
		if node.ResolvedBy != nil {
			thread.ResolvedBy = &contract.User{ID: node.ResolvedBy.DatabaseID, Login: node.ResolvedBy.Login, Type: "User"}
		}
		for _, comment := range node.Comments.Nodes {
			if comment.ID <= 0 || comment.NodeID == "" || comment.Created.IsZero() {
				return threads, github.Malformed(conversationName, "a thread's comment has no id or no time")
			}
			if comment.State == "PENDING" {
				continue
			}
			if len(thread.Comments) == 0 {
				thread.OriginalCommit = commitOf(comment.OriginalCommit)
				if comment.Review != nil && comment.Review.ID > 0 {
					id := int64(comment.Review.ID)
					thread.ReviewID = &id
				}
			}
			thread.Comments = append(thread.Comments, contract.ThreadComment{
				At: at(comment.Created), Author: comment.Author.user(), EditedAt: editedAt(comment.EditedAt), EditorID: editor(comment.EditedAt, comment.Editor),
				ID: int64(comment.ID), NodeID: comment.NodeID, Text: comment.Body,
			})
		}
		if len(thread.Comments) > 0 {
			threads = append(threads, thread)
		}
	}
	return threads, nil
}

func commitOf(object *objectID) string {
	if object == nil || !isCommit(object.OID) {
		return noCommit
	}
	return object.OID
}

// isCommit reports whether s is 40 lower-case hexadecimal digits, as commits and blobs are named.
func isCommit(s string) bool {
	return len(s) == 40 && strings.Trim(s, "0123456789abcdef") == ""
}
