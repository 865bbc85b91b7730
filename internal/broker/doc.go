// Package broker is the one road from a model CLI to the one host it may ask.
//
// A broker serves HTTP on one listener, which is this machine's loopback or that of a sandbox. It
// holds the model credential; the CLI holds a worthless token, good for this broker and this Run. A request is forwarded
// only if everything about it is known and allowed: the token, the method, the path, the headers, the size, each top-level
// key of the body, the kinds of content that a server would not fetch anything for, exactly the one tool with exactly our
// schema, the model, the most tokens it may answer with, how many requests came before, and that the worst it can cost is
// left of the budget. The first request that is anything else is answered 403, ends the Run, and nothing is forwarded after
// it.
//
// The answer passes through as it comes; what it cost is read from it on the way, not from what the CLI says later. No
// redirect is followed, nothing is decompressed, no cookie is kept, and no text of either side is logged or kept: a refusal is
// one word of a closed list.
//
// It leaves to others what the CLI is told, when it is ended, and what is recorded.
package broker
