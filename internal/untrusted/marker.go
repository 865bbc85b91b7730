package untrusted

import (
	"regexp"
	"strings"
)

// marker is the beginning of the comments that apply finds its own work by, in
// any spelling that a browser, GitHub or a careless reader takes for it.
var marker = regexp.MustCompile(`(?i)<!-[-\s]*airlock\s*/`)

// HoldsMarker reports whether s holds the beginning of a marker of ours, in a
// code fence too. Case, spaces and hidden characters do not disguise one. Text
// for which it is true may not be posted: a reader of markers does not read
// Markdown.
func HoldsMarker(s string) bool {
	if !strings.Contains(s, "<") {
		return false
	}
	seen := s
	if strings.IndexFunc(s, Hidden) >= 0 {
		seen = strings.Map(func(r rune) rune {
			if Hidden(r) {
				return -1
			}
			return r
		}, s)
	}
	return marker.MatchString(seen)
}
