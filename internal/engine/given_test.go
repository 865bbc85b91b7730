package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWhatTheCLIIsGiven holds every argument and every variable that a CLI is started with, by a script that writes down what it
// got: nothing of the job's own environment, and nothing more or less than is written here. TestRealClaudeEnvironment holds the
// same of the real one.
func TestWhatTheCLIIsGiven(t *testing.T) {
	t.Setenv("GITHUB_WORKSPACE", t.TempDir()) // stands in the job's environment and must not reach the CLI
	out := t.TempDir()
	engine := scripted(t, `for argument in "$@"; do printf '%s\n' "$argument"; done > `+out+`/arguments
tr '\0' '\n' < /proc/$$/environ > `+out+`/environment
`+reporting(0, `"is_error":false,"num_turns":2,"structured_output":{},`+oneModel))
	request := requestWith("x")
	if outcome := ask(t, engine, request); outcome.Failure != "" {
		t.Fatalf("failure %q", outcome.Failure)
	}
	lines := func(name string) []string {
		data, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	}
	arguments, environment := lines("arguments"), lines("environment")
	at := slices.Index(arguments, "--system-prompt-file")
	if at < 0 || at+1 == len(arguments) {
		t.Fatalf("arguments: %q", arguments)
	}
	if difference := cmp.Diff(engine.argumentsFor(t, request, arguments[at+1]), arguments); difference != "" {
		t.Errorf("arguments (-want +got):\n%s", difference)
	}
	root := strings.TrimSuffix(filepath.Dir(arguments[at+1]), "/files")
	want := []string{
		"ANTHROPIC_BASE_URL=http://127.0.0.1:1", "API_TIMEOUT_MS=300000", "CLAUDE_CODE_DISABLE_ATTACHMENTS=1",
		"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1", "CLAUDE_CODE_DISABLE_CLAUDE_MDS=1", "CLAUDE_CODE_DISABLE_FILE_MENTIONS=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=64000", "CLAUDE_CODE_MAX_RETRIES=2", "CLAUDE_CODE_OAUTH_TOKEN=" + testToken,
		"CLAUDE_CODE_SUBPROCESS_ENV_SCRUB=1", "CLAUDE_CONFIG_DIR=" + root + "/home/cfg", "DISABLE_AUTOUPDATER=1",
		"DISABLE_ERROR_REPORTING=1", "DISABLE_TELEMETRY=1", "HOME=" + root + "/home", "PATH=/usr/bin:/bin", "TMPDIR=" + root + "/tmp",
	}
	slices.Sort(environment)
	if difference := cmp.Diff(want, environment); difference != "" {
		t.Errorf("environment (-want +got):\n%s", difference)
	}
}

// TestEveryFormOfAForbiddenName holds each name, beginning and end of a name by which a job's environment could move the model
// process or feed it a credential.
func TestEveryFormOfAForbiddenName(t *testing.T) {
	for _, name := range []string{
		"NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "NODE_PATH", "BUN_OPTIONS", "BASH_ENV", "SSL_CERT_FILE", "SSL_CERT_DIR", "GCONV_PATH",
		"LD_X", "DYLD_X", "GIT_X", "ANTHROPIC_X", "CLAUDE_X",
		"X_BASE_URL", "X_PROXY", "X_HEADERS", "X_EXTRA_BODY", "X_TOKEN", "X_API_KEY", "X_PRIVATE_KEY", "X_SECRET", "X_ACCESS_KEY", "X_PASSWORD", "X_CREDENTIALS",
	} {
		for _, form := range []string{name, strings.ToLower(name)} {
			if Forbidden([]string{form}) != form {
				t.Errorf("%s is let through", form)
			}
		}
	}
	for _, name := range []string{"NODE_OPTION", "LDX", "GITX", "BASE_URLS", "XTOKEN", "SECRETS", "PASSWORD_FILE"} {
		if got := Forbidden([]string{name}); got != "" {
			t.Errorf("%s is refused", got)
		}
	}
}
