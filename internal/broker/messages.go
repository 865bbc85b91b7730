package broker

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// outputTool is the one tool: through it a CLI that offers no tools gets a structured answer.
const outputTool = "StructuredOutput"

// Messages is the vendor's Messages API, as Claude Code 2.1.306 was observed to use it with the environment and the arguments
// that this project starts it with.
func Messages() Dialect {
	return Dialect{
		Targets: []string{"/v1/messages?beta=true", "/v1/messages"},
		RequestHeaders: []string{"Accept", "Content-Type", "User-Agent", "Anthropic-Beta", "Anthropic-Version",
			"Anthropic-Dangerous-Direct-Browser-Access", "X-App", "X-Claude-Code-Session-Id", "X-Stainless-*"},
		AnswerHeaders: []string{"Content-Type", "Request-Id", "Retry-After", "X-Should-Retry", "Anthropic-Ratelimit-*"},
		Check:         checkMessages,
		Meter:         func() Meter { return &messagesMeter{} },
	}
}

// Keys and kinds of the requests that were observed. What is not among them could be a server's tool, a file, an address to
// fetch, another price or another sampling, so it is refused and not passed over.
var (
	messagesKeys    = []string{"context_management", "max_tokens", "messages", "metadata", "model", "output_config", "stream", "system", "thinking", "tools"}
	messageKeys     = []string{"content", "output_config", "role"}
	messageRoles    = []string{"assistant", "system", "user"}
	contentTypes    = []string{"redacted_thinking", "text", "thinking", "tool_result", "tool_use"}
	resultTypes     = []string{"text"}
	toolKeys        = []string{"description", "input_schema", "name"}
	outputKeys      = []string{"effort"}
	managementKeys  = []string{"edits"}
	managementEdits = []string{"clear_thinking_20251015"}
	metadataKeys    = []string{"user_id"}
	thinkingKeys    = []string{"budget_tokens", "display", "type"}
)

func checkMessages(body map[string]*node, want Wanted) (int64, Refusal) {
	if !known(body, messagesKeys) {
		return 0, RefusedKey
	}
	if model, ok := body["model"].text(); !ok || model != want.Model {
		return 0, RefusedModel
	}
	if !onlyOutputTool(body["tools"], want.Schema) {
		return 0, RefusedTools
	}
	if !contentOf(body["system"], []string{"text"}) || !messages(body["messages"]) || !settings(body) {
		return 0, RefusedContent
	}
	answer, ok := body["max_tokens"].integer()
	if !ok || answer > want.AnswerTokens {
		return 0, RefusedTokens
	}
	return answer, ""
}

// known reports whether an object has no key beyond the list.
func known(members map[string]*node, keys []string) bool {
	for key := range members {
		if !slices.Contains(keys, key) {
			return false
		}
	}
	return true
}

func onlyOutputTool(n *node, schema []byte) bool {
	tools, ok := n.list()
	if !ok || len(tools) != 1 {
		return false
	}
	tool, ok := tools[0].object()
	if !ok || !known(tool, toolKeys) || tool["input_schema"] == nil {
		return false
	}
	name, isText := tool["name"].text()
	sent, err := contract.Canonicalize(tool["input_schema"].raw)
	return isText && name == outputTool && err == nil && bytes.Equal(sent, schema)
}

// messages reports whether every message is of known roles, keys and content. A message may repeat the call of a tool that
// was never offered, which a CLI answers with an error.
func messages(n *node) bool {
	list, ok := n.list()
	if !ok || len(list) == 0 {
		return false
	}
	for _, item := range list {
		message, ok := item.object()
		if !ok || !known(message, messageKeys) {
			return false
		}
		role, _ := message["role"].text()
		if !slices.Contains(messageRoles, role) || !contentOf(message["content"], contentTypes) || !objectOf(message["output_config"], outputKeys) {
			return false
		}
	}
	return true
}

// contentOf reports whether content is a text, or blocks of the types given. Those of a tool's result are texts.
func contentOf(n *node, types []string) bool {
	if n.isText() {
		return true
	}
	blocks, ok := n.list()
	if !ok {
		return false
	}
	for _, item := range blocks {
		block, ok := item.object()
		kind, isText := block["type"].text()
		if !ok || !isText || !slices.Contains(types, kind) || kind == "tool_result" && block["content"] != nil && !contentOf(block["content"], resultTypes) {
			return false
		}
	}
	return true
}

