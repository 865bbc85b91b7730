package secret

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"iter"
	"slices"
	"strings"
)

// Match is a token shape at text[Start:End].
type Match struct {
	Kind       string // who issues such tokens: github, anthropic, private_key, …
	Start, End int    // bytes
}

// Find returns the token shapes in text, in order, none overlapping another. It finds one that is written
//
//   - with hidden characters in it, or with the same one to three marks or blanks between all of its characters,
//   - in percent, HTML or backslash escapes, in decimal numbers, in full-width or mathematical letters,
//   - in base64 (both alphabets, padded or not, with other bytes around it), base32, or hex with or without marks,
//   - over several lines, where each but the last ends within it,
//   - backwards or in rot13, and in either of them within or around an encoding.
//
// It does not join what other text separates, or a token without its beginning, which nothing tells from other random
// letters, or one that is spaced out behind a word of the same line; nor does it find what is compressed, encrypted, or written in words.
// Holds finds more of one known credential.
func Find(text string) []Match {
	plain := visible(text)
	var found []Match
	for _, read := range []func(view) (view, bool){
		func(v view) (view, bool) { return v, true }, view.unescaped, view.spaced, view.unwrapped, view.numbers, view.withoutHexMarks,
	} {
		v, ok := read(plain)
		if !ok {
			continue
		}
		add := func(kind string, from, to int) {
			start, end := v.span(from, to)
			found = append(found, Match{Kind: kind, Start: start, End: end})
		}
		length := len(v.text)
		findShapes(v.text, add)
		if inRot13.may(v.text) {
			findShapes(rot13(v.text), add)
		}
		if backwards.may(v.text) {
			findShapes(reversed(v.text), func(kind string, from, to int) { add(kind, length-to, length-from) })
		}
	}
	return merge(found)
}

// findShapes looks for tokens, and for encodings of some.
func findShapes(text string, add func(kind string, from, to int)) {
	findPlain(text, add)
	findEncoded(text, add)
}

// MaskAdmitted replaces each shape of text that admitted says was given to the
// model anyhow by its kind in brackets, and returns those that were not: each of
// them forbids the text to leave. Start and End are of the text as given.
func MaskAdmitted(text string, admitted func(token string) bool) (masked string, refused []Match) {
	var out strings.Builder
	from := 0
	for _, m := range Find(text) {
		if !admitted(text[m.Start:m.End]) {
			refused = append(refused, m)
			continue
		}
		out.WriteString(text[from:m.Start])
		out.WriteString("[masked " + m.Kind + "]")
		from = m.End
	}
	out.WriteString(text[from:])
	return out.String(), refused
}

// findPlain looks only where no word goes on: a token does not begin inside one.
func findPlain(text string, add func(kind string, from, to int)) {
	for at := range len(text) {
		begun := shapesBy[text[at]]
		if begun == nil || at > 0 && isWord(text[at-1]) {
			continue
		}
		for _, s := range begun {
			if !s.marked(text[at:]) {
				continue
			}
			if where := s.pattern().FindStringIndex(text[at:]); where != nil && s.fits(text, at, at+where[1]) {
				add(s.kind, at, at+where[1])
			}
		}
	}
}

// The shortest encodings looked into: of 18 bytes in base64, of 20 in base32 and hex.
const (
	base64Least = 24
	base32Least = 32
	hexLeast    = 40
)

var (
	notBase64 = strings.NewReplacer("-", "+", "_", "/")
	base32Raw = base32.StdEncoding.WithPadding(base32.NoPadding)
)

// kindIn is the kind of a token in what was decoded, in any of the ways it may be turned; empty for none.
func kindIn(decoded []byte) (kind string) {
	text := string(decoded)
	found := func(k string, _, _ int) { kind = k }
	findPlain(text, found)
	if inRot13.holdsMark(text) {
		findPlain(rot13(text), found)
	}
	if backwards.holdsMark(text) {
		findPlain(reversed(text), found)
	}
	return kind
}

