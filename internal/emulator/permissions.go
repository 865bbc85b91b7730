package emulator

import (
	"net/http"
	"slices"
	"strings"
)

// The permission keys of GitHub Apps and the levels each has, from the schema app-permissions of GitHub's
// description. GitHub refuses any other key; its description does not say so.
const (
	readWriteKeys = `actions administration artifact_metadata attestations checks code_quality codespaces contents
custom_properties_for_organizations dependabot_secrets deployments discussions email_addresses environments followers
git_ssh_keys gpg_keys interaction_limits issues members merge_queues metadata organization_administration
organization_announcement_banners organization_copilot_agent_settings organization_copilot_seat_management
organization_custom_org_roles organization_custom_roles organization_hooks organization_packages
organization_personal_access_token_requests organization_personal_access_tokens organization_secrets
organization_self_hosted_runners organization_user_blocking packages pages pull_requests
repository_custom_properties repository_hooks secret_scanning_alerts secrets security_events single_file starring
statuses vulnerability_alerts`
	adminKeys     = `enterprise_custom_properties_for_organizations organization_custom_properties organization_projects repository_projects`
	readOnlyKeys  = `organization_events organization_plan`
	writeOnlyKeys = `profile workflows`
)

// levelRank orders the levels of a permission.
func levelRank(level string) int { return slices.Index([]string{"read", "write", "admin"}, level) + 1 }

// validPermission says whether GitHub knows the key and the key has the level.
func validPermission(key, level string) bool {
	in := func(keys string) bool { return slices.Contains(strings.Fields(keys), key) }
	switch level {
	case "read":
		return in(readWriteKeys) || in(adminKeys) || in(readOnlyKeys)
	case "write":
		return in(readWriteKeys) || in(adminKeys) || in(writeOnlyKeys)
	case "admin":
		return in(adminKeys)
	}
	return false
}

// need is one set of permissions that is enough for an operation, as GitHub's header writes it: "issues=write" or
// "contents=write,pull_requests=write".
type need string

// allows says whether permissions hold at least what one of the needs asks. Operations without needs ask nothing.
func allows(permissions map[string]string, needs []need) bool {
	return len(needs) == 0 || slices.ContainsFunc(needs, func(n need) bool {
		for _, item := range strings.Split(string(n), ",") {
			key, level, _ := strings.Cut(item, "=")
			if levelRank(permissions[key]) < levelRank(level) {
				return false
			}
		}
		return true
	})
}

// notAccessible is the refusal of a token in whose reach the repository is, without the permission.
func notAccessible(needs []need) answer {
	accepted := make([]string, len(needs))
	for i, n := range needs {
		accepted[i] = string(n)
	}
	refusal := problem(http.StatusForbidden, "Resource not accessible by integration")
	refusal.header.Set("X-Accepted-GitHub-Permissions", strings.Join(accepted, "; "))
	return refusal
}
