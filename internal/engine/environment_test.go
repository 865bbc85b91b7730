package engine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestForbidden(t *testing.T) {
	for _, name := range []string{
		"ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "anthropic_base_url",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "Https_Proxy",
		"NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "SSL_CERT_FILE",
		"GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN",
		"ANTHROPIC_DEFAULT_SONNET_MODEL", "CLAUDE_CODE_EXTRA_BODY", "CLAUDE_CONFIG_DIR", "OPENAI_API_KEY", "CODEX_API_KEY",
		"GEMINI_API_KEY", "GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
		"AIRLOCK_APP_PRIVATE_KEY", "AWS_SECRET_ACCESS_KEY", "claude_code_oauth_token", "GOOGLE_APPLICATION_CREDENTIALS",
	} {
		if got := Forbidden([]string{"PATH", name}); got != name {
			t.Errorf("Forbidden(%s) = %q", name, got)
		}
	}
	allowed := []string{
		"PATH", "HOME", "CI", "LANG", "USER", "SHELL", "PWD", "TMPDIR", "JAVA_HOME", "GOROOT", "GOTOOLCHAIN", "ImageOS", "XDG_CONFIG_HOME",
		"GITHUB_ACTIONS", "GITHUB_WORKSPACE", "GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_API_URL",
		"GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA", "RUNNER_TEMP", "RUNNER_OS", "AIRLOCK_CLI", "AIRLOCK_BUNDLE",
		"CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB", "AZURE_EXTENSION_DIR", "NVM_DIR", "GITHUB_RETENTION_DAYS",
	}
	if got := Forbidden(allowed); got != "" {
		t.Errorf("Forbidden refuses %s, which a runner holds", got)
	}
	if got := Forbidden([]string{"no_proxy", "GIT_DIR", "PATH"}); got != "GIT_DIR" {
		t.Errorf("Forbidden names %s, not the first in order", got)
	}
}

func TestBubblewrapIsFoundInAbsoluteDirectoriesOnly(t *testing.T) {
	directory := t.TempDir()
	if got := bubblewrap(directory); got != "" {
		t.Errorf("found %q in an empty directory", got)
	}
	path := filepath.Join(directory, "bwrap")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := bubblewrap(directory); got != "" {
		t.Errorf("a file that is not executable was taken: %q", got)
	}
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := bubblewrap("relative:" + t.TempDir() + ":" + directory); got != path {
		t.Errorf("bubblewrap = %q, want %q", got, path)
	}
	t.Chdir(directory)
	if got := bubblewrap(".:"); got != "" {
		t.Errorf("a relative directory was searched: %q", got)
	}
	if got, want := childPath("/opt/tools/bwrap"), "/usr/bin:/bin:/opt/tools"; got != want {
		t.Errorf("childPath = %q, want %q", got, want)
	}
	if got, want := childPath("/usr/bin/bwrap"), "/usr/bin:/bin"; got != want {
		t.Errorf("childPath = %q, want %q", got, want)
	}
}
