package emulator

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"strings"
)

const (
	mintPath = "POST /app/installations/{id}/access_tokens"
	blobPath = "GET /_blob/*"
	diffPath = "GET /repos/{owner}/{repo}/pulls/{number}"
)

// instead makes a kind's before of an answer that takes the operation's place.
func instead(make func(*call) answer) func(*appliedFault, *call) (answer, bool) {
	return func(_ *appliedFault, c *call) (answer, bool) { return make(c), true }
}

// replaced makes a kind's after: the operation is done, and the client gets this.
func replaced(make func(*call) answer) func(*appliedFault, *call, answer) answer {
	return func(_ *appliedFault, c *call, _ answer) answer { return make(c) }
}

// faultKinds is the table of faults. Names of a kind that answers in place of the operation say "not done" in Doc.
func faultKinds() []faultKind {
	kinds := append(transportFaults(), staleFault())
	kinds = append(kinds, limitFaults()...)
	kinds = append(kinds, refusalFaults()...)
	kinds = append(kinds, graphqlFaults()...)
	kinds = append(kinds, credentialFaults()...)
	kinds = append(kinds, artifactFaults()...)
	return append(kinds, eventFaults()...)
}

func transportFaults() []faultKind {
	return []faultKind{
		{Kind: Kind{"killed-before", "The connection is closed without an answer; not done.", "D1"},
			before: instead(func(*call) answer { return answer{hangUp: true} })},
		{Kind: Kind{"killed-after", "The operation is done, then the connection is closed without an answer.", "D1, W39"},
			after: replaced(func(*call) answer { return answer{hangUp: true} })},
		{Kind: Kind{"error-500-done", "The operation is done, and the answer is 500.", "D1"},
			after: replaced(func(*call) answer { return problem(http.StatusInternalServerError, "Server Error") })},
		{Kind: Kind{"error-500-not-done", "The answer is 500; not done.", "D1"},
			before: instead(func(*call) answer { return problem(http.StatusInternalServerError, "Server Error") })},
		{Kind: Kind{"bad-gateway-done", "The operation is done, and the answer is 502 with a page of HTML.", "I4"},
			after: replaced(func(*call) answer { return page(http.StatusBadGateway) })},
		{Kind: Kind{"bad-gateway-not-done", "The answer is 502 with a page of HTML; not done.", "I4"},
			before: instead(func(*call) answer { return page(http.StatusBadGateway) })},
		{Kind: Kind{"late", "The connection is closed without an answer, and the operation is done after the call that follows.", "D1"},
			before: func(_ *appliedFault, c *call) (answer, bool) {
				c.server.late = append(c.server.late, func() { c.server.perform(c) })
				return answer{hangUp: true}, true
			}},
		{Kind: Kind{"html-200", "The operation is done, and the answer is 200 with a page of HTML.", "E11"},
			after: replaced(func(*call) answer { return page(http.StatusOK) })},
		{Kind: Kind{"empty-200", "The operation is done, and the answer is 200 without a body.", "E11"},
			after: replaced(func(*call) answer { return answer{status: http.StatusOK} })},
		{Kind: Kind{"truncated-json", "The operation is done, and the second half of the answer's JSON is missing.", "E11"},
			after: func(_ *appliedFault, _ *call, given answer) answer {
				document, mediaType := given.encode()
				header := http.Header{"Content-Type": {mediaType}}
				return answer{status: given.status, header: header, body: document[:len(document)/2]}
			}},
		{Kind: Kind{"moved-301", "The repository was renamed: 301 to another address; not done.", "F7"},
			before: instead(func(c *call) answer { return moved(c, http.StatusMovedPermanently) })},
		{Kind: Kind{"moved-307", "The repository was renamed: 307 to another address; not done.", "F7"},
			before: instead(func(c *call) answer { return moved(c, http.StatusTemporaryRedirect) })},
		{Kind: Kind{"slow", "The call waits until its gate is released, then is served.", "W64"}, gated: true},
		{Kind: Kind{"missing-404", "The answer is 404, as on a read-back from a replica that is behind; not done.", "H5"},
			before: instead(func(*call) answer { return notFound() })},
	}
}

func page(status int) answer {
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	return answer{status: status, header: header, body: []byte("<!DOCTYPE html><html><head><title>Unicorn!</title></head><body><p>No server is available.</p></body></html>\n")}
}

