package standin

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// ScriptedCLI writes a program in place of a model CLI into a directory and returns its path and the digest of its bytes.
// Asked for --version alone it answers as the real CLI of that version does; otherwise it runs the body, a POSIX shell
// script that sees the CLI's own arguments, environment and standard input.
func ScriptedCLI(directory, version, body string) (path, digest string, err error) {
	script := fmt.Sprintf("#!/bin/sh\nif [ \"$*\" = --version ]; then echo '%s (Claude Code)'; exit 0; fi\n%s\n", version, body)
	path = filepath.Join(directory, "claude")
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		return "", "", fmt.Errorf("write the scripted CLI: %w", err)
	}
	return path, contract.Digest([]byte(script)), nil
}
