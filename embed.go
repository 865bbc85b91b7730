// Package airlock carries the files that every program of this module is built with.
package airlock

import "embed"

// Files holds the schemas, and the embedded defaults that a repository overrides by the same name under .github/airlock/:
// configuration, Role manifests with their prompts, and eval sets without what they are built from. It is read only.
//
//go:embed schemas config roles evals/*/cases.json evals/*/held_out.sha256 evals/*/tune evals/*/held_out
var Files embed.FS
