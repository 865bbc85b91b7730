package broker

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync/atomic"
)

// gate bounds how many connections are open, and hears of requests that the library answers by itself because they are
// none.
type gate struct {
	net.Listener
	malformed func()
	room      chan struct{}
}

// Accept returns the next connection for which there is room. One too many is closed at once.
func (g *gate) Accept() (net.Conn, error) {
	for {
		accepted, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case g.room <- struct{}{}:
			return &connection{Conn: accepted, gate: g}, nil
		default:
			_ = accepted.Close() // nobody is owed anything
		}
	}
}

// connection is one of a client's.
type connection struct {
	net.Conn
	gate    *gate
	handled atomic.Bool // a handler of ours answers
	ended   atomic.Bool // the client has said all that it will say
	left    atomic.Bool
}

// Read notes the end of what a client says.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) { // by a deadline the library wakes itself
		c.ended.Store(true)
	}
	return n, err
}

// Write passes on what is answered. An answer that no handler gave is the library's own, to a request that cannot be read;
// one that was broken off in its head, by a client that was ended, is none.
func (c *connection) Write(p []byte) (int, error) {
	if !c.handled.Load() && !c.ended.Load() && bytes.HasPrefix(p, []byte("HTTP/")) {
		c.gate.malformed()
	}
	return c.Conn.Write(p)
}

// Close closes the connection and makes room.
func (c *connection) Close() error {
	if !c.left.Swap(true) {
		<-c.gate.room
	}
	return c.Conn.Close()
}

type connectionKey struct{}

func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// connectionState notes when a request is over: what is written after that is not ours.
func connectionState(c net.Conn, state http.ConnState) {
	if state == http.StateIdle {
		c.(*connection).handled.Store(false)
	}
}