func moved(c *call, status int) answer {
	repository := c.server.world.repository
	rest := strings.SplitN(strings.TrimPrefix(c.http.URL.Path, "/repos/"), "/", 3)
	target := fmt.Sprintf("%s/repositories/%d/", c.base(), repository.ID) + rest[len(rest)-1]
	refusal := problem(status, "Moved Permanently")
	refusal.body.(object)["url"] = target
	refusal.header.Set("Location", target)
	return refusal
}

// limited is a refusal for too many requests.
func limited(status int, message, documentationURL string, header map[string]string) func(*call) answer {
	return func(*call) answer {
		refusal := problem(status, message)
		refusal.body.(object)["documentation_url"] = documentationURL
		if documentationURL == "" {
			delete(refusal.body.(object), "documentation_url")
		}
		for name, value := range header {
			refusal.header.Set(name, value)
		}
		return refusal
	}
}

func limitFaults() []faultKind {
	const secondary = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
	const about = "https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
	return []faultKind{
		{Kind: Kind{"limit-429", "The answer is 429 without Retry-After; not done.", "F1"},
			before: instead(limited(http.StatusTooManyRequests, secondary, about, nil))},
		{Kind: Kind{"limit-429-retry-after", "The answer is 429 with Retry-After: 1; not done.", "F1"},
			before: instead(limited(http.StatusTooManyRequests, secondary, about, map[string]string{"Retry-After": "1"}))},
		{Kind: Kind{"limit-403-secondary", "The answer is 403 with the secondary limit's documentation address and Retry-After: 1; not done.", "F3, F5"},
			before: instead(limited(http.StatusForbidden, secondary, about, map[string]string{"Retry-After": "1"}))},
		{Kind: Kind{"limit-403-message", "The answer is 403 that tells of the secondary limit in its message alone; not done.", "F3"},
			before: instead(limited(http.StatusForbidden, secondary, "", nil))},
		{Kind: Kind{"limit-403-primary", "The answer is 403 with X-RateLimit-Remaining: 0; not done.", "W66"},
			before: func(_ *appliedFault, c *call) (answer, bool) {
				reset := fmt.Sprint(c.server.clock.now().Unix() + 60)
				return limited(http.StatusForbidden, "API rate limit exceeded for installation.", documentation,
					map[string]string{"X-Ratelimit-Limit": "5000", "X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": reset})(c), true
			}},
		{Kind: Kind{"limit-422-abuse", "The answer is 422 whose error has the code abuse, which is a limit; not done.", "F4"},
			before: instead(func(*call) answer { return invalid("PullRequestReview", "base", "abuse", "") })},
	}
}

func refusalFaults() []faultKind {
	return []faultKind{
		{Kind: Kind{"invalid-strings", "The answer is 422 whose errors are a list of sentences; not done.", "A1, A2"},
			before: instead(func(*call) answer { return rejected("Line could not be resolved") })},
		{Kind: Kind{"invalid-objects", "The answer is 422 whose errors are a list of objects; not done.", "A1"},
			before: instead(func(*call) answer { return invalid("PullRequestReview", "body", "custom", "Body is not accepted") })},
		{Kind: Kind{"invalid-one-string", "The answer is 422 whose errors are one string; not done.", "A1"},
			before: instead(func(*call) answer {
				refusal := unprocessable("Validation Failed")
				refusal.body.(object)["errors"] = "Could not be processed"
				return refusal
			})},
		{Kind: Kind{"invalid-internal-done", "The operation is done, and the answer is 422 that tells of an internal error.", "W1, D1"},
			after: replaced(func(*call) answer { return rejected("An internal error occurred, please try again.") })},
		{Kind: Kind{"invalid-internal", "The answer is 422 that tells of an internal error, to be tried again; not done.", "W1"},
			before: instead(func(*call) answer { return rejected("An internal error occurred, please try again.") })},
		{Kind: Kind{"diff-too-large", "The diff is refused with 406 for its number of files; not done.", "I5, W18"}, only: diffPath,
			before: instead(func(*call) answer {
				refusal := problem(http.StatusNotAcceptable, fmt.Sprintf("Sorry, the diff exceeded the maximum number of files (%d).", diffFiles))
				refusal.body.(object)["errors"] = []any{object{"resource": "PullRequest", "field": "diff", "code": "too_large"}}
				return refusal
			})},
		{Kind: Kind{"longer-abbreviation", "From this call on the diff is served with longer abbreviated ids: the same content in other bytes.", "B4 of the platform notes"},
			before: func(_ *appliedFault, c *call) (answer, bool) {
				c.server.abbreviation = 12
				return answer{}, false
			}},
	}
}

