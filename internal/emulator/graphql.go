package emulator

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

//go:embed schema.graphql
var schemaText string

// schema is the parsed cut of GitHub's schema.
var schema = sync.OnceValue(func() *ast.Schema {
	return gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphql", Input: schemaText})
})

// Schema is the cut of GitHub's schema that the emulator executes.
func Schema() *ast.Schema { return schema() }

// mostNodes is how many nodes a query may answer with at most, by the sizes of its pages.
const mostNodes = 500_000

// value is an object of GraphQL: its type, and its fields by name. A field is a value, or a function of the field's
// arguments.
type value struct {
	typeName string
	fields   map[string]any
}

// compute is a field that is made when it is asked for.
type compute = func(arguments map[string]any) (any, *graphError)

// graphError is an entry of the errors that GitHub answers with status 200. Its field is null in the data.
type graphError struct {
	Type       string         `json:"type,omitempty"`
	Path       []any          `json:"path,omitempty"`
	Extensions map[string]any `json:"extensions,omitempty"`
	Locations  []position     `json:"locations,omitempty"`
	Message    string         `json:"message"`
}

type position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

func forbidden() *graphError {
	return &graphError{Type: "FORBIDDEN", Message: "Resource not accessible by integration"}
}

func unresolved(kind, what string) *graphError {
	return &graphError{Type: "NOT_FOUND", Message: fmt.Sprintf("Could not resolve to a %s with the %s.", kind, what)}
}

// graphqlRequest is the body of POST /graphql.
type graphqlRequest struct {
	query         string
	operationName string
	variables     map[string]any
}

// graphql executes a document.
func (server *Server) graphql(c *call) answer {
	asked, complaint := readGraphQLRequest(c.body)
	if complaint != "" {
		return problem(http.StatusBadRequest, complaint)
	}
	refuse := func(errors gqlerror.List) answer {
		var listed []*graphError
		for _, e := range errors {
			listed = append(listed, &graphError{Message: e.Message, Locations: places(e.Locations), Extensions: e.Extensions})
		}
		return ok(object{"errors": listed})
	}
	document, errors := gqlparser.LoadQueryWithRules(schema(), asked.query, rules.NewDefaultRules())
	if len(errors) > 0 {
		return refuse(errors)
	}
	operation := document.Operations.ForName(asked.operationName)
	if operation == nil {
		return refuse(gqlerror.List{gqlerror.Errorf("No operation named %q", asked.operationName)})
	}
	variables, err := validator.VariableValues(schema(), operation, asked.variables)
	if err != nil {
		return refuse(gqlerror.List{gqlerror.Wrap(err)})
	}
	execution := execution{server: server, variables: variables}
	execution.checkPages(operation.SelectionSet, 1, nil)
	if len(execution.errors) > 0 {
		return ok(object{"errors": execution.errors})
	}
	root := server.queryRoot(c)
	if operation.Operation == ast.Mutation {
		root = server.mutationRoot(c)
	}
	body := object{"data": execution.object(operation.SelectionSet, root, nil)}
	if len(execution.errors) > 0 {
		body["errors"] = execution.errors
	}
	return ok(body)
}

func readGraphQLRequest(body []byte) (graphqlRequest, string) {
	var document map[string]json.RawMessage
	var asked graphqlRequest
	if json.Unmarshal(body, &document) != nil {
		return asked, "Problems parsing JSON"
	}
	for name, raw := range document {
		var err error
		switch name {
		case "query":
			err = json.Unmarshal(raw, &asked.query)
		case "operationName":
			err = json.Unmarshal(raw, &asked.operationName)
		case "variables":
			decoder := json.NewDecoder(strings.NewReader(string(raw)))
			decoder.UseNumber()
			err = decoder.Decode(&asked.variables)
		default:
			return asked, fmt.Sprintf("%q is not a permitted key.", name)
		}
		if err != nil {
			return asked, "Problems parsing JSON"
		}
	}
	if asked.query == "" {
		return asked, "A query attribute must be specified and must be a string."
	}
	return asked, ""
}

func places(locations []gqlerror.Location) []position {
	var positions []position
	for _, location := range locations {
		positions = append(positions, position{location.Line, location.Column})
	}
	return positions
}

// execution is one document being executed.
type execution struct {
	server    *Server
	variables map[string]any
	errors    []*graphError
}

// object executes a selection on an object and returns the answer's object. A failed field is null.
func (e *execution) object(selection ast.SelectionSet, on value, path []any) object {
	result := object{}
	for _, field := range e.collect(selection, on.typeName, nil) {
		at := append(append([]any{}, path...), field.Alias)
		resolved, failure := e.resolve(field, on)
		if failure != nil {
			failure.Path = at
			failure.Locations = []position{{field.Position.Line, field.Position.Column}}
			e.errors = append(e.errors, failure)
			resolved = nil
		}
		result[field.Alias] = e.complete(field.SelectionSet, resolved, at)
	}
	return result
}

