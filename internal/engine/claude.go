package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/broker"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

// promptFile and bubblewrapFile are files that the CLI is given. The second is empty: with its subprocess scrub set the CLI looks
// for a program of that name before it starts, and in our sandbox there is nothing that it could start.
const (
	promptFile     = "prompt"
	bubblewrapFile = "bwrap"
)

// ClaudeName is the engine's name in harness.json.
const ClaudeName = "claude"

// schemaLimit is the longest schema in bytes: one argument of a Linux program ends at 131072, its final zero included.
const schemaLimit = 131071

// Claude is Claude Code, observed at 2.1.306. A value may answer many requests, one after the other or at once.
type Claude struct {
	pin        contract.EnginePin
	upstream   broker.Upstream
	binary     string
	digest     string
	credential secret.Credential
	path       string
	temporary  string
	sealed     func() error
	clock      func() time.Time
}

// ClaudeOptions are what a [Claude] needs of the machine.
type ClaudeOptions struct {
	// Binary is the path of the CLI's own executable, not of a wrapper.
	Binary string
	// Credential is the model credential. The CLI's process gets it only where the pin says direct.
	Credential secret.Credential
	// Path is the list of directories in which bubblewrap is looked for, [SystemPath] first.
	Path string
	// Temporary is a directory in which private directories are made and removed; it lies in no checkout.
	Temporary string
	// Sealed is called when the sandbox is up and the CLI is not yet, with a sandbox only; nil for nothing. Its error ends the call.
	Sealed func() error
	// Clock measures how long a call took.
	Clock func() time.Time
}

// NewClaude checks what a pin asks for. The error names the field of harness.json: what this release cannot do, it does not
// do halfway.
func NewClaude(pin contract.EnginePin, options ClaudeOptions) (*Claude, error) {
	platform := runtime.GOOS + "-" + runtime.GOARCH
	digest, pinned := pin.Binaries[platform]
	switch {
	case pin.Credential != CredentialBroker && pin.Credential != CredentialDirect:
		return nil, errors.New("field engines.credential: neither " + CredentialBroker + " nor " + CredentialDirect)
	case pin.Sandbox != sandbox.KindBubblewrap && pin.Sandbox != sandbox.KindOff:
		return nil, errors.New("field engines.sandbox: neither " + sandbox.KindBubblewrap + " nor " + sandbox.KindOff)
	case !pinned:
		return nil, fmt.Errorf("field engines.binaries: no digest for %s", platform)
	}
	upstream, err := upstreamOf(pin)
	if err != nil {
		return nil, err
	}
	binary, err := filepath.Abs(options.Binary)
	if err != nil {
		return nil, fmt.Errorf("find the CLI: %w", err)
	}
	return &Claude{pin: pin, upstream: upstream, binary: binary, digest: digest, credential: options.Credential,
		path: options.Path, temporary: options.Temporary, sealed: options.Sealed, clock: options.Clock}, nil
}

// StandIn reports whether an address on this machine is asked instead of a model's vendor.
func (c *Claude) StandIn() bool { return c.upstream.Loopback }

// Answer starts the CLI once. Whatever goes wrong is a failure with its code; nothing is tried twice, because the CLI does
// that by itself.
func (c *Claude) Answer(ctx context.Context, request Request) Outcome {
	outcome := Outcome{Engine: contract.Engine{Mode: contract.ModeLive, Name: ClaudeName, Model: request.Model,
		Credential: c.pin.Credential, Sandbox: c.pin.Sandbox}, Usage: contract.Usage{Complete: true}}
	if c.StandIn() {
		outcome.Engine.Mode = contract.ModeStandIn
	}
	outcome.Answer, outcome.Failure = c.ask(ctx, request, &outcome)
	return outcome
}

