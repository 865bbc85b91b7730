package run

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/engine"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/task"
)

// TestProgramReplays holds the whole way with a recorded answer: the Result is the answer and the harness's fields, every
// record says that it is a replay, and the log says nothing of the answer.
func TestProgramReplays(t *testing.T) {
	s := newStage(t)
	s.replaying(t, modelFile(t, "A.result.model.json"))
	s.hand(t)
	if code := s.run(t); code != 0 {
		t.Fatalf("exit %d: %s", code, s.stderr.String())
	}
	result := s.result(t)

	var answer contract.Answer
	must(t, contract.Decode(modelFile(t, "A.result.model.json"), &answer))
	var opened bundle.Bundle
	opened, err := bundle.Open(s.files, "sha256:"+s.env["AIRLOCK_DECISION_SHA256"])
	must(t, err)
	built, err := task.Build(task.Input{Decision: opened.Decision, Facts: opened.Facts, Role: opened.Role, Policy: opened.Policy, Apps: opened.Apps,
		Harness: opened.Harness, Diff: bytes.NewReader(opened.Diff)})
	must(t, err)
	digest, err := contract.DigestOf(built)
	must(t, err)
	want := contract.Result{Schema: "result/1", Run: s.decision.Run, Release: s.decision.Release, Task: digest,
		Engine: contract.Engine{Credential: "none", Mode: "replay", Model: "replay", Name: "replay", Sandbox: "off"},
		Usage:  contract.Usage{Complete: true}, Answer: answer}
	if difference := cmp.Diff(want, result); difference != "" {
		t.Errorf("result (-want +got):\n%s", difference)
	}
	if log := s.stdout.String() + s.stderr.String(); !strings.Contains(log, "replayed") || strings.Contains(log, "injection") || strings.Count(log, "\n") != 2 {
		t.Errorf("log: %s", log)
	}
	state, err := os.Stat(filepath.Join(s.env["AIRLOCK_RESULT"], ResultFile))
	if err != nil || state.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", state.Mode(), err)
	}
}

// TestReplayOnActions holds that on Actions only the configuration makes a review a recording.
func TestReplayOnActions(t *testing.T) {
	s := newStage(t)
	s.replaying(t, modelFile(t, "A.result.model.json"))
	s.env["GITHUB_ACTIONS"] = "true"
	for name, tier := range s.harness.Tiers {
		tier.Engine = engine.ReplayName
		s.harness.Tiers[name] = tier
	}
	s.hand(t)
	if code := s.run(t); code != 0 || s.result(t).Engine.Mode != contract.ModeReplay {
		t.Errorf("exit %d: %s", code, s.stderr.String())
	}
}

