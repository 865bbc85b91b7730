package secret

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// view is a text as a reader may take it, and where each of its bytes stood.
type view struct {
	text string
	// from and to are where what a byte was read from begins and ends; nil where each byte stands for itself.
	from, to []int
}

// span is where text[from:to] of the view stood.
func (v view) span(from, to int) (int, int) {
	if v.from == nil {
		return from, to
	}
	return v.from[from], v.to[to-1]
}

// builder makes a view out of another. The zero value of taken is the beginning.
type builder struct {
	of       view
	text     strings.Builder
	from, to []int
	taken    int // bytes of the other view that are dealt with
}

// keep takes bytes as they are up to a place.
func (b *builder) keep(until int) {
	b.text.WriteString(b.of.text[b.taken:until])
	for at := b.taken; at < until; at++ {
		from, to := b.of.span(at, at+1)
		b.from, b.to = append(b.from, from), append(b.to, to)
	}
	b.taken = until
}

// gap ends a line.
func (b *builder) gap() {
	at := b.to[len(b.to)-1]
	b.text.WriteByte('\n')
	b.from, b.to = append(b.from, at), append(b.to, at)
}

// put reads all up to a place as these characters.
func (b *builder) put(characters string, until int) {
	from, to := b.of.span(b.taken, until)
	b.text.WriteString(characters)
	for range len(characters) {
		b.from, b.to = append(b.from, from), append(b.to, to)
	}
	b.taken = until
}

// skip leaves out all up to a place.
func (b *builder) skip(until int) { b.taken = until }

func (b *builder) view() view { return view{text: b.text.String(), from: b.from, to: b.to} }

// visible is a text without its hidden characters.
func visible(text string) view {
	v := view{text: text}
	if strings.IndexFunc(text, untrusted.Hidden) < 0 {
		return v
	}
	b := builder{of: v}
	for at, size := 0, 0; at < len(text); at += size {
		var r rune
		if r, size = utf8.DecodeRuneInString(text[at:]); untrusted.Hidden(r) {
			b.keep(at)
			b.skip(at + size)
		}
	}
	b.keep(len(text))
	return b.view()
}

// unescaped reads what stands for one character of ASCII as that character: %67, &#103;, \x67, \u0067, \u{67}, \147, a mark
// behind a backslash, and the full-width and mathematical forms of letters and digits. It reports whether there is any.
func (v view) unescaped() (view, bool) {
	b := builder{of: v}
	for at := 0; at < len(v.text); at++ {
		if !opensEscape[v.text[at]] {
			continue
		}
		if c, size := escaped(v.text[at:]); size > 0 {
			b.keep(at)
			b.put(string([]byte{c}), at+size)
			at += size - 1
		}
	}
	if b.taken == 0 {
		return view{}, false
	}
	b.keep(len(v.text))
	return b.view(), true
}

// opensEscape are the bytes that escaped looks further at.
var opensEscape = [256]bool{'%': true, '&': true, '\\': true, 0xEF: true, 0xF0: true}

// longestEntity is the longest name of a character reference, with & and ;.
const longestEntity = 34

