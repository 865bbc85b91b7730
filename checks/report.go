package checks

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// WriteText writes a report for a person: for each finding one line `file:line:column: message [rule]` in the form that
// editors and grep know, then the further places it rests on, indented. Text from the files is printed with its control
// characters escaped, so a name in a workflow cannot start a line of its own.
func (r Report) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, finding := range r.Findings {
		first := finding.Places[0]
		fmt.Fprintf(out, "%s: %s: %s [%s]\n", first.position(), finding.Level, visible(finding.Message), finding.Rule)
		for _, place := range finding.Places[1:] {
			fmt.Fprintf(out, "    %s: %s\n", place.position(), visible(place.Label))
		}
	}
	return out.Flush()
}

// WriteJSON writes a report as one JSON object, with the exit code it stands for. Fields are only ever added.
func (r Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(struct {
		Schema string `json:"schema"`
		Exit   int    `json:"exit"`
		Report
	}{"airlock-checks/1", r.ExitCode(), r})
}

func (p Place) position() string {
	return visible(p.File) + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}

// quote puts a name from a file into a message: in quotes, on one line, cut where it is very long.
func quote(name string) string {
	const longest = 100
	if runes := []rune(name); len(runes) > longest {
		name = string(runes[:longest]) + "…"
	}
	return strconv.Quote(name)
}

// visible escapes what would leave the line or hide in it.
func visible(text string) string {
	var out strings.Builder
	for _, c := range text {
		if unicode.IsPrint(c) {
			out.WriteRune(c)
		} else {
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(c), "'"))
		}
	}
	return out.String()
}
