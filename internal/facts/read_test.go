package facts_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/facts"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/schema"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// TestReadSeed holds the facts of an ordinary pull request field by field, and the number of calls they cost.
func TestReadSeed(t *testing.T) {
	snapshot, client := read(t, emulator.Options{}, nil)
	when := func(before time.Duration) contract.Time { return contract.At(emulatortest.Now.Add(-before)) }
	number := func(n int64) *int64 { return &n }
	pushed := when(5 * time.Minute)
	want := contract.Facts{
		Schema: "facts/1", ReadAt: when(0),
		Repository: contract.FactsRepository{DefaultBranch: "main", ID: emulatortest.RepositoryID, Name: "ledger", Owner: "example-org"},
		Item: contract.FactsItem{
			Author: contract.User{ID: emulatortest.ContributorID, Login: untrusted.New("contributor"), Type: "User"}, Body: untrusted.New("Adds an owner."),
			Kind: "pull_request", NodeID: snapshot.Facts.Item.NodeID, Number: 12, State: "open", Title: untrusted.New("Find entries by owner"),
		},
		Head: contract.Head{Commit: "4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930", OwnerID: number(emulatortest.ContributorID), PushedAt: &pushed,
			Ref: untrusted.New("by-owner"), RepositoryID: number(emulatortest.ForkID)},
		Base:         contract.Base{Commit: "0d1e2f3a4b5c6d7e8f90a1b2c3d4e5f60718293a", Ref: untrusted.New("main")},
		ConfigCommit: snapshot.Facts.ConfigCommit,
		Content: contract.Content{
			Bytes: int64(len(snapshot.Diff)), ID: contract.Digest(snapshot.Diff), State: "text", FilesDigest: snapshot.Facts.Content.FilesDigest,
			Files: []contract.ContentFile{
				{Blob: "364d892c187ac71d8f4222267edfa1acdea98e69", Path: untrusted.New("internal/store/owner.go"), Status: "added", Visible: true},
				{Blob: "3876218c965a3720045dc118462a765eaa4837f0", Path: untrusted.New("internal/store/query.go"), Status: "modified", Visible: true},
			},
		},
		Labels:      []string{"airlock:approved"},
		LabelEvents: []contract.LabelEvent{{ActorID: emulatortest.MaintainerID, At: when(time.Minute), Event: "labeled", ID: 5001, Label: "airlock:approved"}},
		Comments: []contract.Comment{{At: when(2 * time.Minute), Author: contract.User{ID: emulatortest.MaintainerID, Login: untrusted.New("maintainer"), Type: "User"},
			ID: 9001, Text: untrusted.New("> ignore the SQL\n\nPlease look at the locking.")}},
		Reviews: []contract.Review{}, Threads: []contract.Thread{},
		Records: contract.Records{Results: []contract.ResultRecord{}, WorkflowRuns: []contract.WorkflowRun{{
			Attempt: 1, CreatedAt: when(0), ID: emulatortest.RunID, Status: "in_progress", Title: untrusted.New("airlock pr-review #12")}}},
		Parts: contract.Parts{Comments: contract.Part{Complete: true, Count: 1}, Content: contract.Part{Complete: true, Count: 1}, Item: contract.Part{Complete: true, Count: 1},
			Labels: contract.Part{Complete: true, Count: 1}, Records: contract.Part{Complete: true, Count: 1}, Reviews: contract.Part{Complete: true}, Threads: contract.Part{Complete: true}},
		Siblings: []contract.Sibling{},
	}
	if difference := cmp.Diff(want, snapshot.Facts, cmp.Comparer(func(a, b untrusted.Text) bool { return a == b })); difference != "" {
		t.Errorf("facts (-want +got):\n%s", difference)
	}
	if digest, _ := contract.DigestOf(want.Content.Files); digest != snapshot.Facts.Content.FilesDigest {
		t.Errorf("files_digest %s, want %s", snapshot.Facts.Content.FilesDigest, digest)
	}
	if len(snapshot.Faults) != 0 {
		t.Errorf("faults %v", snapshot.Faults)
	}
	if string(snapshot.Policy) != "{}\n" {
		t.Errorf("policy %q", snapshot.Policy)
	}
	if got, want := client.Calls(), (contract.Calls{GraphQL: 1, REST: 6}); got != want {
		t.Errorf("calls %+v, want %+v", got, want)
	}
	record, err := contract.Canonical(snapshot.Facts)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate("facts/1", record); err != nil {
		t.Errorf("facts are not facts/1: %v", err)
	}
}

