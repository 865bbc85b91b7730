package facts

import (
	"strconv"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// CheckPrefix begins the external id of the check that a Run writes for an item, "<run>#<number>#", by which the check is
// found again. A commit may be the head of several pull requests, so the check says which one it is for. After the prefix
// stands its own conclusion, which disregards siblings: the shown one waits for them, and they ask for this one.
func CheckPrefix(run string, number int) string { return run + "#" + strconv.Itoa(number) + "#" }

// checkFor reads an external id: whether it is one for the item, and the own conclusion, nil where it is none.
func checkFor(externalID string, number int) (own *string, found bool) {
	parts := strings.Split(externalID, "#")
	if len(parts) < 2 || !strings.HasPrefix(parts[0], "run-") || parts[1] != strconv.Itoa(number) {
		return nil, false
	}
	if len(parts) != 3 {
		return nil, true
	}
	switch parts[2] {
	case contract.ConclusionSuccess, contract.ConclusionFailure, contract.ConclusionActionRequired, contract.ConclusionNeutral:
		return &parts[2], true
	}
	return nil, true
}
