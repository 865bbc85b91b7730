// Package apply is the order of the program that writes: take the bundle and the Result by id and digest, read the item
// again, refuse by the closed list, mint a token narrowed to what is asked, write each Effect once, read it back, report,
// revoke. It never thinks: it links no engine and fetches no code of the change.
package apply

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/artifact"
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

// Exit codes: what the Run's end gives (0 or 1), and bad input.
const exitInput = 2

// Bounds of what is fetched, in bytes.
const (
	maxResult = 4 << 20
	maxBundle = 16 << 20
	maxZip    = 24 << 20
)

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
	result  []byte
	tokens  *tokens
	step    *workflow.Step
}

// Program runs apply and returns its exit code. Every way out revokes what was minted.
func Program(ctx context.Context, env Environment) int {
	p := &program{Environment: env, start: contract.At(env.Clock()), step: workflow.New("apply", env.Env, env.Stderr)}
	report, applied, err := p.run(ctx)
	if err == nil {
		err = p.finish(report, applied)
	}
	if err != nil {
		fmt.Fprintln(env.Stderr, err)
		return exitInput
	}
	return report.ExitCode
}

func (p *program) run(ctx context.Context) (outcome.Report, contract.Applied, error) {
	var none contract.Applied
	var err error
	if p.in, err = readInputs(p.step); err != nil {
		return outcome.Report{}, none, err
	}
	if p.release, err = release.Current(); err != nil {
		return outcome.Report{}, none, p.step.Fault(contract.CodeConfigurationInvalid, err.Error(), "every record names the release")
	}
	key, err := identity.ParseKey(p.in.key)
	p.in.key.Wipe()
	if err != nil {
		return outcome.Report{}, none, p.step.Fault(identity.CodeOf(err), err.Error(), "no token can be minted with it")
	}
	p.read, err = github.New(github.Options{APIURL: p.in.apiURL, GraphQLURL: p.in.graphQLURL, Token: p.in.token, Transport: p.Transport, Sleep: p.Sleep})
	if err != nil {
		return outcome.Report{}, none, p.step.Fault(contract.CodeEnvironmentMissing, err.Error(), "GitHub cannot be asked")
	}
	if err := p.fetchBundle(ctx); err != nil {
		return outcome.Report{}, none, err
	}
	p.say("bundle", "run", p.bundle.Decision.Run, "admitted", p.bundle.Decision.Admitted)
	missing := p.fetchResult(ctx)
	app, ok := p.bundle.Apps.Named(p.bundle.Role.App)
	if !ok {
		return outcome.Report{}, none, p.step.Fault(contract.CodeConfigurationInvalid, "apps.json: the role's app is not there", "nobody may write for it")
	}
	p.tokens = &tokens{minter: &identity.Minter{App: app, Key: key, APIURL: p.in.apiURL, GraphQLURL: p.in.graphQLURL, Transport: p.Transport,
		Sleep: p.Sleep, Now: p.Clock}, repositoryID: p.bundle.Decision.Repository.ID}
	defer p.tokens.revoke(ctx)
	return p.apply(ctx, app, missing)
}

// apply is the part between the files and the records.
func (p *program) apply(ctx context.Context, app contract.App, missing contract.Code) (outcome.Report, contract.Applied, error) {
	decision := p.bundle.Decision
	snapshot, policy, ended := p.fresh(ctx, app)
	prepared, err := Prepare(Material{Bundle: p.bundle, Result: p.result, Missing: missing, Fresh: snapshot.Facts, Policy: policy,
		Release: p.release, Now: contract.At(p.Clock())})
	if err != nil {
		return outcome.Report{}, contract.Applied{}, p.step.Fault(contract.CodeConfigurationInvalid, err.Error(), "the Run cannot be prepared")
	}
	if len(ended) > 0 && decision.Admitted {
		prepared.Ending = ended
	}
	written := effects.Report{Effects: []contract.AppliedEffect{}, Findings: []contract.Finding{}, Dispositions: []contract.AppliedDisposition{}}
	end := prepared.Ending
	if len(end) == 0 {
		p.say("plan", "effects", len(prepared.Plan.Effects))
		p.tokens.plan = prepared.Plan.Tokens
		written = effects.Write(ctx, p.session(app), *prepared.Plan)
		end = written.Halted
		if written.Err != nil {
			p.say("effects ended", "error", written.Err)
		}
	} else {
		p.say("ended before any effect", "code", end[0], "where", prepared.Where)
	}
	in := outcome.Input{Decision: decision, Class: p.class(), Release: p.release, Attempt: p.in.attempt, Ended: end, Result: prepared.Result,
		Effects: written.Effects, Findings: written.Findings, Dispositions: written.Dispositions, Ledger: prepared.Ledger,
		Siblings: snapshot.Facts.Siblings, Reencoded: prepared.Reencoded, AppliedAt: contract.At(p.Clock())}
	if !decision.Admitted {
		in.Ended = nil
	}
	if prepared.Task != nil {
		in.Task = *prepared.Task
	}
	if written.Seen != nil {
		in.Ledger = written.Seen.Ledger
	}
	report := p.report(ctx, app, outcome.Conclude(in))
	p.tokens.revoke(ctx)
	applied := contract.Applied{Schema: "applied/1", Run: decision.Run, Release: p.release, Attempt: p.in.attempt, Effects: written.Effects,
		Findings: written.Findings, Dispositions: written.Dispositions, Tokens: p.tokens.records(), Calls: p.calls(),
		StartedAt: p.start, FinishedAt: contract.At(p.Clock())}
	if p.result != nil {
		applied.Result = &contract.AppliedResult{ArtifactID: p.in.result.id, Bytes: int64(len(p.result)), SHA256: contract.Digest(p.result)}
	}
	return report, applied, nil
}