// many fills every list of the seed beyond one page of 100.
func many(seed *emulator.Seed) {
	pull := seed.PullRequests[0]
	head := emulator.Tree{}
	for path, file := range emulatortest.Head {
		head[path] = file
	}
	for i := range 128 {
		head[fmt.Sprintf("docs/page-%03d.md", i)] = emulatortest.Text(fmt.Sprintf("page %d\n", i))
	}
	pull.Head.Tree = head
	for i := range 119 {
		at := emulatortest.Now.Add(-time.Hour)
		pull.Comments = append(pull.Comments, &emulator.Comment{AuthorID: emulatortest.ContributorID, Body: fmt.Sprintf("comment %d", i), CreatedAt: at})
		pull.Reviews = append(pull.Reviews, &emulator.Review{AuthorID: emulatortest.MaintainerID, Body: fmt.Sprintf("review %d", i), CreatedAt: at})
		pull.Events = append(pull.Events, &emulator.Event{Event: "labeled", ActorID: emulatortest.ContributorID, Label: fmt.Sprintf("l%d", i), At: at})
		seed.WorkflowRuns = append(seed.WorkflowRuns, &emulator.Run{ID: emulatortest.RunID - 1000 + int64(i), WorkflowID: emulatortest.WorkflowID,
			Title: "airlock pr-review #9", Status: "completed", Conclusion: "success", CreatedAt: at})
	}
	for number := 20; number < 31; number++ {
		other := *pull
		other.Number, other.ID, other.Base, other.Comments, other.Reviews, other.Events = number, 0, emulator.Base{Ref: "release"}, nil, nil, nil
		seed.PullRequests = append(seed.PullRequests, &other)
	}
}

// TestReadAllPages holds that every list is read to its end, with GitHub's pages of 100 and with small ones.
func TestReadAllPages(t *testing.T) {
	for name, options := range map[string]emulator.Options{"pages of 100": {}, "pages of 7": {PageLimit: 7}} {
		t.Run(name, func(t *testing.T) {
			snapshot, _ := read(t, options, many)
			f := snapshot.Facts
			for _, list := range []struct {
				name      string
				got, want int
			}{
				{"files", len(f.Content.Files), 130}, {"comments", len(f.Comments), 120}, {"reviews", len(f.Reviews), 119},
				{"label events", len(f.LabelEvents), 120}, {"workflow runs", len(f.Records.WorkflowRuns), 120}, {"siblings", len(f.Siblings), 11},
			} {
				if list.got != list.want {
					t.Errorf("%s: %d, want %d", list.name, list.got, list.want)
				}
			}
			if f.Comments[119].Text.Raw() != "comment 118" {
				t.Errorf("the last comment is %q", f.Comments[119].Text.Raw())
			}
			if got := incomplete(f); got != "" {
				t.Errorf("incomplete: %s: %v", got, snapshot.Faults)
			}
		})
	}
}

