package emulator_test

import (
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// TestLateIsDoneAfterTheNextCall holds when the operation of a lost request is done: not before the call that follows it.
func TestLateIsDoneAfterTheNextCall(t *testing.T) {
	instance, job := start(t, nil, emulator.Options{})
	app := mint(t, job.url, `{"pull_requests":"write"}`)
	if err := instance.Inject(emulator.Fault{Kind: "late"}); err != nil {
		t.Fatal(err)
	}
	if given := app.do("POST", repo+"/issues/12/comments", `{"body":"late"}`); given.status != 0 {
		t.Fatalf("%d %s", given.status, given.text)
	}
	for i, want := range []int{1, 2, 2} {
		if got := len(job.get(repo + "/issues/12/comments").list(t)); got != want {
			t.Errorf("list %d has %d comments, want %d", i+1, got, want)
		}
	}
}

// TestStaleShowsWhatStoodBeforeTheLastWrite reads each kind of thing that apply writes, from a replica that is behind.
func TestStaleShowsWhatStoodBeforeTheLastWrite(t *testing.T) {
	const comments = repo + "/pulls/12/comments"
	const checks = repo + "/commits/4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930/check-runs"
	const resolved = `{node(id:"PRRT_71001"){... on PullRequestReviewThread{isResolved}}}`
	for name, c := range map[string]struct {
		write func(client) reply
		read  func(client) reply
		// piece is in the answer once the write is seen.
		piece string
	}{
		"a reply": {func(c client) reply { return c.do("POST", comments+"/61001/replies", `{"body":"a reply"}`) },
			func(c client) reply { return c.get(comments) }, "a reply"},
		"a check": {func(c client) reply {
			return c.do("POST", repo+"/check-runs", `{"name":"a check","head_sha":"4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930"}`)
		}, func(c client) reply { return c.get(checks) }, "a check"},
		"a resolve": {func(c client) reply { return c.do("POST", "/graphql", graphqlBody(t, resolveMutation, nil)) },
			func(c client) reply { return c.do("POST", "/graphql", graphqlBody(t, resolved, nil)) }, "true"},
	} {
		t.Run(name, func(t *testing.T) {
			instance, _, app := withThread(t, `{"checks":"write","contents":"write","pull_requests":"write"}`)
			if err := instance.Inject(emulator.Fault{Kind: "stale", Call: 3, Times: 2}); err != nil {
				t.Fatal(err)
			}
			app.get(repo + "/pulls/12")
			if given := c.write(app); given.status/100 != 2 {
				t.Fatal(given.text)
			}
			for i, want := range []bool{false, false, true} {
				if given := c.read(app); given.status != 200 || strings.Contains(given.text, c.piece) != want {
					t.Errorf("read %d shows it: %v, want %v\n%s", i+1, !want, want, given.text)
				}
			}
			if again := c.write(app); again.status/100 != 2 {
				t.Error(again.text)
			}
		})
	}
	t.Run("a write", func(t *testing.T) {
		instance, _, app := withThread(t, `{"contents":"write","pull_requests":"write"}`)
		if err := instance.Inject(emulator.Fault{Kind: "stale", Call: 2}); err != nil {
			t.Fatal(err)
		}
		app.do("POST", comments+"/61001/replies", `{"body":"a reply"}`)
		app.do("POST", "/graphql", graphqlBody(t, resolveMutation, nil))
		if thread := instance.State(t).Pull(emulatortest.Number).Threads[0]; !thread.Resolved {
			t.Error("the write is lost")
		}
	})
	t.Run("nothing was written", func(t *testing.T) {
		instance, _, app := withThread(t, `{"pull_requests":"write"}`)
		if err := instance.Inject(emulator.Fault{Kind: "stale"}); err != nil {
			t.Fatal(err)
		}
		if given := app.get(comments); len(given.list(t)) != 1 {
			t.Error(given.text)
		}
	})
}

// TestGraphQLFailedIsDoneOrNot holds what the two kinds without a type did with a mutation.
func TestGraphQLFailedIsDoneOrNot(t *testing.T) {
	for kind, done := range map[string]bool{"graphql-failed-done": true, "graphql-failed-not-done": false, "graphql-forbidden": false} {
		instance, _, app := withThread(t, `{"contents":"write","pull_requests":"write"}`)
		if err := instance.Inject(emulator.Fault{Kind: kind}); err != nil {
			t.Fatal(err)
		}
		app.do("POST", "/graphql", graphqlBody(t, resolveMutation, nil))
		if thread := instance.State(t).Pull(emulatortest.Number).Threads[0]; thread.Resolved != done {
			t.Errorf("%s: resolved %v, want %v", kind, thread.Resolved, done)
		}
	}
}

// TestOnly holds which calls a kind is about.
func TestOnly(t *testing.T) {
	for kind, want := range map[string]string{"graphql-limited": "POST /graphql", "revoke-fails": "DELETE /installation/token", "killed-after": "", "none": ""} {
		if got := emulator.Only(kind); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}
