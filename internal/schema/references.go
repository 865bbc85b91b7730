package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// closure lists a schema and those it refers to, itself first, each once.
func closure(files map[string][]byte, name string) []string {
	names := []string{name}
	for i := 0; i < len(names); i++ {
		var tree any
		if json.Unmarshal(files[names[i]], &tree) != nil {
			continue
		}
		walk(tree, func(node map[string]any) {
			reference, _ := node["$ref"].(string)
			file, _, _ := strings.Cut(reference, "#")
			other := strings.TrimSuffix(file, ".json")
			if _, known := files[other]; known && !slices.Contains(names, other) {
				names = append(names, other)
			}
		})
	}
	return names
}

// walk visits every object of a JSON tree, an outer one before its members, members in alphabetical order.
func walk(tree any, visit func(map[string]any)) {
	switch node := tree.(type) {
	case map[string]any:
		visit(node)
		for _, key := range sortedKeys(node) {
			walk(node[key], visit)
		}
	case []any:
		for _, item := range node {
			walk(item, visit)
		}
	}
}

func sortedKeys(node map[string]any) []string {
	keys := make([]string, 0, len(node))
	for key := range node {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