func (e *execution) resolve(field *ast.Field, on value) (any, *graphError) {
	if field.Name == "__typename" {
		return on.typeName, nil
	}
	resolved, exists := on.fields[field.Name]
	if !exists {
		panic("the emulator's " + on.typeName + " lacks the field " + field.Name)
	}
	if make, isComputed := resolved.(compute); isComputed {
		return make(field.ArgumentMap(e.variables))
	}
	return resolved, nil
}

// complete turns a resolved field into its answer.
func (e *execution) complete(selection ast.SelectionSet, resolved any, path []any) any {
	switch resolved := resolved.(type) {
	case value:
		return e.object(selection, resolved, path)
	case []value:
		list := []any{}
		for i, element := range resolved {
			list = append(list, e.object(selection, element, append(append([]any{}, path...), i)))
		}
		return list
	}
	return resolved
}

// collect lists the fields of a selection that apply to a type, those with one response name merged.
func (e *execution) collect(selection ast.SelectionSet, typeName string, into []*ast.Field) []*ast.Field {
	for _, selected := range selection {
		switch selected := selected.(type) {
		case *ast.Field:
			if !e.included(selected.Directives) {
				continue
			}
			merged := false
			for i, earlier := range into {
				if earlier.Alias == selected.Alias {
					both := *earlier
					both.SelectionSet = append(append(ast.SelectionSet{}, earlier.SelectionSet...), selected.SelectionSet...)
					into[i], merged = &both, true
				}
			}
			if !merged {
				into = append(into, selected)
			}
		case *ast.InlineFragment:
			if e.included(selected.Directives) && isA(typeName, selected.TypeCondition) {
				into = e.collect(selected.SelectionSet, typeName, into)
			}
		case *ast.FragmentSpread:
			if e.included(selected.Directives) && isA(typeName, selected.Definition.TypeCondition) {
				into = e.collect(selected.Definition.SelectionSet, typeName, into)
			}
		}
	}
	return into
}

// included evaluates skip and include.
func (e *execution) included(directives ast.DirectiveList) bool {
	if skip := directives.ForName("skip"); skip != nil && skip.ArgumentMap(e.variables)["if"] == true {
		return false
	}
	include := directives.ForName("include")
	return include == nil || include.ArgumentMap(e.variables)["if"] == true
}

// isA says whether an object of a type is of an interface, a union or the type itself.
func isA(typeName, condition string) bool {
	if condition == "" || condition == typeName {
		return true
	}
	for _, possible := range schema().GetPossibleTypes(schema().Types[condition]) {
		if possible.Name == typeName {
			return true
		}
	}
	return false
}

// checkPages refuses connections without first or last, pages over the limit, and queries that could answer with too
// many nodes.
func (e *execution) checkPages(selection ast.SelectionSet, nodes int, path []any) {
	for _, selected := range selection {
		switch selected := selected.(type) {
		case *ast.InlineFragment:
			e.checkPages(selected.SelectionSet, nodes, path)
		case *ast.FragmentSpread:
			e.checkPages(selected.Definition.SelectionSet, nodes, path)
		case *ast.Field:
			at := append(append([]any{}, path...), selected.Alias)
			below := nodes
			if selected.Definition != nil && strings.HasSuffix(selected.Definition.Type.Name(), "Connection") {
				size, complaint := pageSize(selected.Name, selected.ArgumentMap(e.variables))
				below *= size
				if complaint == nil && below > mostNodes {
					complaint = &graphError{Type: "MAX_NODE_LIMIT_EXCEEDED", Message: fmt.Sprintf("This query requests up to %d possible nodes which exceeds the maximum limit of %d.", below, mostNodes)}
				}
				if complaint != nil {
					complaint.Path, complaint.Locations = at, []position{{selected.Position.Line, selected.Position.Column}}
					e.errors = append(e.errors, complaint)
					continue
				}
			}
			e.checkPages(selected.SelectionSet, below, at)
		}
	}
}

// pageSize reads first or last, of which exactly one is needed.
func pageSize(connection string, arguments map[string]any) (int, *graphError) {
	first, hasFirst := whole(arguments["first"])
	last, hasLast := whole(arguments["last"])
	if hasFirst == hasLast {
		return 0, &graphError{Type: "MISSING_PAGINATION_BOUNDARIES", Message: fmt.Sprintf("You must provide a `first` or `last` value to properly paginate the `%s` connection.", connection)}
	}
	size := first + last
	if size < 0 || size > largestPage {
		return 0, &graphError{Type: "EXCESSIVE_PAGINATION", Message: fmt.Sprintf("Requesting %d records on the `%s` connection exceeds the limit of %d records.", size, connection, largestPage)}
	}
	return size, nil
}

// whole reads an Int argument, which a variable gives as a JSON number.
func whole(argument any) (int, bool) {
	switch argument := argument.(type) {
	case int64:
		return int(argument), true
	case int:
		return argument, true
	case float64:
		return int(argument), true
	case json.Number:
		number, err := argument.Int64()
		return int(number), err == nil
	}
	return 0, false
}
