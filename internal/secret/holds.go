package secret

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"strconv"
	"strings"
)

// Bounds of Holds, over letters and digits alone.
const (
	// pieceLength is the shortest piece of a credential that counts: one this
	// long is in ordinary text of a megabyte by chance less than once in a
	// thousand times.
	pieceLength = 6
	// leakLength is how many different places of the credential (or of one of its
	// disguises) the pieces found must cover to be a leak. Less is not found: a
	// text may hold up to this many characters of a credential cut short.
	leakLength = 18
	// publicPrefix is cut off first: everybody may write how such tokens begin.
	publicPrefix = `^(?:sk-ant-[a-z]{2,5}[0-9]{2}-|sk-(?:proj-|svcacct-|ant-)?|gh[a-z]_|github_pat_|xox[a-z]-|glpat-|npm_)`
)

var prefix = lazily(publicPrefix)

// Holds reports whether text holds the credential, whole or cut at either end,
// plain, backwards, in rot13, base64 (both alphabets, any alignment, padded or
// not), base32, hex, percent, HTML or backslash escapes, or two of these where
// one of them is backwards or rot13; with any separators between its characters,
// also hidden ones, or between pieces of at least six characters with any text
// between them. At least 18 different places must be found. A credential whose
// secret part is shorter than that is found whole only.
func Holds(text string, c Credential) bool { return HoldsAcross([]string{text}, c) }

// HoldsAcross is Holds over several texts, so that a credential spread over them
// is found.
func HoldsAcross(texts []string, c Credential) bool {
	secretPart := prefix().ReplaceAllString(c.Reveal(), "")
	if lettersAndDigits(secretPart) == "" {
		return false
	}
	joined := strings.Join(texts, "\n")
	forms := []string{joined}
	for _, decode := range []func(string) string{percentDecoded, html.UnescapeString, backslashDecoded} {
		if form := decode(joined); form != joined {
			forms = append(forms, form)
		}
	}
	exact, anyCase := disguisesOf(secretPart)
	exactFinder, anyCaseFinder := newFinder(exact), newFinder(anyCase)
	for _, form := range forms {
		letters := lettersAndDigits(form)
		if exactFinder.in(letters) || anyCaseFinder.in(strings.ToLower(letters)) {
			return true
		}
	}
	// Numbers of bytes, in decimal or in hex with their marks.
	return exactFinder.in(numbersDecoded(joined)) ||
		anyCaseFinder.in(strings.ToLower(lettersAndDigits(withoutHexMarks(joined))))
}

// disguise is the letters and digits of one way to write the credential.
type disguise struct{ text string }

// disguisesOf returns those in which the case of a letter matters, and those in
// which it does not, in small letters.
func disguisesOf(credential string) (exact, anyCase []disguise) {
	shifted := func(text string, shift int) []byte { return []byte(strings.Repeat("\x00", shift) + text) }
	addBothWays := func(list []disguise, text string) []disguise {
		return append(list, disguise{lettersAndDigits(text)}, disguise{lettersAndDigits(reversed(text))}, disguise{lettersAndDigits(rot13(text))})
	}
	for _, turned := range []string{credential, rot13(credential), reversed(credential), rot13(reversed(credential))} {
		exact = append(exact, disguise{lettersAndDigits(turned)})
		for shift := range 3 { // the URL alphabet differs in what is no letter or digit
			exact = addBothWays(exact, cut(base64.RawStdEncoding.EncodeToString(shifted(turned, shift)), shift, 6))
		}
		for shift := range 5 {
			anyCase = addBothWays(anyCase, strings.ToLower(cut(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(shifted(turned, shift)), shift, 5)))
		}
		anyCase = addBothWays(anyCase, hex.EncodeToString([]byte(turned)))
	}
	return exact, anyCase
}

// cut drops the first and last characters of an encoding, which also depend on
// what stands before and after the credential.
func cut(encoded string, shift, bits int) string {
	first := (shift*8 + bits - 1) / bits
	return encoded[first : len(encoded)-1]
}

