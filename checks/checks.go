// Package checks judges GitHub Actions workflows by one boundary: no job holds both a credential for a model and a
// credential that can write. It reads workflow files and action definitions, anybody's, from a file system, and uses no
// network. A job that is marked in the configuration as airlock's decide, run or apply is held to that job's whole
// shape as well.
//
// The package promises to look at every scalar under a job, also under keys it does not know, and to report a file that it
// does not understand instead of passing it. It leaves to others (actionlint, zizmor) what is not about the boundary: syntax,
// expression types, known vulnerable actions.
package checks

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
)

// Level says how much a finding weighs.
type Level string

// The levels, heaviest first. Notes alone do not make a check fail.
const (
	LevelError   Level = "error"
	LevelWarning Level = "warning"
	LevelNote    Level = "note"
)

// Exit codes of a program that runs the checks, stable.
const (
	ExitClean      = 0 // nothing found, or notes alone
	ExitFindings   = 1 // at least one error or warning
	ExitUsage      = 2 // the call or the configuration is wrong
	ExitUnreadable = 3 // no file could be read and understood, so nothing was checked
)

// Place is one position in one file. Line and column are 1-based; the column counts characters. Label says what stands
// there.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Label  string `json:"label"`
}

// Finding is one violation of one rule. Places holds at least one place; the first is where it is reported, the others
// are everything else it rests on, in the order of the argument.
type Finding struct {
	Rule    string  `json:"rule"`
	Level   Level   `json:"level"`
	Message string  `json:"message"`
	Places  []Place `json:"places"`
}

// Report is what one call of [Run] found. Findings are ordered by file, line, column and rule. Files are those that were
// read because they were asked for, sorted; Understood counts those of them that could be parsed.
type Report struct {
	Findings   []Finding `json:"findings"`
	Files      []string  `json:"files"`
	Understood int       `json:"understood"`
}

// ExitCode is the exit code that says what the report holds.
func (r Report) ExitCode() int {
	if r.Understood == 0 {
		return ExitUnreadable
	}
	for _, finding := range r.Findings {
		if finding.Level != LevelNote {
			return ExitFindings
		}
	}
	return ExitClean
}

// Run checks the workflow and action files under paths, which are files or directories inside fsys; no path means the
// whole of it. Files that they call are read too. It fails only for a path that is not one, or a configuration that is
// wrong; what is wrong with a file is a finding.
func Run(fsys fs.FS, paths []string, config Config) (Report, error) {
	if err := config.validate(); err != nil {
		return Report{}, err
	}
	r, err := load(fsys, paths, config)
	if err != nil {
		return Report{}, err
	}
	report := Report{Files: r.checked, Findings: []Finding{}}
	for _, name := range r.checked {
		if r.files[name].root != nil {
			report.Understood++
		}
	}
	if report.Files == nil {
		report.Files = []string{}
	}
	for _, rule := range Rules() {
		for _, finding := range rule.check(r) {
			finding.Rule = rule.ID
			if finding.Level == "" {
				finding.Level = rule.Level
			}
			finding.Places = distinct(finding.Places)
			report.Findings = append(report.Findings, finding)
		}
	}
	slices.SortStableFunc(report.Findings, compareFindings)
	report.Findings = slices.CompactFunc(report.Findings, func(a, b Finding) bool { return compareFindings(a, b) == 0 })
	return report, nil
}

func compareFindings(a, b Finding) int {
	return cmp.Or(comparePlaces(a.Places[0], b.Places[0]), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Message, b.Message))
}

func comparePlaces(a, b Place) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// distinct drops a place that is named twice with one label, and keeps the order.
func distinct(places []Place) []Place {
	var kept []Place
	for _, place := range places {
		if !slices.Contains(kept, place) {
			kept = append(kept, place)
		}
	}
	return kept
}
