package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rule is one constraint of a schema file, by the JSON pointer of its keyword ("/properties/run/pattern"), or of one name of
// a "required" list ("/required/3").
type rule struct {
	file, pointer string
}

// keywords that constrain. The others only name, describe or lead to further schemas.
var constraining = []string{
	"$ref", "type", "enum", "const", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "anyOf",
}

// rulesOf lists the rules of a schema file in the file's order of pointers, without those of the files it refers to. What
// stands under "if" is a condition and no rule: it is held by the rules of its "then" and "else".
func rulesOf(tree any, file string) []rule {
	var rules []rule
	var visit func(node any, pointer string)
	visit = func(node any, pointer string) {
		members, ok := node.(map[string]any)
		if !ok {
			return
		}
		for _, key := range sortedKeys(members) {
			member, at := members[key], pointer+"/"+key
			if slices.Contains(constraining, key) {
				rules = append(rules, rule{file, at})
			}
			switch key {
			case "required":
				for i := range member.([]any) {
					rules = append(rules, rule{file, at + "/" + strconv.Itoa(i)})
				}
			case "additionalProperties", "propertyNames":
				if member == false {
					rules = append(rules, rule{file, at})
				}
				visit(member, at)
			case "items", "then", "else":
				visit(member, at)
			case "properties", "definitions":
				for _, name := range sortedKeys(member.(map[string]any)) {
					visit(member.(map[string]any)[name], at+"/"+name)
				}
			case "anyOf", "allOf":
				for i, form := range member.([]any) {
					visit(form, at+"/"+strconv.Itoa(i))
				}
			}
		}
	}
	visit(tree, "")
	return rules
}

// knownKeywords are all that our schemas may use: draft-07, and of that only what the pinned CLI accepts.
var knownKeywords = append([]string{
	"$schema", "$id", "title", "description", "required", "additionalProperties", "propertyNames", "items", "properties", "definitions", "allOf", "if", "then", "else",
}, constraining...)

