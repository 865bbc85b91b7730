package demo

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/task"
)

const role = "pr-review"

// readPermissions are what the workflow gives the GITHUB_TOKEN of decide and apply.
func readPermissions() map[string]string {
	return map[string]string{"actions": "read", "checks": "read", "contents": "read", "issues": "read", "pull_requests": "read", "metadata": "read"}
}

// uploaded is an artifact as its job's outputs name it.
type uploaded struct {
	id     int64
	digest string
	files  map[string][]byte
	// sha256 is the digest of the one file that the next job holds it to.
	sha256 string
}

// build makes the three binaries. A folder of the running program that already has them is used as it is.
func build(ctx context.Context, work string, env map[string]string) (string, error) {
	if self, err := os.Executable(); err == nil {
		folder := filepath.Dir(self)
		if !slices.ContainsFunc(programs(), func(name string) bool { _, err := os.Stat(filepath.Join(folder, name)); return err != nil }) {
			return folder, nil
		}
	}
	folder := filepath.Join(work, "programs")
	arguments := []string{"build", "-trimpath", "-o", folder + string(filepath.Separator)}
	for _, name := range programs() {
		arguments = append(arguments, "github.com/seed-2ea642bd/airlock/actions/"+name)
	}
	command := exec.CommandContext(ctx, "go", arguments...)
	command.Env = environ(env)
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the three programs: %w\n%s\nrun the demo inside a clone of airlock, or give --programs", err, out)
	}
	return folder, nil
}

func programs() []string { return []string{"apply", "decide", "run"} }

func environ(env map[string]string) []string {
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// job runs one program as its job would: exactly this environment, a fresh working directory, no standard input. It returns
// the outputs, the exit code and what the program logged.
func (s *stage) job(ctx context.Context, name string, env map[string]string) (map[string]string, int, string, error) {
	s.tell("%s", name)
	folder, err := os.MkdirTemp(s.work, name+"-")
	if err != nil {
		return nil, 0, "", err
	}
	env["GITHUB_OUTPUT"], env["GITHUB_STEP_SUMMARY"] = filepath.Join(folder, "output"), filepath.Join(folder, "summary.md")
	env["RUNNER_TEMP"] = folder
	for _, file := range []string{env["GITHUB_OUTPUT"], env["GITHUB_STEP_SUMMARY"]} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			return nil, 0, "", err
		}
	}
	var log bytes.Buffer
	command := exec.CommandContext(ctx, filepath.Join(s.programs, name))
	command.Env, command.Dir, command.Stdout, command.Stderr = environ(env), folder, &log, &log
	err = command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, 0, "", fmt.Errorf("start %s: %w", name, err)
	}
	outputs, err := readOutputs(env["GITHUB_OUTPUT"])
	return outputs, command.ProcessState.ExitCode(), log.String(), err
}

// readOutputs reads a step's outputs in either form of the runner's file: name=value, or name<<DELIMITER.
func readOutputs(file string) (map[string]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	outputs := map[string]string{}
	lines := splitLines(string(data))
	for i := 0; i < len(lines); i++ {
		if name, delimiter, ok := strings.Cut(lines[i], "<<"); ok {
			var value []string
			for i++; i < len(lines) && lines[i] != delimiter; i++ {
				value = append(value, lines[i])
			}
			outputs[name] = strings.Join(value, "\n")
		} else if name, value, ok := strings.Cut(lines[i], "="); ok {
			outputs[name] = value
		}
	}
	return outputs, nil
}

func splitLines(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }

// upload is what the upload step does: one archive, under one name, as an artifact of the workflow run.
func (s *stage) upload(run int64, name, folder, counts string) (uploaded, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return uploaded{}, err
	}
	up := uploaded{files: map[string][]byte{}}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return uploaded{}, err
		}
		file, err := w.Create(entry.Name())
		if err == nil {
			_, err = file.Write(data)
		}
		if err != nil {
			return uploaded{}, err
		}
		up.files[entry.Name()] = data
	}
	if err := w.Close(); err != nil {
		return uploaded{}, err
	}
	artifact, err := s.server.UploadArtifact(run, name, archive.Bytes())
	if err != nil {
		return uploaded{}, fmt.Errorf("upload %s: %w", name, err)
	}
	up.id, up.digest = artifact.ID, strings.TrimPrefix(artifact.Digest, "sha256:")
	up.sha256 = strings.TrimPrefix(contract.Digest(up.files[counts]), "sha256:")
	return up, nil
}

// download is what the download step does: the files of one artifact, by its id.
func (s *stage) download(id int64) (string, error) {
	archive, err := s.server.ArtifactZip(id)
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp(s.work, "download-")
	if err != nil {
		return "", err
	}
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return "", err
	}
	for _, entry := range r.File {
		file, err := entry.Open()
		if err != nil {
			return "", err
		}
		data, err := io.ReadAll(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, filepath.Base(entry.Name)), data, 0o600)
		}
		if err != nil {
			return "", err
		}
	}
	return folder, nil
}

// runner is what the runner sets for every job of a workflow run.
func (s *stage) runner(run int64, attempt int, started event) (map[string]string, error) {
	payload := filepath.Join(s.work, fmt.Sprintf("event-%d.json", run))
	if err := os.WriteFile(payload, started.Payload, 0o600); err != nil {
		return nil, err
	}
	repository := s.scenario.Repository
	full := repository.Owner + "/" + repository.Name
	return map[string]string{
		"GITHUB_ACTIONS": "true", "CI": "true", "GITHUB_API_URL": s.address, "GITHUB_GRAPHQL_URL": s.address + "/graphql", "GITHUB_SERVER_URL": s.address,
		"GITHUB_REPOSITORY": full, "GITHUB_REPOSITORY_ID": strconv.FormatInt(repository.ID, 10),
		"GITHUB_RUN_ID": strconv.FormatInt(run, 10), "GITHUB_RUN_ATTEMPT": strconv.Itoa(attempt), "GITHUB_EVENT_NAME": started.Name,
		"GITHUB_EVENT_PATH": payload, "GITHUB_WORKFLOW_REF": full + "/" + workflowPath + "@refs/heads/" + repository.DefaultBranch,
	}, nil
}

// decide runs the first job and hands its bundle on.
func (s *stage) decide(ctx context.Context, n int, run int64, started event, p *passed) (uploaded, map[string]string, error) {
	env, err := s.runner(run, 1, started)
	if err != nil {
		return uploaded{}, nil, err
	}
	token, err := s.server.MintJobToken(emulator.JobToken{RunID: run, Permissions: readPermissions()})
	if err != nil {
		return uploaded{}, nil, err
	}
	folder := filepath.Join(s.work, fmt.Sprintf("bundle-%d", n+1))
	env["GITHUB_TOKEN"], env["AIRLOCK_ROLE"], env["AIRLOCK_INTENT"], env["AIRLOCK_BUNDLE"] = token, role, "review-change", folder
	outputs, code, log, err := s.job(ctx, "decide", env)
	p.exits = append(p.exits, code)
	if err != nil || code == 2 || outputs["decision-sha256"] == "" {
		return uploaded{}, nil, failed("decide", code, log, err)
	}
	up, err := s.upload(run, fmt.Sprintf("airlock-bundle-%s-%d-1", role, s.scenario.Number), folder, bundle.DecisionFile)
	if err != nil {
		return uploaded{}, nil, err
	}
	opened, err := bundle.Open(up.files, "sha256:"+up.sha256)
	if err != nil {
		return uploaded{}, nil, fmt.Errorf("the bundle that decide wrote: %w", err)
	}
	p.decision = opened.Decision
	if opened.Decision.Admitted {
		built, err := task.Build(task.Input{Decision: opened.Decision, Facts: opened.Facts, Role: opened.Role, Policy: opened.Policy,
			Apps: opened.Apps, Harness: opened.Harness, Diff: bytes.NewReader(opened.Diff)})
		if err != nil {
			return uploaded{}, nil, err
		}
		p.task = &built
		data, err := contract.Canonical(built)
		if err != nil {
			return uploaded{}, nil, err
		}
		if err := s.keep(n, "task.json", data); err != nil {
			return uploaded{}, nil, err
		}
	}
	for name, data := range up.files {
		if err := s.keep(n, name, data); err != nil {
			return uploaded{}, nil, err
		}
	}
	s.account.decided(env, opened, p)
	return up, outputs, nil
}

