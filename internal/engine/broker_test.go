package engine

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/config"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
	"github.com/seed-2ea642bd/airlock/internal/standin"
)

// brokered puts a broker between an engine's CLI and its model.
func brokered(c *Claude) *Claude {
	c.pin.Credential = CredentialBroker
	c.pin.Prices = map[string]contract.Price{testModel: {CacheReadMicrousd: 100_000, CacheWriteHourMicrousd: 4_000_000, CacheWriteMicrousd: 2_500_000,
		ContextTokens: 1_000_000, InputMicrousd: 2_000_000, OutputMicrousd: 10_000_000}}
	return c
}

// TestBrokerRealClaude holds that the real CLI answers through the broker as it does without, in the sandbox and outside: what
// reaches the model is the same but for the credential, which the broker puts in, and the usage is that of the wire.
func TestBrokerRealClaude(t *testing.T) {
	for _, kind := range []string{sandbox.KindOff, sandbox.KindBubblewrap} {
		t.Run(kind, func(t *testing.T) {
			api := standin.Start(t, strict(), standin.Message("tool_use", standin.Thinking(canary), standin.Text(canary), standin.Call(standin.OutputTool, goodAnswer)))
			engine := brokered(realClaude(t, api.URL()))
			engine.pin.Sandbox = kind
			request := requestWith("a change by an outside author")
			outcome := ask(t, engine, request)
			binary, version := pinOf("").Binaries["linux-amd64"], "2.1.306"
			want := Outcome{
				Answer: []byte(goodAnswer),
				Engine: contract.Engine{Binary: &binary, Credential: "broker", Mode: contract.ModeStandIn, Model: testModel, Name: "claude",
					Sandbox: kind, Session: &request.Session, Version: &version},
				Usage: contract.Usage{InputTokens: 100, OutputTokens: 20, CacheReadTokens: 11, CacheWriteTokens: 7, Complete: true,
					CostMicrousd: 419, Requests: 1, Milliseconds: outcome.Usage.Milliseconds},
			}
			if difference := cmp.Diff(want, outcome); difference != "" {
				t.Fatalf("outcome (-want +got):\n%s", difference)
			}
			sent := api.Requests()[0]
			if got := sent.Header.Get("Accept-Encoding"); len(api.Requests()) != 1 || got != "identity" {
				t.Errorf("%d requests, encoding %q", len(api.Requests()), got)
			}
			input, err := prompt(request.Task)
			must(t, err)
			if got := userText(t, sent); got != strings.TrimSpace(string(input)) {
				t.Errorf("the model's input is not our prompt: %q", got)
			}
		})
	}
}

// TestBrokerRealClaudeFailures causes every failure that a server can cause in the real CLI, through the broker: the code is the
// one that it is without, and the usage is what the server said, request by request.
func TestBrokerRealClaudeFailures(t *testing.T) {
	wire := func(n int64) contract.Usage { return spent(n, n) }
	counted := map[string]contract.Usage{
		"refusal": wire(2), "output limit": wire(4), "invalid answers": wire(5), "prose only": wire(2),
		"not an API":    lowerBound(contract.Usage{Requests: 2}),
		"broken stream": lowerBound(contract.Usage{InputTokens: 400, OutputTokens: 4, CacheReadTokens: 44, CacheWriteTokens: 28, CostMicrousd: 915, Requests: 4}),
		"budget":        {InputTokens: 2_000_000, OutputTokens: 20, Requests: 1, Complete: true, CostMicrousd: 4_000_200},
	}
	for _, failing := range realFailures {
		t.Run(failing.name, func(t *testing.T) {
			t.Parallel()
			api := standin.Start(t, strict(), failing.steps...)
			request := requestWith("a change")
			request.Limits.CostMicrousd = 4_000_000 // each call that breaks off may have cost the worst
			outcome := ask(t, brokered(realClaude(t, api.URL())), request)
			usage := outcome.Usage
			usage.Milliseconds = 0
			want, named := counted[failing.name]
			if !named {
				want = contract.Usage{Requests: int64(failing.requests), Complete: true}
			}
			if outcome.Failure != failing.code || usage != want {
				t.Errorf("failure %q %s, want %q; usage %+v, want %+v", outcome.Failure, outcome.Advice, failing.code, usage, want)
			}
			if got := len(api.Requests()); got != int(want.Requests) {
				t.Errorf("%d requests reached the server, %d are counted", got, want.Requests)
			}
		})
	}
}

