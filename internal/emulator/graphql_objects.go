package emulator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// instant writes a time that is always there.
func instant(at time.Time) string { return at.Format(time.RFC3339) }

// actor is who wrote something: nil for an account that is gone. A bot's login lacks the ending REST gives it.
func (g graph) actor(id int64) any {
	user := g.world.user(id)
	if user == nil {
		return nil
	}
	login := strings.TrimSuffix(user.Login, botSuffix)
	path := "/" + login
	if user.Type == "Bot" {
		path = "/apps/" + login
	}
	return value{user.Type, map[string]any{"id": userNodeID(user), "databaseId": user.ID, "login": login, "url": serverURL + path, "resourcePath": path,
		"avatarUrl": fmt.Sprintf("https://avatars.githubusercontent.com/u/%d?v=4", user.ID)}}
}

// person is an actor where the schema has only people; nil for a bot.
func (g graph) person(id int64) any {
	if user := g.world.user(id); user == nil || user.Type != "User" {
		return nil
	}
	return g.actor(id)
}

func (g graph) repository(repository *Repository) value {
	owner := g.world.user(repository.OwnerID)
	own := repository == g.world.repository
	contents := func(do func(map[string]any) any) compute {
		return func(arguments map[string]any) (any, *graphError) {
			if !own || !allows(g.c.token.permissions, readContents) {
				return nil, forbidden()
			}
			return do(arguments), nil
		}
	}
	return value{"Repository", map[string]any{
		"id": nodeID("R", repository.ID), "databaseId": repository.ID, "name": repository.Name, "nameWithOwner": owner.Login + "/" + repository.Name,
		"owner": g.actor(owner.ID), "isPrivate": repository.Private, "isFork": repository.Fork, "pushedAt": instant(repository.PushedAt),
		"defaultBranchRef": contents(func(map[string]any) any { return g.ref(repository, repository.DefaultBranch) }),
		"ref": contents(func(arguments map[string]any) any {
			return g.ref(repository, strings.TrimPrefix(fmt.Sprint(arguments["qualifiedName"]), "refs/heads/"))
		}),
		"object": contents(g.gitObject),
		"pullRequest": compute(func(arguments map[string]any) (any, *graphError) {
			if !own || !allows(g.c.token.permissions, readPull) {
				return nil, forbidden()
			}
			number, _ := whole(arguments["number"])
			pull := g.world.pull(number)
			if pull == nil {
				return nil, unresolved("PullRequest", "number of "+strconv.Itoa(number))
			}
			return g.pull(pull), nil
		}),
	}}
}

func (g graph) ref(repository *Repository, name string) any {
	branch, exists := repository.Branches[name]
	if !exists {
		return nil
	}
	return value{"Ref", map[string]any{"id": "REF_" + name, "name": name, "prefix": "refs/heads/", "target": g.commit(g.world.commits[branch.Commit])}}
}

func (g graph) commit(commit *Commit) any {
	if commit == nil {
		return nil
	}
	return value{"Commit", map[string]any{"id": "C_" + commit.SHA, "oid": commit.SHA, "committedDate": instant(commit.At), "message": commit.Message,
		"associatedPullRequests": compute(func(arguments map[string]any) (any, *graphError) {
			if !allows(g.c.token.permissions, readPull) {
				return nil, forbidden()
			}
			var pulls []value
			for _, pull := range g.world.pulls { // oldest first, which is the default order
				if pull.hasCommit(commit.SHA) {
					pulls = append(pulls, g.pull(pull))
				}
			}
			return g.connection("PullRequestConnection", pulls)(arguments)
		})}}
}

// longestText is where GraphQL cuts the text of a blob.
const longestText = 512 << 10

// gitObject resolves "revision:path", a revision alone, or an object id of a commit; nil when there is none.
func (g graph) gitObject(arguments map[string]any) any {
	expression, given := arguments["expression"].(string)
	if !given {
		expression = fmt.Sprint(arguments["oid"])
	}
	revision, filePath, hasPath := strings.Cut(expression, ":")
	commit := g.world.resolve(revision)
	if commit == nil || revision == "" {
		return nil
	}
	if !hasPath {
		return g.commit(commit)
	}
	file, exists := commit.Tree[filePath]
	if exists {
		id := file.blobID()
		blob := map[string]any{"id": "B_" + id, "oid": id, "byteSize": len(file.Content), "isBinary": file.isBinary(), "isTruncated": len(file.Content) > longestText, "text": nil}
		if !file.isBinary() {
			blob["text"] = string(file.Content[:min(len(file.Content), longestText)])
		}
		return value{"Blob", blob}
	}
	directory := commit.Tree
	if filePath != "" {
		directory = commit.Tree.below(filePath)
	}
	if len(directory) == 0 {
		return nil
	}
	return value{"Tree", map[string]any{"id": "T_" + directory.id(), "oid": directory.id()}}
}

