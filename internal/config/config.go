// Package config reads the configuration of one commit: each file from the repository, under .github/airlock/, where it is
// there, and from the embedded defaults where it is not.
//
// It promises that what [Load] returns is valid by schema and agrees with itself, and that the origin of each file is known.
// Which commit is read is the caller's: the default branch's head, resolved once, never a commit that an outsider chooses.
package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/schema"
)

// Folder is where a repository keeps the files that override the embedded ones.
const Folder = ".github/airlock/"

// Embedded is the origin of a file that the repository does not override.
const Embedded = "embedded"

// MaxFileBytes is the largest configuration file that is read.
const MaxFileBytes = 1 << 20

// Source reads files of a repository at one commit. A path is relative to the repository's root. A file that is not there is
// found == false and no error.
type Source interface {
	ReadFile(ctx context.Context, path string) (data []byte, found bool, err error)
}

// Config is the configuration that one Run of one Role is decided by.
type Config struct {
	Policy  contract.Policy
	Apps    contract.Apps
	Harness contract.Harness
	Role    contract.Role
	// Prompt is the Role's prompt, byte for byte.
	Prompt []byte
	// EvalsPresent reports whether the eval set that an Intent of the Role names exists; false for an Intent it has not.
	EvalsPresent func(intent string) bool
	// Origin says of "policy", "apps", "harness", "manifest" and "prompt" where each was read: [Embedded] or a repository path.
	Origin map[string]string
}

// Load reads the configuration for one Role by name. A nil Source gives the embedded defaults as they are. With a Source, the
// numbers of the Role's App must have been filled in: the embedded ones are zeros, which stand for no App.
//
// A file that is not valid is a [*Error]; a Source that could not be read is another error, which wraps the Source's own.
func Load(ctx context.Context, source Source, role string) (Config, error) {
	if !contract.IsName(role) {
		return Config{}, &Error{File: "roles/", Reason: "a role's name is lower-case letters, digits and hyphens, 40 at most"}
	}
	l := loader{ctx: ctx, source: source, config: Config{Origin: map[string]string{}}}
	c := &l.config
	l.record("policy", "config/policy.json", "policy/1", &c.Policy)
	l.record("apps", "config/apps.json", "apps/1", &c.Apps)
	l.record("harness", "config/harness.json", "harness/1", &c.Harness)
	l.record("manifest", "roles/"+role+".json", "role/1", &c.Role)
	c.Prompt = l.prompt("roles/" + role + ".md")
	evals := l.evals(c.Role)
	if l.err != nil {
		return Config{}, l.err
	}
	c.EvalsPresent = func(intent string) bool { return evals[intent] }
	if err := l.agree(role); err != nil {
		return Config{}, err
	}
	return *c, nil
}

// Bundle returns the configuration's files as decide hands them on, by their names in the bundle: records in canonical form,
// the prompt byte for byte.
func (c Config) Bundle() (map[string][]byte, error) {
	files := map[string][]byte{bundle.PromptFile: c.Prompt}
	for name, record := range map[string]any{bundle.PolicyFile: c.Policy, bundle.AppsFile: c.Apps, bundle.HarnessFile: c.Harness,
		bundle.RoleFile: c.Role} {
		data, err := contract.Canonical(record)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", name, err)
		}
		files[name] = data
	}
	return files, nil
}

// loader keeps the first error, so that the reading is a list.
type loader struct {
	ctx    context.Context
	source Source
	config Config
	err    error
}

// OverridePath returns the path in a repository that overrides an embedded file: "config/policy.json" is overridden by
// ".github/airlock/policy.json", "roles/pr-review.md" by ".github/airlock/roles/pr-review.md".
func OverridePath(embedded string) string { return Folder + strings.TrimPrefix(embedded, "config/") }

// read returns a file and its origin; found is false where it is neither in the repository nor embedded.
func (l *loader) read(embedded string) (data []byte, origin string, found bool) {
	if l.err != nil {
		return nil, "", false
	}
	if l.source != nil {
		override := OverridePath(embedded)
		data, found, err := l.source.ReadFile(l.ctx, override)
		if err != nil {
			l.err = fmt.Errorf("read %s of the repository: %w", override, err)
			return nil, "", false
		}
		if found {
			if len(data) > MaxFileBytes {
				l.err = &Error{File: override, Reason: fmt.Sprintf("%d bytes, %d are allowed", len(data), MaxFileBytes)}
				return nil, "", false
			}
			return data, override, true
		}
	}
	data, err := airlock.Files.ReadFile(embedded)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.err = fmt.Errorf("read embedded %s: %w", embedded, err)
		}
		return nil, "", false
	}
	return data, Embedded, true
}

// must is read for a file without which nothing works.
func (l *loader) must(name, embedded string) ([]byte, string) {
	data, origin, found := l.read(embedded)
	if !found && l.err == nil {
		l.err = &Error{File: OverridePath(embedded), Reason: "there is no such file in the repository, and none is embedded"}
	}
	l.config.Origin[name] = origin
	return data, fileOf(embedded, origin)
}

// fileOf names a file for a person.
func fileOf(embedded, origin string) string {
	if origin == Embedded {
		return "embedded " + embedded
	}
	return origin
}

func (l *loader) record(name, embedded, kind string, record any) {
	data, file := l.must(name, embedded)
	if l.err != nil {
		return
	}
	if err := schema.Decode(kind, data, record); err != nil {
		l.err = invalid(file, err)
	}
}

func (l *loader) prompt(embedded string) []byte {
	data, file := l.must("prompt", embedded)
	switch {
	case l.err != nil:
		return nil
	case !utf8.Valid(data):
		l.err = &Error{File: file, Reason: "the prompt is not UTF-8"}
	case strings.TrimSpace(string(data)) == "":
		l.err = &Error{File: file, Reason: "the prompt is empty"}
	}
	return data
}

// evals reports for each Intent whether its eval set has an index that is valid.
func (l *loader) evals(role contract.Role) map[string]bool {
	present := map[string]bool{}
	for _, intent := range role.Intents {
		if intent.Evals == nil {
			continue
		}
		embedded := path.Join(*intent.Evals, "cases.json")
		data, origin, found := l.read(embedded)
		if !found {
			continue
		}
		var cases contract.Cases
		if err := schema.Decode("cases/1", data, &cases); err != nil {
			l.err = invalid(fileOf(embedded, origin), err)
			return nil
		}
		present[intent.Name] = cases.Role == role.Name && cases.Intent == intent.Name
	}
	return present
}