// TestBrokerRealClaudeTries holds what the CLI tries again: it succeeds through the broker as it does without.
func TestBrokerRealClaudeTries(t *testing.T) {
	for name, test := range map[string]struct {
		first standin.Step
		usage contract.Usage
	}{
		"prose":             {standin.Prose(canary), spent(2, 2)},
		"an invalid answer": {standin.Answer(`{"verdict":0.5,"n":[1e400,"\ud800"]}`), spent(2, 2)},
		"half an answer":    {standin.Answer(`{"verdict":`), spent(2, 2)},
		"another tool":      {standin.Message("tool_use", standin.Call("Bash", `{"command":"id"}`)), spent(2, 2)},
		"overloaded":        {standin.Error(529, "overloaded_error", canary, nil), contract.Usage{InputTokens: 100, OutputTokens: 20, CacheReadTokens: 11, CacheWriteTokens: 7, CostMicrousd: 419, Requests: 2, Complete: true}},
		"a cut stream":      {standin.Cut(), lowerBound(contract.Usage{InputTokens: 200, OutputTokens: 21, CacheReadTokens: 22, CacheWriteTokens: 14, CostMicrousd: 648, Requests: 2})},
		"a page":            {standin.NotAnAPI(), lowerBound(contract.Usage{InputTokens: 100, OutputTokens: 20, CacheReadTokens: 11, CacheWriteTokens: 7, CostMicrousd: 419, Requests: 2})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := standin.Start(t, strict(), test.first, standin.Answer(goodAnswer))
			outcome := ask(t, brokered(realClaude(t, api.URL())), requestWith("a change"))
			outcome.Usage.Milliseconds = 0
			if string(outcome.Answer) != goodAnswer || outcome.Usage != test.usage {
				t.Errorf("answer %q, failure %q %s, usage %+v, want %+v", outcome.Answer, outcome.Failure, outcome.Advice, outcome.Usage, test.usage)
			}
		})
	}
}

// TestBrokerEndsTheRun holds that a request that is not forwarded ends the CLI at once, with a code of its own, whatever the CLI
// would have said: a budget and an address, by the real CLI and by programs that stand in for one that was taken over.
func TestBrokerEndsTheRun(t *testing.T) {
	t.Run("the budget", func(t *testing.T) {
		api := standin.Start(t, strict(), standin.Answer(goodAnswer))
		request := requestWith("a change")
		request.Limits.CostMicrousd = 640_000 // the longest answer alone
		outcome := ask(t, brokered(realClaude(t, api.URL())), request)
		outcome.Usage.Milliseconds = 0
		if outcome.Failure != contract.CodeEngineBudget || len(api.Requests()) != 0 || outcome.Usage != (contract.Usage{Complete: true}) || outcome.Engine.Session == nil {
			t.Errorf("failure %q after %d requests, usage %+v", outcome.Failure, len(api.Requests()), outcome.Usage)
		}
	})
	send := func(request string) string {
		return `address=${ANTHROPIC_BASE_URL#http://}; export address; bash -c 'exec 3<>/dev/tcp/${address%:*}/${address#*:}; printf "` + request + `" >&3; cat <&3 >/dev/null'; `
	}
	then := reporting(0, `"is_error":false,"num_turns":2,"structured_output":`+goodAnswer+`,`+oneModel)
	for name, test := range map[string]struct {
		body   string
		advice string
	}{
		"another path":          {send(`GET /v1/files HTTP/1.1\r\nHost: $address\r\nAuthorization: Bearer $CLAUDE_CODE_OAUTH_TOKEN\r\n\r\n`) + "sleep 1000", "method"},
		"another token":         {send(`POST /v1/messages HTTP/1.1\r\nHost: $address\r\n\r\n`) + "sleep 1000", "token"},
		"no HTTP":               {send(`\x16\x03\x01\r\n\r\n`) + "sleep 1000", "form"},
		"and an answer as well": {send(`CONNECT api.anthropic.com:443 HTTP/1.1\r\nHost: $address\r\nAuthorization: Bearer $CLAUDE_CODE_OAUTH_TOKEN\r\n\r\n`) + then, "method"},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := ask(t, brokered(scripted(t, test.body)), requestWith("x"))
			if outcome.Failure != contract.CodeEngineEgress || !strings.HasSuffix(outcome.Advice, test.advice) || outcome.Usage.Requests != 0 {
				t.Errorf("failure %q, advice %q, usage %+v", outcome.Failure, outcome.Advice, outcome.Usage)
			}
		})
	}
}

