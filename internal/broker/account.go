package broker

import (
	"sync"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// Bounds that keep every sum below 2^63, with prices of at most 10^9 micro-dollars for a million tokens, as the schema has it.
const (
	maxTokens   = 10_000_000
	maxRequests = 64
)

// tokens is what one request cost.
type tokens struct {
	input, output, cacheRead, cacheWrite, cacheWriteHour int64
}

// millionths is the cost in millionths of a micro-dollar: prices are for a million tokens.
func (t tokens) millionths(p contract.Price) int64 {
	return t.input*p.InputMicrousd + t.output*p.OutputMicrousd + t.cacheRead*p.CacheReadMicrousd +
		t.cacheWrite*p.CacheWriteMicrousd + t.cacheWriteHour*p.CacheWriteHourMicrousd
}

// inRange reports whether a count can be believed at all.
func inRange(count int64) bool { return count >= 0 && count <= maxTokens }

// overhead is how many tokens a server may add to a request for its own words about tools and messages.
const overhead = 2_000

// worst is the most that a request can cost: each byte of it a token, all of them of the dearest kind of input, as far as the
// model's context reaches, and the longest answer.
func worst(p contract.Price, bodyBytes int, answer int64) int64 {
	input := min(int64(bodyBytes)+overhead, p.ContextTokens)
	dearest := max(p.InputMicrousd, p.CacheReadMicrousd, p.CacheWriteMicrousd, p.CacheWriteHourMicrousd)
	return input*dearest + answer*p.OutputMicrousd
}

// account is what a Run has used. It knows two sums: usage, which was seen and is a lower bound where it is not complete, and
// spent, which is what may have been used at most and is held against the budget.
type account struct {
	price  contract.Price
	budget int64 // micro-dollars
	limit  int64 // requests

	mutex      sync.Mutex
	requests   int64
	incomplete bool
	open       int64 // requests that are not settled yet
	seen       tokens
	spent      int64 // millionths of a micro-dollar
}

// reserve takes the worst that a request can cost from the budget, or says what forbids it.
func (a *account) reserve(cost int64) Refusal {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.requests >= a.limit {
		return RefusedCount
	}
	if a.spent+cost > a.budget*1_000_000 {
		return RefusedBudget
	}
	a.requests++
	a.open++
	a.spent += cost
	return ""
}

// settle puts what was seen in place of what was reserved. Where the request may have cost more than was seen, the
// reservation stays.
func (a *account) settle(reserved int64, seen tokens, whole bool) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.open--
	a.seen.input += seen.input
	a.seen.output += seen.output
	a.seen.cacheRead += seen.cacheRead
	a.seen.cacheWrite += seen.cacheWrite
	a.seen.cacheWriteHour += seen.cacheWriteHour
	cost := seen.millionths(a.price)
	if !whole {
		a.incomplete = true
		cost = max(cost, reserved)
	}
	a.spent += cost - reserved
}

// usage is what was seen so far. A request that is still open makes it incomplete.
func (a *account) usage() contract.Usage {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	const million = 1_000_000
	return contract.Usage{
		CacheReadTokens: a.seen.cacheRead, CacheWriteTokens: a.seen.cacheWrite + a.seen.cacheWriteHour,
		InputTokens: a.seen.input, OutputTokens: a.seen.output,
		CostMicrousd: (a.seen.millionths(a.price) + million - 1) / million,
		Requests:     a.requests, Complete: !a.incomplete && a.open == 0,
	}
}
