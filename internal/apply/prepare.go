package apply

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/kernel"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/refusal"
	"github.com/seed-2ea642bd/airlock/internal/schema"
	"github.com/seed-2ea642bd/airlock/internal/task"
)

// Material is all that is known before anything is written.
type Material struct {
	Bundle bundle.Bundle
	// Result is result.json's bytes; nil where there is none, and then Missing says why.
	Result  []byte
	Missing contract.Code
	// Fresh are the facts as they are now, and Policy is the one at the default branch's head.
	Fresh  contract.Facts
	Policy contract.Policy
	// Release is this program's own.
	Release contract.Release
	Now     contract.Time
}

// Prepared is what is to be done with a Result, and why.
type Prepared struct {
	// Ending are the codes that end the Run before any Effect, in order; empty where the plan is to be written.
	Ending []contract.Code
	// Where says what the last code of the Ending is about, in our words.
	Where string
	// Overtaken says of a Decision that does not admit that it ends by what is read now, and not by its own reasons.
	Overtaken bool
	// Reencoded says that the diff's bytes changed while head and files did not.
	Reencoded bool
	App       contract.App
	// Ledger is what the fresh facts hold.
	Ledger ledger.Ledger
	// Result, Task and Plan are nil where the Run ended before they were made.
	Result *contract.Result
	Digest string
	Task   *contract.Task
	Plan   *plan.Plan
}

// Prepare does everything up to the first write, from values alone, in the design's order: the Result, the Kernel asked
// again, where the Result comes from, and the refusals on what would be written. The error is a fault of the configuration.
func Prepare(m Material) (Prepared, error) {
	decision := m.Bundle.Decision
	p := Prepared{}
	app, ok := m.Bundle.Apps.Named(m.Bundle.Role.App)
	if !ok {
		return p, fmt.Errorf("the app of role %s is not in apps.json", m.Bundle.Role.Name)
	}
	p.App, p.Ledger = app, ledger.Read(m.Fresh, m.Policy, m.Bundle.Apps, app).For(m.Bundle.Role)
	codes := kernel.Reasons(askedAgain(m.Bundle, m.Fresh, m.Policy, m.Now))
	if !decision.Admitted {
		p.notAdmitted(m, codes)
		return p, nil
	}
	p.result(m)
	again := refusal.Superseded(decision, m.Fresh, codes)
	p.Reencoded = again.Reencoded
	switch {
	case p.Result == nil && len(p.Ending) > 0 && !again.Ended():
		return p, nil
	case again.Ended():
		p.Ending, p.Where = again.Codes, ""
		return p, nil
	case m.Release != decision.Release:
		p.Ending, p.Where = []contract.Code{contract.CodeReleaseMismatch}, "this program is of another Release than the Decision"
		return p, nil
	}
	return p, p.refuse(m)
}

// notAdmitted ends a Decision that does not admit by its own reasons, unless the item is over or another one now. A carried
// one speaks of this content, so it is held to all that an admitted one is; only that the content was reviewed is no reason.
func (p *Prepared) notAdmitted(m Material, codes []contract.Code) {
	decision := m.Bundle.Decision
	p.Ending = decision.Reasons
	var over []contract.Code
	switch {
	case decision.Carries != nil:
		codes = slices.DeleteFunc(codes, func(code contract.Code) bool { return code == contract.CodeAlreadyRan })
		over = refusal.Superseded(decision, m.Fresh, codes).Codes
	case slices.Contains(codes, contract.CodeItemClosed):
		over = []contract.Code{contract.CodeSupersededClosed}
	case m.Fresh.Head.Commit != decision.Commit:
		over = []contract.Code{contract.CodeSupersededChanged}
	}
	if len(over) > 0 {
		p.Ending, p.Overtaken = over, true
	}
}

// askedAgain is what the Kernel is asked about a Run that it was asked about before.
func askedAgain(b bundle.Bundle, facts contract.Facts, policy contract.Policy, now contract.Time) kernel.Input {
	return kernel.Input{Facts: facts, Policy: policy, Apps: b.Apps, Role: b.Role, Intent: b.Decision.Intent, EvalsPresent: true,
		Asked: b.Decision.Asked, Workflow: b.Decision.Workflow, Now: now, Run: b.Decision.Run}
}

// result decodes the Result, or says why there is none.
func (p *Prepared) result(m Material) {
	if m.Result == nil {
		p.Ending = []contract.Code{m.Missing}
		return
	}
	var result contract.Result
	if err := schema.Decode("result/1", m.Result, &result); err != nil {
		p.Ending, p.Where = []contract.Code{contract.CodeResultInvalid}, err.Error()
		return
	}
	p.Result, p.Digest = &result, contract.Digest(m.Result)
}

// refuse makes the Task and the plan, and holds the Result to every rule.
func (p *Prepared) refuse(m Material) error {
	b := m.Bundle
	built, err := task.Build(task.Input{Decision: b.Decision, Facts: b.Facts, Role: b.Role, Policy: b.Policy, Apps: b.Apps,
		Harness: b.Harness, Diff: bytes.NewReader(b.Diff)})
	if err != nil {
		return err
	}
	digest, err := contract.DigestOf(built)
	if err != nil {
		return err
	}
	index := diff.NewIndex(b.Diff)
	made, err := plan.Build(plan.Input{Decision: b.Decision, Policy: b.Policy, Apps: b.Apps, App: p.App, Task: built,
		Result: *p.Result, ResultDigest: p.Digest, Facts: b.Facts, Ledger: ledger.Read(b.Facts, b.Policy, b.Apps, p.App).For(b.Role), Diff: index})
	if err != nil {
		return err
	}
	p.Task, p.Plan = &built, &made
	refused := refusal.Check(refusal.State{Decision: b.Decision, Role: b.Role, Task: built,
		TaskDigest: digest, Result: *p.Result, ResultDigest: p.Digest, Fresh: m.Fresh, Ledger: p.Ledger, Diff: index, Plan: made})
	if refused != nil {
		p.Ending, p.Where = []contract.Code{refused.Code}, refused.Where
	}
	return nil
}
