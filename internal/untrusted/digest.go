package untrusted

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// rendererVersion changes with every change of what Render writes that is not in
// a table of this package.
const rendererVersion = "3"

// Digest is `sha256:` and the digest of all that decides what Escape and Render
// write, a part of the Release's contract: two programs with one digest render
// alike.
func Digest() string {
	var dump strings.Builder
	fmt.Fprintf(&dump, "airlock-render/%s\n", rendererVersion)
	for _, s := range hiddenSpans {
		fmt.Fprintf(&dump, "hidden %04X %04X %d\n", s.from, s.to, s.class)
	}
	fmt.Fprintf(&dump, "escape %s %s\n", openEscape, closeEscape)
	for _, info := range activeInfo {
		fmt.Fprintf(&dump, "info %s\n", info)
	}
	for _, word := range referring {
		fmt.Fprintf(&dump, "refers %s\n", word)
	}
	fmt.Fprintf(&dump, "attached %s\npath %s\n", attached, pathMarks)
	fmt.Fprintf(&dump, "marker %s\n", marker)
	sum := sha256.Sum256([]byte(dump.String()))
	return "sha256:" + hex.EncodeToString(sum[:])
}
