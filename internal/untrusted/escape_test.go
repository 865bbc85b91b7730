package untrusted

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-2ea642bd/airlock/internal/untrusted/untrustedtest"
)

func TestEscape(t *testing.T) {
	for _, test := range []struct {
		name, input, want string
		escaped           Escaped
	}{
		{"plain", "a\tb\nc \\u202e ~", "a\tb\nc \\u202e ~", Escaped{}},
		{"other scripts", "żółć 日本語 🙂 עברית", "żółć 日本語 🙂 עברית", Escaped{}},
		{"line ends", "a\r\nb\rc", "a\r\nb⟦U+000D⟧c", Escaped{Invisible: 1}},
		{"last carriage return", "a\r", "a⟦U+000D⟧", Escaped{Invisible: 1}},
		{"controls", "\x00\x1b[31m\x7f\u0085", "⟦U+0000⟧⟦U+001B⟧[31m⟦U+007F⟧⟦U+0085⟧", Escaped{Invisible: 4}},
		{"zero width", "s\u200bk\u2060-\u2064a\ufeff\u00ad\u180e", "s⟦U+200B⟧k⟦U+2060⟧-⟦U+2064⟧a⟦U+FEFF⟧⟦U+00AD⟧⟦U+180E⟧", Escaped{Invisible: 6}},
		{"variation selectors", "a\ufe0f\U000e0100", "a⟦U+FE0F⟧⟦U+E0100⟧", Escaped{Invisible: 2}},
		{"annotations and fillers", "\ufff9\ufffa\ufffb\u115f\u3164\uffa0\u2028\u2029", "⟦U+FFF9⟧⟦U+FFFA⟧⟦U+FFFB⟧⟦U+115F⟧⟦U+3164⟧⟦U+FFA0⟧⟦U+2028⟧⟦U+2029⟧", Escaped{Invisible: 8}},
		{"directions", "\u061c\u200e\u200f\u202a\u202e\u2066\u2069", "⟦U+061C⟧⟦U+200E⟧⟦U+200F⟧⟦U+202A⟧⟦U+202E⟧⟦U+2066⟧⟦U+2069⟧", Escaped{Bidirectional: 7}},
		{"tags", "\U000e0001\U000e0041\U000e007f", "⟦U+E0001⟧⟦U+E0041⟧⟦U+E007F⟧", Escaped{Tag: 3}},
		{"not UTF-8", "\xff\xc3(\xed\xa0\x80", "⟦xFF⟧⟦xC3⟧(⟦xED⟧⟦xA0⟧⟦x80⟧", Escaped{InvalidUTF8: 5}},
		{"a real replacement character", "\ufffd", "\ufffd", Escaped{}},
		{"the escape itself", "⟦U+202E⟧", "⟦U+27E6⟧U+202E⟧", Escaped{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, escaped := Escape(test.input)
			if got != test.want || escaped != test.escaped {
				t.Errorf("%q, %+v; want %q, %+v", got, escaped, test.want, test.escaped)
			}
			if fromBytes, counted := Escape([]byte(test.input)); fromBytes != got || counted != escaped {
				t.Error("string and bytes differ")
			}
			checkEscape(t, test.input)
		})
	}
}

// TestHiddenIsUnicodes holds the spans against Unicode's own properties, as Go's tables have them: what is a control, a
// separator of lines, or ignored by default is hidden, but not the signs of Arabic and Indic numbers, which are drawn.
func TestHiddenIsUnicodes(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if found := untrustedtest.Hidden(string(r)); found != "" && !Hidden(r) && utf8.ValidRune(r) {
			t.Errorf("%s is not", found)
		}
		if Hidden(r) && unicode.IsGraphic(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && r != '\u2800' {
			t.Errorf("%U is drawn and hidden", r)
		}
	}
}

func TestVisibleLine(t *testing.T) {
	for text, want := range map[string]string{
		"a/b.go": "a/b.go", "": "", "a\r\nb\tc\rd": "a⟦U+000D⟧⟦U+000A⟧b⟦U+0009⟧c⟦U+000D⟧d", "\u202e\xff⟦": "⟦U+202E⟧⟦xFF⟧⟦U+27E6⟧",
		"a`" + strings.Repeat("`", 78): "a`" + strings.Repeat("`", 78), "`a" + strings.Repeat("`", 80): "⟦U+0060⟧a" + strings.Repeat("⟦U+0060⟧", 80),
	} {
		got := VisibleLine(New(text))
		if back, err := Unescape(got); got != want || err != nil || back != text {
			t.Errorf("%q is shown as %q and comes back as %q, %v; want %q", text, got, back, err, want)
		}
	}
}

func checkEscape(t interface{ Fatalf(string, ...any) }, input string) {
	got, _ := Escape(input)
	if !utf8.ValidString(got) {
		t.Fatalf("%q escapes to what is not UTF-8", input)
	}
	if _, again := Escape(got); again != (Escaped{}) {
		t.Fatalf("%q escapes to %q, which hides %+v", input, got, again)
	}
	if back, err := Unescape(got); err != nil || back != input {
		t.Fatalf("%q escapes to %q and comes back as %q, %v", input, got, back, err)
	}
}

func TestEscapeIsReversible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.OneOf(
			rapid.String(),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
			rapid.SampledFrom([]string{"⟦", "⟧", "U+202E", "\r", "\r\n", "\u202e", "\U000e0041", "plain text of a line\n"}),
		)).Draw(t, "parts")
		checkEscape(t, strings.Join(parts, ""))
	})
}

func TestUnescapeRefusesWhatEscapeCannotWrite(t *testing.T) {
	for _, input := range []string{"⟦", "⟦U+202E", "⟦⟧", "⟦U+⟧", "⟦U+202e⟧", "⟦U+0202E⟧", "⟦U+D800⟧", "⟦U+110000⟧", "⟦x41⟧", "⟦xF⟧", "⟦xFFF⟧", "⟦n⟧", "⟦U+-1⟧"} {
		if got, err := Unescape(input); err == nil {
			t.Errorf("%q is taken as %q", input, got)
		}
	}
}

func TestHiddenSpansAreInOrder(t *testing.T) {
	last := rune(0x7f)
	for _, s := range hiddenSpans {
		if s.from <= last || s.to < s.from || s.class == plain {
			t.Errorf("span %U to %U after %U", s.from, s.to, last)
		}
		for _, edge := range []struct {
			r    rune
			want class
		}{{s.from, s.class}, {s.to, s.class}} {
			if got := classify(edge.r); got != edge.want {
				t.Errorf("%U is of class %d, want %d", edge.r, got, edge.want)
			}
		}
		last = s.to
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a⟦\u202e\xff\r\n")
	f.Fuzz(func(t *testing.T, input string) { checkEscape(t, input) })
}

func BenchmarkEscape(b *testing.B) {
	input := []byte(strings.Repeat("+\t\treturn s.rows(ctx, \"SELECT * FROM entry WHERE owner = ?\", owner)\n", (10<<20)/70))
	b.SetBytes(int64(len(input)))
	for b.Loop() {
		Escape(input)
	}
}
