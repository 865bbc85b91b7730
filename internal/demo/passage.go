package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/schema"
	"github.com/seed-2ea642bd/airlock/internal/task"
)

// The one Role and Intent that are played, and the programs' exit code for bad input.
const (
	role      = "pr-review"
	intent    = "review-change"
	exitInput = 2
)

// passed is one Run: what is known of it, and what its programs left. What it did not come to is nil.
type passed struct {
	n        int
	workflow int64
	started  event
	bundle   *bundle.Bundle
	task     *contract.Task
	result   *contract.Result
	plan     *plan.Plan
	applied  *contract.Applied
	outcome  *contract.Outcome
	exits    []exit
	// told are the ids of the Effects whose content the account has told.
	told map[string]bool
	// wrong says where the recorded answer is not one that the model could give.
	wrong error

	// What the jobs hand on.
	decided  map[string]string
	decision uploaded
	answer   uploaded
}

// exit is how one program of the Run ended.
type exit struct {
	Program string `json:"program"`
	Attempt int    `json:"attempt"`
	Code    int    `json:"code"`
}

// reviewed reports whether the Run came to what the next one rests on: a review, or a verdict that is carried.
func (p *passed) reviewed() bool {
	if p.outcome == nil {
		return false
	}
	return p.outcome.Status == contract.StatusCompleted || p.outcome.Status == contract.StatusIncomplete || p.bundle.Decision.Carries != nil
}

// passage plays one Run: what people do before it, the three jobs, and what each left.
func (s *stage) passage(ctx context.Context, n int) (*passed, error) {
	p := &passed{n: n, told: map[string]bool{}}
	var err error
	if p.started, err = s.people(n); err != nil {
		return nil, err
	}
	if p.workflow, err = s.workflowRun(n, p.started); err != nil {
		return nil, err
	}
	s.account.heading(n)
	if err := s.decide(ctx, p); err != nil {
		return nil, err
	}
	switch {
	case p.decided["admitted"] == "true":
		if err := s.run(ctx, p); err != nil {
			return nil, err
		}
	case p.bundle != nil:
		s.account.notRun()
	}
	if p.decided["report"] == "true" {
		for attempt := 1; attempt <= s.RepeatApply; attempt++ {
			if err := s.apply(ctx, p, attempt); err != nil {
				return nil, err
			}
		}
	}
	s.judge(p)
	_, err = s.server.SetWorkflowRun(emulator.Run{ID: p.workflow, Status: "completed", Conclusion: "success"})
	return p, err
}

// judge notes each program that did not do its part; of apply its last attempt counts.
func (s *stage) judge(p *passed) {
	last := map[string]exit{}
	for _, e := range p.exits {
		last[e.Program] = e
	}
	for _, name := range []string{"decide", "run", "apply"} {
		if e := last[name]; e.Code != 0 {
			s.failures = append(s.failures, fmt.Sprintf("Run %d: %s ended with exit code %d", p.n+1, name, e.Code))
		}
	}
}

// runner is what the runner sets for every job of a workflow run.
func (s *stage) runner(p *passed, attempt int) (map[string]string, error) {
	payload := filepath.Join(s.work, fmt.Sprintf("event-%d.json", p.workflow))
	if err := os.WriteFile(payload, p.started.Payload, 0o600); err != nil {
		return nil, err
	}
	repository := s.scenario.Repository
	full := repository.Owner + "/" + repository.Name
	return map[string]string{
		"CI": "true", "GITHUB_ACTIONS": "true", "PATH": s.Env["PATH"],
		"GITHUB_API_URL": s.address, "GITHUB_GRAPHQL_URL": s.address + "/graphql", "GITHUB_SERVER_URL": s.address,
		"GITHUB_REPOSITORY": full, "GITHUB_REPOSITORY_ID": strconv.FormatInt(repository.ID, 10),
		"GITHUB_RUN_ID": strconv.FormatInt(p.workflow, 10), "GITHUB_RUN_ATTEMPT": strconv.Itoa(attempt),
		"GITHUB_EVENT_NAME": p.started.Name, "GITHUB_EVENT_PATH": payload,
		"GITHUB_WORKFLOW_REF": full + "/" + workflowPath + "@refs/heads/" + repository.DefaultBranch,
	}, nil
}

// readToken is the GITHUB_TOKEN that the workflow gives to decide and apply.
func (s *stage) readToken(p *passed) (string, error) {
	permissions := map[string]string{"metadata": "read"}
	for _, name := range []string{"actions", "checks", "contents", "issues", "pull_requests"} {
		permissions[name] = "read"
	}
	return s.server.MintJobToken(emulator.JobToken{RunID: p.workflow, Permissions: permissions})
}

