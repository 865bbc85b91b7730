package emulator

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"
)

// Kinds of a credential, as the call log names them.
const (
	kindNone         = "none"
	kindJWT          = "jwt"
	kindInstallation = "installation"
	kindJob          = "job"
	kindUnknown      = "unknown"
)

// token is a credential for the API and what it may do.
type token struct {
	value, kind string
	// app is the App of an installation token; nil for a job's.
	app         *App
	userID      int64
	permissions map[string]string
	// repositories are the ids within reach.
	repositories []int64
	runID        int64
	mintedAt     time.Time
	expiresAt    time.Time
	revoked      bool
}

// tokenLife is how long an installation token lives.
const tokenLife = time.Hour

// appID is the App a check made with the token belongs to.
func (t *token) appID() int64 {
	if t.app == nil {
		return actionsAppID
	}
	return t.app.ID
}

// reaches says whether a repository is within the token's reach.
func (t *token) reaches(repositoryID int64) bool {
	for _, id := range t.repositories {
		if id == repositoryID {
			return true
		}
	}
	return false
}

// tokenOf finds the live token of a request's credential. Its second value is the refusal when there is none.
func (server *Server) tokenOf(r *http.Request) (*token, answer) {
	value := credential(r)
	if value == "" {
		return nil, problem(http.StatusUnauthorized, "Requires authentication")
	}
	found := find(server.world.tokens, func(t *token) bool { return t.value == value })
	now := server.clock.now()
	if found == nil || found.revoked || !now.Before(found.expiresAt) {
		return nil, problem(http.StatusUnauthorized, "Bad credentials")
	}
	if run := server.world.run(found.runID); run != nil && run.Status == "completed" {
		return nil, problem(http.StatusUnauthorized, "Bad credentials")
	}
	if found.app != nil && found.app.Suspended {
		return nil, problem(http.StatusForbidden, "This installation has been suspended")
	}
	return found, answer{}
}

// credential is the value of the Authorization header, of which GitHub takes two schemes.
func credential(r *http.Request) string {
	scheme, value, found := strings.Cut(r.Header.Get("Authorization"), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") && !strings.EqualFold(scheme, "token") {
		return ""
	}
	return strings.TrimSpace(value)
}

// kindOfCredential names the kind for the call log, dead tokens included. It never returns the value.
func (server *Server) kindOfCredential(r *http.Request) string {
	value := credential(r)
	if value == "" {
		return kindNone
	}
	if found := find(server.world.tokens, func(t *token) bool { return t.value == value }); found != nil {
		return found.kind
	}
	if strings.Count(value, ".") == 2 && strings.HasPrefix(value, "ey") {
		return kindJWT
	}
	return kindUnknown
}

// newTokenValue makes a token that no other has. It is a function of the seed and the calls before, so that runs can
// be compared; nothing outside a test relies on it being secret.
func (server *Server) newTokenValue(app *App) string {
	serial := fmt.Sprintf("emulated token %d of App %d", server.world.next("token"), app.ID)
	digest := sha256.Sum256([]byte(serial))
	if server.options.ClassicTokens {
		return "ghs_" + hex.EncodeToString(digest[:])[:36]
	}
	encode := base64.RawURLEncoding.EncodeToString
	signature := make([]byte, 0, 256)
	for i := range 8 {
		part := sha256.Sum256(append(digest[:], byte(i)))
		signature = append(signature, part[:]...)
	}
	claims := fmt.Sprintf(`{"iss":"emulator","jti":%q}`, hex.EncodeToString(digest[:]))
	return fmt.Sprintf("ghs_%d_%s.%s.%s", app.ID, encode([]byte(`{"alg":"RS256","typ":"JWT"}`)), encode([]byte(claims)), encode(signature))
}

