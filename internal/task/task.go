// Package task builds all that the model is given, and counts what it is not.
//
// It promises the same Task from the same bundle, byte for byte, because run builds it for the model and apply builds it
// again to hold the Result to it. Every text is labelled by who wrote it, from ids alone, and is whole or absent: nothing
// is cut. What is left out is counted by kind, what a reader would not see is made visible and counted.
//
// It does not check that the diff is the one the Decision names: the programs hold every file of the bundle to its digest.
// How a Task becomes a prompt is the engine's.
package task

import (
	"fmt"
	"io"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
)

// Input is the bundle. Diff is read once, to its end.
type Input struct {
	Decision contract.Decision
	Facts    contract.Facts
	Role     contract.Role
	Policy   contract.Policy
	Apps     contract.Apps
	Harness  contract.Harness
	Diff     io.Reader
}

// Build makes the Task of an admitted Run. It fails where the configuration lacks the Role's Intent or App,
// and where Diff is not a diff or cannot be read. Memory is bounded by the budgets of the texts, whatever the length of
// the diff.
func Build(in Input) (contract.Task, error) {
	decision := in.Decision
	intent, ok := in.Role.Intent(decision.Intent)
	if !ok {
		return contract.Task{}, fmt.Errorf("build task: role %s has no intent %s", in.Role.Name, decision.Intent)
	}
	app, ok := in.Apps.Named(in.Role.App)
	if !ok {
		return contract.Task{}, fmt.Errorf("build task: the app of role %s, %s, is not in apps.json", in.Role.Name, in.Role.App)
	}
	b := newBuilder(in, app)
	open := ledger.Read(in.Facts, in.Policy, in.Apps, app).For(in.Role).Asked()
	anchors := newAnchorWatch(in.Diff, open)
	if err := b.diff(anchors); err != nil {
		return contract.Task{}, fmt.Errorf("build task: %w", err)
	}
	b.itemTexts()
	b.conversation()
	findings := b.findings(open, anchors)
	return contract.Task{
		Schema:           "task/1",
		Run:              decision.Run,
		Release:          decision.Release,
		Role:             decision.Role,
		Intent:           decision.Intent,
		Tier:             intent.Tier,
		Item:             decision.Item,
		Commit:           decision.Commit,
		ContentID:        decision.ContentID,
		Limits:           intent.Limits,
		PermittedEffects: intent.PermittedEffects,
		Categories:       in.Role.Categories,
		Texts:            b.texts,
		Findings:         findings,
		Omitted:          b.omissions(),
		Escaped:          b.escaped,
	}, nil
}
