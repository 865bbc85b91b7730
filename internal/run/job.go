package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/engine"
	"github.com/seed-2ea642bd/airlock/internal/release"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
	"github.com/seed-2ea642bd/airlock/internal/schema"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/task"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// job is one Run, ready to be asked.
type job struct {
	role       contract.Role
	intent     contract.Intent
	harness    contract.Harness
	request    engine.Request
	taskDigest string
}

// prepare opens the bundle, holds it to this release, and builds what the model is asked.
func prepare(step *workflow.Step, in inputs) (job, error) {
	files, err := readBundle(step, in.bundle)
	if err != nil {
		return job{}, err
	}
	opened, err := bundle.Open(files, in.decisionDigest)
	if broken := (*bundle.Error)(nil); errors.As(err, &broken) {
		return job{}, step.Fault(broken.Code, "file "+broken.File+" of the bundle cannot be used", broken.Cause.Error())
	} else if err != nil {
		return job{}, fmt.Errorf("open the bundle: %w", err)
	}
	decision := opened.Decision
	if !decision.Admitted {
		return job{}, step.Fault(contract.CodeDecisionNotAdmitting, "decision.json: field admitted: it is false", "no model is asked without a Decision that admits")
	}
	current, err := release.Current()
	if err != nil {
		return job{}, fmt.Errorf("read this release: %w", err)
	}
	if decision.Release != current {
		return job{}, step.Fault(contract.CodeReleaseMismatch, "decision.json: field release: it is another release than this program",
			"decide and run must be of one release")
	}
	built, err := task.Build(task.Input{Decision: decision, Facts: opened.Facts, Role: opened.Role, Policy: opened.Policy,
		Apps: opened.Apps, Harness: opened.Harness, Diff: bytes.NewReader(opened.Diff)})
	if err != nil {
		return job{}, step.Fault(contract.CodeRecordInvalid, "no Task can be built from the bundle", err.Error())
	}
	digest, err := contract.DigestOf(built)
	if err != nil {
		return job{}, step.Fault(contract.CodeRecordInvalid, "the Task cannot be written", err.Error())
	}
	intent, found := opened.Role.Intent(decision.Intent)
	tier, bound := opened.Harness.Tiers[intent.Tier]
	if !found || !bound {
		return job{}, step.Fault(contract.CodeConfigurationInvalid, "harness.json: field tiers: it lacks the Intent's tier", "the tier says which model is asked")
	}
	lowered, err := schema.Lower(opened.Role, intent)
	if err != nil {
		return job{}, step.Fault(contract.CodeConfigurationInvalid, "role.json: the answer's schema cannot be made", err.Error())
	}
	return job{
		role: opened.Role, intent: intent, harness: opened.Harness, taskDigest: digest,
		request: engine.Request{Task: built, Prompt: opened.Prompt, Schema: lowered, Model: tier.Model, Effort: tier.Effort, Limits: intent.Limits},
	}, nil
}

// engineOf returns the engine that the Intent's tier is bound to, or a replay.
func engineOf(step *workflow.Step, in inputs, job job, environment Environment) (engine.Engine, error) {
	tier := job.harness.Tiers[job.intent.Tier]
	if in.replay != "" || tier.Engine == engine.ReplayName {
		return replay(step, in, tier, environment.Stdout)
	}
	pin, found := job.harness.Engine(tier.Engine)
	if !found || pin.Name != engine.ClaudeName {
		return nil, step.Fault(contract.CodeConfigurationInvalid, "harness.json: field tiers."+job.intent.Tier+".engine: no engine of that name is pinned that this release has",
			"only "+engine.ClaudeName+" and "+engine.ReplayName+" are there")
	}
	options := engine.ClaudeOptions{Credential: in.credential, Clock: environment.Clock}
	for _, variable := range []struct {
		name string
		into *string
	}{{"AIRLOCK_CLI", &options.Binary}, {"PATH", &options.Path}, {"RUNNER_TEMP", &options.Temporary}} {
		value, fault := step.Required(variable.name)
		if fault != nil {
			return nil, fault
		}
		*variable.into = value
	}
	options.Path = engine.SystemPath + string(filepath.ListSeparator) + options.Path
	if _, priced := pin.Prices[tier.Model]; pin.Credential == engine.CredentialBroker && !priced {
		return nil, step.Fault(contract.CodeConfigurationInvalid, "harness.json: field engines.prices: it lacks the model of tier "+job.intent.Tier,
			"the broker holds what a call may cost against the budget before it is made")
	}
	if in.credential.IsZero() {
		return nil, step.Fault(contract.CodeCredentialMissing, engine.CredentialName+" is empty", "the model is asked with it")
	}
	options.Sealed = func() error { return seal(in, pin.Upstream, environment) }
	claude, err := engine.NewClaude(pin, options)
	if err != nil {
		return nil, step.Fault(contract.CodeConfigurationInvalid, "harness.json: "+err.Error(), "the pin asks for what this release does not do")
	}
	if claude.StandIn() {
		if in.onActions {
			return nil, step.Fault(contract.CodeConfigurationInvalid, "harness.json: field engines.upstream: an address on this machine", "on Actions only a model's vendor is asked")
		}
		fmt.Fprintln(environment.Stdout, "airlock run: no model is asked, but an address on this machine")
	}
	return claude, nil
}

