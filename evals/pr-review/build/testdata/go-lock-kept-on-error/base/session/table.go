package session

import (
	"errors"
	"sync"
	"time"
)

// ErrUnknown is returned for a session that does not exist.
var ErrUnknown = errors.New("unknown session")

// Session is one signed-in browser.
type Session struct {
	User    int64
	Expires time.Time
}

// Table holds the sessions of one process.
type Table struct {
	mu       sync.Mutex
	sessions map[string]*Session
}

// Get returns a copy of a session.
func (t *Table) Get(id string) (Session, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.sessions[id]
	if !ok {
		return Session{}, ErrUnknown
	}
	return *s, nil
}

// Drop ends a session. Dropping one that does not exist is no error.
func (t *Table) Drop(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.sessions, id)
}
