package broker

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

const (
	testCredential = "sk-ant-oat01-standin-Kq7Zw2Lr9TnB4xVh"
	testModel      = "claude-sonnet-5-5"
	testSchema     = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`
	target         = "/v1/messages?beta=true"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// host is the API behind a broker: it keeps what it was asked, and answers as it is told.
type host struct {
	*httptest.Server
	mutex    sync.Mutex
	requests []*http.Request
	bodies   [][]byte
}

func newHost(t testing.TB, handler http.HandlerFunc) *host {
	t.Helper()
	h := &host{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the broker left
		}
		h.mutex.Lock()
		h.requests, h.bodies = append(h.requests, r), append(h.bodies, body)
		h.mutex.Unlock()
		handler(w, r)
	}))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return h
}

func (h *host) count() int {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return len(h.requests)
}

// events of one whole answer that cost 100 tokens of input, 20 of output, 11 read from and 7 written into the cache.
func answerEvents() []string {
	return []string{
		`{"type":"message_start","message":{"id":"m","usage":{"input_tokens":100,"output_tokens":1,"cache_creation_input_tokens":7,"cache_read_input_tokens":11}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"StructuredOutput","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"n\":1}"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}`,
		`{"type":"message_stop"}`,
	}
}

func sse(events ...string) string {
	var out strings.Builder
	for _, event := range events {
		kind, _, _ := strings.Cut(strings.TrimPrefix(event, `{"type":"`), `"`)
		fmt.Fprintf(&out, "event: %s\ndata: %s\n\n", kind, event)
	}
	return out.String()
}

// streaming answers with a body of events.
func streaming(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = io.WriteString(w, body)
	}
}

func answering() http.HandlerFunc { return streaming(sse(answerEvents()...)) }

// priced is the price of the test's model: 2 and 10 dollars, a tenth and 2.5 and 4 for the cache.
func priced() contract.Price {
	return contract.Price{CacheReadMicrousd: 100_000, CacheWriteMicrousd: 2_500_000, CacheWriteHourMicrousd: 4_000_000, ContextTokens: 1_000_000,
		InputMicrousd: 2_000_000, OutputMicrousd: 10_000_000}
}

// newBroker is a broker on loopback before a host.
func newBroker(t testing.TB, upstream string, change ...func(*Config)) *Broker {
	t.Helper()
	parsed, err := ParseUpstream(upstream)
	must(t, err)
	config := Config{Dialect: Messages(), Upstream: parsed, Credential: secret.New(testCredential), Model: testModel, Schema: []byte(testSchema),
		AnswerTokens: 64_000, Requests: 8, BudgetMicrousd: 10_000_000, Price: priced(), Clock: time.Now}
	for _, change := range change {
		change(&config)
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	b, err := Serve(t.Context(), listener, config)
	must(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

// asked is the body of a request that the CLI sends.
type asked map[string]any

func goodAsked() asked {
	ephemeral := map[string]any{"type": "ephemeral", "ttl": "1h"}
	return asked{
		"model": testModel,
		"messages": []any{
			map[string]any{"role": "user", "content": "the prompt"},
			map[string]any{"role": "system", "content": []any{map[string]any{"type": "text", "text": "# Environment", "cache_control": ephemeral}}, "output_config": map[string]any{"effort": "high"}},
		},
		"system":             []any{map[string]any{"type": "text", "text": "ours", "cache_control": ephemeral}},
		"tools":              []any{goodTool()},
		"metadata":           map[string]any{"user_id": "{}"},
		"max_tokens":         64000,
		"thinking":           map[string]any{"type": "adaptive", "display": "omitted"},
		"context_management": map[string]any{"edits": []any{map[string]any{"type": "clear_thinking_20251015", "keep": "all"}}},
		"output_config":      map[string]any{"effort": "high"},
		"stream":             true,
	}
}

func goodTool() map[string]any {
	return map[string]any{"name": "StructuredOutput", "description": "Use this tool.", "input_schema": json.RawMessage(testSchema)}
}

func (d asked) with(key string, value any) asked {
	changed := maps.Clone(d)
	changed[key] = value
	return changed
}

func (d asked) text() string {
	data, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// raw is a request as bytes on the wire.
type raw struct {
	line    string
	headers []string
	body    string
}

func goodRaw(b *Broker) raw {
	body := goodAsked().text()
	return raw{line: "POST " + target + " HTTP/1.1", body: body, headers: []string{
		"Host: " + b.host, "Accept: application/json", "Authorization: Bearer " + b.token, "Content-Type: application/json",
		"User-Agent: claude-cli/2.1.306 (external, sdk-cli)", "X-Stainless-OS: Linux", "anthropic-beta: one-2025-01-01,two-2025-01-01",
		"anthropic-version: 2023-06-01", "x-app: cli", "Connection: keep-alive", "Accept-Encoding: gzip, deflate, br, zstd",
		"Content-Length: " + strconv.Itoa(len(body))}}
}

// header replaces the header of that name, or adds it; "" removes it.
func (r raw) header(name, line string) raw {
	var headers []string
	for _, header := range r.headers {
		if !strings.EqualFold(strings.SplitN(header, ":", 2)[0], name) {
			headers = append(headers, header)
		}
	}
	if line != "" {
		headers = append(headers, line)
	}
	r.headers = headers
	return r
}

func (r raw) withBody(body string) raw {
	r = r.header("Content-Length", "Content-Length: "+strconv.Itoa(len(body)))
	r.body = body
	return r
}

func (r raw) String() string {
	return r.line + "\r\n" + strings.Join(r.headers, "\r\n") + "\r\n\r\n" + r.body
}

// dial opens a connection to the broker.
func dial(t testing.TB, b *Broker) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", b.host)
	must(t, err)
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// exchange sends bytes on a connection of their own and reads one answer; nil where the broker just closes.
func exchange(t testing.TB, b *Broker, text string) (*http.Response, string) {
	t.Helper()
	connection := dial(t, b)
	go func() { _, _ = io.WriteString(connection, text) }() // it may be refused before it is read
	response, err := http.ReadResponse(bufio.NewReader(connection), &http.Request{Method: http.MethodPost})
	if err != nil {
		return nil, ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return response, string(body) + " (cut)"
	}
	return response, string(body)
}