// decide runs the first job and hands its bundle on.
func (s *stage) decide(ctx context.Context, p *passed) error {
	env, err := s.runner(p, 1)
	if err != nil {
		return err
	}
	if env["GITHUB_TOKEN"], err = s.readToken(p); err != nil {
		return err
	}
	folder := filepath.Join(s.work, fmt.Sprintf("bundle-%d", p.n+1))
	env["AIRLOCK_ROLE"], env["AIRLOCK_INTENT"], env["AIRLOCK_BUNDLE"] = role, intent, folder
	env["AIRLOCK_NUMBER"], env["AIRLOCK_AGAIN"] = "", ""
	e, err := s.job(ctx, "decide", env, fmt.Sprintf("run-%d/decide", p.n+1))
	if err != nil {
		return err
	}
	p.exits, p.decided = append(p.exits, exit{"decide", 1, e.code}), e.outputs
	if e.code == exitInput || e.outputs["decision-sha256"] == "" {
		s.account.failed("decide", e)
		return nil
	}
	name := fmt.Sprintf("airlock-bundle-%s-%d-1", role, s.scenario.Number)
	if p.decision, err = s.upload(p.workflow, name, folder, bundle.DecisionFile); err != nil {
		return err
	}
	opened, err := bundle.Open(p.decision.files, "sha256:"+e.outputs["decision-sha256"])
	if err != nil {
		return fmt.Errorf("the bundle that decide wrote: %w", err)
	}
	p.bundle = &opened
	for file, data := range p.decision.files {
		if err := s.keep.file(fmt.Sprintf("run-%d/bundle/%s", p.n+1, file), data); err != nil {
			return err
		}
	}
	s.account.decided(env, p)
	return nil
}

// run runs the job that thinks. Like in the workflow, apply reports whatever became of it.
func (s *stage) run(ctx context.Context, p *passed) error {
	if err := s.buildTask(p); err != nil {
		return err
	}
	folder, err := s.download(p.decision.id)
	if err != nil {
		return err
	}
	env, err := s.runner(p, 1)
	if err != nil {
		return err
	}
	written := filepath.Join(s.work, fmt.Sprintf("result-%d", p.n+1))
	env["AIRLOCK_BUNDLE"], env["AIRLOCK_RESULT"], env["AIRLOCK_DECISION_SHA256"] = folder, written, p.decided["decision-sha256"]
	env["CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"] = "1"
	if err := s.model(p, env); err != nil {
		return err
	}
	e, err := s.job(ctx, "run", env, fmt.Sprintf("run-%d/run", p.n+1))
	if err != nil {
		return err
	}
	p.exits = append(p.exits, exit{"run", 1, e.code})
	s.account.given(env, p)
	if e.code == exitInput || e.outputs["result-sha256"] == "" {
		s.account.failed("run", e)
		return nil
	}
	name := fmt.Sprintf("airlock-result-%s-%d-1", role, s.scenario.Number)
	if p.answer, err = s.upload(p.workflow, name, written, "result.json"); err != nil {
		return err
	}
	var result contract.Result
	if err := contract.Decode(p.answer.files["result.json"], &result); err != nil {
		return fmt.Errorf("the Result that run wrote: %w", err)
	}
	p.result = &result
	s.account.answered(p)
	return errors.Join(s.keep.file(fmt.Sprintf("run-%d/run/result.json", p.n+1), p.answer.files["result.json"]), s.buildPlan(p))
}

// model adds the variables of the engine.
func (s *stage) model(p *passed, env map[string]string) error {
	if s.Engine == EngineClaude {
		env[credentialName], env["AIRLOCK_CLI"] = s.Env[credentialName], s.cli
		return nil
	}
	answer, err := s.scenario.answer(s.scenario.Runs[p.n].Answer, s.placeholders(p))
	if err != nil {
		return err
	}
	if asked, ok := p.bundle.Role.Intent(p.bundle.Decision.Intent); ok {
		_, p.wrong = schema.ValidateAnswer(p.bundle.Role, asked, answer)
	}
	env[credentialName] = "demo-model-credential-of-no-worth"
	env["AIRLOCK_REPLAY"] = filepath.Join(s.work, fmt.Sprintf("answer-%d.json", p.n+1))
	return os.WriteFile(env["AIRLOCK_REPLAY"], answer, 0o600)
}

