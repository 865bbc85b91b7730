package mutants

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Report is what --json prints: mutants/1. Fields are only ever added.
type Report struct {
	Schema   string    `json:"schema"`
	Killed   int       `json:"killed"`
	Survived int       `json:"survived"`
	Faulty   int       `json:"faulty"`
	Mutants  []Outcome `json:"mutants"`
}

// ReportOf counts outcomes.
func ReportOf(outcomes []Outcome) Report {
	r := Report{Schema: "mutants/1", Mutants: outcomes}
	if r.Mutants == nil {
		r.Mutants = []Outcome{}
	}
	for _, o := range outcomes {
		switch o.State {
		case Killed:
			r.Killed++
		case Survived:
			r.Survived++
		default:
			r.Faulty++
		}
	}
	return r
}

// ExitCode is 0 where every mutant was killed, 1 where one survived and nothing is wrong with the others, else 2.
func (r Report) ExitCode() int {
	switch {
	case r.Faulty > 0:
		return 2
	case r.Survived > 0:
		return 1
	}
	return 0
}

// JSON writes the report as one object.
func (r Report) JSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// Text names every mutant that was not killed, and counts.
func (r Report) Text(w io.Writer) error {
	var out strings.Builder
	for _, o := range r.Mutants {
		if o.State == Killed {
			continue
		}
		fmt.Fprintf(&out, "%s %s\n", o.State, o.Mutant)
		if detail := strings.TrimSpace(o.Detail); detail != "" {
			fmt.Fprintf(&out, "    %s\n", strings.ReplaceAll(last(detail, 20), "\n", "\n    "))
		}
	}
	fmt.Fprintf(&out, "%d mutants: %d killed, %d survived, %d faulty\n", len(r.Mutants), r.Killed, r.Survived, r.Faulty)
	_, err := io.WriteString(w, out.String())
	return err
}

// last keeps the last lines of a text.
func last(text string, count int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}
