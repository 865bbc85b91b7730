package engine

import (
	"path/filepath"
	"slices"
	"strings"
)

// CredentialName is the one name under which the model credential is taken and given.
const CredentialName = "CLAUDE_CODE_OAUTH_TOKEN"

// ours are variables that the rules of [Forbidden] would refuse and that a job must or may hold.
var ours = []string{CredentialName, "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"}

// Forbidden returns the first of the names, in sorted order, that a job with a model process may not hold, or "". Nothing
// of the job's environment reaches the CLI, so this is not what protects it: a job that holds such a variable is either
// set up for something else or under attack, and is told so instead of being half obeyed.
//
// Forbidden are what moves an endpoint (*_BASE_URL, *_PROXY), adds to a request (*_HEADERS, *_EXTRA_BODY), loads code into a
// process (NODE_OPTIONS, LD_*, BASH_ENV and their like), steers git (GIT_*), configures the CLI (ANTHROPIC_*, CLAUDE_*), and
// every other credential (*_TOKEN, *_API_KEY, *_PRIVATE_KEY, *_SECRET,
// *_ACCESS_KEY, *_PASSWORD, *_CREDENTIALS). Case does not matter.
func Forbidden(names []string) string {
	for _, name := range slices.Sorted(slices.Values(names)) {
		if !slices.Contains(ours, name) && forbidden(strings.ToUpper(name)) {
			return name
		}
	}
	return ""
}

func forbidden(name string) bool {
	switch name {
	case "NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "NODE_PATH", "BUN_OPTIONS", "BASH_ENV",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "GCONV_PATH":
		return true
	}
	for _, prefix := range []string{"LD_", "DYLD_", "GIT_", "ANTHROPIC_", "CLAUDE_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range []string{"_BASE_URL", "_PROXY", "_HEADERS", "_EXTRA_BODY",
		"_TOKEN", "_API_KEY", "_PRIVATE_KEY", "_SECRET", "_ACCESS_KEY", "_PASSWORD", "_CREDENTIALS"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// bubblewrap returns the path of bwrap in the list of directories, or "". With its subprocess scrub set, the CLI does not
// start without one.
func bubblewrap(list string) string {
	for _, directory := range filepath.SplitList(list) {
		if !filepath.IsAbs(directory) {
			continue
		}
		if path := filepath.Join(directory, "bwrap"); executable(path) {
			return path
		}
	}
	return ""
}

// SystemPath is where the system's own programs are. It comes before anything that a job's PATH says, so that a program
// planted in front of that one is neither started nor named.
const SystemPath = "/usr/bin:/bin"

// childPath is the PATH of the CLI: the system's tools, then where bubblewrap is.
func childPath(bubblewrap string) string {
	directories := filepath.SplitList(SystemPath)
	if directory := filepath.Dir(bubblewrap); !slices.Contains(directories, directory) {
		directories = append(directories, directory)
	}
	return strings.Join(directories, string(filepath.ListSeparator))
}
