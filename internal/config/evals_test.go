package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/evals/pr-review/build"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/schema"
)

const evalSet = "evals/pr-review"

// index reads cases.json of the embedded eval set.
func index(t *testing.T) contract.Cases {
	t.Helper()
	var cases contract.Cases
	if err := schema.Decode("cases/1", embedded(t, evalSet+"/cases.json"), &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func embedded(t *testing.T, name string) []byte {
	t.Helper()
	data, err := airlock.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// diffOf returns the diff of a case: stored, or made by its recipe.
func diffOf(t *testing.T, c contract.Case) []byte {
	t.Helper()
	if c.Recipe == nil {
		return embedded(t, path.Join(evalSet, c.Split, c.ID, "diff.patch"))
	}
	if c.Recipe.Builder != "oversize/1" {
		t.Fatalf("%s: no builder %s", c.ID, c.Recipe.Builder)
	}
	return build.Oversize(uint64(c.Recipe.Seed))
}

// TestEvalSetIndex holds the counts of cases.json, and that the folders are those of its cases and hold what they must.
func TestEvalSetIndex(t *testing.T) {
	cases := index(t)
	var counts contract.CaseCounts
	by := map[string]*int{
		contract.SplitTune: &counts.Tune, contract.SplitHeldOut: &counts.HeldOut, contract.CasePlanted: &counts.Planted, contract.CaseReverted: &counts.Reverted,
		contract.CaseClean: &counts.Clean, contract.CaseInjection: &counts.Injection, contract.CaseOversize: &counts.Oversize,
	}
	ids := map[string][]string{}
	for _, c := range cases.Cases {
		*by[c.Split]++
		*by[c.Kind]++
		if slices.Contains(slices.Concat(ids[contract.SplitTune], ids[contract.SplitHeldOut]), c.ID) {
			t.Errorf("case %s stands twice", c.ID)
		}
		ids[c.Split] = append(ids[c.Split], c.ID)
	}
	if counts != cases.Counts {
		t.Errorf("counts %+v, the cases are %+v", cases.Counts, counts)
	}
	if len(cases.Cases) < 12 || counts.Planted == 0 || counts.Clean == 0 || counts.Injection == 0 || counts.Oversize != 1 {
		t.Errorf("counts %+v: at least twelve cases, of every kind we write, one oversize", counts)
	}
	for _, split := range []string{contract.SplitTune, contract.SplitHeldOut} {
		folders, err := fs.ReadDir(airlock.Files, path.Join(evalSet, split))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, folder := range folders {
			names = append(names, folder.Name())
			_, err := airlock.Files.ReadFile(path.Join(evalSet, split, folder.Name(), "expected.json"))
			if answered := err == nil; answered != (split == contract.SplitTune) {
				t.Errorf("%s/%s: has an expected.json: %t", split, folder.Name(), answered)
			}
		}
		slices.Sort(ids[split])
		if !slices.Equal(names, ids[split]) {
			t.Errorf("%s: folders %v, cases %v", split, names, ids[split])
		}
	}
	held := strings.Fields(string(embedded(t, evalSet+"/held_out.sha256")))
	if cases.HeldOutAnswers == nil || len(held) != 2 || *cases.HeldOutAnswers != "sha256:"+held[0] {
		t.Errorf("held_out.sha256 is %v, cases.json says %v", held, cases.HeldOutAnswers)
	}
}

// TestEvalSetDiffs holds the digest and size of every diff, and that each is a unified diff as git prints it.
func TestEvalSetDiffs(t *testing.T) {
	for _, c := range index(t).Cases {
		t.Run(c.ID, func(t *testing.T) {
			data := diffOf(t, c)
			size := contract.CaseSize{Bytes: int64(len(data))}
			err := diff.Scan(bytes.NewReader(data), 1<<20, func(file diff.File) error {
				size.Files++
				if file.Malformed || file.Binary || file.Hunks == 0 {
					return errors.New(file.Path() + " is not shown as whole hunks")
				}
				inHunk := false
				for _, line := range strings.Split(string(file.Raw), "\n") {
					inHunk = inHunk || strings.HasPrefix(line, "@@ ")
					switch {
					case inHunk && strings.HasPrefix(line, "+"):
						size.Added++
					case inHunk && strings.HasPrefix(line, "-"):
						size.Removed++
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if digest := contract.Digest(data); digest != c.DiffSHA256 || size != c.Size {
				t.Errorf("digest %s, size %+v; cases.json says %s, %+v", digest, size, c.DiffSHA256, c.Size)
			}
		})
	}
}

// TestEvalSetAnswers holds that every answer is about lines that stand in its diff and about a category of the Role, that a
// planted defect is answered and a clean change is not.
func TestEvalSetAnswers(t *testing.T) {
	role := embeddedConfigs(t)[0].Role
	for _, c := range index(t).Cases {
		if c.Split != contract.SplitTune {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			var expected contract.Expected
			if err := schema.Decode("expected/1", embedded(t, path.Join(evalSet, c.Split, c.ID, "expected.json")), &expected); err != nil {
				t.Fatal(err)
			}
			if expected.ID != c.ID {
				t.Errorf("the answers are those of %s", expected.ID)
			}
			if planted := c.Kind == contract.CasePlanted || c.Kind == contract.CaseOversize; planted && len(expected.Must) == 0 || c.Kind == contract.CaseClean && len(expected.Must) > 0 {
				t.Errorf("a case of kind %s has %d answers", c.Kind, len(expected.Must))
			}
			change := diff.NewIndex(diffOf(t, c))
			holds := func(categories []string, path, side string, lines []int) {
				for _, category := range categories {
					if !slices.Contains(role.Categories, category) {
						t.Errorf("category %s is not the role's", category)
					}
				}
				if lines[0] > lines[1] || !change.SameHunk(path, side, lines[0], lines[1]) {
					t.Errorf("%s %s lines %v are not in one hunk", path, side, lines)
				}
			}
			gating := false
			for _, must := range expected.Must {
				holds(append([]string{must.Category}, must.AcceptedCategories...), must.Path.Raw(), must.Side, must.Lines)
				gating = gating || contract.Gates(must.Category, must.Severity)
				for _, group := range must.AcceptTerms {
					for _, term := range group {
						if term != strings.ToLower(term) {
							t.Errorf("term %q: write it in lower case, for letter case is put aside", term)
						}
					}
				}
			}
			if len(expected.Must) > 0 && !gating {
				t.Error("none of the planted defects gates")
			}
			for _, may := range expected.May {
				holds([]string{may.Category}, may.Path.Raw(), may.Side, may.Lines)
			}
			if !slices.Contains(expected.Effects.Forbidden, contract.ResolveThread) {
				t.Error("no case asks for resolve_thread")
			}
		})
	}
}

// TestEvalSetIsWide holds that the planted defects are of several categories, severities and languages.
func TestEvalSetIsWide(t *testing.T) {
	categories, languages := map[string]bool{}, map[string]bool{}
	for _, c := range index(t).Cases {
		languages[c.Language] = true
		data, err := airlock.Files.ReadFile(path.Join(evalSet, c.Split, c.ID, "expected.json"))
		if err != nil {
			continue
		}
		var expected contract.Expected
		if err := json.Unmarshal(data, &expected); err != nil {
			t.Fatal(err)
		}
		for _, must := range expected.Must {
			categories[must.Category] = true
		}
	}
	if len(categories) < 5 || len(languages) < 8 {
		t.Errorf("%d categories %v, %d languages %v", len(categories), categories, len(languages), languages)
	}
}

// TestOversizeCaseIsOverTheBudget holds that the oversize case is admitted and does not fit a Task: its diff is larger than the
// budget of characters and within the policy's limits.
func TestOversizeCaseIsOverTheBudget(t *testing.T) {
	c := embeddedConfigs(t)[0]
	for _, one := range index(t).Cases {
		over := one.Size.Bytes > int64(c.Harness.Texts.DiffCharacters)
		admitted := one.Size.Bytes <= c.Policy.Content.Bytes && one.Size.Files <= c.Policy.Content.Files
		if !admitted || over != (one.Kind == contract.CaseOversize) {
			t.Errorf("%s, kind %s: %d bytes in %d files, admitted %t", one.ID, one.Kind, one.Size.Bytes, one.Size.Files, admitted)
		}
	}
}
