package refusal

import (
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// State is all that the rules may look at.
type State struct {
	Decision contract.Decision
	Role     contract.Role
	// Task is rebuilt from the bundle, TaskDigest is its digest.
	Task       contract.Task
	TaskDigest string
	// Result is decoded from the bytes that ResultDigest is of.
	Result       contract.Result
	ResultDigest string
	// Fresh are the facts as they are now, and Ledger is what they hold.
	Fresh  contract.Facts
	Ledger ledger.Ledger
	// Diff is the admitted diff.
	Diff *diff.Index
	// Plan is what would be written for this Result.
	Plan plan.Plan
}

// Refusal is why nothing may be written.
type Refusal struct {
	Code contract.Code
	// Where is an id of the Result or the Task, or a field's name; it never holds untrusted text.
	Where string
}

// Rule is one reason to refuse.
type Rule struct {
	Code contract.Code
	// Doc says in one sentence what is refused.
	Doc string
	// Check returns where the rule holds; found is false where it does not.
	Check func(State) (where string, found bool)
}

// Rules lists every rule in the design's order. The two reserved codes push_protected and push_lens_input have none: no type
// of Effect can push.
func Rules() []Rule {
	var rules []Rule
	for _, step := range [][]Rule{origin(), effects(), findings(), dispositions(), request(), texts()} {
		rules = append(rules, step...)
	}
	return rules
}

// Check returns the first Refusal that holds, or nil.
func Check(state State) *Refusal {
	for _, rule := range Rules() {
		if where, found := rule.Check(state); found {
			return &Refusal{Code: rule.Code, Where: safe(where)}
		}
	}
	return nil
}

// safe lets through what an id or a field's name is made of. A Result that was not held to its schema could have other ids.
func safe(where string) string {
	if len(where) > 80 {
		return "(an id that is too long)"
	}
	for _, c := range []byte(where) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '/' && c != '.' && c != '[' && c != ']' {
			return "(an id that is not one)"
		}
	}
	return where
}
