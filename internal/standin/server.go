package standin

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// bodyLimit is the largest request that is read, in bytes.
const bodyLimit = 16 << 20

// OutputTool is the one tool that a CLI without tools offers the model.
const OutputTool = "StructuredOutput"

// Options say what a [Server] accepts.
type Options struct {
	// Token is the bearer that every request must carry.
	Token string
	// Lenient turns off the check of the tools that a request offers, for tests that show what a defence is for.
	Lenient bool
}

// Request is one request as it came.
type Request struct {
	Method, Path string
	Header       http.Header
	Body         []byte
	// Sent is what is read of the body.
	Sent Sent
}

// Sent is the part of a Messages request that tests look at.
type Sent struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	System   []Block           `json:"system"`
	Tools    []Tool            `json:"tools"`
	Messages []json.RawMessage `json:"messages"`
}

// Tool is one tool offered to the model.
type Tool struct {
	Name        string          `json:"name"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// Server is the API. Its methods may be called at any time.
type Server struct {
	http    *httptest.Server
	options Options
	steps   []Step
	ended   chan struct{}
	arrived chan struct{}

	mutex    sync.Mutex
	requests []Request
	faults   []string
}

// Start serves the steps, one a request, the last one for all that follow, until the test ends. Then every fault fails the
// test.
func Start(t testing.TB, options Options, steps ...Step) *Server {
	t.Helper()
	server := &Server{options: options, steps: steps, ended: make(chan struct{}), arrived: make(chan struct{}, 1000)}
	server.http = httptest.NewServer(server)
	t.Cleanup(func() {
		close(server.ended)
		server.http.CloseClientConnections()
		server.http.Close()
		for _, fault := range server.Faults() {
			t.Errorf("stand-in: %s", fault)
		}
	})
	return server
}

// URL is the base address, http on loopback.
func (s *Server) URL() string { return s.http.URL }

// Requests returns the requests so far, in the order they came.
func (s *Server) Requests() []Request {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.requests)
}

// Faults returns what should not have been asked.
func (s *Server) Faults() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.faults)
}

// Arrived yields once for every request that came, before it is answered.
func (s *Server) Arrived() <-chan struct{} { return s.arrived }

// ServeHTTP records the request and answers it from the script.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	request := Request{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	step, count := s.record(&request, err)
	s.arrived <- struct{}{}
	if step == nil {
		httpError(w, http.StatusNotFound, "not_found_error", "no such path", nil)
		return
	}
	step(exchange{ResponseWriter: w, request: request, count: count, ended: s.ended, gone: r.Context().Done()})
}

// record keeps the request with its faults and returns the step that answers it, nil for none.
func (s *Server) record(request *Request, read error) (Step, int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	fault := func(format string, arguments ...any) {
		s.faults = append(s.faults, fmt.Sprintf("request %d: ", len(s.requests)+1)+fmt.Sprintf(format, arguments...))
	}
	defer func() { s.requests = append(s.requests, *request) }()
	if request.Method != http.MethodPost || request.Path != "/v1/messages" {
		fault("unexpected %s %s", request.Method, request.Path)
		return nil, 0
	}
	if got := request.Header.Get("Authorization"); got != "Bearer "+s.options.Token {
		fault("not the bearer it was given")
	}
	for _, name := range []string{"X-Api-Key", "Proxy-Authorization"} {
		if request.Header.Get(name) != "" {
			fault("another credential, %s", name)
		}
	}
	if read != nil {
		fault("the body cannot be read: %v", read)
	} else if err := json.Unmarshal(request.Body, &request.Sent); err != nil {
		fault("the body is not a Messages request: %v", err)
	}
	if tools := request.Sent.Tools; !s.options.Lenient && (len(tools) != 1 || tools[0].Name != OutputTool) {
		var names []string
		for _, tool := range tools {
			names = append(names, tool.Name)
		}
		fault("it offers the tools %q, not exactly %s", names, OutputTool)
	}
	return s.steps[min(len(s.requests), len(s.steps)-1)], len(s.requests) + 1
}
