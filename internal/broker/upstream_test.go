package broker

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

// TestBrokerForwards holds what reaches the host and what comes back: the body byte for byte, of the headers those on the list
// and the credential in place of the token; the answer as it came, of its headers those on the list.
func TestBrokerForwards(t *testing.T) {
	api := newHost(t, func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{"Request-Id": "req_1", "Anthropic-Ratelimit-Unified-Status": "allowed", "Set-Cookie": "a=b",
			"Location": "https://collector.example.invalid", "Alt-Svc": "h3=\":443\"", "X-Note": "n", "Anthropic-Organization-Id": "o"} {
			w.Header().Set(name, value)
		}
		w.Header()["Retry-After"] = []string{"1", "2"}
		answering()(w, r)
	})
	b := newBroker(t, api.URL)
	r := goodRaw(b)
	r.headers = append(r.headers, "Cookie: a=b", "X-Api-Key: k", "Proxy-Authorization: Basic eA==", "X-Forwarded-For: 1.2.3.4", "Anthropic-Extra: x",
		"X-Stainless-Timeout: 600")
	response, answer := exchange(t, b, r.String())
	if response == nil || answer != sse(answerEvents()...) {
		t.Fatalf("answer %v %q", response, answer)
	}
	var names []string
	for name := range response.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{"Anthropic-Ratelimit-Unified-Status", "Content-Type", "Date", "Request-Id"}; !slices.Equal(names, want) {
		t.Errorf("headers of the answer: %v, want %v", names, want)
	}
	request, body := api.requests[0], api.bodies[0]
	if string(body) != r.body {
		t.Errorf("the body was changed: %q", body)
	}
	want := http.Header{"Accept": {"application/json"}, "Accept-Encoding": {"identity"}, "Anthropic-Beta": {"one-2025-01-01,two-2025-01-01"},
		"Anthropic-Version": {"2023-06-01"}, "Authorization": {"Bearer " + testCredential}, "Connection": {"close"}, "Content-Length": {fmt.Sprint(len(body))},
		"Content-Type": {"application/json"}, "User-Agent": {"claude-cli/2.1.306 (external, sdk-cli)"}, "X-App": {"cli"}, "X-Stainless-Os": {"Linux"}, "X-Stainless-Timeout": {"600"}}
	if difference := cmp.Diff(want, request.Header); difference != "" {
		t.Errorf("headers of the request (-want +got):\n%s", difference)
	}
	if request.RequestURI != target || request.Host != strings.TrimPrefix(api.URL, "http://") {
		t.Errorf("asked for %s at %s", request.RequestURI, request.Host)
	}
	usage, refused := b.Close()
	// 100 x 2 + 20 x 10 + 11 x 0.1 + 7 x 2.5 = 418.6 micro-dollars, rounded up.
	if want := (contract.Usage{InputTokens: 100, OutputTokens: 20, CacheReadTokens: 11, CacheWriteTokens: 7, CostMicrousd: 419, Requests: 1, Complete: true}); refused != "" || usage != want {
		t.Errorf("refused for %q, usage %+v", refused, usage)
	}
}

