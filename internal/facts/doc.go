// Package facts reads one snapshot of an Item from GitHub, and looks at it again around each write.
//
// It promises that a list is whole or its part is marked incomplete, that what could not be read is never taken for
// empty, that head, base and content belong together, and that a text's author is a numeric id.
//
// [Read] makes seven REST calls and one GraphQL call for an ordinary pull request; an eighth where another Run was within
// the last 24 hours, a ninth where the head has siblings, and one for each further page. [Look] makes one GraphQL call, and
// a [Source] one GraphQL call and one REST call for each folder and each file that the repository overrides.
//
// It leaves to others what the facts mean: who is a maintainer (package trust), which texts are ours (package ledger),
// what is admitted (package kernel).
package facts
