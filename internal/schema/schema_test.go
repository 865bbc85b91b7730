package schema

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// recordOf returns a new Go value of a kind.
func recordOf(kind string) any {
	switch kind {
	case "facts":
		return &contract.Facts{}
	case "decision":
		return &contract.Decision{}
	case "task":
		return &contract.Task{}
	case "result":
		return &contract.Result{}
	case "effect":
		return &contract.Effect{}
	case "applied":
		return &contract.Applied{}
	case "finding":
		return &contract.Finding{}
	case "disposition":
		return &contract.AppliedDisposition{}
	case "outcome":
		return &contract.Outcome{}
	case "policy":
		return &contract.Policy{}
	case "apps":
		return &contract.Apps{}
	case "harness":
		return &contract.Harness{}
	case "role":
		return &contract.Role{}
	case "lock":
		return &contract.Lock{}
	case "cases":
		return &contract.Cases{}
	case "expected":
		return &contract.Expected{}
	}
	return nil
}

// TestTypesAndSchemasAgree holds that every example is a record of its Go type too, and that the canonical form of what was
// read is valid: neither side has a field that the other lacks.
func TestTypesAndSchemasAgree(t *testing.T) {
	for _, e := range examples(t) {
		t.Run(e.name(), func(t *testing.T) {
			record := recordOf(e.kind)
			if record == nil {
				t.Fatalf("kind %s has no Go type", e.kind)
			}
			if err := Decode(e.kind+"/1", e.read(t), record); err != nil {
				t.Fatal(err)
			}
			written, err := contract.Canonical(record)
			if err != nil {
				t.Fatal(err)
			}
			if err := Validate(e.kind+"/1", written); err != nil {
				t.Error(err)
			}
		})
	}
}

// enumAt returns the values of an enum of a schema in their order.
func enumAt(t *testing.T, file string, keys ...string) []string {
	t.Helper()
	var node any = mustTree(t, mustSources(t)[file])
	for _, key := range keys {
		if list, ok := node.([]any); ok {
			node = list[slices.Index([]string{"0", "1", "2"}, key)]
			continue
		}
		node = node.(map[string]any)[key]
	}
	var values []string
	for _, value := range node.([]any) {
		if text, ok := value.(string); ok {
			values = append(values, text)
		}
	}
	return values
}

func codes(lists ...[]contract.Code) []string {
	var out []string
	for _, list := range lists {
		for _, code := range list {
			out = append(out, string(code))
		}
	}
	return out
}

// TestReasonCodesInSchemas holds that where a record carries a reason, the schema takes exactly the codes of the stages that
// may decide it, in their order.
func TestReasonCodesInSchemas(t *testing.T) {
	var all []contract.Code
	for _, reason := range contract.Reasons() {
		all = append(all, reason.Code)
	}
	var stopped, declared []contract.Code
	for _, code := range contract.CodesOf(contract.StageModel) {
		if strings.HasPrefix(string(code), "model_") {
			stopped = append(stopped, code)
		} else {
			declared = append(declared, code)
		}
	}
	failed := codes(stopped, []contract.Code{contract.CodeResultInvalid}, contract.CodesOf(contract.StageEngine))
	for name, c := range map[string]struct {
		file string
		at   []string
		want []string
	}{
		"any reason":          {"common", []string{"definitions", "reasonCode", "enum"}, codes(all)},
		"reasons of decision": {"decision", []string{"properties", "reasons", "items", "enum"}, codes(contract.CodesOf(contract.StageKernel))},
		"reason of an Effect": {"applied", []string{"properties", "effects", "items", "properties", "reason", "enum"}, codes(contract.CodesOf(contract.StageSuperseded), contract.CodesOf(contract.StageRefusal), contract.CodesOf(contract.StageEffect))},
		"reason of an answer": {"result", []string{"allOf", "1", "then", "properties", "reason", "enum"}, codes(declared)},
		"reason of a failure": {"result", []string{"allOf", "2", "then", "properties", "reason", "enum"}, failed},
	} {
		t.Run(name, func(t *testing.T) {
			if got := enumAt(t, c.file, c.at...); !slices.Equal(got, c.want) {
				t.Errorf("schema has\n%v\nthe list has\n%v", got, c.want)
			}
		})
	}
}

// TestNoEffectCanPush holds that nothing but the three Effect types is representable, that none of them has a field that could
// carry a commit, a branch or a file, and that a review can only be a comment.
func TestNoEffectCanPush(t *testing.T) {
	tree := mustTree(t, mustSources(t)["effect"])
	fields := map[string][]string{}
	for _, form := range tree["anyOf"].([]any) {
		properties := object(form, "properties")
		fields[object(properties, "type")["const"].(string)] = sortedKeys(properties)
	}
	want := map[string][]string{
		contract.SubmitReview:  {"answers", "body", "event", "id", "listed", "threads", "type"},
		contract.ReplyThread:   {"finding", "id", "type"},
		contract.ResolveThread: {"finding", "id", "type"},
	}
	if len(fields) != len(want) || len(contract.EffectTypes()) != len(want) {
		t.Errorf("effect types %v, want %v", fields, want)
	}
	for kind, names := range want {
		if !slices.Equal(fields[kind], names) {
			t.Errorf("%s has fields %v, want %v", kind, fields[kind], names)
		}
	}
	for name, document := range map[string]string{
		"push":            `{"id": "e1", "type": "push_commits", "finding": "run-db93904f83c62707abbb84a5/f1"}`,
		"pull request":    `{"id": "e1", "type": "create_pull_request", "title": "t", "head": "h", "base": "b", "body": ""}`,
		"merge":           `{"id": "e1", "type": "merge", "finding": "run-db93904f83c62707abbb84a5/f1"}`,
		"branch beside":   `{"id": "e1", "type": "reply_thread", "finding": "run-db93904f83c62707abbb84a5/f1", "branch": "main"}`,
		"approval":        `{"answers": [], "body": "", "event": "APPROVE", "id": "e1", "listed": [], "threads": [], "type": "submit_review"}`,
		"request changes": `{"answers": [], "body": "", "event": "REQUEST_CHANGES", "id": "e1", "listed": [], "threads": [], "type": "submit_review"}`,
		"pending":         `{"answers": [], "body": "", "event": null, "id": "e1", "listed": [], "threads": [], "type": "submit_review"}`,
	} {
		if Validate("effect/1", []byte(document)) == nil {
			t.Errorf("%s is a valid Effect", name)
		}
	}
}

