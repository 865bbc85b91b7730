package engine

import (
	"bytes"
	"context"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
)

// ReplayName is the engine and the model that a replay is recorded as.
const ReplayName = "replay"

// Replay answers every request with one recorded answer. It starts nothing and reads no model credential; every record of
// a Run that used it says so.
type Replay struct {
	// Answer is the JSON text that a model answered once.
	Recorded []byte
}

// Answer returns the recorded answer.
func (r Replay) Answer(ctx context.Context, _ Request) Outcome {
	outcome := Outcome{
		Engine: contract.Engine{Mode: contract.ModeReplay, Name: ReplayName, Model: ReplayName, Credential: CredentialNone, Sandbox: sandbox.KindOff},
		Usage:  contract.Usage{Complete: true},
	}
	switch {
	case ctx.Err() != nil:
		outcome.Failure = contract.CodeEngineInterrupted
	case len(bytes.TrimSpace(r.Recorded)) == 0:
		outcome.Failure = contract.CodeResultMissing
	default:
		outcome.Answer = bytes.Clone(r.Recorded)
	}
	return outcome
}
