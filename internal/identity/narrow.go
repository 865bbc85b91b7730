package identity

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

// permissionNames are the only permissions that a token of ours is ever asked for. GitHub's own description takes any name,
// so a misspelt one would be found out by a refusal without a word of it; none at all would give all that the App has.
func permissionNames() []string { return []string{"checks", "contents", "pull_requests"} }

// tooWide says in our words why a request is not that of a narrow token, or "".
func tooWide(request Request) string {
	if request.RepositoryID <= 0 {
		return "it names no repository"
	}
	if len(request.Permissions) == 0 {
		return "it names no permission"
	}
	for name, access := range request.Permissions {
		if !slices.Contains(permissionNames(), name) || access != "read" && access != "write" {
			return "it names a permission that nothing here needs"
		}
	}
	return ""
}

// rank orders the levels of a permission; one that nobody knows is above all.
func rank(access string) int {
	at := slices.Index([]string{"", "read", "write"}, access)
	if at < 0 {
		return 3
	}
	return at
}

// differs says what of the answer is not what was asked for, the most dangerous first, or "". now is by the clock that GitHub
// accepted.
func differs(request Request, answer minted, now time.Time) (contract.Code, string) {
	want := maps.Clone(request.Permissions)
	want["metadata"] = "read"
	for name, access := range answer.Permissions {
		if rank(access) > rank(want[name]) {
			return contract.CodeIdentityExcess, "more permissions were granted"
		}
	}
	switch {
	case answer.Selection != "selected":
		return contract.CodeIdentityElsewhere, "it is for all repositories"
	case len(answer.Repositories) != 1 || answer.Repositories[0].ID != request.RepositoryID:
		return contract.CodeIdentityElsewhere, "it is not for exactly the one repository"
	case !maps.Equal(answer.Permissions, want):
		return contract.CodeIdentityShort, "fewer permissions were granted"
	case answer.ExpiresAt.Before(now) || answer.ExpiresAt.After(now.Add(2*time.Hour)):
		return contract.CodeIdentityMismatch, "it does not end within the hour"
	}
	return "", ""
}

// refused turns the failure of the mint into a [*Fault]. GitHub tells its 422s apart by their sentence alone; one that is not
// known keeps the code that has no remedy of its own. GitHub's sentence stays in the fault: it is about the App, and nobody
// else has a word in it.
func refused(err error) error {
	var fault *Fault
	if errors.As(err, &fault) {
		return fault
	}
	var failure *github.Error
	if !errors.As(err, &failure) {
		return &Fault{Code: contract.CodePlatformError, What: "mint the token", Cause: err}
	}
	code, what := contract.CodePlatformError, fmt.Sprintf("mint the token: %s (status %d)", failure.Class, failure.Status)
	says := func(words string) bool { return strings.Contains(strings.ToLower(failure.Message), words) }
	switch failure.Class {
	case github.ClassRateLimited:
		code = contract.CodeRateLimited
	case github.ClassUnauthorized:
		code = contract.CodeIdentitySignature
	case github.ClassNotFound, github.ClassGone:
		code = contract.CodeIdentityInstallation
	case github.ClassPermissionDenied, github.ClassInvalid:
		switch {
		case says("suspended"):
			code = contract.CodeIdentitySuspended
		case says("repository"):
			code = contract.CodeIdentityRepository
		case says("permissions"):
			code = contract.CodeIdentityUnaccepted
		default:
			code = contract.CodeIdentityRefused
		}
	case github.ClassUnreachable, github.ClassUnavailable, github.ClassMalformed, github.ClassTooLarge:
		what += "; a token that nobody holds may have been made, and ends within the hour"
	}
	if failure.Class != github.ClassUnreachable && sentence.MatchString(failure.Message) && len(secret.Find(failure.Message)) == 0 {
		what += ": " + failure.Message
	}
	return &Fault{Code: code, What: what, Cause: err}
}

// sentence is what may be repeated of GitHub's words: nothing of it can be a command to the runner.
var sentence = regexp.MustCompile(`^[A-Za-z0-9 .,;:'"()_/-]+$`)
