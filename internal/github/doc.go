// Package github is the one client that the programs speak to GitHub with.
//
// It promises: every request carries one token and goes to the two addresses it was made with; a redirect is an error
// and never followed, so that a renamed repository cannot turn a write into a false success; every answer is read within
// a bound; every failure has one of a closed set of classes; only reads are tried again, within a bound, waiting through
// a function that is handed in; every call is counted. No token and no address of a redirect is ever in an error.
//
// It leaves to others what is asked (packages facts, artifact, identity and effects) and what a failure means for a Run.
package github
