package task

import (
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// Excluded returns what says of the names that a file goes by whether the policy keeps it from the model.
func Excluded(policy contract.Policy) func(names ...string) bool {
	return newPatterns(policy.ExcludedPaths).matchAll
}

// patterns are globs over whole paths, read from the root of the repository, case counting:
//
//   - `*`: any characters but a slash, or none
//   - `?`: one byte that is not a slash
//   - `**` as a whole segment: any number of segments, or none; as the last one: all that is inside, so `vendor/**` is not `vendor`
//
// Everything else stands for itself. There are no classes, escapes, alternatives or negations, so every string is a pattern.
type patterns [][]string

func newPatterns(globs []string) patterns {
	var p patterns
	for _, glob := range globs {
		segments := strings.Split(glob, "/")
		if segments[len(segments)-1] == "**" {
			segments = append(segments, "*")
		}
		p = append(p, segments)
	}
	return p
}

// matchAll reports whether every name that a file goes by is matched, so that a file moved into an excluded folder is
// still shown. Empty names are none.
func (p patterns) matchAll(names ...string) bool {
	matched := false
	for _, name := range names {
		if name == "" {
			continue
		}
		if !p.match(name) {
			return false
		}
		matched = true
	}
	return matched
}

func (p patterns) match(name string) bool {
	segments := strings.Split(name, "/")
	for _, pattern := range p {
		if glob(pattern, segments, "**", matchSegment) {
			return true
		}
	}
	return false
}

func matchSegment(pattern, segment string) bool {
	return glob([]byte(pattern), []byte(segment), '*', func(p, c byte) bool { return p == c || p == '?' })
}

// glob matches a list against a pattern in which star stands for any number of elements. It goes back only to the last
// star, so it takes at most the product of both lengths.
func glob[E comparable](pattern, list []E, star E, same func(pattern, element E) bool) bool {
	p, at := 0, 0
	back, resume := -1, 0
	for at < len(list) {
		switch {
		case p < len(pattern) && pattern[p] == star:
			back, resume = p, at
			p++
		case p < len(pattern) && same(pattern[p], list[at]):
			p++
			at++
		case back >= 0:
			resume++
			p, at = back+1, resume
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == star {
		p++
	}
	return p == len(pattern)
}
