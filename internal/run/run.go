package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// ResultFile is the one file that leaves the job.
const ResultFile = "result.json"

// Exit codes. A Result is there after the first two, and not after the third.
const (
	exitDone   = 0
	exitFailed = 1
	exitFault  = 2
)

// Environment is what the program is started with.
type Environment struct {
	// Env is the job's environment.
	Env map[string]string
	// Take takes the model credential out of the environment: [Seclude], for a process of its own.
	Take func(env map[string]string) (secret.Credential, error)
	// Seal takes from this process, once the CLI is up, what it does not need any more: [sandbox.Seal], for a process of its own; nil
	// takes nothing.
	Seal func(sandbox.Ground) (version int, err error)
	// Clock is the time, for how long the model took.
	Clock func() time.Time
	// Random makes the session id.
	Random io.Reader
	// Stdout and Stderr are the job's log.
	Stdout, Stderr io.Writer
}

// Program runs the job and returns its exit code: 0 for a Result that is completed, incomplete or refused, or that failed for
// the item's sake; 1 for one that failed for the engine's or the configuration's; 2 for bad input and no Result.
func Program(ctx context.Context, environment Environment) (code int) {
	step := workflow.New("run", environment.Env, environment.Stdout)
	defer func() {
		// What panicked may hold text of the item, so nothing of it is told.
		if recover() != nil {
			fmt.Fprintln(environment.Stderr, step.Fault(contract.CodeEngineOther, "the program failed", "this is a fault of ours; please report it").Error())
			code = exitFault
		}
	}()
	result, err := perform(ctx, step, environment)
	if err != nil {
		fault := &workflow.Fault{}
		if !errors.As(err, &fault) {
			fault = step.Fault(contract.CodeEngineOther, "the program failed", err.Error())
		}
		fmt.Fprintln(environment.Stderr, fault.Error())
		return exitFault
	}
	if result.Status != contract.StatusFailed {
		return exitDone
	}
	reason, _ := contract.ReasonOf(contract.Code(*result.Reason))
	fmt.Fprintln(environment.Stderr, step.Fault(reason.Code, "the Result is failed", reason.Sentence).Error())
	if reason.Fault == contract.FaultEngine || reason.Fault == contract.FaultConfiguration {
		return exitFailed
	}
	return exitDone
}

// perform does the work in the order of the design.
func perform(ctx context.Context, step *workflow.Step, environment Environment) (contract.Result, error) {
	credential, err := environment.Take(environment.Env)
	if err != nil {
		return contract.Result{}, err
	}
	defer credential.Wipe()
	in, err := readInputs(step, environment.Env, credential)
	if err != nil {
		return contract.Result{}, err
	}
	job, err := prepare(step, in)
	if err != nil {
		return contract.Result{}, err
	}
	asked, err := engineOf(step, in, job, environment)
	if err != nil {
		return contract.Result{}, err
	}
	if job.request.Session, err = newSession(environment.Random); err != nil {
		return contract.Result{}, err
	}
	result, advice := job.ask(ctx, asked, in.credential)
	if advice != "" {
		fmt.Fprintln(environment.Stderr, "airlock run: "+advice)
	}
	digest, err := write(step, in.result, result)
	if err != nil {
		return contract.Result{}, err
	}
	fmt.Fprintf(environment.Stdout, "airlock run: %s is written, %s\n", ResultFile, digest)
	return result, nil
}

// newSession makes a random UUID, version 4.
func newSession(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("make a session id: %w", err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
}

// write writes the Result and sets the outputs. After an error there is no Result.
func write(step *workflow.Step, directory string, result contract.Result) (digest string, err error) {
	data, err := contract.Canonical(result)
	if err != nil {
		return "", step.Fault(contract.CodeOutputFailed, ResultFile+" is not written", err.Error())
	}
	path := filepath.Join(directory, ResultFile)
	if err := writeFile(path, data); err != nil {
		return "", step.Fault(contract.CodeOutputFailed, ResultFile+" is not written", err.Error())
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	reason := contract.Code("")
	if result.Reason != nil {
		reason = contract.Code(*result.Reason)
	}
	digest = contract.Digest(data)
	for _, output := range []struct {
		name  string
		value workflow.Value
	}{
		{"status", workflow.Word(result.Status, contract.StatusCompleted, contract.StatusIncomplete, contract.StatusRefused, contract.StatusFailed)},
		{"reason", workflow.Reason(reason)},
		{"result-sha256", workflow.Digest(digest)},
	} {
		if err := step.Set(output.name, output.value); err != nil {
			return "", err
		}
	}
	return digest, nil
}
