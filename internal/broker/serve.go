package broker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Answers of the broker's own. They say nothing, so that nothing can be learnt or carried by them.
const (
	refusedAnswer  = `{"type":"error","error":{"type":"permission_error","message":"not forwarded"}}` + "\n"
	upstreamAnswer = `{"type":"error","error":{"type":"api_error","message":"no usable answer"}}` + "\n"
)

// headerValueBytes bounds each header that is passed on.
const headerValueBytes = 2 << 10

// serve answers one request.
func (b *Broker) serve(w http.ResponseWriter, r *http.Request) {
	r.Context().Value(connectionKey{}).(*connection).handled.Store(true)
	if !b.enter() {
		answer(w, http.StatusForbidden, refusedAnswer)
		return
	}
	defer b.calls.Done()
	call, refused := b.check(w, r)
	if refused == "" {
		refused = b.account.reserve(call.reserved)
	}
	if refused != "" {
		b.refuse(refused)
		answer(w, http.StatusForbidden, refusedAnswer)
		return
	}
	b.forward(w, r.Context(), call)
}

// answer sends an answer of our own and ends the connection.
func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // a client that has left needs no answer
}

// call is a request that may be forwarded.
type call struct {
	target   string
	header   http.Header
	body     []byte
	reserved int64 // the worst it can cost, in millionths of a micro-dollar
}

// check holds a request to every rule but the account's, in the order of the list of refusals.
func (b *Broker) check(w http.ResponseWriter, r *http.Request) (call, Refusal) {
	switch {
	case r.ProtoMajor != 1 || r.ProtoMinor != 1:
		return call{}, RefusedForm
	case !b.authorized(r.Header["Authorization"]):
		return call{}, RefusedToken
	case r.Method != http.MethodPost:
		return call{}, RefusedMethod
	case !slices.Contains(b.config.Dialect.Targets, r.RequestURI):
		return call{}, RefusedPath
	case r.Host != b.host:
		return call{}, RefusedHost
	}
	header, ok := b.requestHeader(r)
	if !ok {
		return call{}, RefusedHeaders
	}
	body, refused := b.body(w, r)
	if refused != "" {
		return call{}, refused
	}
	document, ok := read(body)
	if !ok || document.members == nil {
		return call{}, RefusedBody
	}
	answerTokens, refused := b.config.Dialect.Check(document.members, b.want)
	if refused != "" {
		return call{}, refused
	}
	return call{target: r.RequestURI, header: header, body: body, reserved: worst(b.config.Price, len(body), answerTokens)}, ""
}

// authorized compares in constant time, also where the lengths differ.
func (b *Broker) authorized(values []string) bool {
	if len(values) != 1 {
		return false
	}
	sent, want := sha256.Sum256([]byte(values[0])), sha256.Sum256([]byte("Bearer "+b.token))
	return subtle.ConstantTimeCompare(sent[:], want[:]) == 1
}

// requestHeader is what is passed on of a request's header, before the credential is put in.
func (b *Broker) requestHeader(r *http.Request) (http.Header, bool) {
	for _, name := range []string{"Upgrade", "Content-Encoding", "Trailer", "Te"} {
		if len(r.Header[name]) != 0 {
			return nil, false
		}
	}
	for _, value := range r.Header["Connection"] {
		if !strings.EqualFold(value, "keep-alive") && !strings.EqualFold(value, "close") {
			return nil, false
		}
	}
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		return nil, false
	}
	header := http.Header{"Accept-Encoding": {"identity"}, "User-Agent": {""}} // "" for none, or the library would name itself
	for name, values := range r.Header {
		if !passes(b.config.Dialect.RequestHeaders, name) {
			continue
		}
		if len(values) != 1 || len(values[0]) > headerValueBytes || strings.Trim(values[0], printable) != "" {
			return nil, false
		}
		header[name] = values
	}
	return header, true
}

// printable are the characters of a header's value.
const printable = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

// passes reports whether a header's name is on the list.
func passes(list []string, name string) bool {
	return slices.ContainsFunc(list, func(known string) bool {
		begin, open := strings.CutSuffix(known, "*")
		return known == name || open && strings.HasPrefix(name, begin)
	})
}

