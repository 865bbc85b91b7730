package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-2ea642bd/airlock/internal/config"
	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// configCommand holds what is about a repository's configuration.
func configCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "config",
		Short: "Look at a repository's configuration before it is on the default branch",
		Args:  cobra.NoArgs,
		RunE:  func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(configCheckCommand())
	return command
}

func configCheckCommand() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "check [DIR]",
		Short: "Hold a repository's configuration to what decide holds it to, and say where each file comes from",
		Long: "Reads what a repository keeps under " + config.Folder + ", over the embedded defaults, for every Role that is embedded or\n" +
			"there, exactly as decide reads it from the default branch, and reports what is not valid or does not agree: file, field\n" +
			"and why. A file there that no program reads is reported too, since its name is most often a slip and the default would\n" +
			"be used instead. DIR is a clone of the repository; the default is the working directory. It uses no network.\n\n" +
			"Exit codes: 0 valid; 1 something is not; 2 usage, or DIR cannot be read.",
		Example: "  airlock config check\n  airlock config check --json ../my-repository",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			folder := "."
			if len(arguments) == 1 {
				folder = arguments[0]
			}
			checked, err := checkConfiguration(command.Context(), folder)
			if err != nil {
				return usage("config check: %s: %w", visible(folder), err)
			}
			if asJSON {
				err = encodeIndented(command.OutOrStdout(), checked)
			} else {
				err = checked.print(command.OutOrStdout())
			}
			if err == nil && len(checked.Faults) > 0 {
				err = &exitError{code: exitFound}
			}
			return err
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return command
}

// configuration is what was found of a repository's. Fields are only ever added.
type configuration struct {
	Schema string               `json:"schema"`
	Files  []configurationFile  `json:"files"`
	Roles  []configurationRole  `json:"roles"`
	Faults []configurationFault `json:"faults"`
}

// configurationFile says where one file is read from: "embedded" or its path in the repository.
type configurationFile struct {
	File   string `json:"file"`
	Origin string `json:"origin"`
}

type configurationRole struct {
	Role  string `json:"role"`
	Valid bool   `json:"valid"`
}

type configurationFault struct {
	Code contract.Code `json:"code"`
	// Message names file and field, and says why.
	Message string `json:"message"`
	Next    string `json:"next"`
}

// clone is a repository's files in a folder. No path leads out of it.
type clone struct{ root *os.Root }

// ReadFile reads a plain file of the clone; like GitHub it follows no link.
func (c clone) ReadFile(_ context.Context, name string) ([]byte, bool, error) {
	info, err := c.root.Lstat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, withoutPath(err)
	case !info.Mode().IsRegular():
		return nil, false, errors.New("it is not a regular file")
	}
	file, err := c.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, false, withoutPath(err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, config.MaxFileBytes+1))
	return data, true, err
}

// checkConfiguration loads every Role. The error is that the folder cannot be read.
func checkConfiguration(ctx context.Context, folder string) (configuration, error) {
	made := configuration{Schema: "airlock-config/1", Files: []configurationFile{}, Roles: []configurationRole{}, Faults: []configurationFault{}}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return made, withoutPath(err)
	}
	defer root.Close()
	there, err := overrides(root)
	if err != nil {
		return made, err
	}
	roles, err := rolesOf(there)
	if err != nil {
		return made, err
	}
	read := []string{"config/policy.json", "config/apps.json", "config/harness.json"}
	for _, role := range roles {
		read = append(read, "roles/"+role+".json", "roles/"+role+".md")
		loaded, err := config.Load(ctx, clone{root}, role)
		made.Roles = append(made.Roles, configurationRole{role, err == nil})
		if err != nil {
			made.fault(err)
			continue
		}
		for _, intent := range loaded.Role.Intents {
			if intent.Evals == nil {
				continue
			}
			read = append(read, path.Join(*intent.Evals, "cases.json"))
			if intent.Class == contract.ClassGate && !loaded.EvalsPresent(intent.Name) {
				made.add(contract.CodeEvalsMissing, fmt.Sprintf("roles/%s.json: intent %s: %s has no cases.json of this Role and Intent", role, intent.Name, *intent.Evals))
			}
		}
	}
	known := map[string]bool{}
	for _, embedded := range read {
		override := config.OverridePath(embedded)
		if known[override] {
			continue
		}
		known[override] = true
		origin := config.Embedded
		if slices.Contains(there, override) {
			origin = override
		}
		made.Files = append(made.Files, configurationFile{embedded, origin})
	}
	for _, name := range there {
		if !known[name] && !strings.HasPrefix(name, config.Folder+"evals/") {
			made.add(contract.CodeConfigurationInvalid, visible(name)+": no program reads a file of this name, so the default stands")
		}
	}
	return made, nil
}

// overrides lists the files under the folder of the overrides.
func overrides(root *os.Root) ([]string, error) {
	var there []string
	below := strings.TrimSuffix(config.Folder, "/")
	err := fs.WalkDir(root.FS(), below, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == below {
			return fs.SkipAll // a repository may override nothing
		}
		if err == nil && !entry.IsDir() {
			there = append(there, name)
		}
		return err
	})
	if err != nil {
		return nil, withoutPath(err)
	}
	return there, nil
}

// rolesOf lists the embedded Roles and those of the repository, in alphabetical order.
func rolesOf(there []string) ([]string, error) {
	roles, err := config.EmbeddedRoles()
	if err != nil {
		return nil, err
	}
	for _, name := range there {
		inside, ok := strings.CutPrefix(name, config.Folder+"roles/")
		role := strings.TrimSuffix(inside, ".json")
		if ok && role != inside && contract.IsName(role) && !slices.Contains(roles, role) {
			roles = append(roles, role)
		}
	}
	slices.Sort(roles)
	return roles, nil
}

// fault adds an error of one Role, once where several Roles have it.
func (c *configuration) fault(err error) {
	c.add(contract.CodeConfigurationInvalid, visible(err.Error()))
}

func (c *configuration) add(code contract.Code, message string) {
	if slices.ContainsFunc(c.Faults, func(f configurationFault) bool { return f.Code == code && f.Message == message }) {
		return
	}
	reason, _ := contract.ReasonOf(code)
	c.Faults = append(c.Faults, configurationFault{code, message, reason.Next})
}

func (c configuration) print(out io.Writer) error {
	var text strings.Builder
	for _, file := range c.Files {
		fmt.Fprintf(&text, "%-32s %s\n", visible(file.File), visible(file.Origin))
	}
	for _, role := range c.Roles {
		word := "valid"
		if !role.Valid {
			word = "not valid"
		}
		fmt.Fprintf(&text, "role %s: %s\n", role.Role, word)
	}
	for _, fault := range c.Faults {
		fmt.Fprintf(&text, "%s: %s\n  next: %s\n", fault.Code, fault.Message, fault.Next)
	}
	_, err := io.WriteString(out, text.String())
	return err
}