func (g graph) pull(pull *Pull) value {
	var labels, comments, reviews, threads []value
	for _, name := range pull.Labels {
		label := g.world.label(name)
		labels = append(labels, value{"Label", map[string]any{"id": fmt.Sprint(g.c.labelAnswer(name)["node_id"]), "name": name, "color": label.Color}})
	}
	for _, comment := range pull.Comments {
		comments = append(comments, g.comment(pull, comment))
	}
	for _, thread := range pull.Threads {
		if g.c.token.sees(pull.review(thread.Comments[0].ReviewID)) {
			threads = append(threads, g.thread(pull, thread))
		}
	}
	state := map[string]string{"open": "OPEN", "closed": "CLOSED"}[pull.State]
	if pull.Merged {
		state = "MERGED"
	}
	var head any = g.repository(g.world.repository)
	headOwner := g.actor(g.world.repository.OwnerID)
	if pull.Head.Repository != nil {
		head, headOwner = g.repository(pull.Head.Repository), g.actor(pull.Head.Repository.OwnerID)
	}
	if pull.Head.Gone {
		head, headOwner = nil, nil
	}
	return value{"PullRequest", map[string]any{
		"id": nodeID("PR", pull.ID), "fullDatabaseId": strconv.FormatInt(pull.ID, 10), "databaseId": pull.ID, "number": pull.Number, "state": state,
		"isDraft": pull.Draft, "locked": pull.Locked, "closed": pull.State == "closed", "merged": pull.Merged, "title": pull.Title, "body": pull.Body,
		"author": g.actor(pull.AuthorID), "editor": g.editor(pull.EditedAt, pull.EditorID, pull.AuthorID), "lastEditedAt": stamp(pull.EditedAt),
		"createdAt": instant(pull.CreatedAt), "updatedAt": instant(pull.UpdatedAt), "url": g.pullURL(pull),
		"headRefName": pull.Head.Ref, "headRefOid": pull.Head.Commit, "baseRefName": pull.Base.Ref, "baseRefOid": pull.Base.Commit,
		"headRepository": head, "headRepositoryOwner": headOwner,
		"repository": compute(func(map[string]any) (any, *graphError) { return g.repository(g.world.repository), nil }),
		"labels":     g.connection("LabelConnection", labels), "comments": g.connection("IssueCommentConnection", comments),
		"reviewThreads": g.connection("PullRequestReviewThreadConnection", threads),
		"reviews": compute(func(arguments map[string]any) (any, *graphError) {
			states, _ := arguments["states"].([]any)
			login, _ := arguments["author"].(string)
			for _, review := range pull.Reviews {
				author := g.world.user(review.AuthorID)
				if !g.c.token.sees(review) || len(states) > 0 && !slices.Contains(states, any(review.State)) ||
					login != "" && (author == nil || !equalFold(strings.TrimSuffix(author.Login, botSuffix), login)) {
					continue
				}
				reviews = append(reviews, g.review(pull, review))
			}
			return g.connection("PullRequestReviewConnection", reviews)(arguments)
		}),
	}}
}

func (g graph) pullURL(pull *Pull) string {
	return fmt.Sprintf("%s/pull/%d", g.c.pageURL(), pull.Number)
}

// editor is who last edited a text; nil when nobody did.
func (g graph) editor(editedAt *time.Time, editor, author int64) any {
	switch {
	case editedAt == nil:
		return nil
	case editor == 0:
		return g.actor(author)
	}
	return g.actor(editor)
}

// text has the fields that all comments and reviews share.
func (g graph) text(prefix string, id, author int64, body string, created, updated time.Time, edited *time.Time, editor int64) map[string]any {
	return map[string]any{
		"id": nodeID(prefix, id), "fullDatabaseId": strconv.FormatInt(id, 10), "databaseId": id, "author": g.actor(author), "body": body,
		"createdAt": instant(created), "updatedAt": instant(updated), "lastEditedAt": stamp(edited), "editor": g.editor(edited, editor, author),
	}
}

