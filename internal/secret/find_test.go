package secret

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

// mixed is the random part of made-up tokens: 36 characters.
const mixed = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

const pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gun\nVTLw7onLRnrq0/IzW7yWR7QkrmBL7jTKEn5u+qKhbwKfBstIs+bMY2Zkp18gnTxK\n-----END RSA PRIVATE KEY-----"

func bigAppToken() string {
	return "ghs_900001_eyJ" + strings.Repeat("a1B2", 40) + "." + strings.Repeat("c3D4", 50) + "." + strings.Repeat("e5-_", 36)
}

func jwt() string {
	return "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiI5MDAwMDEifQ." + mixed
}

func TestFindKnowsTheShapes(t *testing.T) {
	for _, test := range []struct{ kind, token string }{
		{"github", "ghp_" + mixed}, {"github", "gho_" + mixed}, {"github", "ghs_" + mixed}, {"github", "ghu_" + mixed}, {"github", "ghr_" + mixed},
		{"github", bigAppToken()},
		{"github", "github_pat_11ABCDEFG0" + mixed + "_" + mixed},
		{"anthropic", "sk-ant-api03-" + mixed + "-AA"}, {"anthropic", "sk-ant-oat01-" + mixed + "_x"},
		{"secret_key", "sk-" + mixed}, {"secret_key", "sk-proj-" + mixed},
		{"aws", "AKIA2E3XAMPL4EXAMPLE"}, {"aws", "ASIA2E3XAMPL4EXAMPLE"},
		{"slack", "xoxb-123456789012-123456789012-a1B2c3D4e5F6"}, {"slack", "xapp-1-A012345678-0123456789-abcdef"},
		{"npm", "npm_" + mixed}, {"gitlab", "glpat-" + mixed[:20]},
		{"google", "AIza" + mixed[:35]},
		{"stripe", "sk_live_" + mixed[:24]}, {"stripe", "rk_test_" + mixed[:24]},
		{"jwt", jwt()},
		{"private_key", pem},
		{"private_key", strings.ReplaceAll(pem, "\n", `\n`)},
		{"private_key", strings.Split(pem, "\n-----END")[0]},
	} {
		for _, surrounding := range [][2]string{{"", ""}, {"the key is ", "."}, {"token=", "\n"}, {"`", "`"}, {"(", ")"}, {"żółć \"", "\""}} {
			text := surrounding[0] + test.token + surrounding[1]
			found := Find(text)
			if len(found) != 1 || found[0].Kind != test.kind || found[0].Start != len(surrounding[0]) || !strings.HasPrefix(text[found[0].Start:], strings.TrimRight(text[found[0].Start:found[0].End], "`")) {
				t.Errorf("%q: found %+v, want one of %s at %d", text, found, test.kind, len(surrounding[0]))
				continue
			}
			if got := text[found[0].Start:found[0].End]; test.kind != "private_key" && got != test.token {
				t.Errorf("found %q, want %q", got, test.token)
			}
		}
	}
}

func TestFindSeesThroughDisguise(t *testing.T) {
	for _, token := range []string{"ghp_" + mixed, "sk-ant-oat01-" + mixed + "-AA", "AKIA2E3XAMPL4EXAMPLE", bigAppToken()} {
		for name, hidden := range map[string]string{
			"backwards":              reversed(token),
			"escaped for Markdown":   strings.NewReplacer("_", `\_`, "-", `\-`, ".", `\.`).Replace(token),
			"rot13":                  rot13(token),
			"base64":                 base64.StdEncoding.EncodeToString([]byte(token)),
			"base64 inside":          base64.RawURLEncoding.EncodeToString([]byte("k=" + token)),
			"base64 behind a letter": "x" + base64.StdEncoding.EncodeToString([]byte(token)),
			"hex":                    strings.ToUpper(hex.EncodeToString([]byte(token))),
			"hex, spaced":            strings.TrimSpace(strings.ReplaceAll(hexPairs(token), ",", " ")),
			"zero width":             strings.Join(strings.Split(token, ""), "\u2061"),
			"tags":                   token[:9] + "\U000e0041" + token[9:],
		} {
			text := "see " + hidden + " here"
			found := Find(text)
			if len(found) != 1 || text[found[0].Start:found[0].End] != hidden {
				t.Errorf("%s: found %+v in %q", name, found, text)
			}
		}
	}
}

func hexPairs(s string) string {
	var out []string
	for i := range len(s) {
		out = append(out, hex.EncodeToString([]byte{s[i]}))
	}
	return strings.Join(out, ",")
}

func TestFindLetsOrdinaryTextPass(t *testing.T) {
	for _, text := range []string{
		"", "Jobs are started without a bound", "Use the prefix `ghp_` or `sk-ant-` and never commit one.",
		"ghp_short", "ghp_" + mixed[:35], "github_pat_short", "xghp_" + mixed, "npm_config_registry", "npm_" + mixed[:35],
		"sk-learn-is-a-library-for-machine-learning", "risk-assessment-of-the-whole-Module9-and-others", "sk-ant-api03-",
		"AKIA", "AKIAshortlower", "XAKIA2E3XAMPL4EXAMPLEX", "xoxb-", "xoxo-hugs", "AIza", "glpat-", "global-configuration-of-everything",
		"eyJhbGciOiJSUzI1NiJ9", "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiI5MDAwMDEifQ", "a.b.c",
		"-----BEGIN PRIVATE KEY-----", "Files that begin with -----BEGIN RSA PRIVATE KEY----- are keys.", "-----BEGIN PUBLIC KEY-----\n" + mixed + "\n-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----\n" + mixed,
		"sha256:8a3b64b927c762dddb6c00012fa64f3631e30ae9e818a2066516d603b4078791", "4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930",
		"<!-- airlock/1 finding id=run-db93904f83c62707abbb84a5/f4 category=data_loss severity=major anchor=- fingerprint=8fb1a87163ac8932fb5f0de7b9affee4 -->",
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
	} {
		if found := Find(text); found != nil {
			t.Errorf("%q: found %+v", text, found)
		}
	}
}

func TestMaskAdmitted(t *testing.T) {
	known, unknown := "ghp_"+mixed, "npm_"+mixed
	text := "the diff commits " + known + ", twice: " + known + "; and " + unknown + "!"
	masked, refused := MaskAdmitted(text, func(token string) bool { return token == known })
	if want := "the diff commits [masked github], twice: [masked github]; and " + unknown + "!"; masked != want {
		t.Errorf("masked %q, want %q", masked, want)
	}
	if len(refused) != 1 || refused[0].Kind != "npm" || text[refused[0].Start:refused[0].End] != unknown {
		t.Errorf("refused %+v", refused)
	}
	if masked, refused := MaskAdmitted("nothing", nil); masked != "nothing" || refused != nil {
		t.Errorf("%q, %+v", masked, refused)
	}
}

func FuzzFind(f *testing.F) {
	f.Add("x ghp_" + mixed + "\u200b")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, m := range Find(text) {
			if m.Start < last || m.End <= m.Start || m.End > len(text) || m.Kind == "" {
				t.Fatalf("%+v after %d in %q", m, last, text)
			}
			last = m.End
		}
		MaskAdmitted(text, func(string) bool { return true })
	})
}
