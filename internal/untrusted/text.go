// Package untrusted holds text that a model or a stranger wrote.
//
// It promises three things. Text cannot be printed, logged or formatted by
// accident. Escape makes what a reader would not see visible on the way in,
// reversibly and counted. Render is the one way from such text to Markdown that
// a bot may post: nobody is notified, nothing is closed, referenced, run, loaded
// or hidden by it.
//
// It leaves to others who may be trusted, what a text may hold at all (a token,
// a marker of ours) and how long it may be.
package untrusted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
)

// Text is one untrusted text, kept byte for byte. It is a value: two Texts are
// equal with == exactly when their bytes are. The zero value is the empty text.
//
// Printing one under any verb, or logging it, shows its length only. Encoding it
// as JSON or as text carries the text itself, because records hold it.
type Text struct{ raw string }

// New takes s as untrusted text. Nothing is checked or changed.
func New(s string) Text { return Text{raw: s} }

// Raw is the one way out of the type. A caller may hand the result to Escape,
// to a record or to a comparison, never to a log, an output or a post.
func (t Text) Raw() string { return t.raw }

// Len is the length in bytes.
func (t Text) Len() int { return len(t.raw) }

// Equal is ==, for comparers that look for a method.
func (t Text) Equal(other Text) bool { return t == other }

func (t Text) label() string { return "[untrusted " + strconv.Itoa(len(t.raw)) + " bytes]" }

// String is the label, never the text.
func (t Text) String() string { return t.label() }

// GoString is the label, never the text.
func (t Text) GoString() string { return t.label() }

// Format writes the label under every verb and flag.
func (t Text) Format(state fmt.State, _ rune) {
	// fmt offers no way to report a failed write from here.
	_, _ = state.Write([]byte(t.label()))
}

// LogValue is the label, never the text.
func (t Text) LogValue() slog.Value { return slog.StringValue(t.label()) }

// MarshalJSON carries the text. Bytes that are not UTF-8 become U+FFFD, as JSON
// demands; whoever must keep them escapes the text first.
func (t Text) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // the enclosing encoder decides
	if err := encoder.Encode(t.raw); err != nil {
		return nil, fmt.Errorf("encode untrusted text: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// UnmarshalJSON takes a JSON string, and nothing else: null is an error.
func (t *Text) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '"' {
		return fmt.Errorf("decode untrusted text: not a JSON string")
	}
	var raw string
	if err := json.Unmarshal(data, &raw); err != nil {
		// The decoder's own words may quote the input.
		return fmt.Errorf("decode untrusted text: not a JSON string")
	}
	t.raw = raw
	return nil
}

// MarshalText carries the text.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.raw), nil }

// UnmarshalText takes any bytes.
func (t *Text) UnmarshalText(data []byte) error {
	t.raw = string(data)
	return nil
}
