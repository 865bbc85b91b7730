package engine

import (
	"strings"
	"testing"
)

func TestMicrodollars(t *testing.T) {
	for dollars, want := range map[float64]int64{
		0: 0, 0.00041860000000000004: 419, 0.0020930000000000002: 2093, 0.04956: 49560, 3.0003: 3_000_300, 0.1: 100_000,
		0.0000001: 1, 0.00000000001: 0, 1e9: 1_000_000_000_000_000, 123.456789: 123_456_789, 0.1 + 0.2: 300_000,
	} {
		if got := microdollars(dollars); got != want {
			t.Errorf("microdollars(%v) = %d, want %d", dollars, got, want)
		}
	}
	for micro, want := range map[int64]string{2_000_000: "2.000000", 1: "0.000001", 1_500_000: "1.500000"} {
		if got := dollars(micro); got != want {
			t.Errorf("dollars(%d) = %s, want %s", micro, got, want)
		}
	}
}

const wellFormed = `{"type":"result","is_error":false,"session_id":"s","num_turns":2,"structured_output":{"n":1},"modelUsage":{"m":{"inputTokens":1,"costUSD":0.5}}}`

// TestReadReply holds what standard output must be: exactly one object of the known form.
func TestReadReply(t *testing.T) {
	for name, stdout := range map[string]string{
		"whole": wellFormed, "newline after": wellFormed + "\n", "unknown fields": strings.Replace(wellFormed, `{"type"`, `{"new":[1],"type"`, 1),
	} {
		if read, err := readReply([]byte(stdout)); err != nil || string(read.StructuredOutput) != `{"n":1}` {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, stdout := range map[string]string{
		"empty":               "",
		"prose":               "I have reviewed the change.",
		"list":                "[" + wellFormed + "]",
		"two objects":         wellFormed + wellFormed,
		"text after":          wellFormed + " done",
		"null":                "null",
		"cut":                 wellFormed[:len(wellFormed)-3],
		"another type":        strings.Replace(wellFormed, `"result"`, `"system"`, 1),
		"no is_error":         strings.Replace(wellFormed, `"is_error":false,`, ``, 1),
		"is_error a string":   strings.Replace(wellFormed, `:false`, `:"false"`, 1),
		"negative turns":      strings.Replace(wellFormed, `"num_turns":2`, `"num_turns":-2`, 1),
		"turns a fraction":    strings.Replace(wellFormed, `"num_turns":2`, `"num_turns":2.5`, 1),
		"tokens beyond 2^53":  strings.Replace(wellFormed, `"inputTokens":1`, `"inputTokens":9007199254740993`, 1),
		"negative cost":       strings.Replace(wellFormed, `0.5`, `-0.5`, 1),
		"cost without end":    strings.Replace(wellFormed, `0.5`, `1e300`, 1),
		"status out of range": strings.Replace(wellFormed, `"num_turns"`, `"api_error_status":99,"num_turns"`, 1),
		"status a string":     strings.Replace(wellFormed, `"num_turns"`, `"api_error_status":"429","num_turns"`, 1),
	} {
		_, err := readReply([]byte(stdout))
		if err == nil {
			t.Errorf("%s: read as a reply", name)
		} else if err.Error() != errReply.Error() {
			t.Errorf("%s: the error says more than a constant: %v", name, err)
		}
	}
	read, err := readReply([]byte(strings.Replace(wellFormed, `{"n":1}`, `null`, 1)))
	if err != nil || read.StructuredOutput != nil {
		t.Errorf("a null answer is %s, %v; want none", read.StructuredOutput, err)
	}
}

func TestReplyKeepsNoText(t *testing.T) {
	for text, want := range map[string]bool{loggedOut: true, "Not logged in": false, "": false, canary: false} {
		read, err := readReply([]byte(strings.Replace(wellFormed, `"num_turns"`, `"result":"`+text+`","num_turns"`, 1)))
		if err != nil || bool(read.Result) != want {
			t.Errorf("%q: equal is %v, %v", text, read.Result, err)
		}
	}
}