// addJobToken makes a job's GITHUB_TOKEN known.
func (w *world) addJobToken(given JobToken, now time.Time) error {
	if given.Token == "" || w.run(given.RunID) == nil {
		return errors.New("needs token, and run_id of a known run")
	}
	if find(w.tokens, func(t *token) bool { return t.value == given.Token }) != nil {
		return errors.New("token: given twice")
	}
	permissions := map[string]string{}
	for key, level := range given.Permissions {
		if !validPermission(key, level) {
			return fmt.Errorf("permissions: %s: %s is not a permission of GitHub's", key, level)
		}
		permissions[key] = level
	}
	setDefaultLevel(permissions)
	w.tokens = append(w.tokens, &token{value: given.Token, kind: kindJob, userID: actionsUserID, permissions: permissions,
		repositories: []int64{w.repository.ID}, runID: given.RunID, mintedAt: now, expiresAt: now.Add(24 * time.Hour)})
	return nil
}

// setDefaultLevel adds what every token can do.
func setDefaultLevel(permissions map[string]string) {
	if permissions["metadata"] == "" {
		permissions["metadata"] = "read"
	}
}

// mintRequest is the body of POST /app/installations/{id}/access_tokens.
type mintRequest struct {
	Repositories  []string          `json:"repositories"`
	RepositoryIDs []int64           `json:"repository_ids"`
	Permissions   map[string]string `json:"permissions"`
}

// mint gives an installation token, narrowed as asked.
func (server *Server) mint(call *call) answer {
	app := call.app
	if id, err := call.id("installation_id"); err != nil || id != app.InstallationID {
		return notFound()
	}
	if app.Suspended {
		return problem(http.StatusForbidden, "This installation has been suspended")
	}
	var asked mintRequest
	if refusal, refused := call.decodeOptional(&asked); refused {
		return refusal
	}
	w := &server.world
	own := w.repository
	if len(asked.Repositories) > 0 && len(asked.RepositoryIDs) > 0 {
		return unprocessable("Only one of repositories and repository_ids may be given")
	}
	if len(asked.Repositories)+len(asked.RepositoryIDs) > 500 {
		return unprocessable("A token can be narrowed to at most 500 repositories")
	}
	for _, name := range asked.Repositories {
		if !equalFold(name, own.Name) {
			return unprocessable("There is at least one repository that does not exist or is not accessible to the parent installation.")
		}
	}
	for _, id := range asked.RepositoryIDs {
		if id != own.ID {
			return unprocessable("There is at least one repository that does not exist or is not accessible to the parent installation.")
		}
	}
	granted := maps.Clone(app.Permissions)
	if asked.Permissions != nil {
		granted = map[string]string{}
		for key, level := range asked.Permissions {
			if !validPermission(key, level) || levelRank(app.Permissions[key]) < levelRank(level) && (key != "metadata" || level != "read") {
				return unprocessable("The permissions requested are not granted to this installation.")
			}
			granted[key] = level
		}
	}
	setDefaultLevel(granted)
	now := server.clock.now()
	minted := &token{value: server.newTokenValue(app), kind: kindInstallation, app: app, userID: app.BotUserID, permissions: granted,
		repositories: []int64{own.ID}, mintedAt: now, expiresAt: now.Add(tokenLife)}
	w.tokens = append(w.tokens, minted)
	body := object{
		"token": minted.value, "expires_at": minted.expiresAt.Format(time.RFC3339),
		"permissions": granted, "repository_selection": "selected",
	}
	if len(asked.Repositories)+len(asked.RepositoryIDs) > 0 {
		body["repositories"] = []any{server.repositoryAnswer(call, own)}
	} else {
		body["repository_selection"] = "all"
	}
	return answer{status: http.StatusCreated, body: body}
}

// revoke ends the token of the request.
func (server *Server) revoke(call *call) answer {
	if call.token.kind != kindInstallation {
		return notAccessible(nil)
	}
	call.token.revoked = true
	return answer{status: http.StatusNoContent}
}

// installationRepositories lists what a token reaches.
func (server *Server) installationRepositories(call *call) answer {
	if call.token.kind != kindInstallation {
		return notAccessible(nil)
	}
	var repositories []any
	for _, id := range call.token.repositories {
		if id == server.world.repository.ID {
			repositories = append(repositories, server.repositoryAnswer(call, server.world.repository))
		}
	}
	return call.pageIn("repositories", repositories, object{"repository_selection": "selected"})
}
