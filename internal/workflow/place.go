package workflow

import (
	"regexp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// longestPlace bounds what names a place on GitHub, in bytes.
const longestPlace = 512

// Forms of what the runner says of where it works. What is asked of GitHub is made from them.
var (
	repositoryForm = regexp.MustCompile(`^([A-Za-z0-9._-]+)/([A-Za-z0-9._-]+)$`)
	workflowForm   = regexp.MustCompile(`^[^/@\s]+/[^/@\s]+/(\.github/workflows/[^/@\s]+\.ya?ml)@\S+$`)
)

// Repository returns the owner and the name of the repository that the step works on.
func (s *Step) Repository() (owner, name string, fault *Fault) {
	parts, fault := s.form("GITHUB_REPOSITORY", repositoryForm, "is not owner/name", "it says where the item is asked for")
	if fault != nil {
		return "", "", fault
	}
	return parts[1], parts[2], nil
}

// WorkflowPath returns the path of the workflow's file in its repository, such as ".github/workflows/review.yml".
func (s *Step) WorkflowPath() (string, *Fault) {
	parts, fault := s.form("GITHUB_WORKFLOW_REF", workflowForm, "names no workflow file", "earlier Runs are found by the file of their workflow")
	if fault != nil {
		return "", fault
	}
	return parts[1], nil
}

func (s *Step) form(variable string, form *regexp.Regexp, what, why string) ([]string, *Fault) {
	value, fault := s.Required(variable)
	if fault != nil {
		return nil, fault
	}
	if parts := form.FindStringSubmatch(value); len(value) <= longestPlace && parts != nil {
		return parts, nil
	}
	return nil, s.Fault(contract.CodeUsage, variable+" "+what, why)
}
