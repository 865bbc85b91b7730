// Package apply is the order of the program that writes: take the bundle and the Result by id and digest, read the item
// again, refuse by the closed list, mint a token narrowed to what is asked, write each Effect once, read it back, report,
// revoke. It never thinks: it links no engine and fetches no code of the change.
package apply

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/effects"
	"github.com/seed-2ea642bd/airlock/internal/facts"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/identity"
	"github.com/seed-2ea642bd/airlock/internal/kernel"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/outcome"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/refusal"
	"github.com/seed-2ea642bd/airlock/internal/release"
	"github.com/seed-2ea642bd/airlock/internal/schema"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// exitMessage is the exit code of a program that ended with one message and without records, most often for its input.
// Where there are records, the end of the Run gives 0 or 1.
const exitMessage = 2

// Environment is all that the program has of the world.
type Environment struct {
	Env       map[string]string
	Clock     func() time.Time
	Transport http.RoundTripper
	Sleep     func(context.Context, time.Duration) error
	Stderr    io.Writer
}

// program is one execution.
type program struct {
	Environment
	in      inputs
	read    *github.Client
	release contract.Release
	start   contract.Time
	bundle  bundle.Bundle
	app     contract.App
	result  []byte
	tokens  *tokens
	step    *workflow.Step
	// prepared is what was made of the files and of the facts read first, for the account of the Run.
	prepared Prepared
	// policyText and policyRead are the last policy file and what it says: each look reads it, and it hardly ever changes.
	policyText string
	policyRead contract.Policy
}

// Program runs apply and returns its exit code. Every way out revokes what was minted, a panic too.
func Program(ctx context.Context, env Environment) (code int) {
	p := &program{Environment: env, start: contract.At(env.Clock()), step: workflow.New("apply", env.Env, env.Stderr)}
	defer func() {
		// What panicked may hold untrusted text or a credential, so only the place is told.
		if recover() != nil {
			_, _ = fmt.Fprintln(env.Stderr, p.step.Fault(contract.CodePlatformError, "the program broke off at "+panicked(), "it has a fault; what it wrote can be found again by key"))
			code = exitMessage
		}
	}()
	report, applied, err := p.run(ctx)
	if err == nil {
		err = p.finish(report, applied)
	}
	if err != nil {
		_, _ = fmt.Fprintln(env.Stderr, err)
		return exitMessage
	}
	return report.ExitCode
}

func (p *program) run(ctx context.Context) (outcome.Report, contract.Applied, error) {
	missing, err := p.prepare(ctx)
	if err != nil {
		return outcome.Report{}, contract.Applied{}, err
	}
	defer p.tokens.revoke(ctx)
	report, applied := p.apply(ctx, missing)
	return report, applied, nil
}

// prepare takes all that the program is started with, and says why there is no Result where there is none.
func (p *program) prepare(ctx context.Context) (missing contract.Code, err error) {
	if p.in, err = readInputs(p.step); err != nil {
		return "", err
	}
	if p.release, err = release.Current(); err != nil {
		return "", p.step.Fault(contract.CodeConfigurationInvalid, err.Error(), "every record names the release")
	}
	key, err := identity.ParseKey(p.in.key)
	p.in.key.Wipe()
	if err != nil {
		return "", p.step.Fault(identity.CodeOf(err), err.Error(), "no token can be minted with it")
	}
	p.read, err = github.New(github.Options{APIURL: p.in.apiURL, GraphQLURL: p.in.graphQLURL, Token: p.in.token, Transport: p.Transport, Sleep: p.Sleep})
	if err != nil {
		return "", p.step.Fault(contract.CodeUsage, "GITHUB_API_URL or GITHUB_GRAPHQL_URL cannot be used", err.Error())
	}
	if err := p.clearOut(); err != nil {
		return "", err
	}
	if err := p.fetchBundle(ctx); err != nil {
		if ctx.Err() != nil {
			err = p.step.Fault(contract.CodeInterrupted, "the program was told to stop before it had read what it works on", "nothing was written, and no token was asked for")
		}
		return "", err
	}
	p.say("bundle", "run", p.bundle.Decision.Run, "admitted", p.bundle.Decision.Admitted)
	var named bool
	if p.app, named = p.bundle.Apps.Named(p.bundle.Role.App); !named {
		return "", p.step.Fault(contract.CodeConfigurationInvalid, "apps.json: the role's app is not there", "nobody may write for it")
	}
	missing = p.fetchResult(ctx)
	p.tokens = &tokens{minter: &identity.Minter{App: p.app, Key: key, APIURL: p.in.apiURL, GraphQLURL: p.in.graphQLURL, Transport: p.Transport,
		Sleep: p.Sleep, Now: p.Clock}, repositoryID: p.bundle.Decision.Repository.ID}
	return missing, nil
}

