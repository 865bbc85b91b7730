package broker

import "bytes"

// Dialect is one vendor's API, as its pinned CLI was observed to use it.
type Dialect struct {
	// Targets are the request targets that are forwarded: path and query as they stand in the request's first line.
	Targets []string
	// RequestHeaders and AnswerHeaders are the names that are passed on, in canonical form. Authorization and the headers of the
	// connection are none of them. A name that ends in "*" stands for all that begin so.
	RequestHeaders, AnswerHeaders []string
	// Check holds the body of a request to what may be asked, and returns the most tokens it may be answered with.
	Check func(body map[string]*node, want Wanted) (answerTokens int64, refused Refusal)
	// Meter reads what one request cost.
	Meter func() Meter
}

// Wanted is what a request must ask for.
type Wanted struct {
	// Model is the pinned full id.
	Model string
	// Schema is the answer's schema in canonical form.
	Schema []byte
	// AnswerTokens is the most that a request may ask for.
	AnswerTokens int64
}

// Meter reads what one request cost from its answer. What it cannot read it leaves out, and the answer is not whole.
type Meter interface {
	// Event takes the data of one event of a stream, Whole an answer that is not a stream.
	Event(data []byte)
	Whole(document []byte)
	// Seen is what it has read so far, and whether that is all.
	Seen() (seen tokens, whole bool)
}

// Bounds of what is held of an answer while it passes through.
const (
	eventBytes    = 1 << 20
	documentBytes = 8 << 20
)

// events cuts a stream of server-sent events into the data of each, as it passes through. A line beyond [eventBytes] is
// passed over.
type events struct {
	line, data []byte
	skip       bool
	each       func(data []byte)
}

// Write takes the next bytes of the stream. It never fails.
func (e *events) Write(p []byte) (int, error) {
	length := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		part := p
		if end >= 0 {
			part = p[:end]
		}
		if e.skip = e.skip || len(e.line)+len(part) > eventBytes; !e.skip {
			e.line = append(e.line, part...)
		}
		if end < 0 {
			break
		}
		e.ended()
		p = p[end+1:]
	}
	return length, nil
}

// ended takes a whole line: data is collected until an empty line says that the event is complete.
func (e *events) ended() {
	line := bytes.TrimSuffix(e.line, []byte("\r"))
	field, isData := bytes.CutPrefix(line, []byte("data:"))
	switch {
	case e.skip:
		e.skip, e.data = false, nil
	case len(line) == 0 && e.data != nil:
		e.each(e.data)
		e.data = nil
	case isData && len(e.data)+len(field) <= eventBytes:
		if e.data != nil {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, bytes.TrimPrefix(field, []byte(" "))...)
	}
	e.line = e.line[:0]
}
