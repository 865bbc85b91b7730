package broker

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// TestBrokerRefuses holds every rule of a request by one that breaks it and nothing else: nothing of it reaches the host, the
// Run is over, and the next request, a good one, is not forwarded either. For each there is a near miss that passes.
func TestBrokerRefuses(t *testing.T) {
	good := goodAsked()
	body := func(d asked) func(raw) raw { return func(r raw) raw { return r.withBody(d.text()) } }
	text := func(old, replacement string) func(raw) raw {
		return func(r raw) raw {
			if !strings.Contains(good.text(), old) {
				t.Fatalf("the body has no %s", old)
			}
			return r.withBody(strings.Replace(good.text(), old, replacement, 1))
		}
	}
	header := func(name, line string) func(raw) raw { return func(r raw) raw { return r.header(name, line) } }
	line := func(line string) func(raw) raw { return func(r raw) raw { r.line = line; return r } }
	tool := func(changes ...any) map[string]any {
		changed := goodTool()
		for i := 0; i < len(changes); i += 2 {
			changed[changes[i].(string)] = changes[i+1]
		}
		return changed
	}
	content := func(blocks ...any) asked {
		return good.with("messages", []any{map[string]any{"role": "user", "content": blocks}})
	}
	block := func(kind string, members ...any) map[string]any {
		b := map[string]any{"type": kind}
		for i := 0; i < len(members); i += 2 {
			b[members[i].(string)] = members[i+1]
		}
		return b
	}
	schema := func(old, replacement string) asked {
		return good.with("tools", []any{tool("input_schema", json.RawMessage(strings.Replace(testSchema, old, replacement, 1)))})
	}
	keep := func(r raw) raw { return r }
	for _, test := range []struct {
		name     string
		refused  Refusal
		breaks   func(raw) raw
		nearMiss func(raw) raw
	}{
		{"another token", RefusedToken, func(r raw) raw { return r.header("Authorization", "Authorization: Bearer airlock-run-X") }, keep},
		{"the real credential", RefusedToken, header("Authorization", "Authorization: Bearer "+testCredential), keep},
		{"no token", RefusedToken, header("Authorization", ""), keep},
		{"an empty token", RefusedToken, header("Authorization", "Authorization: Bearer "), keep},
		{"the token as a key", RefusedToken, func(r raw) raw {
			return r.header("X-Api-Key", strings.Replace(headerOf(r, "Authorization"), "Authorization: Bearer", "X-Api-Key:", 1)).header("Authorization", "")
		}, func(r raw) raw { return r.header("X-Api-Key", "X-Api-Key: other") }},
		{"two tokens", RefusedToken, func(r raw) raw { r.headers = append(r.headers, headerOf(r, "Authorization")); return r }, keep},
		{"GET", RefusedMethod, line("GET " + target + " HTTP/1.1"), keep},
		{"PUT", RefusedMethod, line("PUT " + target + " HTTP/1.1"), keep},
		{"post in small letters", RefusedMethod, line("post " + target + " HTTP/1.1"), keep},
		{"CONNECT", RefusedMethod, line("CONNECT api.anthropic.com:443 HTTP/1.1"), keep},
		{"another path", RefusedPath, line("POST /v1/files?beta=true HTTP/1.1"), line("POST /v1/messages HTTP/1.1")},
		{"counting tokens", RefusedPath, line("POST /v1/messages/count_tokens?beta=true HTTP/1.1"), keep},
		{"a path behind it", RefusedPath, line("POST /v1/messages/batches HTTP/1.1"), keep},
		{"dots in the path", RefusedPath, line("POST /v1/x/../messages HTTP/1.1"), keep},
		{"an escaped path", RefusedPath, line("POST /v1/%6dessages HTTP/1.1"), keep},
		{"two slashes", RefusedPath, line("POST //v1/messages HTTP/1.1"), keep},
		{"another query", RefusedPath, line("POST /v1/messages?beta=false HTTP/1.1"), line("POST /v1/messages?beta=true HTTP/1.1")},
		{"a longer query", RefusedPath, line("POST /v1/messages?beta=true&x=1 HTTP/1.1"), keep},
		{"a full address", RefusedPath, line("POST http://collector.example.invalid/v1/messages HTTP/1.1"), keep},
		{"a full address of the host", RefusedPath, line("POST https://api.anthropic.com/v1/messages HTTP/1.1"), keep},
		{"another host", RefusedHost, header("Host", "Host: api.anthropic.com"), keep},
		{"another port", RefusedHost, header("Host", "Host: 127.0.0.1:1"), keep},
		{"a name for it", RefusedHost, header("Host", "Host: localhost"), keep},
		{"HTTP/1.0", RefusedForm, line("POST " + target + " HTTP/1.0"), keep},
		{"an upgrade", RefusedHeaders, func(r raw) raw {
			return r.header("Connection", "Connection: Upgrade").header("Upgrade", "Upgrade: websocket")
		}, header("Connection", "Connection: close")},
		{"a lone upgrade", RefusedHeaders, header("Upgrade", "Upgrade: h2c"), keep},
		{"a header of one connection", RefusedHeaders, header("Connection", "Connection: keep-alive, Anthropic-Version"), keep},
		{"an encoded body", RefusedHeaders, header("Content-Encoding", "Content-Encoding: gzip"), keep},
		{"an identity that is said", RefusedHeaders, header("Content-Encoding", "Content-Encoding: identity"), keep},
		{"a form", RefusedHeaders, header("Content-Type", "Content-Type: multipart/form-data; boundary=x"), header("Content-Type", "Content-Type: application/json; charset=utf-8")},
		{"no type", RefusedHeaders, header("Content-Type", ""), keep},
		{"a header twice", RefusedHeaders, func(r raw) raw { r.headers = append(r.headers, "Anthropic-Version: 2023-06-01"); return r },
			func(r raw) raw { r.headers = append(r.headers, "X-Other: 1", "X-Other: 2"); return r }},
		{"a long header", RefusedHeaders, header("Anthropic-Beta", "Anthropic-Beta: "+strings.Repeat("x", headerValueBytes+1)), header("Anthropic-Beta", "Anthropic-Beta: "+strings.Repeat("x", headerValueBytes))},
		{"a header in another script", RefusedHeaders, header("X-App", "X-App: cl\u0131"), keep},
		{"a body beyond the limit", RefusedSize, func(r raw) raw {
			return r.header("Content-Length", fmt.Sprintf("Content-Length: %d", bodyBytes+1))
		}, keep},
		{"a chunked body beyond the limit", RefusedSize, func(r raw) raw { return chunked(r, strings.Repeat(" ", bodyBytes+1)) }, func(r raw) raw { return chunked(r, r.body) }},
		{"trailers", RefusedBody, func(r raw) raw {
			r = chunked(r, r.body)
			r.body = strings.TrimSuffix(r.body, "\r\n") + "X-Late: 1\r\n\r\n"
			return r
		}, keep},
		{"an empty body", RefusedBody, func(r raw) raw { return r.withBody("") }, keep},
		{"an array", RefusedBody, func(r raw) raw { return r.withBody("[" + good.text() + "]") }, keep},
		{"no JSON", RefusedBody, func(r raw) raw { return r.withBody(good.text()[1:]) }, keep},
		{"data after it", RefusedBody, func(r raw) raw { return r.withBody(good.text() + "{}") }, func(r raw) raw { return r.withBody(" " + good.text() + "\n") }},
		{"not UTF-8", RefusedBody, text("the prompt", "the \xff prompt"), text("the prompt", "the \u00ff \\ud800 prompt")},
		{"a byte order mark", RefusedBody, func(r raw) raw { return r.withBody("\ufeff" + good.text()) }, keep},
		{"a key twice", RefusedBody, text(`"stream":true`, `"stream":true,"stream":true`), keep},
		{"tools twice", RefusedBody, text(`"stream":true`, `"stream":true,"tools":[{"name":"Bash"}]`), keep},
		{"tools twice, one escaped", RefusedBody, text(`"stream":true`, `"stream":true,"\u0074ools":[]`), text(`"tools":`, `"\u0074ools":`)},
		{"a key twice, further in", RefusedBody, text(`"role":"user"`, `"role":"user","role":"user"`), keep},
		{"nested too deep", RefusedBody, body(content(block("tool_use", "input", nested(maxNesting)))), body(content(block("tool_use", "input", nested(maxNesting-6))))},
		{"too many values", RefusedBody, body(content(block("tool_use", "input", make([]int, maxValues)))), body(content(block("tool_use", "input", make([]int, maxValues-100))))},
		{"servers of tools", RefusedKey, body(good.with("mcp_servers", []any{})), keep},
		{"a container", RefusedKey, body(good.with("container", "c")), keep},
		{"a choice of tool", RefusedKey, body(good.with("tool_choice", map[string]any{"type": "any"})), keep},
		{"another speed", RefusedKey, body(good.with("speed", "fast")), keep},
		{"a tier of service", RefusedKey, body(good.with("service_tier", "auto")), keep},
		{"a fallback", RefusedKey, body(good.with("fallbacks", []any{})), keep},
		{"tools in another case", RefusedKey, body(good.with("Tools", []any{goodTool()})), keep},
		{"another model", RefusedModel, body(good.with("model", "claude-opus-5-5")), keep},
		{"the model in another case", RefusedModel, body(good.with("model", "Claude-sonnet-5-5")), keep},
		{"a longer model", RefusedModel, body(good.with("model", testModel+"[1m]")), keep},
		{"no model", RefusedModel, func(r raw) raw {
			d := good.with("x", 1)
			delete(d, "x")
			delete(d, "model")
			return r.withBody(d.text())
		}, keep},
		{"a model that is no text", RefusedModel, body(good.with("model", []any{testModel})), keep},
		{"no tools", RefusedTools, func(r raw) raw {
			d := good.with("x", 1)
			delete(d, "x")
			delete(d, "tools")
			return r.withBody(d.text())
		}, keep},
		{"an empty list of tools", RefusedTools, body(good.with("tools", []any{})), keep},
		{"null for tools", RefusedTools, body(good.with("tools", nil)), keep},
		{"a second tool", RefusedTools, body(good.with("tools", []any{goodTool(), tool("name", "Bash")})), body(good.with("tools", []any{goodTool()}))},
		{"the tool twice", RefusedTools, body(good.with("tools", []any{goodTool(), goodTool()})), keep},
		{"another tool", RefusedTools, body(good.with("tools", []any{tool("name", "Bash")})), keep},
		{"the tool in another case", RefusedTools, body(good.with("tools", []any{tool("name", "structuredoutput")})), keep},
		{"a server's tool", RefusedTools, body(good.with("tools", []any{map[string]any{"type": "web_search_20250305", "name": "web_search"}})), keep},
		{"the tool as a server's", RefusedTools, body(good.with("tools", []any{tool("type", "code_execution_20250825")})), keep},
		{"a tool that loads later", RefusedTools, body(good.with("tools", []any{tool("defer_loading", true)})), keep},
		{"another schema", RefusedTools, body(schema(`"integer"`, `"string"`)), body(schema(testSchema, `{"additionalProperties":false,"required":["n"],"properties":{"n":{"type":"\u0069nteger"}},"type":"object"}`))},
		{"a wider schema", RefusedTools, body(schema(`,"additionalProperties":false`, ``)), keep},
		{"no schema", RefusedTools, body(good.with("tools", []any{tool("input_schema", nil)})), keep},
		{"an image", RefusedContent, body(content(block("image", "source", map[string]any{"type": "url", "url": "https://collector.example.invalid/?q="}))), body(content(block("text", "text", "https://collector.example.invalid/")))},
		{"a document", RefusedContent, body(content(block("document", "source", map[string]any{"type": "url", "url": "https://collector.example.invalid/"}))), keep},
		{"an upload", RefusedContent, body(content(block("container_upload", "file_id", "f"))), keep},
		{"a call of a server's tool", RefusedContent, body(content(block("server_tool_use", "name", "web_fetch"))), body(content(block("tool_use", "name", "Bash", "input", map[string]any{})))},
		{"an image in a result", RefusedContent, body(content(block("tool_result", "content", []any{block("image")}))), body(content(block("tool_result", "content", []any{block("text")})))},
		{"a result in a result", RefusedContent, body(content(block("tool_result", "content", []any{block("tool_result")}))), body(content(block("tool_result", "content", "text")))},
		{"a block without a type", RefusedContent, body(content(map[string]any{"text": "x"})), keep},
		{"an image for the system", RefusedContent, body(good.with("system", []any{block("image")})), body(good.with("system", "ours"))},
		{"another role", RefusedContent, body(good.with("messages", []any{map[string]any{"role": "developer", "content": "x"}})), body(good.with("messages", []any{map[string]any{"role": "assistant", "content": "x"}}))},
		{"tools of a message", RefusedContent, body(good.with("messages", []any{map[string]any{"role": "system", "content": "x", "tools": []any{}}})), keep},
		{"a message's format", RefusedContent, body(good.with("messages", []any{map[string]any{"role": "system", "content": "x", "output_config": map[string]any{"format": 1}}})), keep},
		{"no messages", RefusedContent, body(good.with("messages", []any{})), keep},
		{"another edit of the context", RefusedContent, body(good.with("context_management", map[string]any{"edits": []any{block("compact_20260112")}})), body(good.with("context_management", map[string]any{"edits": []any{}}))},
		{"an edit without a list", RefusedContent, body(good.with("context_management", map[string]any{})), keep},
		{"another configuration", RefusedContent, body(good.with("output_config", map[string]any{"task_budget": 1})), body(good.with("output_config", map[string]any{}))},
		{"another metadata", RefusedContent, body(good.with("metadata", map[string]any{"x": 1})), keep},
		{"another thinking", RefusedContent, body(good.with("thinking", map[string]any{"type": "enabled", "tools": 1})), body(good.with("thinking", map[string]any{"type": "enabled", "budget_tokens": 1}))},
		{"a stream that is no boolean", RefusedContent, body(good.with("stream", "true")), body(good.with("stream", false))},
		{"too long an answer", RefusedTokens, body(good.with("max_tokens", 64_001)), body(good.with("max_tokens", 64_000))},
		{"no bound of the answer", RefusedTokens, body(good.without("max_tokens")), keep},
		{"a negative bound", RefusedTokens, body(good.with("max_tokens", -1)), keep},
		{"a bound that is null", RefusedTokens, body(good.with("max_tokens", nil)), keep},
		{"a bound that overflows", RefusedTokens, text(`"max_tokens":64000`, `"max_tokens":18446744073709551617`), keep},
		{"a bound with a fraction", RefusedTokens, text(`"max_tokens":64000`, `"max_tokens":64000.5`), keep},
	} {
		t.Run(test.name, func(t *testing.T) {
			api := newHost(t, answering())
			b := newBroker(t, api.URL)
			response, answer := exchange(t, b, test.breaks(goodRaw(b)).String())
			if response == nil || response.StatusCode != http.StatusForbidden || answer != refusedAnswer || len(response.Header) > 4 {
				t.Errorf("answer: %v %q", response, answer)
			}
			select {
			case <-b.Ended():
			default:
				t.Error("the Run goes on")
			}
			if response, answer := exchange(t, b, goodRaw(b).String()); response == nil || response.StatusCode != http.StatusForbidden || answer != refusedAnswer {
				t.Errorf("a good one after it: %v %q", response, answer)
			}
			usage, refused := b.Close()
			if refused != test.refused || refused.Code() != contract.CodeEngineEgress {
				t.Errorf("refused for %q, code %q, want %q", refused, refused.Code(), test.refused)
			}
			if api.count() != 0 || usage != (contract.Usage{Complete: true}) {
				t.Errorf("%d requests reached the host, usage %+v", api.count(), usage)
			}
			near := newBroker(t, api.URL)
			if response, answer := exchange(t, near, test.nearMiss(goodRaw(near)).String()); response == nil || response.StatusCode != http.StatusOK || answer != sse(answerEvents()...) {
				t.Errorf("the near miss: %v %q", response, answer)
			}
			if _, refused := near.Close(); refused != "" || api.count() != 1 {
				t.Errorf("the near miss: refused for %q, %d requests", refused, api.count())
			}
		})
	}
}

func headerOf(r raw, name string) string {
	for _, header := range r.headers {
		if strings.HasPrefix(header, name+":") {
			return header
		}
	}
	return ""
}

func (d asked) without(key string) asked {
	changed := d.with(key, nil)
	delete(changed, key)
	return changed
}

// chunked sends a body in chunks of 64 KiB at most.
func chunked(r raw, body string) raw {
	r = r.header("Content-Length", "Transfer-Encoding: chunked")
	var out strings.Builder
	for len(body) > 0 {
		part := body[:min(len(body), 64<<10)]
		body = body[len(part):]
		fmt.Fprintf(&out, "%x\r\n%s\r\n", len(part), part)
	}
	out.WriteString("0\r\n\r\n")
	r.body = out.String()
	return r
}

func nested(depth int) any {
	var value any = map[string]any{}
	for range depth {
		value = []any{value}
	}
	return value
}
