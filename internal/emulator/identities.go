package emulator

import (
	"fmt"
	"strings"
	"time"
)

// serverURL is where people read what the API serves.
const serverURL = "https://github.com"

// nodeID is GitHub's opaque id of an object of GraphQL: a prefix for its kind, and its number.
func nodeID(prefix string, id int64) string { return fmt.Sprintf("%s_%d", prefix, id) }

func userNodeID(user *User) string {
	switch user.Type {
	case "Bot":
		return nodeID("BOT", user.ID)
	case "Organization":
		return nodeID("O", user.ID)
	}
	return nodeID("U", user.ID)
}

// userAnswer is the short form of a user; nil for an account that is gone.
func (c *call) userAnswer(id int64) any {
	user := c.server.world.user(id)
	if user == nil {
		return nil
	}
	api := c.base() + "/users/" + user.Login
	return object{
		"login": user.Login, "id": user.ID, "node_id": userNodeID(user), "type": user.Type, "site_admin": false, "user_view_type": "public",
		"avatar_url": fmt.Sprintf("https://avatars.githubusercontent.com/u/%d?v=4", user.ID), "gravatar_id": "",
		"url": api, "html_url": serverURL + "/" + strings.TrimSuffix(user.Login, botSuffix),
		"followers_url": api + "/followers", "following_url": api + "/following{/other_user}", "gists_url": api + "/gists{/gist_id}",
		"starred_url": api + "/starred{/owner}{/repo}", "subscriptions_url": api + "/subscriptions", "organizations_url": api + "/orgs",
		"repos_url": api + "/repos", "events_url": api + "/events{/privacy}", "received_events_url": api + "/received_events",
	}
}

// getUser answers with the public profile.
func (server *Server) getUser(c *call) answer {
	user := server.world.userByLogin(c.http.PathValue("username"))
	if user == nil {
		return notFound()
	}
	profile := c.userAnswer(user.ID).(object)
	for name, value := range (object{
		"name": nil, "company": nil, "blog": "", "location": nil, "email": nil, "hireable": nil, "bio": nil,
		"public_repos": 1, "public_gists": 0, "followers": 0, "following": 0,
		"created_at": "2020-01-01T00:00:00Z", "updated_at": "2020-01-01T00:00:00Z",
	}) {
		profile[name] = value
	}
	return ok(profile)
}

// roleOf is a user's role on the repository.
func (w *world) roleOf(user *User) string {
	switch {
	case user.Permission != "":
		return user.Permission
	case user.ID == w.repository.OwnerID:
		return "admin"
	case w.repository.Private:
		return "none"
	}
	return "read"
}

// getCollaboratorPermission answers with a role; whoever has none is answered with "none", not refused.
func (server *Server) getCollaboratorPermission(c *call) answer {
	user := server.world.userByLogin(c.http.PathValue("username"))
	if user == nil {
		return notFound()
	}
	role := server.world.roleOf(user)
	profile := c.userAnswer(user.ID).(object)
	profile["role_name"] = role
	profile["permissions"] = object{"admin": role == "admin", "maintain": role == "admin", "push": role == "admin" || role == "write",
		"triage": role == "admin" || role == "write", "pull": role != "none"}
	return ok(object{"permission": role, "role_name": role, "user": profile})
}

// association is a user's relation to the repository, as GitHub puts it beside what he wrote.
func (w *world) association(id int64) string {
	user := w.user(id)
	switch {
	case user == nil:
		return "NONE"
	case user.ID == w.repository.OwnerID:
		return "OWNER"
	case user.Permission == "admin" || user.Permission == "write":
		return "COLLABORATOR"
	}
	return "NONE"
}

// getRepository answers with the full form.
func (server *Server) getRepository(c *call) answer {
	body := server.repositoryAnswer(c, server.world.repository)
	for name, value := range (object{"network_count": 0, "subscribers_count": 1}) {
		body[name] = value
	}
	return ok(body)
}