// apply is the part between the files and the records.
func (p *program) apply(ctx context.Context, missing contract.Code) (outcome.Report, contract.Applied) {
	decision := p.bundle.Decision
	snapshot, policy, unread := p.fresh(ctx)
	prepared, err := Prepare(Material{Bundle: p.bundle, Result: p.result, Missing: missing, Fresh: snapshot.Facts, Policy: policy,
		Release: p.release, Now: contract.At(p.Clock())})
	switch {
	case err != nil:
		p.say("not prepared", "error", told(err))
		prepared.Ending, prepared.Overtaken = []contract.Code{contract.CodeConfigurationInvalid}, true
	case len(unread) > 0 && (decision.Admitted || decision.Carries != nil):
		prepared.Ending, prepared.Overtaken = unread, true
	}
	if p.moved(ctx, &prepared) {
		p.say("changed while it was read")
	}
	before := p.remembered(ctx, &prepared, policy)
	p.prepared = prepared
	written := effects.Report{Effects: []contract.AppliedEffect{}, Findings: []contract.Finding{}, Dispositions: []contract.AppliedDisposition{},
		Seen: effects.Seen{Facts: snapshot.Facts, Policy: policy, Ledger: prepared.Ledger}}
	end := prepared.Ending
	if len(end) == 0 {
		p.say("plan", "effects", len(prepared.Plan.Effects))
		written = effects.Write(ctx, p.session(written.Seen, prepared.Plan.Tokens), *prepared.Plan)
		end = p.halted(written)
	} else {
		p.say("ended before any effect", "code", end[0], "where", prepared.Where)
	}
	in := outcome.Input{Decision: decision, Class: p.class(), Release: p.release, Attempt: p.in.attempt, Ended: end, Result: prepared.Result,
		Effects: written.Effects, Findings: written.Findings, Dispositions: written.Dispositions, Ledger: written.Seen.Ledger,
		Lost: outcome.Lost(written.Seen.Ledger, before), Siblings: written.Seen.Facts.Siblings, Reencoded: prepared.Reencoded, AppliedAt: contract.At(p.Clock())}
	in.Duplicate = slices.ContainsFunc(written.Effects, func(e contract.AppliedEffect) bool { return written.Seen.Ledger.Copies(e.Key) > 1 })
	switch {
	case decision.Admitted:
	case prepared.Overtaken:
		in.Decision.Admitted = true // it ends as one that was admitted does: by what was read now, not by its own reasons
	default:
		in.Ended = nil
	}
	if prepared.Task != nil {
		in.Task = *prepared.Task
	}
	report := p.report(ctx, in)
	p.tokens.revoke(ctx)
	applied := contract.Applied{Schema: "applied/1", Run: decision.Run, Release: p.release, Attempt: p.in.attempt, Effects: written.Effects,
		Findings: written.Findings, Dispositions: written.Dispositions, Tokens: p.tokens.records(), Calls: p.calls(),
		StartedAt: p.start, FinishedAt: contract.At(p.Clock())}
	if p.result != nil {
		applied.Result = &contract.AppliedResult{ArtifactID: p.in.result.id, Bytes: int64(len(p.result)), SHA256: contract.Digest(p.result)}
	}
	return report, applied
}

// moved looks once more at an item whose facts are incomplete: that it changed while it was read may be why, and then it is a
// change that ends the Run.
func (p *program) moved(ctx context.Context, prepared *Prepared) bool {
	decision := p.bundle.Decision
	if !decision.Admitted && decision.Carries == nil || !slices.Contains(prepared.Ending, contract.CodeFactsIncomplete) {
		return false
	}
	seen, err := p.look(ctx)
	if err != nil {
		return false
	}
	codes := p.halts(seen)
	if len(codes) > 0 {
		prepared.Ending, prepared.Overtaken = codes, true
	}
	return len(codes) > 0
}

