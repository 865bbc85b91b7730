package apply

import (
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/seed-2ea642bd/airlock/internal/account"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/outcome"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// Names of the records.
const (
	appliedFile = "applied.json"
	outcomeFile = "outcome.json"
)

// clearOut makes the directory of the records before anything is written to GitHub, and removes those of an earlier
// execution: a program that breaks off must not leave them as its own.
func (p *program) clearOut() error {
	fault := func(err error) error {
		return p.step.Fault(contract.CodeOutputFailed, "AIRLOCK_OUT cannot be written", "the records would be lost: "+cause(err))
	}
	if err := os.MkdirAll(p.in.out, 0o755); err != nil {
		return fault(err)
	}
	for _, name := range []string{appliedFile, outcomeFile} {
		if err := os.Remove(filepath.Join(p.in.out, name)); err != nil && !os.IsNotExist(err) {
			return fault(err)
		}
	}
	trial, err := os.CreateTemp(p.in.out, ".airlock-*")
	if err != nil {
		return fault(err)
	}
	_ = trial.Close() // nothing was written to it
	if err := os.Remove(trial.Name()); err != nil {
		return fault(err)
	}
	return nil
}

// finish writes the two records whole, the summary and the outputs.
func (p *program) finish(report outcome.Report, applied contract.Applied) error {
	for _, file := range []struct {
		name   string
		record any
	}{{appliedFile, applied}, {outcomeFile, report.Outcome}} {
		data, err := contract.Canonical(file.record)
		if err == nil {
			err = renameio.WriteFile(filepath.Join(p.in.out, file.name), data, 0o644)
		}
		if err != nil {
			return p.step.Fault(contract.CodeOutputFailed, file.name+" could not be written whole", cause(err))
		}
	}
	if err := p.step.Summary(p.summary(report.Outcome, applied)); err != nil {
		return err
	}
	conclusion := ""
	if report.Outcome.Conclusion != nil {
		conclusion = *report.Outcome.Conclusion
	}
	for _, output := range []struct {
		name  string
		value workflow.Value
	}{
		{"status", workflow.Word(report.Outcome.Status, statuses()...)},
		{"fault", workflow.Word(report.Outcome.Fault, faults()...)},
		{"conclusion", workflow.Word(conclusion, conclusions()...)},
	} {
		if err := p.step.Set(output.name, output.value); err != nil {
			return err
		}
	}
	p.say("done", "status", report.Outcome.Status, "fault", report.Outcome.Fault, "conclusion", conclusion)
	return nil
}

// summary is the account of the Run for the step's summary, under GitHub's limit.
func (p *program) summary(o contract.Outcome, applied contract.Applied) string {
	records := account.Records{Decision: &p.bundle.Decision, Task: p.prepared.Task, Result: p.prepared.Result, Applied: &applied, Outcome: &o,
		Changed: p.bundle.Facts.Content.Files, Server: p.step.Input("GITHUB_SERVER_URL", account.DefaultServer)}
	if p.prepared.Plan != nil {
		records.Unseen = p.prepared.Plan.Unseen.Files
	}
	return account.Summary(account.Of(records), workflow.MaxSummaryBytes,
		appliedFile+" and "+outcomeFile+" in this job's artifact hold all of it, and airlock show prints them whole")
}

// The closed sets of the outputs.
func statuses() []string {
	return []string{contract.StatusCompleted, contract.StatusIncomplete, contract.StatusRefused, contract.StatusFailed, contract.StatusSuperseded, contract.StatusNotAdmitted}
}

func faults() []string {
	return []string{contract.FaultNone, contract.FaultItem, contract.FaultSuperseded, contract.FaultEngine, contract.FaultConfiguration, contract.FaultPlatform}
}

func conclusions() []string {
	return []string{contract.ConclusionSuccess, contract.ConclusionFailure, contract.ConclusionActionRequired, contract.ConclusionNeutral}
}