// TestReadLongThreads holds that threads and the comments of each are read to their ends, and who resolved and edited.
func TestReadLongThreads(t *testing.T) {
	seed := emulatortest.Seed()
	instance := emulatortest.Start(t, seed, emulator.Options{PageLimit: 2})
	act := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := instance.Review(emulator.ReviewAct{Number: 12, ActorID: emulatortest.BotUserID, Body: "three", Comments: []emulator.LineTextAct{
		{Path: "internal/store/query.go", Line: 10, Side: "RIGHT", Body: "first"},
		{Path: "internal/store/query.go", Line: 10, Side: "LEFT", Body: "second"},
		{Path: "internal/store/owner.go", Line: 4, Side: "RIGHT", Body: "third"},
	}})
	act(err)
	top := instance.State(t).Pull(12).Threads[0].Comments[0].ID
	for i := range 4 {
		_, err := instance.Reply(emulator.TextAct{Number: 12, ActorID: emulatortest.ContributorID, CommentID: top, Body: fmt.Sprintf("reply %d", i)})
		act(err)
	}
	act(instance.Resolve(emulator.ResolveAct{Number: 12, ActorID: emulatortest.MaintainerID, CommentID: top}))
	act(instance.Edit(emulator.EditAct{Number: 12, ActorID: emulatortest.ContributorID, LineCommentID: top, Body: "changed"}))
	sight, err := facts.Look(context.Background(), clientFor(t, instance.URL, nil), facts.Item{
		Owner: emulatortest.Owner, Name: emulatortest.Name, RepositoryID: emulatortest.RepositoryID, Number: 12, Head: "4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930", Now: func() time.Time { return emulatortest.Now },
	})
	act(err)
	threads := sight.Facts.Threads
	if len(threads) != 3 || len(threads[0].Comments) != 5 {
		t.Fatalf("%d threads, %d comments in the first", len(threads), len(threads[0].Comments))
	}
	first := threads[0]
	if !first.Resolved || first.ResolvedBy == nil || first.ResolvedBy.ID != emulatortest.MaintainerID {
		t.Errorf("resolved %v by %+v", first.Resolved, first.ResolvedBy)
	}
	if first.Comments[0].EditedAt == nil || first.Comments[1].EditedAt != nil {
		t.Errorf("edited %v and %v", first.Comments[0].EditedAt, first.Comments[1].EditedAt)
	}
	if got := first.Comments[0].Author; got.ID != emulatortest.BotUserID || got.Type != "Bot" || got.Login.Raw() != "pr-review[bot]" {
		t.Errorf("author %d %s %s", got.ID, got.Type, got.Login.Raw())
	}
	if threads[1].Side != "LEFT" || *threads[1].OriginalLine != 10 {
		t.Errorf("second thread on %s %d", threads[1].Side, *threads[1].OriginalLine)
	}
	review := sight.Facts.Reviews[0]
	if first.ReviewID == nil || *first.ReviewID != review.ID || first.OriginalCommit != "4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930" {
		t.Errorf("begun with %v on %s", first.ReviewID, first.OriginalCommit)
	}
	if by := first.Comments[0].EditorID; by == nil || *by != emulatortest.ContributorID || first.Comments[1].EditorID != nil || review.EditorID != nil {
		t.Errorf("edited by %v, %v and %v", by, first.Comments[1].EditorID, review.EditorID)
	}
}

// TestRecordsBelieveNoForgedRun holds which workflow runs count as ours.
func TestRecordsBelieveNoForgedRun(t *testing.T) {
	tests := []struct {
		name     string
		run      emulator.Run
		believed bool
	}{
		{"pull_request of a fork with the workflow's path", emulator.Run{Event: "pull_request", HeadBranch: "main", HeadRepositoryID: emulatortest.ForkID}, false},
		{"pull_request of this repository", emulator.Run{Event: "pull_request"}, false},
		{"push to the default branch", emulator.Run{Event: "push"}, false},
		{"dispatch on another branch", emulator.Run{Event: "workflow_dispatch", HeadBranch: "release"}, false},
		{"dispatch of a fork's main", emulator.Run{Event: "workflow_dispatch", HeadRepositoryID: emulatortest.ForkID}, false},
		{"issue comment elsewhere", emulator.Run{Event: "issue_comment", HeadBranch: "release"}, false},
		{"schedule", emulator.Run{Event: "schedule"}, true},
		{"dispatch on the default branch", emulator.Run{Event: "workflow_dispatch"}, true},
		{"target, head named by the base", emulator.Run{Event: "pull_request_target"}, true},
		{"target, head named by the pull request", emulator.Run{Event: "pull_request_target", HeadBranch: "by-owner", HeadRepositoryID: emulatortest.ForkID}, true},
		{"target, 25 hours old", emulator.Run{Event: "pull_request_target", CreatedAt: emulatortest.Now.Add(-25 * time.Hour)}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run := test.run
			run.ID, run.WorkflowID, run.Title, run.Status, run.Conclusion = 16000000001, emulatortest.WorkflowID, "airlock pr-review #12", "completed", "success"
			if run.CreatedAt.IsZero() {
				run.CreatedAt = emulatortest.Now.Add(-time.Hour)
			}
			snapshot, client := read(t, emulator.Options{}, func(seed *emulator.Seed) {
				seed.WorkflowRuns = append(seed.WorkflowRuns, &run)
				seed.Artifacts = append(seed.Artifacts, &emulator.Artifact{ID: 5000000001, Name: "airlock-result-pr-review-12-1", RunID: run.ID,
					Zip: []byte("PK"), CreatedAt: run.CreatedAt, ExpiresAt: emulatortest.Now.Add(time.Hour)})
			})
			records := snapshot.Facts.Records
			if got := len(records.WorkflowRuns) == 2; got != test.believed {
				t.Errorf("runs %+v", records.WorkflowRuns)
			}
			if got := len(records.Results) == 1; got != test.believed {
				t.Errorf("results %+v", records.Results)
			}
			if calls := client.Calls().REST; test.believed && calls != 7 || !test.believed && calls != 6 {
				t.Errorf("%d REST calls", calls)
			}
		})
	}
}