// TestProgramRefuses holds that bad input is one message with its code, the file and the field, exit 2, and no Result.
func TestProgramRefuses(t *testing.T) {
	replace := func(name, old, with string) func(*testing.T, *stage) {
		return func(t *testing.T, s *stage) {
			if !bytes.Contains(s.files[name], []byte(old)) {
				t.Fatalf("%s does not hold %s", name, old)
			}
			s.files[name] = bytes.Replace(s.files[name], []byte(old), []byte(with), 1)
		}
	}
	set := func(name, value string) func(*testing.T, *stage) {
		return func(_ *testing.T, s *stage) { s.env[name] = value }
	}
	unset := func(name string) func(*testing.T, *stage) {
		return func(_ *testing.T, s *stage) { delete(s.env, name) }
	}
	pin := func(change func(*contract.EnginePin)) func(*testing.T, *stage) {
		return func(_ *testing.T, s *stage) { change(&s.harness.Engines[0]) }
	}
	for _, test := range []struct {
		name   string
		code   contract.Code
		says   string
		before func(*testing.T, *stage) // before the digests are made
		after  func(*testing.T, *stage) // after the bundle is written
	}{
		{"no bundle named", contract.CodeEnvironmentMissing, "AIRLOCK_BUNDLE", unset("AIRLOCK_BUNDLE"), nil},
		{"no digest", contract.CodeEnvironmentMissing, "AIRLOCK_DECISION_SHA256", nil, unset("AIRLOCK_DECISION_SHA256")},
		{"no place for the Result", contract.CodeEnvironmentMissing, "AIRLOCK_RESULT", unset("AIRLOCK_RESULT"), nil},
		{"no CLI named", contract.CodeEnvironmentMissing, "AIRLOCK_CLI", unset("AIRLOCK_CLI"), nil},
		{"no PATH", contract.CodeEnvironmentMissing, "PATH", unset("PATH"), nil},
		{"base URL", contract.CodeEnvironmentForbidden, "ANTHROPIC_BASE_URL", set("ANTHROPIC_BASE_URL", "https://collector.example.invalid"), nil},
		{"proxy", contract.CodeEnvironmentForbidden, "https_proxy", set("https_proxy", "http://192.0.2.1"), nil},
		{"repository token", contract.CodeEnvironmentForbidden, "GITHUB_TOKEN", set("GITHUB_TOKEN", "ghs_x"), nil},
		{"replay on Actions", contract.CodeEnvironmentForbidden, "AIRLOCK_REPLAY", func(t *testing.T, s *stage) {
			s.replaying(t, modelFile(t, "A.result.model.json"))
			s.env["GITHUB_ACTIONS"] = "true"
		}, nil},
		{"no recorded answer", contract.CodeRecordInvalid, "recorded answer", set("AIRLOCK_REPLAY", "/nonexistent/answer.json"), nil},
		{"no credential", contract.CodeCredentialMissing, "CLAUDE_CODE_OAUTH_TOKEN", set("CLAUDE_CODE_OAUTH_TOKEN", ""), nil},
		{"a credential of spaces", contract.CodeCredentialMissing, "CLAUDE_CODE_OAUTH_TOKEN", set("CLAUDE_CODE_OAUTH_TOKEN", " \n"), nil},
		{"no bundle", contract.CodeBundleMismatch, "decision.json", nil, set("AIRLOCK_BUNDLE", "/nonexistent")},
		{"another Decision", contract.CodeBundleMismatch, "decision.json", nil, set("AIRLOCK_DECISION_SHA256", strings.Repeat("0", 64))},
		{"another diff", contract.CodeBundleMismatch, "diff.patch", nil, func(t *testing.T, s *stage) {
			must(t, os.WriteFile(filepath.Join(s.env["AIRLOCK_BUNDLE"], bundle.DiffFile), []byte("diff --git"), 0o600))
		}},
		{"no facts", contract.CodeBundleMismatch, "facts.json", nil, func(t *testing.T, s *stage) {
			must(t, os.Remove(filepath.Join(s.env["AIRLOCK_BUNDLE"], bundle.FactsFile)))
		}},
		{"a directory for a file", contract.CodeBundleMismatch, "policy.json", nil, func(t *testing.T, s *stage) {
			path := filepath.Join(s.env["AIRLOCK_BUNDLE"], bundle.PolicyFile)
			must(t, os.Remove(path))
			must(t, os.Mkdir(path, 0o700))
		}},
		{"a pipe for a file", contract.CodeBundleMismatch, "facts.json", nil, func(t *testing.T, s *stage) {
			path := filepath.Join(s.env["AIRLOCK_BUNDLE"], bundle.FactsFile)
			must(t, os.Remove(path))
			must(t, syscall.Mkfifo(path, 0o600))
		}},
		{"a line for a path", contract.CodeBundleMismatch, "decision.json", nil, func(t *testing.T, s *stage) {
			s.env["AIRLOCK_BUNDLE"] = t.TempDir() + "/x\n::set-output name=a::b\x1b[2J"
			must(t, os.MkdirAll(filepath.Join(s.env["AIRLOCK_BUNDLE"], bundle.DecisionFile), 0o700))
		}},
		{"a Decision that is no record", contract.CodeRecordInvalid, "decision.json", func(_ *testing.T, s *stage) {
			s.files[bundle.DecisionFile] = []byte("{}\n")
		}, nil},
		{"facts with an unknown field", contract.CodeRecordInvalid, "facts.json", replace(bundle.FactsFile, `"schema"`, `"extra":1,"schema"`), nil},
		{"policy of another version", contract.CodeRecordInvalid, "policy.json", replace(bundle.PolicyFile, "policy/1", "policy/2"), nil},
		{"a Decision that does not admit", contract.CodeDecisionNotAdmitting, "admitted", func(_ *testing.T, s *stage) {
			s.decision.Admitted, s.decision.Reasons = false, []contract.Code{contract.CodeItemHeld}
		}, nil},
		{"another release", contract.CodeReleaseMismatch, "release", func(_ *testing.T, s *stage) {
			s.decision.Release.Commit = strings.Repeat("1", 40)
		}, nil},
		{"a diff that is none", contract.CodeRecordInvalid, "Task", func(_ *testing.T, s *stage) { s.files[bundle.DiffFile] = []byte("no diff\n") }, nil},
		{"a broker without a price", contract.CodeConfigurationInvalid, "engines.prices", pin(func(p *contract.EnginePin) { p.Credential = "broker" }), nil},
		{"a stand-in on Actions", contract.CodeConfigurationInvalid, "engines.upstream", func(_ *testing.T, s *stage) {
			s.harness.Engines[0].Upstream, s.env["GITHUB_ACTIONS"] = "http://127.0.0.1:1", "true"
		}, nil},
		{"a stand-in on Actions, with a broker", contract.CodeConfigurationInvalid, "engines.upstream", func(_ *testing.T, s *stage) {
			s.brokered()
			s.harness.Engines[0].Upstream, s.env["GITHUB_ACTIONS"] = "http://localhost:1", "true"
		}, nil},
		{"another host", contract.CodeConfigurationInvalid, "engines.upstream", pin(func(p *contract.EnginePin) { p.Upstream = "https://collector.example.invalid" }), nil},
		{"an engine that is not pinned", contract.CodeConfigurationInvalid, "tiers.gate.engine", pin(func(p *contract.EnginePin) { p.Name = "other" }), nil},
		{"no output file", contract.CodeEnvironmentMissing, "GITHUB_OUTPUT", unset("GITHUB_OUTPUT"), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t)
			marker := filepath.Join(t.TempDir(), "started")
			s.scripted(t, "touch "+marker)
			temporary := s.env["AIRLOCK_RESULT"]
			if test.before != nil {
				test.before(t, s)
			}
			if s.env["AIRLOCK_BUNDLE"] != "" {
				s.hand(t)
			}
			if test.after != nil {
				test.after(t, s)
			}
			code := s.run(t)
			message := s.stderr.String()
			if code != 2 || !strings.HasPrefix(message, "airlock run: "+string(test.code)+": ") || !strings.Contains(message, test.says) || strings.Count(message, "\n") != 1 || strings.Contains(message, "\x1b") {
				t.Errorf("exit %d, message %q", code, message)
			}
			if _, err := os.Stat(temporary); err == nil {
				t.Error("something was written where the Result goes")
			}
			if _, err := os.Stat(marker); err == nil {
				t.Error("the CLI was started")
			}
		})
	}
}

