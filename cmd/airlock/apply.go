package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-2ea642bd/airlock/internal/apply"
	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/release"
	"github.com/seed-2ea642bd/airlock/internal/schema"
)

// Bounds of what is read, in bytes: those of the program that writes.
const (
	maxBundleFile = 16 << 20
	maxResultFile = 4 << 20
)

// planOptions name the files of a plan.
type planOptions struct {
	plan                          bool
	facts, bundle, result, policy string
	json                          bool
}

// applyCommand shows what apply would do, from files alone.
func applyCommand() *cobra.Command {
	var options planOptions
	command := &cobra.Command{
		Use:   "apply --plan --facts FILE --bundle DIR --result FILE",
		Short: "Show what apply would write and why, from files alone",
		Long: "Does everything that apply does before its first write, from files and without a network: it holds the bundle to its\n" +
			"digests, asks the Kernel again, holds the Result to every rule, and makes the plan. It prints each Effect with the text\n" +
			"as it would be posted, where each Finding is placed and why, the tokens that would be asked for, and the check that\n" +
			"would follow; or the rule that ends the Run, and what to do next.\n\n" +
			"The files are the artifacts of one workflow run, or what `airlock demo --out DIR` kept. The program must be of the\n" +
			"Release that made them. Only the action writes: without --plan there is nothing that this command does.\n\n" +
			"Exit codes: 0 a plan stands; 1 the Run ends before any Effect; 2 usage or bad input.",
		Example: "  airlock demo --out kept\n" +
			"  airlock apply --plan --bundle kept/run-1/bundle --facts kept/run-1/bundle/facts.json --result kept/run-1/run/result.json",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			switch {
			case !options.plan:
				return usage("apply: only the action writes; give --plan to see what it would write, from files alone")
			case options.bundle == "":
				return usage("apply --plan: --bundle is needed: the folder with decide's files (%s and those beside it)", bundle.DecisionFile)
			case options.facts == "":
				return usage("apply --plan: --facts is needed: the item as it is now; the bundle's own facts.json plans as if nothing had changed since")
			}
			material, err := readMaterial(options)
			if err != nil {
				return err
			}
			made, err := foresee(material)
			if err != nil {
				return badInput(contract.CodeConfigurationInvalid, bundle.AppsFile, err)
			}
			if options.json {
				err = writePlanJSON(command.OutOrStdout(), made)
			} else {
				err = writePlanText(command.OutOrStdout(), made)
			}
			if err == nil && !made.stands() {
				err = &exitError{code: exitFound}
			}
			return err
		},
	}
	flags := command.Flags()
	flags.BoolVar(&options.plan, "plan", false, "show what would be written; nothing is written")
	flags.StringVar(&options.facts, "facts", "", "facts.json: the item as it is now")
	flags.StringVar(&options.bundle, "bundle", "", "the folder with the files that decide handed on")
	flags.StringVar(&options.result, "result", "", "result.json, as run wrote it; none where decide did not admit")
	flags.StringVar(&options.policy, "policy", "", "policy.json as it is at the default branch's head now (default: the bundle's)")
	flags.BoolVar(&options.json, "json", false, "print one JSON object")
	return command
}

// badInput is what a person is told of a file that cannot be used: code, file, and where the error knows it the field.
func badInput(code contract.Code, file string, cause error) error {
	reason, _ := contract.ReasonOf(code)
	return &exitError{exitUsage, fmt.Errorf("apply --plan: %s: %s: %w; next: %s", code, file, cause, reason.Next)}
}

// readMaterial reads and decodes the files. The Decision's own digest is taken from its file, since there is no job here
// that handed it on; every other file is held to the Decision.
func readMaterial(options planOptions) (apply.Material, error) {
	var m apply.Material
	files := map[string][]byte{}
	if missing, err := missingFrom(options.bundle); err != nil {
		return m, usage("apply --plan: --bundle: %s: %w", visible(options.bundle), err)
	} else if len(missing) > 0 {
		return m, usage("apply --plan: --bundle: %s has no %s; it is the folder with all that decide handed on", visible(options.bundle), strings.Join(missing, ", no "))
	}
	for _, name := range bundle.Names() {
		data, err := readFile(filepath.Join(options.bundle, name), maxBundleFile)
		if err != nil {
			return m, badInput(contract.CodeBundleMismatch, name, err)
		}
		files[name] = data
	}
	opened, err := bundle.Open(files, contract.Digest(files[bundle.DecisionFile]))
	if err != nil {
		return m, bundleFault(err)
	}
	m.Bundle, m.Policy = opened, opened.Policy
	if err := readRecord(options.facts, "facts/1", &m.Fresh); err != nil {
		return m, err
	}
	// The facts' own time is the time of the plan, so that the same files give the same plan.
	m.Now = m.Fresh.ReadAt
	if m.Fresh.Item.Number != opened.Decision.Item.Number || m.Fresh.Repository.ID != opened.Decision.Repository.ID {
		return m, badInput(contract.CodeRecordInvalid, options.facts,
			fmt.Errorf("field item: it is #%d of repository %d, and the Decision is of #%d of repository %d",
				m.Fresh.Item.Number, m.Fresh.Repository.ID, opened.Decision.Item.Number, opened.Decision.Repository.ID))
	}
	if options.policy != "" {
		if err := readRecord(options.policy, "policy/1", &m.Policy); err != nil {
			return m, err
		}
	}
	if m.Release, err = release.Current(); err != nil {
		return m, badInput(contract.CodeConfigurationInvalid, "the embedded release", err)
	}
	switch {
	case !opened.Decision.Admitted:
		return m, nil
	case options.result == "":
		return m, usage("apply --plan: --result is needed: the Decision admits, so run wrote a result.json")
	}
	if m.Result, err = readFile(options.result, maxResultFile); err != nil {
		return m, usage("apply --plan: %s: %w", visible(options.result), err)
	}
	return m, nil
}

// missingFrom lists the files of a bundle that a folder has not. The error is that there is no folder.
func missingFrom(folder string) ([]string, error) {
	info, err := os.Stat(folder)
	switch {
	case err != nil:
		return nil, withoutPath(err)
	case !info.IsDir():
		return nil, errors.New("it is no folder")
	}
	var missing []string
	for _, name := range bundle.Names() {
		if _, err := os.Stat(filepath.Join(folder, name)); errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

func bundleFault(err error) error {
	if broken, ok := asBundleError(err); ok {
		return badInput(broken.Code, broken.File, broken.Cause)
	}
	return badInput(contract.CodeBundleMismatch, "the bundle", err)
}

func readRecord(path, kind string, record any) error {
	data, err := readFile(path, maxBundleFile)
	if err != nil {
		return usage("apply --plan: %s: %w", visible(path), err)
	}
	if err := schema.Decode(kind, data, record); err != nil {
		return badInput(contract.CodeRecordInvalid, path, err)
	}
	return nil
}

func encodeIndented(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
