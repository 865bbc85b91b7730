package kernel

import (
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

const (
	// flightTime is how long a workflow run is believed to be working: longer than all its jobs may take.
	flightTime = 60 * time.Minute
	// budgetTime is the window that budgets count in.
	budgetTime = 24 * time.Hour
)

// runInFlight: an earlier workflow run for this item has not ended, and has seen the item as it stands. An event that tells
// of a change whose time no fact tells, such as a retarget or a draft that is ready, never waits for another: the run in
// flight may have seen the item before.
func runInFlight(in Input) bool {
	if !asks(in) || !timed(in.Asked.Action) {
		return false
	}
	changed, name := lastChange(in), title(in)
	for _, run := range in.Facts.Records.WorkflowRuns {
		if run.ID < in.Workflow.RunID && run.Title.Raw() == name && run.Status != "completed" &&
			!run.CreatedAt.Before(changed) && in.Now.Std().Sub(run.CreatedAt.Std()) <= flightTime {
			return true
		}
	}
	return false
}

// timed reports whether all that this action changes of an item is among what lastChange looks at. A dispatch has none.
func timed(action string) bool {
	switch action {
	case "", "opened", "synchronize", "labeled", "unlabeled":
		return true
	}
	return false
}

// lastChange is the last time at which something changed that a Decision rests on. The texts of the item are not: whoever
// wrote them could end every wait by an edit.
func lastChange(in Input) contract.Time {
	_, last := newestCommand(in)
	later := func(t *contract.Time) {
		if t != nil && t.After(last) {
			last = *t
		}
	}
	later(in.Facts.Head.PushedAt)
	for _, event := range in.Facts.LabelEvents {
		later(&event.At)
	}
	return last
}

// budgetItem and budgetRepository count the Runs that reached a model: their Result artifacts.
func budgetItem(in Input) bool {
	return asks(in) && spent(in, true) >= in.Policy.Budget.ItemRunsPerDay
}

func budgetRepository(in Input) bool {
	return asks(in) && spent(in, false) >= in.Policy.Budget.RepositoryRunsPerDay
}

func spent(in Input, ofItem bool) int {
	titles := map[int64]string{}
	for _, run := range in.Facts.Records.WorkflowRuns {
		titles[run.ID] = run.Title.Raw()
	}
	count := 0
	for _, result := range in.Facts.Records.Results {
		if result.WorkflowRunID == in.Workflow.RunID || in.Now.Std().Sub(result.CreatedAt.Std()) > budgetTime {
			continue
		}
		if !ofItem || titles[result.WorkflowRunID] == title(in) {
			count++
		}
	}
	return count
}