// class is the Intent's; an Intent that is not there is held to a gate's rules.
func (p *program) class() string {
	intent, _ := p.bundle.Role.Intent(p.bundle.Decision.Intent)
	return intent.Class
}

// fetchBundle takes decide's files by id and digest.
func (p *program) fetchBundle(ctx context.Context) error {
	want := artifact.Want{Owner: p.in.owner, Name: p.in.name, ID: p.in.bundle.id, RunID: p.in.runID, ZipDigest: p.in.bundle.zipDigest, MaxZipBytes: maxZip}
	for _, name := range bundle.Names() {
		want.Files = append(want.Files, artifact.File{Name: name, MaxBytes: maxBundle})
	}
	files, code, err := artifact.Fetch(ctx, p.read, want)
	if err != nil {
		return p.step.Fault(code, "the bundle: "+err.Error(), "nothing is used of a bundle that is not whole")
	}
	opened, err := bundle.Open(files, p.in.decisionDigest)
	var broken *bundle.Error
	switch {
	case errors.As(err, &broken):
		return p.step.Fault(broken.Code, "the bundle: "+broken.Error(), "nothing is used of a bundle that is not whole")
	case err != nil:
		return err
	case opened.Decision.Repository.ID != p.in.repositoryID || opened.Decision.Workflow.RunID != p.in.runID:
		return p.step.Fault(contract.CodeBundleMismatch, "the Decision is of another repository or workflow run", "it was handed to the wrong job")
	}
	p.bundle = opened
	return nil
}

// fetchResult takes run's one file by id and digest, or returns why there is none. A fault of the platform is not a Result
// that is missing for good, but it ends this execution alike.
func (p *program) fetchResult(ctx context.Context) contract.Code {
	if !p.bundle.Decision.Admitted {
		return ""
	}
	if p.in.result.id == 0 {
		return contract.CodeArtifactMissing
	}
	files, code, err := artifact.Fetch(ctx, p.read, artifact.Want{Owner: p.in.owner, Name: p.in.name, ID: p.in.result.id, RunID: p.in.runID,
		ZipDigest: p.in.result.zipDigest, MaxZipBytes: maxResult + 1<<20, Files: []artifact.File{{Name: "result.json", MaxBytes: maxResult}}})
	if err != nil {
		p.say("no result", "code", code, "error", err)
		return code
	}
	if contract.Digest(files["result.json"]) != p.in.result.digest {
		return contract.CodeArtifactDigest
	}
	p.result = files["result.json"]
	return ""
}

func (p *program) request(app contract.App) facts.Request {
	d := p.bundle.Decision
	return facts.Request{Owner: p.in.owner, Name: p.in.name, RepositoryID: p.in.repositoryID, Number: d.Item.Number, Role: d.Role, App: app,
		WorkflowFile: p.in.workflowFile, OwnRunID: d.Workflow.RunID, ConfigCommit: d.ConfigCommit, Now: p.Clock}
}

// fresh reads the item and the policy as they are now. Where that fails the codes say why the Run ends.
func (p *program) fresh(ctx context.Context, app contract.App) (facts.Snapshot, contract.Policy, []contract.Code) {
	snapshot, err := facts.Read(ctx, p.read, p.request(app))
	if err != nil {
		p.say("facts", "error", err)
		snapshot.Facts = p.bundle.Facts
		return snapshot, p.bundle.Policy, []contract.Code{contract.CodeNotAdmitted, contract.CodeFactsIncomplete}
	}
	for _, f := range snapshot.Faults {
		p.say("facts incomplete", "part", f.Part, "error", f.Err)
	}
	policy, err := p.policy(snapshot.Policy)
	if err != nil {
		p.say("policy", "error", err)
		return snapshot, p.bundle.Policy, []contract.Code{contract.CodeNotAdmitted, contract.CodeConfigurationInvalid}
	}
	return snapshot, policy, nil
}