// TestErrorsNameTheField holds the words and the place of an error for each way to be wrong.
func TestErrorsNameTheField(t *testing.T) {
	decision := example{path: "testdata/model/A.decision.json"}.read(t)
	for name, c := range map[string]struct {
		patch []operation
		want  string
	}{
		"missing":      {[]operation{{Op: "remove", Path: "/inputs/diff/sha256"}}, "decision/1: field inputs.diff.sha256: a required field is missing"},
		"unknown":      {[]operation{{Op: "add", Path: "/inputs/extra", Value: []byte("1")}}, "decision/1: field inputs.extra: an unknown field"},
		"unprintable":  {[]operation{{Op: "add", Path: "/inputs/Ignore all rules", Value: []byte("1")}}, "decision/1: field inputs.(unprintable key): an unknown field"},
		"type":         {[]operation{put("/asked/again", "yes")}, "decision/1: field asked.again: not a boolean"},
		"null":         {[]operation{put("/run", nil)}, "decision/1: field run: null where a value is required"},
		"pattern":      {[]operation{put("/run", "run-1")}, "decision/1: field run: not of the form it must have"},
		"const":        {[]operation{put("/schema", "decision/2")}, "decision/1: field schema: not one of the values it may have"},
		"minimum":      {[]operation{put("/item/number", 0)}, "decision/1: field item.number: less than 1"},
		"condition":    {[]operation{put("/admitted", false)}, "decision/1: field reasons: fewer than 1 entries"},
		"twice":        {[]operation{put("/admitted", false), put("/reasons", []string{"item_held", "item_held"})}, "decision/1: field reasons: an entry stands twice"},
		"closed list":  {[]operation{put("/admitted", false), put("/reasons", []string{"item_hold"})}, "decision/1: field reasons[0]: not one of the values it may have"},
		"nullable ref": {[]operation{put("/carries", "x")}, "decision/1: field carries: not of the form it must have"},
	} {
		t.Run(name, func(t *testing.T) {
			document, err := patch(decision, c.patch)
			if err != nil {
				t.Fatal(err)
			}
			err = Decode("decision/1", document, &contract.Decision{})
			var fault *Error
			if !errors.As(err, &fault) || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	if err := Validate("decision/2", decision); err == nil || err.Error() != "decision/2: no schema of this kind and version exists" {
		t.Errorf("unknown version: %v", err)
	}
	if err := Validate("common/1", decision); err == nil {
		t.Error("common is no kind")
	}
	if err := Decode("decision/1", append(decision, '{'), &contract.Decision{}); err == nil || !strings.Contains(err.Error(), "data after the end") {
		t.Errorf("trailing data: %v", err)
	}
}

// TestErrorsNeverQuote holds, over the counter-examples of records that strangers can fill, that an error holds no piece of a document that could be a stranger's.
func TestErrorsNeverQuote(t *testing.T) {
	const stranger = "IGNORE-previous <!-- @everyone"
	for _, e := range examples(t) {
		if e.kind != "result" && e.kind != "facts" && e.kind != "role" {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(stored, e.kind, "counter-examples.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			for _, c := range readCounterExamples(t, path) {
				if c.Kind != e.kind || c.Example != e.name() {
					continue
				}
				operations := slices.Clone(c.Patch)
				for i, o := range operations {
					if o.Op == "fill" {
						continue
					}
					if strings.HasSuffix(o.Path, "/unknown") {
						operations[i].Path = strings.TrimSuffix(o.Path, "unknown") + stranger
					} else if len(o.Value) > 0 && o.Value[0] == '"' {
						operations[i].Value = put(o.Path, stranger).Value
					}
				}
				document, err := patch(e.read(t), operations)
				if err != nil {
					t.Fatal(err)
				}
				if err := Validate(e.kind+"/1", document); err != nil && strings.Contains(err.Error(), "IGNORE") {
					t.Errorf("%s %s: %v", e.kind, c.Rule, err)
				}
			}
		}
	}
}

// TestGarbage holds that what is no JSON at all gives an error and no panic.
func TestGarbage(t *testing.T) {
	for _, document := range []string{"", "{", "null", "[]", "\xff\xfe", `{"schema": "facts/1"}`, strings.Repeat("[", 100000)} {
		for _, kind := range Kinds() {
			if err := Decode(kind, []byte(document), recordOf(strings.TrimSuffix(kind, "/1"))); err == nil {
				t.Errorf("%s: %.20q is valid", kind, document)
			}
		}
	}
	if _, err := os.Stat(stored); err != nil {
		t.Fatal(err)
	}
}

// TestCompileNeedsNoNetwork holds that a reference to a schema that is not embedded is an error, not a download.
func TestCompileNeedsNoNetwork(t *testing.T) {
	files := map[string][]byte{"one": []byte(`{"$id": "` + base + `one.json", "$ref": "two.json"}`)}
	if _, err := compile(files, "one"); err == nil {
		t.Error("a schema that refers to a missing one was compiled")
	}
}
