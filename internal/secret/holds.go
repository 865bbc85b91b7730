package secret

import (
	"encoding/base64"
	"encoding/hex"
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
// not), base32, hex, decimal numbers, percent, HTML or backslash escapes,
// full-width or mathematical letters, or two of these where one of them is
// backwards or rot13; with any separators between its characters, also hidden
// ones, or between pieces of at least six characters with any text between them.
// At least 18 different places must be found. A credential whose secret part is
// shorter than that is found whole only.
//
// It does not find what is compressed, encrypted, written in words, twice encoded,
// or mixed with other letters and digits after fewer than six characters.
func Holds(text string, c Credential) bool { return HoldsAcross([]string{text}, c) }

// HoldsAcross is Holds over several texts, so that a credential spread over them
// is found.
func HoldsAcross(texts []string, c Credential) bool {
	secretPart := prefix().ReplaceAllString(c.Reveal(), "")
	if lettersAndDigits(secretPart) == "" {
		return false
	}
	exact, anyCase := disguisesOf(secretPart)
	exactFinder, anyCaseFinder := newFinder(exact, asWritten), newFinder(anyCase, inSmall)
	joined := view{text: strings.Join(texts, "\n")}
	for _, read := range []func(view) (view, bool){
		func(v view) (view, bool) { return v, true }, view.unescaped, view.numbers, view.withoutHexMarks,
	} {
		if v, ok := read(joined); ok && (exactFinder.in(v.text) || anyCaseFinder.in(v.text)) {
			return true
		}
	}
	return false
}

// disguisesOf returns the letters and digits of each way to write the credential:
// those in which the case of a letter matters, and those in which it does not, in
// small letters.
func disguisesOf(credential string) (exact, anyCase []string) {
	shifted := func(text string, shift int) []byte { return []byte(strings.Repeat("\x00", shift) + text) }
	addBothWays := func(list []string, text string) []string {
		return append(list, lettersAndDigits(text), lettersAndDigits(reversed(text)), lettersAndDigits(rot13(text)))
	}
	for _, turned := range []string{credential, rot13(credential), reversed(credential), rot13(reversed(credential))} {
		exact = append(exact, lettersAndDigits(turned))
		for shift := range 3 { // the URL alphabet differs in what is no letter or digit
			exact = addBothWays(exact, cut(base64.RawStdEncoding.EncodeToString(shifted(turned, shift)), shift, 6))
		}
		for shift := range 5 {
			anyCase = addBothWays(anyCase, strings.ToLower(cut(base32Raw.EncodeToString(shifted(turned, shift)), shift, 5)))
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

// letters reads a byte of a text as a letter or digit; zero for none.
type letters [256]byte

var (
	asWritten = func() (table letters) {
		for c := range table {
			if isWord(byte(c)) {
				table[c] = byte(c)
			}
		}
		return table
	}()
	inSmall = func() letters {
		table := asWritten
		for c := 'A'; c <= 'Z'; c++ {
			table[c] |= 0x20
		}
		return table
	}()
)

// finder knows where in which disguise each piece stands.
type finder struct {
	disguises []string
	letters   *letters
	// pieces of one slot are a chain that begins at first, by index and one more.
	first  [1 << slotBits]int32
	pieces []piece
	// likely tells most places of a text apart from a piece, fast.
	likely [1 << (likelyBits - 6)]uint64
}

// piece is a piece of a disguise, whose first place counts over all disguises.
type piece struct {
	text            uint64
	disguise, place int32
	next            int32
}

const (
	pieceMask  = 1<<(8*pieceLength) - 1
	slotBits   = 14
	likelyBits = 18
	scatter    = 0x9E3779B97F4A7C15
)

func newFinder(disguises []string, table letters) *finder {
	f := &finder{disguises: disguises, letters: &table}
	size := 0
	for _, d := range disguises {
		size += len(d)
	}
	f.pieces = make([]piece, 0, size)
	before := 0
	for i, d := range disguises {
		if len(d) < leakLength {
			continue
		}
		var text uint64
		for p := range len(d) {
			text = text<<8&pieceMask | uint64(d[p])
			if from := p - pieceLength + 1; from >= 0 {
				hash := text * scatter
				slot := hash >> (64 - slotBits)
				f.pieces = append(f.pieces, piece{text, int32(i), int32(before + from), f.first[slot]})
				f.first[slot] = int32(len(f.pieces))
				bit := hash >> (64 - likelyBits)
				f.likely[bit>>6] |= 1 << (bit & 63)
			}
		}
		before += len(d)
	}
	return f
}

// in marks every place of every disguise that a piece of text covers, and
// reports whether enough of one is covered.
func (f *finder) in(text string) bool {
	covered := coverage{}
	var window uint64
	for p := range len(text) {
		c := f.letters[text[p]]
		if c == 0 {
			continue
		}
		window = window<<8&pieceMask | uint64(c)
		hash := window * scatter
		if bit := hash >> (64 - likelyBits); f.likely[bit>>6]&(1<<(bit&63)) == 0 {
			continue
		}
		for next := f.first[hash>>(64-slotBits)]; next != 0; next = f.pieces[next-1].next {
			if at := f.pieces[next-1]; at.text == window && covered.add(at) {
				return true
			}
		}
	}
	return f.short(text)
}

// coverage is which places are covered, and how many of each disguise.
type coverage struct {
	places map[int32]bool
	counts map[int32]int
}

// add covers the places of a piece and reports whether they make a leak.
func (c *coverage) add(p piece) bool {
	if c.places == nil {
		c.places, c.counts = map[int32]bool{}, map[int32]int{}
	}
	for place := p.place; place < p.place+pieceLength; place++ {
		if !c.places[place] {
			c.places[place] = true
			c.counts[p.disguise]++
		}
	}
	return c.counts[p.disguise] >= leakLength
}

// short looks for the disguises that are too short to be found in pieces.
func (f *finder) short(text string) bool {
	read := ""
	for _, d := range f.disguises {
		if len(d) >= leakLength || d == "" {
			continue
		}
		if read == "" {
			read = strings.Map(func(r rune) rune {
				if r < 0x80 && f.letters[r] != 0 {
					return rune(f.letters[r])
				}
				return -1
			}, text)
		}
		if strings.Contains(read, d) {
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
