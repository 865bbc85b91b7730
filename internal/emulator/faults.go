package emulator

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Fault asks that something goes wrong at one call. Exactly one call is named: by Call, by Match, or by neither, which
// is the next call that the kind is about.
type Fault struct {
	// Kind is one of Kinds.
	Kind string `json:"kind"`
	// Call counts the API calls from the injection: 1 is the next one.
	Call int `json:"call,omitempty"`
	// Match is a method and a path, in which a star or a {name} stands for one part; then, if wanted, a piece of the
	// body: "POST /graphql resolveReviewThread". The method may be a star.
	Match string `json:"match,omitempty"`
	// Nth is which match is meant; 1 when zero.
	Nth int `json:"nth,omitempty"`
	// Times is how many calls in a row get the fault; 1 when zero.
	Times int `json:"times,omitempty"`
	// Number is the pull request that an event is about; the first one when zero.
	Number int `json:"number,omitempty"`
	// Gate names what the kind slow waits for.
	Gate string `json:"gate,omitempty"`
}

// PendingFault is a fault that waits for its call.
type PendingFault struct {
	Fault
	// Seen is how many calls it counted so far.
	Seen int `json:"seen"`
}

// Kind describes a fault.
type Kind struct {
	Name string `json:"name"`
	// Doc is one sentence: what the client gets, and what was done.
	Doc string `json:"doc"`
	// Reports are the public reports of it.
	Reports string `json:"reports"`
}

type faultKind struct {
	Kind
	// only is the match of the calls that the kind is about, empty where it may come at any call. A fault that names no call is
	// at the first of them.
	only string
	// gated makes the call wait before anything else.
	gated bool
	// before runs in place of the operation when its second result is true.
	before func(*appliedFault, *call) (answer, bool)
	// after changes the answer of the operation.
	after func(*appliedFault, *call, answer) answer
}

type appliedFault struct {
	kind  *faultKind
	fault Fault
}

type pendingFault struct {
	fault Fault
	kind  *faultKind
	match string
	seen  int
}

// Kinds lists the kinds of faults in the order of their table.
func Kinds() []Kind {
	var kinds []Kind
	for _, kind := range faultKinds() {
		kinds = append(kinds, kind.Kind)
	}
	return kinds
}

// Only returns the match of the calls that a kind is about; it is empty where the kind may come at any call.
func Only(kind string) string {
	kinds := faultKinds()
	if at := slices.IndexFunc(kinds, func(k faultKind) bool { return k.Name == kind }); at >= 0 {
		return kinds[at].only
	}
	return ""
}

// Inject adds a fault. It is an error to name an unknown kind, or a call in two ways.
func (server *Server) Inject(fault Fault) error {
	kinds := faultKinds()
	at := slices.IndexFunc(kinds, func(kind faultKind) bool { return kind.Name == fault.Kind })
	if at < 0 {
		return fmt.Errorf("kind: %q is none of the faults", fault.Kind)
	}
	if fault.Call != 0 && (fault.Match != "" || fault.Nth != 0) {
		return errors.New("call: a fault is at a call or at a match, not both")
	}
	if fault.Call < 0 || fault.Nth < 0 || fault.Times < 0 {
		return errors.New("call, nth and times count from 1")
	}
	fault.Times = max(fault.Times, 1)
	pending := &pendingFault{fault: fault, kind: &kinds[at], match: fault.Match}
	if fault.Call == 0 {
		setDefault(&pending.match, kinds[at].only)
		pending.fault.Nth = max(fault.Nth, 1)
	}
	server.mutex.Lock()
	defer server.mutex.Unlock()
	server.pending = append(server.pending, pending)
	return nil
}

// ClearFaults drops the faults that still wait.
func (server *Server) ClearFaults() {
	server.mutex.Lock()
	defer server.mutex.Unlock()
	server.pending = nil
}

// takeFault counts a call for every waiting fault and returns the first whose turn it is, or nil.
func (server *Server) takeFault(entry Call) *appliedFault {
	var applied *appliedFault
	server.pending = slices.DeleteFunc(server.pending, func(pending *pendingFault) bool {
		turn := pending.fault.Call
		if turn == 0 {
			turn = pending.fault.Nth
		}
		if !pending.counts(entry) {
			return false
		}
		pending.seen++
		if pending.seen < turn || applied != nil {
			return false
		}
		applied = &appliedFault{kind: pending.kind, fault: pending.fault}
		return pending.seen >= turn+pending.fault.Times-1
	})
	return applied
}

var pathValue = regexp.MustCompile(`\{[a-z_]+\}`)

// counts says whether a call is one that the fault counts.
func (pending *pendingFault) counts(entry Call) bool {
	if pending.match == "" {
		return entry.Number > 0
	}
	method, rest, _ := strings.Cut(pending.match, " ")
	pattern, piece, _ := strings.Cut(rest, " ")
	callPath, _, _ := strings.Cut(entry.Path, "?")
	fits, err := path.Match(pathValue.ReplaceAllString(pattern, "*"), callPath)
	return (method == "*" || method == entry.Method) && err == nil && fits && strings.Contains(entry.Request, piece)
}

// gate holds a call until it is released.
type gate struct {
	arrive, open     sync.Once
	arrived, release chan struct{}
}

// gate returns the gate of a name; the mutex is held.
func (server *Server) gate(name string) *gate {
	if server.gates[name] == nil {
		server.gates[name] = &gate{arrived: make(chan struct{}), release: make(chan struct{})}
	}
	return server.gates[name]
}

// wait returns when the gate is released or the client gives up.
func (g *gate) wait(ctx context.Context) {
	g.arrive.Do(func() { close(g.arrived) })
	select {
	case <-g.release:
	case <-ctx.Done():
	}
}

// Held waits until a call waits at the gate.
func (server *Server) Held(ctx context.Context, name string) error {
	server.mutex.Lock()
	gate := server.gate(name)
	server.mutex.Unlock()
	select {
	case <-gate.arrived:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Release lets the calls at a gate go on, those that come later too.
func (server *Server) Release(name string) {
	server.mutex.Lock()
	gate := server.gate(name)
	server.mutex.Unlock()
	gate.open.Do(func() { close(gate.release) })
}
