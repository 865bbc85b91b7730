// Package engine asks a model for one answer. An engine is the adapter around one pinned model CLI, one file each, or a
// replay of a recorded answer.
//
// The package promises that the CLI is exactly the pinned program, is started with arguments and an environment built
// here and nowhere else, is offered no tool, holds one credential, starts in an empty private directory, and is gone with
// every child when Answer returns. Of what the CLI prints it keeps the structured answer and numbers; prose, error texts
// and standard error are compared with constants in memory and dropped.
//
// It leaves to others what the Task holds, which schema the answer must meet and whether it does, and what is recorded.
package engine
