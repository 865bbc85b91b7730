package refusal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/mutants"
	"github.com/seed-2ea642bd/airlock/internal/refusal/refusaltest"
)

var update = refusaltest.UpdateFlag()

// golden is one file of a pair: what a case changes, and what becomes of it.
func (p played) golden(t *testing.T, name string) string {
	t.Helper()
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("%s", strings.TrimPrefix(name, "near: "))
	for _, change := range changes(t, p.before, p.world) {
		line("  %s", change)
	}
	line("")
	if p.prepared == nil {
		line("asked of the rules themselves: apply never comes so far with it")
		if p.found == nil {
			line("no rule holds")
		} else {
			line("refused: %s at %s", p.found.Code, p.found.Where)
		}
		return out.String()
	}
	where := ""
	if p.prepared.Where != "" {
		where = " at " + p.prepared.Where
	}
	if len(p.prepared.Ending) > 0 {
		line("ended before any Effect: %s%s", listed(p.prepared.Ending), where)
	} else {
		for _, effect := range p.prepared.Plan.Effects {
			if effect.Reason != "" {
				line("not written: %s %s: %s", effect.ID, effect.Type, effect.Reason)
				break
			}
			line("written: %s %s", effect.ID, effect.Type)
		}
	}
	report := p.concludes()
	o := report.Outcome
	line("outcome: %s, fault %s, exit %d", o.Status, o.Fault, report.ExitCode)
	line("reasons: %s", listed(o.Reasons))
	for _, id := range o.GatingOpen {
		line("open: %s", id)
	}
	if report.Check == nil {
		line("no check")
	} else {
		line("check: %s: %s: %s", report.Check.Name, report.Check.Conclusion, report.Check.Title)
	}
	return out.String()
}

func listed(codes []contract.Code) string {
	if len(codes) == 0 {
		return "none"
	}
	var words []string
	for _, code := range codes {
		words = append(words, string(code))
	}
	return strings.Join(words, ", ")
}

// pairs are the first case of each code that trips it and the first that comes near, as text.
func pairs(t *testing.T) map[contract.Code]map[string]func(*testing.T) string {
	t.Helper()
	all := map[contract.Code]map[string]func(*testing.T) string{}
	add := func(code contract.Code, name string, near bool, play func(*testing.T) played) {
		file := refusaltest.Trips
		if near {
			file = refusaltest.Near
		}
		if all[code] == nil {
			all[code] = map[string]func(*testing.T) string{}
		}
		if all[code][file] == nil {
			all[code][file] = func(t *testing.T) string { return play(t).golden(t, name) }
		}
	}
	for code, list := range cases() {
		for _, c := range list {
			add(code, c.name, c.near(), c.play)
		}
	}
	for code, list := range admissionCases() {
		for _, c := range list {
			add(code, c.name, c.near(), c.play)
		}
	}
	for code, list := range reportCases() {
		for _, c := range list {
			add(code, c.name, c.near(), c.play)
		}
	}
	return all
}

// TestGoldenPairs holds the text of each pair under testdata/refusals that needs no GitHub.
func TestGoldenPairs(t *testing.T) {
	for code, pair := range pairs(t) {
		for file, text := range pair {
			t.Run(string(code)+"/"+strings.TrimSuffix(file, ".txt"), func(t *testing.T) {
				refusaltest.Hold(t, *update, code, file, text(t))
			})
		}
	}
}

// elsewhere says of a code that no Result, artifact or fact can cause it, and which tests hold it.
func elsewhere(reason contract.Reason) (why string, is bool) {
	switch reason.Code {
	case contract.CodeBundleMismatch, contract.CodeRecordInvalid, contract.CodeConfigurationInvalid, contract.CodeIdentityCeiling, contract.CodePlatformError:
		return "", false // a bundle, a configuration and a Result can
	case contract.CodePushProtected, contract.CodePushLensInput:
		return "reserved: no type of Effect can push, so there is no rule to trip and none to drop: TestNothingCanPush", true
	case contract.CodeDuplicateSeen:
		return "it says what two programs at once left: the tests of concurrency in package apply", true
	}
	switch reason.Stage {
	case contract.StageInput:
		return "it says how a program was started, or what its job gave it: TestBadInput, TestProgramRefuses", true
	case contract.StageEffect:
		return "it says what GitHub answered to a request, or what became of a write: TestCrashMatrix, TestTokenMinimality", true
	}
	return "", false
}

// TestEveryCodeIsHeld generates from the list of reasons what must be there for each code that a Result, an artifact or fresh
// facts can cause: a case that trips it, a near miss, both as golden files, and a mutant that make mutants kills. The cases of
// codes that need GitHub are in package apply, whose tests write their files.
func TestEveryCodeIsHeld(t *testing.T) {
	here := map[contract.Code]bool{}
	list, err := mutants.All()
	if err != nil {
		t.Fatal(err)
	}
	mutated := mutants.Codes(list)
	for _, reason := range contract.Reasons() {
		if why, is := elsewhere(reason); is {
			t.Logf("%s: %s", reason.Code, why)
			continue
		}
		here[reason.Code] = true
		if !slices.Contains(mutated, string(reason.Code)) {
			t.Errorf("%s has no mutant: add one under internal/mutants/list", reason.Code)
		}
		for _, file := range []string{refusaltest.Trips, refusaltest.Near} {
			if _, err := os.Stat(filepath.Join(refusaltest.Folder(), string(reason.Code), file)); err != nil {
				t.Errorf("%s has no %s: there is no such case, or it was not written with -update", reason.Code, file)
			}
		}
	}
	folders, err := os.ReadDir(refusaltest.Folder())
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if !here[contract.Code(folder.Name())] {
			t.Errorf("testdata/refusals/%s is of no code that a Result, an artifact or fresh facts can cause", folder.Name())
		}
	}
	for code := range pairs(t) {
		if !here[code] {
			t.Errorf("there are cases of %s, which no Result, artifact or fact can cause", code)
		}
	}
}