// remembered says what was open before, where this Run speaks of what is open. Where that cannot be read the Run ends for its
// facts.
func (p *program) remembered(ctx context.Context, prepared *Prepared, policy contract.Policy) []string {
	carried := p.bundle.Decision.Carries != nil && !prepared.Overtaken
	if len(prepared.Ending) > 0 && !carried {
		return nil
	}
	before, err := p.openBefore(ctx, prepared.Ledger.Reviews, policy)
	switch {
	case err != nil && ctx.Err() != nil:
		prepared.Ending, prepared.Overtaken = []contract.Code{contract.CodeInterrupted}, true
	case err != nil:
		p.say("earlier check", "error", told(err))
		prepared.Ending, prepared.Overtaken = []contract.Code{contract.CodeNotAdmitted, contract.CodeFactsIncomplete}, true
	}
	return before
}

// halted gives the codes that end a Run whose writing the item's change ended or overtook, and after them why an Effect
// failed meanwhile.
func (p *program) halted(written effects.Report) []contract.Code {
	if written.Err != nil {
		p.say("effects ended", "error", told(written.Err))
	}
	if len(written.Halted) == 0 {
		return nil
	}
	codes := slices.Clone(written.Halted)
	for _, effect := range written.Effects {
		if effect.Reason != nil && !slices.Contains(codes, *effect.Reason) {
			codes = append(codes, *effect.Reason)
		}
	}
	return codes
}

// class is the Intent's; an Intent that is not there is held to a gate's rules.
func (p *program) class() string {
	intent, _ := p.bundle.Role.Intent(p.bundle.Decision.Intent)
	return intent.Class
}

// fresh reads the item and the policy as they are now. Where that fails the codes say why the Run ends.
func (p *program) fresh(ctx context.Context) (facts.Snapshot, contract.Policy, []contract.Code) {
	d := p.bundle.Decision
	snapshot, err := facts.Read(ctx, p.read, facts.Request{Owner: p.in.owner, Name: p.in.name, RepositoryID: p.in.repositoryID, Number: d.Item.Number,
		Role: d.Role, App: p.app, WorkflowFile: p.in.workflowFile, OwnRunID: d.Workflow.RunID, ConfigCommit: d.ConfigCommit, Now: p.Clock})
	if ctx.Err() != nil {
		snapshot.Facts = p.bundle.Facts
		return snapshot, p.bundle.Policy, []contract.Code{contract.CodeInterrupted}
	}
	if err != nil {
		p.say("facts", "error", told(err))
		snapshot.Facts = p.bundle.Facts
		return snapshot, p.bundle.Policy, []contract.Code{contract.CodeNotAdmitted, contract.CodeFactsIncomplete}
	}
	for _, f := range snapshot.Faults {
		p.say("facts incomplete", "part", f.Part, "error", told(f.Err))
	}
	if snapshot.Policy == nil && !snapshot.Facts.Parts.Item.Complete {
		return snapshot, p.bundle.Policy, nil // it was not read; the Run ends for its facts
	}
	policy, err := p.policy(snapshot.Policy)
	if err != nil {
		p.say("policy", "error", told(err))
		return snapshot, p.bundle.Policy, []contract.Code{contract.CodeNotAdmitted, contract.CodeConfigurationInvalid}
	}
	return snapshot, policy, nil
}

// policy decodes the repository's policy file, or the embedded default where there is none.
func (p *program) policy(data []byte) (contract.Policy, error) {
	if data == nil {
		embedded, err := airlock.Files.ReadFile("config/policy.json")
		if err != nil {
			return contract.Policy{}, err
		}
		data = embedded
	}
	if text := string(data); text != p.policyText {
		var policy contract.Policy
		if err := schema.Decode("policy/1", data, &policy); err != nil {
			return contract.Policy{}, err
		}
		p.policyText, p.policyRead = text, policy
	}
	return p.policyRead, nil
}

// session is what writing needs.
func (p *program) session(seen effects.Seen, planned []plan.Token) effects.Session {
	return effects.Session{Decision: p.bundle.Decision, App: p.app, Seen: seen, Sleep: p.Sleep,
		Client: func(ctx context.Context, purpose string) (*github.Client, error) {
			at := slices.IndexFunc(planned, func(t plan.Token) bool { return t.Purpose == purpose })
			if at < 0 {
				return nil, fmt.Errorf("no token is planned for %s", purpose)
			}
			return p.tokens.client(ctx, planned[at])
		},
		Look:     p.look,
		Halted:   p.halts,
		Progress: func(effect, step string) { p.say("effect", "id", effect, "step", step) },
	}
}

