// Package ledger reads back what earlier Runs wrote: from the facts of one snapshot to our App's reviews, its Findings and
// Dispositions, and which Findings are open.
//
// It promises that a marker counts only in a text whose author is the App's bot user id, only where apply writes one, and
// only as a whole line of the closed grammar: a forged, quoted or misplaced one is plain text. There is no other record of
// earlier Runs than GitHub's, so this is pure: the same facts give the same ledger.
//
// A writer of the repository can edit the App's texts. An edited text is read as it stands, and says so (Edited): its
// Findings stay, and gate whatever they say now of their severity; an acceptance in it does not count; whether its other
// claims may be used is the reader's to decide, and package kernel does not use them. What a writer deletes, or takes the
// marker from, is gone: GitHub shows nothing of it.
package ledger