// TestKeywords holds that no schema uses a keyword that rulesOf does not know, that every object is closed and requires each
// of its properties, and that every reference leads to a schema of this module.
func TestKeywords(t *testing.T) {
	files := mustSources(t)
	for name, data := range files {
		tree := mustTree(t, data)
		var visit func(node any, pointer string, condition bool)
		visit = func(node any, pointer string, condition bool) {
			members, ok := node.(map[string]any)
			if !ok {
				return
			}
			for key, member := range members {
				if !slices.Contains(knownKeywords, key) {
					t.Errorf("%s%s: keyword %s has no counter-examples", name, pointer, key)
				}
				switch key {
				case "properties", "definitions":
					for property, inner := range member.(map[string]any) {
						visit(inner, pointer+"/"+key+"/"+property, condition)
					}
				case "items", "additionalProperties", "propertyNames":
					visit(member, pointer+"/"+key, condition)
				case "if", "then", "else":
					visit(member, pointer+"/"+key, true)
				case "anyOf", "allOf":
					for i, form := range member.([]any) {
						visit(form, pointer+"/"+key+"/"+strconv.Itoa(i), condition || key == "allOf")
					}
				}
			}
			properties, has := members["properties"].(map[string]any)
			if !has || condition {
				return
			}
			var required []string
			for _, key := range members["required"].([]any) {
				required = append(required, key.(string))
			}
			required = append(required, addedLater[name+pointer]...)
			slices.Sort(required)
			if !slices.Equal(required, slices.Sorted(maps.Keys(properties))) || members["additionalProperties"] != false || members["type"] != "object" {
				t.Errorf("%s%s: an object that is not closed", name, pointer)
			}
		}
		visit(tree, "", false)
		if _, err := inline(files, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if id := tree["$id"]; id != base+name+".json" || tree["$schema"] != "http://json-schema.org/draft-07/schema#" {
			t.Errorf("%s: $id %v, $schema %v", name, id, tree["$schema"])
		}
	}
}

// addedLater are the fields that came after the first version of their record, and so may be absent.
var addedLater = map[string][]string{"harness/properties/engines/items": {"prices"}}

func mustSources(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func mustTree(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var tree map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

// without returns a set of schemas from which one rule is removed.
func without(t *testing.T, files map[string][]byte, r rule) map[string][]byte {
	t.Helper()
	tree := any(mustTree(t, files[r.file]))
	changed, err := patchOne(tree, operation{Op: "remove", Path: r.pointer})
	if err != nil {
		t.Fatalf("%s%s: %v", r.file, r.pointer, err)
	}
	data, err := json.Marshal(changed)
	if err != nil {
		t.Fatal(err)
	}
	out := maps.Clone(files)
	out[r.file] = data
	return out
}

// operation is one of JSON Patch (RFC 6902: add, replace, remove), or one of two of our own that keep large documents short:
// repeat makes a list Count entries long with variations of its last, fill makes a string of Count times "a".
type operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`
	Count int             `json:"count,omitempty"`
}

func put(path string, value any) operation {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return operation{Op: "replace", Path: path, Value: data}
}

// patch applies operations to a copy of a document.
func patch(document []byte, operations []operation) ([]byte, error) {
	var tree any
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	for _, operation := range operations {
		var err error
		if tree, err = patchOne(tree, operation); err != nil {
			return nil, err
		}
	}
	return json.Marshal(tree)
}

func patchOne(tree any, o operation) (any, error) {
	steps := strings.Split(o.Path, "/")[1:]
	return patchAt(tree, steps, o)
}

func patchAt(node any, steps []string, o operation) (any, error) {
	if len(steps) == 0 {
		return patchValue(node, o)
	}
	step := strings.NewReplacer("~1", "/", "~0", "~").Replace(steps[0])
	last := len(steps) == 1
	switch node := node.(type) {
	case map[string]any:
		member, ok := node[step]
		switch {
		case last && o.Op == "remove" && ok:
			delete(node, step)
			return node, nil
		case !ok && (!last || o.Op != "add"):
			return nil, fmt.Errorf("%s leads nowhere", o.Path)
		}
		changed, err := patchAt(member, steps[1:], o)
		node[step] = changed
		return node, err
	case []any:
		if last && o.Op == "add" && step == "-" {
			changed, err := patchAt(nil, nil, o)
			return append(node, changed), err
		}
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(node) {
			return nil, fmt.Errorf("%s leads nowhere", o.Path)
		}
		if last && o.Op == "remove" {
			return slices.Delete(node, i, i+1), nil
		}
		node[i], err = patchAt(node[i], steps[1:], o)
		return node, err
	}
	return nil, fmt.Errorf("%s leads nowhere", o.Path)
}

func patchValue(node any, o operation) (any, error) {
	switch o.Op {
	case "add", "replace":
		var value any
		decoder := json.NewDecoder(bytes.NewReader(o.Value))
		decoder.UseNumber()
		err := decoder.Decode(&value)
		return value, err
	case "fill":
		return strings.Repeat("a", o.Count), nil
	case "repeat":
		list, ok := node.([]any)
		if !ok || len(list) == 0 {
			return nil, fmt.Errorf("%s is no list with an entry", o.Path)
		}
		for n := len(list); n < o.Count; n++ {
			list = append(list, variation(list[0], n))
		}
		return list[:o.Count], nil
	}
	return nil, fmt.Errorf("unknown operation %s", o.Op)
}

// variation makes an entry that differs from the others of its list where that is easy: a number, or a string with a number
// or letters at its end.
func variation(entry any, n int) any {
	switch entry := entry.(type) {
	case json.Number:
		return json.Number(strconv.Itoa(100000 + n))
	case string:
		if trimmed := strings.TrimRight(entry, "0123456789"); trimmed != entry && !strings.HasPrefix(entry, "sha256:") {
			return trimmed + strconv.Itoa(1+n)
		}
		letters := []byte(entry)
		for ; n > 0; n /= 26 {
			letters = append(letters, byte('a'+n%26))
		}
		return string(letters)
	}
	return entry
}