// TestBrokerHostileHost holds what a host may answer and what becomes of it: the client gets the answer, an answer of the
// broker's own, or a connection that ends; and the usage says whether it is all.
func TestBrokerHostileHost(t *testing.T) {
	const canary = "CANARY-7c1f"
	events := answerEvents()
	start := contract.Usage{InputTokens: 100, OutputTokens: 1, CacheReadTokens: 11, CacheWriteTokens: 7, CostMicrousd: 229, Requests: 1}
	whole := contract.Usage{InputTokens: 100, OutputTokens: 20, CacheReadTokens: 11, CacheWriteTokens: 7, CostMicrousd: 419, Requests: 1, Complete: true}
	nothing := contract.Usage{Requests: 1}
	free := contract.Usage{Requests: 1, Complete: true}
	status := func(code int, body string, headers ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	asJSON := func(body string) http.HandlerFunc { return status(200, body, "Content-Type", "application/json") }
	abort := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			streaming(body)(w, r)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}
	for name, test := range map[string]struct {
		host   http.HandlerFunc
		status int    // 0 for a connection that ends without an answer
		body   string // "" for any
		usage  contract.Usage
	}{
		"an error":                         {status(429, canary, "Retry-After", "0"), 429, canary, free},
		"an error of the server":           {status(529, canary), 529, canary, free},
		"an error as a stream":             {status(500, sse(events...), "Content-Type", "text/event-stream"), 500, "", free},
		"a redirect":                       {status(302, canary, "Location", "http://127.0.0.1:1/"), 502, upstreamAnswer, nothing},
		"a redirect that keeps the body":   {status(307, canary, "Location", "/v1/messages"), 502, upstreamAnswer, nothing},
		"a redirect for ever":              {status(308, canary, "Location", "https://collector.example.invalid/"), 502, upstreamAnswer, nothing},
		"not modified":                     {status(304, ""), 502, upstreamAnswer, nothing},
		"compressed despite identity":      {compressed(canary), 502, upstreamAnswer, nothing},
		"an unknown coding":                {status(200, canary, "Content-Encoding", "x"), 502, upstreamAnswer, nothing},
		"identity that is said":            {status(200, "{}", "Content-Encoding", "identity"), 200, "{}", nothing},
		"a page":                           {status(200, "<html>"+canary, "Content-Type", "text/html"), 200, "<html>" + canary, nothing},
		"no type":                          {status(200, canary, "Content-Type", ""), 200, canary, nothing},
		"no content":                       {status(204, ""), 204, "", nothing},
		"a message that is not streamed":   {asJSON(`{"type":"message","usage":{"input_tokens":100,"output_tokens":20,"cache_creation_input_tokens":7,"cache_read_input_tokens":11}}`), 200, "", whole},
		"a message without a usage":        {asJSON(`{"type":"message"}`), 200, "", nothing},
		"a message without its output":     {asJSON(`{"type":"message","usage":{"input_tokens":100}}`), 200, "", nothing},
		"a message that is cut":            {asJSON(`{"type":"message","usage":{"input_tokens":100,`), 200, "", nothing},
		"a message with a negative count":  {asJSON(`{"type":"message","usage":{"input_tokens":-5,"output_tokens":0}}`), 200, "", nothing},
		"another document":                 {asJSON(`{"type":"error","usage":{"input_tokens":1,"output_tokens":1}}`), 200, "", nothing},
		"a stream":                         {streaming(sse(events...)), 200, sse(events...), whole},
		"a stream with other line ends":    {streaming(strings.ReplaceAll(sse(events...), "\n", "\r\n")), 200, "", whole},
		"a stream with comments and pings": {streaming(": hello\n\n" + sse(`{"type":"ping"}`) + sse(events...) + ": bye\n"), 200, "", whole},
		"an event over two lines":          {streaming(strings.Replace(sse(events...), `data: {"type":"message_delta",`, "data: {\"type\":\"message_delta\",\ndata:", 1)), 200, "", whole},
		"a stream that breaks off":         {abort(sse(events[:3]...)), 200, "", start},
		"a stream that ends early":         {streaming(sse(events[:5]...)), 200, "", contract.Usage{InputTokens: 100, OutputTokens: 20, CacheReadTokens: 11, CacheWriteTokens: 7, CostMicrousd: 419, Requests: 1}},
		"a stream without its start":       {streaming(sse(events[1:]...)), 200, "", contract.Usage{OutputTokens: 20, CostMicrousd: 200, Requests: 1}},
		"a stream with an error":           {streaming(sse(events[0], `{"type":"error","error":{"type":"overloaded_error","message":"`+canary+`"}}`)), 200, "", start},
		"an empty stream":                  {streaming(""), 200, "", nothing},
		"a stream of nothing known":        {streaming("data\ndata:\n\nevent: message_start\ndata: {}\n\n" + sse(`["message_start"]`) + "message_stop"), 200, "", nothing},
		"a stream that starts twice":       {streaming(sse(append([]string{events[0]}, events...)...)), 200, "", contract.Usage{InputTokens: 100, OutputTokens: 20, CacheReadTokens: 11, CacheWriteTokens: 7, CostMicrousd: 419, Requests: 1}},
		"a count beyond belief":            {streaming(strings.Replace(sse(events...), `"output_tokens":20`, `"output_tokens":10000001`, 1)), 200, "", start},
		"a count that shrinks":             {streaming(sse(slices.Insert(events, 5, `{"type":"message_delta","usage":{"output_tokens":2}}`)...)), 200, "", whole},
		"kept for an hour": {streaming(strings.Replace(sse(events...), `"cache_creation_input_tokens":7`, `"cache_creation_input_tokens":7,"cache_creation":{"ephemeral_1h_input_tokens":4}`, 1)), 200, "",
			contract.Usage{InputTokens: 100, OutputTokens: 20, CacheReadTokens: 11, CacheWriteTokens: 7, CostMicrousd: 425, Requests: 1, Complete: true}},
		"a line of 100 MB": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, sse(events[0])+"data: ")
			part := bytes.Repeat([]byte("x"), 1<<20)
			for range 100 {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		}, 200, "", start},
		"a long line in between": {streaming(sse(events[0]) + "data: " + strings.Repeat("x", eventBytes+1) + "\n\n" + sse(events[1:]...)), 200, "", whole},
		"a document without an end": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for part := bytes.Repeat([]byte(" "), 1<<20); ; {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		}, 200, "", nothing},
		"huge headers": {status(200, "", "X-Large", strings.Repeat("x", upstreamHeadersBytes+1)), 0, "", nothing},
		"no answer":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, "", nothing},
		"trailers": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "X-Late")
			answering()(w, r)
			w.Header().Set("X-Late", canary)
			w.Header().Set(http.TrailerPrefix+"X-Later", canary)
		}, 200, sse(events...), whole},
	} {
		t.Run(name, func(t *testing.T) {
			api := newHost(t, test.host)
			b := newBroker(t, api.URL)
			response, body := exchange(t, b, goodRaw(b).String())
			switch {
			case response == nil:
				if test.status != 0 {
					t.Errorf("no answer, want %d", test.status)
				}
			case response.StatusCode != test.status || test.body != "" && body != test.body || len(response.Trailer) != 0 || len(body) > answerBytes+100:
				t.Errorf("answer %s %.200q %v, want %d", response.Status, body, response.Trailer, test.status)
			}
			usage, refused := b.Close()
			if usage != test.usage || refused != "" {
				t.Errorf("usage %+v, want %+v; refused for %q", usage, test.usage, refused)
			}
			if api.count() != 1 {
				t.Errorf("%d requests reached the host", api.count())
			}
		})
	}
}

