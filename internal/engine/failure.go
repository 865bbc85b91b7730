package engine

import (
	"bytes"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
)

// notice is what is known of standard error: which constant it holds. The text itself is dropped.
type notice int

const (
	noticeNone notice = iota
	noticeSchema
	noticeSandbox
	noticeArguments
	noticePrompt
)

// notices are the constants that a CLI prints when it does not start, in the order they are looked for. Anywhere marks one
// that stands inside a longer text (2.1.306 prints its own source around it); the others begin the text.
func notices() []struct {
	text     string
	anywhere bool
	means    notice
} {
	return []struct {
		text     string
		anywhere bool
		means    notice
	}{
		{"Error: --json-schema", false, noticeSchema},
		{"bubblewrap is required", true, noticeSandbox},
		{"error: unknown option", false, noticeArguments},
		{"Error: Invalid session ID", false, noticeArguments},
		{"Error: System prompt file not found", false, noticeArguments},
		{"Error: Input must be provided", false, noticePrompt},
		{"Error: Input contained only whitespace", false, noticePrompt},
		{"Error: piped stdin input exceeds", false, noticePrompt},
	}
}

func readNotice(stderr []byte) notice {
	for _, known := range notices() {
		if known.anywhere && bytes.Contains(stderr, []byte(known.text)) || bytes.HasPrefix(stderr, []byte(known.text)) {
			return known.means
		}
	}
	return noticeNone
}

// output is what came on standard output.
type output int

const (
	outputAny output = iota
	outputEmpty
	outputUnreadable // empty included
)

// condition holds when each of its fields that is set holds. One of the zero value always holds.
type condition struct {
	changed, deadline, overflow, cancelled bool // what we saw or did ourselves
	output                                 output
	exit                                   int // an exit status, where not 0
	killed                                 bool
	notice                                 notice
	identity                               bool // the session or a model is not the one asked for
	terminal, subtype, stop                string
	apiError                               string
	statusFrom, statusTo                   int // the API's status; both 0 for any
	noStatus                               bool
	loggedOut                              bool
	failed                                 bool // is_error, or an exit status other than 0
	noAnswer                               bool
	noTurns                                bool
	noModel                                bool // not exactly one model was called
}

// failure is one row of the taxonomy.
type failure struct {
	// row is the row of the observed taxonomy that this one comes from.
	row  int
	code contract.Code
	// complete says that the CLI had counted all usage when it ended so.
	complete bool
	when     condition
}

// failures is the taxonomy of Claude Code's ends, from observation of 2.1.306. The first row that holds decides; an end
// that none describes is an answer. Order matters: exit 0 does not mean success, the subtype "success" stands in every
// failure of the API, and the only proof of an answer is that there is one.
func failures() []failure {
	const server = "api_error"
	return []failure{
		{row: 1, code: contract.CodeEngineVersion, when: condition{changed: true}},
		{row: 3, code: contract.CodeEngineTimeout, when: condition{deadline: true}},
		{row: 4, code: contract.CodeEngineOutputInvalid, when: condition{overflow: true}},
		// Not in the reference: a signal may come before there is anything to report, or find nobody who heeds it.
		{row: 7, code: contract.CodeEngineInterrupted, when: condition{cancelled: true, output: outputUnreadable}},
		{row: 5, code: contract.CodeEngineSchemaRefused, complete: true, when: condition{output: outputEmpty, exit: 1, notice: noticeSchema}},
		{row: 5, code: contract.CodeEngineSandboxMissing, complete: true, when: condition{output: outputEmpty, exit: 1, notice: noticeSandbox}},
		{row: 5, code: contract.CodeEngineArguments, complete: true, when: condition{output: outputEmpty, exit: 1, notice: noticeArguments}},
		{row: 5, code: contract.CodeEnginePrompt, complete: true, when: condition{output: outputEmpty, exit: 1, notice: noticePrompt}},
		{row: 5, code: contract.CodeEngineStart, complete: true, when: condition{output: outputEmpty, exit: 1}},
		{row: 6, code: contract.CodeEngineKilled, when: condition{output: outputEmpty, killed: true}},
		{row: 4, code: contract.CodeEngineOutputInvalid, when: condition{output: outputUnreadable}},
		{row: 7, code: contract.CodeEngineInterrupted, when: condition{terminal: "aborted_streaming", subtype: "error_during_execution"}},
		{row: 8, code: contract.CodeEngineIdentity, when: condition{identity: true}},
		{row: 9, code: contract.CodeEngineAuth, complete: true, when: condition{terminal: server, noStatus: true, loggedOut: true}},
		{row: 10, code: contract.CodeEngineAuth, when: condition{statusFrom: 401, statusTo: 401}},
		{row: 10, code: contract.CodeEngineAuth, when: condition{statusFrom: 403, statusTo: 403}},
		{row: 11, code: contract.CodeEngineQuota, when: condition{statusFrom: 429, statusTo: 429, apiError: "usage_limit_reached"}},
		{row: 12, code: contract.CodeEngineRateLimited, when: condition{statusFrom: 429, statusTo: 429}},
		{row: 13, code: contract.CodeEngineOverloaded, when: condition{statusFrom: 529, statusTo: 529}},
		{row: 13, code: contract.CodeEngineApiError, when: condition{statusFrom: 500, statusTo: 599}},
		{row: 14, code: contract.CodeEngineTaskTooLong, when: condition{statusFrom: 400, statusTo: 400, terminal: "prompt_too_long"}},
		// Not in the reference: the CLI itself refuses a prompt that it counts as longer than the model's window, unasked.
		{row: 14, code: contract.CodeEngineTaskTooLong, complete: true, when: condition{terminal: "blocking_limit"}},
		{row: 15, code: contract.CodeEngineTaskTooLong, when: condition{statusFrom: 413, statusTo: 413}},
		{row: 16, code: contract.CodeEngineModelUnknown, when: condition{statusFrom: 404, statusTo: 404}},
		{row: 17, code: contract.CodeEngineRequestRefused, when: condition{statusFrom: 400, statusTo: 400}},
		{row: 18, code: contract.CodeModelRefused, complete: true, when: condition{stop: "refusal"}},
		{row: 19, code: contract.CodeModelOutputLimit, complete: true, when: condition{apiError: "max_output_tokens"}},
		{row: 20, code: contract.CodeEngineUnreachable, when: condition{terminal: server, noStatus: true}},
		{row: 21, code: contract.CodeResultInvalid, complete: true, when: condition{subtype: "error_max_structured_output_retries"}},
		{row: 22, code: contract.CodeEngineTurns, complete: true, when: condition{subtype: "error_max_turns"}},
		{row: 23, code: contract.CodeEngineBudget, complete: true, when: condition{subtype: "error_max_budget_usd"}},
		{row: 24, code: contract.CodeEngineOther, when: condition{failed: true}},
		{row: 25, code: contract.CodeEnginePrompt, complete: true, when: condition{noAnswer: true, noTurns: true}},
		{row: 26, code: contract.CodeResultMissing, complete: true, when: condition{noAnswer: true}},
		{row: 8, code: contract.CodeEngineIdentity, when: condition{noModel: true}},
	}
}

