package facts_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// TestRecordsOnPageFive puts 450 newer workflow runs and artifacts before the run and the Result that count: both are read, at one
// call for each hundred of a list.
func TestRecordsOnPageFive(t *testing.T) {
	const many, counts = 450, emulatortest.RunID - 5000
	snapshot, client := read(t, emulator.Options{}, func(seed *emulator.Seed) {
		old, now := emulatortest.Now.Add(-20*time.Hour), emulatortest.Now.Add(-time.Hour)
		add := func(id int64, title, artifact string, at time.Time) {
			seed.WorkflowRuns = append(seed.WorkflowRuns, &emulator.Run{ID: id, WorkflowID: emulatortest.WorkflowID, Title: title, Status: "completed", Conclusion: "success", CreatedAt: at})
			seed.Artifacts = append(seed.Artifacts, &emulator.Artifact{Name: artifact, RunID: id, Zip: []byte("PK"), CreatedAt: at, ExpiresAt: now.Add(24 * time.Hour)})
		}
		add(counts, "airlock pr-review #12", "airlock-result-pr-review-12-1", old)
		for i := range int64(many) {
			add(emulatortest.RunID-1000+i, "airlock pr-review #9", fmt.Sprintf("logs-%d", i), now)
		}
	})
	records := snapshot.Facts.Records
	at := slices.IndexFunc(records.WorkflowRuns, func(run contract.WorkflowRun) bool { return run.ID == counts })
	if n := len(records.WorkflowRuns); n != many+2 || at < 400 {
		t.Errorf("%d runs, the one that counts is at %d", n, at)
	}
	if len(records.Results) != 1 || records.Results[0].WorkflowRunID != counts {
		t.Errorf("results %+v", records.Results)
	}
	if got := incomplete(snapshot.Facts); got != "" {
		t.Errorf("incomplete: %s: %v", got, snapshot.Faults)
	}
	// Six for the rest, one of them the first page of the runs, then four more pages of the runs and five of the artifacts.
	if calls := client.Calls().REST; calls != 6+4+5 {
		t.Errorf("%d REST calls", calls)
	}
}