// finder knows where in which disguise each piece stands.
type finder struct {
	disguises []disguise
	pieces    map[uint64][]position
	// likely tells most places of a text apart from a piece, fast.
	likely *[1 << 16]bool
}

type position struct{ disguise, place int }

func newFinder(disguises []disguise) finder {
	f := finder{disguises: disguises, pieces: map[uint64][]position{}, likely: new([1 << 16]bool)}
	for i, d := range disguises {
		if len(d.text) < leakLength {
			continue
		}
		var piece uint64
		for p := range len(d.text) {
			piece = piece<<8&pieceMask | uint64(d.text[p])
			if from := p - pieceLength + 1; from >= 0 {
				f.pieces[piece] = append(f.pieces[piece], position{i, from})
				f.likely[slot(piece)] = true
			}
		}
	}
	return f
}

const pieceMask = 1<<(8*pieceLength) - 1

func slot(piece uint64) uint16 { return uint16(piece * 0x9E3779B97F4A7C15 >> 48) }

// in marks every place of every disguise that a piece of text covers, and
// reports whether enough of one is covered. Text is letters and digits.
func (f finder) in(text string) bool {
	covered := map[position]struct{}{}
	places := make([]int, len(f.disguises))
	var piece uint64
	for p := range len(text) {
		piece = piece<<8&pieceMask | uint64(text[p])
		if !f.likely[slot(piece)] {
			continue
		}
		for _, at := range f.pieces[piece] {
			for i := at.place; i < at.place+pieceLength; i++ {
				place := position{at.disguise, i}
				if _, known := covered[place]; known {
					continue
				}
				covered[place] = struct{}{}
				if places[at.disguise]++; places[at.disguise] == leakLength {
					return true
				}
			}
		}
	}
	for _, d := range f.disguises {
		if len(d.text) < leakLength && d.text != "" && strings.Contains(text, d.text) {
			return true
		}
	}
	return false
}

func lettersAndDigits(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	for i := range len(s) {
		if isWord(s[i]) {
			out.WriteByte(s[i])
		}
	}
	return out.String()
}

var (
	percentEscape   = lazily(`%[0-9A-Fa-f]{2}`)
	backslashEscape = lazily(`\\u\{?00[0-9A-Fa-f]{2}\}?|\\x[0-9A-Fa-f]{2}|\\[0-7]{3}`)
	decimalRun      = lazily(`\b[0-9]{2,3}(?:[^0-9A-Za-z]{1,4}[0-9]{2,3}\b){5,}`)
	decimal         = lazily(`[0-9]+`)
)

// withoutHexMarks drops what some notations put before a byte in hex.
func withoutHexMarks(s string) string {
	return strings.NewReplacer("0x", "", "0X", "", `\x`, "", `\u00`, "", "U+00", "", "u+00", "", "&#x", "", "&#X", "").Replace(s)
}

func percentDecoded(s string) string {
	return percentEscape().ReplaceAllStringFunc(s, func(e string) string {
		decoded, err := url.PathUnescape(e)
		if err != nil {
			return e
		}
		return decoded
	})
}

func backslashDecoded(s string) string {
	return backslashEscape().ReplaceAllStringFunc(s, func(e string) string {
		digits, base := strings.Trim(e[2:], "{}"), 16
		if e[1] >= '0' && e[1] <= '7' {
			digits, base = e[1:], 8
		}
		value, err := strconv.ParseUint(digits, base, 8)
		if err != nil {
			return e
		}
		return string([]byte{byte(value)})
	})
}

// numbersDecoded is the letters and digits that runs of decimal byte values spell.
func numbersDecoded(s string) string {
	var out strings.Builder
	for _, run := range decimalRun().FindAllString(s, -1) {
		for _, digits := range decimal().FindAllString(run, -1) {
			if value, err := strconv.Atoi(digits); err == nil && value < 0x80 && isWord(byte(value)) {
				out.WriteByte(byte(value))
			}
		}
	}
	return out.String()
}
