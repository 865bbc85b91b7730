package broker

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Bounds of a request's JSON. A request of the CLI nests some ten deep; what a model answered may stand in it.
const (
	maxNesting = 64
	maxValues  = 200_000
)

// node is one value of a JSON document that was read strictly. Raw is its text; members or items are set for an object or
// an array.
type node struct {
	raw     []byte
	members map[string]*node
	items   []*node
}

// read reads exactly one JSON value. Beside what JSON itself forbids it refuses bytes that are not UTF-8, data after the
// value, a key that stands twice in one object (escaped or not), nesting beyond [maxNesting] and more than [maxValues] values.
// Unlike a record's decoder it takes fractions, large numbers and half surrogates: a CLI repeats what a model answered.
func read(data []byte) (*node, bool) {
	if !utf8.Valid(data) || !json.Valid(data) {
		return nil, false
	}
	r := reader{data: data}
	n := r.value(0)
	return n, n != nil
}

// reader walks a document whose grammar is known to be right.
type reader struct {
	data   []byte
	at     int
	values int
}

func (r *reader) space() {
	for r.at < len(r.data) && (r.data[r.at] == ' ' || r.data[r.at] == '\t' || r.data[r.at] == '\n' || r.data[r.at] == '\r') {
		r.at++
	}
}

// value returns nil where one of the bounds or rules of [read] is broken.
func (r *reader) value(depth int) *node {
	if r.values++; depth > maxNesting || r.values > maxValues {
		return nil
	}
	r.space()
	n, start := &node{}, r.at
	switch r.data[r.at] {
	case '{':
		if !r.object(n, depth) {
			return nil
		}
	case '[':
		for r.at++; r.more(']'); {
			item := r.value(depth + 1)
			if item == nil {
				return nil
			}
			n.items = append(n.items, item)
		}
	case '"':
		r.text()
	default: // a number or a word
		for r.at < len(r.data) && bytes.IndexByte([]byte(" \t\r\n,]}"), r.data[r.at]) < 0 {
			r.at++
		}
	}
	n.raw = r.data[start:r.at]
	return n
}

func (r *reader) object(n *node, depth int) bool {
	n.members = map[string]*node{}
	for r.at++; r.more('}'); {
		key, ok := (&node{raw: r.text()}).text()
		if _, twice := n.members[key]; !ok || twice {
			return false
		}
		r.space()
		r.at++ // the colon
		value := r.value(depth + 1)
		if value == nil {
			return false
		}
		n.members[key] = value
	}
	return true
}

// more goes to the next member, past a comma, and reports whether there is one; else it goes past the closing bracket.
func (r *reader) more(closing byte) bool {
	r.space()
	if r.data[r.at] == ',' {
		r.at++
		r.space()
	}
	if r.data[r.at] == closing {
		r.at++
		return false
	}
	return true
}

// text goes past a string and returns it, quotes included.
func (r *reader) text() []byte {
	start := r.at
	for r.at++; r.data[r.at] != '"'; r.at++ {
		if r.data[r.at] == '\\' {
			r.at++ // what is escaped
		}
	}
	r.at++
	return r.data[start:r.at]
}

// isText reports whether the value is a string, without reading it.
func (n *node) isText() bool { return n != nil && n.raw[0] == '"' }

// text returns the value as a string.
func (n *node) text() (string, bool) {
	if !n.isText() {
		return "", false
	}
	var text string
	err := json.Unmarshal(n.raw, &text)
	return text, err == nil
}

// integer returns the value as a whole number that is not negative.
func (n *node) integer() (int64, bool) {
	if n == nil {
		return 0, false
	}
	var number int64
	err := json.Unmarshal(n.raw, &number)
	return number, err == nil && number >= 0 && n.raw[0] != 'n'
}

// list returns the items of an array.
func (n *node) list() ([]*node, bool) {
	if n == nil || n.raw[0] != '[' {
		return nil, false
	}
	return n.items, true
}

// object returns the members of an object.
func (n *node) object() (map[string]*node, bool) {
	if n == nil || n.raw[0] != '{' {
		return nil, false
	}
	return n.members, true
}
