package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// hexOfLines returns the first digits hexadecimal digits of the sha256 of the lines joined by newlines, none at the end.
func hexOfLines(digits int, lines ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])[:digits]
}

// IsName reports whether s can be the name of a Role, an Intent or an App: 1 to 40 of a-z, 0-9 and -, a letter first.
func IsName(s string) bool {
	return s != "" && len(s) <= 40 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && s[0] >= 'a'
}

// RunID makes the id of a Run: "run-" and 24 hexadecimal digits. The content id is in full, "sha256:" included.
func RunID(repositoryID int64, item Item, role, intent, contentID string, workflow Workflow) string {
	return "run-" + hexOfLines(24, "airlock-run/1", strconv.FormatInt(repositoryID, 10), item.Kind, strconv.Itoa(item.Number),
		role, intent, contentID, strconv.FormatInt(workflow.RunID, 10), strconv.Itoa(workflow.Attempt))
}

// EffectKey makes the key that an Effect is found again by: 32 hexadecimal digits. resultDigest is the digest of result.json's bytes.
func EffectKey(run, resultDigest, effectID string) string {
	return hexOfLines(32, "airlock-key/1", run, resultDigest, effectID)
}

// Fingerprint makes the fingerprint of a Finding: 32 hexadecimal digits. path and anchor are empty where there is none.
func Fingerprint(category, path, anchor string) string {
	return hexOfLines(32, "airlock-fingerprint/1", category, path, anchor)
}

// FindingID makes the id that a Finding of a Result has everywhere else: "<run>/f1".
func FindingID(run, id string) string { return run + "/" + id }

// AlteredID makes the id of a Finding whose own is not there any more or not to be believed, from where it stands. It has the
// form of a Finding's id and is of no Run.
func AlteredID(place string) string {
	return "run-" + hexOfLines(24, "airlock-altered/1", place) + "/f1"
}

// CheckName is the name of a Role's check, by which a maintainer requires it.
func CheckName(role string) string { return "airlock / " + role }
