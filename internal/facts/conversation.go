package facts

import (
	"context"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

const conversationName = "GraphQL Conversation"

// conversation is the item and everything said about it, in the form of facts.
type conversation struct {
	repository contract.FactsRepository
	config     string
	policy     []byte
	item       contract.FactsItem
	head       string
	baseRef    untrusted.Text
	labels     []string
	comments   []contract.Comment
	reviews    []contract.Review
	threads    []contract.Thread
	// siblings are the numbers of the other open pull requests with the head that was asked about.
	siblings []int
	// faults are the lists that could not be read whole.
	faults []Fault
}

// asked names the item in every document. Head is the commit whose pull requests are asked for.
type asked struct {
	client      *github.Client
	owner, name string
	number      int
	head        string
}

func (a asked) variables() map[string]any {
	return map[string]any{"owner": a.owner, "name": a.name, "number": a.number}
}

// withHead adds the head commit to the variables of a document that asks about it.
func (a asked) withHead(variables map[string]any) map[string]any {
	variables["head"] = a.head
	return variables
}

// converse reads the conversation. The error is of the first page, without which there is nothing; a later page that
// could not be read is a fault of its list.
func converse(ctx context.Context, a asked, repositoryID int64) (conversation, error) {
	var answer conversationAnswer
	if err := a.client.GraphQL(ctx, conversationDocument, a.withHead(a.variables()), &answer, github.Limit(conversationLimit)); err != nil {
		return conversation{}, err
	}
	if err := checkConversation(answer, a.number); err != nil {
		return conversation{}, err
	}
	repository, pull := answer.Repository, answer.Repository.PullRequest
	if repository.DatabaseID != repositoryID {
		return conversation{}, errOtherRepository(conversationName)
	}
	c := conversation{
		repository: contract.FactsRepository{DefaultBranch: repository.DefaultBranch.Name, ID: repositoryID, Name: a.name, Owner: a.owner, Private: repository.Private},
		config:     repository.DefaultBranch.Target.OID,
		item: contract.FactsItem{
			Author: pull.Author.user(), Body: pull.Body, Draft: pull.Draft, EditedAt: editedAt(pull.EditedAt), Kind: contract.PullRequest,
			Locked: pull.Locked, NodeID: pull.NodeID, Number: pull.Number, State: stateOf(pull.State), Title: pull.Title,
		},
		head:    pull.HeadOID,
		baseRef: pull.BaseRef,
	}
	policy, err := policyOf(repository.Policy)
	if err != nil {
		return conversation{}, err
	}
	c.policy = policy
	a.lists(ctx, pull, &c)
	c.siblings, err = a.siblings(ctx, repository.Head, pull.HeadOID)
	if err != nil {
		c.faults = append(c.faults, Fault{Part: "item", Err: err})
	}
	return c, nil
}

// conversationLimit bounds one answer: 100 threads of 100 comments of 65,536 characters fit no bound worth having, so a
// conversation beyond it is an error, not an empty one.
const conversationLimit = 64 << 20

func errOtherRepository(operation string) *github.Error {
	return &github.Error{Operation: operation, Class: github.ClassRedirected, Message: "another repository answers under this name"}
}

// checkConversation holds the first page to what everything else rests on.
func checkConversation(answer conversationAnswer, number int) error {
	repository := answer.Repository
	switch {
	case repository == nil:
		return &github.Error{Operation: conversationName, Class: github.ClassNotFound, Message: "there is no such repository, or the token may not know of it"}
	case repository.PullRequest == nil:
		return &github.Error{Operation: conversationName, Class: github.ClassNotFound, Message: "there is no such pull request"}
	case repository.DefaultBranch == nil || repository.DefaultBranch.Target == nil || !isCommit(repository.DefaultBranch.Target.OID):
		return github.Malformed(conversationName, "the default branch has no commit")
	case repository.PullRequest.Number != number || repository.PullRequest.NodeID == "":
		return github.Malformed(conversationName, "the answer is not the pull request that was asked for")
	case !isCommit(repository.PullRequest.HeadOID) || repository.PullRequest.BaseRef.Len() == 0:
		return github.Malformed(conversationName, "the pull request has no head or no base")
	case stateOf(repository.PullRequest.State) == "":
		return github.Malformed(conversationName, "the pull request has no known state")
	}
	return nil
}

// stateOf turns GraphQL's state into REST's.
func stateOf(state string) string {
	switch state {
	case "OPEN":
		return "open"
	case "CLOSED", "MERGED":
		return "closed"
	}
	return ""
}

// policyOf gives the policy file's bytes, nil where there is none. A file that is there and cannot be read whole is an error:
// an unreadable policy is never an absent one.
func policyOf(blob *blobNode) ([]byte, error) {
	switch {
	case blob == nil:
		return nil, nil
	case blob.Typename != "Blob":
		return nil, &github.Error{Operation: conversationName, Class: github.ClassInvalid, Message: policyPath + " is not a file"}
	case blob.Text == nil || blob.Truncated || blob.Binary != nil && *blob.Binary || len(*blob.Text) != blob.ByteSize:
		return nil, &github.Error{Operation: conversationName, Class: github.ClassInvalid, Message: policyPath + " is not text that can be read whole"}
	}
	return []byte(*blob.Text), nil
}

// lists reads the four lists to their ends.
func (a asked) lists(ctx context.Context, pull *pullNode, c *conversation) {
	fault := func(part string, err error) {
		if err != nil {
			c.faults = append(c.faults, Fault{Part: part, Err: err})
		}
	}
	labels, err := follow(pull.Labels, more(ctx, a, labelsPageDocument, func(p pageAnswer) connection[labelNode] { return p.Repository.PullRequest.Labels }))
	fault("labels", err)
	c.labels = make([]string, 0, len(labels))
	for _, label := range labels {
		c.labels = append(c.labels, label.Name)
	}
	comments, err := follow(pull.Comments, more(ctx, a, commentsPageDocument, func(p pageAnswer) connection[commentNode] { return p.Repository.PullRequest.Comments }))
	fault("comments", err)
	c.comments, err = convertComments(comments)
	fault("comments", err)
	reviews, err := follow(pull.Reviews, more(ctx, a, reviewsPageDocument, func(p pageAnswer) connection[reviewNode] { return p.Repository.PullRequest.Reviews }))
	fault("reviews", err)
	c.reviews, err = convertReviews(reviews)
	fault("reviews", err)
	threads, err := follow(pull.Threads, more(ctx, a, threadsPageDocument, func(p pageAnswer) connection[threadNode] { return p.Repository.PullRequest.Threads }))
	fault("threads", err)
	for i := range threads {
		nodes, err := follow(threads[i].Comments, moreOfThread(ctx, a.client, threads[i].NodeID))
		fault("threads", err)
		threads[i].Comments.Nodes = nodes
	}
	c.threads, err = convertThreads(threads)
	fault("threads", err)
}
