package contract

import (
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// Decode reads one record strictly into a pointer to a record type: no duplicate, unknown or missing key, no trailing data,
// nothing of [parse]'s list. A null is accepted only where the Go field is a pointer. It checks shapes only; patterns,
// lengths and closed sets are the schema's (package schema). The error is a [*DecodeError].
func Decode(data []byte, record any) error {
	v, err := parse(data)
	if err != nil {
		return err
	}
	if err := assign(v, reflect.ValueOf(record).Elem(), ""); err != nil {
		return err
	}
	return nil
}

// union is a record type whose members depend on one of them.
type union interface {
	// variant returns the struct that the document's members are read into, and a function that takes it over.
	variant(members func(key string) (string, bool)) (target any, adopt func())
	// members returns the struct whose members are written.
	members() any
}

var (
	textType  = reflect.TypeFor[untrusted.Text]()
	timeType  = reflect.TypeFor[Time]()
	unionType = reflect.TypeFor[union]()
)

func assign(v value, into reflect.Value, field string) *DecodeError {
	if into.Kind() == reflect.Pointer {
		if v == nil {
			into.SetZero()
			return nil
		}
		into.Set(reflect.New(into.Type().Elem()))
		return assign(v, into.Elem(), field)
	}
	if v == nil {
		return fault(field, "null where a value is required")
	}
	switch into.Type() {
	case textType:
		s, ok := v.(string)
		if !ok {
			return fault(field, "not a string")
		}
		into.Set(reflect.ValueOf(untrusted.New(s)))
		return nil
	case timeType:
		s, ok := v.(string)
		if !ok {
			return fault(field, "not a string")
		}
		t, err := ParseTime(s)
		if err != nil {
			return fault(field, "not a time of the form 2006-01-02T15:04:05Z")
		}
		into.Set(reflect.ValueOf(t))
		return nil
	}
	switch into.Kind() {
	case reflect.String:
		s, ok := v.(string)
		if !ok {
			return fault(field, "not a string")
		}
		into.SetString(s)
	case reflect.Bool:
		b, ok := v.(bool)
		if !ok {
			return fault(field, "not a boolean")
		}
		into.SetBool(b)
	case reflect.Int, reflect.Int64:
		n, ok := v.(int64)
		if !ok {
			return fault(field, "not an integer")
		}
		into.SetInt(n)
	case reflect.Slice:
		list, ok := v.([]value)
		if !ok {
			return fault(field, "not a list")
		}
		into.Set(reflect.MakeSlice(into.Type(), len(list), len(list)))
		for i, item := range list {
			if err := assign(item, into.Index(i), fmt.Sprintf("%s[%d]", field, i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		o, ok := v.(*object)
		if !ok {
			return fault(field, "not an object")
		}
		into.Set(reflect.MakeMapWithSize(into.Type(), len(o.keys)))
		for _, key := range o.keys {
			item := reflect.New(into.Type().Elem()).Elem()
			if err := assign(o.values[key], item, join(field, key)); err != nil {
				return err
			}
			into.SetMapIndex(reflect.ValueOf(key).Convert(into.Type().Key()), item)
		}
	case reflect.Struct:
		o, ok := v.(*object)
		if !ok {
			return fault(field, "not an object")
		}
		if into.Addr().Type().Implements(unionType) {
			target, adopt := into.Addr().Interface().(union).variant(func(key string) (string, bool) {
				member, ok := o.values[key]
				text, _ := member.(string)
				return text, ok
			})
			if target == nil {
				return fault(field, "none of the forms it may have")
			}
			if err := members(o, reflect.ValueOf(target).Elem(), field); err != nil {
				return err
			}
			adopt()
			return nil
		}
		return members(o, into, field)
	default:
		return fault(field, "a Go field of kind %s cannot hold a record's value", into.Kind())
	}
	return nil
}

// members reads an object's members into a struct: each of its fields must be there, but those that came after the first
// version of the record, which are marked omitempty; and nothing else.
func members(o *object, into reflect.Value, field string) *DecodeError {
	fields := fieldsOf(into)
	for _, key := range o.keys {
		if _, ok := fields[key]; !ok {
			return fault(join(field, key), "an unknown field")
		}
	}
	for _, name := range fieldNames(into.Type()) {
		v, ok := o.values[name]
		if !ok && fields[name].optional {
			continue
		}
		if !ok {
			return fault(join(field, name), "a required field is missing")
		}
		if err := assign(v, fields[name].value, join(field, name)); err != nil {
			return err
		}
	}
	return nil
}

func fieldNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous {
			names = append(names, fieldNames(f.Type)...)
		} else if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// structField is a field that a member of an object is read into or written from.
type structField struct {
	value    reflect.Value
	optional bool // absent from the document where it is empty
}

func fieldsOf(v reflect.Value) map[string]structField {
	fields := map[string]structField{}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Anonymous {
			for name, inner := range fieldsOf(v.Field(i)) {
				fields[name] = inner
			}
		} else if name, option, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			fields[name] = structField{value: v.Field(i), optional: option == "omitempty"}
		}
	}
	return fields
}

// encode is the inverse of assign.
func encode(v reflect.Value, field string, depth int) (value, *DecodeError) {
	if depth > MaxNesting {
		return nil, fault(field, "nested deeper than %d", MaxNesting)
	}
	if !v.IsValid() {
		return nil, nil
	}
	if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil, nil
		}
		return encode(v.Elem(), field, depth)
	}
	switch v.Type() {
	case textType:
		return text(v.Interface().(untrusted.Text).Raw(), field)
	case timeType:
		return v.Interface().(Time).String(), nil
	}
	switch v.Kind() {
	case reflect.String:
		return text(v.String(), field)
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.Int, reflect.Int64:
		if n := v.Int(); n <= MaxInteger && n >= -MaxInteger {
			return n, nil
		}
		return nil, fault(field, "an integer beyond 2^53")
	case reflect.Slice:
		list := make([]value, v.Len())
		for i := range list {
			item, err := encode(v.Index(i), fmt.Sprintf("%s[%d]", field, i), depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = item
		}
		return list, nil
	case reflect.Map:
		o := newObject()
		for _, key := range v.MapKeys() {
			item, err := encode(v.MapIndex(key), join(field, key.String()), depth+1)
			if err != nil {
				return nil, err
			}
			o.set(key.String(), item)
		}
		return o, nil
	case reflect.Struct:
		if v.CanAddr() || reflect.PointerTo(v.Type()).Implements(unionType) {
			addressed := reflect.New(v.Type())
			addressed.Elem().Set(v)
			if u, ok := addressed.Interface().(union); ok {
				target := u.members()
				if target == nil {
					return nil, fault(field, "none of the forms it may have")
				}
				return encode(reflect.ValueOf(target), field, depth)
			}
		}
		o := newObject()
		fields := fieldsOf(v)
		for _, name := range fieldNames(v.Type()) {
			if fields[name].optional && fields[name].value.IsZero() {
				continue
			}
			item, err := encode(fields[name].value, join(field, name), depth+1)
			if err != nil {
				return nil, err
			}
			o.set(name, item)
		}
		return o, nil
	}
	return nil, fault(field, "a Go value of kind %s is not part of a record", v.Kind())
}

func text(s, field string) (value, *DecodeError) {
	if !utf8.ValidString(s) {
		return nil, fault(field, "not UTF-8")
	}
	return s, nil
}

// Time is a moment in UTC at whole seconds, written 2006-01-02T15:04:05Z.
type Time struct{ at time.Time }

const timeForm = "2006-01-02T15:04:05Z"

// At returns the moment cut to whole seconds in UTC.
func At(t time.Time) Time { return Time{at: t.UTC().Truncate(time.Second)} }

// ParseTime reads the one form a [Time] is written in.
func ParseTime(s string) (Time, error) {
	t, err := time.Parse(timeForm, s)
	if err != nil || t.Format(timeForm) != s { // Parse takes a fraction that no layout names
		return Time{}, fmt.Errorf("not a time of the form %s", timeForm)
	}
	return Time{at: t.UTC()}, nil
}

// Std returns the moment as the standard library's type.
func (t Time) Std() time.Time { return t.at }

// IsZero reports whether the time was never set.
func (t Time) IsZero() bool { return t.at.IsZero() }

// Before reports whether t is earlier than u; After whether it is later.
func (t Time) Before(u Time) bool { return t.at.Before(u.at) }

// After reports whether t is later than u.
func (t Time) After(u Time) bool { return t.at.After(u.at) }

// Equal reports whether both are the same second.
func (t Time) Equal(u Time) bool { return t.at.Equal(u.at) }

func (t Time) String() string { return t.at.UTC().Format(timeForm) }
