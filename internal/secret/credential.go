// Package secret holds credentials and searches text for them.
//
// A Credential prints as [redacted] wherever it goes. Find knows the shapes of
// tokens; Holds knows one credential and the ways a text may carry it in
// disguise. Neither promises that a text without a match is harmless: what a
// process must not leak, it must not hold.
package secret

import (
	"fmt"
	"log/slog"
)

// redacted is all that a credential ever prints as.
const redacted = "[redacted]"

// Credential is one secret in memory. Copies share the bytes, so Wipe on one
// wipes all. The zero value is no credential.
type Credential struct {
	held *box
}

// box is there because fmt may not call the methods of an unexported field: it
// follows one pointer at most, and then prints the address in here.
type box struct{ bytes *[]byte }

// New copies value. An empty value is no credential.
func New(value string) Credential {
	if value == "" {
		return Credential{}
	}
	held := []byte(value)
	return Credential{held: &box{bytes: &held}}
}

// Reveal is the one way out: for the request or the environment it is meant for.
// It is empty for no credential and after Wipe.
func (c Credential) Reveal() string {
	if c.held == nil {
		return ""
	}
	return string(*c.held.bytes)
}

// IsZero reports whether there is nothing to reveal.
func (c Credential) IsZero() bool { return c.held == nil || len(*c.held.bytes) == 0 }

// Wipe overwrites the bytes. Strings that Reveal gave out are not reached. Not
// to be called while another goroutine reveals.
func (c Credential) Wipe() {
	if c.held != nil {
		clear(*c.held.bytes)
		*c.held.bytes = nil
	}
}

// String is [redacted].
func (c Credential) String() string { return redacted }

// GoString is [redacted].
func (c Credential) GoString() string { return redacted }

// Format writes [redacted] under every verb and flag.
func (c Credential) Format(state fmt.State, _ rune) {
	// fmt offers no way to report a failed write from here.
	_, _ = state.Write([]byte(redacted))
}

// LogValue is [redacted].
func (c Credential) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON is "[redacted]": a record never holds a credential.
func (c Credential) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// MarshalText is [redacted].
func (c Credential) MarshalText() ([]byte, error) { return []byte(redacted), nil }