// TestSiblings holds whose checks are read for another pull request with the same head, and by which external id.
func TestSiblings(t *testing.T) {
	const head = "4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930"
	check := func(id, app int64, external, conclusion string) *emulator.CheckRun {
		now := emulatortest.Now
		return &emulator.CheckRun{ID: id, AppID: app, Name: "airlock / pr-review", HeadCommit: head, ExternalID: external, Status: "completed",
			Conclusion: conclusion, Title: "t", Summary: "s", StartedAt: &now, CompletedAt: &now}
	}
	const run = "run-000000000000000000000000"
	own := func(number int, conclusion string) string { return facts.CheckPrefix(run, number) + conclusion }
	tests := []struct {
		name   string
		checks []*emulator.CheckRun
		want   string
	}{
		{"none", nil, "<none>"},
		{"its own", []*emulator.CheckRun{check(1, emulatortest.AppID, own(13, "success"), "success")}, "success"},
		{"its own, which waits for this item", []*emulator.CheckRun{check(1, emulatortest.AppID, own(13, "success"), "action_required")}, "success"},
		{"its own, whatever is shown", []*emulator.CheckRun{check(1, emulatortest.AppID, own(13, "failure"), "success")}, "failure"},
		{"its own, advising", []*emulator.CheckRun{check(1, emulatortest.AppID, own(13, "neutral"), "neutral")}, "neutral"},
		{"the newest of its own", []*emulator.CheckRun{check(2, emulatortest.AppID, own(13, "action_required"), "success"), check(1, emulatortest.AppID, own(13, "success"), "success")}, "action_required"},
		{"the newest of its own, which does not say", []*emulator.CheckRun{check(2, emulatortest.AppID, run+"#13", "success"), check(1, emulatortest.AppID, own(13, "success"), "success")}, "<none>"},
		{"an own conclusion that is none", []*emulator.CheckRun{check(1, emulatortest.AppID, own(13, "Success"), "success")}, "<none>"},
		{"an own conclusion with more behind it", []*emulator.CheckRun{check(1, emulatortest.AppID, own(13, "success#"), "success")}, "<none>"},
		{"that of this item", []*emulator.CheckRun{check(1, emulatortest.AppID, own(12, "success"), "success")}, "<none>"},
		{"that of another App", []*emulator.CheckRun{check(1, 900002, own(13, "success"), "success")}, "<none>"},
		{"with a number that begins alike", []*emulator.CheckRun{check(1, emulatortest.AppID, own(130, "success"), "success")}, "<none>"},
		{"without an item", []*emulator.CheckRun{check(1, emulatortest.AppID, run, "success")}, "<none>"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			snapshot, client := read(t, emulator.Options{}, func(seed *emulator.Seed) {
				other := *seed.PullRequests[0]
				other.Number, other.ID, other.Base = 13, 0, emulator.Base{Ref: "release"}
				other.Comments, other.Events = nil, nil
				closed := other
				closed.Number, closed.State = 14, "closed"
				seed.PullRequests = append(seed.PullRequests, &other, &closed)
				seed.Apps = append(seed.Apps, &emulator.App{ID: 900002, Slug: "other", InstallationID: 80000002, BotUserID: 190000002, PublicKey: emulatortest.PublicKeyPEM(),
					Permissions: map[string]string{"checks": "write", "metadata": "read"}})
				seed.Users = append(seed.Users, &emulator.User{ID: 190000002, Login: "other[bot]", Type: "Bot"})
				seed.CheckRuns = test.checks
			})
			if got := incomplete(snapshot.Facts); got != "" {
				t.Fatalf("incomplete: %s: %v", got, snapshot.Faults)
			}
			siblings := snapshot.Facts.Siblings
			if len(siblings) != 1 || siblings[0].Number != 13 {
				t.Fatalf("siblings %+v", siblings)
			}
			got := "<none>"
			if siblings[0].Conclusion != nil {
				got = *siblings[0].Conclusion
			}
			if got != test.want {
				t.Errorf("conclusion %s, want %s", got, test.want)
			}
			if calls := client.Calls().REST; calls != 7 {
				t.Errorf("%d REST calls", calls)
			}
		})
	}
}