// repositoryAnswer is a repository in the form other objects hold it.
func (server *Server) repositoryAnswer(c *call, repository *Repository) object {
	owner := server.world.user(repository.OwnerID)
	fullName := owner.Login + "/" + repository.Name
	api, page := c.base()+"/repos/"+fullName, serverURL+"/"+fullName
	body := object{
		"id": repository.ID, "node_id": nodeID("R", repository.ID), "name": repository.Name, "full_name": fullName,
		"owner": c.userAnswer(owner.ID), "private": repository.Private, "fork": repository.Fork, "description": nil,
		"html_url": page, "url": api, "homepage": nil, "language": nil, "license": nil, "mirror_url": nil,
		"default_branch": repository.DefaultBranch, "archived": false, "disabled": false, "visibility": visibility(repository),
		"forks": 0, "forks_count": 0, "open_issues": 0, "open_issues_count": 0, "size": 0,
		"stargazers_count": 0, "watchers": 0, "watchers_count": 0,
		"has_downloads": true, "has_issues": true, "has_pages": false, "has_projects": true, "has_wiki": true, "has_discussions": false,
		"created_at": "2020-01-01T00:00:00Z", "updated_at": repository.PushedAt.Format(time.RFC3339), "pushed_at": repository.PushedAt.Format(time.RFC3339),
		"clone_url": page + ".git", "git_url": "git://github.com/" + fullName + ".git", "ssh_url": "git@github.com:" + fullName + ".git", "svn_url": page,
	}
	for name, path := range repositoryLinks {
		body[name] = api + path
	}
	return body
}

func visibility(repository *Repository) string {
	if repository.Private {
		return "private"
	}
	return "public"
}

// repositoryLinks are the addresses that every form of a repository holds.
var repositoryLinks = map[string]string{
	"archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
	"branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}", "comments_url": "/comments{/number}",
	"commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}", "contents_url": "/contents/{+path}",
	"contributors_url": "/contributors", "deployments_url": "/deployments", "downloads_url": "/downloads", "events_url": "/events",
	"forks_url": "/forks", "git_commits_url": "/git/commits{/sha}", "git_refs_url": "/git/refs{/sha}", "git_tags_url": "/git/tags{/sha}",
	"hooks_url": "/hooks", "issue_comment_url": "/issues/comments{/number}", "issue_events_url": "/issues/events{/number}",
	"issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}", "labels_url": "/labels{/name}", "languages_url": "/languages",
	"merges_url": "/merges", "milestones_url": "/milestones{/number}", "notifications_url": "/notifications{?since,all,participating}",
	"pulls_url": "/pulls{/number}", "releases_url": "/releases{/id}", "stargazers_url": "/stargazers", "statuses_url": "/statuses/{sha}",
	"subscribers_url": "/subscribers", "subscription_url": "/subscription", "tags_url": "/tags", "teams_url": "/teams", "trees_url": "/git/trees{/sha}",
}

// repositoryURL is the API's address of the emulated repository.
func (c *call) repositoryURL() string {
	repository := c.server.world.repository
	return c.base() + "/repos/" + c.server.world.user(repository.OwnerID).Login + "/" + repository.Name
}

// pageURL is the address of the repository for people.
func (c *call) pageURL() string {
	repository := c.server.world.repository
	return serverURL + "/" + c.server.world.user(repository.OwnerID).Login + "/" + repository.Name
}

// appAnswer is an App in the form checks and events hold it; nil when the id is not of one.
func (c *call) appAnswer(id int64) any {
	slug, ownerID := "github-actions", c.server.world.repository.OwnerID
	permissions := map[string]string{}
	if id != actionsAppID {
		app := c.server.world.app(id)
		if app == nil {
			return nil
		}
		slug, permissions = app.Slug, app.Permissions
	}
	return object{
		"id": id, "slug": slug, "node_id": nodeID("A", id), "name": slug, "description": nil, "client_id": fmt.Sprintf("Iv.%d", id),
		"owner": c.userAnswer(ownerID), "external_url": serverURL + "/apps/" + slug, "html_url": serverURL + "/apps/" + slug,
		"created_at": "2020-01-01T00:00:00Z", "updated_at": "2020-01-01T00:00:00Z", "permissions": permissions, "events": []string{},
	}
}