// settings reports whether what else is set was observed: none of it may cost more or reach further.
func settings(body map[string]*node) bool {
	if !objectOf(body["output_config"], outputKeys) || !objectOf(body["metadata"], metadataKeys) ||
		!objectOf(body["thinking"], thinkingKeys) || !objectOf(body["context_management"], managementKeys) {
		return false
	}
	if management := body["context_management"]; management != nil {
		edits, ok := management.members["edits"].list()
		if !ok {
			return false
		}
		for _, edit := range edits {
			members, _ := edit.object()
			if kind, _ := members["type"].text(); !slices.Contains(managementEdits, kind) {
				return false
			}
		}
	}
	stream := body["stream"]
	return stream == nil || string(stream.raw) == "true" || string(stream.raw) == "false"
}

// objectOf reports whether a value is absent, or an object with no key beyond the list.
func objectOf(n *node, keys []string) bool {
	if n == nil {
		return true
	}
	members, ok := n.object()
	return ok && known(members, keys)
}

// messagesMeter reads the usage of one message: message_start has the input, message_delta the whole output so far, and
// message_stop says that nothing follows.
type messagesMeter struct {
	seen                  tokens
	started, counted, end bool
	broken                bool
}

// messagesUsage is the usage of a message. A field that is absent says nothing new.
type messagesUsage struct {
	InputTokens              *int64 `json:"input_tokens"`
	OutputTokens             *int64 `json:"output_tokens"`
	CacheReadInputTokens     *int64 `json:"cache_read_input_tokens"`
	CacheCreationInputTokens *int64 `json:"cache_creation_input_tokens"`
	CacheCreation            *struct {
		Hour *int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// Event reads one event of a stream. Most are pieces of the answer, which are not looked into.
func (m *messagesMeter) Event(data []byte) {
	if !bytes.Contains(data, []byte("message_")) {
		return
	}
	var event struct {
		Type    string `json:"type"`
		Message struct {
			Usage *messagesUsage `json:"usage"`
		} `json:"message"`
		Usage *messagesUsage `json:"usage"`
	}
	if json.Unmarshal(data, &event) != nil {
		m.broken = true
		return
	}
	switch event.Type {
	case "message_start":
		m.broken = m.broken || m.started
		m.started = true
		m.take(event.Message.Usage)
	case "message_delta":
		m.counted = event.Usage != nil && event.Usage.OutputTokens != nil
		m.take(event.Usage)
	case "message_stop":
		m.end = m.started && m.counted
	}
}

// Whole reads a message that was not streamed.
func (m *messagesMeter) Whole(document []byte) {
	var message struct {
		Type  string         `json:"type"`
		Usage *messagesUsage `json:"usage"`
	}
	if json.Unmarshal(document, &message) != nil || message.Type != "message" || message.Usage == nil ||
		message.Usage.InputTokens == nil || message.Usage.OutputTokens == nil {
		return
	}
	m.take(message.Usage)
	m.end = true
}

// take takes over what a usage says. Counts only grow: a server says the whole so far.
func (m *messagesMeter) take(usage *messagesUsage) {
	if usage == nil {
		return
	}
	grow := func(into *int64, count *int64) {
		if count == nil {
			return
		}
		if !inRange(*count) {
			m.broken = true
			return
		}
		*into = max(*into, *count)
	}
	grow(&m.seen.input, usage.InputTokens)
	grow(&m.seen.output, usage.OutputTokens)
	grow(&m.seen.cacheRead, usage.CacheReadInputTokens)
	if usage.CacheCreation != nil {
		grow(&m.seen.cacheWriteHour, usage.CacheCreation.Hour)
	}
	if usage.CacheCreationInputTokens != nil {
		rest := max(*usage.CacheCreationInputTokens-m.seen.cacheWriteHour, 0) // what is kept for an hour is part of the whole
		grow(&m.seen.cacheWrite, &rest)
	}
}

// Seen is what was read, and whether it is all.
func (m *messagesMeter) Seen() (tokens, bool) { return m.seen, m.end && !m.broken }