// look reads the item and the policy as they are now, in one call.
func (p *program) look(ctx context.Context) (effects.Seen, error) {
	sight, err := facts.Look(ctx, p.read, facts.Item{Owner: p.in.owner, Name: p.in.name, RepositoryID: p.in.repositoryID,
		Number: p.bundle.Decision.Item.Number, Head: p.bundle.Decision.Commit, Now: p.Clock})
	if err != nil {
		return effects.Seen{}, err
	}
	policy, err := p.policy(sight.Policy)
	if err != nil {
		return effects.Seen{}, err
	}
	return effects.Seen{Facts: sight.Facts, Policy: policy, Ledger: ledger.Read(sight.Facts, policy, p.bundle.Apps, p.app).For(p.bundle.Role)}, nil
}

// halts asks of one look what may end a Run between two writes: the Kernel's rules on the item itself, whether it is still the
// one that was admitted, and, before an admitted Run's review stands, whether another Run's does.
func (p *program) halts(seen effects.Seen) []contract.Code {
	decision := p.bundle.Decision
	on := []contract.Code{contract.CodeItemClosed, contract.CodeItemDraft, contract.CodeItemHeld, contract.CodeItemLocked, contract.CodeFactoryPaused}
	if decision.Admitted && !slices.ContainsFunc(seen.Ledger.Reviews, func(r ledger.Review) bool { return r.Run == decision.Run }) {
		on = append(on, contract.CodeAlreadyRan)
	}
	// A look reads no content; while the head is the admitted commit, which Superseded asks first, it is the admitted one.
	seen.Facts.Content.ID = decision.ContentID
	codes := kernel.Reasons(askedAgain(p.bundle, seen.Facts, seen.Policy, contract.At(p.Clock())))
	codes = slices.DeleteFunc(codes, func(c contract.Code) bool { return !slices.Contains(on, c) })
	return refusal.Superseded(decision, seen.Facts, codes).Codes
}

// report concludes the Run and writes the check: the siblings are those of the last look, what is said of them is what their
// checks say right before this one is written. It is written with the token that wrote the Effects or with one for the check alone.
//
// Where another Run wrote a check on the same commit, a green one is followed by one more look: that Run's review may have come
// after the last. Of two Runs side by side the one whose check is the newest then has seen what both posted.
func (p *program) report(ctx context.Context, in outcome.Input) outcome.Report {
	report := outcome.Conclude(in)
	if report.Check == nil {
		return report
	}
	token, err := plan.ReportToken(p.bundle.Apps)
	if err != nil {
		return report.CheckFailed(contract.CodeConfigurationInvalid)
	}
	client, err := p.tokens.reporter(ctx, token)
	if err != nil {
		p.say("check", "error", told(err))
		return report.CheckFailed(identity.CodeOf(err))
	}
	reporter := newReporter(client, p.bundle.Decision, p.app, func(checks []facts.Check) outcome.Check {
		in.Siblings = facts.Siblings(numbers(in.Siblings), checks)
		report = outcome.Conclude(in)
		return *report.Check
	})
	for {
		record, beside, err := reporter.write(ctx)
		if err != nil {
			p.say("check", "error", told(err))
			if ctx.Err() != nil {
				return report.CheckFailed(contract.CodeInterrupted)
			}
			return report.CheckFailed(effects.CodeOf(err))
		}
		if !beside || report.Check.Own != contract.ConclusionSuccess || !p.overtaken(ctx, &in) {
			return report.CheckWritten(record)
		}
		p.say("check again", "reason", "another Run wrote beside this one")
	}
}

// overtaken looks once more at what is open, and reports whether the conclusion is another by it. Where that cannot be read, it is
// no success.
func (p *program) overtaken(ctx context.Context, in *outcome.Input) bool {
	seen, err := p.look(ctx)
	if err != nil {
		p.say("look beside another Run", "error", told(err))
		in.Decision.Admitted, in.Ended = true, []contract.Code{effects.CodeOf(err)} // a carried one would end by its own reasons
	} else {
		in.Ledger = seen.Ledger
	}
	again := outcome.Conclude(*in)
	return again.Check != nil && again.Check.Own != contract.ConclusionSuccess
}

func numbers(siblings []contract.Sibling) []int {
	list := make([]int, 0, len(siblings))
	for _, sibling := range siblings {
		list = append(list, sibling.Number)
	}
	return list
}

// calls counts the API calls of every client.
func (p *program) calls() contract.Calls {
	total := p.read.Calls()
	minted := p.tokens.calls()
	return contract.Calls{GraphQL: total.GraphQL + minted.GraphQL, REST: total.REST + minted.REST}
}