// TestSnapshotThatMoves holds that the change is read again while it moves, and is incomplete where it does not stand still.
func TestSnapshotThatMoves(t *testing.T) {
	files := "GET /repos/{owner}/{repo}/pulls/{number}/files"
	tests := []struct {
		name       string
		faults     []emulator.Fault
		incomplete string
		calls      int
	}{
		{"a push between the pull and its files", []emulator.Fault{{Kind: "event-push", Match: files}}, "", 9},
		{"a force-push", []emulator.Fault{{Kind: "event-force-push", Match: files}}, "", 9},
		{"a retarget", []emulator.Fault{{Kind: "event-retarget", Match: files}}, "", 9},
		{"a push and a retarget", []emulator.Fault{{Kind: "event-push", Match: files}, {Kind: "event-retarget", Match: files, Nth: 2}}, "", 12},
		{"a change every time", []emulator.Fault{{Kind: "event-retarget", Match: files, Times: 9}}, "content", 12},
		{"a push before the conversation", []emulator.Fault{{Kind: "event-force-push", Match: "POST /graphql Conversation"}}, "content", 6},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			instance := emulatortest.Start(t, emulatortest.Seed(), emulator.Options{})
			for _, fault := range test.faults {
				if err := instance.Inject(fault); err != nil {
					t.Fatal(err)
				}
			}
			client := clientFor(t, instance.URL, nil)
			snapshot, err := facts.Read(context.Background(), client, request())
			if err != nil {
				t.Fatal(err)
			}
			if got := incomplete(snapshot.Facts); got != test.incomplete {
				t.Errorf("incomplete %q, want %q: %v", got, test.incomplete, snapshot.Faults)
			}
			if got := client.Calls().REST; got != test.calls {
				t.Errorf("%d REST calls, want %d", got, test.calls)
			}
			state := instance.State(t)
			if test.incomplete == "" && snapshot.Facts.Head.Commit != state.Pull(12).Head.Commit {
				t.Errorf("head %s, want %s", snapshot.Facts.Head.Commit, state.Pull(12).Head.Commit)
			}
			if snapshot.Facts.Content.ID != contract.Digest(snapshot.Diff) {
				t.Errorf("content id %s is not that of the diff", snapshot.Facts.Content.ID)
			}
		})
	}
}

