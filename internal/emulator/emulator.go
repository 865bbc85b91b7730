// Package emulator is a GitHub made for tests and for the demonstration: REST, GraphQL and Actions artifacts for the
// operations airlock uses, kept as state in memory.
//
// It promises to be stricter than GitHub where GitHub is lenient and never more lenient than GitHub: it refuses what
// a token's permissions do not allow, request fields and query parameters it does not know, and anchors outside the
// diff it made itself from trees. It shares no code with the programs it is used to test, so a misunderstanding
// cannot be in both. It leaves to others: git transport, webhooks, the running of workflows, and every operation that
// is not in Operations.
//
// Facts about GitHub come from its OpenAPI description and GraphQL schema (held by TestEmulatorConformance) and from
// public reports of failures; each fault kind names its report.
package emulator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Options are the values an emulator takes from its surroundings. The zero value is usable when the seed has a time.
type Options struct {
	// Now is the clock of a seed that fixes no time. It is required then, and ignored otherwise.
	Now func() time.Time
	// PageLimit, when above zero, is a smaller largest page than GitHub's 100, for REST and GraphQL. A client that
	// follows pages notices nothing; one that reads the first page only is found out with few records.
	PageLimit int
	// ClassicTokens makes installation tokens in the 40-character form; otherwise they have the form of 2026,
	// `ghs_<app id>_<JWT>` of about 520 characters.
	ClassicTokens bool
}

// Server is one emulated GitHub. Its methods may be called from several goroutines; calls are served one at a time.
type Server struct {
	options Options
	routes  []route

	mutex sync.Mutex
	clock clock
	world world
	calls []Call
	// pending holds the faults that still wait for their call, in the order they were injected.
	pending []*pendingFault
	// late are the operations of lost requests that are done after the next call.
	late []func()
	// past is what stood on the pull requests before the last write, kept while a fault waits that shows it.
	past *past
	// abbreviation is the number of hexadecimal digits on the index lines of a diff.
	abbreviation int
	gates        map[string]*gate
}

// New returns an emulator in the state of the seed. An error names the field of the seed that is wrong.
func New(seed Seed, options Options) (*Server, error) {
	server := &Server{options: options, abbreviation: shortestAbbreviation, gates: map[string]*gate{}}
	switch {
	case seed.Now != nil:
		fixed := *seed.Now
		server.clock.source = func() time.Time { return fixed }
	case options.Now != nil:
		server.clock.source = options.Now
	default:
		return nil, errors.New("seed: now: missing, and the options hold no clock")
	}
	own, err := seed.copy()
	if err == nil {
		err = server.world.plant(own, server.clock.now())
	}
	if err != nil {
		return nil, fmt.Errorf("seed: %w", err)
	}
	server.routes = routes()
	return server, nil
}

// Handler serves REST at the root, GraphQL at /graphql, artifact bytes at /_blob/ and the control surface at
// /_emulator/.
func (server *Server) Handler() http.Handler { return http.HandlerFunc(server.serveHTTP) }

// Serve answers on the listener until the context ends, and returns nil then. It closes the listener.
func (server *Server) Serve(ctx context.Context, listener net.Listener) error {
	httpServer := &http.Server{Handler: server.Handler(), ReadHeaderTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- httpServer.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve the emulator: %w", err)
	case <-ctx.Done():
		if err := httpServer.Close(); err != nil {
			return fmt.Errorf("stop the emulator: %w", err)
		}
		<-failed
		return nil
	}
}

// clock is the emulated time: a source, moved by control calls.
type clock struct {
	source func() time.Time
	offset time.Duration
}

// now is in UTC and whole seconds, as every time GitHub writes.
func (c *clock) now() time.Time { return c.source().Add(c.offset).UTC().Truncate(time.Second) }
