// Package ledger reads back what earlier Runs wrote: from the facts of one snapshot to our App's reviews, its Findings and
// Dispositions, and which Findings are open.
//
// It promises that a marker counts only in a text whose author is the App's bot user id, only where apply writes one, and
// only as a whole line of the closed grammar: a forged, quoted or misplaced one is plain text. There is no other record of
// earlier Runs than GitHub's, so this is pure: the same facts give the same ledger.
//
// A writer of the repository can edit the App's texts, and who did so last is known by id. A text that a maintainer edited is
// read as it stands. One that another altered is believed for nothing that would help: its Findings gate whatever they say now
// and are closed by a maintainer alone, one without its marker is held to be the gravest, an answer in it accepts nothing. What
// is deleted GitHub does not show: it is missed by what the App's earlier check lists, which package outcome compares.
package ledger
