package emulator

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// graph makes the objects of GraphQL for one call.
type graph struct {
	c     *call
	world *world
}

func (server *Server) queryRoot(c *call) value {
	g := graph{c: c, world: &server.world}
	return value{"Query", map[string]any{
		"id": "Q",
		"repository": compute(func(arguments map[string]any) (any, *graphError) {
			owner, name := fmt.Sprint(arguments["owner"]), fmt.Sprint(arguments["name"])
			if !server.isOwn(owner, name) || !c.token.reaches(g.world.repository.ID) {
				return nil, unresolved("Repository", fmt.Sprintf("name '%s/%s'", owner, name))
			}
			return g.repository(g.world.repository), nil
		}),
		"node": compute(func(arguments map[string]any) (any, *graphError) {
			id := fmt.Sprint(arguments["id"])
			if node, found := g.node(id); found && c.token.reaches(g.world.repository.ID) {
				if !allows(c.token.permissions, readPull) {
					return nil, forbidden()
				}
				return node, nil
			}
			return nil, unresolved("node", "global id of '"+id+"'")
		}),
	}}
}

// node finds an object by its id.
func (g graph) node(id string) (value, bool) {
	for _, pull := range g.world.pulls {
		if id == nodeID("PR", pull.ID) {
			return g.pull(pull), true
		}
		for _, comment := range pull.Comments {
			if id == nodeID("IC", comment.ID) {
				return g.comment(pull, comment), true
			}
		}
		for _, review := range pull.Reviews {
			if id == nodeID("PRR", review.ID) && g.c.token.sees(review) {
				return g.review(pull, review), true
			}
		}
		for _, thread := range pull.Threads {
			if !g.c.token.sees(pull.review(thread.Comments[0].ReviewID)) {
				continue
			}
			if id == nodeID("PRRT", thread.ID) {
				return g.thread(pull, thread), true
			}
			for _, comment := range thread.Comments {
				if id == nodeID("PRRC", comment.ID) {
					return g.lineComment(pull, thread, comment), true
				}
			}
		}
	}
	return value{}, false
}

func (server *Server) mutationRoot(c *call) value {
	g := graph{c: c, world: &server.world}
	// change wraps a mutation on a thread: who may not write gets FORBIDDEN, an unknown thread NOT_FOUND.
	change := func(typeName, idField string, needs []need, do func(*Pull, *Thread, map[string]any) (map[string]any, *graphError)) compute {
		return func(arguments map[string]any) (any, *graphError) {
			input := arguments["input"].(map[string]any)
			id := fmt.Sprint(input[idField])
			for _, pull := range g.world.pulls {
				for _, thread := range pull.Threads {
					if nodeID("PRRT", thread.ID) != id || !c.token.reaches(g.world.repository.ID) || !c.token.sees(pull.review(thread.Comments[0].ReviewID)) {
						continue
					}
					if !allows(c.token.permissions, needs) {
						return nil, forbidden()
					}
					fields, failure := do(pull, thread, input)
					if failure != nil {
						return nil, failure
					}
					fields["clientMutationId"] = input["clientMutationId"]
					return value{typeName, fields}, nil
				}
			}
			return nil, unresolved("PullRequestReviewThread", "global id of '"+id+"'")
		}
	}
	resolve := func(resolved bool) func(*Pull, *Thread, map[string]any) (map[string]any, *graphError) {
		return func(pull *Pull, thread *Thread, _ map[string]any) (map[string]any, *graphError) {
			thread.Resolved, thread.ResolvedByID = resolved, 0
			if resolved {
				thread.ResolvedByID = c.token.userID
			}
			return map[string]any{"thread": g.thread(pull, thread)}, nil
		}
	}
	return value{"Mutation", map[string]any{
		"resolveReviewThread":   change("ResolveReviewThreadPayload", "threadId", resolveThread, resolve(true)),
		"unresolveReviewThread": change("UnresolveReviewThreadPayload", "threadId", resolveThread, resolve(false)),
		"addPullRequestReviewThreadReply": change("AddPullRequestReviewThreadReplyPayload", "pullRequestReviewThreadId", writePull,
			func(pull *Pull, thread *Thread, input map[string]any) (map[string]any, *graphError) {
				if input["pullRequestReviewId"] != nil {
					return nil, &graphError{Type: "UNPROCESSABLE", Message: "The emulator takes no replies into a pending review"}
				}
				reply, refusal, refused := server.reply(c.token.userID, pull, thread, fmt.Sprint(input["body"]))
				if refused {
					return nil, &graphError{Type: "UNPROCESSABLE", Message: fmt.Sprint(refusal.body.(object)["message"])}
				}
				return map[string]any{"comment": g.lineComment(pull, thread, reply)}, nil
			}),
	}}
}

// resolveThread is more than one would think: to resolve a thread an App needs to be able to write contents too.
var resolveThread = []need{"contents=write,pull_requests=write"}

// connection makes a field with pages of its elements.
func (g graph) connection(typeName string, all []value) compute {
	return func(arguments map[string]any) (any, *graphError) {
		size, _ := pageSize("", arguments)
		size = min(size, g.c.server.pageLimit())
		start, end := 0, len(all)
		if after, given := arguments["after"].(string); given {
			index, valid := readCursor(after)
			if !valid {
				return nil, invalidCursor(after)
			}
			start = min(index+1, len(all))
		}
		if before, given := arguments["before"].(string); given {
			index, valid := readCursor(before)
			if !valid {
				return nil, invalidCursor(before)
			}
			end = max(min(index, len(all)), start)
		}
		if _, fromEnd := whole(arguments["last"]); fromEnd {
			start = max(start, end-size)
		} else {
			end = min(end, start+size)
		}
		info := map[string]any{"hasNextPage": end < len(all), "hasPreviousPage": start > 0, "startCursor": nil, "endCursor": nil}
		if start < end {
			info["startCursor"], info["endCursor"] = cursor(start), cursor(end-1)
		}
		return value{typeName, map[string]any{"nodes": all[start:end], "totalCount": len(all), "pageInfo": value{"PageInfo", info}}}, nil
	}
}

const cursorPrefix = "cursor:v2:"

func cursor(index int) string {
	return base64.StdEncoding.EncodeToString([]byte(cursorPrefix + strconv.Itoa(index)))
}

func readCursor(text string) (int, bool) {
	decoded, err := base64.StdEncoding.DecodeString(text)
	digits, ours := strings.CutPrefix(string(decoded), cursorPrefix)
	index, notNumber := strconv.Atoi(digits)
	return index, err == nil && ours && notNumber == nil && index >= 0
}

func invalidCursor(text string) *graphError {
	return &graphError{Type: "INVALID_CURSOR_ARGUMENTS", Message: fmt.Sprintf("`%s` does not appear to be a valid cursor.", text)}
}