// TestDiffThatGitHubRefuses holds the state of a change that is larger than GitHub makes diffs of.
func TestDiffThatGitHubRefuses(t *testing.T) {
	snapshot, _ := read(t, emulator.Options{}, func(seed *emulator.Seed) {
		head := emulator.Tree{}
		for i := range 301 {
			head[fmt.Sprintf("f%03d", i)] = emulatortest.Text("x\n")
		}
		seed.PullRequests[0].Head.Tree = head
	})
	if got := snapshot.Facts.Content; got.State != contract.ContentTooLarge || got.Bytes != 0 || got.ID != contract.Digest(nil) {
		t.Errorf("content %s of %d bytes", got.State, got.Bytes)
	}
	if got := incomplete(snapshot.Facts); got != "" {
		t.Errorf("incomplete %s: %v", got, snapshot.Faults)
	}
}

// TestReadWithoutPermission holds that what a token may not read is incomplete or an error, and never empty.
func TestReadWithoutPermission(t *testing.T) {
	tests := []struct {
		lacks, incomplete string
		class             github.Class
	}{
		{"actions", "records", ""},
		{"pull_requests", "", github.ClassPermissionDenied},
	}
	for _, test := range tests {
		t.Run(test.lacks, func(t *testing.T) {
			seed := emulatortest.Seed()
			delete(seed.JobTokens[0].Permissions, test.lacks)
			instance := emulatortest.Start(t, seed, emulator.Options{})
			snapshot, err := facts.Read(context.Background(), clientFor(t, instance.URL, nil), request())
			if github.ClassOf(err) != test.class {
				t.Fatalf("error %v, want class %q", err, test.class)
			}
			if err != nil {
				if !strings.Contains(err.Error(), "pull_requests=read") {
					t.Errorf("the error names no permission: %v", err)
				}
				return
			}
			if got := incomplete(snapshot.Facts); got != test.incomplete {
				t.Errorf("incomplete %q, want %q", got, test.incomplete)
			}
			if github.ClassOf(snapshot.Faults[0].Err) != github.ClassPermissionDenied {
				t.Errorf("fault %v", snapshot.Faults[0].Err)
			}
		})
	}
}

// TestRenamedRepository holds that a redirect is an error and is not followed.
func TestRenamedRepository(t *testing.T) {
	for _, kind := range []string{"moved-301", "moved-307"} {
		t.Run(kind, func(t *testing.T) {
			instance := emulatortest.Start(t, emulatortest.Seed(), emulator.Options{})
			if err := instance.Inject(emulator.Fault{Kind: kind, Call: 1}); err != nil {
				t.Fatal(err)
			}
			client := clientFor(t, instance.URL, nil)
			_, err := facts.Read(context.Background(), client, request())
			if github.ClassOf(err) != github.ClassRedirected || strings.Contains(err.Error(), "repositories/") {
				t.Errorf("error %v", err)
			}
			if calls := client.Calls().REST; calls != 1 {
				t.Errorf("%d calls", calls)
			}
		})
	}
	t.Run("another repository under the name", func(t *testing.T) {
		instance := emulatortest.Start(t, emulatortest.Seed(), emulator.Options{})
		other := request()
		other.RepositoryID++
		_, err := facts.Read(context.Background(), clientFor(t, instance.URL, nil), other)
		if github.ClassOf(err) != github.ClassRedirected {
			t.Errorf("error %v", err)
		}
	})
}

// TestHeadRepositoryGone holds that a change whose repository was deleted is read. GitHub answers null there, which its
// description does not allow, so this answer is not held to it.
func TestHeadRepositoryGone(t *testing.T) {
	seed := emulatortest.Seed()
	seed.PullRequests[0].Head.Repository, seed.PullRequests[0].Head.Gone = nil, true
	server, err := emulator.New(seed, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(server.Handler())
	t.Cleanup(listener.Close)
	snapshot, err := facts.Read(context.Background(), clientFor(t, listener.URL, nil), request())
	if err != nil {
		t.Fatal(err)
	}
	head := snapshot.Facts.Head
	if head.RepositoryID != nil || head.OwnerID != nil || head.PushedAt != nil {
		t.Errorf("head %+v", head)
	}
	if got := incomplete(snapshot.Facts); got != "" {
		t.Errorf("incomplete %s: %v", got, snapshot.Faults)
	}
}
