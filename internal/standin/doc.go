// Package standin stands in for what a model CLI talks to, and for a CLI itself, in tests and on a developer's machine.
//
// [Server] is a Messages API on loopback. It answers from a script, records every request, and is strict: a request that
// the real CLI, started as airlock starts it, would not send is reported as a fault of the test. [ScriptedCLI] is a program
// in place of the CLI, for ends that no server can cause.
//
// The shapes it serves were observed of the real CLI. No program of airlock's links this package.
package standin
