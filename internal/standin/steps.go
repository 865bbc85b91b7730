package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"unicode/utf8"
)

// Step answers one request.
type Step func(exchange)

type exchange struct {
	http.ResponseWriter
	request Request
	count   int // of this request, from 1
	ended   <-chan struct{}
	gone    <-chan struct{}
}

// Block is one block of a message's content, or of a system prompt.
type Block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	Thinking  string          `json:"thinking,omitempty"`
	Signature string          `json:"signature,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
}

// Text is a block of prose.
func Text(text string) Block { return Block{Type: "text", Text: text} }

// Thinking is a block of thinking.
func Thinking(text string) Block {
	return Block{Type: "thinking", Thinking: text, Signature: "c2lnbmF0dXJl"}
}

// Call is a call of a tool with a JSON input, which may be broken JSON when it is streamed.
func Call(tool, input string) Block {
	return Block{Type: "tool_use", Name: tool, Input: json.RawMessage(input)}
}

// Usage is what a message says it cost in tokens.
type Usage struct {
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
}

// StepUsage is what each of the messages here costs unless it says otherwise.
func StepUsage() Usage { return Usage{Input: 100, Output: 20, CacheWrite: 7, CacheRead: 11} }

// Answer is shape A: a call of the output tool with this input.
func Answer(input string) Step { return Message("tool_use", Call(OutputTool, input)) }

// Prose is shape B: text and no call.
func Prose(text string) Step { return Message("end_turn", Text(text)) }

// Message answers with these blocks and a stop reason.
func Message(stop string, blocks ...Block) Step { return Costing(StepUsage(), stop, blocks...) }

// Costing is [Message] at another cost. It streams if it is asked to and else sends one JSON message.
func Costing(usage Usage, stop string, blocks ...Block) Step {
	return func(x exchange) {
		if !x.request.Sent.Stream {
			content := make([]Block, len(blocks))
			for i, block := range blocks {
				content[i] = x.named(block, i)
			}
			x.json(http.StatusOK, map[string]any{
				"id": x.id("msg"), "type": "message", "role": "assistant", "model": x.request.Sent.Model, "content": content,
				"stop_reason": stop, "stop_sequence": nil, "usage": usage,
			})
			return
		}
		x.begin(usage)
		for i, block := range blocks {
			x.stream(i, x.named(block, i))
		}
		x.event("message_delta", map[string]any{
			"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": usage.Output}})
		x.event("message_stop", map[string]any{})
	}
}

// Error is shape F: an HTTP error with a type and a message. Headers may be nil.
func Error(status int, kind, message string, headers map[string]string) Step {
	return func(x exchange) { httpError(x, status, kind, message, headers) }
}

// Silence is shape G: no answer until the client leaves or the test ends.
func Silence() Step {
	return func(x exchange) {
		select {
		case <-x.gone:
		case <-x.ended:
		}
	}
}

// BrokenStream is shape H: a stream that ends in an error event in the middle of a text.
func BrokenStream(text string) Step {
	return func(x exchange) {
		x.begin(StepUsage())
		x.event("content_block_start", map[string]any{"index": 0, "content_block": map[string]any{"type": "text", "text": ""}})
		x.event("content_block_delta", map[string]any{"index": 0, "delta": map[string]any{"type": "text_delta", "text": text}})
		x.event("content_block_stop", map[string]any{"index": 0})
		x.event("error", map[string]any{"error": map[string]any{"type": "overloaded_error", "message": text}})
	}
}

// Cut is shape H: the connection ends in the middle of a message, and before one that is not streamed.
func Cut() Step {
	return func(x exchange) {
		if x.request.Sent.Stream {
			x.begin(StepUsage())
		}
		panic(http.ErrAbortHandler) // the documented way to end a connection
	}
}

// NotAnAPI is shape H: a page of HTML with status 200, as a proxy serves it.
func NotAnAPI() Step {
	return func(x exchange) {
		x.Header().Set("Content-Type", "text/html")
		x.write("<html>hello</html>\n")
	}
}

// Raw sends a body as it is.
func Raw(status int, contentType, body string) Step {
	return func(x exchange) {
		x.Header().Set("Content-Type", contentType)
		x.WriteHeader(status)
		x.write(body)
	}
}

func (x exchange) id(kind string) string { return kind + "_standin" + strconv.Itoa(x.count) }

// named gives a tool call an id that no other request used.
func (x exchange) named(block Block, index int) Block {
	if block.Type == "tool_use" {
		block.ID = fmt.Sprintf("%s_%d", x.id("toolu"), index)
	}
	return block
}

func (x exchange) begin(usage Usage) {
	x.Header().Set("Content-Type", "text/event-stream")
	x.Header().Set("Request-Id", x.id("req"))
	start := usage
	start.Output = 1
	x.event("message_start", map[string]any{"message": map[string]any{
		"id": x.id("msg"), "type": "message", "role": "assistant", "model": x.request.Sent.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": start,
	}})
}

// stream sends one block in two pieces.
func (x exchange) stream(index int, block Block) {
	empty := map[string]any{"type": block.Type}
	var pieces []map[string]any
	halves := func(kind, field, text string) {
		middle := len(text) / 2
		for middle > 0 && !utf8.RuneStart(text[middle]) {
			middle--
		}
		for _, half := range []string{text[:middle], text[middle:]} {
			pieces = append(pieces, map[string]any{"type": kind, field: half})
		}
	}
	switch block.Type {
	case "text":
		empty["text"] = ""
		halves("text_delta", "text", block.Text)
	case "thinking":
		empty["thinking"], empty["signature"] = "", ""
		halves("thinking_delta", "thinking", block.Thinking)
		pieces = append(pieces, map[string]any{"type": "signature_delta", "signature": block.Signature})
	case "tool_use":
		empty["id"], empty["name"], empty["input"] = block.ID, block.Name, map[string]any{}
		halves("input_json_delta", "partial_json", string(block.Input))
	}
	x.event("content_block_start", map[string]any{"index": index, "content_block": empty})
	for _, piece := range pieces {
		x.event("content_block_delta", map[string]any{"index": index, "delta": piece})
	}
	x.event("content_block_stop", map[string]any{"index": index})
}

func (x exchange) event(kind string, data map[string]any) {
	data["type"] = kind
	x.write(fmt.Sprintf("event: %s\ndata: %s\n\n", kind, encoded(data)))
}

// write sends text at once. A client that has left is no fault of the server's.
func (x exchange) write(text string) {
	_, _ = x.Write([]byte(text))
	if flusher, ok := x.ResponseWriter.(http.Flusher); ok {
		flusher.Flush()
	}
}

func (x exchange) json(status int, body any) {
	x.Header().Set("Content-Type", "application/json")
	x.Header().Set("Request-Id", x.id("req"))
	x.WriteHeader(status)
	x.write(encoded(body))
}

func httpError(w http.ResponseWriter, status int, kind, message string, headers map[string]string) {
	for name, value := range headers {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(encoded(map[string]any{ // a client that has left is no fault of the server's
		"type": "error", "error": map[string]any{"type": kind, "message": message}, "request_id": "req_standin"})))
}

// encoded panics on what is not JSON, which a test's script then says itself.
func encoded(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("standin: %v", err))
	}
	return string(data)
}
