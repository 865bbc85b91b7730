package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// State is what became of a mutant.
type State string

// The states. Only the first is what is wanted; all but the first two are faults of the list.
const (
	Killed   State = "killed"        // the named test failed by an assertion
	Survived State = "survived"      // the named test passed
	NoText   State = "no_text"       // the text is not found exactly once
	NoBuild  State = "no_build"      // the mutant does not compile
	NoTest   State = "no_test"       // the named test does not exist
	Red      State = "red"           // the named test fails without the edit
	Crashed  State = "crashed"       // the test program broke off: a panic, or its time ran out
	Stopped  State = "not_attempted" // the run was interrupted before
)

// Outcome is a mutant and what became of it; Detail is the tool's own words where they help.
type Outcome struct {
	Mutant
	State  State  `json:"state"`
	Detail string `json:"detail,omitempty"`
}

// Options are what a run needs.
type Options struct {
	// Root is the module's root.
	Root string
	// Workers is how many mutants are built and tested at once.
	Workers int
	// Progress is told of each outcome, one at a time; nil for nobody.
	Progress func(done, total int, outcome Outcome)
}

// testTime bounds one test program; the tests that mutants name end within seconds.
const testTime = "120s"

// Run tries every mutant and returns the outcomes in the order of the list. First it holds that every named test passes
// without an edit. The error is that the machine did not do it; what is wrong with a mutant is its state.
func Run(ctx context.Context, list []Mutant, options Options) ([]Outcome, error) {
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	r := runner{Options: options, scratch: scratch}
	outcomes := make([]Outcome, len(list))
	for i, m := range list {
		outcomes[i] = Outcome{Mutant: m, State: Stopped}
	}
	unmutated, err := r.baseline(ctx, list)
	if err != nil {
		return outcomes, err
	}
	var mutex sync.Mutex
	done := 0
	r.each(ctx, len(list), func(i int) {
		m := list[i]
		outcome := Outcome{Mutant: m, State: unmutated[m.Package+" "+m.Test]}
		if outcome.State == "" {
			outcome.State, outcome.Detail = r.try(ctx, i, m)
		}
		mutex.Lock()
		defer mutex.Unlock()
		outcomes[i] = outcome
		if done++; options.Progress != nil {
			options.Progress(done, len(list), outcome)
		}
	})
	return outcomes, ctx.Err()
}

type runner struct {
	Options
	scratch string
}

// each calls do for every number below count, so many at once as there are workers, until the context ends.
func (r runner) each(ctx context.Context, count int, do func(i int)) {
	numbers := make(chan int)
	var group sync.WaitGroup
	for range max(r.Workers, 1) {
		group.Go(func() {
			for i := range numbers {
				do(i)
			}
		})
	}
	for i := 0; i < count && ctx.Err() == nil; i++ {
		numbers <- i
	}
	close(numbers)
	group.Wait()
}

// baseline runs every named test once without an edit, and returns the state of those that do not pass, by package and test.
func (r runner) baseline(ctx context.Context, list []Mutant) (map[string]State, error) {
	tests := map[string][]string{}
	var packages []string
	named := map[string]bool{}
	for _, m := range list {
		if len(tests[m.Package]) == 0 {
			packages = append(packages, m.Package)
		}
		if key := m.Package + " " + m.Test; !named[key] {
			named[key] = true
			tests[m.Package] = append(tests[m.Package], m.Test)
		}
	}
	bad := map[string]State{}
	var mutex sync.Mutex
	var failed error
	r.each(ctx, len(packages), func(i int) {
		pkg := packages[i]
		program := filepath.Join(r.scratch, fmt.Sprintf("unmutated-%d.test", i))
		if output, err := r.build(ctx, pkg, program, ""); err != nil {
			mutex.Lock()
			defer mutex.Unlock()
			failed = errors.Join(failed, fmt.Errorf("build the tests of %s: %w\n%s", pkg, err, output))
			return
		}
		for _, test := range tests[pkg] {
			state, _ := r.test(ctx, pkg, program, test)
			mutex.Lock()
			switch state {
			case Survived:
			case Killed, Crashed:
				bad[pkg+" "+test] = Red
			default:
				bad[pkg+" "+test] = state
			}
			mutex.Unlock()
		}
		_ = os.Remove(program)
	})
	return bad, failed
}

// try builds one mutant's test program and runs its test.
func (r runner) try(ctx context.Context, number int, m Mutant) (State, string) {
	source, err := m.Source(r.Root)
	if err != nil {
		return NoText, err.Error()
	}
	base := filepath.Join(r.scratch, fmt.Sprint(number))
	file, overlay, program := base+".go", base+".json", base+".test"
	defer func() {
		for _, name := range []string{file, overlay, program} {
			_ = os.Remove(name)
		}
	}()
	data, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(r.Root, filepath.FromSlash(m.File)): file}})
	if err := errors.Join(err, os.WriteFile(file, source, 0o600), os.WriteFile(overlay, data, 0o600)); err != nil {
		return Crashed, err.Error()
	}
	if output, err := r.build(ctx, m.Package, program, overlay); ctx.Err() != nil {
		return Stopped, ""
	} else if err != nil {
		return NoBuild, output
	}
	state, output := r.test(ctx, m.Package, program, m.Test)
	if ctx.Err() != nil {
		return Stopped, ""
	}
	return state, output
}

// build compiles a package's test program, without the symbols that only a debugger wants.
func (r runner) build(ctx context.Context, pkg, program, overlay string) (output string, err error) {
	arguments := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", program}
	if overlay != "" {
		arguments = append(arguments, "-overlay", overlay)
	}
	command := exec.CommandContext(ctx, "go", append(arguments, "./"+pkg)...)
	command.Dir = r.Root
	out, err := command.CombinedOutput()
	return string(out), err
}

// test runs one test. It fails by assertion when the program says so of it and ends with 1; a panic ends it with 2.
func (r runner) test(ctx context.Context, pkg, program, test string) (State, string) {
	command := exec.CommandContext(ctx, program, "-test.v", "-test.run="+pattern(test), "-test.timeout="+testTime)
	command.Dir = filepath.Join(r.Root, filepath.FromSlash(pkg))
	out, err := command.CombinedOutput()
	said := func(word string) bool { return bytes.Contains(out, []byte("--- "+word+": "+written(test)+" (")) }
	switch {
	case err == nil && said("PASS"):
		return Survived, ""
	case err == nil:
		return NoTest, ""
	case command.ProcessState != nil && command.ProcessState.ExitCode() == 1 && said("FAIL"):
		return Killed, ""
	case command.ProcessState != nil && command.ProcessState.ExitCode() == 1:
		return NoTest, string(out)
	}
	return Crashed, string(out)
}

// pattern matches exactly one test, or one part of a test.
func pattern(test string) string {
	var parts []string
	for _, part := range strings.Split(test, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	return strings.Join(parts, "/")
}

// written is a test's name as go test writes it.
func written(test string) string { return strings.ReplaceAll(test, " ", "_") }
