package facts

import (
	"strconv"
	"strings"
)

// CheckName is the name of a Role's check.
func CheckName(role string) string { return "airlock / " + role }

// CheckExternalID is the external id of the check that a Run writes for an item: "<run>#<number>". A commit may be the
// head of several pull requests, so the check says which one it is for.
func CheckExternalID(run string, number int) string { return run + "#" + strconv.Itoa(number) }

// checkIsFor reports whether an external id names the item.
func checkIsFor(externalID string, number int) bool {
	run, item, found := strings.Cut(externalID, "#")
	return found && strings.HasPrefix(run, "run-") && item == strconv.Itoa(number)
}
