package account

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// document is what a program reads. Fields are only ever added.
type document struct {
	Schema string    `json:"schema"`
	Runs   []Account `json:"runs"`
}

// JSON is one or several accounts for a program: "airlock-show/1". Texts of others are whole; what is hidden in one is written
// as an escape of JSON, so that the document can be looked at on a terminal.
func JSON(accounts []Account) ([]byte, error) {
	if accounts == nil {
		accounts = []Account{}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document{Schema: "airlock-show/1", Runs: accounts}); err != nil {
		return nil, fmt.Errorf("write the account as JSON: %w", err)
	}
	return ShowHidden(out.Bytes()), nil
}

// ShowHidden writes every hidden character of a JSON document as an escape of four hexadecimal digits. Outside its strings a
// document that an encoder wrote has none.
func ShowHidden(document []byte) []byte {
	var out []byte
	from := 0
	for at := 0; at < len(document); {
		r, size := utf8.DecodeRune(document[at:])
		if r >= utf8.RuneSelf && untrusted.Hidden(r) || r == 0x7f {
			out = append(out, document[from:at]...)
			if r > 0xffff {
				high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
				out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
			} else {
				out = fmt.Appendf(out, `\u%04x`, r)
			}
			from = at + size
		}
		at += size
	}
	return append(out, document[from:]...)
}
