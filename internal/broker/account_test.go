package broker

import (
	"io"
	"log"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

func newQuiet() *log.Logger { return log.New(io.Discard, "", 0) }

// TestBrokerBudget holds that a call is made only if the worst it can cost is left, and what is left after each kind of end.
func TestBrokerBudget(t *testing.T) {
	body := int64(len(goodAsked().text()))
	// Each byte a token, all written for an hour at 4 dollars a million, and 64,000 tokens of answer at 10.
	worstCall := (body+overhead)*4 + 64_000*10
	for name, test := range map[string]struct {
		budget   int64
		host     http.HandlerFunc
		forwards int
		refused  Refusal
	}{
		"exactly the worst":                     {worstCall, answering(), 1, RefusedBudget},
		"one less":                              {worstCall - 1, answering(), 0, RefusedBudget},
		"what was not used is left":             {worstCall + 2*419, answering(), 3, RefusedBudget},
		"what was not used, one less":           {worstCall + 2*419 - 2, answering(), 2, RefusedBudget},
		"an error costs nothing":                {worstCall, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(529) }, 8, RefusedCount},
		"a broken call may have cost the worst": {2*worstCall - 1, streaming(sse(answerEvents()[:3]...)), 1, RefusedBudget},
		"two broken calls":                      {2 * worstCall, streaming(sse(answerEvents()[:3]...)), 2, RefusedBudget},
		"a call that says it cost more":         {3 * worstCall, streaming(strings.ReplaceAll(sse(answerEvents()...), `:20}`, `:200000}`)), 1, RefusedBudget},
	} {
		t.Run(name, func(t *testing.T) {
			api := newHost(t, test.host)
			b := newBroker(t, api.URL, func(c *Config) { c.BudgetMicrousd = test.budget })
			for range 10 {
				exchange(t, b, goodRaw(b).String())
			}
			usage, refused := b.Close()
			if refused != test.refused || api.count() != test.forwards || usage.Requests != int64(test.forwards) {
				t.Errorf("refused for %q after %d, want %q after %d; usage %+v", refused, api.count(), test.refused, test.forwards, usage)
			}
			if refused == RefusedBudget && refused.Code() != contract.CodeEngineBudget {
				t.Errorf("code %s", refused.Code())
			}
		})
	}
}

// TestBrokerWorst holds the two bounds of a request's input.
func TestBrokerWorst(t *testing.T) {
	price := priced()
	price.ContextTokens = 10_000
	for bodyBytes, want := range map[int]int64{0: overhead * 4, 1: (overhead + 1) * 4, 8_000: 10_000 * 4, 8_001: 10_000 * 4, 16 << 20: 10_000 * 4} {
		if got := worst(price, bodyBytes, 5); got != (want+5*10)*1_000_000 {
			t.Errorf("%d bytes: %d, want %d", bodyBytes, got, (want+50)*1_000_000)
		}
	}
	// The most that can come together stays a sum.
	most := contract.Price{CacheReadMicrousd: 1e9, CacheWriteMicrousd: 1e9, CacheWriteHourMicrousd: 1e9, ContextTokens: maxTokens, InputMicrousd: 1e9, OutputMicrousd: 1e9}
	all := tokens{maxTokens, maxTokens, maxTokens, maxTokens, maxTokens}
	if one := all.millionths(most); one <= 0 || one > (math.MaxInt64-1_000_000)/maxRequests {
		t.Errorf("%d requests of %d overflow", maxRequests, one)
	}
}
