package refusal_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/apply"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/refusal"
)

// testCase breaks one thing in a Run of the data model, B unless it says A. A near miss, whose name begins with "near: ", comes
// close to the rule and is refused by none.
type testCase struct {
	name  string
	run   string
	where string // of the Refusal
	// change changes the world before apply prepares.
	change func(*world)
	// schema says that result/1 or its decoder lets no such Result through: apply ends it as result_invalid, and the rule
	// behind them is asked by itself.
	schema bool
	// rule changes what the rules are asked about, for what Prepare never makes; the rules are then asked by themselves.
	rule func(*refusal.State)
}

func (c testCase) near() bool { return strings.HasPrefix(c.name, "near: ") }

func same(*world) {}

// otherProgram is where a release_mismatch lies that no Result causes.
const otherProgram = "this program is of another Release than the Decision"

// Users of the data model.
const (
	maintainer  = 1000001
	contributor = 2000002
	bot         = 190000001
)

func cases() map[contract.Code][]testCase {
	all := map[contract.Code][]testCase{}
	for _, step := range []map[contract.Code][]testCase{originCases(), effectCases(), findingCases(), dispositionCases(), requestCases(), textCases()} {
		maps.Copy(all, step)
	}
	return all
}

// reserved are the codes that nothing can give, because no type of Effect can push.
var reserved = []contract.Code{contract.CodePushProtected, contract.CodePushLensInput}

// played is what became of a case.
type played struct {
	before, world *world
	// prepared is set where the case went the way of apply; else found is what the rules say.
	prepared *apply.Prepared
	found    *refusal.Refusal
	code     contract.Code // "" where nothing refuses
	where    string
}

// play lets a case happen: from bytes through everything that apply does before it writes, or, where that is stopped before
// the rules or never makes such a thing, by asking the rules.
func (c testCase) play(t *testing.T) played {
	t.Helper()
	run := "B"
	if c.run != "" {
		run = c.run
	}
	p := played{before: model(t, run), world: model(t, run)}
	if c.change != nil {
		c.change(p.world)
	}
	if c.rule == nil {
		prepared := p.world.prepare()
		p.prepared, p.where = &prepared, prepared.Where
		if len(prepared.Ending) > 0 {
			p.code = prepared.Ending[0]
		}
	}
	if c.schema && c.rule == nil && p.code != contract.CodeResultInvalid {
		t.Errorf("ended by %q, and not stopped by the schema", p.code)
	}
	if c.schema || c.rule != nil {
		s := p.world.state()
		if c.rule != nil {
			c.rule(&s)
		}
		p.prepared, p.code, p.where = nil, "", ""
		if p.found = refusal.Check(s); p.found != nil {
			p.code, p.where = p.found.Code, p.found.Where
		}
	}
	return p
}

// TestRefusal holds each rule to what it must refuse and to what it must let pass.
func TestRefusal(t *testing.T) {
	all := cases()
	for _, code := range contract.CodesOf(contract.StageRefusal) {
		if slices.Contains(reserved, code) {
			continue
		}
		t.Run(string(code), func(t *testing.T) {
			trips, misses := 0, 0
			for _, c := range all[code] {
				t.Run(c.name, func(t *testing.T) {
					got := c.play(t)
					switch {
					case c.near() && got.code != "":
						t.Errorf("refused with %s at %s", got.code, got.where)
					case !c.near() && (got.code != code || got.where != c.where):
						t.Errorf("refused with %q at %q, want %s at %s", got.code, got.where, code, c.where)
					}
				})
				if c.near() {
					misses++
				} else {
					trips++
				}
			}
			if trips == 0 || misses == 0 {
				t.Errorf("%d cases trip it and %d come near; each needs one", trips, misses)
			}
		})
	}
	for code := range all {
		if !slices.Contains(contract.CodesOf(contract.StageRefusal), code) {
			t.Errorf("%s is no refusal", code)
		}
	}
}

// TestRules holds the list to the design's order and completeness, and each rule to one sentence.
func TestRules(t *testing.T) {
	var codes []contract.Code
	for _, rule := range refusal.Rules() {
		codes = append(codes, rule.Code)
		if !strings.HasSuffix(rule.Doc, ".") {
			t.Errorf("%s: %q is no sentence", rule.Code, rule.Doc)
		}
	}
	codes = append(codes, reserved...)
	if want := contract.CodesOf(contract.StageRefusal); !slices.Equal(codes, want) {
		t.Errorf("rules are\n%v, want\n%v", codes, want)
	}
}

// TestNothingCanPush holds that the reserved codes need no rule: the types of Effects are these three, and none needs more
// than a review or a resolve does.
func TestNothingCanPush(t *testing.T) {
	if got := contract.EffectTypes(); !slices.Equal(got, []string{contract.SubmitReview, contract.ReplyThread, contract.ResolveThread}) {
		t.Fatalf("types of Effects are %v", got)
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "schemas", "effect.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"push", "commits", "branch", "merge", "approve", "label"} {
		if strings.Contains(strings.ToLower(string(data)), `"`+word) {
			t.Errorf("schemas/effect.json names %q", word)
		}
	}
	pushing := `{"id":"e1","type":"push_commits","finding":"` + openF1 + `"}`
	var effect contract.Effect
	if err := contract.Decode([]byte(pushing), &effect); err == nil {
		t.Error("an Effect of type push_commits was decoded")
	}
}

