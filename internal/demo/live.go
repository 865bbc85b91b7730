package demo

import (
	"os"
	"path/filepath"
)

// credentialName is the one name of the model credential.
const credentialName = "CLAUDE_CODE_OAUTH_TOKEN"

// findCLI returns the path of the model CLI, empty for a replay. That it is the pinned version is the run program's to check.
func findCLI(engine string, env map[string]string) (string, error) {
	switch engine {
	case EngineReplay:
		return "", nil
	case EngineClaude:
	default:
		return "", usage("--engine", "it is %s or %s, not %q", EngineReplay, EngineClaude, engine)
	}
	cli := env["AIRLOCK_CLI"]
	if cli == "" {
		cli = lookPath("claude", env["PATH"])
	}
	switch {
	case cli == "":
		return "", usage("--engine claude", "there is no claude on PATH; install the pinned CLI (`npm ci --ignore-scripts` in engines/claude), or name one in AIRLOCK_CLI")
	case !executable(cli):
		return "", usage("--engine claude", "AIRLOCK_CLI names no program; it is the path of the claude binary")
	case env[credentialName] == "":
		return "", usage("--engine claude", "%s is not set, so the CLI would not be logged in; `claude setup-token` prints one", credentialName)
	case lookPath("bwrap", env["PATH"]) == "":
		return "", usage("--engine claude", "bubblewrap (bwrap) is not on PATH, and the CLI does not start without it; install the package bubblewrap")
	}
	return filepath.Abs(cli)
}

func lookPath(name, list string) string {
	for _, folder := range filepath.SplitList(list) {
		if path := filepath.Join(folder, name); filepath.IsAbs(folder) && executable(path) {
			return path
		}
	}
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