func credentialFaults() []faultKind {
	// grant changes what a mint gives, in the token and in the answer alike.
	grant := func(change func(*Server, *token, object)) func(*appliedFault, *call, answer) answer {
		return func(_ *appliedFault, c *call, given answer) answer {
			if body, isObject := given.body.(object); isObject && given.status == http.StatusCreated {
				change(c.server, c.server.world.tokens[len(c.server.world.tokens)-1], body)
			}
			return given
		}
	}
	return []faultKind{
		{Kind: Kind{"lag-401", "The token just minted is not known yet: 401; not done.", "E5"},
			before: instead(func(*call) answer { return problem(http.StatusUnauthorized, "Bad credentials") })},
		{Kind: Kind{"lag-403", "The narrowed permissions are not known yet: 403; not done.", "E5"},
			before: instead(func(c *call) answer {
				if c.route == nil {
					return notAccessible(nil)
				}
				return notAccessible(c.route.needs)
			})},
		{Kind: Kind{"token-revoked", "The token is revoked just before the call: 401, and so from then on; not done.", "E9"},
			before: func(_ *appliedFault, c *call) (answer, bool) {
				if found, _ := c.server.tokenOf(c.http); found != nil {
					found.revoked = true
				}
				return answer{}, false
			}},
		{Kind: Kind{"revoke-fails", "The revocation answers 500, and the token goes on working.", "E9"}, only: "DELETE /installation/token",
			before: instead(func(*call) answer { return problem(http.StatusInternalServerError, "Server Error") })},
		{Kind: Kind{"mint-more", "The mint grants one permission more than was asked.", "E3"}, only: mintPath,
			after: grant(func(_ *Server, minted *token, body object) {
				minted.permissions = maps.Clone(minted.permissions)
				minted.permissions["administration"] = "read"
				body["permissions"] = minted.permissions
			})},
		{Kind: Kind{"mint-less", "The mint grants read where write was asked.", "E3"}, only: mintPath,
			after: grant(func(_ *Server, minted *token, body object) {
				minted.permissions = maps.Clone(minted.permissions)
				for key, level := range minted.permissions {
					if level == "write" {
						minted.permissions[key] = "read"
					}
				}
				body["permissions"] = minted.permissions
			})},
		{Kind: Kind{"mint-other-repository", "The mint answers with another repository than was asked.", "E3"}, only: mintPath,
			after: grant(func(server *Server, minted *token, body object) {
				minted.repositories = []int64{server.world.repository.ID + 1}
				if listed, narrowed := body["repositories"].([]any); narrowed {
					other := maps.Clone(listed[0].(object))
					other["id"], other["name"] = server.world.repository.ID+1, "another"
					body["repositories"] = []any{other}
				}
			})},
		{Kind: Kind{"mint-all-repositories", "The mint gives all repositories of the installation and names none.", "E3"}, only: mintPath,
			after: grant(func(_ *Server, _ *token, body object) {
				body["repository_selection"] = "all"
				delete(body, "repositories")
			})},
		{Kind: Kind{"suspended", "The installation is suspended from this call on.", "E10"}, only: mintPath,
			before: func(_ *appliedFault, c *call) (answer, bool) {
				for _, app := range c.server.world.apps {
					app.Suspended = true
				}
				return answer{}, false
			}},
	}
}

func artifactFaults() []faultKind {
	return []faultKind{
		{Kind: Kind{"artifact-changed", "One byte of the artifact's bytes is another.", "H1"}, only: blobPath,
			after: func(_ *appliedFault, _ *call, given answer) answer {
				if content, isBytes := given.body.([]byte); isBytes && len(content) > 0 {
					changed := bytes.Clone(content)
					changed[len(changed)/2] ^= 1
					given.body = changed
				}
				return given
			}},
		{Kind: Kind{"artifact-short", "The second half of the artifact's bytes is missing.", "H1"}, only: blobPath,
			after: func(_ *appliedFault, _ *call, given answer) answer {
				if content, isBytes := given.body.([]byte); isBytes {
					given.body = content[:len(content)/2]
				}
				return given
			}},
		{Kind: Kind{"artifact-expired", "All artifacts are expired from this call on.", "H5"}, only: "GET /repos/{owner}/{repo}/actions/artifacts/{id}",
			before: func(_ *appliedFault, c *call) (answer, bool) {
				for _, artifact := range c.server.world.artifacts {
					artifact.ExpiresAt = c.server.clock.now()
				}
				return answer{}, false
			}},
	}
}
