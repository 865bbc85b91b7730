package decide

import (
	"regexp"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// inputs are the environment of the program, checked.
type inputs struct {
	apiURL, graphQLURL string
	token              secret.Credential
	owner, name        string
	repositoryID       int64
	workflow           contract.Workflow
	eventName          string
	eventPath          string
	role, intent       string
	number             int64 // 0 where only the event names one
	again              bool
	bundle             string
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

// readInputs reads the variables in the order in which a person would set them, and stops at the first that cannot be used.
func readInputs(step *workflow.Step) (inputs, *workflow.Fault) {
	in := inputs{role: step.Input("AIRLOCK_ROLE", "pr-review"), intent: step.Input("AIRLOCK_INTENT", "review-change")}
	var fault *workflow.Fault
	for _, variable := range []struct {
		name string
		into *string
	}{
		{"GITHUB_API_URL", &in.apiURL}, {"GITHUB_GRAPHQL_URL", &in.graphQLURL}, {"GITHUB_EVENT_NAME", &in.eventName}, {"GITHUB_EVENT_PATH", &in.eventPath},
		{"AIRLOCK_BUNDLE", &in.bundle},
	} {
		value, fault := step.Required(variable.name)
		if fault != nil {
			return in, fault
		}
		*variable.into = value
	}
	var attempt int64
	for _, variable := range []struct {
		name string
		into *int64
	}{{"GITHUB_REPOSITORY_ID", &in.repositoryID}, {"GITHUB_RUN_ID", &in.workflow.RunID}, {"GITHUB_RUN_ATTEMPT", &attempt}} {
		value, fault := step.Number(variable.name)
		if fault != nil {
			return in, fault
		}
		*variable.into = value
	}
	in.workflow.Attempt = int(attempt)
	if in.token = secret.New(step.Input("GITHUB_TOKEN", "")); in.token.IsZero() {
		return in, step.Fault(contract.CodeCredentialMissing, "GITHUB_TOKEN is empty", "the facts are read with it")
	}
	if in.owner, in.name, fault = step.Repository(); fault != nil {
		return in, fault
	}
	if in.workflow.Path, fault = step.WorkflowPath(); fault != nil {
		return in, fault
	}
	return in, readAsked(step, &in)
}

// readAsked reads the variables that say what is asked for.
func readAsked(step *workflow.Step, in *inputs) *workflow.Fault {
	for name, value := range map[string]string{"AIRLOCK_ROLE": in.role, "AIRLOCK_INTENT": in.intent} {
		if !nameForm.MatchString(value) {
			return step.Fault(contract.CodeUsage, name+" is not a name", "a name is lower-case letters, digits and hyphens, 40 at most")
		}
	}
	if step.Input("AIRLOCK_NUMBER", "") != "" {
		number, fault := step.Number("AIRLOCK_NUMBER")
		if fault != nil {
			fault.Code = contract.CodeEventUnusable
			return fault
		}
		in.number = number
	}
	switch step.Input("AIRLOCK_AGAIN", "false") {
	case "true":
		in.again = true
	case "false":
	default:
		return step.Fault(contract.CodeUsage, "AIRLOCK_AGAIN is neither \"true\" nor \"false\"", "it says whether the same content is reviewed once more")
	}
	return nil
}

// file is the name of the workflow's file.
func (in inputs) file() string {
	return in.workflow.Path[strings.LastIndexByte(in.workflow.Path, '/')+1:]
}
