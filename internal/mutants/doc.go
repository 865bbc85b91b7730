// Package mutants proves that the tests hold the rules: it breaks one line of the source at a time and demands that the one
// test that is there for it fails by an assertion of its own.
//
// The list is plain text, one file a package under list/:
//
//	file internal/refusal/effects.go                          the source, until the next such line
//	test internal/refusal TestRefusal/effect_duplicate        package and test that must fail, until the next such line
//	code effect_duplicate                                     optional: the reason code whose rule is broken, until the next test
//	- if seen[effect.ID()] {                                  the text to take out, found exactly once in the file
//	+ if false {                                              what stands there instead; a bare + is nothing
//
// Text is what stands behind the sign and one blank; several lines of a sign are one text of several lines. Lines that begin
// with # are comments. The tree is never touched: the changed file is laid over it (go help build, -overlay).
package mutants
