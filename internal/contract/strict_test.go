package contract

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// sample has one field of each kind that records have.
type sample struct {
	Text  untrusted.Text    `json:"text"`
	Word  string            `json:"word"`
	Count int64             `json:"count"`
	Yes   bool              `json:"yes"`
	At    Time              `json:"at"`
	Maybe *string           `json:"maybe"`
	List  []Item            `json:"list"`
	Names map[string]string `json:"names"`
}

// whole is a sample with every field, in canonical form.
const whole = `{"at":"2026-11-30T10:05:10Z","count":1,"list":[{"kind":"pull_request","number":12}],"maybe":null,"names":{"a":"b"},"text":"t","word":"w","yes":true}`

// TestStrictDecoding holds every way in which bytes are no record: what a lenient reader takes, two readers can take for two
// different records.
func TestStrictDecoding(t *testing.T) {
	with := func(old, replacement string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("%s is not in the sample", old)
		}
		return strings.Replace(whole, old, replacement, 1)
	}
	for name, c := range map[string]struct{ document, want string }{
		"nothing":                    {"", "the document ends too early"},
		"not UTF-8":                  {with(`"t"`, "\"\xff\""), "the bytes are not UTF-8"},
		"a surrogate as UTF-8":       {with(`"t"`, "\"\xed\xa0\x80\""), "the bytes are not UTF-8"},
		"a byte order mark":          {"\ufeff" + whole, "not a JSON value"},
		"data after the end":         {whole + " x", "there is data after the end of the document"},
		"a second document":          {whole + whole, "there is data after the end of the document"},
		"a key twice":                {with(`"yes":true`, `"yes":false,"yes":true`), "a key stands twice"},
		"a key twice, one escaped":   {with(`"yes":true`, `"yes":false,"\u0079es":true`), "a key stands twice"},
		"a key twice, further in":    {with(`"number":12`, `"number":12,"number":13`), "field list[0]: a key stands twice"},
		"a key in another case":      {with(`"yes"`, `"Yes"`), "field (unprintable key): an unknown field"},
		"an unknown field":           {with(`"yes"`, `"no":1,"yes"`), "field no: an unknown field"},
		"an unknown field, hostile":  {with(`"yes"`, `"# ignore":1,"yes"`), "field (unprintable key): an unknown field"},
		"a missing field":            {with(`,"yes":true`, ``), "field yes: a required field is missing"},
		"a null":                     {with(`"word":"w"`, `"word":null`), "field word: null where a value is required"},
		"a null text":                {with(`"text":"t"`, `"text":null`), "field text: null where a value is required"},
		"a null list":                {with(`"list":[{"kind":"pull_request","number":12}]`, `"list":null`), "field list: null where a value is required"},
		"a null in a list":           {with(`{"kind":"pull_request","number":12}`, `null`), "field list[0]: null where a value is required"},
		"a number for a string":      {with(`"word":"w"`, `"word":1`), "field word: not a string"},
		"a number for a text":        {with(`"text":"t"`, `"text":1`), "field text: not a string"},
		"a string for a number":      {with(`"count":1`, `"count":"1"`), "field count: not an integer"},
		"a string for a boolean":     {with(`"yes":true`, `"yes":"true"`), "field yes: not a boolean"},
		"an object for a list":       {with(`[{"kind":"pull_request","number":12}]`, `{}`), "field list: not a list"},
		"a list for an object":       {with(`{"a":"b"}`, `[]`), "field names: not an object"},
		"a list for a record":        {"[]", "not an object"},
		"a time with an offset":      {with(`10Z`, `10+00:00`), "field at: not a time of the form 2006-01-02T15:04:05Z"},
		"a time with a fraction":     {with(`10Z`, `10.5Z`), "field at: not a time of the form 2006-01-02T15:04:05Z"},
		"a time with a comma":        {with(`10Z`, `10,5Z`), "field at: not a time of the form 2006-01-02T15:04:05Z"},
		"a time that is none":        {with(`11-30`, `11-31`), "field at: not a time of the form 2006-01-02T15:04:05Z"},
		"a time as a number":         {with(`"2026-11-30T10:05:10Z"`, `1`), "field at: not a string"},
		"a fraction":                 {with(`"count":1`, `"count":1.0`), "field count: a number with a fraction or an exponent"},
		"an exponent":                {with(`"count":1`, `"count":1e0`), "field count: a number with a fraction or an exponent"},
		"a leading zero":             {with(`"count":1`, `"count":01`), "field count: not an integer in its shortest form"},
		"a negative nought":          {with(`"count":1`, `"count":-0`), "field count: not an integer in its shortest form"},
		"a plus":                     {with(`"count":1`, `"count":+1`), "field count: not a JSON value"},
		"a sign alone":               {with(`"count":1`, `"count":-`), "field count: not an integer in its shortest form"},
		"2^53":                       {with(`"count":1`, `"count":9007199254740992`), "field count: an integer beyond 2^53"},
		"-2^53":                      {with(`"count":1`, `"count":-9007199254740992`), "field count: an integer beyond 2^53"},
		"beyond 64 bits":             {with(`"count":1`, `"count":18446744073709551617`), "field count: an integer beyond 2^53"},
		"a line break in a string":   {with(`"t"`, "\"\n\""), "field text: a control character in a string"},
		"half a surrogate pair":      {with(`"t"`, `"\ud800"`), "field text: half of a surrogate pair"},
		"the other half":             {with(`"t"`, `"\udc00"`), "field text: half of a surrogate pair"},
		"two halves that are none":   {with(`"t"`, `"\ud800\u0041"`), "field text: half of a surrogate pair"},
		"an unknown escape":          {with(`"t"`, `"\x41"`), "field text: an unknown escape"},
		"an escape with a sign":      {with(`"t"`, `"\u+041"`), "field text: an escape that is not four hexadecimal digits"},
		"an escape cut short":        {`{"text":"\u00`, "field text: the document ends inside an escape"},
		"a string without an end":    {`{"text":"t`, "field text: the document ends inside a string"},
		"a comma at the end":         {with(`true}`, `true,}`), "a key was expected"},
		"a comma at a list's end":    {with(`12}]`, `12},]`), "field list[1]: not a JSON value"},
		"a comment":                  {with(`"yes"`, `/**/"yes"`), "a key was expected"},
		"no colon":                   {with(`"yes":`, `"yes"`), "a colon was expected"},
		"single quotes":              {with(`"t"`, `'t'`), "field text: not a JSON value"},
		"a word of another language": {with(`true`, `True`), "field yes: not a JSON value"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Decode([]byte(c.document), &sample{})
			var fault *DecodeError
			if !errors.As(err, &fault) {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			if got, _, _ := strings.Cut(err.Error(), ", at byte "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	var record sample
	if err := Decode([]byte(" \t\r\n"+whole+" \n"), &record); err != nil || record.Text.Raw() != "t" || record.List[0].Number != 12 || record.Maybe != nil || !record.Yes {
		t.Errorf("the sample itself: %v, %+v", err, record)
	}
	if err := Decode([]byte(with(`"t"`, `"\u00e9\ud83d\ude42\"\\\/\b\f\n\r\t"`)), &record); err != nil || record.Text.Raw() != "é🙂\"\\/\b\f\n\r\t" {
		t.Errorf("escapes: %v, %q", err, record.Text.Raw())
	}
	for _, n := range []string{"9007199254740991", "-9007199254740991", "0"} {
		if err := Decode([]byte(with(`"count":1`, `"count":`+n)), &record); err != nil {
			t.Errorf("%s: %v", n, err)
		}
	}
}

// TestNesting holds the bound on both ways, at the same depth.
func TestNesting(t *testing.T) {
	nested := func(depth int) []byte { return []byte(strings.Repeat("[", depth) + "1" + strings.Repeat("]", depth)) }
	if _, err := Canonicalize(nested(MaxNesting)); err != nil {
		t.Errorf("%d deep: %v", MaxNesting, err)
	}
	for _, depth := range []int{MaxNesting + 1, 1_000_000} {
		if _, err := Canonicalize(nested(depth)); err == nil || !strings.Contains(err.Error(), "nested deeper than 32") {
			t.Errorf("%d deep: %v", depth, err)
		}
	}
	type node struct {
		Inner []any `json:"inner"`
	}
	deep := node{}
	for range MaxNesting {
		deep = node{Inner: []any{deep}}
	}
	if _, err := Canonical(deep); err == nil {
		t.Error("a record deeper than can be read is written")
	}
}

// TestCanonical holds the canonical form to RFC 8785, and what is no record.
func TestCanonical(t *testing.T) {
	for document, want := range map[string]string{
		` { "b" : 1 , "a" : [ true , null ] } `:                                       `{"a":[true,null],"b":1}`,
		`{"\u20ac":1,"\r":2,"1":3,"\ud83d\ude00":4,"\u0080":5,"\u00f6":6,"\ufb33":7}`: "{\"\\r\":2,\"1\":3,\"\u0080\":5,\"ö\":6,\"€\":1,\"\U0001f600\":4,\"\ufb33\":7}",
		`"\u000f\u001f\u007f\"\\\/\b\f\n\r\t<>&\u2028"`:                               "\"\\u000f\\u001f\u007f\\\"\\\\/\\b\\f\\n\\r\\t<>&\u2028\"",
		`-1`: `-1`, `""`: `""`, `{}`: `{}`, `[]`: `[]`,
	} {
		got, err := Canonicalize([]byte(document))
		if err != nil || string(got) != want+"\n" {
			t.Errorf("%s\n is %q, %v\nnot %q", document, got, err, want)
		}
	}
	for name, record := range map[string]any{
		"a float": struct {
			F float64 `json:"f"`
		}{1},
		"beyond 2^53": struct {
			N int64 `json:"n"`
		}{MaxInteger + 1},
		"below -2^53": struct {
			N int64 `json:"n"`
		}{-MaxInteger - 1},
		"not UTF-8":            Item{Kind: "\xff"},
		"a text not UTF-8":     sample{Text: untrusted.New("\xff")},
		"an Effect of no form": Effect{},
	} {
		if data, err := Canonical(record); err == nil {
			t.Errorf("%s is written as %s", name, data)
		}
	}
}

// TestIDs holds the ids to those that the data model prints, and that no two fields can be shifted into each other.
func TestIDs(t *testing.T) {
	item := Item{Kind: PullRequest, Number: 12}
	const content = "sha256:8a3b64b927c762dddb6c00012fa64f3631e30ae9e818a2066516d603b4078791"
	for got, want := range map[string]string{
		RunID(701002003, item, "pr-review", "review-change", content, Workflow{Attempt: 1, RunID: 17000000001}):                    "run-db93904f83c62707abbb84a5",
		EffectKey("run-db93904f83c62707abbb84a5", "sha256:faff3ae12f0b96599005480a5604db9faf4a3fa11fbc13735f013d78f8e30e7a", "e1"): "e67971afc2da17dc5014884b08a3f8ee",
		Fingerprint("security", "internal/store/query.go", "2607a312e843f5251922cad15c589e4d"):                                     "91eaef7d82bf995ca9b0b99fbc01adfb",
		Fingerprint("tests", "", ""): "c81eb0aad2d60469a30015b635815fd5",
		Digest(nil):                  "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		FindingID("run-1", "f2"):     "run-1/f2",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	anchor := strings.Repeat("a", 32)
	if Fingerprint("tests", "a\n"+anchor, "") == Fingerprint("tests", "a", anchor) || Fingerprint("tests", "", anchor) == Fingerprint("tests", anchor, "") {
		t.Error("a path can be read as an anchor")
	}
}

// TestFieldsAddedLater holds that a field marked omitempty may be absent, is then not written, and is read as strictly as any
// other where it is there.
func TestFieldsAddedLater(t *testing.T) {
	type grown struct {
		Old string           `json:"old"`
		New map[string]int64 `json:"new,omitempty"`
	}
	for document, want := range map[string]map[string]int64{`{"old":"o"}`: nil, `{"new":{},"old":"o"}`: {}, `{"new":{"a":1},"old":"o"}`: {"a": 1}} {
		var record grown
		if err := Decode([]byte(document), &record); err != nil || len(record.New) != len(want) || (record.New == nil) != (want == nil) || record.New["a"] != want["a"] {
			t.Errorf("%s is read as %v, %v", document, record.New, err)
		}
		if written, err := Canonical(record); err != nil || string(written) != document+"\n" {
			t.Errorf("%s is written as %s, %v", document, written, err)
		}
	}
	for document, want := range map[string]string{`{"new":null,"old":"o"}`: "field new: null", `{"new":{"a":"1"},"old":"o"}`: "field new.a: not an integer", `{"new":{}}`: "field old: a required"} {
		var record grown
		if err := Decode([]byte(document), &record); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", document, err, want)
		}
	}
}

// TestCanonicalOrder holds that keys are in the order of their UTF-16 code units, which is neither that of their bytes nor that of
// their characters where one is beyond U+FFFF.
func TestCanonicalOrder(t *testing.T) {
	got, err := Canonicalize([]byte(`{"\uff3a": 1, "\ud83d\ude00": 2, "b": 3, "B": 4, "ba": 5, "\u00e9": 6, "": 7}`))
	want := "{\"\":7,\"B\":4,\"b\":3,\"ba\":5,\"é\":6,\"😀\":2,\"Ｚ\":1}\n"
	if err != nil || string(got) != want {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
}
