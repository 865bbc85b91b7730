// Package plan turns a Result into the exact requests that apply makes: bodies byte for byte, places, keys and the
// permissions they need. It is a function over values, so that the same bundle and Result give the same bytes at every
// attempt, and nothing about a request is decided after the first write.
//
// It promises that every Finding and Disposition that an Effect of the Result names is in a request, or is said to be open
// already; that an anchor GitHub would not take becomes a section of the review's body; and that nothing is cut. It leaves
// to package refusal whether the Result may be written at all, and to the effects how.
package plan
