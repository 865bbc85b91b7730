// Package diff reads a unified diff in git's format, as GitHub serves it.
//
// Scanner gives its files one after another, each with exactly its own bytes, in
// memory bounded by what the caller asked to keep. Index answers where a comment
// may stand, and what the line there says.
//
// Hunks are read by the counts in their headers, never by what a line looks
// like: a changed line that reads `--- a/x`, `@@ -1 +1 @@`, `diff --git …` or
// `Binary files … differ` is content. No input makes this package panic, and no
// byte of an accepted input belongs to no file.
//
// What is opaque to a reader, too large, or excluded is decided by others.
package diff
