package secret

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// encodings are the ways to write a text that the searches see through, by what each is.
func encodings(text string) map[string]string {
	each := func(form string) string {
		var out strings.Builder
		for _, b := range []byte(text) {
			fmt.Fprintf(&out, form, b)
		}
		return out.String()
	}
	reversed := []rune(text)
	slices.Reverse(reversed)
	wide := strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f {
			return r - '!' + '\uff01'
		}
		return r
	}, text)
	return map[string]string{
		"plain": text, "backwards": string(reversed), "wide letters": wide,
		"base64": base64.StdEncoding.EncodeToString([]byte(text)), "base64 without padding": base64.RawStdEncoding.EncodeToString([]byte(text)),
		"base64 for addresses": base64.URLEncoding.EncodeToString([]byte(text)), "base64 behind one byte": base64.StdEncoding.EncodeToString([]byte(" " + text)),
		"base64 behind two bytes": base64.StdEncoding.EncodeToString([]byte("= " + text)), "base32": base32.StdEncoding.EncodeToString([]byte(text)),
		"hex": hex.EncodeToString([]byte(text)), "hex in capitals": strings.ToUpper(hex.EncodeToString([]byte(text))),
		"hex with spaces": strings.TrimSpace(each("%02x ")), "hex with colons": strings.TrimSuffix(each("%02x:"), ":"),
		"percent": each("%%%02X"), "backslash x": each(`\x%02x`), "backslash u": each(`\u%04x`), "HTML": each("&#%d;"), "HTML in hex": each("&#x%x;"),
		"spaced": strings.Join(strings.Split(text, ""), " "), "invisible between": strings.Join(strings.Split(text, ""), "\u2063"),
	}
}

// TestFindSeesThrough holds that a token on a line of its own is found however it is written.
func TestFindSeesThrough(t *testing.T) {
	for _, token := range []string{"ghp_" + mixed, "sk-ant-oat01-" + mixed + "_x", bigAppToken()} {
		for name, written := range encodings(token) {
			if found := Find("see:\n" + written + "\nthere"); len(found) == 0 {
				t.Errorf("%s of %.12s… is not found", name, token)
			}
		}
	}
}

// TestHoldsSeesThrough is the same for one known credential.
func TestHoldsSeesThrough(t *testing.T) {
	credential := "sk-ant-oat01-" + mixed + "_x"
	for name, written := range encodings(credential) {
		if !Holds("see "+written+" there", New(credential)) {
			t.Errorf("%s is not found", name)
		}
	}
	for name, text := range nearMisses() {
		if Holds(text, New(credential)) {
			t.Errorf("%s is taken for it", name)
		}
	}
}

// nearMisses are what a review quotes every day.
func nearMisses() map[string]string {
	return map[string]string{
		"a digest": "sha256:" + strings.Repeat("9f86d081884c7d65", 4), "a commit": "5f0c9d3e2b1a49786e5d4c3b2a19087f6e5d4c3b",
		"a UUID": "a2b3c4d5-0e1f-4a2b-8c3d-4e5f60718293", "a long name": "TheLongestIdentifierThatAnybodyEverWroteInOneFileOfThisProject",
		"base64 of a picture": base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10\x00\x00\x00\x10\x08\x06\x00\x00\x00")),
		"the beginning alone": "sk-ant-oat01-", "a path": "internal/secret/encodings_test.go:42", "prose": "Use a placeholder and not the owner's text.",
	}
}

// TestFindPassesNearMisses holds that none of them is a token, in any of the encodings either.
func TestFindPassesNearMisses(t *testing.T) {
	for name, text := range nearMisses() {
		if found := Find(text); len(found) != 0 {
			t.Errorf("%s is taken for %+v", name, found)
		}
	}
}