// run runs the job that thinks.
func (s *stage) run(ctx context.Context, n int, handed uploaded, outputs map[string]string, p *passed, run int64) (uploaded, error) {
	folder, err := s.download(handed.id)
	if err != nil {
		return uploaded{}, err
	}
	written := filepath.Join(s.work, fmt.Sprintf("result-%d", n+1))
	env := map[string]string{"PATH": s.Env["PATH"], "AIRLOCK_BUNDLE": folder, "AIRLOCK_DECISION_SHA256": outputs["decision-sha256"], "AIRLOCK_RESULT": written}
	if s.Engine == "claude" {
		env["CLAUDE_CODE_OAUTH_TOKEN"], env["AIRLOCK_CLI"] = s.Env["CLAUDE_CODE_OAUTH_TOKEN"], s.Env["AIRLOCK_CLI"]
	} else {
		answer, err := s.scenario.answer(s.scenario.Runs[n].Answer, s.ids(p))
		if err != nil {
			return uploaded{}, err
		}
		env["AIRLOCK_REPLAY"] = filepath.Join(s.work, fmt.Sprintf("answer-%d.json", n+1))
		if err := os.WriteFile(env["AIRLOCK_REPLAY"], answer, 0o600); err != nil {
			return uploaded{}, err
		}
		env["CLAUDE_CODE_OAUTH_TOKEN"] = "demo-model-credential-of-no-worth"
	}
	outputs, code, log, err := s.job(ctx, "run", env)
	p.exits = append(p.exits, code)
	if err != nil || code == 2 || outputs["result-sha256"] == "" {
		return uploaded{}, failed("run", code, log, err)
	}
	up, err := s.upload(run, fmt.Sprintf("airlock-result-%s-%d-1", role, s.scenario.Number), written, "result.json")
	if err != nil {
		return uploaded{}, err
	}
	var result contract.Result
	if err := contract.Decode(up.files["result.json"], &result); err != nil {
		return uploaded{}, fmt.Errorf("the Result that run wrote: %w", err)
	}
	p.result = &result
	s.account.answered(env, p)
	return up, s.keep(n, "result.json", up.files["result.json"])
}

// ids are what the placeholders of a recorded answer stand for.
func (s *stage) ids(p *passed) map[string]string {
	ids := map[string]string{}
	for n, run := range s.runs {
		ids[fmt.Sprintf("run %d", n+1)] = run.decision.Run
	}
	for _, text := range p.task.Texts {
		if text.Kind == contract.TextDiff {
			ids["diff"] = text.ID
		}
	}
	for _, finding := range p.task.Findings {
		_, id, _ := strings.Cut(finding.ID, "/")
		if len(finding.Answers) > 0 {
			ids["answer "+id] = finding.Answers[len(finding.Answers)-1]
		}
	}
	return ids
}

// applyAll runs the job that writes, as often as asked.
func (s *stage) applyAll(ctx context.Context, n int, run int64, handed, result uploaded, outputs map[string]string, p *passed) error {
	for attempt := 1; attempt <= s.RepeatApply; attempt++ {
		if s.Fault != "" && n == 0 && attempt == 1 {
			fault, err := parseFault(s.Fault)
			if err != nil {
				return err
			}
			fault.Number = s.scenario.Number
			if err := s.server.Inject(fault); err != nil {
				return fmt.Errorf("--fault: %w; airlock emulate --faults lists the kinds", err)
			}
		}
		if err := s.applyOnce(ctx, n, run, attempt, handed, result, outputs, p); err != nil {
			return err
		}
		s.server.ClearFaults()
	}
	return nil
}

