package contract

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxNesting is the deepest nesting of objects and arrays a record may have.
const MaxNesting = 32

// MaxInteger is the largest magnitude of an integer in a record: 2^53 - 1, the range in which every JSON reader agrees.
const MaxInteger = 1<<53 - 1

// DecodeError says why bytes are not a record, and where.
type DecodeError struct {
	// Field is the JSON path of the fault, such as "effects[0].id"; empty for the document as a whole.
	Field string
	// Reason is one clause in our own words; it never quotes the input, which may be untrusted.
	Reason string
}

func (e *DecodeError) Error() string {
	if e.Field == "" {
		return e.Reason
	}
	return "field " + e.Field + ": " + e.Reason
}

func fault(field, reason string, args ...any) *DecodeError {
	return &DecodeError{Field: field, Reason: fmt.Sprintf(reason, args...)}
}

// value is one parsed JSON value: nil, bool, int64, string, []value or *object.
type value = any

// object keeps its members in the order of the document.
type object struct {
	keys   []string
	values map[string]value
}

func newObject() *object { return &object{values: map[string]value{}} }

func (o *object) set(key string, v value) {
	if _, ok := o.values[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.values[key] = v
}

// parser reads the strict subset of JSON that records are written in.
type parser struct {
	data []byte
	at   int
}

// parse reads exactly one JSON value. It refuses duplicate keys, trailing data, invalid UTF-8, lone surrogates, fractions
// and exponents, integers beyond [MaxInteger] and nesting beyond [MaxNesting].
func parse(data []byte) (value, *DecodeError) {
	if !utf8.Valid(data) {
		return nil, fault("", "the bytes are not UTF-8")
	}
	p := &parser{data: data}
	v, err := p.value("", 0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.at != len(p.data) {
		return nil, fault("", "there is data after the end of the document, at byte %d", p.at)
	}
	return v, nil
}

func (p *parser) space() {
	for p.at < len(p.data) {
		switch p.data[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *parser) value(field string, depth int) (value, *DecodeError) {
	if depth > MaxNesting {
		return nil, fault(field, "nested deeper than %d", MaxNesting)
	}
	p.space()
	if p.at >= len(p.data) {
		return nil, fault(field, "the document ends too early")
	}
	switch c := p.data[p.at]; {
	case c == '{':
		return p.object(field, depth)
	case c == '[':
		return p.array(field, depth)
	case c == '"':
		return p.string(field)
	case c == '-' || c >= '0' && c <= '9':
		return p.integer(field)
	}
	for _, literal := range [...]struct {
		word string
		v    value
	}{{"true", true}, {"false", false}, {"null", nil}} {
		if bytes.HasPrefix(p.data[p.at:], []byte(literal.word)) {
			p.at += len(literal.word)
			return literal.v, nil
		}
	}
	return nil, fault(field, "not a JSON value, at byte %d", p.at)
}

func (p *parser) object(field string, depth int) (value, *DecodeError) {
	p.at++
	o := newObject()
	for first := true; ; first = false {
		p.space()
		if p.at < len(p.data) && p.data[p.at] == '}' && first {
			p.at++
			return o, nil
		}
		if p.at >= len(p.data) || p.data[p.at] != '"' {
			return nil, fault(field, "a key was expected, at byte %d", p.at)
		}
		key, err := p.string(field)
		if err != nil {
			return nil, err
		}
		if _, ok := o.values[key]; ok {
			return nil, fault(field, "a key stands twice, at byte %d", p.at)
		}
		p.space()
		if p.at >= len(p.data) || p.data[p.at] != ':' {
			return nil, fault(field, "a colon was expected, at byte %d", p.at)
		}
		p.at++
		v, err := p.value(join(field, key), depth+1)
		if err != nil {
			return nil, err
		}
		o.set(key, v)
		if done, err := p.next(field, '}'); done || err != nil {
			return o, err
		}
	}
}

func (p *parser) array(field string, depth int) (value, *DecodeError) {
	p.at++
	list := []value{}
	p.space()
	if p.at < len(p.data) && p.data[p.at] == ']' {
		p.at++
		return list, nil
	}
	for {
		v, err := p.value(fmt.Sprintf("%s[%d]", field, len(list)), depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if done, err := p.next(field, ']'); done || err != nil {
			return list, err
		}
	}
}

// next reads the comma before another member, or the closing bracket.
func (p *parser) next(field string, closing byte) (bool, *DecodeError) {
	p.space()
	if p.at < len(p.data) {
		switch p.data[p.at] {
		case ',':
			p.at++
			return false, nil
		case closing:
			p.at++
			return true, nil
		}
	}
	return false, fault(field, "a comma or %q was expected, at byte %d", closing, p.at)
}

func (p *parser) integer(field string) (value, *DecodeError) {
	start := p.at
	if p.data[p.at] == '-' {
		p.at++
	}
	digits := p.at
	for p.at < len(p.data) && p.data[p.at] >= '0' && p.data[p.at] <= '9' {
		p.at++
	}
	text := string(p.data[start:p.at])
	if p.at < len(p.data) && (p.data[p.at] == '.' || p.data[p.at] == 'e' || p.data[p.at] == 'E') {
		return nil, fault(field, "a number with a fraction or an exponent")
	}
	if p.at == digits || p.data[digits] == '0' && (p.at > digits+1 || text == "-0") {
		return nil, fault(field, "not an integer in its shortest form")
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > MaxInteger || n < -MaxInteger {
		return nil, fault(field, "an integer beyond 2^53")
	}
	return n, nil
}

func (p *parser) string(field string) (string, *DecodeError) {
	p.at++
	start := p.at
	for i := start; i < len(p.data); i++ {
		if c := p.data[i]; c == '"' {
			p.at = i + 1
			return string(p.data[start:i]), nil
		} else if c == '\\' || c < 0x20 {
			break
		}
	}
	var out []byte
	for p.at < len(p.data) {
		switch c := p.data[p.at]; {
		case c == '"':
			p.at++
			return string(out), nil
		case c < 0x20:
			return "", fault(field, "a control character in a string, at byte %d", p.at)
		case c == '\\':
			r, err := p.escape(field)
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, c)
			p.at++
		}
	}
	return "", fault(field, "the document ends inside a string")
}

func (p *parser) escape(field string) (rune, *DecodeError) {
	if p.at+1 >= len(p.data) {
		return 0, fault(field, "the document ends inside an escape")
	}
	c := p.data[p.at+1]
	if c == 'u' {
		r, err := p.unit(field)
		if err != nil || !utf16.IsSurrogate(r) {
			return r, err
		}
		if p.at+1 < len(p.data) && p.data[p.at] == '\\' && p.data[p.at+1] == 'u' {
			low, err := p.unit(field)
			if err != nil {
				return 0, err
			}
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, nil
			}
		}
		return 0, fault(field, "half of a surrogate pair, at byte %d", p.at)
	}
	p.at += 2
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	}
	return 0, fault(field, "an unknown escape, at byte %d", p.at-2)
}

// unit reads one escape of four hexadecimal digits.
func (p *parser) unit(field string) (rune, *DecodeError) {
	if p.at+6 > len(p.data) {
		return 0, fault(field, "the document ends inside an escape")
	}
	n, err := strconv.ParseUint(string(p.data[p.at+2:p.at+6]), 16, 32)
	if err != nil {
		return 0, fault(field, "an escape that is not four hexadecimal digits, at byte %d", p.at)
	}
	p.at += 6
	return rune(n), nil
}

func join(field, key string) string {
	if !PlainKey(key) {
		key = "(unprintable key)"
	}
	if field == "" {
		return key
	}
	return field + "." + key
}

// PlainKey reports whether a key may be named in an error: keys of untrusted documents are untrusted too.
func PlainKey(key string) bool {
	return key != "" && len(key) <= 40 && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
