package run

import (
	"bytes"
	"encoding/json"

	"github.com/seed-2ea642bd/airlock/internal/secret"
)

// leaks reports whether an answer holds the credential or a transform of it, in one text or spread over several, names of
// fields included. It looks at the answer as it came, valid or not.
func leaks(answer []byte, credential secret.Credential) bool {
	return secret.Holds(string(answer), credential) || secret.HoldsAcross(texts(answer), credential)
}

// texts returns every string of a JSON document in its order, up to where it is no longer JSON.
func texts(document []byte) []string {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var found []string
	for {
		token, err := decoder.Token()
		if err != nil {
			return found
		}
		if text, ok := token.(string); ok {
			found = append(found, text)
		}
	}
}
