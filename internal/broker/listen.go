package broker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// ListenUnix listens on a unix socket at the path, in a directory that is the caller's own and private. Only processes of this
// process's user are let in, which in a user namespace of our making are those inside too.
func ListenUnix(path string) (net.Listener, error) {
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen for the CLI: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("listen for the CLI: %w", err), listener.Close())
	}
	return peers{listener}, nil
}

// ListenLoopback listens on a free port of this machine's own address.
func ListenLoopback() (net.Listener, error) {
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, fmt.Errorf("listen for the CLI: %w", err)
	}
	return listener, nil
}

// peers lets in processes of one user.
type peers struct{ *net.UnixListener }

// Accept closes a connection from another user's process at once, and waits for the next.
func (p peers) Accept() (net.Conn, error) {
	for {
		connection, err := p.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if user, err := userOf(connection); err == nil && user == os.Geteuid() {
			return connection, nil
		}
		_ = connection.Close() // nobody is owed anything
	}
}

// userOf asks the kernel whose process is at the other end.
func userOf(connection *net.UnixConn) (int, error) {
	raw, err := connection.SyscallConn()
	if err != nil {
		return 0, err
	}
	var credentials *unix.Ucred
	var failed error
	if err := raw.Control(func(descriptor uintptr) {
		credentials, failed = unix.GetsockoptUcred(int(descriptor), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil || failed != nil {
		return 0, errors.Join(err, failed)
	}
	return int(credentials.Uid), nil
}

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
