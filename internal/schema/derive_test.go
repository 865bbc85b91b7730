package schema

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// derive looks for a counter-example of a rule: it goes to every place of every example where the rule applies and tries what
// could break a rule of its keyword, until one breaks it alone.
func derive(t *testing.T, files map[string][]byte, r rule) (counterExample, bool) {
	t.Helper()
	trees := map[string]any{}
	for name, data := range files {
		trees[name] = mustTree(t, data)
	}
	keyword, node := ruleNode(trees[r.file], r.pointer)
	full, relaxed := map[string]func([]byte) bool{}, map[string]func([]byte) bool{}
	for _, e := range examples(t) {
		data := e.read(t)
		var document any
		if err := json.Unmarshal(data, &document); err != nil {
			t.Fatal(err)
		}
		w := walker{trees: trees, wanted: r.file + "#" + parentOf(r.pointer)}
		w.walk(e.kind, trees[e.kind], "", document, "")
		if len(w.found) == 0 {
			continue
		}
		if full[e.kind] == nil {
			strict, loose := mustCompile(t, files, e.kind), mustCompile(t, without(t, files, r), e.kind)
			full[e.kind] = func(document []byte) bool { return valid(t, strict, document) }
			relaxed[e.kind] = func(document []byte) bool { return valid(t, loose, document) }
		}
		for _, found := range w.found {
			for _, operations := range candidates(keyword, node, found.pointer, found.value) {
				document, err := patch(data, operations)
				if err == nil && !full[e.kind](document) && relaxed[e.kind](document) {
					return counterExample{Rule: r.pointer, Kind: e.kind, Example: e.name(), Patch: operations}, true
				}
			}
		}
	}
	return counterExample{}, false
}

// parentOf returns the pointer of the schema that a rule's keyword stands in.
func parentOf(pointer string) string {
	parent := pointer[:strings.LastIndex(pointer, "/")]
	if strings.HasSuffix(parent, "/required") && !strings.HasSuffix(parent, "/properties/required") {
		return strings.TrimSuffix(parent, "/required")
	}
	return parent
}

// ruleNode returns the keyword of a rule and its value.
func ruleNode(tree any, pointer string) (string, any) {
	keyword, node := "", tree
	steps := strings.Split(pointer, "/")[1:]
	for _, step := range steps {
		if list, ok := node.([]any); ok {
			i, _ := strconv.Atoi(step)
			node = list[i]
			continue
		}
		keyword, node = step, node.(map[string]any)[step]
	}
	return keyword, node
}

// located is an instance that the wanted schema applies to.
type located struct {
	pointer string
	value   any
}

type walker struct {
	trees  map[string]any
	wanted string
	found  []located
}

// walk follows a schema and an instance together.
func (w *walker) walk(file string, node any, at string, instance any, pointer string) {
	members, ok := node.(map[string]any)
	if !ok {
		return
	}
	if file+"#"+at == w.wanted {
		w.found = append(w.found, located{pointer, instance})
	}
	if reference, ok := members["$ref"].(string); ok {
		other, inner, _ := strings.Cut(reference, "#")
		if other != "" {
			file = strings.TrimSuffix(other, ".json")
		}
		var target any = w.trees[file]
		if inner != "" {
			_, target = ruleNode(target, inner)
		}
		w.walk(file, target, inner, instance, pointer)
		return
	}
	for _, key := range []string{"then", "else"} {
		w.walk(file, members[key], at+"/"+key, instance, pointer)
	}
	for _, key := range []string{"anyOf", "allOf"} {
		forms, _ := members[key].([]any)
		for i, form := range forms {
			w.walk(file, form, at+"/"+key+"/"+strconv.Itoa(i), instance, pointer)
		}
	}
	switch instance := instance.(type) {
	case map[string]any:
		properties, _ := members["properties"].(map[string]any)
		for _, key := range sortedKeys(instance) {
			if property, ok := properties[key]; ok {
				w.walk(file, property, at+"/properties/"+key, instance[key], pointer+"/"+key)
			} else {
				w.walk(file, members["additionalProperties"], at+"/additionalProperties", instance[key], pointer+"/"+key)
			}
		}
		if len(instance) > 0 && file+"#"+at+"/propertyNames" == w.wanted {
			w.found = append(w.found, located{pointer, instance})
		}
	case []any:
		for i, item := range instance {
			w.walk(file, members["items"], at+"/items", item, pointer+"/"+strconv.Itoa(i))
		}
	}
}

// candidates are changes at a place that could break a rule of a keyword, the plainest first.
func candidates(keyword string, node any, pointer string, value any) [][]operation {
	var list [][]operation
	set := func(values ...any) {
		for _, v := range values {
			list = append(list, []operation{put(pointer, v)})
		}
	}
	limit := 0
	if number, ok := node.(json.Number); ok {
		n, err := number.Int64()
		if err != nil {
			panic(err)
		}
		limit = int(n)
	}
	switch keyword {
	case "required":
		list = append(list, []operation{{Op: "remove", Path: pointer + "/" + node.(string)}})
	case "additionalProperties":
		extra := put(pointer+"/unknown", true)
		extra.Op = "add"
		list = append(list, []operation{extra})
	case "minimum":
		set(limit - 1)
	case "maximum":
		set(limit + 1)
	case "minLength":
		set("")
	case "maxLength":
		list = append(list, []operation{{Op: "fill", Path: pointer, Count: limit + 1}})
	case "minItems":
		if items, ok := value.([]any); ok && len(items) >= limit {
			set(items[:limit-1])
		}
	case "maxItems":
		list = append(list, []operation{{Op: "repeat", Path: pointer, Count: limit + 1}})
	case "uniqueItems":
		if items, ok := value.([]any); ok && len(items) > 0 {
			again := put(pointer+"/-", items[0])
			again.Op = "add"
			list = append(list, []operation{again})
		}
	case "pattern":
		if text, ok := value.(string); ok {
			set(text+"!", text+"\n")
		}
		set("", "!", "x y")
		if _, ok := value.(map[string]any); ok {
			for _, name := range []string{"NO", "no.such"} {
				extra := put(pointer+"/"+name, "read")
				extra.Op = "add"
				list = append(list, []operation{extra})
				extra = put(pointer+"/"+name, "sha256:"+strings.Repeat("0", 64))
				extra.Op = "add"
				list = append(list, []operation{extra})
			}
		}
	default: // type, enum, const, anyOf, $ref: a value of another kind, or one of the same kind that is wrong
		set("no_such_value", 0, -1, "", true, nil, "1", []any{}, map[string]any{}, 5)
		if members, ok := value.(map[string]any); ok {
			for _, key := range sortedKeys(members) {
				list = append(list, []operation{{Op: "remove", Path: pointer + "/" + key}})
			}
		}
	}
	return list
}
