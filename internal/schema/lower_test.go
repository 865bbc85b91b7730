package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// embeddedRole returns the Role pr-review and its one Intent.
func embeddedRole(t *testing.T) (contract.Role, contract.Intent) {
	t.Helper()
	data, err := airlock.Files.ReadFile("roles/pr-review.json")
	if err != nil {
		t.Fatal(err)
	}
	var role contract.Role
	if err := Decode("role/1", data, &role); err != nil {
		t.Fatal(err)
	}
	return role, role.Intents[0]
}

// TestLower holds the lowered schema byte for byte, by golden files that a person can read as the model does.
func TestLower(t *testing.T) {
	role, intent := embeddedRole(t)
	resolving := intent
	resolving.PermittedEffects = contract.EffectTypes()
	few := intent
	few.Limits.Findings, few.Limits.Effects, few.Limits.TextCharacters = 3, 5, 1000
	few.PermittedEffects = []string{contract.SubmitReview}
	author := role
	author.DispositionHalf, author.Categories = contract.HalfAuthor, []string{"correctness"}
	for name, c := range map[string]struct {
		role   contract.Role
		intent contract.Intent
	}{
		"pr-review": {role, intent}, "all-effects": {role, resolving}, "few-findings": {role, few}, "author-half": {author, intent},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Lower(c.role, c.intent)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(stored, "lowered", name+".json")
			if *update {
				if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(append(got, '\n'), want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if bytes.ContainsAny(got, "\n") || len(got) > 8000 {
				t.Errorf("%d bytes in %d lines, want one line of 8000 at most", len(got), bytes.Count(got, []byte("\n"))+1)
			}
		})
	}
}

// TestLowerForTheCLI holds what the pinned CLI and a vendor's API ask of a schema: a plain object at the root, only draft-07
// keywords that the CLI accepts, no reference, every object closed, and every form of an Effect told apart by a constant type.
func TestLowerForTheCLI(t *testing.T) {
	role, intent := embeddedRole(t)
	line, err := Lower(role, intent)
	if err != nil {
		t.Fatal(err)
	}
	root := mustTree(t, line)
	for _, combination := range []string{"anyOf", "oneOf", "allOf", "if", "$ref", "not"} {
		if _, ok := root[combination]; ok {
			t.Errorf("the root has %s", combination)
		}
	}
	accepted := []string{"type", "description", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "pattern", "minimum", "minLength", "maxLength", "maxItems"}
	var visit func(node any)
	visit = func(node any) {
		members, ok := node.(map[string]any)
		if !ok {
			return
		}
		for key, member := range members {
			if !slices.Contains(accepted, key) {
				t.Errorf("keyword %s", key)
			}
			switch key {
			case "properties":
				for _, inner := range member.(map[string]any) {
					visit(inner)
				}
			case "items":
				visit(member)
			case "anyOf":
				for _, form := range member.([]any) {
					visit(form)
				}
			}
		}
		if _, ok := members["properties"]; ok && (members["additionalProperties"] != false || members["type"] != "object") {
			t.Errorf("an open object: %v", sortedKeys(object(members, "properties")))
		}
	}
	visit(root)
	for i, form := range object(root, "properties", "effects", "items")["anyOf"].([]any) {
		if kind := object(form, "properties", "type")["const"]; kind != intent.PermittedEffects[i] {
			t.Errorf("effect form %d is of type %v, want %s", i, kind, intent.PermittedEffects[i])
		}
	}
}

// TestLowerOrdersFieldsForTheModel holds that a model meets what a Finding is about before its verdict.
func TestLowerOrdersFieldsForTheModel(t *testing.T) {
	role, intent := embeddedRole(t)
	line, err := Lower(role, intent)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, field := range []string{`"status":{`, `"findings":{`, `"path":{`, `"title":{`, `"severity":{`, `"dispositions":{`, `"effects":{`, `"threads":{`, `"body":{`} {
		next := strings.Index(string(line[at:]), field)
		if next < 0 {
			t.Fatalf("%s does not come after what is before it", field)
		}
		at += next
	}
}