// TestOutputFailure holds that no Result stays where its digest could not be handed on.
func TestOutputFailure(t *testing.T) {
	s := newStage(t)
	s.replaying(t, modelFile(t, "A.result.model.json"))
	s.hand(t)
	s.env["GITHUB_OUTPUT"] = t.TempDir() // a directory
	if code := s.run(t); code != 2 || !strings.HasPrefix(s.stderr.String(), "airlock run: output_failed: ") {
		t.Errorf("exit %d: %s", code, s.stderr.String())
	}
	if left, err := os.ReadDir(s.env["AIRLOCK_RESULT"]); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// judged replays an answer and returns the Result.
func judged(t *testing.T, answer []byte) (contract.Result, int) {
	t.Helper()
	s := newStage(t)
	s.replaying(t, answer)
	s.hand(t)
	code := s.run(t)
	return s.result(t), code
}

// TestAnswerIsNotAResult holds that an answer that does not validate makes a whole Result, failed, with empty lists.
func TestAnswerIsNotAResult(t *testing.T) {
	good := string(modelFile(t, "A.result.model.json"))
	for name, answer := range map[string]string{
		"prose":            "I have looked at the change.",
		"empty object":     "{}",
		"unknown field":    strings.Replace(good, `{"dispositions"`, `{"prose":"x","dispositions"`, 1),
		"duplicate field":  strings.Replace(good, `{"dispositions"`, `{"status":"completed","dispositions"`, 1),
		"unknown category": strings.Replace(good, `"category":"tests"`, `"category":"licensing"`, 1),
		"an approval":      strings.Replace(good, `"COMMENT"`, `"APPROVE"`, 1),
		"status failed":    strings.Replace(good, `"status":"completed"`, `"status":"failed"`, 1),
		"a reason":         strings.Replace(good, `"reason":null`, `"reason":"context_missing"`, 1),
		"data after":       good + "{}",
		"not UTF-8":        strings.Replace(good, "placeholder", "\xff", 1),
		"a fraction":       strings.Replace(good, `"line":15`, `"line":15.5`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			if answer == good {
				t.Fatal("the answer is not changed")
			}
			result, code := judged(t, []byte(answer))
			if result.Status != contract.StatusFailed || result.Reason == nil || *result.Reason != "result_invalid" || code != 1 {
				t.Errorf("status %s, reason %v, exit %d", result.Status, result.Reason, code)
			}
			if len(result.Findings)+len(result.Dispositions)+len(result.Effects) != 0 {
				t.Errorf("a failed Result holds something")
			}
		})
	}
}

