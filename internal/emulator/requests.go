package emulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// largestRequest bounds what is read of a request's body.
const largestRequest = 32 << 20

// call is one request to the API with what is known about who makes it.
type call struct {
	http   *http.Request
	route  *route
	body   []byte
	query  url.Values
	server *Server
	// app is set on operations of an App itself, token on all others.
	app   *App
	token *token
}

// id reads a numeric part of the path.
func (c *call) id(name string) (int64, error) {
	return strconv.ParseInt(c.http.PathValue(name), 10, 64)
}

// pull finds the pull request in the path. Its second value is the refusal when there is none.
func (c *call) pull(name string) (*Pull, answer) {
	number, err := c.id(name)
	if err != nil {
		return nil, notFound()
	}
	pull := c.server.world.pull(int(number))
	if pull == nil {
		return nil, notFound()
	}
	return pull, answer{}
}

// decode reads the body into a struct. Fields that the struct does not name, null, and values of another type are
// refused: GitHub refuses them although its description allows them.
func (c *call) decode(into any) (answer, bool) {
	if len(bytes.TrimSpace(c.body)) == 0 {
		return unprocessable("Invalid request.\n\nFor 'links/0/schema', nil is not an object."), true
	}
	return c.decodeOptional(into)
}

// decodeOptional is decode for an operation whose body may be left out.
func (c *call) decodeOptional(into any) (answer, bool) {
	if len(bytes.TrimSpace(c.body)) == 0 {
		return answer{}, false
	}
	decoder := json.NewDecoder(bytes.NewReader(c.body))
	decoder.UseNumber()
	var document any
	if err := decoder.Decode(&document); err != nil {
		return problem(http.StatusBadRequest, "Problems parsing JSON"), true
	}
	if _, err := decoder.Token(); err != io.EOF {
		return problem(http.StatusBadRequest, "Problems parsing JSON"), true
	}
	if complaint := compareShape(document, reflect.TypeOf(into).Elem(), ""); complaint != "" {
		return unprocessable("Invalid request.\n\n" + complaint), true
	}
	if err := json.Unmarshal(c.body, into); err != nil {
		return unprocessable("Invalid request.\n\n" + err.Error()), true
	}
	return answer{}, false
}

// compareShape holds a decoded document to the type it is for and says what is wrong with it.
func compareShape(document any, shape reflect.Type, where string) string {
	for shape.Kind() == reflect.Pointer {
		shape = shape.Elem()
	}
	wrong := func(want string) string {
		return fmt.Sprintf("For '%s', %s is not %s.", orRoot(where), describe(document), want)
	}
	switch shape.Kind() {
	case reflect.Struct:
		fields, isObject := document.(object)
		if !isObject {
			return wrong("an object")
		}
		known := fieldsOf(shape)
		for _, name := range sortedKeys(fields) {
			field, exists := known[name]
			if !exists {
				return fmt.Sprintf("%q is not a permitted key.", name)
			}
			if complaint := compareShape(fields[name], field.Type, where+"/"+name); complaint != "" {
				return complaint
			}
		}
		for _, name := range sortedKeys(known) {
			if _, given := fields[name]; !given && known[name].Tag.Get("emulator") == "required" {
				return fmt.Sprintf("%q wasn't supplied.", name)
			}
		}
	case reflect.Slice:
		elements, isList := document.([]any)
		if !isList {
			return wrong("an array")
		}
		for i, element := range elements {
			if complaint := compareShape(element, shape.Elem(), fmt.Sprintf("%s/%d", where, i)); complaint != "" {
				return complaint
			}
		}
	case reflect.Map:
		fields, isObject := document.(object)
		if !isObject {
			return wrong("an object")
		}
		for _, name := range sortedKeys(fields) {
			if complaint := compareShape(fields[name], shape.Elem(), where+"/"+name); complaint != "" {
				return complaint
			}
		}
	case reflect.String:
		if _, isString := document.(string); !isString {
			return wrong("a string")
		}
	case reflect.Int, reflect.Int64:
		number, isNumber := document.(json.Number)
		if _, err := strconv.ParseInt(string(number), 10, 64); !isNumber || err != nil {
			return wrong("an integer")
		}
	}
	return ""
}

func describe(document any) string {
	if document == nil {
		return "nil"
	}
	encoded, err := json.Marshal(document)
	if err != nil || len(encoded) > 40 {
		return "the given value"
	}
	return string(encoded)
}

func orRoot(where string) string {
	if where == "" {
		return "links/0/schema"
	}
	return "properties" + where
}

// fieldsOf returns the fields of a struct by their exact JSON name.
func fieldsOf(shape reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for i := range shape.NumField() {
		name, _, _ := strings.Cut(shape.Field(i).Tag.Get("json"), ",")
		fields[name] = shape.Field(i)
	}
	return fields
}

func sortedKeys[V any](fields map[string]V) []string {
	keys := make([]string, 0, len(fields))
	for key := range fields {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// checkQuery refuses parameters the operation does not have, and ones given twice. GitHub ignores them; a client that
// relies on one should not pass.
func (c *call) checkQuery() (answer, bool) {
	for _, name := range sortedKeys(c.query) {
		if !slices.Contains(c.route.query, name) || len(c.query[name]) != 1 {
			return unprocessable(fmt.Sprintf("The emulator refuses the query parameter %q: the operation does not have it, or it is given twice.", name)), true
		}
	}
	for _, name := range []string{"per_page", "page"} {
		if value := c.query.Get(name); c.query.Has(name) {
			if number, err := strconv.Atoi(value); err != nil || number < 1 {
				return unprocessable(fmt.Sprintf("The emulator refuses %s=%q: a whole number from 1 is wanted.", name, value)), true
			}
		}
	}
	return answer{}, false
}