// seal seals this process as far as the machine lets it, and says how far that was.
func seal(in inputs, upstream string, environment Environment) error {
	if environment.Seal == nil {
		return nil
	}
	kept, err := ground(in, upstream)
	if err != nil {
		return err
	}
	version, err := environment.Seal(kept)
	if errors.Is(err, sandbox.ErrNotSealed) {
		fmt.Fprintf(environment.Stdout, "airlock run: this process keeps its access to the machine: %v\n", err)
		return nil
	}
	fmt.Fprintf(environment.Stdout, "airlock run: this process reads and writes nothing but its own files from here on (Landlock %d)\n", version)
	return err
}

// replay reads the recorded answer. On Actions a replay must be what the configuration says, so that no variable turns a
// review into a recording.
func replay(step *workflow.Step, in inputs, tier contract.Tier, log io.Writer) (engine.Engine, error) {
	if in.onActions && tier.Engine != engine.ReplayName {
		return nil, step.Fault(contract.CodeEnvironmentForbidden, "AIRLOCK_REPLAY is set", "on Actions harness.json alone may bind a tier to a recorded answer")
	}
	path, fault := step.Required("AIRLOCK_REPLAY")
	if fault != nil {
		return nil, fault
	}
	recorded, err := readFile(path, replayLimit)
	if err != nil {
		return nil, step.Fault(contract.CodeRecordInvalid, "the recorded answer cannot be read", err.Error())
	}
	fmt.Fprintln(log, "airlock run: a recorded answer is replayed; no model is asked")
	return engine.Replay{Recorded: recorded}, nil
}

// ask asks the engine and makes a whole Result of whatever comes of it, a panic included. The advice is one line for a person,
// or "".
func (j job) ask(ctx context.Context, asked engine.Engine, credential secret.Credential) (result contract.Result, advice string) {
	tier := j.harness.Tiers[j.intent.Tier]
	pin, _ := j.harness.Engine(tier.Engine) // a replay has none
	outcome := engine.Outcome{Engine: contract.Engine{Mode: contract.ModeLive, Model: j.request.Model, Name: tier.Engine,
		Credential: cmp.Or(pin.Credential, engine.CredentialNone), Sandbox: cmp.Or(pin.Sandbox, sandbox.KindOff)}}
	defer func() {
		// What panicked may hold the model's text or the credential, so nothing of it is kept.
		if recover() != nil {
			result = j.result(outcome, failed(contract.CodeEngineOther))
		}
	}()
	outcome = asked.Answer(ctx, j.request)
	return j.result(outcome, j.judge(outcome, credential)), outcome.Advice
}

// judge decides what an outcome is worth.
func (j job) judge(outcome engine.Outcome, credential secret.Credential) contract.Answer {
	if outcome.Failure != "" {
		return failed(outcome.Failure)
	}
	if leaks(outcome.Answer, credential) {
		return failed(contract.CodeResultSecret)
	}
	// The error would say which field; nothing of an answer that is not kept is told.
	answer, err := schema.ValidateAnswer(j.role, j.intent, outcome.Answer)
	if err != nil {
		return failed(contract.CodeResultInvalid)
	}
	return answer
}

// failed is the answer part of a failed Result.
func failed(code contract.Code) contract.Answer {
	reason := string(code)
	return contract.Answer{Status: contract.StatusFailed, Reason: &reason, Findings: []contract.RawFinding{},
		Dispositions: []contract.Disposition{}, Effects: []contract.Effect{}}
}

func (j job) result(outcome engine.Outcome, answer contract.Answer) contract.Result {
	return contract.Result{Schema: "result/1", Run: j.request.Task.Run, Release: j.request.Task.Release, Task: j.taskDigest,
		Engine: outcome.Engine, Usage: outcome.Usage, Answer: answer}
}
