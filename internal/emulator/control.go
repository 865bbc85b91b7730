package emulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// controlPrefix is the surface by which a scenario is played. Its calls are not calls of the API.
const controlPrefix = "/_emulator/"

// controlAct does one act from its JSON document and returns what to answer.
type controlAct func(*Server, []byte) (any, error)

// act makes a control call of a method that takes one document.
func act[A, R any](do func(*Server, A) (R, error)) controlAct {
	return func(server *Server, body []byte) (any, error) {
		var given A
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&given); err != nil {
			return nil, err
		}
		return do(server, given)
	}
}

// done makes a method without a result one with a result.
func done[A any](do func(*Server, A) error) func(*Server, A) (object, error) {
	return func(server *Server, given A) (object, error) { return object{"done": true}, do(server, given) }
}

// named puts a result into an object.
func named[A, R any](name string, do func(*Server, A) (R, error)) func(*Server, A) (object, error) {
	return func(server *Server, given A) (object, error) {
		result, err := do(server, given)
		return object{name: result}, err
	}
}

// clockAct moves the clock: to a time, or forward by seconds.
type clockAct struct {
	Now     *time.Time `json:"now,omitempty"`
	Seconds int64      `json:"seconds,omitempty"`
}

func moveClock(server *Server, given clockAct) (object, error) {
	now := server.Now().Add(time.Duration(given.Seconds) * time.Second)
	if given.Now != nil {
		now = *given.Now
	}
	server.SetClock(now)
	return object{"now": server.Now()}, nil
}

// closeAct closes a pull request: the state act that scenarios use most.
type closeAct struct {
	Number  int   `json:"number"`
	ActorID int64 `json:"actor_id"`
}

type gateAct struct {
	Gate string `json:"gate"`
}

// controlActs are the POST calls of the control surface, by the last part of their path.
func controlActs() map[string]controlAct {
	return map[string]controlAct{
		"push":         act(named("commit", (*Server).Push)),
		"branch":       act(named("commit", (*Server).SetBranch)),
		"label":        act(done((*Server).Label)),
		"comment":      act(named("id", (*Server).Comment)),
		"reply":        act(named("id", (*Server).Reply)),
		"review":       act(named("id", (*Server).Review)),
		"edit":         act(done((*Server).Edit)),
		"delete":       act(done((*Server).Delete)),
		"resolve":      act(done((*Server).Resolve)),
		"state":        act(done((*Server).SetState)),
		"close":        act(done(func(server *Server, given closeAct) error { return server.Close(given.Number, given.ActorID) })),
		"retarget":     act(done((*Server).Retarget)),
		"pull_request": act(done((*Server).OpenPull)),
		"workflow_run": act(named("id", (*Server).SetWorkflowRun)),
		"job_token":    act(named("token", (*Server).MintJobToken)),
		"clock":        act(moveClock),
		"faults":       act(done((*Server).Inject)),
		"release": act(done(func(server *Server, given gateAct) error {
			server.Release(given.Gate)
			return nil
		})),
	}
}

// serveControl answers a control call: 200 with a document, or 400 with a sentence.
func (server *Server) serveControl(w http.ResponseWriter, r *http.Request, body []byte) {
	given, err := server.doControl(r, body)
	if err != nil {
		http.Error(w, fmt.Sprintf("%s %s: %v", r.Method, r.URL.Path, err), http.StatusBadRequest)
		return
	}
	if document, isBytes := given.([]byte); isBytes {
		w.Header().Set("Content-Type", http.DetectContentType(document))
		_, _ = w.Write(document) // a client that has gone away knows it
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(given)
}

func (server *Server) doControl(r *http.Request, body []byte) (any, error) {
	name := r.URL.Path[len(controlPrefix):]
	switch {
	case r.Method == http.MethodGet && name == "state":
		document, err := server.stateDocument()
		return json.RawMessage(document), err
	case r.Method == http.MethodGet && name == "faults":
		return Kinds(), nil
	case r.Method == http.MethodDelete && name == "faults":
		server.ClearFaults()
		return object{"done": true}, nil
	case r.Method == http.MethodPost && name == "artifacts":
		runID, err := strconv.ParseInt(r.URL.Query().Get("run_id"), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("run_id: %w", err)
		}
		artifact, err := server.UploadArtifact(runID, r.URL.Query().Get("name"), body)
		return object{"id": artifact.ID, "digest": artifact.Digest}, err
	case r.Method == http.MethodGet && len(name) > len("artifacts/") && name[:len("artifacts/")] == "artifacts/":
		id, err := strconv.ParseInt(name[len("artifacts/"):], 10, 64)
		if err != nil {
			return nil, err
		}
		return server.ArtifactZip(id)
	case r.Method == http.MethodPost:
		if do, known := controlActs()[name]; known {
			return do(server, body)
		}
	}
	return nil, errors.New("no such control call")
}
