package schema

import (
	"cmp"
	"errors"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/xeipuuv/gojsonschema"
)

// Error says what is wrong with a document, in words of ours only.
type Error struct {
	// Kind is what the document should be, such as "result/1".
	Kind string
	// Field is where, such as "effects[0].id"; empty for the document as a whole.
	Field string
	// Reason is one clause that never quotes the document.
	Reason string
}

func (e *Error) Error() string {
	if e.Field == "" {
		return e.Kind + ": " + e.Reason
	}
	return e.Kind + ": field " + e.Field + ": " + e.Reason
}

// strict turns the error of strict decoding into one of this package.
func strict(kind string, err error) error {
	var decode *contract.DecodeError
	if errors.As(err, &decode) {
		return &Error{Kind: kind, Field: decode.Field, Reason: decode.Reason}
	}
	return &Error{Kind: kind, Reason: "it cannot be read into its Go type"}
}

// firstOf picks one of the validator's findings, the same one every time: that of the deepest field, then by field and rule.
func firstOf(kind string, found []gojsonschema.ResultError) error {
	if len(found) == 0 {
		return nil
	}
	errs := make([]*Error, 0, len(found))
	for _, one := range found {
		errs = append(errs, &Error{Kind: kind, Field: fieldOf(one), Reason: reasonOf(one)})
	}
	return slices.MinFunc(errs, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(depth(b.Field), depth(a.Field)), cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Reason, b.Reason))
	})
}

func depth(field string) int { return strings.Count(field, ".") + strings.Count(field, "[") }

// rank puts the sentence that says nothing of its own behind the others.
func rank(e *Error) int {
	if e.Reason == reasonForms || e.Reason == reasonCondition {
		return 1
	}
	return 0
}

const (
	reasonForms     = "none of the forms it may have"
	reasonCondition = "it does not go together with another field"
)

// fieldOf writes the validator's context, "(root).effects.0.id", as "effects[0].id". Keys that are not plain are not named.
func fieldOf(found gojsonschema.ResultError) string {
	path := strings.Split(found.Context().String(), ".")[1:]
	if property, ok := found.Details()["property"].(string); ok {
		path = append(path, property)
	}
	var field strings.Builder
	for _, step := range path {
		if _, err := strconv.Atoi(step); err == nil {
			field.WriteString("[" + step + "]")
			continue
		}
		if !contract.PlainKey(step) {
			step = "(unprintable key)"
		}
		if field.Len() > 0 {
			field.WriteByte('.')
		}
		field.WriteString(step)
	}
	return field.String()
}

// reasonOf says in our words what the validator found.
func reasonOf(found gojsonschema.ResultError) string {
	limit := func(key string) string {
		switch n := found.Details()[key].(type) {
		case int:
			return strconv.Itoa(n)
		case *big.Float:
			return n.Text('f', 0)
		}
		return "allowed"
	}
	switch found.Type() {
	case "required":
		return "a required field is missing"
	case "additional_property_not_allowed":
		return "an unknown field"
	case "invalid_type":
		return "not of the type it must have"
	case "enum", "const":
		return "not one of the values it may have"
	case "pattern":
		return "not of the form it must have"
	case "invalid_property_name":
		return "a key is not of the form it must have"
	case "string_gte":
		return "shorter than " + limit("min") + " characters"
	case "string_lte":
		return "longer than " + limit("max") + " characters"
	case "array_min_items":
		return "fewer than " + limit("min") + " entries"
	case "array_max_items":
		return "more than " + limit("max") + " entries"
	case "unique":
		return "an entry stands twice"
	case "number_gte":
		return "less than " + limit("min")
	case "number_lte":
		return "more than " + limit("max")
	case "number_any_of", "number_one_of":
		return reasonForms
	case "condition_then", "condition_else", "number_all_of":
		return reasonCondition
	}
	return "against a rule of its schema"
}
