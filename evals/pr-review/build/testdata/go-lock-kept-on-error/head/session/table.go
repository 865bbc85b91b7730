package session

import (
	"errors"
	"sync"
	"time"
)

// ErrUnknown is returned for a session that does not exist.
var ErrUnknown = errors.New("unknown session")

// ErrExpired is returned for a session whose time has passed.
var ErrExpired = errors.New("expired session")

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

// Extend moves the end of a session to later, and tells the audit log about it outside the lock.
func (t *Table) Extend(id string, now time.Time, by time.Duration, audit func(user int64, until time.Time)) error {
	t.mu.Lock()
	s, ok := t.sessions[id]
	if !ok {
		t.mu.Unlock()
		return ErrUnknown
	}
	if s.Expires.Before(now) {
		delete(t.sessions, id)
		return ErrExpired
	}
	s.Expires = s.Expires.Add(by)
	user, until := s.User, s.Expires
	t.mu.Unlock()

	audit(user, until)
	return nil
}

// Drop ends a session. Dropping one that does not exist is no error.
func (t *Table) Drop(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.sessions, id)
}
