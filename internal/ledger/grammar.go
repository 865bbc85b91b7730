package ledger

import (
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

var (
	reviewGrammar = grammar{"review", []key{
		{"key", hexadecimal(32)}, {"run", runID}, {"role", contract.IsName}, {"intent", contract.IsName}, {"content", hexadecimal(64)}, {"commit", hexadecimal(40)},
		{"status", oneOf(contract.StatusCompleted, contract.StatusIncomplete, contract.StatusRefused)}, {"omitted", count}}}
	findingGrammar = grammar{"finding", []key{
		{"id", findingID}, {"category", category},
		{"severity", oneOf(contract.SeverityCritical, contract.SeverityMajor, contract.SeverityMinor, contract.SeverityNote)},
		{"anchor", orNone(hexadecimal(32))}, {"fingerprint", hexadecimal(32)}}}
	dispositionGrammar = grammar{"disposition", []key{
		{"key", hexadecimal(32)}, {"run", runID}, {"finding", findingID},
		{"half", oneOf(contract.HalfAuthor, contract.HalfReviewer)},
		{"verdict", oneOf(append(claims(), contract.VerdictAccepted, contract.VerdictRejected)...)},
		{"of", orNone(oneOf(claims()...))}}}
)

func claims() []string {
	return []string{contract.VerdictFixed, contract.VerdictDeclined, contract.VerdictDeferred}
}

func oneOf(words ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(words, s) }
}

func orNone(valid func(string) bool) func(string) bool {
	return func(s string) bool { return s == None || valid(s) }
}

func hexadecimal(digits int) func(string) bool {
	return func(s string) bool { return len(s) == digits && strings.Trim(s, "0123456789abcdef") == "" }
}

func runID(s string) bool {
	digits, ok := strings.CutPrefix(s, "run-")
	return ok && hexadecimal(24)(digits)
}

// IsFindingID reports whether s has the form of a Finding's id everywhere but in its Result.
func IsFindingID(s string) bool { return findingID(s) }

// findingID is "<run>/f<n>", with n from 1 to 999 as in every record.
func findingID(s string) bool {
	run, number, ok := strings.Cut(s, "/f")
	return ok && runID(run) && count(number) && number != "0" && len(number) <= 3
}

// category is what the schemas of the records let one be.
func category(s string) bool {
	return s != "" && len(s) <= 24 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == "" && s[0] != '_'
}

// count is a decimal number below 10^9 without leading zeros.
func count(s string) bool {
	return s != "" && len(s) <= 9 && strings.Trim(s, "0123456789") == "" && (s == "0" || s[0] != '0')
}
