package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// maxLoweredBytes is the longest schema that fits one command line argument on Linux.
const maxLoweredBytes = 131071

// answerKind names what a model answers: result/1 without the harness's own fields, narrowed to one Intent.
const answerKind = "result/1 (answer)"

// Lower returns the schema that the CLI is handed for one Intent of a Role: one line of JSON, no line break at its end.
//
// It is schemas/result.json with every reference inlined, without the fields that the harness writes itself, and narrowed to
// what the Role and the Intent allow. Every object in it is closed: each of its properties is required. Its root is a plain object, because a vendor's API may refuse a combination of schemas
// there: the conditions between status and reason are left to [ValidateAnswer]. Only keywords that the pinned CLI accepts are
// in it. The same Role and Intent give the same bytes.
func Lower(role contract.Role, intent contract.Intent) ([]byte, error) {
	tree, err := lowered(role, intent)
	if err != nil {
		return nil, fmt.Errorf("lower result/1 for intent %s of role %s: %w", intent.Name, role.Name, err)
	}
	delete(tree, "allOf")
	line := appendOrdered(nil, tree)
	if len(line) > maxLoweredBytes {
		return nil, fmt.Errorf("lower result/1 for intent %s of role %s: %d bytes, %d fit the command line", intent.Name, role.Name, len(line), maxLoweredBytes)
	}
	return line, nil
}

// appendOrdered writes a schema with the members of an object's "properties" in the order of its "required", because a model
// tends to write its answer in the schema's order: what a Finding is about comes before its verdict. Other keys are sorted.
func appendOrdered(out []byte, node any) []byte {
	switch node := node.(type) {
	case map[string]any:
		out = append(out, '{')
		for i, key := range sortedKeys(node) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendOrdered(out, key), ':')
			if members, ok := node[key].(map[string]any); ok && key == "properties" {
				out = appendMembers(out, members, node["required"].([]any))
			} else {
				out = appendOrdered(out, node[key])
			}
		}
		return append(out, '}')
	case []any:
		out = append(out, '[')
		for i, item := range node {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendOrdered(out, item)
		}
		return append(out, ']')
	case string:
		return appendText(out, node)
	case nil:
		return append(out, "null"...)
	}
	return fmt.Append(out, node)
}

func appendMembers(out []byte, members map[string]any, order []any) []byte {
	out = append(out, '{')
	for i, key := range order {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendOrdered(out, key), ':')
		out = appendOrdered(out, members[key.(string)])
	}
	return append(out, '}')
}

func appendText(out []byte, text string) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(fmt.Sprintf("schema: a string of ours cannot be written as JSON: %v", err))
	}
	return append(out, bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))...)
}

// lowered is the whole schema of an answer: what [Lower] returns, and the conditions at its root.
func lowered(role contract.Role, intent contract.Intent) (map[string]any, error) {
	bounds, err := BoundsOf(intent.Limits)
	if err != nil {
		return nil, err
	}
	files, err := sources()
	if err != nil {
		return nil, err
	}
	root, err := inline(files, "result")
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"$schema", "$id", "title", "definitions"} {
		delete(root, key)
	}
	properties := object(root, "properties")
	for _, own := range []string{"schema", "run", "release", "task", "engine", "usage"} {
		delete(properties, own)
		root["required"] = slices.DeleteFunc(root["required"].([]any), func(key any) bool { return key == own })
	}
	conditions := root["allOf"].([]any)
	root["allOf"] = slices.DeleteFunc(conditions, func(condition any) bool {
		return object(condition, "if", "properties", "status")["const"] == contract.StatusFailed
	})
	narrowStatus(properties)
	narrowFindings(object(properties, "findings"), role, bounds)
	narrowDispositions(object(properties, "dispositions"), role, bounds)
	narrowEffects(object(properties, "effects"), intent, bounds)
	return root, nil
}

func narrowStatus(properties map[string]any) {
	properties["status"] = map[string]any{"enum": []any{contract.StatusCompleted, contract.StatusIncomplete, contract.StatusRefused}}
	properties["reason"] = map[string]any{
		"description": "null when completed, else why not",
		"enum":        []any{nil, string(contract.CodeChangeTooLarge), string(contract.CodeContextMissing), string(contract.CodeDeclinedUnsafe)},
	}
}

