package outcome

import (
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
)

// OpenOf reads from the summary of a check what was open when it was written: the ids, of which a check lists a hundred. No
// writer of the repository can change it, because GitHub lets a check be changed by the App that made it alone.
func OpenOf(summary string) []string {
	var ids []string
	listed := false
	for line := range strings.Lines(summary) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "#") {
			listed = line == headingOpen
		}
		id, ok := strings.CutPrefix(line, "- `")
		if id, closed := strings.CutSuffix(id, "`"); listed && ok && closed && ledger.IsFindingID(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Lost gives those of the ids, which were open when an earlier Run wrote its check, that the ledger does not hold any more. A
// Finding that lost its id to an edit is still there, under one that is of no Run; as soon as a maintainer has settled it, it
// stands for one that is missing of the Run that posted it.
func Lost(read ledger.Ledger, open []string) []string {
	there := map[string]bool{}
	settled := map[string]int{}
	for _, f := range read.Findings {
		there[f.ID] = true
		for _, place := range f.Places {
			there[contract.AlteredID(place)] = true
		}
		if f.Edited && !f.Open && runOf(f.ID) != f.Run {
			settled[f.Run]++
		}
	}
	missing := map[string]int{}
	for _, id := range open {
		if !there[id] {
			missing[runOf(id)]++
		}
	}
	return slices.DeleteFunc(slices.Clone(open), func(id string) bool { return there[id] || missing[runOf(id)] <= settled[runOf(id)] })
}

func runOf(finding string) string {
	run, _, _ := strings.Cut(finding, "/")
	return run
}