// policy decodes the repository's policy file, or the embedded default where there is none.
func (p *program) policy(data []byte) (contract.Policy, error) {
	var policy contract.Policy
	if data == nil {
		embedded, err := airlock.Files.ReadFile("config/policy.json")
		if err != nil {
			return policy, err
		}
		data = embedded
	}
	return policy, schema.Decode("policy/1", data, &policy)
}

// session is what writing needs.
func (p *program) session(app contract.App) effects.Session {
	decision := p.bundle.Decision
	return effects.Session{Decision: decision, App: app, Sleep: p.Sleep, Client: p.tokens.client,
		Look: func(ctx context.Context) (effects.Seen, error) {
			sight, err := facts.Look(ctx, p.read, facts.Item{Owner: p.in.owner, Name: p.in.name, RepositoryID: p.in.repositoryID,
				Number: decision.Item.Number, Now: p.Clock})
			if err != nil {
				return effects.Seen{}, err
			}
			policy, err := p.policy(sight.Policy)
			if err != nil {
				return effects.Seen{}, err
			}
			return effects.Seen{Facts: sight.Facts, Policy: policy, Ledger: ledger.Read(sight.Facts, policy, p.bundle.Apps, app)}, nil
		},
		Halted: func(seen effects.Seen) []contract.Code { return p.halted(seen) },
		Progress: func(effect, step string) {
			p.say("effect", "id", effect, "step", step)
		},
	}
}

// halted asks of one look what may end a Run between two writes: the Kernel's rules on the item itself, and whether it is
// still the one that was admitted.
func (p *program) halted(seen effects.Seen) []contract.Code {
	decision := p.bundle.Decision
	on := []contract.Code{contract.CodeItemClosed, contract.CodeItemDraft, contract.CodeItemHeld, contract.CodeItemLocked, contract.CodeFactoryPaused}
	codes := kernel.Reasons(kernel.Input{Facts: seen.Facts, Policy: seen.Policy, Apps: p.bundle.Apps, Role: p.bundle.Role,
		Intent: decision.Intent, EvalsPresent: true, Asked: decision.Asked, Workflow: decision.Workflow, Now: contract.At(p.Clock()), Run: decision.Run})
	codes = slices.DeleteFunc(codes, func(c contract.Code) bool { return !slices.Contains(on, c) })
	return refusal.Superseded(decision, seen.Facts, codes).Codes
}

// report writes the check, with the token that wrote the Effects or with one for the check alone.
func (p *program) report(ctx context.Context, app contract.App, report outcome.Report) outcome.Report {
	if report.Check == nil {
		return report
	}
	if len(p.tokens.plan) == 0 {
		token, err := plan.ReportToken(p.bundle.Apps)
		if err != nil {
			return report.CheckFailed(contract.CodeConfigurationInvalid)
		}
		p.tokens.plan = []plan.Token{token}
	}
	client, err := p.tokens.client(ctx, p.tokens.plan[0].Purpose)
	if err != nil {
		p.say("check", "error", err)
		return report.CheckFailed(identity.CodeOf(err))
	}
	record, err := writeCheck(ctx, client, p.bundle.Decision, report.Check.Commit, app,
		checkText{report.Check.Conclusion, report.Check.Title, report.Check.Summary})
	if err != nil {
		p.say("check", "error", err)
		return report.CheckFailed(effects.CodeOf(err))
	}
	return report.CheckWritten(*record)
}

// finish writes the two records whole, the summary and the outputs.
func (p *program) finish(report outcome.Report, applied contract.Applied) error {
	for name, record := range map[string]any{"applied.json": applied, "outcome.json": report.Outcome} {
		data, err := contract.Canonical(record)
		if err == nil {
			err = os.MkdirAll(p.in.out, 0o755)
		}
		if err == nil {
			err = renameio.WriteFile(filepath.Join(p.in.out, name), data, 0o644)
		}
		if err != nil {
			return p.step.Fault(contract.CodeOutputFailed, name+": "+err.Error(), "the record could not be written whole")
		}
	}
	conclusion := ""
	if report.Outcome.Conclusion != nil {
		conclusion = *report.Outcome.Conclusion
	}
	if err := p.step.Summary(outcome.StepSummary(p.bundle.Decision, applied, report.Outcome)); err != nil {
		return err
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

// calls counts the API calls of every client.
func (p *program) calls() contract.Calls {
	total := p.read.Calls()
	minted := p.tokens.calls()
	return contract.Calls{GraphQL: total.GraphQL + minted.GraphQL, REST: total.REST + minted.REST}
}
