package facts

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/config"
	"github.com/seed-2ea642bd/airlock/internal/github"
)

// policyPath is where a repository keeps its policy.
const policyPath = config.Folder + "policy.json"

// Source reads files of one commit for package config. It lists a folder once and asks for no file that is not in the
// list, so that the many files a repository does not override cost nothing. A folder's 404 means absent, because the commit
// was read from the same repository with the same permission before; any other failure is an error.
type Source struct {
	client     *github.Client
	repository string
	commit     string
	folders    map[string][]entry
}

// entry is one name in a folder.
type entry struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

var _ config.Source = (*Source)(nil)

// NewSource resolves the default branch's head once, in one GraphQL call, and returns a source of that commit.
func NewSource(ctx context.Context, client *github.Client, owner, name string, repositoryID int64) (*Source, error) {
	const operation = "GraphQL DefaultBranch"
	var answer conversationAnswer
	if err := client.GraphQL(ctx, defaultBranchDocument, map[string]any{"owner": owner, "name": name}, &answer); err != nil {
		return nil, err
	}
	repository := answer.Repository
	switch {
	case repository == nil:
		return nil, &github.Error{Operation: operation, Class: github.ClassNotFound, Message: "there is no such repository, or the token may not know of it"}
	case repository.DatabaseID != repositoryID:
		return nil, errOtherRepository(operation)
	case repository.DefaultBranch == nil || repository.DefaultBranch.Target == nil || !isCommit(repository.DefaultBranch.Target.OID):
		return nil, github.Malformed(operation, "the default branch has no commit")
	}
	return &Source{
		client: client, repository: github.Repository(owner, name), commit: repository.DefaultBranch.Target.OID, folders: map[string][]entry{},
	}, nil
}

// Commit is the commit that is read.
func (s *Source) Commit() string { return s.commit }

// ReadFile returns a file under [config.Folder].
func (s *Source) ReadFile(ctx context.Context, name string) ([]byte, bool, error) {
	found, err := s.exists(ctx, name)
	if err != nil || !found {
		return nil, false, err
	}
	var data []byte
	_, err = s.client.REST(ctx, "GET", s.contents(name), nil, &data, github.Accept("application/vnd.github.raw+json"), github.Limit(config.MaxFileBytes+1))
	return data, err == nil, err
}

// exists looks for a file in its folder, and for the folder in the one above it, down from [config.Folder].
func (s *Source) exists(ctx context.Context, name string) (bool, error) {
	folder, base := path.Split(path.Clean(name))
	folder = strings.TrimSuffix(folder, "/")
	if folder+"/" != config.Folder {
		if !strings.HasPrefix(folder+"/", config.Folder) {
			return false, github.Malformed("read configuration", "the file is outside the configuration's folder")
		}
		if above, err := s.exists(ctx, folder); err != nil || !above {
			return false, err
		}
	}
	entries, err := s.list(ctx, folder)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(entries, func(e entry) bool { return e.Name == base }), nil
}

// list reads a folder once.
func (s *Source) list(ctx context.Context, folder string) ([]entry, error) {
	if entries, ok := s.folders[folder]; ok {
		return entries, nil
	}
	entries := []entry{}
	_, err := s.client.REST(ctx, "GET", s.contents(folder), nil, &entries)
	if err != nil && github.ClassOf(err) != github.ClassNotFound {
		return nil, err
	}
	if err == nil && entries == nil {
		return nil, github.Malformed("GET /"+s.repository+"/contents/"+folder, "the list is missing")
	}
	s.folders[folder] = entries
	return entries, nil
}

func (s *Source) contents(name string) string {
	return s.repository + "/contents/" + escape(name) + "?ref=" + s.commit
}

// escape escapes every element of a path.
func escape(name string) string {
	elements := strings.Split(name, "/")
	for i, element := range elements {
		elements[i] = url.PathEscape(element)
	}
	return strings.Join(elements, "/")
}
