package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestCredentialPrintsRedacted(t *testing.T) {
	const value = "sk-ant-oat01-NotARealOne7"
	c := New(value)
	type unexported struct {
		c    Credential
		more *Credential
	}
	holder := unexported{c, &c}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%U", "%c", "%p", "%T%v", "%40s"} {
		for _, printed := range []any{c, &c, holder, &holder, []any{holder}, map[string]any{"c": holder}, struct{ C Credential }{c}} {
			text := fmt.Sprintf(verb, printed)
			for _, form := range []string{value, "NotAReal", fmt.Sprintf("%x", value), fmt.Sprintf("%X", value), fmt.Sprintf("% x", value), fmt.Sprint([]byte(value))} {
				if strings.Contains(text, form) {
					t.Errorf("%s of %T shows the credential: %s", verb, printed, text)
				}
			}
		}
	}
	if got, want := fmt.Sprintf("%v|%s|%#v|%x|%d", c, c, c, c, &c), strings.TrimSuffix(strings.Repeat("[redacted]|", 5), "|"); got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	encoded, err := json.Marshal(map[string]any{"c": c, "pointer": &c})
	if err != nil || string(encoded) != `{"c":"[redacted]","pointer":"[redacted]"}` {
		t.Errorf("encoded as %s, %v", encoded, err)
	}
	if text, err := c.MarshalText(); err != nil || string(text) != "[redacted]" {
		t.Errorf("text is %s, %v", text, err)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("mint", "token", c)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("mint", "token", c)
	if strings.Contains(log.String(), "NotAReal") || strings.Count(log.String(), "[redacted]") != 2 {
		t.Errorf("log: %s", log.String())
	}
}

func TestCredentialIsRevealedUntilWiped(t *testing.T) {
	c := New("value")
	copied := c
	if c.Reveal() != "value" || c.IsZero() || copied.Reveal() != "value" {
		t.Errorf("reveals %q", c.Reveal())
	}
	held := *c.held.bytes
	copied.Wipe()
	if c.Reveal() != "" || !c.IsZero() || !bytes.Equal(held, make([]byte, 5)) {
		t.Errorf("after Wipe it reveals %q and holds %q", c.Reveal(), held)
	}
	for _, none := range []Credential{{}, New("")} {
		none.Wipe()
		if none.Reveal() != "" || !none.IsZero() {
			t.Error("no credential is one")
		}
	}
}
