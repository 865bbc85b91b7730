package main

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/account"
	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/schema"
	"github.com/seed-2ea642bd/airlock/internal/task"
)

// accounts puts together what is of one Run, an account for each attempt to apply it, in the order of their times.
func (f *found) accounts(server string) []account.Account {
	var accounts []account.Account
	for _, run := range f.runs() {
		shared := account.Records{Server: server}
		var digest string
		for _, r := range f.of(run) {
			switch {
			case r.decision != nil:
				shared.Decision = r.decision
			case r.task != nil:
				shared.Task = r.task
			case r.result != nil:
				shared.Result, digest = r.result, r.digest
			}
		}
		f.fromBundle(&shared)
		attempts := f.attempts(run)
		if len(attempts) == 0 {
			accounts = append(accounts, account.Of(shared))
		}
		for _, attempt := range attempts {
			accounts = append(accounts, f.attempt(run, attempt, shared, digest))
		}
	}
	slices.SortStableFunc(accounts, func(a, b account.Account) int {
		return cmp.Or(cmp.Compare(timeOf(a), timeOf(b)), cmp.Compare(a.Run, b.Run), cmp.Compare(a.Attempt, b.Attempt))
	})
	account.Join(accounts)
	return accounts
}

// attempt is the account of one attempt. A Result that is not the one which was applied says nothing of it.
func (f *found) attempt(run string, attempt int, shared account.Records, digest string) account.Account {
	records := shared
	for _, r := range f.of(run) {
		switch {
		case r.applied != nil && r.attempt == attempt:
			records.Applied = r.applied
		case r.outcome != nil && r.attempt == attempt:
			records.Outcome = r.outcome
		}
	}
	other := records.Applied != nil && records.Applied.Result != nil && digest != "" && records.Applied.Result.SHA256 != digest
	if other {
		records.Result = nil
	}
	made := account.Of(records)
	if other {
		made.Notes = append(made.Notes, "The result/1 that is here is another than the one that was applied, so what was asked for is not shown.")
	}
	return made
}

// timeOf orders accounts: the times of a record have one form and length.
func timeOf(a account.Account) string {
	for _, at := range []*contract.Time{a.Times.DecidedAt, a.Times.StartedAt, a.Times.EndedAt} {
		if at != nil {
			return at.String()
		}
	}
	return ""
}

// runs lists the ids, in the order in which they were read.
func (f *found) runs() []string {
	var runs []string
	for _, r := range f.records {
		if !slices.Contains(runs, r.run) {
			runs = append(runs, r.run)
		}
	}
	return runs
}

func (f *found) of(run string) []record {
	var list []record
	for _, r := range f.records {
		if r.run == run {
			list = append(list, r)
		}
	}
	return list
}

// attempts lists the attempts to apply a Run of which there is a record.
func (f *found) attempts(run string) []int {
	var attempts []int
	for _, r := range f.of(run) {
		if r.attempt > 0 && !slices.Contains(attempts, r.attempt) {
			attempts = append(attempts, r.attempt)
		}
	}
	slices.Sort(attempts)
	return attempts
}

// fromBundle takes the files of the change from the files that the Decision names by digest, where they are there: all of them to
// say which the model was not shown, the facts alone to know which there are.
func (f *found) fromBundle(r *account.Records) {
	if r.Decision == nil {
		return
	}
	in := r.Decision.Inputs
	var facts contract.Facts
	if data, there := f.files[in.Facts.SHA256]; there && schema.Decode("facts/1", data, &facts) == nil {
		r.Changed = facts.Content.Files
	}
	decision, err := contract.DigestOf(*r.Decision)
	if err != nil {
		return
	}
	files := map[string][]byte{}
	for name, digest := range map[string]string{bundle.DecisionFile: decision, bundle.FactsFile: in.Facts.SHA256, bundle.DiffFile: in.Diff.SHA256,
		bundle.RoleFile: in.Manifest.SHA256, bundle.PromptFile: in.Prompt.SHA256, bundle.PolicyFile: in.Policy.SHA256,
		bundle.AppsFile: in.Apps.SHA256, bundle.HarnessFile: in.Harness.SHA256} {
		files[name] = f.files[digest]
	}
	opened, err := bundle.Open(files, decision)
	if err != nil {
		return // a part of it is not here
	}
	if r.Task == nil {
		built, err := task.Build(task.Input{Decision: opened.Decision, Facts: opened.Facts, Role: opened.Role, Policy: opened.Policy,
			Apps: opened.Apps, Harness: opened.Harness, Diff: bytes.NewReader(opened.Diff)})
		if err != nil {
			return
		}
		r.Task = &built
	}
	r.Unseen = plan.UnseenIn(*r.Task, opened.Facts, diff.NewIndex(opened.Diff)).Files
}