func (s *stage) applyOnce(ctx context.Context, n int, run int64, attempt int, handed, result uploaded, outputs map[string]string, p *passed) error {
	env, err := s.runner(run, attempt, event{"pull_request_target", []byte("{}")})
	if err != nil {
		return err
	}
	token, err := s.server.MintJobToken(emulator.JobToken{RunID: run, Permissions: readPermissions()})
	if err != nil {
		return err
	}
	written := filepath.Join(s.work, fmt.Sprintf("outcome-%d-%d", n+1, attempt))
	for name, value := range map[string]string{"GITHUB_TOKEN": token, "AIRLOCK_APP_PRIVATE_KEY": s.key, "AIRLOCK_OUT": written,
		"AIRLOCK_BUNDLE_ARTIFACT_ID": strconv.FormatInt(handed.id, 10), "AIRLOCK_BUNDLE_ARTIFACT_DIGEST": handed.digest,
		"AIRLOCK_DECISION_SHA256": outputs["decision-sha256"]} {
		env[name] = value
	}
	if result.id != 0 {
		env["AIRLOCK_RESULT_ARTIFACT_ID"], env["AIRLOCK_RESULT_ARTIFACT_DIGEST"] = strconv.FormatInt(result.id, 10), result.digest
		env["AIRLOCK_RESULT_SHA256"] = result.sha256
	}
	_, code, log, err := s.job(ctx, "apply", env)
	p.exits = append(p.exits, code)
	if err != nil || code == 2 {
		s.account.failed("apply", code, log)
		if s.Fault != "" && err == nil {
			return nil
		}
		return failed("apply", code, log, err)
	}
	var applied contract.Applied
	var outcome contract.Outcome
	for name, record := range map[string]any{"applied.json": &applied, "outcome.json": &outcome} {
		data, err := os.ReadFile(filepath.Join(written, name))
		if err != nil {
			return fmt.Errorf("the records that apply wrote: %w", err)
		}
		if err := contract.Decode(data, record); err != nil {
			return fmt.Errorf("%s that apply wrote: %w", name, err)
		}
		kept := name
		if attempt > 1 {
			kept = fmt.Sprintf("attempt-%d.%s", attempt, name)
		}
		if err := s.keep(n, kept, data); err != nil {
			return err
		}
	}
	p.applied, p.outcome = &applied, &outcome
	s.account.wrote(env, attempt, p)
	return nil
}

func failed(name string, code int, log string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return fmt.Errorf("%s ended with exit code %d:\n%s", name, code, strings.TrimSpace(log))
}

// json prints what a program may want of each Run.
func (s *stage) json() error {
	type row struct {
		Run        string   `json:"run"`
		Admitted   bool     `json:"admitted"`
		Reasons    []string `json:"reasons"`
		Status     string   `json:"status"`
		Conclusion string   `json:"conclusion"`
		GatingOpen []string `json:"gating_open"`
		Exits      []int    `json:"exit_codes"`
	}
	var rows []row
	for _, p := range s.runs {
		r := row{Run: p.decision.Run, Admitted: p.decision.Admitted, Reasons: []string{}, GatingOpen: []string{}, Exits: p.exits}
		for _, code := range p.decision.Reasons {
			r.Reasons = append(r.Reasons, string(code))
		}
		if p.outcome != nil {
			r.Status, r.GatingOpen = p.outcome.Status, p.outcome.GatingOpen
			if p.outcome.Conclusion != nil {
				r.Conclusion = *p.outcome.Conclusion
			}
		}
		rows = append(rows, r)
	}
	encoder := json.NewEncoder(s.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(rows)
}
