package emulator

import (
	"encoding/json"
	"time"
)

// State is all that the emulator knows at one moment, and every call so far. It holds no credential and no bytes of
// artifacts.
type State struct {
	Now          time.Time      `json:"now"`
	Repository   Repository     `json:"repository"`
	Users        []*User        `json:"users"`
	Apps         []*App         `json:"apps"`
	PullRequests []*Pull        `json:"pull_requests"`
	CheckRuns    []*CheckRun    `json:"check_runs"`
	WorkflowRuns []*Run         `json:"workflow_runs"`
	Artifacts    []*Artifact    `json:"artifacts"`
	Tokens       []TokenState   `json:"tokens"`
	Faults       []PendingFault `json:"faults"`
	Calls        []Call         `json:"calls"`
}

// TokenState is a token without its value.
type TokenState struct {
	Kind         string            `json:"kind"`
	AppID        int64             `json:"app_id,omitempty"`
	RunID        int64             `json:"run_id,omitempty"`
	Permissions  map[string]string `json:"permissions"`
	Repositories []int64           `json:"repositories"`
	MintedAt     time.Time         `json:"minted_at"`
	ExpiresAt    time.Time         `json:"expires_at"`
	Revoked      bool              `json:"revoked"`
}

// Pull finds a pull request of the state; nil when there is none of that number.
func (state State) Pull(number int) *Pull {
	return find(state.PullRequests, func(pull *Pull) bool { return pull.Number == number })
}

// State returns a copy, which later calls do not change.
func (server *Server) State() (State, error) {
	document, err := server.stateDocument()
	if err != nil {
		return State{}, err
	}
	var state State
	if err := json.Unmarshal(document, &state); err != nil {
		return State{}, err
	}
	return state, nil
}

// stateDocument is the state as JSON.
func (server *Server) stateDocument() ([]byte, error) {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	w := &server.world
	state := State{Now: server.clock.now(), Repository: *w.repository, Users: w.users, Apps: w.apps, PullRequests: w.pulls, CheckRuns: w.checks,
		WorkflowRuns: w.runs, Calls: server.calls}
	for _, artifact := range w.artifacts {
		shown := *artifact
		shown.Zip = nil
		state.Artifacts = append(state.Artifacts, &shown)
	}
	for _, t := range w.tokens {
		shown := TokenState{Kind: t.kind, RunID: t.runID, Permissions: t.permissions, Repositories: t.repositories, MintedAt: t.mintedAt, ExpiresAt: t.expiresAt, Revoked: t.revoked}
		if t.app != nil {
			shown.AppID = t.app.ID
		}
		state.Tokens = append(state.Tokens, shown)
	}
	for _, pending := range server.pending {
		state.Faults = append(state.Faults, PendingFault{Fault: pending.fault, Seen: pending.seen})
	}
	return json.Marshal(state)
}
