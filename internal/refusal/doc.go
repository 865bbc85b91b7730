// Package refusal holds the rules that end a Run before any Effect: one list in the design's order, of which the first that
// holds decides. It is pure: a rule reads what apply has already read and answers with a code and an id of ours or a field's
// name, never with text.
//
// It promises that a Result that no rule refuses can be written as package plan says, and that no Result makes it panic.
// [Superseded] is the step before: what the Kernel, asked again on fresh facts, means for a Run that was admitted.
package refusal