func (g graph) comment(pull *Pull, comment *Comment) value {
	fields := g.text("IC", comment.ID, comment.AuthorID, comment.Body, comment.CreatedAt, comment.UpdatedAt, comment.EditedAt, comment.EditorID)
	fields["url"] = fmt.Sprintf("%s#issuecomment-%d", g.pullURL(pull), comment.ID)
	return value{"IssueComment", fields}
}

func (g graph) review(pull *Pull, review *Review) value {
	fields := g.text("PRR", review.ID, review.AuthorID, review.Body, review.CreatedAt, review.UpdatedAt, review.EditedAt, review.EditorID)
	fields["url"] = fmt.Sprintf("%s#pullrequestreview-%d", g.pullURL(pull), review.ID)
	fields["state"], fields["commit"], fields["submittedAt"] = review.State, g.commit(g.world.commits[review.Commit]), stamp(&review.CreatedAt)
	if review.State == "PENDING" {
		fields["submittedAt"] = nil
	}
	fields["comments"] = compute(func(arguments map[string]any) (any, *graphError) {
		var comments []value
		for _, thread := range pull.Threads {
			for _, comment := range thread.Comments {
				if comment.ReviewID == review.ID {
					comments = append(comments, g.lineComment(pull, thread, comment))
				}
			}
		}
		return g.connection("PullRequestReviewCommentConnection", comments)(arguments)
	})
	return value{"PullRequestReview", fields}
}

func (g graph) thread(pull *Pull, thread *Thread) value {
	mayResolve := allows(g.c.token.permissions, resolveThread)
	startSide := orNull(thread.StartSide)
	return value{"PullRequestReviewThread", map[string]any{
		"id": nodeID("PRRT", thread.ID), "path": thread.Path, "line": number(thread.Line), "startLine": number(thread.StartLine),
		"originalLine": thread.OriginalLine, "originalStartLine": number(thread.OriginalStartLine), "diffSide": thread.Side, "startDiffSide": startSide,
		"subjectType": "LINE", "isResolved": thread.Resolved, "isCollapsed": thread.Resolved, "isOutdated": thread.outdated(),
		"resolvedBy": g.person(thread.ResolvedByID), "viewerCanResolve": mayResolve && !thread.Resolved, "viewerCanUnresolve": mayResolve && thread.Resolved,
		"viewerCanReply": allows(g.c.token.permissions, writePull) && !pull.Locked,
		"pullRequest":    compute(func(map[string]any) (any, *graphError) { return g.pull(pull), nil }),
		"repository":     compute(func(map[string]any) (any, *graphError) { return g.repository(g.world.repository), nil }),
		"comments": compute(func(arguments map[string]any) (any, *graphError) {
			var comments []value
			for _, comment := range thread.Comments {
				comments = append(comments, g.lineComment(pull, thread, comment))
			}
			return g.connection("PullRequestReviewCommentConnection", comments)(arguments)
		}),
	}}
}

func (g graph) lineComment(pull *Pull, thread *Thread, comment *LineComment) value {
	fields := g.text("PRRC", comment.ID, comment.AuthorID, comment.Body, comment.CreatedAt, comment.UpdatedAt, comment.EditedAt, comment.EditorID)
	review := pull.review(comment.ReviewID)
	state := "SUBMITTED"
	if review.State == "PENDING" {
		state = "PENDING"
	}
	var top any
	if thread.Comments[0] != comment {
		top = compute(func(map[string]any) (any, *graphError) { return g.lineComment(pull, thread, thread.Comments[0]), nil })
	}
	for name, field := range map[string]any{
		"path": thread.Path, "line": number(thread.Line), "startLine": number(thread.StartLine), "originalLine": thread.OriginalLine,
		"originalStartLine": number(thread.OriginalStartLine), "outdated": thread.outdated(), "diffHunk": thread.Hunk, "state": state, "replyTo": top,
		"commit": g.commit(g.world.commits[thread.Commit]), "originalCommit": g.commit(g.world.commits[thread.OriginalCommit]),
		"pullRequestReview": compute(func(map[string]any) (any, *graphError) { return g.review(pull, review), nil }),
		"viewerDidAuthor":   g.c.token.userID == comment.AuthorID, "url": fmt.Sprintf("%s#discussion_r%d", g.pullURL(pull), comment.ID),
	} {
		fields[name] = field
	}
	return value{"PullRequestReviewComment", fields}
}
