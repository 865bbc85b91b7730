package refusal_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/apply"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/kernel"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/refusal"
	"github.com/seed-2ea642bd/airlock/internal/task"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// Ids of the data model.
const (
	runA                   = "run-db93904f83c62707abbb84a5"
	runB                   = "run-1ca64a37f06e75eabc7d6e40"
	openF1, openF2, openF4 = runA + "/f1", runA + "/f2", runA + "/f4"
	diffB                  = "diff:ec1bf5b7b040304c281a5c779f606867c3c4c210bd7875b52c9a2ba05a1c8e26"
	// token has the shape of a credential and is none.
	token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
)

// world is what apply has read of one Run of the data model before it writes: Fresh begins as what decide saw.
type world struct {
	t testing.TB
	apply.Material
	Result contract.Result
	// bytes are result.json where they are not the Result's.
	bytes []byte
	// evals says whether the eval set is there when decide asks again.
	evals bool
}

// model is the world of Run "A" or "B", which nothing refuses.
func model(t testing.TB, run string) *world {
	t.Helper()
	w := &world{t: t, evals: true}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "model", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	decode := func(name string, record any) {
		if err := contract.Decode(read(name), record); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	b := &w.Bundle
	b.Diff = read(run + ".diff.patch")
	decode(run+".decision.json", &b.Decision)
	decode(run+".facts.json", &b.Facts)
	decode("role.json", &b.Role)
	decode("policy.json", &b.Policy)
	decode("apps.json", &b.Apps)
	decode("harness.json", &b.Harness)
	decode(run+".facts.json", &w.Fresh)
	decode("policy.json", &w.Policy)
	decode(run+".result.json", &w.Result)
	w.Release, w.Now = b.Decision.Release, w.Fresh.ReadAt
	return w
}

// both lets something be so in the bundle's facts and in the fresh ones.
func (w *world) both(change func(*contract.Facts)) {
	change(&w.Bundle.Facts)
	change(&w.Fresh)
}

// review is the Result's.
func (w *world) review() *contract.SubmitReviewEffect { return w.Result.Effects[0].SubmitReview }

func (w *world) intent() *contract.Intent { return &w.Bundle.Role.Intents[0] }

// decides asks the Kernel for the bundle as it is now, in place of the Decision that admitted.
func (w *world) decides() {
	b := &w.Bundle
	was := b.Decision
	b.Decision = kernel.Decide(kernel.Input{Facts: b.Facts, Policy: b.Policy, Apps: b.Apps, Role: b.Role, Intent: was.Intent, EvalsPresent: w.evals,
		Asked: was.Asked, Workflow: was.Workflow, Now: was.DecidedAt}, was.Release, was.Inputs)
}

func (w *world) task() (contract.Task, string) {
	w.t.Helper()
	b := w.Bundle
	built, err := task.Build(task.Input{Decision: b.Decision, Facts: b.Facts, Role: b.Role, Policy: b.Policy, Apps: b.Apps, Harness: b.Harness, Diff: bytes.NewReader(b.Diff)})
	if err != nil {
		w.t.Fatal(err)
	}
	digest, err := contract.DigestOf(built)
	if err != nil {
		w.t.Fatal(err)
	}
	return built, digest
}

// answersTask lets the Result answer the Task that the bundle makes now, as run would have. The Task of the data model was
// made with the model's own budgets, so the digest is the same where nothing was changed.
func (w *world) answersTask() {
	w.t.Helper()
	_, w.Result.Task = w.task()
}

// prepare goes the way of apply up to its first write, from bytes on.
func (w *world) prepare() apply.Prepared {
	w.t.Helper()
	m := w.Material
	if m.Result = w.bytes; m.Result == nil && m.Missing == "" {
		data, err := contract.Canonical(w.Result)
		if err != nil {
			w.t.Fatal(err)
		}
		m.Result = data
	}
	prepared, err := apply.Prepare(m)
	if err != nil {
		w.t.Fatal(err)
	}
	return prepared
}

// state is what the rules are asked about, without the schema and the Kernel before them: for what they never let through.
func (w *world) state() refusal.State {
	w.t.Helper()
	b := w.Bundle
	app := b.Apps.Apps[0]
	s := refusal.State{Decision: b.Decision, Role: b.Role, Result: w.Result,
		Fresh: w.Fresh, Ledger: ledger.Read(w.Fresh, w.Policy, b.Apps, app), Diff: diff.NewIndex(b.Diff)}
	s.Task, s.TaskDigest = w.task()
	data, err := contract.Canonical(w.Result)
	if err != nil {
		w.t.Fatal(err)
	}
	s.ResultDigest = contract.Digest(data)
	w.planned(&s)
	return s
}

// planned makes the Plan of what a State holds now.
func (w *world) planned(s *refusal.State) {
	w.t.Helper()
	b, app := w.Bundle, w.Bundle.Apps.Apps[0]
	p, err := plan.Build(plan.Input{Decision: s.Decision, Policy: b.Policy, Apps: b.Apps, App: app, Task: s.Task,
		Result: s.Result, ResultDigest: s.ResultDigest, Facts: b.Facts, Ledger: ledger.Read(b.Facts, b.Policy, b.Apps, app), Diff: s.Diff})
	if err != nil {
		w.t.Fatal(err)
	}
	s.Plan = p
}

func text(s string) untrusted.Text { return untrusted.New(s) }

func pointer[T any](v T) *T { return &v }
