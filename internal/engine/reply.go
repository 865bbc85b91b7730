package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// loggedOut is what the CLI says instead of an answer when it holds no credential. Nothing else in its output tells that
// case from an unreachable server.
const loggedOut = "Not logged in · Please run /login"

// reply is what is read of the one JSON object that the CLI prints. The allowlist of fields that may be kept is: the
// answer, the numbers, and whether the rest equals a constant. Everything else of the object may be prose or the words of
// a server, is compared here and goes no further; errors, usage and permission_denials are not even read.
type reply struct {
	Type             string                   `json:"type"`
	Subtype          string                   `json:"subtype"`
	IsError          *bool                    `json:"is_error"`
	StructuredOutput json.RawMessage          `json:"structured_output"`
	Result           equals                   `json:"result"`
	APIError         string                   `json:"api_error"`
	APIErrorStatus   *int                     `json:"api_error_status"`
	StopReason       string                   `json:"stop_reason"`
	TerminalReason   string                   `json:"terminal_reason"`
	SessionID        string                   `json:"session_id"`
	NumTurns         int64                    `json:"num_turns"`
	ModelUsage       map[string]modelUsageRow `json:"modelUsage"`
}

type modelUsageRow struct {
	InputTokens              int64   `json:"inputTokens"`
	OutputTokens             int64   `json:"outputTokens"`
	CacheReadInputTokens     int64   `json:"cacheReadInputTokens"`
	CacheCreationInputTokens int64   `json:"cacheCreationInputTokens"`
	CostUSD                  float64 `json:"costUSD"`
}

// equals remembers of a text only that it is [loggedOut].
type equals bool

// UnmarshalJSON compares the text and lets it go.
func (e *equals) UnmarshalJSON(data []byte) error {
	var text string
	err := json.Unmarshal(data, &text)
	*e = equals(err == nil && text == loggedOut)
	return nil
}

// errReply says nothing of the input, which is untrusted.
var errReply = errors.New("not one JSON object of the known form")

// readReply reads standard output: exactly one object of type "result", numbers in range.
func readReply(stdout []byte) (*reply, error) {
	decoder := json.NewDecoder(bytes.NewReader(stdout))
	var read reply
	if err := decoder.Decode(&read); err != nil {
		return nil, errReply
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errReply
	}
	if read.Type != "result" || read.IsError == nil || !inRange(read.NumTurns) ||
		read.APIErrorStatus != nil && (*read.APIErrorStatus < 100 || *read.APIErrorStatus > 599) {
		return nil, errReply
	}
	for _, row := range read.ModelUsage {
		if !inRange(row.InputTokens) || !inRange(row.OutputTokens) || !inRange(row.CacheReadInputTokens) ||
			!inRange(row.CacheCreationInputTokens) || !(row.CostUSD >= 0 && row.CostUSD <= maxDollars) {
			return nil, errReply
		}
	}
	if string(read.StructuredOutput) == "null" {
		read.StructuredOutput = nil
	}
	return &read, nil
}

func inRange(n int64) bool { return n >= 0 && n <= contract.MaxInteger }

// usage reads what the call cost from the row of the model that was asked for: the CLI's own usage field leaves calls out.
// Requests is the CLI's count of turns, which can differ from the requests on the wire by one. No reply is no usage.
func (r *reply) usage(model string) contract.Usage {
	if r == nil {
		return contract.Usage{}
	}
	row, called := r.ModelUsage[model]
	usage := contract.Usage{
		InputTokens: row.InputTokens, OutputTokens: row.OutputTokens,
		CacheReadTokens: row.CacheReadInputTokens, CacheWriteTokens: row.CacheCreationInputTokens,
		CostMicrousd: microdollars(row.CostUSD),
	}
	if called {
		usage.Requests = max(r.NumTurns-1, 1)
	}
	return usage
}

// maxDollars bounds money such that micro-dollars fit a record.
const maxDollars = 1e9

// microdollars converts dollars between 0 and [maxDollars], rounded up to a whole micro-dollar. A billionth of a dollar is
// dropped first: it is the noise of the CLI's own sums, and 0.002093 would become one more.
func microdollars(dollars float64) int64 {
	billionths := math.Round(dollars * 1e9)
	return int64(math.Ceil(billionths / 1e3))
}