// escaped returns the character that the beginning of s stands for, and how long that is; zero where it is no escape.
func escaped(s string) (c byte, size int) {
	number := func(prefix, suffix string, base, least, most int) bool {
		rest, ok := strings.CutPrefix(s, prefix)
		digits := 0
		for ok && digits < min(most, len(rest)) && isDigitOf(rest[digits], base) {
			digits++
		}
		if !ok || digits < least || !strings.HasPrefix(rest[digits:], suffix) {
			return false
		}
		value, err := strconv.ParseUint(rest[:digits], base, 32)
		c, size = byte(value), len(prefix)+digits+len(suffix)
		return err == nil && value < utf8.RuneSelf
	}
	switch s[0] {
	case '%':
		if number("%", "", 16, 2, 2) {
			return c, size
		}
	case '\\':
		if number(`\x`, "", 16, 2, 2) || number(`\u{`, "}", 16, 1, 6) || number(`\u`, "", 16, 4, 4) || number(`\U`, "", 16, 8, 8) || number(`\`, "", 8, 3, 3) {
			return c, size
		}
		if len(s) > 1 && s[1] > ' ' && s[1] < 0x7f && !isWord(s[1]) {
			return s[1], 2 // Markdown shows the mark alone
		}
	case '&':
		if end := strings.IndexByte(s[:min(len(s), longestEntity)], ';'); end > 0 {
			if read := html.UnescapeString(s[:end+1]); len(read) == 1 {
				return read[0], end + 1
			}
		}
	default:
		r, size := utf8.DecodeRuneInString(s)
		if c := plainForm(r); c != 0 {
			return c, size
		}
	}
	return 0, 0
}

func isDigitOf(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// plainForm is the ASCII character of which r is a full-width or mathematical form; zero for none. Sources: the Unicode
// charts of U+FF00 and U+1D400, where the alphabets follow each other, capitals first.
func plainForm(r rune) byte {
	switch {
	case r >= 0xFF01 && r <= 0xFF5E:
		return byte(r - 0xFF01 + '!')
	case r >= 0x1D400 && r <= 0x1D6A3:
		letter := byte((r - 0x1D400) % 52)
		if letter < 26 {
			return 'A' + letter
		}
		return 'a' + letter - 26
	case r >= 0x1D7CE && r <= 0x1D7FF:
		return '0' + byte((r-0x1D7CE)%10)
	}
	return 0
}

// leastSpaced is how many characters must stand apart to be read together: prose holds no such row.
const leastSpaced = 20

// spaced reads characters that stand apart by one to three marks or blanks, the same between all of them, together; nothing
// else of the text, a line for each row of them.
func (v view) spaced() (view, bool) {
	b := builder{of: v}
	for at := 0; at < len(v.text); {
		count, step := 0, 0
		for width := 1; width <= 3 && count < leastSpaced && at+width < len(v.text) && !isWord(v.text[at+width]); width++ {
			count, step = rowOf(v.text[at:], width), width+1
		}
		if count < leastSpaced {
			at++
			continue
		}
		for range count {
			b.skip(at)
			b.keep(at + 1)
			at += step
		}
		at = b.taken
		b.gap()
	}
	return b.view(), b.text.Len() > 0
}

// rowOf counts the characters at the beginning of s that stand apart by as many bytes as the first two, and by the same.
func rowOf(s string, width int) int {
	step, count := width+1, 1
	for count*step < len(s) && s[count*step-width:count*step] == s[1:step] {
		count++
	}
	return count
}

// leastWrapped is how many letters, digits and marks of an encoding a line ends with that goes on in the next one.
const leastWrapped = 16

// unwrapped reads lines together that an encoding or a token goes over, without the blanks and marks of a quote that the
// next one begins with.
func (v view) unwrapped() (view, bool) {
	b := builder{of: v}
	run := 0
	for at := 0; at < len(v.text); at++ {
		c := v.text[at]
		if c == '\r' && at+1 < len(v.text) && v.text[at+1] == '\n' {
			continue
		}
		if c != '\n' || run < leastWrapped {
			if run++; !isWord(c) && strings.IndexByte("+/=_-.", c) < 0 {
				run = 0
			}
			continue
		}
		run = 0
		b.keep(len(strings.TrimSuffix(v.text[:at], "\r")))
		for at+1 < len(v.text) && strings.IndexByte(" \t>", v.text[at+1]) >= 0 {
			at++
		}
		b.skip(at + 1)
	}
	if b.taken == 0 {
		return view{}, false
	}
	b.keep(len(v.text))
	return b.view(), true
}

// withoutHexMarks leaves out what some notations put before a number of two digits in hex: 0x and U+00.
func (v view) withoutHexMarks() (view, bool) {
	b := builder{of: v}
	for at := 0; at+2 < len(v.text); at++ {
		size := 0
		switch {
		case v.text[at] == '0' && v.text[at+1]|0x20 == 'x':
			size = 2
		case v.text[at]|0x20 == 'u' && strings.HasPrefix(v.text[at+1:], "+00"):
			size = 4
		default:
			continue
		}
		b.keep(at)
		b.skip(at + size)
		at += size - 1
	}
	if b.taken == 0 {
		return view{}, false
	}
	b.keep(len(v.text))
	return b.view(), true
}

// leastNumbers is how many numbers in a row are read as characters.
const leastNumbers = 6

// numbers reads rows of decimal numbers of two or three digits, up to four marks or blanks apart, as the characters that
// they count; nothing else of the text, a line for each row.
func (v view) numbers() (view, bool) {
	b := builder{of: v}
	text := v.text
	type number struct {
		from, to int
		value    byte
	}
	var row []number
	end := func() {
		if len(row) >= leastNumbers {
			for _, n := range row {
				b.skip(n.from)
				b.put(string([]byte{n.value}), n.to)
			}
			b.gap()
		}
		row = row[:0]
	}
	for at := 0; at < len(text); {
		from := at
		for at < len(text) && isWord(text[at]) {
			at++
		}
		value, counts := countsCharacter(text[from:at])
		switch size := at - from; {
		case counts:
			if len(row) > 0 && from-row[len(row)-1].to > 4 {
				end()
			}
			row = append(row, number{from, at, value})
		case size > 0:
			end()
		default:
			at++
		}
	}
	end()
	return b.view(), b.text.Len() > 0
}

// countsCharacter reads a decimal number of two or three digits as the character of ASCII that it counts.
func countsCharacter(digits string) (byte, bool) {
	if len(digits) != 2 && len(digits) != 3 {
		return 0, false
	}
	value := 0
	for at := range len(digits) {
		if digits[at] < '0' || digits[at] > '9' {
			return 0, false
		}
		value = 10*value + int(digits[at]-'0')
	}
	return byte(value), value < utf8.RuneSelf
}
