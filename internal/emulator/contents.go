package emulator

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// largestContent is the most the contents operation shows of a file.
const largestContent = 1 << 20

// resolve finds the commit a ref names: a full id, a branch, or HEAD.
func (w *world) resolve(ref string) *Commit {
	if ref == "" || ref == "HEAD" {
		ref = w.repository.DefaultBranch
	}
	ref = strings.TrimPrefix(ref, "refs/heads/")
	if branch, exists := w.repository.Branches[ref]; exists {
		return w.commits[branch.Commit]
	}
	return w.commits[ref]
}

// getContents answers with a file, or with the list of a directory.
func (server *Server) getContents(c *call) answer {
	commit := server.world.resolve(c.query.Get("ref"))
	if commit == nil {
		return problem(http.StatusNotFound, "No commit found for the ref "+c.query.Get("ref"))
	}
	wanted := strings.Trim(c.http.PathValue("path"), "/")
	if file, exists := commit.Tree[wanted]; exists {
		if strings.Contains(c.http.Header.Get("Accept"), ".raw") {
			return answer{status: http.StatusOK, header: http.Header{"Content-Type": {"application/vnd.github.raw+json; charset=utf-8"}}, body: file.Content}
		}
		return ok(c.contentAnswer(commit, wanted, file, true))
	}
	var entries []any
	directories := map[string]bool{}
	for _, filePath := range commit.Tree.paths() {
		rest, below := filePath, true
		if wanted != "" {
			rest, below = strings.CutPrefix(filePath, wanted+"/")
		}
		if !below {
			continue
		}
		if directory, _, nested := strings.Cut(rest, "/"); nested {
			if !directories[directory] {
				directories[directory] = true
				entries = append(entries, c.contentEntry(commit, path.Join(wanted, directory), "dir", commit.Tree.below(path.Join(wanted, directory)).id(), 0))
			}
			continue
		}
		entries = append(entries, c.contentAnswer(commit, filePath, commit.Tree[filePath], false))
	}
	if entries == nil && wanted != "" {
		return notFound()
	}
	return ok(append([]any{}, entries...))
}

// below is the tree of a directory.
func (tree Tree) below(directory string) Tree {
	inside := Tree{}
	for filePath, file := range tree {
		if rest, below := strings.CutPrefix(filePath, directory+"/"); below {
			inside[rest] = file
		}
	}
	return inside
}

// contentEntry is what a file and a directory have in common.
func (c *call) contentEntry(commit *Commit, filePath, kind, id string, size int) object {
	escaped := (&url.URL{Path: filePath}).EscapedPath()
	api := c.repositoryURL() + "/contents/" + escaped + "?ref=" + commit.SHA
	git := c.repositoryURL() + "/git/blobs/" + id
	page := c.pageURL() + "/blob/" + commit.SHA + "/" + escaped
	return object{
		"type": kind, "name": path.Base(filePath), "path": filePath, "sha": id, "size": size, "url": api, "git_url": git, "html_url": page,
		"download_url": nil, "_links": object{"self": api, "git": git, "html": page},
	}
}

func (c *call) contentAnswer(commit *Commit, filePath string, file File, whole bool) object {
	kind := map[string]string{modeSymlink: "symlink", modeSubmodule: "submodule"}[file.mode()]
	setDefault(&kind, "file")
	entry := c.contentEntry(commit, filePath, kind, file.blobID(), len(file.Content))
	if !whole {
		return entry
	}
	switch kind {
	case "symlink":
		entry["target"] = string(file.Content)
	case "submodule":
		entry["submodule_git_url"] = nil
	case "file":
		entry["encoding"], entry["content"] = "base64", wrapped(file.Content)
		if len(file.Content) > largestContent {
			entry["encoding"], entry["content"] = "none", ""
		}
	}
	return entry
}

// wrapped is base64 in lines of 60 characters, each with its newline.
func wrapped(content []byte) string {
	encoded := base64.StdEncoding.EncodeToString(content)
	var lines strings.Builder
	for len(encoded) > 0 {
		end := min(60, len(encoded))
		lines.WriteString(encoded[:end] + "\n")
		encoded = encoded[end:]
	}
	return lines.String()
}

// getRef answers with a branch as a git reference.
func (server *Server) getRef(c *call) answer {
	ref := c.http.PathValue("ref")
	name, isBranch := strings.CutPrefix(ref, "heads/")
	branch, exists := server.world.repository.Branches[name]
	if !isBranch || !exists {
		return notFound()
	}
	return ok(object{
		"ref": "refs/" + ref, "node_id": "REF_" + name, "url": c.repositoryURL() + "/git/refs/" + ref,
		"object": object{"type": "commit", "sha": branch.Commit, "url": c.repositoryURL() + "/git/commits/" + branch.Commit},
	})
}

// getBranch answers with a branch and its head commit.
func (server *Server) getBranch(c *call) answer {
	name := c.http.PathValue("branch")
	branch, exists := server.world.repository.Branches[name]
	if !exists {
		return problem(http.StatusNotFound, "Branch not found")
	}
	api := c.repositoryURL() + "/branches/" + name
	return ok(object{
		"name": name, "commit": c.commitAnswer(server.world.commits[branch.Commit]), "protected": false,
		"_links": object{"self": api, "html": c.pageURL() + "/tree/" + name}, "protection_url": api + "/protection",
		"protection": object{"enabled": false, "required_status_checks": object{"enforcement_level": "off", "contexts": []any{}, "checks": []any{}}},
	})
}

// getCommit answers with a commit and its files against its parent.
func (server *Server) getCommit(c *call) answer {
	commit := server.world.resolve(c.http.PathValue("ref"))
	if commit == nil {
		return unprocessable("No commit found for SHA: " + c.http.PathValue("ref"))
	}
	return ok(c.commitAnswer(commit))
}

func (c *call) commitAnswer(commit *Commit) object {
	w := &c.server.world
	api, page := c.repositoryURL()+"/commits/"+commit.SHA, c.pageURL()+"/commit/"+commit.SHA
	tree := commit.Tree.id()
	parents := []any{}
	if commit.Parent != "" {
		parents = append(parents, object{"sha": commit.Parent, "url": c.repositoryURL() + "/commits/" + commit.Parent, "html_url": c.pageURL() + "/commit/" + commit.Parent})
	}
	who := object{"name": "unknown", "email": "unknown@example.com", "date": commit.At.Format(time.RFC3339)}
	if user := w.user(commit.AuthorID); user != nil {
		who["name"], who["email"] = user.Login, strings.TrimSuffix(user.Login, botSuffix)+"@example.com"
	}
	return object{
		"sha": commit.SHA, "node_id": "C_" + commit.SHA, "url": api, "html_url": page, "comments_url": api + "/comments", "parents": parents,
		"author": c.userAnswer(commit.AuthorID), "committer": c.userAnswer(commit.AuthorID),
		"commit": object{"message": commit.Message, "comment_count": 0, "author": who, "committer": who,
			"url":          c.repositoryURL() + "/git/commits/" + commit.SHA,
			"tree":         object{"sha": tree, "url": c.repositoryURL() + "/git/trees/" + tree},
			"verification": object{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil}},
	}
}