// observation is all that is known when a CLI has ended.
type observation struct {
	sandbox.Ending // Changed also where the file is not the one that was inspected
	notice         notice
	reply          *reply // nil where standard output is not one object of the known form
	session, model string // what was asked for
}

// failureOf returns the first row that describes the observation.
func failureOf(seen observation) (failure, bool) {
	for _, row := range failures() {
		if row.when.holds(seen) {
			return row, true
		}
	}
	return failure{}, false
}

func (c condition) holds(seen observation) bool {
	read := seen.reply
	if read == nil {
		if c.needsReply() {
			return false
		}
		read = &reply{}
	}
	for _, part := range []struct{ set, holds bool }{
		{c.changed, seen.Changed},
		{c.deadline, seen.Deadline},
		{c.overflow, seen.Overflow},
		{c.cancelled, seen.Cancelled},
		{c.output == outputEmpty, len(bytes.TrimSpace(seen.Stdout)) == 0},
		{c.output == outputUnreadable, seen.reply == nil},
		{c.exit != 0, seen.Exit == c.exit},
		{c.killed, seen.killed()},
		{c.notice != noticeNone, seen.notice == c.notice},
		{c.identity, read.stranger(seen.session, seen.model)},
		{c.terminal != "", read.TerminalReason == c.terminal},
		{c.subtype != "", read.Subtype == c.subtype},
		{c.stop != "", read.StopReason == c.stop},
		{c.apiError != "", read.APIError == c.apiError},
		{c.statusFrom != 0, read.APIErrorStatus != nil && *read.APIErrorStatus >= c.statusFrom && *read.APIErrorStatus <= c.statusTo},
		{c.noStatus, read.APIErrorStatus == nil},
		{c.loggedOut, bool(read.Result)},
		{c.failed, seen.Exit != 0 || read.IsError != nil && *read.IsError},
		{c.noAnswer, read.StructuredOutput == nil},
		{c.noTurns, read.NumTurns == 0},
		{c.noModel, len(read.ModelUsage) != 1},
	} {
		if part.set && !part.holds {
			return false
		}
	}
	return true
}

// needsReply reports whether the condition is about what the CLI said.
func (c condition) needsReply() bool {
	return c.identity || c.terminal != "" || c.subtype != "" || c.stop != "" || c.apiError != "" || c.statusFrom != 0 ||
		c.noStatus || c.loggedOut || c.failed || c.noAnswer || c.noTurns || c.noModel
}

// killed reports an end by a signal, or by one that the CLI turned into its exit status.
func (o observation) killed() bool { return o.Exit == -1 || o.Exit == 129 || o.Exit == 143 }

// stranger reports whether the reply is of another session, or a model was called that was not asked for.
func (r *reply) stranger(session, model string) bool {
	if r.SessionID != session {
		return true
	}
	for called := range r.ModelUsage {
		if called != model {
			return true
		}
	}
	return false
}
