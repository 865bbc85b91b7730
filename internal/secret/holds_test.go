package secret

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// held is a made-up credential of the length and alphabet of a real one.
const held = "sk-ant-oat01-Q7w_Zk3LrT9xVb2NcY5mHd8PfJ4sGa6tEu1oXiR0-yBqWzKvCnMjDhLpSgFaTeUoIx7Q3Z9k2LwV5bN8cY1mHd4PfJ6sGa-QAAxyzAAA"

func each(s string, format string) string {
	var out strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&out, format, s[i])
	}
	return out.String()
}

func disguisedForms() map[string]string {
	return map[string]string{
		"plain":                    held,
		"without its prefix":       held[13:],
		"first cut":                held[40:],
		"last cut":                 held[:len(held)-50],
		"both ends cut":            held[40 : len(held)-30],
		"backwards":                reversed(held),
		"rot13":                    rot13(held),
		"rot13, backwards":         reversed(rot13(held)),
		"base64":                   base64.StdEncoding.EncodeToString([]byte(held)),
		"base64, raw":              base64.RawStdEncoding.EncodeToString([]byte(held)),
		"base64, URL":              base64.URLEncoding.EncodeToString([]byte(held)),
		"base64, second place":     base64.StdEncoding.EncodeToString([]byte("x" + held)),
		"base64, third place":      base64.StdEncoding.EncodeToString([]byte("xy" + held + "z")),
		"base64 of backwards":      base64.StdEncoding.EncodeToString([]byte(reversed(held))),
		"base64, backwards":        reversed(base64.StdEncoding.EncodeToString([]byte(held))),
		"base64, in lines":         lines(base64.StdEncoding.EncodeToString([]byte(held)), 20),
		"base32":                   base32.StdEncoding.EncodeToString([]byte(held)),
		"base32, small":            strings.ToLower(base32.StdEncoding.EncodeToString([]byte("abc" + held))),
		"hex":                      hex.EncodeToString([]byte(held)),
		"hex, capitals":            strings.ToUpper(hex.EncodeToString([]byte(held))),
		"hex, spaces":              each(held, "%02x "),
		"hex, colons":              each(held, "%02X:"),
		"hex, 0x":                  each(held, "0x%02x, "),
		`hex, \x`:                  each(held, `\x%02x`),
		"hex, backwards":           reversed(hex.EncodeToString([]byte(held))),
		"decimal":                  each(held, "%d, "),
		"percent":                  each(held, "%%%02X"),
		"percent, some":            strings.NewReplacer("Q", "%51", "a", "%61", "-", "%2d").Replace(held),
		"HTML":                     each(held, "&#%d;"),
		"HTML, hex":                each(held, "&#x%x;"),
		`\u`:                       each(held, `\u%04x`),
		"octal":                    each(held, `\%03o`),
		"spaces":                   each(held, "%c "),
		"dashes":                   each(held, "%c - "),
		"zero width":               each(held, "%c\u2063"),
		"lines":                    lines(held, 7),
		"a table":                  each(held, "| %c |\n"),
		"code spans of ten":        "`" + strings.ReplaceAll(lines(held, 10), "\n", "` then `") + "`",
		"pieces between sentences": strings.ReplaceAll(lines(held, 12), "\n", "\nThis line is too long, and the next one is as well: "),
	}
}

func lines(s string, width int) string {
	var out []string
	for ; len(s) > width; s = s[width:] {
		out = append(out, s[:width])
	}
	return strings.Join(append(out, s), "\n")
}

func TestHoldsSeesThroughDisguise(t *testing.T) {
	for name, form := range disguisedForms() {
		if !Holds("A remark before. "+form+" And one after.", New(held)) {
			t.Errorf("%s is not found: %s", name, form)
		}
	}
}

// A41: one chunk a finding, over twelve of them.
func TestHoldsAcrossTexts(t *testing.T) {
	chunks := strings.Split(lines(held, 10), "\n")
	if len(chunks) != 12 {
		t.Fatalf("%d chunks", len(chunks))
	}
	var findings []string
	for i, chunk := range chunks {
		findings = append(findings, fmt.Sprintf("Finding %d: the constant %s is not used", i, chunk))
	}
	if !HoldsAcross(findings, New(held)) {
		t.Error("not found over twelve texts")
	}
	for _, text := range findings {
		if Holds(text, New(held)) {
			t.Errorf("%q alone is taken for a leak", text)
		}
	}
}

func TestHoldsLetsOrdinaryTextPass(t *testing.T) {
	prose := strings.Repeat("The credential sk-ant-oat01- is read from CLAUDE_CODE_OAUTH_TOKEN; tokens of this kind begin with sk-ant-. ", 200)
	for name, text := range map[string]string{
		"empty":               "",
		"prose":               prose,
		"the prefix":          "sk-ant-oat01-",
		"another of the kind": "sk-ant-oat01-" + reversed(mixed) + mixed,
		"seventeen":           "see " + strings.ReplaceAll(held[13:], "_", "")[:17],
		"digests":             strings.Repeat("sha256:8a3b64b927c762dddb6c00012fa64f3631e30ae9e818a2066516d603b4078791\n", 50),
	} {
		if Holds(text, New(held)) {
			t.Errorf("%s is taken for a leak", name)
		}
	}
	if Holds(prose, Credential{}) || Holds("", New("")) || Holds(prose, New("sk-ant-")) {
		t.Error("no credential is held")
	}
	if !Holds("pass: h u n t e r 2", New("hunter2")) || Holds("hunter", New("hunter2")) {
		t.Error("a short credential is to be found whole and only whole")
	}
}

// The stated bound: any 24 characters in a row are found; letters and digits of
// 17 are not.
func TestHoldsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := held[13:]
		from := rapid.IntRange(0, len(body)-24).Draw(t, "from")
		if !Holds("x "+body[from:from+24]+" y", New(held)) {
			t.Fatalf("%q is not found", body[from:from+24])
		}
		short := lettersAndDigits(body)
		from = rapid.IntRange(0, len(short)-17).Draw(t, "short")
		if Holds("x. "+short[from:from+17]+" .y", New(held)) && !strings.Contains(short, "x"+short[from:from+17]) && !strings.Contains(short, short[from:from+17]+"y") {
			t.Fatalf("%q is found", short[from:from+17])
		}
	})
}

func BenchmarkHolds(b *testing.B) {
	text := strings.Repeat("One goroutine a job: a full queue starts as many as it holds, and Run returns before they end. ", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if Holds(text, New(held)) {
			b.Fatal("found")
		}
	}
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("One goroutine a job: a full queue starts as many as it holds, and Run returns before they end. ", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if Find(text) != nil {
			b.Fatal("found")
		}
	}
}