func findEncoded(text string, add func(kind string, from, to int)) {
	padded := func(to int) int {
		for to < len(text) && text[to] == '=' {
			to++
		}
		return to
	}
	for from, to := range runs(text, base64Least, &inBase64) {
		run := notBase64.Replace(text[from:to])
		for skip := range 4 { // what was encoded may begin before the token
			part := run[skip:]
			if len(part)%4 == 1 {
				part = part[:len(part)-1]
			}
			decoded, err := base64.RawStdEncoding.DecodeString(part)
			if err != nil {
				continue
			}
			if kind := kindIn(decoded); kind != "" {
				add(kind, from, padded(to))
				break
			}
		}
		for within, end := range runs(text[from:to], base32Least, &inBase32) { // its letters are of base64 too
			run := strings.ToUpper(text[from:to][within:end])
			for skip := range 8 {
				part := run[skip:]
				switch len(part) % 8 { // no encoding has such a rest
				case 1, 3, 6:
					part = part[:len(part)-1]
				}
				decoded, err := base32Raw.DecodeString(part)
				if err != nil {
					continue
				}
				if kind := kindIn(decoded); kind != "" {
					add(kind, from+within, padded(from+end))
					break
				}
			}
		}
	}
	for from, to := range runs(text, hexLeast, &inHex) {
		findHex(text, from, to, add)
	}
}

// findHex looks into a run of digits in hex and of what may stand between them.
func findHex(text string, from, to int, add func(kind string, from, to int)) {
	digits := make([]byte, 0, to-from)
	place := make([]int, 0, to-from)
	for at := from; at < to; at++ {
		if isDigitOf(text[at], 16) {
			digits, place = append(digits, text[at]), append(place, at)
		}
	}
	for skip := range 2 {
		part := digits[min(skip, len(digits)):]
		decoded, err := hex.DecodeString(string(part[:len(part)/2*2]))
		if err != nil || len(decoded) == 0 {
			continue
		}
		within := func(kind string, start, end int) { add(kind, place[skip+2*start], place[skip+2*end-1]+1) }
		text := string(decoded)
		findPlain(text, within)
		if inRot13.holdsMark(text) {
			findPlain(rot13(text), within)
		}
		if backwards.holdsMark(text) {
			findPlain(reversed(text), func(kind string, start, end int) { within(kind, len(decoded)-end, len(decoded)-start) })
		}
	}
}

// The bytes of which an encoding may consist; in base32 of either case, in hex with what may stand between two digits.
var (
	inBase64 = setOf(func(c byte) bool { return isWord(c) || strings.IndexByte("+/_-", c) >= 0 })
	inBase32 = setOf(func(c byte) bool { return isWord(c) && c != '0' && c != '1' && c != '8' && c != '9' })
	inHex    = setOf(func(c byte) bool { return isDigitOf(c, 16) || strings.IndexByte(" :,-\t\r\n", c) >= 0 })
)

func setOf(in func(byte) bool) (set [256]bool) {
	for c := range set {
		set[c] = in(byte(c))
	}
	return set
}

// runs gives the longest stretches of text of at least the given length whose
// bytes are all in the set.
func runs(text string, least int, set *[256]bool) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		from := 0
		for at := 0; at <= len(text); at++ {
			if at < len(text) && set[text[at]] {
				continue
			}
			if at-from >= least && !yield(from, at) {
				return
			}
			from = at + 1
		}
	}
}

// merge orders matches and joins those that overlap; the kind of the first stays.
func merge(found []Match) []Match {
	slices.SortStableFunc(found, func(a, b Match) int { return a.Start - b.Start })
	var out []Match
	for _, m := range found {
		if last := len(out) - 1; last >= 0 && m.Start < out[last].End {
			out[last].End = max(out[last].End, m.End)
			continue
		}
		out = append(out, m)
	}
	return out
}

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func rot13(s string) string {
	b := []byte(s)
	for i, c := range b {
		switch {
		case c >= 'a' && c <= 'z':
			b[i] = 'a' + (c-'a'+13)%26
		case c >= 'A' && c <= 'Z':
			b[i] = 'A' + (c-'A'+13)%26
		}
	}
	return string(b)
}