// TestStatuses holds the Result and the exit code of each status that a model may answer with.
func TestStatuses(t *testing.T) {
	empty := `{"dispositions":[],"effects":[{"answers":[],"body":"Too large for me.","event":"COMMENT","id":"e1","listed":[],"threads":[],"type":"submit_review"}],"findings":[],`
	for name, answer := range map[string]string{
		"completed":  empty + `"reason":null,"status":"completed"}`,
		"incomplete": empty + `"reason":"change_too_large","status":"incomplete"}`,
		"refused":    empty + `"reason":"declined_unsafe","status":"refused"}`,
	} {
		if result, code := judged(t, []byte(answer)); result.Status != name || code != 0 {
			t.Errorf("status %s, exit %d, want %s and 0", result.Status, code, name)
		}
	}
}

// TestResultSecret holds that an answer with the credential, or a transform of it, in one text or in several, is no Result.
func TestResultSecret(t *testing.T) {
	reversed := []byte(testToken)
	slices.Reverse(reversed)
	good := string(modelFile(t, "A.result.model.json"))
	inText := func(text string) string { return strings.Replace(good, "Use a placeholder.", text, 1) }
	escaped, entities := "", ""
	for _, c := range testToken {
		entities += fmt.Sprintf(`\u0026#%d;`, c)
		escaped += `\u00` + string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15])
	}
	half := len(testToken) / 2
	for name, answer := range map[string]string{
		"plain":             inText(testToken),
		"cut":               inText(testToken[16:]),
		"reversed":          inText(string(reversed)),
		"base64":            inText(base64.StdEncoding.EncodeToString([]byte(testToken))),
		"spaced":            inText(strings.Join(strings.Split(testToken, ""), " ")),
		"JSON escapes":      inText(escaped),
		"HTML in escapes":   inText(entities),
		"escapes twice":     inText(strings.ReplaceAll(escaped, `\`, `\\`)),
		"over two findings": strings.Replace(inText(testToken[:half]), "Neither the empty", testToken[half:]+" Neither the empty", 1),
		"in a title":        strings.Replace(good, "FindByOwner has no test", testToken, 1),
		"in an unknown key": strings.Replace(good, `{"dispositions"`, `{"`+testToken+`":1,"dispositions"`, 1),
		"in prose":          "the token is " + testToken,
	} {
		t.Run(name, func(t *testing.T) {
			result, code := judged(t, []byte(answer))
			if result.Reason == nil || *result.Reason != "result_secret" || code != 1 {
				t.Errorf("status %s, reason %v, exit %d", result.Status, result.Reason, code)
			}
		})
	}
	if result, _ := judged(t, []byte(good)); result.Status != contract.StatusCompleted {
		t.Errorf("an answer without it is %s", result.Status)
	}
}

// panicking is an engine that panics with text of the model's.
type panicking struct{}

func (panicking) Answer(context.Context, engine.Request) engine.Outcome { panic("CANARY " + testToken) }

// TestPanicIsAResult holds that a fault of the program in the engine still makes a whole Result.
func TestPanicIsAResult(t *testing.T) {
	s := newStage(t)
	s.hand(t)
	step, in := stepAndInputs(t, s)
	job, err := prepare(step, in)
	must(t, err)
	result, _ := job.ask(t.Context(), panicking{}, secret.New(testToken))
	_, err = write(step, s.env["AIRLOCK_RESULT"], result)
	must(t, err)
	read := s.result(t)
	if read.Status != contract.StatusFailed || *read.Reason != "engine_other" || read.Usage.Complete || read.Task != job.taskDigest {
		t.Errorf("result: %+v", read)
	}
}

// failingRandom panics, in place of a fault before the engine is asked.
type failingRandom struct{}

func (failingRandom) Read([]byte) (int, error) { panic("CANARY " + testToken) }

type brokenRandom struct{}

func (brokenRandom) Read([]byte) (int, error) { return 0, errors.New("no entropy") }

func TestPanicBeforeTheEngine(t *testing.T) {
	s := newStage(t)
	s.replaying(t, modelFile(t, "A.result.model.json"))
	s.hand(t)
	env := Environment{Env: s.env, Take: take, Clock: time.Now, Random: failingRandom{}, Stdout: &s.stdout, Stderr: &s.stderr}
	if code := Program(t.Context(), env); code != 2 || strings.Contains(s.stderr.String(), "CANARY") || strings.Count(s.stderr.String(), "\n") != 1 {
		t.Errorf("exit %d: %s", code, s.stderr.String())
	}
	env.Random = brokenRandom{}
	if code := Program(t.Context(), env); code != 2 || !strings.Contains(s.stderr.String(), "session id") {
		t.Errorf("exit %d: %s", code, s.stderr.String())
	}
}

// TestEngineFailureIsAResult holds the exit code by the fault of the reason, and that the Result is written before.
func TestEngineFailureIsAResult(t *testing.T) {
	for body, want := range map[string]struct {
		reason string
		exit   int
	}{
		`exit 1`: {"engine_start", 1},
		`echo 'error: unknown option' >&2; exit 1`: {"engine_arguments", 1},
		`echo CANARY-OUT; echo CANARY-ERR >&2`:     {"engine_output_invalid", 1},
		`kill -KILL $$`:                            {"engine_killed", 1},
		`while [ $# -gt 0 ]; do [ "$1" = --session-id ] && session=$2; shift; done
printf '{"type":"result","session_id":"%s","is_error":true,"stop_reason":"refusal","num_turns":1}' "$session"; exit 1`: {"model_refused", 0},
	} {
		s := newStage(t)
		s.scripted(t, body)
		s.hand(t)
		code := s.run(t)
		result := s.result(t)
		if result.Status != contract.StatusFailed || *result.Reason != want.reason || code != want.exit {
			t.Errorf("%s: reason %v, exit %d", body, *result.Reason, code)
		}
		if log := s.stdout.String() + s.stderr.String(); strings.Contains(log, "CANARY") || !strings.Contains(log, "airlock run: "+want.reason+": ") {
			t.Errorf("log: %s", log)
		}
	}
}

// TestPlantedPrograms holds that a bwrap and a git in front of the job's PATH are not what the CLI finds.
func TestPlantedPrograms(t *testing.T) {
	s := newStage(t)
	planted, found := t.TempDir(), filepath.Join(t.TempDir(), "found")
	for _, name := range []string{"bwrap", "git"} {
		must(t, os.WriteFile(filepath.Join(planted, name), []byte("#!/bin/sh\n"), 0o700))
	}
	s.scripted(t, "command -v bwrap git > "+found)
	s.env["PATH"] = planted + string(filepath.ListSeparator) + s.env["PATH"]
	s.hand(t)
	s.run(t)
	got, err := os.ReadFile(found)
	must(t, err)
	if len(got) == 0 || strings.Contains(string(got), planted) {
		t.Errorf("the CLI finds %q", got)
	}
}
