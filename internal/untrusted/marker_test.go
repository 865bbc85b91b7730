package untrusted

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestHoldsMarker(t *testing.T) {
	for text, want := range map[string]bool{
		"<!-- airlock/1 review key=x -->":          true,
		"text <!-- airlock/ more":                  true,
		"```\n<!-- airlock/1 finding id=x -->\n":   true,
		"<!--airlock/1":                            true,
		"<!--\n\tAirLock/2":                        true,
		"<!---  airlock /1":                        true,
		"<!-- air\u200block/1":                     true,
		"<\u2060!-- airlock/1":                     true,
		"<!-- air\U000e0041lock/1":                 true,
		"<!-- a --> <!-- airlock/9":                true,
		"":                                         false,
		"airlock/1 review":                         false,
		"<!-- other -->":                           false,
		"<!-- the airlock/1 marker -->":            false,
		"< !-- airlock/1":                          false,
		"&lt;!-- airlock/1":                        false,
		"<!-- airlock is good -->":                 false,
		"the package `airlock/internal/untrusted`": false,
	} {
		if got := HoldsMarker(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// Rendering never makes a marker: what holds none, renders to what holds none.
func TestRenderMakesNoMarker(t *testing.T) {
	parts := append([]string{"<!--", "<", "!--", "--", "airlock", "airlock/1", "air", "lock/", " "}, fragments...)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 10).Draw(t, "parts"), "")
		if !HoldsMarker(text) && HoldsMarker(Render(New(text), Options{})) {
			t.Fatalf("%q renders to a marker", text)
		}
	})
}

func TestDigest(t *testing.T) {
	first := Digest()
	if !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(first) || first != Digest() {
		t.Errorf("digest is %s", first)
	}
}
