package emulator

import (
	"encoding/json"
	"net/http"
	"strings"
)

// stale is the kind whose read is answered from the past.
const stale = "stale"

// past is what stood on the pull requests before a write: all that a replica which is behind would show.
type past struct {
	Pulls  []*Pull     `json:"pulls"`
	Checks []*CheckRun `json:"checks"`
}

// remembered performs an operation and, while a fault of the kind stale waits, keeps what stood before it where it changed
// something.
func (server *Server) remembered(c *call) answer {
	waits := false
	for _, pending := range server.pending {
		waits = waits || pending.kind.Name == stale
	}
	if !waits || c.http.Method == http.MethodGet {
		return server.perform(c)
	}
	before := server.standing()
	given := server.perform(c)
	if string(before) != string(server.standing()) {
		server.past = &past{}
		if err := json.Unmarshal(before, server.past); err != nil { // it was made by the line above
			panic(err)
		}
	}
	return given
}

// standing is what stands on the pull requests, as one document.
func (server *Server) standing() []byte {
	document, err := json.Marshal(past{server.world.pulls, server.world.checks})
	if err != nil { // they are made of strings, numbers, lists and objects only
		panic(err)
	}
	return document
}

// reads reports whether the call changes nothing.
func (c *call) reads() bool {
	if c.route == nil || c.route.path != graphqlPath {
		return c.http.Method == http.MethodGet
	}
	asked, complaint := readGraphQLRequest(c.body)
	return complaint == "" && !strings.HasPrefix(strings.TrimSpace(asked.query), "mutation")
}

func staleFault() faultKind {
	return faultKind{Kind: Kind{stale, "A read is answered as it would have been before the last write, by a replica that is behind; a write, and a read where nothing was written since the fault was injected, is served as usual.", "H5"},
		before: func(_ *appliedFault, c *call) (answer, bool) {
			w, behind := &c.server.world, c.server.past
			if behind == nil || !c.reads() {
				return answer{}, false
			}
			pulls, checks := w.pulls, w.checks
			w.pulls, w.checks = behind.Pulls, behind.Checks
			given := c.server.perform(c)
			w.pulls, w.checks = pulls, checks
			return given, true
		}}
}
