package untrusted

// class is why a code point may not stay as it is.
type class uint8

const (
	plain class = iota
	invisible
	bidirectional
	tag
)

// span is a range of code points, both ends included.
type span struct {
	from, to rune
	class    class
}

// hiddenSpans are the code points that a reader does not see, or that change
// what he sees of others: the default-ignorable ones of Unicode 16
// (DerivedCoreProperties.txt), the controls of direction (UAX 9, section 2), the
// interlinear annotations, line and paragraph separators, C1 controls and the
// blank Braille pattern. In order; all are outside ASCII.
var hiddenSpans = [...]span{
	{0x0080, 0x009F, invisible}, // C1 controls
	{0x00AD, 0x00AD, invisible}, // soft hyphen
	{0x034F, 0x034F, invisible}, // combining grapheme joiner
	{0x061C, 0x061C, bidirectional},
	{0x115F, 0x1160, invisible}, // Hangul fillers
	{0x17B4, 0x17B5, invisible}, // Khmer inherent vowels
	{0x180B, 0x180F, invisible}, // Mongolian variation selectors, vowel separator
	{0x200B, 0x200D, invisible}, // zero width space, non-joiner, joiner
	{0x200E, 0x200F, bidirectional},
	{0x2028, 0x2029, invisible}, // line and paragraph separator
	{0x202A, 0x202E, bidirectional},
	{0x2060, 0x2065, invisible}, // word joiner, invisible operators
	{0x2066, 0x2069, bidirectional},
	{0x206A, 0x206F, invisible},   // deprecated format characters
	{0x2800, 0x2800, invisible},   // Braille pattern blank
	{0x3164, 0x3164, invisible},   // Hangul filler
	{0xFE00, 0xFE0F, invisible},   // variation selectors
	{0xFEFF, 0xFEFF, invisible},   // zero width no-break space
	{0xFFA0, 0xFFA0, invisible},   // halfwidth Hangul filler
	{0xFFF0, 0xFFFB, invisible},   // unassigned ignorable, interlinear annotation
	{0x13430, 0x1343F, invisible}, // Egyptian hieroglyph format controls
	{0x1BCA0, 0x1BCA3, invisible},
	{0x1D173, 0x1D17A, invisible}, // musical controls
	{0xE0000, 0xE007F, tag},
	{0xE0080, 0xE0FFF, invisible}, // variation selectors supplement, ignorable
}

// classify tells the class of a code point outside ASCII.
func classify(r rune) class {
	low, high := 0, len(hiddenSpans)
	for low < high {
		middle := (low + high) / 2
		if r > hiddenSpans[middle].to {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(hiddenSpans) && r >= hiddenSpans[low].from {
		return hiddenSpans[low].class
	}
	return plain
}

// isControl reports whether an ASCII byte is a control other than tab and
// newline. A carriage return is one here; callers let it pass before a newline.
func isControl(c byte) bool { return c < 0x20 && c != '\t' && c != '\n' || c == 0x7f }

// Hidden reports whether r is one of the code points that Escape makes visible:
// a detector of patterns must look through them.
func Hidden(r rune) bool {
	if r < 0x80 {
		return r != '\r' && isControl(byte(r))
	}
	return classify(r) != plain
}
