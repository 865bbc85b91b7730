package standin

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// RealCLI returns the path of the real model CLI at its pin: what AIRLOCK_TEST_CLI names, or else what is installed below
// root, the top of this repository. Where it or bubblewrap is missing the test fails with the command that installs it; only
// where AIRLOCK_TEST_OFFLINE is set is it skipped.
func RealCLI(t testing.TB, root string) string {
	t.Helper()
	path := os.Getenv("AIRLOCK_TEST_CLI")
	if path == "" {
		path = filepath.Join(root, "engines", "claude", "node_modules", "@anthropic-ai", "claude-code-linux-x64", "claude")
	}
	_, err := os.Stat(path)
	need(t, err, "the pinned CLI", "npm ci --ignore-scripts --prefix engines/claude")
	NeedBubblewrap(t)
	return path
}

// NeedBubblewrap is [RealCLI] for bubblewrap alone, without which not even a scripted CLI is started.
func NeedBubblewrap(t testing.TB) {
	t.Helper()
	NeedProgram(t, "bwrap", "bubblewrap")
}

// NeedProgram is [RealCLI] for a program of a Debian package.
func NeedProgram(t testing.TB, program, pkg string) {
	t.Helper()
	_, err := exec.LookPath(program)
	need(t, err, pkg, "apt-get install -y "+pkg)
}

func need(t testing.TB, missing error, what, command string) {
	t.Helper()
	if missing == nil {
		return
	}
	if os.Getenv("AIRLOCK_TEST_OFFLINE") != "" {
		t.Skipf("NOT RUN: %s is not installed; run: %s", what, command)
	}
	t.Fatalf("%s is not installed; run: %s", what, command)
}
