package secret

import (
	"regexp"
	"strings"
	"sync"
)

// lazily compiles an expression at its first use: all of them together would cost every program some milliseconds at its
// start, and most texts need none.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// shape is what the tokens of one issuer look like.
type shape struct {
	kind string
	// marks are what the token begins with; a ? is any byte. They make the search
	// fast: the pattern is only tried where one of them stands.
	marks   []string
	pattern func() *regexp.Regexp // anchored
	// random: the pattern alone also fits ordinary words, so a match must mix
	// digits, small and capital letters as a random one does.
	random bool
}

// shapes is the list, in the order in which overlapping matches are preferred.
// Sources: the issuers' own documentation of token formats, as of 2026.
var shapes = [...]shape{
	{kind: "private_key", marks: []string{"-----BEGIN "}, pattern: lazily(`^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----` +
		`(?:[^-A-Za-z0-9+/]|\\[nr]|[A-Za-z-]{1,40}: [^\n]{0,200}\n)*[A-Za-z0-9+/=]{16}[^-]*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?`)},
	{kind: "github", marks: []string{"ghs_"}, pattern: lazily(`^ghs_[0-9]{1,20}_eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+`)},
	{kind: "github", marks: []string{"gh?_"}, pattern: lazily(`^gh[a-z]_[A-Za-z0-9]{36,255}`)},
	{kind: "github", marks: []string{"github_pat_"}, pattern: lazily(`^github_pat_[A-Za-z0-9_]{36,255}`)},
	{kind: "anthropic", marks: []string{"sk-ant-"}, pattern: lazily(`^sk-ant-[A-Za-z0-9_-]{20,}`), random: true},
	{kind: "stripe", marks: []string{"sk_", "rk_"}, pattern: lazily(`^(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}`)},
	{kind: "secret_key", marks: []string{"sk-"}, pattern: lazily(`^sk-[A-Za-z0-9_-]{20,}`), random: true},
	{kind: "aws", marks: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, pattern: lazily(`^(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}`)},
	{kind: "slack", marks: []string{"xox?-"}, pattern: lazily(`^xox[a-z]-[0-9A-Za-z-]{20,}`)},
	{kind: "slack", marks: []string{"xapp-"}, pattern: lazily(`^xapp-[0-9]-[0-9A-Za-z-]{20,}`)},
	{kind: "npm", marks: []string{"npm_"}, pattern: lazily(`^npm_[A-Za-z0-9]{36}`)},
	{kind: "gitlab", marks: []string{"gl"}, pattern: lazily(`^gl[a-z]{2,8}-[A-Za-z0-9_-]{20,}`), random: true},
	{kind: "google", marks: []string{"AIza"}, pattern: lazily(`^AIza[A-Za-z0-9_-]{35}`)},
	{kind: "jwt", marks: []string{"eyJ"}, pattern: lazily(`^eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}`)},
}

// fits reports whether a match of the pattern at text[from:to] is mixed where it
// must be.
func (s *shape) fits(text string, from, to int) bool {
	if !s.random {
		return true
	}
	body := text[from:to]
	return strings.ContainsAny(body, "0123456789") &&
		strings.IndexFunc(body[3:], func(r rune) bool { return r >= 'A' && r <= 'Z' }) >= 0 &&
		strings.IndexFunc(body[3:], func(r rune) bool { return r >= 'a' && r <= 'z' }) >= 0
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// marked reports whether text begins with a mark of the shape.
func (s *shape) marked(text string) bool {
	for _, mark := range s.marks {
		if len(mark) <= len(text) && beginsWith(text, mark) {
			return true
		}
	}
	return false
}

func beginsWith(text, mark string) bool {
	for at := range len(mark) {
		if mark[at] != text[at] && mark[at] != '?' {
			return false
		}
	}
	return true
}

// shapesBy are the shapes by the bytes that their marks begin with, in the order of the list.
var shapesBy = func() (by [256][]*shape) {
	for n := range shapes {
		for _, mark := range shapes[n].marks {
			if list := by[mark[0]]; len(list) == 0 || list[len(list)-1] != &shapes[n] {
				by[mark[0]] = append(list, &shapes[n])
			}
		}
	}
	return by
}()
