// Package outcome says how a Run ended: status, fault, reasons, the check's conclusion and the program's exit code, by the
// end table of the design, and the texts a person reads of it. It is a function over what was read from GitHub.
//
// It promises that a gate's check is success only for a completed review of the whole change that was read back, with
// nothing that gates open and no sibling of the same head without a green review; that everything else is failure or
// action_required with the reason in its title; and that no text of a model or a stranger is in any text.
package outcome