func narrowFindings(list map[string]any, role contract.Role, bounds Bounds) {
	list["maxItems"] = bounds.Findings
	fields := object(list, "items", "properties")
	fields["category"] = map[string]any{"enum": anys(role.Categories)}
	object(fields, "title")["maxLength"] = bounds.Title
	object(fields, "text")["maxLength"] = bounds.Text
	valueForm(object(fields, "path"))["maxLength"] = bounds.Path
}

// narrowDispositions leaves the Role its one half, which it must then fill.
func narrowDispositions(list map[string]any, role contract.Role, bounds Bounds) {
	list["maxItems"] = bounds.Dispositions
	fields := object(list, "items", "properties")
	for _, half := range []string{contract.HalfAuthor, contract.HalfReviewer} {
		if half != role.DispositionHalf {
			fields[half] = map[string]any{"type": "null"}
			continue
		}
		form := valueForm(object(fields, half))
		object(form, "properties", "text")["maxLength"] = bounds.Text
		fields[half] = form
	}
}

func narrowEffects(list map[string]any, intent contract.Intent, bounds Bounds) {
	list["maxItems"] = bounds.Effects
	items := object(list, "items")
	items["anyOf"] = slices.DeleteFunc(items["anyOf"].([]any), func(form any) bool {
		kind, _ := object(form, "properties", "type")["const"].(string)
		return !slices.Contains(intent.PermittedEffects, kind)
	})
	for _, form := range items["anyOf"].([]any) {
		fields := object(form, "properties")
		if object(fields, "type")["const"] != contract.SubmitReview {
			continue
		}
		object(fields, "body")["maxLength"] = bounds.Body
		object(fields, "answers")["maxItems"] = bounds.Answers
		object(fields, "listed")["maxItems"] = bounds.Findings
		object(fields, "threads")["maxItems"] = bounds.Findings
	}
}

// valueForm returns the second form of a field that is null or a value.
func valueForm(field map[string]any) map[string]any {
	return field["anyOf"].([]any)[1].(map[string]any)
}

// object follows keys into a schema of ours. A key that is not there gives an empty object: the golden files show it.
func object(node any, keys ...string) map[string]any {
	for _, key := range keys {
		members, _ := node.(map[string]any)
		node = members[key]
	}
	members, _ := node.(map[string]any)
	if members == nil {
		return map[string]any{}
	}
	return members
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// inline returns a schema with every reference replaced by a copy of what it refers to. Schemas of ours do not recurse.
func inline(files map[string][]byte, name string) (map[string]any, error) {
	trees := map[string]any{}
	for _, needed := range closure(files, name) {
		decoder := json.NewDecoder(bytes.NewReader(files[needed]))
		decoder.UseNumber()
		var tree any
		if err := decoder.Decode(&tree); err != nil {
			return nil, fmt.Errorf("read schema %s: %w", needed, err)
		}
		trees[needed] = tree
	}
	resolved, err := resolve(trees, name, trees[name])
	if err != nil {
		return nil, err
	}
	return resolved.(map[string]any), nil
}

func resolve(trees map[string]any, file string, node any) (any, error) {
	switch node := node.(type) {
	case []any:
		out := make([]any, len(node))
		for i, item := range node {
			resolved, err := resolve(trees, file, item)
			if err != nil {
				return nil, err
			}
			out[i] = resolved
		}
		return out, nil
	case map[string]any:
		if reference, ok := node["$ref"].(string); ok {
			return resolveReference(trees, file, reference)
		}
		out := make(map[string]any, len(node))
		for key, member := range node {
			resolved, err := resolve(trees, file, member)
			if err != nil {
				return nil, err
			}
			out[key] = resolved
		}
		return out, nil
	}
	return node, nil
}

func resolveReference(trees map[string]any, file, reference string) (any, error) {
	other, pointer, _ := strings.Cut(reference, "#")
	if other != "" {
		file = strings.TrimSuffix(other, ".json")
	}
	target, ok := trees[file].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("reference %s leads to no schema of this module", reference)
	}
	if pointer == "" {
		target = shallow(target)
		for _, key := range []string{"$schema", "$id", "title", "definitions"} {
			delete(target, key)
		}
		return resolve(trees, file, target)
	}
	for _, key := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		if target, ok = target[key].(map[string]any); !ok {
			return nil, fmt.Errorf("reference %s leads nowhere", reference)
		}
	}
	return resolve(trees, file, target)
}

func shallow(node map[string]any) map[string]any {
	out := make(map[string]any, len(node))
	for key, member := range node {
		out[key] = member
	}
	return out
}
