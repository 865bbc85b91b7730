package ledger

import (
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

var (
	reviewGrammar = grammar{"review", []key{
		{"key", hexadecimal(32)}, {"run", runID}, {"role", name}, {"intent", name}, {"content", hexadecimal(64)}, {"commit", hexadecimal(40)},
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

// findingID is "<run>/f<n>", with n from 1 to 999 as in every record.
func findingID(s string) bool {
	run, number, ok := strings.Cut(s, "/f")
	return ok && runID(run) && count(number) && number != "0" && len(number) <= 3
}

// name and category are what the schemas of the records let these be.
func name(s string) bool {
	return len(s) <= 40 && strings.Trim(s, lowerCase+"0123456789-") == "" && startsLower(s)
}

func category(s string) bool {
	return len(s) <= 24 && strings.Trim(s, lowerCase+"_") == "" && startsLower(s)
}

const lowerCase = "abcdefghijklmnopqrstuvwxyz"

func startsLower(s string) bool { return s != "" && s[0] >= 'a' && s[0] <= 'z' }

// count is a decimal number below 10^9 without leading zeros.
func count(s string) bool {
	return s != "" && len(s) <= 9 && strings.Trim(s, "0123456789") == "" && (s == "0" || s[0] != '0')
}