// body reads the body whole, in bounded time.
func (b *Broker) body(w http.ResponseWriter, r *http.Request) ([]byte, Refusal) {
	if r.ContentLength > bodyBytes {
		return nil, RefusedSize
	}
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(b.config.Clock().Add(bodyLimit)); err != nil {
		return nil, RefusedBody
	}
	var body bytes.Buffer
	if r.ContentLength > 0 {
		body.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := body.ReadFrom(io.LimitReader(r.Body, bodyBytes+1))
	if body.Len() > bodyBytes {
		return nil, RefusedSize
	}
	if err != nil || len(r.Trailer) != 0 || control.SetReadDeadline(time.Time{}) != nil {
		return nil, RefusedBody
	}
	return body.Bytes(), ""
}

// forward asks the host and passes its answer through as it comes. Whatever happens, what was reserved is settled.
func (b *Broker) forward(w http.ResponseWriter, ctx context.Context, c call) {
	meter := b.config.Dialect.Meter()
	var connected, answered atomic.Bool
	defer func() {
		seen, whole := meter.Seen()
		// Nothing was asked, or the host answered with an error: that costs nothing.
		whole = whole || !connected.Load() || answered.Load()
		b.account.settle(c.reserved, seen, whole)
	}()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.config.Upstream.scheme+"://"+b.config.Upstream.host+c.target, bytes.NewReader(c.body))
	if err != nil {
		answer(w, http.StatusBadGateway, upstreamAnswer)
		return
	}
	request.Header = c.header
	request.Header.Set("Authorization", "Bearer "+b.config.Credential.Reveal())
	response, err := b.transport.RoundTrip(request)
	request.Header.Del("Authorization")
	if err != nil {
		// A connection that just ends is what the CLI would have met without us.
		panic(http.ErrAbortHandler)
	}
	defer response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode >= 300 && response.StatusCode < 400 || response.Header.Get("Content-Encoding") != "" && response.Header.Get("Content-Encoding") != "identity" {
		answer(w, http.StatusBadGateway, upstreamAnswer) // a way to somewhere else, or what we did not ask for
		return
	}
	answered.Store(response.StatusCode >= 400)
	for name, values := range response.Header {
		if passes(b.config.Dialect.AnswerHeaders, name) && len(values) == 1 && len(values[0]) <= headerValueBytes {
			w.Header()[name] = values
		}
	}
	if len(response.Header["Content-Type"]) != 1 {
		w.Header()["Content-Type"] = nil // or the library would guess one
	}
	w.WriteHeader(response.StatusCode)
	if !pass(w, response.Body, readerOf(meter, response)) {
		panic(http.ErrAbortHandler) // the CLI must not take what came for the whole
	}
}

// readerOf is what reads an answer on its way, by its kind.
func readerOf(meter Meter, response *http.Response) io.WriteCloser {
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	switch {
	case response.StatusCode != http.StatusOK:
	case kind == "text/event-stream":
		return stream{&events{each: meter.Event}}
	case kind == "application/json":
		return &document{whole: meter.Whole}
	}
	return stream{&events{each: func([]byte) {}}}
}

// pass copies an answer, each piece as soon as it is there, and reports whether it came to its end within the limit.
func pass(w http.ResponseWriter, from io.Reader, reader io.WriteCloser) bool {
	control := http.NewResponseController(w)
	if control.Flush() != nil {
		return false
	}
	buffer := make([]byte, 32<<10)
	for total := 0; ; {
		n, err := from.Read(buffer)
		if total += n; total > answerBytes {
			return false
		}
		if n > 0 {
			_, written := w.Write(buffer[:n])
			if written == nil {
				written = control.Flush()
			}
			_, _ = reader.Write(buffer[:n]) // it never fails
			if written != nil {
				return false
			}
		}
		if err == io.EOF {
			return reader.Close() == nil
		}
		if err != nil {
			return false
		}
	}
}

// stream reads events; there is nothing to do at its end.
type stream struct{ *events }

func (stream) Close() error { return nil }

// document collects an answer that is no stream, to be read at its end.
type document struct {
	data  []byte
	over  bool
	whole func([]byte)
}

func (d *document) Write(p []byte) (int, error) {
	if d.over = d.over || len(d.data)+len(p) > documentBytes; !d.over {
		d.data = append(d.data, p...)
	}
	return len(p), nil
}

func (d *document) Close() error {
	if !d.over {
		d.whole(d.data)
	}
	return nil
}
