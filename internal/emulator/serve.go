package emulator

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Call is one entry of the call log. It holds no credential.
type Call struct {
	// Number counts the calls to the API from 1; it is 0 for the fetch of an artifact's bytes, which is no API call.
	Number int    `json:"number"`
	Method string `json:"method"`
	// Path has its query, but for the signed part of a blob's address.
	Path string `json:"path"`
	// Operation is the path's template in GitHub's description; empty when there is none.
	Operation string `json:"operation,omitempty"`
	// Status is 0 when the connection was closed without an answer.
	Status int `json:"status"`
	// Token is none, jwt, installation, job or unknown.
	Token string `json:"token"`
	// Fault is the kind of fault that was applied.
	Fault string `json:"fault,omitempty"`
	// Request is the body, of a request that has one.
	Request string    `json:"request,omitempty"`
	At      time.Time `json:"at"`
}

// hourlyLimit is how many calls an hour GitHub says it allows; the emulator never runs out by itself.
const hourlyLimit = 5000

// FaultHeader names the applied fault in an answer, so that a validator can tell a fault from a mistake of the emulator.
const FaultHeader = "X-Emulator-Fault"

func (server *Server) serveHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, largestRequest+1))
	if err != nil || len(body) > largestRequest {
		http.Error(w, "the body is over the emulator's limit or was not sent whole", http.StatusRequestEntityTooLarge)
		return
	}
	if strings.HasPrefix(r.URL.Path, controlPrefix) {
		server.serveControl(w, r, body)
		return
	}
	applied, given, number, date := server.answerTo(r, body)
	if given.hangUp {
		panic(http.ErrAbortHandler)
	}
	document, mediaType := given.encode()
	header := w.Header()
	if mediaType != "" {
		header.Set("Content-Type", mediaType)
	}
	for name, values := range given.header {
		header[name] = values
	}
	if number > 0 && header.Get("X-Ratelimit-Limit") == "" {
		header.Set("X-Ratelimit-Limit", strconv.Itoa(hourlyLimit))
		header.Set("X-Ratelimit-Remaining", strconv.Itoa(max(hourlyLimit-number, 1)))
		header.Set("X-Ratelimit-Used", strconv.Itoa(number))
		header.Set("X-Ratelimit-Reset", strconv.FormatInt(date.Add(time.Hour).Unix(), 10))
	}
	header.Set("Date", date.Format(http.TimeFormat))
	header.Set("X-Github-Request-Id", "EMUL:"+strconv.Itoa(number))
	if applied != nil {
		header.Set(FaultHeader, applied.kind.Name)
	}
	w.WriteHeader(given.status)
	// A failed write means that the client has gone away, which the client knows.
	_, _ = w.Write(document)
}

// answerTo logs a call and serves it with the mutex held, but for the wait at a gate.
func (server *Server) answerTo(r *http.Request, body []byte) (applied *appliedFault, given answer, number int, date time.Time) {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	entry := server.log(r, body)
	applied = server.takeFault(server.calls[entry])
	if applied != nil && applied.kind.gated {
		gate := server.gate(applied.fault.Gate)
		server.mutex.Unlock()
		gate.wait(r.Context())
		server.mutex.Lock()
	}
	late := server.late
	server.late = nil
	given = server.serveCall(r, body, entry, applied)
	for _, do := range late {
		do()
	}
	server.calls[entry].Status = given.status
	return applied, given, server.calls[entry].Number, server.clock.now()
}

// log adds an entry and returns its index.
func (server *Server) log(r *http.Request, body []byte) int {
	entry := Call{Method: r.Method, Path: r.URL.RequestURI(), Token: server.kindOfCredential(r), Request: string(body), At: server.clock.now()}
	if strings.HasPrefix(r.URL.Path, blobPrefix) {
		entry.Path = r.URL.Path
	} else {
		for i := len(server.calls) - 1; i >= 0 && entry.Number == 0; i-- {
			entry.Number = server.calls[i].Number
		}
		entry.Number++
	}
	server.calls = append(server.calls, entry)
	return len(server.calls) - 1
}

// serveCall does what a call asks, with the fault around it. The mutex is held.
func (server *Server) serveCall(r *http.Request, body []byte, entry int, applied *appliedFault) answer {
	c := &call{http: r, body: body, query: r.URL.Query(), server: server, route: match(server.routes, r)}
	if c.route != nil {
		server.calls[entry].Operation = c.route.path
	}
	if applied == nil {
		return server.remembered(c)
	}
	server.calls[entry].Fault = applied.kind.Name
	if applied.kind.before != nil {
		if given, instead := applied.kind.before(applied, c); instead {
			return given
		}
	}
	given := server.remembered(c)
	if applied.kind.after != nil {
		given = applied.kind.after(applied, c, given)
	}
	return given
}

// perform authenticates, checks permissions and runs the operation, in GitHub's order: who, where, what.
func (server *Server) perform(c *call) answer {
	if strings.HasPrefix(c.http.URL.Path, blobPrefix) {
		return server.serveBlob(c)
	}
	if c.http.UserAgent() == "" {
		return problem(http.StatusForbidden, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header")
	}
	if c.route == nil {
		return notFound()
	}
	if c.route.asApp {
		app, refusal := server.appOf(c.http)
		if app == nil {
			return refusal
		}
		c.app = app
	} else {
		token, refusal := server.tokenOf(c.http)
		if token == nil {
			return refusal
		}
		c.token = token
	}
	if !c.route.asApp && !c.route.anyRepository {
		if !server.isOwn(c.http.PathValue("owner"), c.http.PathValue("repo")) || !c.token.reaches(server.world.repository.ID) {
			return notFound()
		}
		if !allows(c.token.permissions, c.route.needs) {
			return notAccessible(c.route.needs)
		}
	}
	if refusal, refused := c.checkQuery(); refused {
		return refusal
	}
	return c.route.do(server, c)
}

// isOwn says whether a name is that of the emulated repository.
func (server *Server) isOwn(owner, name string) bool {
	repository := server.world.repository
	return equalFold(owner, server.world.user(repository.OwnerID).Login) && equalFold(name, repository.Name)
}
