package emulator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// TestFaults injects every kind and looks at what the client gets and what was done.
func TestFaults(t *testing.T) {
	const comment, get, mintCall, graphql = "comment", "get", "mint", "graphql"
	cases := []struct {
		kind string
		// call is a write of a comment, a read of the pull request, or a mint.
		call string
		// answer begins the status, a space and the body; empty is a closed connection.
		answer string
		done   bool
		then   func(*testing.T, *emulatortest.Instance, client, reply)
	}{
		{"killed-before", comment, "", false, nil},
		{"killed-after", comment, "", true, nil},
		{"error-500-done", comment, `500 {"documentation_url"`, true, nil},
		{"error-500-not-done", comment, `500 {"documentation_url"`, false, nil},
		{"bad-gateway-done", comment, "502 <!DOCTYPE html>", true, nil},
		{"bad-gateway-not-done", comment, "502 <!DOCTYPE html>", false, nil},
		{"late", comment, "", false, nil},
		{"html-200", comment, "200 <!DOCTYPE html>", true, nil},
		{"empty-200", comment, "200 ", true, nil},
		{"truncated-json", comment, `201 {"author_association":`, true, func(t *testing.T, _ *emulatortest.Instance, _ client, given reply) {
			if strings.HasSuffix(given.text, "}") {
				t.Errorf("whole: %s", given.text)
			}
		}},
		{"moved-301", comment, "301 ", false, func(t *testing.T, _ *emulatortest.Instance, app client, given reply) {
			if location := given.header.Get("Location"); location != app.url+"/repositories/701002003/issues/12/comments" {
				t.Errorf("Location %s", location)
			}
		}},
		{"moved-307", comment, "307 ", false, nil},
		{"missing-404", get, "404 ", false, nil},
		{"limit-429", comment, "429 ", false, noHeader("Retry-After")},
		{"limit-429-retry-after", comment, "429 ", false, hasHeader("Retry-After", "1")},
		{"limit-403-secondary", comment, `403 {"documentation_url":"https://docs.github.com/free-pro-team@latest`, false, hasHeader("Retry-After", "1")},
		{"limit-403-message", comment, `403 {"message":"You have exceeded a secondary rate limit`, false, noHeader("Retry-After")},
		{"limit-403-primary", comment, "403 ", false, hasHeader("X-Ratelimit-Remaining", "0")},
		{"limit-422-abuse", comment, "422 ", false, contains(`"code":"abuse"`)},
		{"invalid-strings", comment, "422 ", false, contains(`"errors":["Line could not be resolved"]`)},
		{"invalid-objects", comment, "422 ", false, contains(`"errors":[{`)},
		{"invalid-one-string", comment, "422 ", false, contains(`"errors":"Could`)},
		{"invalid-internal-done", comment, "422 ", true, contains("internal error")},
		{"graphql-forbidden", graphql, `200 {"data":null,"errors":[{"type":"FORBIDDEN",`, false, nil},
		{"graphql-not-found", graphql, `200 {"data":null,"errors":[{"type":"NOT_FOUND",`, false, nil},
		{"graphql-limited", graphql, `200 {"data":null,"errors":[{"type":"RATE_LIMITED",`, false, nil},
		{"graphql-failed-done", graphql, `200 {"data":null,"errors":[{"message":"Something went wrong`, false, nil},
		{"graphql-failed-not-done", graphql, `200 {"data":null,"errors":[{"message":"Something went wrong`, false, nil},
		{"invalid-internal", comment, "422 ", false, contains("internal error")},
		{"diff-too-large", "diff", "406 ", false, contains("too_large")},
		{"longer-abbreviation", "diff", "200 diff --git", false, func(t *testing.T, _ *emulatortest.Instance, _ client, given reply) {
			if !strings.Contains(given.text, "\nindex 000000000000..") {
				t.Errorf("%s", given.text)
			}
		}},
		{"lag-401", get, "401 ", false, func(t *testing.T, _ *emulatortest.Instance, app client, _ reply) {
			if again := app.get(repo + "/pulls/12"); again.status != 200 {
				t.Errorf("again: %d", again.status)
			}
		}},
		{"lag-403", get, "403 ", false, hasHeader("X-Accepted-Github-Permissions", "pull_requests=read")},
		{"token-revoked", get, "401 ", false, func(t *testing.T, _ *emulatortest.Instance, app client, _ reply) {
			if again := app.get(repo + "/pulls/12"); again.status != 401 {
				t.Errorf("again: %d", again.status)
			}
		}},
		{"revoke-fails", "revoke", "500 ", false, func(t *testing.T, _ *emulatortest.Instance, app client, _ reply) {
			if again := app.get(repo + "/pulls/12"); again.status != 200 {
				t.Errorf("the token is dead: %d", again.status)
			}
		}},
		{"mint-more", mintCall, "201 ", false, contains(`"permissions":{"administration":"read","metadata":"read","pull_requests":"write"}`)},
		{"mint-less", mintCall, "201 ", false, contains(`"permissions":{"metadata":"read","pull_requests":"read"}`)},
		{"mint-other-repository", mintCall, "201 ", false, func(t *testing.T, _ *emulatortest.Instance, app client, given reply) {
			contains(`"id":701002004,`)(t, nil, app, given)
			other := client{t: t, url: app.url, token: given.document(t)["token"].(string)}
			if status := other.get(repo + "/pulls/12").status; status != 404 {
				t.Errorf("the token reaches this repository: %d", status)
			}
			if answered := other.do("POST", "/graphql", graphqlBody(t, `{repository(owner:"example-org",name:"ledger"){id}}`, nil)); !strings.Contains(answered.text, "NOT_FOUND") {
				t.Errorf("%s", answered.text)
			}
		}},
		{"mint-all-repositories", mintCall, "201 ", false, contains(`"repository_selection":"all"`)},
		{"suspended", mintCall, "403 ", false, contains("This installation has been suspended")},
		{"artifact-changed", "blob", "200 ab`d", false, nil},
		{"artifact-short", "blob", "200 ab", false, func(t *testing.T, _ *emulatortest.Instance, _ client, given reply) {
			if given.text != "ab" {
				t.Errorf("%q", given.text)
			}
		}},
		{"artifact-expired", "artifact", "200 ", false, contains(`"expired":true`)},
		{"event-push", comment, "201 ", true, func(t *testing.T, instance *emulatortest.Instance, _ client, _ reply) {
			if pull := instance.State(t).Pull(12); len(pull.Commits) != 2 {
				t.Errorf("%d commits", len(pull.Commits))
			}
		}},
		{"event-force-push", comment, "201 ", true, func(t *testing.T, instance *emulatortest.Instance, _ client, _ reply) {
			pull := instance.State(t).Pull(12)
			if last := pull.Events[len(pull.Events)-1]; last.Event != "head_ref_force_pushed" || last.ActorID != emulatortest.ContributorID || len(pull.Commits) != 1 {
				t.Errorf("%+v, %d commits", last, len(pull.Commits))
			}
		}},
		{"event-hold", comment, "201 ", true, hasEvent("labeled")},
		{"event-close", comment, "201 ", true, hasEvent("closed")},
		{"event-lock", comment, "403 ", false, hasEvent("locked")},
		{"event-draft", comment, "201 ", true, hasEvent("convert_to_draft")},
		{"event-retarget", comment, "201 ", true, hasEvent("base_ref_changed")},
	}
	tested := map[string]bool{"slow": true, "stale": true}
	for _, c := range cases {
		tested[c.kind] = true
		t.Run(c.kind, func(t *testing.T) {
			instance, job := start(t, nil, emulator.Options{})
			artifact, err := instance.UploadArtifact(emulatortest.RunID, "a", []byte("abad"))
			if err != nil {
				t.Fatal(err)
			}
			app := mint(t, job.url, `{"pull_requests":"write"}`)
			location := strings.TrimPrefix(job.get(fmt.Sprintf("%s/actions/artifacts/%d/zip", repo, artifact.ID)).header.Get("Location"), job.url)
			if err := instance.Inject(emulator.Fault{Kind: c.kind}); err != nil {
				t.Fatal(err)
			}
			var given reply
			switch c.call {
			case comment:
				given = app.do("POST", repo+"/issues/12/comments", `{"body":"x"}`)
			case get:
				given = app.get(repo + "/pulls/12")
			case "diff":
				given = client{t: t, url: job.url, token: job.token, accept: "application/vnd.github.diff"}.get(repo + "/pulls/12")
			case mintCall:
				given = client{t: t, url: job.url, token: signed(t, nil)}.do("POST", mintPath, `{"repository_ids":[701002003],"permissions":{"pull_requests":"write"}}`)
			case graphql:
				given = app.do("POST", "/graphql", graphqlBody(t, `{repository(owner:"example-org",name:"ledger"){id}}`, nil))
			case "revoke":
				given = app.do("DELETE", "/installation/token", "")
			case "blob":
				given = client{t: t, url: job.url}.get(location)
			case "artifact":
				given = job.get(fmt.Sprintf("%s/actions/artifacts/%d", repo, artifact.ID))
			}
			answer := fmt.Sprintf("%d %s", given.status, given.text)
			if c.answer == "" && given.status != 0 || !strings.HasPrefix(answer, c.answer) {
				t.Errorf("%.200s, want %s", answer, c.answer)
			}
			state := instance.State(t)
			if stored := len(state.Pull(12).Comments) - 1; stored != map[bool]int{true: 1}[c.done] {
				t.Errorf("%d comments stored", stored)
			}
			faulted := 0
			for _, call := range state.Calls {
				if call.Fault == c.kind {
					faulted++
				}
			}
			if faulted != 1 || len(state.Faults) != 0 {
				t.Errorf("%d calls logged with the fault, %d faults left", faulted, len(state.Faults))
			}
			if c.then != nil {
				c.then(t, instance, app, given)
			}
		})
	}
	for _, kind := range emulator.Kinds() {
		if !tested[kind.Name] {
			t.Errorf("the kind %s has no test", kind.Name)
		}
		if !strings.HasSuffix(kind.Doc, ".") || kind.Reports == "" {
			t.Errorf("the kind %s lacks a sentence or a report", kind.Name)
		}
	}
}