// TestBrokerCredentialIsNowhere looks for the credential, while the real CLI waits for a silent server, in every process's
// environment and arguments but the test's own, and in every file of the CLI's; the server alone has seen it.
func TestBrokerCredentialIsNowhere(t *testing.T) {
	for _, kind := range []string{sandbox.KindOff, sandbox.KindBubblewrap} {
		t.Run(kind, func(t *testing.T) {
			api := standin.Start(t, strict(), standin.Silence())
			engine := brokered(realClaude(t, api.URL()))
			engine.pin.Sandbox = kind
			ctx, cancel := newCancel(t)
			ended := make(chan Outcome)
			request := requestWith("x")
			go func() { ended <- engine.Answer(ctx, request) }()
			<-api.Arrived()
			if got := api.Requests()[0].Header.Get("Authorization"); got != "Bearer "+testToken {
				t.Errorf("the server saw %d bytes of another credential", len(got))
			}
			processes, files := 0, 0
			look := func(path string, count *int) {
				data, err := os.ReadFile(path)
				if err != nil {
					return // gone, or a socket
				}
				*count++
				if bytes.Contains(data, []byte(testToken)) {
					t.Errorf("%s holds the credential", path)
				}
			}
			for _, running := range processesWith(t, request.Session) {
				directory := filepath.Dir(strings.SplitN(running, ":", 2)[0])
				look(filepath.Join(directory, "environ"), &processes)
				look(filepath.Join(directory, "cmdline"), &processes)
				for _, seen := range []string{"tmp", "home", "scratch", "files", strings.TrimPrefix(engine.temporary, "/")} {
					// What cannot be walked is another process's, or not there.
					_ = filepath.WalkDir(filepath.Join(directory, "root", seen), func(path string, entry fs.DirEntry, err error) error {
						if err == nil && entry.Type().IsRegular() && (kind == sandbox.KindBubblewrap || strings.Contains(path, engine.temporary)) {
							look(path, &files)
						}
						return nil
					})
				}
			}
			if processes < 2 || files < 2 {
				t.Errorf("looked at %d places of processes and %d files", processes, files)
			}
			cancel()
			if outcome := <-ended; outcome.Failure != contract.CodeEngineInterrupted || outcome.Usage.Complete || outcome.Usage.Requests != 1 {
				t.Errorf("failure %q, usage %+v", outcome.Failure, outcome.Usage)
			}
		})
	}
}

// TestBrokerPrices holds the embedded prices to what the pinned CLI reckons with, kind by kind, for every model that a tier is
// bound to. The CLI's own prices are its vendor's list.
func TestBrokerPrices(t *testing.T) {
	embedded, err := config.Load(t.Context(), nil, "pr-review")
	must(t, err)
	pin, _ := embedded.Harness.Engine(ClaudeName)
	for _, tier := range embedded.Harness.Tiers {
		if _, priced := pin.Prices[tier.Model]; !priced {
			t.Errorf("no price for %s", tier.Model)
		}
	}
	const million = 1_000_000
	for _, model := range slices.Sorted(maps.Keys(pin.Prices)) {
		price := pin.Prices[model]
		for name, kind := range map[string]struct {
			usage string
			want  int64
		}{
			"input":           {`{"input_tokens":1000000,"output_tokens":0}`, price.InputMicrousd},
			"output":          {`{"input_tokens":0,"output_tokens":1000000}`, price.OutputMicrousd},
			"read":            {`{"input_tokens":0,"output_tokens":0,"cache_read_input_tokens":1000000}`, price.CacheReadMicrousd},
			"written":         {`{"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":1000000}`, price.CacheWriteMicrousd},
			"written, 1 hour": {`{"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":1000000,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":1000000}}`, price.CacheWriteHourMicrousd},
		} {
			t.Run(model+" "+name, func(t *testing.T) {
				t.Parallel()
				body := strings.ReplaceAll(`event: message_start
data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],"stop_reason":null,"stop_sequence":null,"usage":USAGE}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"StructuredOutput","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"verdict\":\"ok\",\"n\":1}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":USAGE}

event: message_stop
data: {"type":"message_stop"}

`, "USAGE", kind.usage)
				request := requestWith("x")
				request.Model, request.Limits.CostMicrousd = model, 1_000*million
				for credential, engine := range map[string]*Claude{
					"direct": realClaude(t, standin.Start(t, strict(), standin.Raw(200, "text/event-stream", body)).URL()),
					"broker": brokered(realClaude(t, standin.Start(t, strict(), standin.Raw(200, "text/event-stream", body)).URL())),
				} {
					engine.pin.Prices = pin.Prices
					request.Session = newSession()
					if outcome := ask(t, engine, request); outcome.Usage.CostMicrousd != kind.want || outcome.Failure != "" {
						t.Errorf("%s: a million tokens cost %d, want %d; failure %q", credential, outcome.Usage.CostMicrousd, kind.want, outcome.Failure)
					}
				}
			})
		}
	}
}
