package facts

import (
	"context"

	gogithub "github.com/google/go-github/v66/github"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// reader reads one item.
type reader struct {
	client  *github.Client
	request Request
}

func (r reader) repository() string { return github.Repository(r.request.Owner, r.request.Name) }
func (r reader) pull() string       { return r.repository() + "/pulls/" + itoa(r.request.Number) }

// readPull asks for the pull request and holds it to what everything else rests on.
func (r reader) readPull(ctx context.Context) (*gogithub.PullRequest, error) {
	pull := &gogithub.PullRequest{}
	if _, err := r.client.REST(ctx, "GET", r.pull(), nil, pull); err != nil {
		return nil, err
	}
	operation := "GET /" + r.pull()
	switch {
	case pull.GetNumber() != r.request.Number || pull.GetID() == 0 || pull.GetNodeID() == "":
		return nil, github.Malformed(operation, "the answer is not the pull request that was asked for")
	case pull.GetBase().GetRepo().GetID() == 0:
		return nil, github.Malformed(operation, "the base has no repository")
	case pull.GetBase().GetRepo().GetID() != r.request.RepositoryID:
		return nil, errOtherRepository(operation)
	case !isCommit(pull.GetHead().GetSHA()) || !isCommit(pull.GetBase().GetSHA()) || pull.GetBase().GetRef() == "" || pull.GetHead().GetRef() == "":
		return nil, github.Malformed(operation, "the head or the base has no commit or no name")
	case pull.GetState() != "open" && pull.GetState() != "closed":
		return nil, github.Malformed(operation, "the pull request has no known state")
	case pull.Draft == nil || pull.Locked == nil || pull.ChangedFiles == nil || pull.Labels == nil || pull.GetBase().GetRepo().GetDefaultBranch() == "":
		return nil, github.Malformed(operation, "draft, locked, labels, changed_files or the default branch is missing")
	}
	return pull, nil
}

// same reports whether two looks at the pull request saw the same change.
func same(a, b *gogithub.PullRequest) bool {
	return a.GetHead().GetSHA() == b.GetHead().GetSHA() && a.GetBase().GetRef() == b.GetBase().GetRef() && a.GetBase().GetSHA() == b.GetBase().GetSHA()
}

// take writes what the pull request itself says into the facts.
func (r reader) take(pull *gogithub.PullRequest, facts *contract.Facts) {
	repository := pull.GetBase().GetRepo()
	facts.Repository = contract.FactsRepository{
		DefaultBranch: repository.GetDefaultBranch(), ID: r.request.RepositoryID, Name: r.request.Name, Owner: r.request.Owner, Private: repository.GetPrivate(),
	}
	facts.Item = contract.FactsItem{
		Author: userOf(pull.GetUser()), Body: untrusted.New(pull.GetBody()), Draft: pull.GetDraft(), Kind: contract.PullRequest, Locked: pull.GetLocked(),
		NodeID: pull.GetNodeID(), Number: pull.GetNumber(), State: pull.GetState(), Title: untrusted.New(pull.GetTitle()),
	}
	facts.Head = contract.Head{Commit: pull.GetHead().GetSHA(), Ref: untrusted.New(pull.GetHead().GetRef())}
	if source := pull.GetHead().Repo; source.GetID() != 0 {
		facts.Head.RepositoryID, facts.Head.OwnerID = number(source.GetID()), number(source.GetOwner().GetID())
		if source.PushedAt != nil {
			pushed := at(source.PushedAt.Time)
			facts.Head.PushedAt = &pushed
		}
	}
	facts.Base = contract.Base{Commit: pull.GetBase().GetSHA(), Ref: untrusted.New(pull.GetBase().GetRef())}
	facts.Labels = make([]string, 0, len(pull.Labels))
	for _, label := range pull.Labels {
		facts.Labels = append(facts.Labels, label.GetName())
	}
}

// number is nil for the id that nobody has.
func number(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

func userOf(user *gogithub.User) contract.User {
	kind := user.GetType()
	if kind == "" {
		kind = "User"
	}
	return contract.User{ID: user.GetID(), Login: untrusted.New(user.GetLogin()), Type: kind}
}
