package engine

import (
	"fmt"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
)

// said is an end with a reply of our session and one call of our model, with these further fields.
func said(t *testing.T, exit int, fields string) observation {
	t.Helper()
	document := fmt.Sprintf(`{"type":"result","session_id":"s","modelUsage":{"m":{}},%s}`, fields)
	read, err := readReply([]byte(document))
	if err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	return observation{Ending: sandbox.Ending{Stdout: []byte(document), Exit: exit}, reply: read, session: "s", model: "m"}
}

// printed is an end without a reply.
func printed(exit int, stdout, stderr string) observation {
	return observation{Ending: sandbox.Ending{Stdout: []byte(stdout), Exit: exit}, notice: readNotice([]byte(stderr)), session: "s", model: "m"}
}

// TestTaxonomyRows holds each row of the taxonomy, and the neighbour that it must not take, without a CLI: what a CLI really says
// is held by TestRealClaudeFailures and TestScriptedFailures.
func TestTaxonomyRows(t *testing.T) {
	status := func(code int, more string) string {
		return fmt.Sprintf(`"is_error":true,"subtype":"success","terminal_reason":"api_error","num_turns":1,"api_error_status":%d%s`, code, more)
	}
	const answer, failed = `"is_error":false,"num_turns":2,"structured_output":{"n":1}`, `"is_error":true,"num_turns":2`
	for _, c := range []struct {
		name string
		code contract.Code
		seen observation
	}{
		{"an answer", "", said(t, 0, answer)},
		{"schema", contract.CodeEngineSchemaRefused, printed(1, "", "Error: --json-schema is not valid")},
		{"bubblewrap", contract.CodeEngineSandboxMissing, printed(1, "", "Error: bubblewrap is required for")},
		{"arguments", contract.CodeEngineArguments, printed(1, "", "error: unknown option '--x'")},
		{"prompt", contract.CodeEnginePrompt, printed(1, "", "Error: Input must be provided")},
		{"start", contract.CodeEngineStart, printed(1, "\n", "something else")},
		{"exit 2 is no start", contract.CodeEngineOutputInvalid, printed(2, "", "Error: --json-schema is not valid")},
		{"killed", contract.CodeEngineKilled, printed(143, "", "")},
		{"killed by a signal", contract.CodeEngineKilled, printed(-1, "", "")},
		{"output", contract.CodeEngineOutputInvalid, printed(0, "prose", "")},
		{"aborted", contract.CodeEngineInterrupted, said(t, 0, `"is_error":true,"subtype":"error_during_execution","terminal_reason":"aborted_streaming","num_turns":2`)},
		{"logged out", contract.CodeEngineAuth, said(t, 1, `"is_error":true,"terminal_reason":"api_error","num_turns":1,"result":"`+loggedOut+`"`)},
		{"401", contract.CodeEngineAuth, said(t, 1, status(401, ""))},
		{"403", contract.CodeEngineAuth, said(t, 1, status(403, ""))},
		{"402", contract.CodeEngineOther, said(t, 1, status(402, ""))},
		{"429, used up", contract.CodeEngineQuota, said(t, 1, status(429, `,"api_error":"usage_limit_reached"`))},
		{"429", contract.CodeEngineRateLimited, said(t, 1, status(429, ""))},
		{"529", contract.CodeEngineOverloaded, said(t, 1, status(529, ""))},
		{"500", contract.CodeEngineApiError, said(t, 1, status(500, ""))},
		{"599", contract.CodeEngineApiError, said(t, 1, status(599, ""))},
		{"499", contract.CodeEngineOther, said(t, 1, status(499, ""))},
		{"400, too long", contract.CodeEngineTaskTooLong, said(t, 1, `"is_error":true,"terminal_reason":"prompt_too_long","num_turns":1,"api_error_status":400`)},
		{"too long, unasked", contract.CodeEngineTaskTooLong, said(t, 1, `"is_error":true,"terminal_reason":"blocking_limit","num_turns":1`)},
		{"413", contract.CodeEngineTaskTooLong, said(t, 1, status(413, ""))},
		{"404", contract.CodeEngineModelUnknown, said(t, 1, status(404, ""))},
		{"400", contract.CodeEngineRequestRefused, said(t, 1, status(400, ""))},
		{"refusal", contract.CodeModelRefused, said(t, 0, `"is_error":false,"num_turns":1,"stop_reason":"refusal"`)},
		{"output limit", contract.CodeModelOutputLimit, said(t, 1, failed+`,"api_error":"max_output_tokens"`)},
		{"unreachable", contract.CodeEngineUnreachable, said(t, 1, `"is_error":true,"terminal_reason":"api_error","num_turns":1`)},
		{"retries", contract.CodeResultInvalid, said(t, 1, failed+`,"subtype":"error_max_structured_output_retries"`)},
		{"turns", contract.CodeEngineTurns, said(t, 1, failed+`,"subtype":"error_max_turns"`)},
		{"budget", contract.CodeEngineBudget, said(t, 1, failed+`,"subtype":"error_max_budget_usd"`)},
		{"other", contract.CodeEngineOther, said(t, 0, failed)},
		{"an answer with exit 1", contract.CodeEngineOther, said(t, 1, answer)},
		{"a command", contract.CodeEnginePrompt, said(t, 0, `"is_error":false,"num_turns":0`)},
		{"prose", contract.CodeResultMissing, said(t, 0, `"is_error":false,"num_turns":1`)},
	} {
		if got, found := failureOf(c.seen); got.code != c.code || found != (c.code != "") {
			t.Errorf("%s: %q, want %q", c.name, got.code, c.code)
		}
	}
	for name, c := range map[string]struct {
		change func(*observation)
		code   contract.Code
	}{
		"the CLI changed":     {func(o *observation) { o.Changed, o.Deadline = true, true }, contract.CodeEngineVersion},
		"the time ran out":    {func(o *observation) { o.Deadline, o.Overflow = true, true }, contract.CodeEngineTimeout},
		"too much was said":   {func(o *observation) { o.Overflow = true }, contract.CodeEngineOutputInvalid},
		"cancelled, no reply": {func(o *observation) { o.Cancelled, o.reply, o.Stdout = true, nil, nil }, contract.CodeEngineInterrupted},
		"cancelled too late":  {func(o *observation) { o.Cancelled = true }, ""},
		"another session":     {func(o *observation) { o.session = "other" }, contract.CodeEngineIdentity},
		"another model":       {func(o *observation) { o.model = "other" }, contract.CodeEngineIdentity},
		"no model":            {func(o *observation) { o.reply.ModelUsage = nil }, contract.CodeEngineIdentity},
	} {
		seen := said(t, 0, answer)
		c.change(&seen)
		if got, _ := failureOf(seen); got.code != c.code {
			t.Errorf("%s: %q, want %q", name, got.code, c.code)
		}
	}
}
