package decide

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/config"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/facts"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/kernel"
	"github.com/seed-2ea642bd/airlock/internal/release"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// Environment is all that the program takes from its surroundings.
type Environment struct {
	Env       map[string]string
	Clock     func() time.Time
	Transport http.RoundTripper
	// Sleep waits between two tries of a read, or ends early with the context's error.
	Sleep          func(context.Context, time.Duration) error
	Stdout, Stderr io.Writer
}

// Exit codes.
const (
	exitDone  = 0
	exitRun   = 1 // GitHub did not answer as it must
	exitInput = 2 // usage, environment, configuration or event
)

// Program runs decide and returns its exit code: 0 with a Decision, whatever it says; 1 where GitHub could not be read; 2
// where the event, the environment or the configuration cannot be used. Without a Decision nothing is written.
func Program(ctx context.Context, env Environment) int {
	step := workflow.New("decide", env.Env, env.Stdout)
	made, err := program(ctx, step, env)
	if err != nil {
		return tell(env.Stderr, step, err)
	}
	for _, fault := range made.faults {
		printf(env.Stderr, "airlock decide: %s: part %s is incomplete; %s\n", contract.CodeFactsIncomplete, fault.Part, oneLine(fault.Err))
	}
	printf(env.Stderr, "airlock decide: %s\n", sentence(made.decision))
	return exitDone
}

// made is what a Decision came with.
type made struct {
	decision contract.Decision
	faults   []facts.Fault
}

func program(ctx context.Context, step *workflow.Step, env Environment) (made, error) {
	in, fault := readInputs(step)
	if fault != nil {
		return made{}, fault
	}
	asked, number, fault := readEvent(step, in)
	if fault != nil {
		return made{}, fault
	}
	current, err := release.Current()
	if err != nil {
		return made{}, err
	}
	client, err := github.New(github.Options{APIURL: in.apiURL, GraphQLURL: in.graphQLURL, Token: in.token, Transport: env.Transport, Sleep: env.Sleep})
	if err != nil {
		return made{}, step.Fault(contract.CodeUsage, "GITHUB_API_URL or GITHUB_GRAPHQL_URL cannot be used", err.Error())
	}
	source, err := facts.NewSource(ctx, client, in.owner, in.name, in.repositoryID)
	if err != nil {
		return made{}, err
	}
	configuration, err := config.Load(ctx, source, in.role)
	if err != nil {
		return made{}, err
	}
	app, _ := configuration.Apps.Named(configuration.Role.App) // Load holds that it exists
	snapshot, err := facts.Read(ctx, client, facts.Request{
		Owner: in.owner, Name: in.name, RepositoryID: in.repositoryID, Number: number, Role: in.role, App: app,
		WorkflowFile: in.file(), OwnRunID: in.workflow.RunID, ConfigCommit: source.Commit(), Now: env.Clock,
	})
	if github.ClassOf(err) == github.ClassNotFound {
		return made{}, step.Fault(contract.CodeEventUnusable, "there is no such pull request", oneLine(err))
	}
	if err != nil {
		return made{}, err
	}
	b, err := gather(configuration, snapshot)
	if err != nil {
		return made{}, err
	}
	decision := kernel.Decide(kernel.Input{
		Facts: snapshot.Facts, Policy: configuration.Policy, Apps: configuration.Apps, Role: configuration.Role, Intent: in.intent,
		EvalsPresent: configuration.EvalsPresent(in.intent), Asked: asked, Workflow: in.workflow, Now: contract.At(env.Clock()),
	}, current, b.inputs())
	digest, err := b.add(decision)
	if err != nil {
		return made{}, err
	}
	if err := b.write(in.bundle); err != nil {
		return made{}, step.Fault(contract.CodeOutputFailed, "the bundle could not be written to AIRLOCK_BUNDLE", err.Error())
	}
	if err := announce(step, decision, digest); err != nil {
		return made{}, err
	}
	if err := step.Summary(summary(decision, snapshot)); err != nil {
		return made{}, err
	}
	return made{decision, snapshot.Faults}, nil
}

// announce sets the outputs.
func announce(step *workflow.Step, decision contract.Decision, digest string) error {
	var first contract.Code
	if len(decision.Reasons) > 0 {
		first = decision.Reasons[0]
	}
	for _, output := range []struct {
		name  string
		value workflow.Value
	}{
		{"admitted", workflow.Bool(decision.Admitted)}, {"report", workflow.Bool(kernel.Report(decision))}, {"run", workflow.Run(decision.Run)},
		{"role", workflow.Name(decision.Role)}, {"item", workflow.Count(int64(decision.Item.Number))}, {"reason", workflow.Reason(first)},
		{"decision-sha256", workflow.Digest(digest)},
	} {
		if err := step.Set(output.name, output.value); err != nil {
			return err
		}
	}
	return nil
}

// tell prints the one message of a program that made no Decision, and gives its exit code.
func tell(stderr io.Writer, step *workflow.Step, err error) int {
	var fault *workflow.Fault
	var invalid *config.Error
	exit := exitInput
	switch {
	case errors.Is(err, context.Canceled):
		exit = exitRun
		fault = step.Fault(contract.CodeInterrupted, "the program was told to stop before a Decision was made", "nothing was written")
		fault.Next = "run the workflow again"
	case errors.As(err, &fault):
	case errors.As(err, &invalid):
		fault = step.Fault(contract.CodeConfigurationInvalid, "the configuration cannot be used", oneLine(invalid))
	default:
		exit = exitRun
		fault = step.Fault(github.CodeOf(err), "the facts could not be read", oneLine(err))
		fault.Next = "run the workflow again"
		if fault.Code == contract.CodePermissionDenied {
			fault.Next = "give the job the read permissions that the action's github-token names"
		}
	}
	if fault.Code == contract.CodeOutputFailed {
		exit = exitRun
	}
	printf(stderr, "%s\n", fault.Error())
	return exit
}

// printf writes to a stream of the program; where that fails there is nobody left to tell.
func printf(out io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) }
