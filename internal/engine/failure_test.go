package engine

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/standin"
)

// canary stands wherever a server or a model may put text that must not be kept.
const canary = "CANARY-8c1f"

// realFailures are the ends that a server can cause in the real CLI. Each names its row of the taxonomy.
var realFailures = []struct {
	name     string
	row      int
	code     contract.Code
	requests int
	usage    contract.Usage // Milliseconds left out
	steps    []standin.Step
}{
	{"401", 10, contract.CodeEngineAuth, 2, contract.Usage{}, []standin.Step{standin.Error(401, "authentication_error", canary, nil)}},
	{"401 invalid key", 10, contract.CodeEngineAuth, 2, contract.Usage{}, []standin.Step{standin.Error(401, "authentication_error", "invalid x-api-key", nil)}},
	{"403", 10, contract.CodeEngineAuth, 1, contract.Usage{}, []standin.Step{standin.Error(403, "permission_error", canary, nil)}},
	{"429 subscription limit", 11, contract.CodeEngineQuota, 1, contract.Usage{}, []standin.Step{standin.Error(429, "rate_limit_error", canary, map[string]string{
		"anthropic-ratelimit-unified-status": "rejected", "anthropic-ratelimit-unified-reset": "4102444800",
		"anthropic-ratelimit-unified-representative-claim": "five_hour"})}},
	{"429", 12, contract.CodeEngineRateLimited, 3, contract.Usage{}, []standin.Step{standin.Error(429, "rate_limit_error", canary, map[string]string{"retry-after": "0"})}},
	{"529", 13, contract.CodeEngineOverloaded, 3, contract.Usage{}, []standin.Step{standin.Error(529, "overloaded_error", canary, nil)}},
	{"500", 13, contract.CodeEngineApiError, 3, contract.Usage{}, []standin.Step{standin.Error(500, "api_error", canary, nil)}},
	{"400 too long", 14, contract.CodeEngineTaskTooLong, 1, contract.Usage{}, []standin.Step{standin.Error(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum", nil)}},
	{"413", 15, contract.CodeEngineTaskTooLong, 1, contract.Usage{}, []standin.Step{standin.Error(413, "request_too_large", canary, nil)}},
	{"404", 16, contract.CodeEngineModelUnknown, 2, contract.Usage{}, []standin.Step{standin.Error(404, "not_found_error", canary, nil)}},
	{"400", 17, contract.CodeEngineRequestRefused, 1, contract.Usage{}, []standin.Step{standin.Error(400, "invalid_request_error", canary, nil)}},
	{"400 credit", 17, contract.CodeEngineRequestRefused, 1, contract.Usage{}, []standin.Step{standin.Error(400, "invalid_request_error", "Your credit balance is too low", nil)}},
	{"refusal", 18, contract.CodeModelRefused, 2, spent(2, 1), []standin.Step{standin.Message("refusal", standin.Text(canary))}},
	{"output limit", 19, contract.CodeModelOutputLimit, 4, spent(4, 3), []standin.Step{standin.Message("max_tokens", standin.Text(canary))}},
	{"not an API", 20, contract.CodeEngineUnreachable, 2, contract.Usage{}, []standin.Step{standin.NotAnAPI()}},
	{"broken stream", 20, contract.CodeEngineUnreachable, 4, lowerBound(contract.Usage{InputTokens: 400, OutputTokens: 4, CacheReadTokens: 44, CacheWriteTokens: 28, Requests: 3, CostMicrousd: 915}), []standin.Step{standin.BrokenStream(canary)}},
	{"invalid answers", 21, contract.CodeResultInvalid, 5, spent(5, 5), []standin.Step{standin.Answer(`{"verdict":"` + canary + `","n":"x","` + canary + `":1}`)}},
	{"budget", 23, contract.CodeEngineBudget, 1, contract.Usage{InputTokens: 2_000_000, OutputTokens: 20, Requests: 1, Complete: true, CostMicrousd: 4000200},
		[]standin.Step{standin.Costing(standin.Usage{Input: 2_000_000, Output: 20}, "tool_use", standin.Call(standin.OutputTool, goodAnswer))}},
	{"prose only", 26, contract.CodeResultMissing, 2, spent(2, 1), []standin.Step{standin.Prose(canary)}},
}

// spent is what n messages of the stand-in cost, and the CLI's own count of them.
func spent(n, requests int64) contract.Usage {
	return contract.Usage{InputTokens: 100 * n, OutputTokens: 20 * n, CacheReadTokens: 11 * n, CacheWriteTokens: 7 * n, Requests: requests,
		CostMicrousd: costOf(n), Complete: true}
}

// lowerBound is usage that is not all.
func lowerBound(usage contract.Usage) contract.Usage {
	usage.Complete = false
	return usage
}

// costOf is the list price of n messages in micro-dollars, 418.6 each, rounded up.
func costOf(n int64) int64 { return (4186*n + 9) / 10 }

// TestRealClaudeFailures causes, in the real CLI, every failure that a server can cause.
func TestRealClaudeFailures(t *testing.T) {
	for _, failing := range realFailures {
		t.Run(failing.name, func(t *testing.T) {
			api := standin.Start(t, strict(), failing.steps...)
			outcome := ask(t, realClaude(t, api.URL()), requestWith("a change"))
			if outcome.Failure != failing.code {
				t.Errorf("row %d: failure %q, want %q", failing.row, outcome.Failure, failing.code)
			}
			if got := len(api.Requests()); got != failing.requests {
				t.Errorf("%d requests, want %d", got, failing.requests)
			}
			outcome.Usage.Milliseconds = 0
			if outcome.Usage != failing.usage {
				t.Errorf("usage %+v, want %+v", outcome.Usage, failing.usage)
			}
			if strings.Contains(fmt.Sprintf("%+v %s", outcome, outcome.Answer), canary) {
				t.Error("the outcome holds text of the server or of the model")
			}
		})
	}
}

// TestRealClaudeUnreachable holds the end where nobody listens.
func TestRealClaudeUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, listener.Close())
	outcome := ask(t, realClaude(t, "http://"+listener.Addr().String()), requestWith("a change"))
	if outcome.Failure != contract.CodeEngineUnreachable || outcome.Usage.Complete || outcome.Usage.Requests != 0 {
		t.Errorf("failure %q, usage %+v", outcome.Failure, outcome.Usage)
	}
}

// TestRealClaudeCutStream holds the end where the connection is lost in the middle of the message. Whether the CLI has counted
// its beginning then is a race inside it.
func TestRealClaudeCutStream(t *testing.T) {
	api := standin.Start(t, strict(), standin.Cut())
	outcome := ask(t, realClaude(t, api.URL()), requestWith("a change"))
	if outcome.Failure != contract.CodeEngineUnreachable || outcome.Usage.Complete || len(api.Requests()) != 4 {
		t.Errorf("failure %q, usage %+v after %d requests", outcome.Failure, outcome.Usage, len(api.Requests()))
	}
}

// TestRealClaudeRecovers holds the ways in which the CLI comes to an answer after all.
func TestRealClaudeRecovers(t *testing.T) {
	for name, recovering := range map[string]struct {
		requests int
		answer   string
		steps    []standin.Step
	}{
		"prose, then the tool":         {2, goodAnswer, []standin.Step{standin.Prose(canary), standin.Answer(goodAnswer)}},
		"invalid, then valid":          {2, goodAnswer, []standin.Step{standin.Answer(`{"verdict":"maybe","n":1}`), standin.Answer(goodAnswer)}},
		"another tool, then ours":      {2, goodAnswer, []standin.Step{standin.Message("tool_use", standin.Call("Bash", `{"command":"true"}`)), standin.Answer(goodAnswer)}},
		"text and thinking before":     {1, goodAnswer, []standin.Step{standin.Message("tool_use", standin.Thinking(canary), standin.Text(canary), standin.Call(standin.OutputTool, goodAnswer))}},
		"two calls, the last one wins": {1, `{"verdict":"bad","n":2}`, []standin.Step{standin.Message("tool_use", standin.Call(standin.OutputTool, goodAnswer), standin.Call(standin.OutputTool, `{"verdict":"bad","n":2}`))}},
		"overloaded once":              {2, goodAnswer, []standin.Step{standin.Error(529, "overloaded_error", canary, nil), standin.Answer(goodAnswer)}},
	} {
		t.Run(name, func(t *testing.T) {
			api := standin.Start(t, strict(), recovering.steps...)
			outcome := ask(t, realClaude(t, api.URL()), requestWith("a change"))
			if got := string(outcome.Answer); got != recovering.answer || !outcome.Usage.Complete {
				t.Errorf("answer %s, failure %q, want %s", got, outcome.Failure, recovering.answer)
			}
			if got := len(api.Requests()); got != recovering.requests {
				t.Errorf("%d requests, want %d", got, recovering.requests)
			}
		})
	}
}

// TestTaxonomyIsWhole holds that each row of the taxonomy is in the table.
func TestTaxonomyIsWhole(t *testing.T) {
	var rows []int
	for _, row := range failures() {
		rows = append(rows, row.row)
	}
	for want := 1; want <= 26; want++ {
		// Row 2 is seen before or at the start, where there is nothing to observe yet.
		if want != 2 && !slices.Contains(rows, want) {
			t.Errorf("row %d of the taxonomy is not in the table", want)
		}
	}
}
