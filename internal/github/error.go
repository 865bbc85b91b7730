package github

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Error is the failure of one call.
type Error struct {
	// Operation is the method and path, or "GraphQL" and the operation's name. It never has a query string.
	Operation string
	Class     Class
	// Status is the HTTP status, 0 where there was no answer.
	Status int
	// RetryAfter is how long GitHub asked to wait, 0 where it did not say.
	RetryAfter time.Duration
	// Accepted is the header that names the permissions that would have done, empty where there was none.
	Accepted string
	// Known says that GitHub did something with the same token before, so that it is not too new to be known: after a 401 it
	// is dead.
	Known bool
	// Message is GitHub's own sentence in printable ASCII of at most [maxMessage] bytes, or ours for an answer that is not
	// what GitHub describes. It may be empty.
	Message string
	// Date is the time of GitHub's clock, zero where the answer had none.
	Date time.Time

	cause error
}

// maxMessage is how many bytes of GitHub's own words an error carries.
const maxMessage = 300

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Operation, e.Class)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (status %d)", e.Status)
	}
	if e.Message != "" {
		fmt.Fprintf(&b, ": %s", e.Message)
	}
	if e.Accepted != "" {
		fmt.Fprintf(&b, "; permissions that would do: %s", e.Accepted)
	}
	return b.String()
}

// Unwrap gives the context's error where the call ended because of it, else nil.
func (e *Error) Unwrap() error { return e.cause }

// ClassOf returns the class of an error of this package, or "" for any other error.
func ClassOf(err error) Class {
	var failure *Error
	if errors.As(err, &failure) {
		return failure.Class
	}
	return ""
}

// Malformed makes the error of an answer that lacks what the caller was promised. what is our own clause; it must not
// quote the answer.
func Malformed(operation, what string) *Error {
	return &Error{Operation: operation, Class: ClassMalformed, Message: what}
}

// plain keeps the printable ASCII of GitHub's words, within a bound: they may quote what a stranger wrote.
func plain(s string) string {
	var b strings.Builder
	for _, r := range s {
		if b.Len() == maxMessage {
			break
		}
		switch {
		case r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}
