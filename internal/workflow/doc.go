// Package workflow is what a program of ours takes from and gives to the Actions step it runs in.
//
// It promises that a variable that is missing has one clear error, that an output is one value of a closed form (a truth, a
// name, an id, a digest, a code or a count), so that no text of anybody's can leave by one or forge another, and that a step
// summary is below what GitHub accepts. It leaves to others what the values mean.
package workflow
