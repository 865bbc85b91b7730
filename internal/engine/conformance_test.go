package engine

import (
	"bytes"
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
	"github.com/seed-2ea642bd/airlock/internal/standin"
)

// engines are all engines, each made to answer [goodAnswer], and each with what its records say of it.
func engines() map[string]struct {
	make                             func(t *testing.T) Engine
	mode, name, model                string
	credential                       string
	hasBinary, hasSession, countsUse bool
} {
	type row = struct {
		make                             func(t *testing.T) Engine
		mode, name, model                string
		credential                       string
		hasBinary, hasSession, countsUse bool
	}
	return map[string]row{
		"claude": {func(t *testing.T) Engine {
			return realClaude(t, standin.Start(t, strict(), standin.Answer(goodAnswer)).URL())
		}, contract.ModeStandIn, ClaudeName, testModel, CredentialDirect, true, true, true},
		"scripted": {func(t *testing.T) Engine {
			return scripted(t, reporting(0, `"is_error":false,"num_turns":2,"structured_output":`+goodAnswer+`,`+oneModel))
		}, contract.ModeStandIn, ClaudeName, testModel, CredentialDirect, true, true, true},
		"replay": {func(t *testing.T) Engine { return Replay{Recorded: []byte(goodAnswer)} },
			contract.ModeReplay, ReplayName, ReplayName, CredentialNone, false, false, false},
	}
}

// TestEngineConformance is what every engine owes its caller.
func TestEngineConformance(t *testing.T) {
	for name, engine := range engines() {
		t.Run(name, func(t *testing.T) {
			t.Run("answers", func(t *testing.T) {
				request := requestWith("a change")
				outcome := ask(t, engine.make(t), request)
				if string(outcome.Answer) != goodAnswer || outcome.Failure != "" {
					t.Fatalf("answer %s, failure %q", outcome.Answer, outcome.Failure)
				}
				record := outcome.Engine
				if record.Mode != engine.mode || record.Name != engine.name || record.Model != engine.model ||
					record.Credential != engine.credential || record.Sandbox != sandbox.KindOff {
					t.Errorf("record: %+v", record)
				}
				if got := record.Binary != nil && record.Version != nil; got != engine.hasBinary {
					t.Errorf("binary %v, version %v", record.Binary, record.Version)
				}
				if got := record.Session != nil && *record.Session == request.Session; got != engine.hasSession {
					t.Errorf("session %v", record.Session)
				}
				if !outcome.Usage.Complete || outcome.Usage.Requests > 0 != engine.countsUse {
					t.Errorf("usage: %+v", outcome.Usage)
				}
				if _, err := contract.Canonical(contract.Result{Engine: record, Usage: outcome.Usage}); err != nil {
					t.Errorf("the record cannot be written: %v", err)
				}
			})
			t.Run("leaves the request alone", func(t *testing.T) {
				request := requestWith("a change")
				before := request
				before.Prompt, before.Schema = bytes.Clone(request.Prompt), bytes.Clone(request.Schema)
				ask(t, engine.make(t), request)
				if difference := cmp.Diff(before, request); difference != "" {
					t.Errorf("the request changed:\n%s", difference)
				}
			})
			t.Run("answers anew", func(t *testing.T) {
				asked := engine.make(t)
				first := ask(t, asked, requestWith("a change"))
				clear(first.Answer) // the caller owns it
				if second := ask(t, asked, requestWith("a change")); string(second.Answer) != goodAnswer {
					t.Errorf("the second answer is %q, failure %q", second.Answer, second.Failure)
				}
			})
			t.Run("answers side by side", func(t *testing.T) {
				asked := engine.make(t)
				var group sync.WaitGroup
				for range 2 {
					group.Go(func() {
						if outcome := asked.Answer(context.Background(), requestWith("a change")); string(outcome.Answer) != goodAnswer {
							t.Errorf("failure %q", outcome.Failure)
						}
					})
				}
				group.Wait()
			})
			t.Run("ends with its context", func(t *testing.T) {
				ctx, cancel := newCancel(t)
				cancel()
				outcome := engine.make(t).Answer(ctx, requestWith("a change"))
				if outcome.Answer != nil || outcome.Failure != contract.CodeEngineInterrupted {
					t.Errorf("answer %q, failure %q", outcome.Answer, outcome.Failure)
				}
			})
		})
	}
}
