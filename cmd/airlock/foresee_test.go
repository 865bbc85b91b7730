package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/apply"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// materialOf reads one Run of the data model.
func materialOf(t *testing.T, run string) apply.Material {
	t.Helper()
	folder := t.TempDir()
	if err := writeModel("../../testdata/model", run, folder); err != nil {
		t.Fatal(err)
	}
	m, err := readMaterial(planOptions{bundle: folder, facts: filepath.Join(folder, "facts.json"), result: filepath.Join(folder, "result.json")})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestForeseenEqualsTheRecorded holds that what is foreseen for Run A is how the data model says that it ended.
func TestForeseenEqualsTheRecorded(t *testing.T) {
	f, err := foresee(materialOf(t, "A"))
	if err != nil {
		t.Fatal(err)
	}
	o := f.report.Outcome
	const run = "run-db93904f83c62707abbb84a5"
	if o.Status != contract.StatusCompleted || !slices.Equal(o.Reasons, []contract.Code{contract.CodeGatingFindingsOpen}) ||
		!slices.Equal(o.GatingOpen, []string{run + "/f1", run + "/f2", run + "/f4"}) || o.Effects != (contract.EffectCounts{Applied: 1}) ||
		f.report.Check == nil || f.report.Check.Conclusion != contract.ConclusionFailure {
		t.Errorf("foreseen is %+v with the check %+v", o, f.report.Check)
	}
}

// TestForeseenWhatStands holds that an Effect whose key the item holds already is said to stand.
func TestForeseenWhatStands(t *testing.T) {
	m := materialOf(t, "A")
	first, err := foresee(m)
	if err != nil {
		t.Fatal(err)
	}
	review := first.prepared.Plan.Review()
	m.Fresh.Reviews = append(m.Fresh.Reviews, contract.Review{At: m.Now, Author: contract.User{ID: first.prepared.App.BotUserID, Login: untrusted.New("pr-review[bot]"), Type: "Bot"},
		Commit: review.Commit, ID: 51001, NodeID: "PRR_a", State: "COMMENTED", Text: untrusted.New(review.Body)})
	again, err := foresee(m)
	if err != nil {
		t.Fatal(err)
	}
	if !again.stands() || !again.standing["e1"] || again.report.Outcome.Effects != (contract.EffectCounts{AlreadyApplied: 1}) {
		t.Errorf("ending %v, standing %v, effects %+v", again.prepared.Ending, again.standing, again.report.Outcome.Effects)
	}
}

// TestForeseenCeiling holds that an Effect over the App's ceiling ends the plan there: the ones after it are not attempted,
// and the Run would fail.
func TestForeseenCeiling(t *testing.T) {
	m := materialOf(t, "B")
	m.Bundle.Apps.Apps[0].Ceiling = map[string]string{"checks": "write", "metadata": "read"}
	f, err := foresee(m)
	if err != nil {
		t.Fatal(err)
	}
	o := f.report.Outcome
	if o.Effects != (contract.EffectCounts{Refused: 1, NotAttempted: 2}) || o.Status != contract.StatusFailed || o.Reasons[0] != contract.CodeIdentityCeiling {
		t.Errorf("ending %v, foreseen %+v", f.prepared.Ending, o)
	}
	if slices.Contains(o.GatingOpen, "run-1ca64a37f06e75eabc7d6e40/f1") {
		t.Error("a Finding counts as open that no Effect would post")
	}
}
