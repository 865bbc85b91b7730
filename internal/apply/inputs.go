package apply

import (
	"path"
	"regexp"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// inputs are what the environment says, checked by form.
type inputs struct {
	apiURL, graphQLURL string
	token, key         secret.Credential
	owner, name        string
	repositoryID       int64
	runID              int64
	attempt            int
	workflowFile       string
	bundle, result     handed
	decisionDigest     string
	out                string
}

// handed is an artifact as another job handed it on: its id, the digest of its archive in hexadecimal, and that of its one
// file that counts. The id is 0 where the job handed on none.
type handed struct {
	id        int64
	zipDigest string
	digest    string
}

// readInputs takes what apply is started with from the environment. An empty credential is a fault of its own: its secret
// does not exist where the job looks.
func readInputs(step *workflow.Step) (inputs, error) {
	r := reader{step: step}
	in := inputs{
		apiURL: r.need("GITHUB_API_URL"), graphQLURL: r.need("GITHUB_GRAPHQL_URL"),
		token: r.credential("GITHUB_TOKEN"), key: r.credential("AIRLOCK_APP_PRIVATE_KEY"),
		repositoryID: r.number("GITHUB_REPOSITORY_ID"), runID: r.number("GITHUB_RUN_ID"), attempt: int(r.number("GITHUB_RUN_ATTEMPT")),
		bundle:         handed{id: r.number("AIRLOCK_BUNDLE_ARTIFACT_ID"), zipDigest: r.hexadecimal("AIRLOCK_BUNDLE_ARTIFACT_DIGEST")},
		decisionDigest: "sha256:" + r.hexadecimal("AIRLOCK_DECISION_SHA256"),
		out:            r.need("AIRLOCK_OUT"),
	}
	var fault *workflow.Fault
	in.owner, in.name, fault = step.Repository()
	r.keep(fault)
	file, fault := step.WorkflowPath()
	r.keep(fault)
	in.workflowFile = path.Base(file)
	r.need("GITHUB_OUTPUT") // it is written to when all else is done, and then it would be too late
	if step.Input("AIRLOCK_RESULT_ARTIFACT_ID", "") != "" {
		in.result = handed{id: r.number("AIRLOCK_RESULT_ARTIFACT_ID"), zipDigest: r.hexadecimal("AIRLOCK_RESULT_ARTIFACT_DIGEST"),
			digest: "sha256:" + r.hexadecimal("AIRLOCK_RESULT_SHA256")}
	}
	return in, r.err
}

// reader keeps the first fault.
type reader struct {
	step *workflow.Step
	err  error
}

func (r *reader) keep(fault *workflow.Fault) {
	if fault != nil && r.err == nil {
		r.err = fault
	}
}

func (r *reader) fail(code contract.Code, what, why string) { r.keep(r.step.Fault(code, what, why)) }

func (r *reader) need(name string) string {
	value, fault := r.step.Required(name)
	r.keep(fault)
	return value
}

func (r *reader) credential(name string) secret.Credential {
	value := r.step.Input(name, "")
	if strings.TrimSpace(value) == "" {
		r.fail(contract.CodeCredentialMissing, name+" is empty", "the secret does not exist where the job looks")
	}
	return secret.New(strings.TrimSpace(value))
}

func (r *reader) number(name string) int64 {
	n, fault := r.step.Number(name)
	r.keep(fault)
	return n
}

var digestForm = regexp.MustCompile(`^(sha256:)?[0-9a-f]{64}$`)

// hexadecimal reads a digest with or without its algorithm, and returns its digits.
func (r *reader) hexadecimal(name string) string {
	value := r.need(name)
	if value != "" && !digestForm.MatchString(value) {
		r.fail(contract.CodeUsage, name+" is not 64 hexadecimal digits", "what is asked of GitHub is held to it")
	}
	return strings.TrimPrefix(value, "sha256:")
}
