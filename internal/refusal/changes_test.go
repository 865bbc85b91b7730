package refusal_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// changes lists what differs between two worlds, one field a line. The digest of a Task that follows from a changed bundle is
// left out.
func changes(t *testing.T, before, after *world) []string {
	t.Helper()
	var lines []string
	compare := func(name string, was, is any) {
		lines = append(lines, difference(name, document(t, was), document(t, is))...)
	}
	if after.bytes != nil {
		lines = append(lines, "result.json is "+short(string(after.bytes)))
	}
	if after.Missing != "" {
		lines = append(lines, "there is no result.json: "+string(after.Missing))
	}
	b, a := before.Bundle, after.Bundle
	result := after.Result
	if _, digest := after.task(); result.Task == digest {
		result.Task = before.Result.Task
	}
	compare("result", before.Result, result)
	compare("decision", b.Decision, a.Decision)
	compare("facts", b.Facts, a.Facts)
	compare("facts now", before.Fresh, after.Fresh)
	compare("policy", b.Policy, a.Policy)
	compare("policy now", before.Policy, after.Policy)
	compare("role", b.Role, a.Role)
	compare("apps", b.Apps, a.Apps)
	compare("harness", b.Harness, a.Harness)
	compare("release of this program", before.Release, after.Release)
	if before.evals != after.evals {
		lines = append(lines, "the eval set is not there")
	}
	if !bytes.Equal(b.Diff, a.Diff) {
		lines = append(lines, "diff.patch is "+short(string(a.Diff)))
	}
	return lines
}

func document(t *testing.T, record any) any {
	t.Helper()
	data, err := contract.Canonical(record)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func difference(path string, was, is any) []string {
	var lines []string
	switch is := is.(type) {
	case map[string]any:
		was, ok := was.(map[string]any)
		if !ok {
			break
		}
		for _, key := range slices.Sorted(maps.Keys(is)) {
			lines = append(lines, difference(path+"."+key, was[key], is[key])...)
		}
		return lines
	case []any:
		was, ok := was.([]any)
		if !ok {
			break
		}
		for i := range max(len(was), len(is)) {
			at := fmt.Sprintf("%s[%d]", path, i)
			switch {
			case i >= len(is):
				lines = append(lines, at+" is taken out")
			case i >= len(was):
				if i >= len(was)+3 {
					return append(lines, fmt.Sprintf("%s and %d more are added", at, len(is)-i-1))
				}
				lines = append(lines, at+" is added: "+value(is[i]))
			default:
				lines = append(lines, difference(at, was[i], is[i])...)
			}
		}
		return lines
	}
	if value(was) == value(is) && whole(was) == whole(is) {
		return nil
	}
	return []string{path + ": " + value(was) + " -> " + value(is)}
}

// whole is a scalar whole, for which value may show only a part.
func whole(scalar any) string { return fmt.Sprint(scalar) }

func value(v any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(there(v)); err != nil {
		return err.Error()
	}
	return cut(untrusted.VisibleLine(untrusted.New(string(bytes.TrimSpace(out.Bytes())))))
}

// there leaves out of an object what it says is not there.
func there(v any) any {
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	kept := map[string]any{}
	for key, value := range object {
		if value != nil {
			kept[key] = there(value)
		}
	}
	return kept
}

func short(s string) string { return cut(fmt.Sprintf("%q", s)) }

// cut keeps a line readable.
func cut(line string) string {
	const most = 160
	line = strings.ReplaceAll(line, token, "(a token)") // a file with the shape of one would be taken for a leak
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	runes := []rune(line)
	return string(runes[:most]) + "…"
}