// buildTask makes the Task as run and apply make it, for the account and the records.
func (s *stage) buildTask(p *passed) error {
	built, err := task.Build(task.Input{Decision: p.bundle.Decision, Facts: p.bundle.Facts, Role: p.bundle.Role, Policy: p.bundle.Policy,
		Apps: p.bundle.Apps, Harness: p.bundle.Harness, Diff: bytes.NewReader(p.bundle.Diff)})
	if err != nil {
		return err
	}
	p.task = &built
	data, err := contract.Canonical(built)
	if err != nil {
		return err
	}
	return s.keep.file(fmt.Sprintf("run-%d/run/task.json", p.n+1), data)
}

// buildPlan makes the plan as apply makes it: it says why each Finding is placed as it is.
func (s *stage) buildPlan(p *passed) error {
	b := p.bundle
	app, _ := b.Apps.Named(b.Role.App)
	made, err := plan.Build(plan.Input{Decision: b.Decision, Policy: b.Policy, Apps: b.Apps, App: app, Task: *p.task,
		Result: *p.result, ResultDigest: "sha256:" + p.answer.sha256, Facts: b.Facts, Ledger: ledger.Read(b.Facts, b.Policy, b.Apps, app).For(b.Role),
		Diff: diff.NewIndex(b.Diff)})
	p.plan = &made
	return err
}

// placeholders are the ids that those of a recorded answer stand for.
func (s *stage) placeholders(p *passed) map[string]string {
	ids := map[string]string{}
	for n, run := range s.runs {
		ids[fmt.Sprintf("run %d", n+1)] = run.bundle.Decision.Run
	}
	for _, text := range p.task.Texts {
		if text.Kind == contract.TextDiff {
			ids["diff"] = text.ID
		}
	}
	for _, finding := range p.task.Findings {
		if len(finding.Answers) > 0 {
			ids["answer "+idInResult(finding.ID)] = finding.Answers[len(finding.Answers)-1]
		}
	}
	return ids
}

// apply runs the job that writes.
func (s *stage) apply(ctx context.Context, p *passed, attempt int) error {
	env, err := s.runner(p, attempt)
	if err != nil {
		return err
	}
	if env["GITHUB_TOKEN"], err = s.readToken(p); err != nil {
		return err
	}
	written := filepath.Join(s.work, fmt.Sprintf("outcome-%d-%d", p.n+1, attempt))
	env["AIRLOCK_APP_PRIVATE_KEY"], env["AIRLOCK_OUT"], env["AIRLOCK_DECISION_SHA256"] = s.key, written, p.decided["decision-sha256"]
	env["AIRLOCK_BUNDLE_ARTIFACT_ID"], env["AIRLOCK_BUNDLE_ARTIFACT_DIGEST"] = strconv.FormatInt(p.decision.id, 10), p.decision.digest
	env["AIRLOCK_RESULT_ARTIFACT_ID"], env["AIRLOCK_RESULT_ARTIFACT_DIGEST"], env["AIRLOCK_RESULT_SHA256"] = "", "", ""
	if p.answer.id != 0 {
		env["AIRLOCK_RESULT_ARTIFACT_ID"], env["AIRLOCK_RESULT_ARTIFACT_DIGEST"] = strconv.FormatInt(p.answer.id, 10), p.answer.digest
		env["AIRLOCK_RESULT_SHA256"] = p.answer.sha256
	}
	before, err := s.server.State()
	if err != nil {
		return err
	}
	faulty := s.fault != nil && p.n == 0 && attempt == 1
	if faulty {
		if err := s.inject(); err != nil {
			return err
		}
	}
	kept := fmt.Sprintf("run-%d/apply-%d", p.n+1, attempt)
	e, err := s.job(ctx, "apply", env, kept)
	if err != nil {
		return err
	}
	p.exits = append(p.exits, exit{"apply", attempt, e.code})
	s.account.writes(env, attempt)
	if faulty {
		call, number, err := s.struck(len(before.Calls))
		if err != nil {
			return err
		}
		s.account.struck(call, number)
	}
	if e.code == exitInput {
		s.account.failed("apply", e)
		return nil
	}
	p.applied, p.outcome = &contract.Applied{}, &contract.Outcome{}
	for name, record := range map[string]any{"applied.json": p.applied, "outcome.json": p.outcome} {
		data, err := os.ReadFile(filepath.Join(written, name))
		if err == nil {
			err = errors.Join(contract.Decode(data, record), s.keep.file(kept+"/"+name, data))
		}
		if err != nil {
			return fmt.Errorf("%s that apply wrote: %w", name, err)
		}
	}
	s.account.wrote(p, e.code)
	return nil
}
