package engine

import (
	"context"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// Engine asks a model once. Every engine passes one conformance suite.
type Engine interface {
	// Answer returns when the model has answered or will not. It does not validate the answer, never fails halfway and
	// leaves nothing behind: no process, no file. Cancelling the context ends it early with a failure. It may panic only
	// on a fault of the program, and even then it leaves nothing behind.
	Answer(ctx context.Context, request Request) Outcome
}

// Request is one question.
type Request struct {
	// Task is all that the model is given besides Prompt.
	Task contract.Task
	// Prompt is the Role's prompt, the whole of our system prompt.
	Prompt []byte
	// Schema is the lowered answer schema on one line.
	Schema []byte
	// Model is a full model id, never an alias; Effort one of the CLI's efforts.
	Model, Effort string
	// Limits bound the call in seconds and in money.
	Limits contract.Limits
	// Session is a UUID that the answer must carry.
	Session string
}

// Outcome is what came of a [Request]: an answer or a failure, never both and never neither.
type Outcome struct {
	// Answer is the JSON text of the model's answer, not validated and untrusted; nil when Failure is set.
	Answer []byte
	// Failure is a code of the engine or model stage, or result_invalid; "" when there is an answer.
	Failure contract.Code
	// Advice says what a person can do about the failure beyond what its reason says, in our words; "" for nothing.
	Advice string
	// Engine says who was asked. Binary, Version and Session are nil until they are known.
	Engine contract.Engine
	// Usage is a lower bound where it is not complete.
	Usage contract.Usage
}
