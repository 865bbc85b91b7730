// Package sandbox starts one program such that it reaches nothing but what it is given, and is gone with everything that it
// started when [Runner.Run] returns.
//
// Two kinds of [Runner] start a program in the same way: [Bubblewrap] inside namespaces of its own, with no file of the
// machine but its own libraries, no network but one listener that the caller serves, and no privilege; [Off] in a private
// directory on the machine itself, where nothing but its environment is kept from it.
//
// The first process of both is the keeper: the caller's own executable, started again (see [IsKeeper]). It starts the
// program, hands signals on, reaps what is orphaned, kills what survives and reports how the program ended. It ends, and
// everything below it, when the caller does, however the caller ends.
//
// What the program is, what it is told and what its output means is the caller's.
package sandbox