// TestOrder holds that of two rules that both hold the design's order decides.
func TestOrder(t *testing.T) {
	w := model(t, "B")
	w.Result.Run, w.Result.Task = runA, contract.Digest(nil)
	w.review().Body = text(token)
	if got := w.prepare(); !slices.Equal(got.Ending, []contract.Code{contract.CodeRunMismatch}) {
		t.Errorf("refused with %v, want run_mismatch", got.Ending)
	}
}

// TestWhere holds that no text of a Result gets into a Refusal, not even as an id.
func TestWhere(t *testing.T) {
	for id, want := range map[string]string{"<b>@everyone</b>": "(an id that is not one)", strings.Repeat("f", 81): "(an id that is too long)",
		strings.Repeat("f", 80): strings.Repeat("f", 80), "az09_-/.[]": "az09_-/.[]", "f1": "f1", "F1": "(an id that is not one)", "f`": "(an id that is not one)",
		"f{": "(an id that is not one)", "f:": "(an id that is not one)"} {
		w := model(t, "B")
		w.Result.Findings = append(w.Result.Findings, contract.RawFinding{ID: id}, contract.RawFinding{ID: id})
		if got := refusal.Check(w.state()); got == nil || got.Code != contract.CodeFindingDuplicate || got.Where != want {
			t.Errorf("refused with %v, want %s at %s", got, contract.CodeFindingDuplicate, want)
		}
	}
}

// says gives the Result a status and the reason of it.
func (w *world) says(status string, reason contract.Code) {
	w.Result.Status, w.Result.Reason = status, pointer(string(reason))
}

// key is that of an Effect of the Result as it is now.
func (w *world) key(effect string) string {
	data, err := contract.Canonical(w.Result)
	if err != nil {
		w.t.Fatal(err)
	}
	return contract.EffectKey(w.Bundle.Decision.Run, contract.Digest(data), effect)
}

// resolve lets the Role resolve threads, and asks for it after what the Result asks already.
func resolve(w *world, finding string) {
	w.intent().PermittedEffects = contract.EffectTypes()
	w.Bundle.Apps.Apps[0].Ceiling = map[string]string{"checks": "write", "contents": "write", "metadata": "read", "pull_requests": "write"}
	w.Result.Effects = append(w.Result.Effects, contract.Effect{ResolveThread: &contract.ThreadEffect{Finding: finding, ID: "e9", Type: contract.ResolveThread}})
	w.answersTask()
}

// answered adds a reply to a thread, as thread:61011:1.
func answered(w *world, thread int, author int64) {
	w.both(func(f *contract.Facts) {
		f.Threads[thread].Comments = append(f.Threads[thread].Comments, contract.ThreadComment{At: f.ReadAt, Author: contract.User{ID: author, Type: "User"},
			ID: 61011, NodeID: "PRRC_r2", Text: text("We accept that.")})
	})
	w.answersTask()
}

func accept(w *world, i int, of, evidence string) {
	w.Result.Dispositions[i].Reviewer = &contract.ReviewerHalf{Evidence: evidence, Of: of, Text: text("Fine."), Verdict: contract.VerdictAccepted}
}

// leaveOut makes a diff of one file, and a budget that it does not fit.
func leaveOut(w *world, path string) {
	w.Bundle.Harness.Texts.DiffCharacters = 1
	w.Bundle.Diff = []byte("diff --git a/" + path + " b/" + path + "\n--- a/" + path + "\n+++ b/" + path + "\n@@ -1 +1 @@\n-a\n+b\n")
	w.answersTask()
}

// drop removes a Disposition.
func drop(w *world, i int) { w.Result.Dispositions = slices.Delete(w.Result.Dispositions, i, i+1) }

// fill lengthens a body at its beginning.
func fill(body *string, size int) { *body = strings.Repeat("a", size-len(*body)) + *body }

// ownReview is a review that our App submitted for a Run on this item.
func ownReview(w *world, key, run string) contract.Review {
	d := w.Bundle.Decision
	marker := ledger.ReviewMarker{Key: key, Run: run, Role: d.Role, Intent: d.Intent,
		Content: strings.TrimPrefix(d.ContentID, "sha256:"), Commit: d.Commit, Status: contract.StatusCompleted}
	return contract.Review{At: w.Fresh.ReadAt, Author: contract.User{ID: bot, Type: "Bot"}, Commit: d.Commit, ID: 51009,
		NodeID: "PRR_x", State: "COMMENTED", Text: text("Fine.\n\n" + marker.String())}
}

// ownReply is a reply of our App for a Run in the thread of f1.
func ownReply(w *world, key, run string) contract.ThreadComment {
	marker := ledger.DispositionMarker{Key: key, Run: run, Finding: openF1, Half: contract.HalfReviewer, Verdict: contract.VerdictRejected, Of: contract.VerdictFixed}
	return contract.ThreadComment{At: w.Fresh.ReadAt, Author: contract.User{ID: bot, Type: "Bot"}, ID: 61019, NodeID: "PRRC_x", Text: text("No.\n\n" + marker.String())}
}

// TestOneHalfIsPlanned holds that the plan posts a Disposition of exactly one half, so that nothing rests on the rule alone.
func TestOneHalfIsPlanned(t *testing.T) {
	both := model(t, "B")
	both.Result.Dispositions[0].Author = &contract.AuthorHalf{Text: text("Done."), Verdict: contract.VerdictFixed}
	neither := model(t, "B")
	neither.Result.Dispositions[0].Reviewer = nil
	for name, w := range map[string]*world{"both": both, "neither": neither} {
		for _, d := range w.state().Plan.Dispositions {
			if d.Finding == openF1 {
				t.Errorf("%s: planned as %+v", name, d)
			}
		}
	}
}
