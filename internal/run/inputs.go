package run

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/engine"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// Bounds of what is read, in bytes.
const (
	bundleFileLimit = 64 << 20
	replayLimit     = 8 << 20
)

// inputs are what the environment says. The variables that only a live engine needs are asked for with it.
type inputs struct {
	bundle, result string
	output         string // the runner's file of outputs
	decisionDigest string
	replay         string
	onActions      bool
	credential     secret.Credential
}

// readInputs refuses an environment that holds what a model process must not.
func readInputs(step *workflow.Step, env map[string]string, credential secret.Credential) (inputs, error) {
	in := inputs{credential: credential, replay: env["AIRLOCK_REPLAY"], onActions: env["GITHUB_ACTIONS"] == "true"}
	if name := engine.Forbidden(slices.Collect(maps.Keys(env))); name != "" {
		return inputs{}, step.Fault(contract.CodeEnvironmentForbidden, name+" is set", "it could redirect, widen or steal from the model process")
	}
	var digest string
	for _, variable := range []struct {
		name string
		into *string
	}{
		{"AIRLOCK_BUNDLE", &in.bundle}, {"AIRLOCK_DECISION_SHA256", &digest}, {"AIRLOCK_RESULT", &in.result}, {"GITHUB_OUTPUT", &in.output},
	} {
		value, fault := step.Required(variable.name)
		if fault != nil {
			return inputs{}, fault
		}
		*variable.into = value
	}
	in.decisionDigest = "sha256:" + strings.TrimPrefix(digest, "sha256:")
	return in, nil
}

// readBundle reads the files of the bundle. A file that is absent is left out, which opening the bundle refuses.
func readBundle(step *workflow.Step, directory string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range bundle.Names() {
		data, err := readFile(filepath.Join(directory, name), bundleFileLimit)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, step.Fault(contract.CodeBundleMismatch, "file "+name+" of the bundle cannot be used", err.Error())
		}
		files[name] = data
	}
	return files, nil
}