func (c *Claude) ask(ctx context.Context, request Request, outcome *Outcome) ([]byte, contract.Code) {
	if c.credential.IsZero() {
		return nil, contract.CodeEngineAuth
	}
	if len(request.Schema) > schemaLimit {
		return nil, contract.CodeEngineSchemaSize
	}
	if len(request.Schema) == 0 || request.Model == "" {
		return nil, contract.CodeEngineArguments // the CLI would take an empty schema for none
	}
	input, err := prompt(request.Task)
	if err != nil {
		return nil, contract.CodeEnginePrompt
	}
	if ctx.Err() != nil {
		return nil, contract.CodeEngineInterrupted
	}
	bwrap := bubblewrap(c.path)
	if bwrap == "" {
		return nil, contract.CodeEngineSandboxMissing
	}
	cli, code := inspect(c.binary)
	if code != "" {
		return nil, code
	}
	defer cli.close()
	outcome.Engine.Binary = &cli.digest
	if cli.digest != c.digest {
		return nil, contract.CodeEngineVersion
	}

	runner, path := sandbox.Off(c.temporary), childPath(bwrap)
	files := map[string][]byte{promptFile: request.Prompt}
	if c.pin.Sandbox == sandbox.KindBubblewrap {
		runner, path = sandbox.Bubblewrap(bwrap), ""
		files[bubblewrapFile] = nil
	}
	ctx, ended := context.WithCancel(ctx)
	defer ended()
	var road *broker.Broker
	program := sandbox.Program{
		File:    cli.file,
		Version: c.pin.Version + " (Claude Code)\n",
		Command: func(place sandbox.Place) ([]string, []string) {
			told := access{address: "http://" + place.Address}
			if road != nil {
				told.token = road.Token()
			} else {
				told = c.direct()
			}
			return arguments(request, filepath.Join(place.Files, promptFile)), environment(place, cmp.Or(path, place.Files), told)
		},
		Files:  files,
		Input:  input,
		Limit:  time.Duration(request.Limits.Seconds) * time.Second,
		Open:   c.pin.Credential == CredentialDirect,
		Sealed: c.sealed,
	}
	if c.pin.Credential == CredentialBroker {
		program.Serve = func(listener net.Listener) (err error) {
			road, err = c.serve(ctx, listener, request, ended)
			return err
		}
	}
	started := c.clock()
	end, err := runner.Run(ctx, program)
	milliseconds := max(c.clock().Sub(started).Milliseconds(), 0)
	if road != nil {
		var refused broker.Refusal
		if outcome.Usage, refused = road.Close(); refused != "" {
			outcome.Usage.Milliseconds = milliseconds
			outcome.Engine.Version, outcome.Engine.Session = &c.pin.Version, &request.Session
			outcome.Advice = "the broker refused a request for its " + string(refused)
			return nil, refused.Code()
		}
	}
	if err != nil {
		if refused := (*sandbox.RefusedError)(nil); errors.As(err, &refused) {
			outcome.Advice = refused.Error()
		}
		return nil, notStarted(err)
	}
	outcome.Engine.Version = &c.pin.Version
	outcome.Engine.Session = &request.Session

	seen := observation{Ending: end, notice: readNotice(end.Stderr), session: request.Session, model: request.Model}
	seen.Changed = end.Changed || !cli.unchanged()
	if !end.Overflow {
		// An error means that there is no reply, which is what the taxonomy looks at.
		seen.reply, _ = readReply(end.Stdout)
	}
	failed, found := failureOf(seen)
	if road == nil {
		// What the CLI says of itself. A broker has counted on the wire, and what the CLI says is not asked.
		outcome.Usage = seen.reply.usage(request.Model)
		outcome.Usage.Complete = !found || failed.complete
	}
	outcome.Usage.Milliseconds = milliseconds
	if found {
		return nil, failed.code
	}
	return seen.reply.StructuredOutput, ""
}

// notStarted is the code of an error of a CLI that was not started.
func notStarted(err error) contract.Code {
	refused := (*sandbox.RefusedError)(nil)
	switch {
	case errors.Is(err, sandbox.ErrVersion):
		return contract.CodeEngineVersion
	case errors.Is(err, sandbox.ErrCancelled):
		return contract.CodeEngineInterrupted
	case errors.As(err, &refused):
		return contract.CodeEngineSandboxRefused
	case errors.Is(err, syscall.E2BIG):
		return contract.CodeEngineSchemaSize
	}
	return contract.CodeEngineStart
}

// arguments is the whole argument list, in the order it was observed to work. Nothing is ever appended to it: several options
// take lists and swallow what follows, and of an option given twice the last one counts.
func arguments(request Request, promptFile string) []string {
	return []string{
		"-p",
		"--output-format", "json",
		"--json-schema", string(request.Schema),
		"--tools", "",
		"--model", request.Model,
		"--session-id", request.Session,
		"--system-prompt-file", promptFile,
		"--strict-mcp-config",
		"--mcp-config", `{"mcpServers":{}}`,
		"--setting-sources", "",
		"--no-session-persistence",
		"--disable-slash-commands",
		"--safe-mode",
		"--restricted",
		"--permission-prompts", "none",
		"--no-chrome",
		"--effort", request.Effort,
		"--max-turns", "8",
		"--max-budget-usd", dollars(request.Limits.CostMicrousd),
	}
}

// dollars writes micro-dollars, not negative, as dollars, exactly.
func dollars(micro int64) string {
	return fmt.Sprintf("%d.%06d", micro/1_000_000, micro%1_000_000)
}

// environment is the whole environment of the CLI, made from nothing.
func environment(place sandbox.Place, path string, told access) []string {
	variables := []string{
		"PATH=" + path,
		"HOME=" + place.Home,
		"CLAUDE_CONFIG_DIR=" + filepath.Join(place.Home, "cfg"),
		"TMPDIR=" + place.Temporary,
		CredentialName + "=" + told.token,
		"CLAUDE_CODE_SUBPROCESS_ENV_SCRUB=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
		"DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_DISABLE_FILE_MENTIONS=1",
		"CLAUDE_CODE_DISABLE_ATTACHMENTS=1",
		"CLAUDE_CODE_DISABLE_CLAUDE_MDS=1",
		"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1",
		"CLAUDE_CODE_MAX_OUTPUT_TOKENS=" + strconv.Itoa(answerTokens),
		"CLAUDE_CODE_MAX_RETRIES=2",
		"API_TIMEOUT_MS=300000",
	}
	if told.address != "" {
		variables = append(variables, "ANTHROPIC_BASE_URL="+told.address)
	}
	return variables
}