func compressed(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		writer := gzip.NewWriter(w)
		_, _ = io.WriteString(writer, text)
		_ = writer.Close()
	}
}

// TestBrokerPassesThroughAtOnce holds that each event reaches the client before the host sends the next.
func TestBrokerPassesThroughAtOnce(t *testing.T) {
	next := make(chan struct{})
	api := newHost(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		control := http.NewResponseController(w)
		_ = control.Flush()
		for _, event := range answerEvents() {
			<-next
			_, _ = io.WriteString(w, sse(event))
			_ = control.Flush()
		}
	})
	b := newBroker(t, api.URL)
	connection := dial(t, b)
	_, err := io.WriteString(connection, goodRaw(b).String())
	must(t, err)
	read := func(until string) {
		t.Helper()
		var got []byte
		one := make([]byte, 1)
		for !bytes.HasSuffix(got, []byte(until)) {
			_, err := connection.Read(one)
			must(t, err)
			got = append(got, one[0])
		}
	}
	read("\r\n\r\n") // the head comes before the first event
	for _, event := range answerEvents() {
		next <- struct{}{}
		read(sse(event))
	}
	read("0\r\n\r\n")
}

// TestBrokerClientLeaves holds that a client that leaves in the middle ends the call to the host, and that what was seen is
// counted.
func TestBrokerClientLeaves(t *testing.T) {
	left := make(chan struct{})
	api := newHost(t, func(w http.ResponseWriter, r *http.Request) {
		streaming(sse(answerEvents()[:2]...))(w, r)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(left)
	})
	b := newBroker(t, api.URL)
	connection := dial(t, b)
	_, err := io.WriteString(connection, goodRaw(b).String())
	must(t, err)
	for got := ""; !strings.Contains(got, "content_block_start"); {
		buffer := make([]byte, 4096)
		n, err := connection.Read(buffer)
		must(t, err)
		got += string(buffer[:n])
	}
	must(t, connection.Close())
	<-left
	usage, refused := b.Close()
	if want := (contract.Usage{InputTokens: 100, OutputTokens: 1, CacheReadTokens: 11, CacheWriteTokens: 7, CostMicrousd: 229, Requests: 1}); usage != want || refused != "" {
		t.Errorf("usage %+v, refused for %q", usage, refused)
	}
}

// TestBrokerNeedsTLS holds that the host must prove who it is, at TLS 1.2 at least, and that no proxy of the environment and no
// other host is asked.
func TestBrokerNeedsTLS(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	t.Setenv("https_proxy", "http://127.0.0.1:1")
	asked := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked++; answering()(w, r) }))
	server.Config.ErrorLog = newQuiet()
	server.StartTLS()
	defer server.Close()
	b := newBroker(t, server.URL)
	if response, _ := exchange(t, b, goodRaw(b).String()); response != nil || asked != 0 {
		t.Errorf("a host that nobody vouches for: %v, asked %d times", response, asked)
	}
	if usage, refused := b.Close(); usage != (contract.Usage{Requests: 1, Complete: true}) || refused != "" {
		t.Errorf("usage %+v, refused for %q", usage, refused)
	}

	for version, want := range map[uint16]int{tls.VersionTLS11: 0, tls.VersionTLS12: 1} {
		asked = 0
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked++; answering()(w, r) }))
		server.Config.ErrorLog = newQuiet()
		server.TLS = &tls.Config{MaxVersion: version, MinVersion: tls.VersionTLS10}
		server.StartTLS()
		b := newBroker(t, server.URL)
		b.transport.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		if _, answer := exchange(t, b, goodRaw(b).String()); asked != want || (answer == sse(answerEvents()...)) != (want == 1) {
			t.Errorf("TLS %x: asked %d times, want %d", version, asked, want)
		}
		b.Close()
		server.Close()
	}
}

