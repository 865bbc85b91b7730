package secret

import (
	"encoding/base64"
	"encoding/hex"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// Match is a token shape at text[Start:End].
type Match struct {
	Kind       string // who issues such tokens: github, anthropic, private_key, …
	Start, End int    // bytes
}

// Find returns the token shapes in text, in order, none overlapping another. It
// looks through hidden characters put between those of a token, and finds a
// shape that is written backwards, in rot13, or in base64 or hex as a whole. It
// does not join what other visible text separates: then prose would match.
func Find(text string) []Match {
	view := newView(text)
	var found []Match
	add := func(kind string, from, to int) {
		found = append(found, Match{Kind: kind, Start: view.start(from), End: view.end(to)})
	}
	findPlain(view.text, add)
	findPlain(rot13(view.text), add)
	length := len(view.text)
	findPlain(reversed(view.text), func(kind string, from, to int) { add(kind, length-to, length-from) })
	findEncoded(view.text, add)
	return merge(found)
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

func findPlain(text string, add func(kind string, from, to int)) {
	for _, s := range shapes {
		for _, mark := range s.marks {
			for at := 0; at < len(text); {
				found := indexMark(text[at:], mark)
				if found < 0 {
					break
				}
				from := at + found
				at = from + 1
				if where := s.pattern().FindStringIndex(text[from:]); where != nil && s.fits(text, from, from+where[1]) {
					add(s.kind, from, from+where[1])
					at = from + where[1]
				}
			}
		}
	}
}

// The shortest encodings looked into: of 18 bytes in base64, of 20 in hex.
const (
	base64Least = 24
	hexLeast    = 40
)

var (
	hexRun    = lazily(`\b[0-9A-Fa-f]{2}(?:[ :,-]?[0-9A-Fa-f]{2}){19,}`)
	notBase64 = strings.NewReplacer("-", "+", "_", "/")
	notHex    = strings.NewReplacer(" ", "", ":", "", ",", "", "-", "")
)

func findEncoded(text string, add func(kind string, from, to int)) {
	holds := func(decoded []byte) string {
		kind := ""
		findPlain(string(decoded), func(k string, _, _ int) { kind = k })
		return kind
	}
	for from, to := range runs(text, base64Least, func(c byte) bool { return isWord(c) || strings.IndexByte("+/_-", c) >= 0 }) {
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
			if kind := holds(decoded); kind != "" {
				for padding := 0; padding < 2 && to < len(text) && text[to] == '='; padding++ {
					to++
				}
				add(kind, from, to)
				break
			}
		}
	}
	for from, to := range runs(text, hexLeast, func(c byte) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' || strings.IndexByte(" :,-", c) >= 0
	}) {
		from, to = max(0, from-1), min(len(text), to+1) // for the word boundary
		for _, where := range hexRun().FindAllStringIndex(text[from:to], -1) {
			decoded, err := hex.DecodeString(notHex.Replace(text[from+where[0] : from+where[1]]))
			if err != nil {
				continue
			}
			if kind := holds(decoded); kind != "" {
				add(kind, from+where[0], from+where[1])
			}
		}
	}
}

// runs gives the longest stretches of text of at least the given length whose
// bytes are all in the set.
func runs(text string, least int, in func(byte) bool) iter.Seq2[int, int] {
	var table [256]bool
	for c := range table {
		table[c] = in(byte(c))
	}
	return func(yield func(from, to int) bool) {
		from := 0
		for at := 0; at <= len(text); at++ {
			if at < len(text) && table[text[at]] {
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

// view is a text without its hidden characters, and where each byte stood.
type view struct {
	text  string
	place []int // nil where nothing was hidden
}

func newView(text string) view {
	if strings.IndexFunc(text, untrusted.Hidden) < 0 {
		return view{text: text}
	}
	var out strings.Builder
	var place []int
	for at, size := 0, 0; at < len(text); at += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[at:])
		if untrusted.Hidden(r) {
			continue
		}
		out.WriteString(text[at : at+size])
		for i := range size {
			place = append(place, at+i)
		}
	}
	return view{text: out.String(), place: place}
}

func (v view) start(at int) int {
	if v.place == nil {
		return at
	}
	return v.place[at]
}

func (v view) end(at int) int {
	if v.place == nil || at == 0 {
		return at
	}
	return v.place[at-1] + 1
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
