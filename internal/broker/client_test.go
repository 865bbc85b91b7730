package broker

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/secret"
)

// TestBrokerHostileClient sends what is no request, or two readers could read as two different ones. Nothing of it reaches the
// host, and what the broker answers ends the Run.
func TestBrokerHostileClient(t *testing.T) {
	for name, test := range map[string]struct {
		send     func(raw) string
		forwards int // requests that reach the host
		refused  Refusal
	}{
		"not HTTP":                {func(raw) string { return "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n" }, 0, RefusedForm},
		"HTTP/0.9":                {func(raw) string { return "GET /v1/messages\r\n\r\n" }, 0, RefusedForm},
		"the preface of HTTP/2":   {func(raw) string { return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" }, 0, RefusedForm},
		"HTTP/2 by name":          {func(r raw) string { r.line = "POST " + target + " HTTP/2.0"; return r.String() }, 0, RefusedForm},
		"HTTP/1.2":                {func(r raw) string { r.line = "POST " + target + " HTTP/1.2"; return r.String() }, 0, RefusedForm},
		"no host":                 {func(r raw) string { return r.header("Host", "").String() }, 0, RefusedForm},
		"two hosts":               {func(r raw) string { r.headers = append(r.headers, r.headers[0]); return r.String() }, 0, RefusedForm},
		"a space before a colon":  {func(r raw) string { return r.header("X-App", "X-App : cli").String() }, 0, RefusedForm},
		"a header over two lines": {func(r raw) string { return r.header("X-App", "X-App: cli\r\n Authorization: x").String() }, 1, ""},
		"a zero in a header":      {func(r raw) string { return r.header("X-App", "X-App: c\x00").String() }, 0, RefusedForm},
		"a lone carriage return":  {func(r raw) string { return r.header("X-App", "X-App: c\rX-Y: 1").String() }, 0, RefusedForm},
		"a huge header":           {func(r raw) string { return r.header("X-App", "X-App: "+strings.Repeat("x", 1<<20)).String() }, 0, RefusedForm},
		"a huge first line":       {func(r raw) string { r.line = "POST /" + strings.Repeat("x", 1<<20) + " HTTP/1.1"; return r.String() }, 0, RefusedForm},
		"two lengths": {func(r raw) string {
			r.headers = append(r.headers, "Content-Length: 1")
			return r.String()
		}, 0, RefusedForm},
		"a length with a sign": {func(r raw) string { return r.header("Content-Length", "Content-Length: +5").String() }, 0, RefusedForm},
		"a negative length":    {func(r raw) string { return r.header("Content-Length", "Content-Length: -5").String() }, 0, RefusedForm},
		"an encoding of transfer that is unknown": {func(r raw) string {
			return r.header("Content-Length", "Transfer-Encoding: xchunked").String()
		}, 0, RefusedForm},
		"two encodings of transfer": {func(r raw) string {
			return r.header("Content-Length", "Transfer-Encoding: gzip, chunked").String()
		}, 0, RefusedForm},
		"a chunk with a wrong size": {func(r raw) string {
			r = chunked(r, r.body)
			r.body = "zz" + r.body
			return r.String()
		}, 0, RefusedBody},
		"a length and chunks, of which the chunks count": {func(r raw) string {
			r = chunked(r, r.body)
			r.headers = append(r.headers, "Content-Length: 5")
			return r.String()
		}, 1, ""},
		"a request behind a length that is too short": {func(r raw) string {
			return r.header("Content-Length", "Content-Length: 3").String()
		}, 0, RefusedBody},
		"a second request that is not allowed": {func(r raw) string {
			second := r
			second.line = "GET /v1/files HTTP/1.1"
			return r.String() + second.withBody("").String()
		}, 1, RefusedMethod},
		"a second request that is none": {func(r raw) string { return r.String() + "\x00\x00\r\n\r\n" }, 1, RefusedForm},
		"two good requests at once":     {func(r raw) string { return r.String() + r.String() }, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			api := newHost(t, answering())
			b := newBroker(t, api.URL)
			connection := dial(t, b)
			go func() { _, _ = io.WriteString(connection, test.send(goodRaw(b))) }() // it may be refused before it is read
			expected := test.forwards
			if test.refused != "" {
				expected++
			}
			reader := bufio.NewReader(connection)
			for answers := range expected {
				response, err := http.ReadResponse(reader, &http.Request{Method: http.MethodPost})
				must(t, err)
				if forwarded := response.StatusCode == http.StatusOK; forwarded != (answers < test.forwards) {
					t.Errorf("answer %d: %s", answers, response.Status)
				}
				// Where not all was read that was sent, the end of the connection may be faster than the answer's.
				_, _ = io.Copy(io.Discard, response.Body)
			}
			if _, refused := b.Close(); refused != test.refused || api.count() != test.forwards {
				t.Errorf("refused for %q, want %q; %d requests reached the host, want %d", refused, test.refused, api.count(), test.forwards)
			}
		})
	}
}

// TestBrokerSlowClient holds that a client that does not finish its request keeps neither the others nor the end waiting.
func TestBrokerSlowClient(t *testing.T) {
	api := newHost(t, answering())
	b := newBroker(t, api.URL)
	text := goodRaw(b).String()
	for _, part := range []string{"", "P", text[:60], text[:len(text)-1]} {
		_, err := io.WriteString(dial(t, b), part)
		must(t, err)
	}
	if response, _ := exchange(t, b, text); response == nil || response.StatusCode != http.StatusOK {
		t.Errorf("behind slow clients: %v", response)
	}
	if usage, refused := b.Close(); refused != "" || usage.Requests != 1 || !usage.Complete {
		t.Errorf("refused for %q, usage %+v", refused, usage)
	}
	if b.server.ReadHeaderTimeout != headerLimit || b.server.MaxHeaderBytes != headerBytes || b.server.IdleTimeout != headerLimit {
		t.Error("the server has no limits")
	}
}

// TestBrokerBodyDeadline holds that a body has its time: with a clock that stands far back, it is over at once.
func TestBrokerBodyDeadline(t *testing.T) {
	b := newBroker(t, newHost(t, answering()).URL, func(c *Config) { c.Clock = func() time.Time { return time.Unix(1, 0) } })
	r := goodRaw(b)
	r.body = r.body[:10]
	if response, _ := exchange(t, b, r.String()); response == nil || response.StatusCode != http.StatusForbidden {
		t.Errorf("answer %v", response)
	}
	if _, refused := b.Close(); refused != RefusedBody {
		t.Errorf("refused for %q", refused)
	}
}

// TestBrokerManyConnections holds that no more than the limit are open, that one too many is closed at once, and that room is
// made again.
func TestBrokerManyConnections(t *testing.T) {
	api := newHost(t, answering())
	b := newBroker(t, api.URL)
	var open []net.Conn
	for range maxConnections {
		connection := dial(t, b)
		// Only an answer shows that the broker has accepted it.
		_, err := io.WriteString(connection, goodRaw(b).String()[:5])
		must(t, err)
		open = append(open, connection)
	}
	var surplus net.Conn
	for range 100 {
		surplus = dial(t, b)
	}
	if _, err := surplus.Read(make([]byte, 1)); err != io.EOF && !isReset(err) {
		t.Errorf("one too many: %v", err)
	}
	for _, connection := range open {
		must(t, connection.Close())
	}
	for response := (*http.Response)(nil); response == nil; { // until the broker has seen that they left
		response, _ = exchange(t, b, goodRaw(b).String())
	}
	if _, refused := b.Close(); refused != "" || api.count() != 1 {
		t.Errorf("refused for %q after %d requests", refused, api.count())
	}
}

func isReset(err error) bool { return err != nil && strings.Contains(err.Error(), "reset") }

// TestBrokerAtOnce holds that requests at once are counted one by one, and never more than allowed are forwarded.
func TestBrokerAtOnce(t *testing.T) {
	api := newHost(t, answering())
	b := newBroker(t, api.URL, func(c *Config) { c.Requests = 5 })
	var wait sync.WaitGroup
	for range 12 {
		wait.Go(func() { exchange(t, b, goodRaw(b).String()) })
	}
	wait.Wait()
	if usage, refused := b.Close(); refused != RefusedCount || refused.Code() != "engine_turns" || api.count() > 5 || usage.Requests != int64(api.count()) {
		t.Errorf("refused for %q, %d requests, usage %+v", refused, api.count(), usage)
	}
}

// TestBrokerEnds holds that the end of the context or Close ends what is under way, that nothing is served after it, and that a
// request later than the end is no refusal.
func TestBrokerEnds(t *testing.T) {
	for name, byContext := range map[string]bool{"by the context": true, "by Close": false} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			arrived := make(chan struct{})
			api := newHost(t, func(_ http.ResponseWriter, r *http.Request) { close(arrived); <-r.Context().Done() })
			parsed, err := ParseUpstream(api.URL)
			must(t, err)
			listener, err := net.Listen("tcp4", "127.0.0.1:0")
			must(t, err)
			b, err := Serve(ctx, listener, Config{Dialect: Messages(), Upstream: parsed, Credential: secret.New(testCredential), Model: testModel,
				Schema: []byte(testSchema), AnswerTokens: 64_000, Requests: 8, BudgetMicrousd: 10_000_000, Price: priced(), Clock: time.Now})
			must(t, err)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				if response, _ := exchange(t, b, goodRaw(b).String()); response != nil {
					t.Errorf("an answer: %s", response.Status)
				}
			}()
			<-arrived
			if byContext {
				cancel()
			}
			usage, refused := b.Close()
			<-ended
			if refused != "" || usage.Requests != 1 || usage.Complete {
				t.Errorf("refused for %q, usage %+v", refused, usage)
			}
			if _, err := net.Dial("tcp", b.host); err == nil {
				t.Error("somebody still listens")
			}
			b.refuse(RefusedForm)
			if _, refused := b.Close(); refused != "" {
				t.Errorf("refused after the end for %q", refused)
			}
		})
	}
}
