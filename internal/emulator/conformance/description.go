// Package conformance holds requests and answers of the emulator to GitHub's own description of its interfaces: the
// OpenAPI document of npm's @octokit/openapi and the schema of @octokit/graphql-schema, at the versions pinned in
// testdata/github-description. It is for tests.
//
// What the description cannot say (permissions, anchors, narrowing, unknown fields) is held by the emulator itself.
package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// Install is the command that brings the description, from the top of the repository.
const Install = "npm ci --ignore-scripts --prefix testdata/github-description"

// ErrNotInstalled says that the description is not there.
var ErrNotInstalled = errors.New("GitHub's description is not installed; run: " + Install)

// Description is GitHub's description, cut to the operations of the emulator. It is not changed after it was loaded.
type Description struct {
	router routers.Router
	schema *ast.Schema
}

// Load reads the description once a process. It looks for it from the working directory upwards.
func Load() (*Description, error) { return load() }

var load = sync.OnceValues(func() (*Description, error) {
	modules, err := findModules()
	if err != nil {
		return nil, err
	}
	router, err := loadOpenAPI(filepath.Join(modules, "openapi", "generated", "api.github.com.json"))
	if err != nil {
		return nil, fmt.Errorf("load the OpenAPI description: %w", err)
	}
	schema, err := loadSchema(filepath.Join(modules, "graphql-schema", "schema.graphql"))
	if err != nil {
		return nil, fmt.Errorf("load the GraphQL schema: %w", err)
	}
	return &Description{router: router, schema: schema}, nil
})

// Schema is GitHub's whole GraphQL schema.
func (description *Description) Schema() *ast.Schema { return description.schema }

// findModules returns the folder of the @octokit packages.
func findModules() (string, error) {
	directory, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(directory, "go.mod")); err == nil {
			modules := filepath.Join(directory, "testdata", "github-description", "node_modules", "@octokit")
			if _, err := os.Stat(modules); err != nil {
				return "", ErrNotInstalled
			}
			return modules, nil
		}
		if directory == filepath.Dir(directory) {
			return "", errors.New("no go.mod above the working directory")
		}
		directory = filepath.Dir(directory)
	}
}

// loadOpenAPI reads the description and keeps the emulator's operations with the components they refer to.
func loadOpenAPI(file string) (routers.Router, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := json.Unmarshal(raw, &document); err != nil {
		return nil, err
	}
	cut, err := json.Marshal(cutTo(document, emulator.Operations()))
	if err != nil {
		return nil, err
	}
	description, err := openapi3.NewLoader().LoadFromData(cut)
	if err != nil {
		return nil, err
	}
	// The description calls this parameter a time; the documentation gives it the syntax of searches, with ranges.
	if created := description.Components.Parameters["created"]; created != nil {
		created.Value.Schema.Value.Format = ""
	}
	if err := description.Validate(context.Background(), openapi3.DisableExamplesValidation()); err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(description)
}

// cutTo keeps the given operations and what they refer to. The parts of a path that hold slashes are written as the
// router wants them.
func cutTo(document map[string]any, operations []emulator.Operation) map[string]any {
	paths, kept := document["paths"].(map[string]any), map[string]any{}
	for _, operation := range operations {
		described, exists := paths[operation.Path].(map[string]any)
		if !exists {
			continue // a request to it is then reported as not described
		}
		key := operation.Path
		for _, rest := range []string{"/contents/{path}", "/git/ref/{ref}", "/branches/{branch}"} {
			if strings.HasSuffix(key, rest) {
				key = strings.TrimSuffix(key, "}") + ":.+}"
			}
		}
		item, started := kept[key].(map[string]any)
		if !started {
			item = map[string]any{}
			kept[key] = item
		}
		method := strings.ToLower(operation.Method)
		item[method] = described[method]
	}
	stripExamples(kept)
	components, used := document["components"].(map[string]any), map[string]any{}
	collect(kept, components, used)
	return map[string]any{"openapi": document["openapi"], "info": document["info"], "paths": kept, "components": used}
}

// collect adds the components that a part of the document refers to, and those they refer to.
func collect(part any, components, used map[string]any) {
	switch part := part.(type) {
	case map[string]any:
		if reference, isReference := part["$ref"].(string); isReference {
			steps := strings.Split(strings.TrimPrefix(reference, "#/components/"), "/")
			group, name := steps[0], steps[1]
			target, started := used[group].(map[string]any)
			if !started {
				target = map[string]any{}
				used[group] = target
			}
			if _, known := target[name]; !known {
				target[name] = components[group].(map[string]any)[name]
				stripExamples(target[name])
				collect(target[name], components, used)
			}
			return
		}
		for _, inner := range part {
			collect(inner, components, used)
		}
	case []any:
		for _, inner := range part {
			collect(inner, components, used)
		}
	}
}

// stripExamples removes what only people read; examples refer to components of their own. A property that is named
// like one is kept.
func stripExamples(part any) {
	object, isObject := part.(map[string]any)
	if !isObject {
		if list, isList := part.([]any); isList {
			for _, inner := range list {
				stripExamples(inner)
			}
		}
		return
	}
	for key, inner := range object {
		if key == "properties" {
			if properties, isObject := inner.(map[string]any); isObject {
				for _, property := range properties {
					stripExamples(property)
				}
			}
			continue
		}
		if key == "examples" || key == "example" || strings.HasPrefix(key, "x-") {
			delete(object, key)
			continue
		}
		stripExamples(inner)
	}
}

// loadSchema reads GitHub's schema. It is published with fields defined twice, of which the second is dropped.
func loadSchema(file string) (*ast.Schema, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	document, err := parser.ParseSchemas(validator.Prelude, &ast.Source{Name: file, Input: string(text)})
	if err != nil {
		return nil, err
	}
	for _, definition := range document.Definitions {
		seen := map[string]bool{}
		var fields ast.FieldList
		for _, field := range definition.Fields {
			if !seen[field.Name] {
				fields = append(fields, field)
			}
			seen[field.Name] = true
		}
		definition.Fields = fields
	}
	return validator.ValidateSchemaDocument(document)
}
