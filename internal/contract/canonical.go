package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Canonical returns the canonical bytes of a record: RFC 8785 over objects, arrays, strings, integers, booleans and null,
// with one newline at the end. It fails for a Go value that is not a record: a float, an integer beyond [MaxInteger], a
// string that is not UTF-8 or nesting beyond [MaxNesting].
func Canonical(record any) ([]byte, error) {
	v, err := encode(reflect.ValueOf(record), "", 0)
	if err != nil {
		return nil, fmt.Errorf("write %T in canonical form: %w", record, err)
	}
	return append(appendCanonical(nil, v), '\n'), nil
}

// Canonicalize returns the canonical form of a JSON document, which is read as strictly as a record is.
func Canonicalize(document []byte) ([]byte, error) {
	v, err := parse(document)
	if err != nil {
		return nil, err
	}
	return append(appendCanonical(nil, v), '\n'), nil
}

// Digest returns "sha256:" and the 64 lower-case hexadecimal digits of the sha256 of the bytes.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// DigestOf returns the digest of a record's canonical bytes.
func DigestOf(record any) (string, error) {
	data, err := Canonical(record)
	if err != nil {
		return "", err
	}
	return Digest(data), nil
}

func appendCanonical(out []byte, v value) []byte {
	switch v := v.(type) {
	case nil:
		return append(out, "null"...)
	case bool:
		return strconv.AppendBool(out, v)
	case int64:
		return strconv.AppendInt(out, v, 10)
	case string:
		return appendString(out, v)
	case []value:
		out = append(out, '[')
		for i, item := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendCanonical(out, item)
		}
		return append(out, ']')
	case *object:
		keys := slices.Clone(v.keys)
		slices.SortFunc(keys, compareUTF16)
		out = append(out, '{')
		for i, key := range keys {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendString(out, key), ':')
			out = appendCanonical(out, v.values[key])
		}
		return append(out, '}')
	}
	panic(fmt.Sprintf("contract: %T is not a parsed value", v))
}

// compareUTF16 orders keys as RFC 8785 section 3.2.3 does, by their UTF-16 code units. Of ASCII those are its bytes.
func compareUTF16(a, b string) int {
	if isASCII(a) && isASCII(b) {
		return strings.Compare(a, b)
	}
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

func isASCII(s string) bool {
	for at := range len(s) {
		if s[at] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\b':
			out = append(out, `\b`...)
		case '\f':
			out = append(out, `\f`...)
		case '\n':
			out = append(out, `\n`...)
		case '\r':
			out = append(out, `\r`...)
		case '\t':
			out = append(out, `\t`...)
		default:
			if c < 0x20 {
				out = append(out, fmt.Sprintf(`\u%04x`, c)...)
			} else {
				out = append(out, c)
			}
		}
	}
	return append(out, '"')
}