// worst builds the largest answer that the lowered schema takes: every Finding and text at its bound, made of one character.
func worst(t *testing.T, character string) []byte {
	t.Helper()
	role, intent := embeddedRole(t)
	bounds, err := BoundsOf(intent.Limits)
	if err != nil {
		t.Fatal(err)
	}
	fill := func(n int) untrusted.Text { return untrusted.New(strings.Repeat(character, n)) }
	answer := contract.Answer{Status: contract.StatusCompleted, Findings: []contract.RawFinding{}, Dispositions: []contract.Disposition{}}
	review := contract.SubmitReviewEffect{Type: contract.SubmitReview, ID: "e1", Event: "COMMENT", Body: fill(bounds.Body), Listed: []string{}, Threads: []string{}, Answers: []string{}}
	for i := range bounds.Findings {
		path, line, side := fill(bounds.Path), 1, contract.Right
		id := fmt.Sprintf("f%d", i+1)
		answer.Findings = append(answer.Findings, contract.RawFinding{Category: role.Categories[6], ID: id, Line: &line, Path: &path, Severity: contract.SeverityCritical, Side: &side, Text: fill(bounds.Text), Title: fill(bounds.Title)})
		review.Threads = append(review.Threads, id)
	}
	for i := range bounds.Answers {
		finding := fmt.Sprintf("run-db93904f83c62707abbb84a5/f%d", i+1)
		answer.Dispositions = append(answer.Dispositions, contract.Disposition{Finding: finding, Reviewer: &contract.ReviewerHalf{Evidence: "body", Of: contract.VerdictFixed, Text: fill(bounds.Text), Verdict: contract.VerdictRejected}})
		review.Answers = append(review.Answers, finding)
	}
	answer.Effects = []contract.Effect{{SubmitReview: &review}}
	data, err := contract.Canonical(answer)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestWorstAnswerFitsOneReview holds that the answer with every bound reached is valid, weighs no more than one review may, and
// uses the room: the bounds are not smaller than they must be. One that needs more bytes a character is not valid.
func TestWorstAnswerFitsOneReview(t *testing.T) {
	role, intent := embeddedRole(t)
	answer, err := ValidateAnswer(role, intent, worst(t, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if weight := weigh(answer); weight > contract.MaxBodyBytes || weight < contract.MaxBodyBytes-100 {
		t.Errorf("the worst answer weighs %d, want just below %d", weight, contract.MaxBodyBytes)
	}
	for name, character := range map[string]string{"four bytes a character": "𐍈", "three bytes": "字"} {
		if _, err := ValidateAnswer(role, intent, worst(t, character)); err == nil || !strings.Contains(err.Error(), "65000 are allowed") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestBoundsOf holds the arithmetic for several limits.
func TestBoundsOf(t *testing.T) {
	for _, c := range []struct{ findings, characters, text int }{
		{50, 8000, 423}, {30, 8000, 945}, {20, 8000, 1466}, {10, 8000, 2510}, {1, 8000, 5070}, {10, 1000, 1000}, {85, 8000, 0},
	} {
		bounds, err := BoundsOf(contract.Limits{Findings: c.findings, Effects: 60, TextCharacters: c.characters})
		if bounds.Text != c.text || (err != nil) != (c.text == 0) {
			t.Errorf("%d findings: text of %d characters, error %v, want %d", c.findings, bounds.Text, err, c.text)
		}
	}
}

// TestLoweredSchemaIsClosed holds that what the lowering removed stays out, whatever the full result/1 allows.
func TestLoweredSchemaIsClosed(t *testing.T) {
	role, intent := embeddedRole(t)
	answerA := example{path: "testdata/model/A.result.model.json"}.read(t)
	answerB := example{path: "testdata/model/B.result.model.json"}.read(t)
	for _, valid := range [][]byte{answerA, answerB} {
		if _, err := ValidateAnswer(role, intent, valid); err != nil {
			t.Fatal(err)
		}
	}
	repeat := func(path string, count int) operation { return operation{Op: "repeat", Path: path, Count: count} }
	fill := func(path string, count int) operation { return operation{Op: "fill", Path: path, Count: count} }
	add := func(path, value string) operation {
		return operation{Op: "add", Path: path, Value: json.RawMessage(value)}
	}
	for name, c := range map[string]struct {
		answer []byte
		patch  []operation
		want   string
	}{
		"a run of its own":         {answerA, []operation{add("/run", `"run-db93904f83c62707abbb84a5"`)}, "field run: an unknown field"},
		"a usage of its own":       {answerA, []operation{add("/usage", `{}`)}, "field usage: an unknown field"},
		"a failure of its own":     {answerA, []operation{put("/status", "failed")}, "field status: not one of the values it may have"},
		"a reason of an engine":    {answerA, []operation{put("/status", "refused"), put("/reason", "engine_timeout")}, "field reason: not one of the values it may have"},
		"completed for a reason":   {answerA, []operation{put("/reason", "context_missing")}, "field reason: not of the type it must have"},
		"incomplete for no reason": {answerA, []operation{put("/status", "incomplete")}, "field reason: not one of the values it may have"},
		"another category":         {answerA, []operation{put("/findings/0/category", "style")}, "field findings[0].category: not one of the values it may have"},
		"an Effect not permitted":  {answerB, []operation{put("/effects/1/type", "resolve_thread")}, "field effects[1].type: not one of the values it may have"},
		"an approval":              {answerA, []operation{put("/effects/0/event", "APPROVE")}, "field effects[0].event: not one of the values it may have"},
		"the author's half":        {answerB, []operation{add("/dispositions/0/author", `{"text": "t", "verdict": "fixed"}`)}, "field dispositions[0].author: not of the type it must have"},
		"no half":                  {answerB, []operation{put("/dispositions/0/reviewer", nil)}, "field dispositions[0].reviewer: not of the type it must have"},
		"too many Findings":        {answerA, []operation{repeat("/findings", 51)}, "field findings: more than 50 entries"},
		"too many Effects":         {answerB, []operation{repeat("/effects", 61)}, "field effects: more than 60 entries"},
		"too many answers":         {answerB, []operation{repeat("/effects/0/answers", 11)}, "field effects[0].answers: more than 10 entries"},
		"a long title":             {answerA, []operation{fill("/findings/0/title", 101)}, "field findings[0].title: longer than 100 characters"},
		"a long text":              {answerA, []operation{fill("/findings/0/text", 424)}, "field findings[0].text: longer than 423 characters"},
		"a long path":              {answerA, []operation{fill("/findings/0/path", 201)}, "field findings[0].path: longer than 200 characters"},
		"a long body":              {answerA, []operation{fill("/effects/0/body", 1501)}, "field effects[0].body: longer than 1500 characters"},
		"a long disposition":       {answerB, []operation{fill("/dispositions/0/reviewer/text", 424)}, "field dispositions[0].reviewer.text: longer than 423 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			document, err := patch(c.answer, c.patch)
			if err != nil {
				t.Fatal(err)
			}
			_, err = ValidateAnswer(role, intent, document)
			if want := answerKind + ": " + c.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}
