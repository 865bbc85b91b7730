package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// model reads the data model's documents of one Run, "A" or "B".
func model(t *testing.T, run string) Input {
	t.Helper()
	var in Input
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "model", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	decode := func(name string, record any) []byte {
		data := read(name)
		if err := contract.Decode(data, record); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return data
	}
	decode(run+".decision.json", &in.Decision)
	decode(run+".facts.json", &in.Facts)
	decode(run+".task.json", &in.Task)
	in.ResultDigest = contract.Digest(decode(run+".result.json", &in.Result))
	decode("policy.json", &in.Policy)
	decode("apps.json", &in.Apps)
	in.App = in.Apps.Apps[0]
	in.Diff = diff.NewIndex(read(run + ".diff.patch"))
	in.Ledger = ledger.Read(in.Facts, in.Policy, in.Apps, in.App)
	return in
}

func applied(t *testing.T, run string) contract.Applied {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "model", run+".applied.json"))
	if err != nil {
		t.Fatal(err)
	}
	var record contract.Applied
	if err := contract.Decode(data, &record); err != nil {
		t.Fatal(err)
	}
	return record
}

func build(t *testing.T, in Input) Plan {
	t.Helper()
	p, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDataModel holds the plans of the two Runs to what the data model says was read back.
func TestDataModel(t *testing.T) {
	for _, run := range []string{"A", "B"} {
		t.Run(run, func(t *testing.T) {
			p, record := build(t, model(t, run)), applied(t, run)
			if len(p.Effects) != len(record.Effects) {
				t.Fatalf("%d Effects planned, %d applied", len(p.Effects), len(record.Effects))
			}
			for i, want := range record.Effects {
				got := p.Effects[i]
				if got.ID != want.ID || got.Type != want.Type || got.Key != want.Key {
					t.Errorf("Effect %d is %s %s %s, want %s %s %s", i, got.ID, got.Type, got.Key, want.ID, want.Type, want.Key)
				}
				switch {
				case want.ReadBack == nil:
				case want.ReadBack.Review != nil:
					read := want.ReadBack.Review
					if digest := contract.Digest([]byte(got.Review.Body)); digest != read.BodySHA256 {
						t.Errorf("%s: body of digest %s, want %s:\n%s", got.ID, digest, read.BodySHA256, got.Review.Body)
					}
					if got.Review.Commit != read.Commit || got.Review.Event != EventComment || len(got.Review.Comments) != len(read.Comments) {
						t.Errorf("%s: %s on %s with %d comments", got.ID, got.Review.Event, got.Review.Commit, len(got.Review.Comments))
					}
					for n, comment := range read.Comments {
						c := got.Review.Comments[n]
						if c.Path != comment.Path || c.Line != comment.Line || c.Side != comment.Side || c.StartLine != nil {
							t.Errorf("%s: comment %d is at %s:%d %s", got.ID, n, c.Path.Raw(), c.Line, c.Side)
						}
					}
				case want.ReadBack.Reply != nil:
					read := want.ReadBack.Reply
					if digest := contract.Digest([]byte(got.Reply.Body)); digest != read.BodySHA256 {
						t.Errorf("%s: body of digest %s, want %s:\n%s", got.ID, digest, read.BodySHA256, got.Reply.Body)
					}
					if got.Reply.ThreadID != read.ThreadID {
						t.Errorf("%s: in thread %s, want %s", got.ID, got.Reply.ThreadID, read.ThreadID)
					}
				}
			}
			if len(p.Findings) != len(record.Findings) {
				t.Fatalf("%d Findings planned, %d applied", len(p.Findings), len(record.Findings))
			}
			for i, want := range record.Findings {
				got := p.Findings[i]
				planned := contract.Finding{Schema: want.Schema, Anchor: got.Anchor, AuthorID: want.AuthorID, Body: untrusted.New(got.Body), Category: got.Category,
					Commit: want.Commit, ContentID: want.ContentID, DatabaseID: want.DatabaseID, Fingerprint: got.Fingerprint, Gates: got.Gates,
					ID: got.FindingID, Item: want.Item, Line: got.Line, NodeID: want.NodeID, Path: got.Path, Placement: got.Placement, ReadAt: want.ReadAt,
					Role: want.Role, Run: want.Run, Severity: got.Severity, Side: got.Side, StartLine: got.StartLine, ThreadID: want.ThreadID}
				if difference := cmp.Diff(want, planned); difference != "" {
					t.Errorf("finding %s (-want +got):\n%s", got.ID, difference)
				}
			}
			if got, want := p.Tokens[0].Permissions, record.Tokens[0].Requested; !cmp.Equal(got, want) || len(p.Tokens) != 1 || p.Tokens[0].Purpose != contract.PurposeEffects {
				t.Errorf("tokens %v, want one for effects with %v", p.Tokens, want)
			}
		})
	}
}

// TestThreadComments holds that the comments of Run A are byte for byte those that Run B's facts read from GitHub.
func TestThreadComments(t *testing.T) {
	p, facts := build(t, model(t, "A")), model(t, "B").Facts
	for i, thread := range facts.Threads {
		if got, want := p.Review().Comments[i].Body, thread.Comments[0].Text.Raw(); got != want {
			t.Errorf("comment %d:\n%s\nwant\n%s", i, got, want)
		}
	}
	if got, want := p.Review().Body, facts.Reviews[0].Text.Raw(); got != want {
		t.Errorf("review:\n%s\nwant\n%s", got, want)
	}
}

// TestAnswers holds how a review's body and a reply carry a Disposition.
func TestAnswers(t *testing.T) {
	p := build(t, model(t, "B"))
	want := strings.Join([]string{
		"The injection is still open.",
		"",
		"### Answers",
		"",
		"<!-- airlock/1 disposition key=0d1a2bfdf5c2bf91ad58b2a42464b1b1 run=run-1ca64a37f06e75eabc7d6e40 finding=run-db93904f83c62707abbb84a5/f4 half=reviewer verdict=accepted of=fixed -->",
		"Fixed. Run now returns after the last handler.",
		"",
		"<!-- airlock/1 review key=0d1a2bfdf5c2bf91ad58b2a42464b1b1 run=run-1ca64a37f06e75eabc7d6e40 role=pr-review intent=review-change content=ec1bf5b7b040304c281a5c779f606867c3c4c210bd7875b52c9a2ba05a1c8e26 commit=b7e9d2a4c6f80123456789abcdef0123456789ab status=completed omitted=0 -->",
	}, "\n")
	if got := p.Review().Body; got != want {
		t.Errorf("review:\n%s\nwant\n%s", got, want)
	}
	want = "Not fixed. Sprintf pastes the owner as before; the query needs a placeholder.\n\n" +
		"<!-- airlock/1 disposition key=b69607b7755ede5dfcffef27f3d5517a run=run-1ca64a37f06e75eabc7d6e40 finding=run-db93904f83c62707abbb84a5/f1 half=reviewer verdict=rejected of=fixed -->"
	if got := p.Effects[1].Reply.Body; got != want {
		t.Errorf("reply:\n%s\nwant\n%s", got, want)
	}
	if got := p.Effects[1].Reply; got.ThreadID != "PRRT_a1" || got.CommentID != 61001 {
		t.Errorf("reply to thread %s, comment %d", got.ThreadID, got.CommentID)
	}
}