func contains(text string) func(*testing.T, *emulatortest.Instance, client, reply) {
	return func(t *testing.T, _ *emulatortest.Instance, _ client, given reply) {
		t.Helper()
		if !strings.Contains(given.text, text) {
			t.Errorf("%s, want %s in it", given.text, text)
		}
	}
}

func hasHeader(name, value string) func(*testing.T, *emulatortest.Instance, client, reply) {
	return func(t *testing.T, _ *emulatortest.Instance, _ client, given reply) {
		t.Helper()
		if got := given.header.Get(name); got != value {
			t.Errorf("%s: %q, want %q", name, got, value)
		}
	}
}

func noHeader(name string) func(*testing.T, *emulatortest.Instance, client, reply) {
	return hasHeader(name, "")
}

func hasEvent(event string) func(*testing.T, *emulatortest.Instance, client, reply) {
	return func(t *testing.T, instance *emulatortest.Instance, _ client, _ reply) {
		t.Helper()
		events := instance.State(t).Pull(12).Events
		if last := events[len(events)-1]; last.Event != event || last.ActorID != emulatortest.OrganizationID {
			t.Errorf("last event %+v, want %s", last, event)
		}
	}
}

func TestFaultsAreAtTheirCall(t *testing.T) {
	cases := []struct {
		name  string
		fault emulator.Fault
		want  string
	}{
		{"next", emulator.Fault{}, "500 200 200 200 200 200"},
		{"third call", emulator.Fault{Call: 3}, "200 200 500 200 200 200"},
		{"twice", emulator.Fault{Call: 2, Times: 2}, "200 500 500 200 200 200"},
		{"match", emulator.Fault{Match: "GET /repos/{owner}/{repo}/pulls/12/files"}, "200 500 200 200 200 200"},
		{"second match", emulator.Fault{Match: "* /repos/*/*/pulls/*/files", Nth: 2}, "200 200 200 500 200 200"},
		{"match by body", emulator.Fault{Match: "POST /graphql second"}, "200 200 200 200 200 500"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			instance, job := start(t, nil, emulator.Options{})
			job.get(repo)
			c.fault.Kind = "error-500-not-done"
			if err := instance.Inject(c.fault); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, path := range []string{"/pulls/12", "/pulls/12/files", "/pulls/12", "/pulls/12/files"} {
				got = append(got, fmt.Sprint(job.get(repo+path).status))
			}
			for _, name := range []string{"first", "second"} {
				got = append(got, fmt.Sprint(job.do("POST", "/graphql", graphqlBody(t, `query `+name+`{node(id:"PR_120001"){id}}`, nil)).status))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%v, want %s", got, c.want)
			}
		})
	}
	instance, _ := start(t, nil, emulator.Options{})
	for _, fault := range []emulator.Fault{{Kind: "none"}, {Kind: "slow", Call: 1, Match: "GET /x"}, {Kind: "slow", Call: -1}} {
		if err := instance.Inject(fault); err == nil {
			t.Errorf("%+v was taken", fault)
		}
	}
}

func TestSlowCallWaitsAtItsGate(t *testing.T) {
	instance, job := start(t, nil, emulator.Options{})
	if err := instance.Inject(emulator.Fault{Kind: "slow", Gate: "g"}); err != nil {
		t.Fatal(err)
	}
	answered := make(chan reply, 1)
	go func() { answered <- job.get(repo + "/pulls/12") }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := instance.Held(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	if other := job.get(repo); other.status != 200 {
		t.Errorf("other calls wait too: %d", other.status)
	}
	if err := instance.Close(12, emulatortest.MaintainerID); err != nil {
		t.Fatal(err)
	}
	instance.Release("g")
	if given := <-answered; given.document(t)["state"] != "closed" {
		t.Errorf("%s", given.text)
	}
}
