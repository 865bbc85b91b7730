package secret

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTurnsAreLookedAtFirst holds that no text is passed over that holds something once it is turned.
func TestTurnsAreLookedAtFirst(t *testing.T) {
	github := "gh" + "p_" + strings.Repeat("aB3", 12)
	for _, held := range []string{github, base64.StdEncoding.EncodeToString([]byte(github)), hex.EncodeToString([]byte(github)),
		strings.Join(strings.Split(hex.EncodeToString([]byte(github)), ""), " ")} {
		for name, c := range map[string]struct {
			turn   *turn
			turned func(string) string
		}{"rot13": {inRot13, rot13}, "backwards": {backwards, reversed}} {
			text := "before " + c.turned(held) + " after"
			if !c.turn.may(text) || len(Find(text)) == 0 {
				t.Errorf("%s: %q is passed over", name, text)
			}
		}
	}
	pieces := []string{"ghp_", "gh", "_pat_", "sk-", "AKIA", "eyJ", "-----BEGIN ", "xoxb-", "glpat-", "A", "b", "7", " ", ":", "=", "/", "-", "_", github,
		strings.Repeat("Q2d4", 7), strings.Repeat("6a", 21), strings.Repeat("6 a ", 21)}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "text"), "")
		for _, c := range []struct {
			turn   *turn
			turned func(string) string
		}{{inRot13, rot13}, {backwards, reversed}} {
			found := false
			findShapes(text, func(string, int, int) { found = true })
			if found && !c.turn.may(c.turned(text)) {
				t.Fatalf("%q is passed over", c.turned(text))
			}
		}
	})
}
