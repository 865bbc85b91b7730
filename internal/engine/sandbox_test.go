package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
	"github.com/seed-2ea642bd/airlock/internal/standin"
)

// TestRealClaudeSandboxed holds that the real CLI answers from inside the sandbox as it does outside, and what it sees there.
func TestRealClaudeSandboxed(t *testing.T) {
	api := standin.Start(t, strict(), standin.Answer(goodAnswer))
	request := requestWith("a change")
	outcome := ask(t, confined(realClaude(t, api.URL())), request)
	if string(outcome.Answer) != goodAnswer || outcome.Failure != "" || outcome.Engine.Sandbox != sandbox.KindBubblewrap {
		t.Fatalf("answer %s, failure %q, %s, sandbox %s", outcome.Answer, outcome.Failure, outcome.Advice, outcome.Engine.Sandbox)
	}
	if len(api.Requests()) != 1 {
		t.Fatalf("%d requests", len(api.Requests()))
	}
	if sent := string(api.Requests()[0].Body); !strings.Contains(sent, "/scratch") || strings.Contains(sent, os.TempDir()+"/") {
		t.Error("the model is told of another place than the sandbox's")
	}
}

// TestRealClaudeSandboxedEnds holds that ends which we hasten, and what is seen of them, are the same inside the sandbox.
func TestRealClaudeSandboxedEnds(t *testing.T) {
	t.Run("deadline", func(t *testing.T) {
		api := standin.Start(t, strict(), standin.Silence())
		request := requestWith("x")
		request.Limits.Seconds = 2
		if outcome := ask(t, confined(realClaude(t, api.URL())), request); outcome.Failure != contract.CodeEngineTimeout {
			t.Errorf("failure %q", outcome.Failure)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		api := standin.Start(t, strict(), standin.Silence())
		ctx, cancel := newCancel(t)
		ended := make(chan Outcome)
		engine := confined(realClaude(t, api.URL()))
		go func() { ended <- engine.Answer(ctx, requestWith("x")) }()
		<-api.Arrived()
		cancel()
		if outcome := <-ended; outcome.Failure != contract.CodeEngineInterrupted {
			t.Errorf("failure %q", outcome.Failure)
		}
	})
	t.Run("too long a schema", func(t *testing.T) {
		request := requestWith("x")
		request.Schema = []byte(strings.Repeat(" ", schemaLimit-len(testSchema)) + testSchema)
		api := standin.Start(t, strict(), standin.Answer(goodAnswer))
		if outcome := ask(t, confined(realClaude(t, api.URL())), request); outcome.Failure != "" {
			t.Errorf("the longest schema: failure %q", outcome.Failure)
		}
	})
}

// TestSandboxRefused holds that the CLI is not started where bubblewrap makes no sandbox, with the words of Ubuntu's and of others,
// and that a person is told a command.
func TestSandboxRefused(t *testing.T) {
	for name, says := range map[string]string{
		"AppArmor":   "bwrap: setting up uid map: Permission denied",
		"the kernel": "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces. See <https://deb.li/bubblewrap> or <file:///usr/share/doc/bubblewrap/README.Debian.gz>.",
		"loopback":   "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
		"a limit":    "bwrap: Creating new namespace failed: No space left on device",
		"too old":    "bwrap: Unknown option --ro-bind-fd",
		"nothing":    "",
	} {
		t.Run(name, func(t *testing.T) {
			marker := filepath.Join(t.TempDir(), "started")
			engine := confined(scripted(t, "touch "+marker))
			engine.path = t.TempDir()
			must(t, os.WriteFile(filepath.Join(engine.path, "bwrap"), []byte("#!/bin/sh\ncat <<'EOF' >&2\n"+says+"\nEOF\nexit 1\n"), 0o700))
			outcome := ask(t, engine, requestWith("x"))
			if outcome.Failure != contract.CodeEngineSandboxRefused || outcome.Usage != (contract.Usage{Complete: true}) || outcome.Engine.Version != nil {
				t.Errorf("failure %q, usage %+v", outcome.Failure, outcome.Usage)
			}
			if !strings.Contains(outcome.Advice, "run: sudo ") && !strings.Contains(outcome.Advice, "run: docker run ") {
				t.Errorf("advice %q", outcome.Advice)
			}
			if _, err := os.Stat(marker); err == nil {
				t.Error("the CLI was started")
			}
		})
	}
}

// TestSandboxIsTheOneConfigured holds that nothing but the pin decides on the sandbox, and that the record says which it was.
func TestSandboxIsTheOneConfigured(t *testing.T) {
	for _, kind := range []string{sandbox.KindBubblewrap, sandbox.KindOff} {
		pin := pinOf("https://api.anthropic.com")
		pin.Sandbox = kind
		claude, err := NewClaude(pin, ClaudeOptions{Binary: "/nonexistent", Path: SystemPath})
		must(t, err)
		if outcome := claude.Answer(t.Context(), requestWith("x")); outcome.Engine.Sandbox != kind {
			t.Errorf("a pin of %s is recorded as %s", kind, outcome.Engine.Sandbox)
		}
	}
}
