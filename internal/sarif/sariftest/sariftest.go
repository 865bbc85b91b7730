// Package sariftest holds documents to the JSON Schema of SARIF 2.1.0 that OASIS publishes, for tests.
package sariftest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// Validate holds one document to the schema. It is read into the library's own types first, with an empty list for each that is
// left out, so a member that SARIF does not know is looked for before.
func Validate(document []byte) error {
	if !testing.Testing() {
		return errors.New("the schema is held in tests alone")
	}
	report, err := sarif.FromBytes(document)
	if err != nil {
		return fmt.Errorf("it is not read as SARIF: %w", err)
	}
	if err := report.Validate(); err != nil {
		return fmt.Errorf("against the schema of SARIF: %w", err)
	}
	again, err := json.Marshal(report)
	if err != nil {
		return err
	}
	var before, after any
	if err := errors.Join(json.Unmarshal(document, &before), json.Unmarshal(again, &after)); err != nil {
		return err
	}
	return known(before, after, "")
}

// known reports a member of a document that was lost when it was read into the types.
func known(before, after any, at string) error {
	switch before := before.(type) {
	case map[string]any:
		kept, ok := after.(map[string]any)
		for name, member := range before {
			if _, there := kept[name]; !ok || !there {
				return fmt.Errorf("%s.%s is nothing that SARIF knows", at, name)
			}
			if err := known(member, kept[name], at+"."+name); err != nil {
				return err
			}
		}
	case []any:
		kept, ok := after.([]any)
		if !ok || len(kept) != len(before) {
			return fmt.Errorf("%s is another list when it is read", at)
		}
		for n, member := range before {
			if err := known(member, kept[n], fmt.Sprintf("%s[%d]", at, n)); err != nil {
				return err
			}
		}
	default:
		one, err := json.Marshal(before)
		other, fault := json.Marshal(after)
		if err != nil || fault != nil || !bytes.Equal(one, other) {
			return fmt.Errorf("%s is %s, and %s when it is read", strings.TrimPrefix(at, "."), one, other)
		}
	}
	return nil
}
