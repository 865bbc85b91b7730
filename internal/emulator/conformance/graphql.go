package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// checkGraphQL holds a document to GitHub's schema, and the answer's data to the document.
func (description *Description) checkGraphQL(body []byte, status int, header http.Header, answer []byte) []string {
	var asked struct {
		Query         string         `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     map[string]any `json:"variables"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return []string{"request: " + err.Error()}
	}
	document, errors := gqlparser.LoadQueryWithRules(description.schema, asked.Query, rules.NewDefaultRules())
	if len(errors) > 0 {
		return []string{"request: " + errors.Error()}
	}
	operation := document.Operations.ForName(asked.OperationName)
	if operation == nil {
		return []string{"request: no such operation"}
	}
	variables, err := validator.VariableValues(description.schema, operation, asked.Variables)
	if err != nil {
		return []string{"request: " + err.Error()}
	}
	if status != http.StatusOK || header.Get(emulator.FaultHeader) != "" {
		return nil
	}
	var given struct {
		Data   map[string]any   `json:"data"`
		Errors []map[string]any `json:"errors"`
	}
	if err := json.Unmarshal(answer, &given); err != nil {
		return []string{"answer: " + err.Error()}
	}
	if given.Data == nil {
		if len(given.Errors) == 0 {
			return []string{"answer: neither data nor errors"}
		}
		return nil
	}
	walk := walker{schema: description.schema, variables: variables, nulls: map[string]bool{}}
	for _, failure := range given.Errors {
		walk.nulls[pathText(failure["path"])] = true
	}
	root := description.schema.Query
	if operation.Operation == ast.Mutation {
		root = description.schema.Mutation
	}
	walk.object(operation.SelectionSet, root, given.Data, "")
	return walk.complaints
}

func pathText(path any) string {
	text := ""
	steps, _ := path.([]any)
	for _, step := range steps {
		text += "/" + fmt.Sprint(step)
	}
	return text
}

// walker compares data with the selection it answers: types, and what may be null.
type walker struct {
	schema     *ast.Schema
	variables  map[string]any
	nulls      map[string]bool
	complaints []string
}

func (w *walker) complain(at, format string, arguments ...any) {
	w.complaints = append(w.complaints, "answer: "+at+": "+fmt.Sprintf(format, arguments...))
}

// object checks an object of a type that may be abstract.
func (w *walker) object(selection ast.SelectionSet, definition *ast.Definition, data map[string]any, at string) {
	concrete := definition
	if definition.IsAbstractType() {
		name, asked := data["__typename"].(string)
		if !asked { // without its name the type is one whose fields are all there
			name = w.guess(selection, definition, data)
		}
		concrete = w.schema.Types[name]
		if concrete == nil || !slices.Contains(w.schema.GetPossibleTypes(definition), concrete) {
			w.complain(at, "no type of %s fits", definition.Name)
			return
		}
	}
	expected := map[string]bool{}
	w.fields(selection, concrete, func(field *ast.Field) {
		expected[field.Alias] = true
		value, exists := data[field.Alias]
		switch {
		case !exists:
			w.complain(at, "field %s is missing", field.Alias)
		case field.Name == "__typename":
			if value != concrete.Name {
				w.complain(at, "__typename is %v, want %s", value, concrete.Name)
			}
		default:
			w.value(field.SelectionSet, concrete.Fields.ForName(field.Name).Type, value, at+"/"+field.Alias)
		}
	})
	for name := range data {
		if !expected[name] {
			w.complain(at, "field %s was not asked for", name)
		}
	}
}

// guess finds a possible type whose selected fields are exactly those of the data.
func (w *walker) guess(selection ast.SelectionSet, definition *ast.Definition, data map[string]any) string {
	for _, possible := range w.schema.GetPossibleTypes(definition) {
		names := map[string]bool{}
		w.fields(selection, possible, func(field *ast.Field) { names[field.Alias] = true })
		fits := len(names) == len(data)
		for name := range data {
			fits = fits && names[name]
		}
		if fits {
			return possible.Name
		}
	}
	return ""
}

// fields calls for each field of a selection that applies to a type.
func (w *walker) fields(selection ast.SelectionSet, definition *ast.Definition, do func(*ast.Field)) {
	applies := func(condition string) bool {
		return condition == "" || condition == definition.Name || slices.Contains(w.schema.GetPossibleTypes(w.schema.Types[condition]), definition)
	}
	included := func(directives ast.DirectiveList) bool {
		skip, include := directives.ForName("skip"), directives.ForName("include")
		return (skip == nil || skip.ArgumentMap(w.variables)["if"] != true) && (include == nil || include.ArgumentMap(w.variables)["if"] == true)
	}
	for _, selected := range selection {
		switch selected := selected.(type) {
		case *ast.Field:
			if included(selected.Directives) {
				do(selected)
			}
		case *ast.InlineFragment:
			if included(selected.Directives) && applies(selected.TypeCondition) {
				w.fields(selected.SelectionSet, definition, do)
			}
		case *ast.FragmentSpread:
			if included(selected.Directives) && applies(selected.Definition.TypeCondition) {
				w.fields(selected.Definition.SelectionSet, definition, do)
			}
		}
	}
}

// value checks one value of a type.
func (w *walker) value(selection ast.SelectionSet, wanted *ast.Type, value any, at string) {
	if value == nil {
		if wanted.NonNull && !w.nulls[at] {
			w.complain(at, "is null, but %s is not", wanted)
		}
		return
	}
	if wanted.Elem != nil {
		list, isList := value.([]any)
		if !isList {
			w.complain(at, "is no list")
			return
		}
		for i, element := range list {
			w.value(selection, wanted.Elem, element, fmt.Sprintf("%s/%d", at, i))
		}
		return
	}
	definition := w.schema.Types[wanted.NamedType]
	fits := true
	switch {
	case definition.IsCompositeType():
		object, isObject := value.(map[string]any)
		if isObject {
			w.object(selection, definition, object, at)
			return
		}
		fits = false
	case definition.Kind == ast.Enum:
		name, isString := value.(string)
		fits = isString && definition.EnumValues.ForName(name) != nil
	case wanted.NamedType == "Int":
		number, isNumber := value.(float64)
		fits = isNumber && number == float64(int32(number))
	case wanted.NamedType == "Float":
		_, fits = value.(float64)
	case wanted.NamedType == "Boolean":
		_, fits = value.(bool)
	case wanted.NamedType == "DateTime":
		text, isString := value.(string)
		fits = isString && strings.HasSuffix(text, "Z")
	default: // String, ID and GitHub's own scalars are strings
		_, fits = value.(string)
	}
	if !fits {
		w.complain(at, "%v is no %s", value, wanted)
	}
}
