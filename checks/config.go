package checks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ConfigFile is where a repository keeps its configuration of the checks.
const ConfigFile = ".github/airlock-checks.yml"

// Role is what a job is in the passage of a Run. A job has one only because the configuration says so.
type Role string

// The roles of a marked job.
const (
	RoleDecide Role = "decide"
	RoleRun    Role = "run"
	RoleApply  Role = "apply"
)

// Config holds the facts that workflow files cannot. The zero value marks no job, and leaves every credential to be
// recognised by its name and its use.
type Config struct {
	// Jobs marks jobs by "file#job", the file as a path inside the repository.
	Jobs map[string]Role `yaml:"jobs"`
	// Triggers are the events that may start a file with a marked job, by file. A file that is not named may have
	// pull_request_target, workflow_dispatch and schedule.
	Triggers map[string][]string `yaml:"triggers"`
	// Permissions are the scopes, each for reading, that a marked job has, exactly. A role that is not named has: decide
	// and apply actions, checks, contents, issues and pull-requests; run none.
	Permissions map[Role][]string `yaml:"permissions"`
	// Secrets and Environments say what a secret, or whatever an environment holds, is good for.
	Secrets      map[string]Kind `yaml:"secrets"`
	Environments map[string]Kind `yaml:"environments"`
	// Airlock is the owner/repository that airlock's actions are called from; empty is seed-2ea642bd/airlock.
	Airlock string `yaml:"airlock"`
}

// ParseConfig reads a configuration file. An unknown key, a second document or a value outside its list is an error.
func ParseConfig(source []byte) (Config, error) {
	var config Config
	decoder := yaml.NewDecoder(bytes.NewReader(source))
	decoder.KnownFields(true)
	if err := decoder.Decode(&config); err != nil && !errors.Is(err, io.EOF) {
		return Config{}, fmt.Errorf("read the configuration of the checks: %w", err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Config{}, errors.New("read the configuration of the checks: it holds more than one document")
	}
	return config, config.validate()
}

// ReadConfig reads [ConfigFile]. A repository without one has the zero configuration.
func ReadConfig(fsys fs.FS) (Config, error) {
	source, err := fs.ReadFile(fsys, ConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, nil
	}
	if err != nil {
		return Config{}, fmt.Errorf("read the configuration of the checks: %w", err)
	}
	return ParseConfig(source)
}

func (c Config) validate() error {
	var problems []error
	wrong := func(format string, arguments ...any) { problems = append(problems, fmt.Errorf(format, arguments...)) }
	for _, name := range slices.Sorted(maps.Keys(c.Jobs)) {
		if file, id, found := strings.Cut(name, "#"); !found || id == "" || !fs.ValidPath(file) {
			wrong("jobs: %q is not file#job", name)
		}
		if !slices.Contains([]Role{RoleDecide, RoleRun, RoleApply}, c.Jobs[name]) {
			wrong("jobs: %q is %q, which is neither decide, run nor apply", name, c.Jobs[name])
		}
	}
	for _, role := range slices.Sorted(maps.Keys(c.Permissions)) {
		if !slices.Contains([]Role{RoleDecide, RoleRun, RoleApply}, role) {
			wrong("permissions: %q is neither decide, run nor apply", role)
		}
	}
	kinds := []Kind{KindModel, KindWrite, KindRead, KindNeither}
	for _, table := range []struct {
		name  string
		kinds map[string]Kind
	}{{"secrets", c.Secrets}, {"environments", c.Environments}} {
		for _, name := range slices.Sorted(maps.Keys(table.kinds)) {
			if !slices.Contains(kinds, table.kinds[name]) {
				wrong("%s: %q is %q, which is neither model, write, read nor neither", table.name, name, table.kinds[name])
			}
		}
	}
	if c.Airlock != "" && strings.Count(c.Airlock, "/") != 1 {
		wrong("airlock: %q is not owner/repository", c.Airlock)
	}
	if len(problems) > 0 {
		return fmt.Errorf("the configuration of the checks is wrong: %w", errors.Join(problems...))
	}
	return nil
}

func (c Config) airlock() string {
	if c.Airlock != "" {
		return c.Airlock
	}
	return "seed-2ea642bd/airlock"
}

// triggers lists the events that may start a file with a marked job.
func (c Config) triggers(file string) []string {
	if triggers, ok := c.Triggers[file]; ok {
		return triggers
	}
	return []string{"pull_request_target", "workflow_dispatch", "schedule"}
}

// permissions lists the scopes that a marked job reads with, sorted.
func (c Config) permissions(role Role) []string {
	scopes, ok := c.Permissions[role]
	switch {
	case ok:
		scopes = slices.Clone(scopes)
	case role != RoleRun:
		scopes = []string{"actions", "checks", "contents", "issues", "pull-requests"}
	}
	slices.Sort(scopes)
	return scopes
}