// TestBrokerUnreachable holds that a host that nobody serves costs nothing.
func TestBrokerUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, listener.Close())
	b := newBroker(t, "http://"+listener.Addr().String())
	if response, _ := exchange(t, b, goodRaw(b).String()); response != nil {
		t.Errorf("answer %s", response.Status)
	}
	if usage, refused := b.Close(); usage != (contract.Usage{Requests: 1, Complete: true}) || refused != "" {
		t.Errorf("usage %+v, refused for %q", usage, refused)
	}
}

// TestParseUpstream holds which hosts a broker may be pinned to.
func TestParseUpstream(t *testing.T) {
	for address, want := range map[string]Upstream{
		"https://api.anthropic.com":    {scheme: "https", host: "api.anthropic.com"},
		"https://api.anthropic.com/":   {scheme: "https", host: "api.anthropic.com"},
		"https://gateway.example:8443": {scheme: "https", host: "gateway.example:8443"},
		"http://127.0.0.1:8080":        {scheme: "http", host: "127.0.0.1:8080", Loopback: true},
		"http://127.8.0.1:8080":        {scheme: "http", host: "127.8.0.1:8080", Loopback: true},
		"http://[::1]:8080":            {scheme: "http", host: "[::1]:8080", Loopback: true},
		"http://localhost:8080":        {scheme: "http", host: "localhost:8080", Loopback: true},
	} {
		if got, err := ParseUpstream(address); err != nil || got != want {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
	for _, address := range []string{"", "api.anthropic.com", "http://api.anthropic.com", "http://10.0.0.1", "http://localhost.example", "http://0.0.0.0:1",
		"ftp://127.0.0.1", "https://", "https://user@host", "https://host/path", "https://host?x=1", "https://host#x", "https://ho st", "HTTPS//x"} {
		if got, err := ParseUpstream(address); err == nil || strings.Contains(err.Error(), address) && address != "" {
			t.Errorf("%q: %+v, %v", address, got, err)
		}
	}
	for address, allowed := range map[string]bool{"127.0.0.1:80": true, "[::1]:80": true, "10.0.0.1:80": false, "93.184.216.34:80": false} {
		if err := onlyLoopback("tcp", address, nil); (err == nil) != allowed {
			t.Errorf("a name that means %s: %v", address, err)
		}
	}
}

// TestBrokerBounds holds that a broker without bounds is none.
func TestBrokerBounds(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no host":            func(c *Config) { c.Upstream = Upstream{} },
		"no schema":          func(c *Config) { c.Schema = nil },
		"no request":         func(c *Config) { c.Requests = 0 },
		"too many requests":  func(c *Config) { c.Requests = maxRequests + 1 },
		"no answer":          func(c *Config) { c.AnswerTokens = 0 },
		"too long an answer": func(c *Config) { c.AnswerTokens = maxTokens + 1 },
		"no context":         func(c *Config) { c.Price = contract.Price{} },
	} {
		config := Config{Dialect: Messages(), Upstream: Upstream{scheme: "https", host: "x"}, Credential: secret.New("x"), Model: testModel, Schema: []byte(testSchema),
			AnswerTokens: 1, Requests: 1, BudgetMicrousd: 1, Price: priced()}
		change(&config)
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		must(t, err)
		if b, err := Serve(t.Context(), listener, config); err == nil {
			b.Close()
			t.Errorf("%s: it serves", name)
		}
		must(t, listener.Close())
	}
}

// TestBrokerHoldsLittle holds that of a line or an event without an end no more is kept than its bound.
func TestBrokerHoldsLittle(t *testing.T) {
	part := bytes.Repeat([]byte("x"), 1<<16)
	long := &events{each: func([]byte) {}}
	for range 64 {
		_, _ = long.Write(part)
	}
	many := &events{each: func([]byte) {}}
	for range 64 {
		_, _ = many.Write(append(append([]byte("data: "), part...), '\n'))
	}
	whole := &document{}
	for range 2 * documentBytes / len(part) {
		_, _ = whole.Write(part)
	}
	if cap(long.line) > 2*eventBytes || cap(many.data) > 2*eventBytes || cap(whole.data) > 2*documentBytes {
		t.Errorf("held: %d of a line, %d of an event, %d of a document", cap(long.line), cap(many.data), cap(whole.data))
	}
}
