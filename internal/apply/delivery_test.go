package apply

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/facts"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

const deleteReview = "DELETE /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}"

// before does something just before the first call that matches, on the way to GitHub.
func (w *world) before(method, ending string, do func(*http.Request, http.RoundTripper)) {
	next, done := w.transport, false
	w.transport = roundTrip(func(request *http.Request) (*http.Response, error) {
		if !done && request.Method == method && strings.HasSuffix(request.URL.Path, ending) {
			done = true
			do(request, next)
		}
		return next.RoundTrip(request)
	})
}

// pending leaves a review that was never submitted.
func (w *world) pending(author int64, body string, comments ...string) {
	w.t.Helper()
	act := emulator.ReviewAct{Number: emulatortest.Number, ActorID: author, Body: body, State: "PENDING"}
	for _, comment := range comments {
		act.Comments = append(act.Comments, emulator.LineTextAct{Path: "internal/store/query.go", Line: 10, Body: comment})
	}
	_, err := w.Review(act)
	w.must(err)
}

// TestPendingReviewsOnTheWire leaves a review unsubmitted before the write: GitHub takes no other text of its author. Ours is
// taken away and the text written once; what somebody else wrote in our name, or in his own, stays.
func TestPendingReviewsOnTheWire(t *testing.T) {
	twin := newWorld(t, nil)
	twin.admit()
	twin.answer(three())
	twin.apply(nil)
	state := twin.State(t)
	ours, comment := state.Pull(emulatortest.Number).Reviews[0].Body, state.Pull(emulatortest.Number).Threads[0].Comments[0].Body
	delivered, clearing := []string{postReview, postCheck}, []string{postReview, deleteReview, postReview, postCheck}
	for name, c := range map[string]struct {
		leave  func(*world)
		writes []string
		stays  int // reviews that are pending in the end
	}{
		"empty":                     {func(w *world) { w.pending(emulatortest.BotUserID, "") }, clearing, 0},
		"of this very Run":          {func(w *world) { w.pending(emulatortest.BotUserID, ours, comment) }, clearing, 0},
		"a Finding of ours alone":   {func(w *world) { w.pending(emulatortest.BotUserID, "", comment) }, clearing, 0},
		"another text in our name":  {func(w *world) { w.pending(emulatortest.BotUserID, "Left over.") }, []string{postReview, postCheck}, 1},
		"with another's line in it": {func(w *world) { w.pending(emulatortest.BotUserID, ours, comment, "Left over.") }, []string{postReview, postCheck}, 1},
		"a maintainer's own":        {func(w *world) { w.pending(emulatortest.MaintainerID, "To be said.") }, delivered, 1},
		"made by a lost reply of it": {func(w *world) {
			w.before(http.MethodPost, "/reviews", func(*http.Request, http.RoundTripper) { w.pending(emulatortest.BotUserID, ours, comment) })
		}, clearing, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.admit()
			w.answer(three())
			c.leave(w)
			e := w.apply(nil)
			want, reasons := row{"completed", "none", "failure", 0}, []contract.Code{contract.CodeGatingFindingsOpen}
			if slices.Equal(c.writes, []string{postReview, postCheck}) && c.stays == 1 && !strings.Contains(name, "maintainer") {
				want, reasons = row{"failed", "platform", "action_required", 1}, []contract.Code{contract.CodeReviewPending}
			}
			w.holdsRow(e, want, reasons, c.writes)
			state := w.State(t)
			pull := state.Pull(emulatortest.Number)
			pending := slices.DeleteFunc(slices.Clone(pull.Reviews), func(r *emulator.Review) bool { return r.State != "PENDING" })
			submitted := slices.DeleteFunc(slices.Clone(pull.Reviews), func(r *emulator.Review) bool { return r.State == "PENDING" })
			if posted := want.status == "completed"; len(pending) != c.stays || (len(submitted) == 1) != posted || posted && len(pull.Threads) != 2 {
				t.Errorf("%d pending, %d submitted, %d threads", len(pending), len(submitted), len(pull.Threads))
			}
			if again := w.apply(nil); want.status == "completed" && !slices.Equal(again.states(), []string{contract.StateAlreadyApplied}) {
				t.Errorf("again: %v", again.states())
			}
		})
	}
}

// TestAPendingReviewBeforeAReply comes after the review was written, so that a reply meets it.
func TestAPendingReviewBeforeAReply(t *testing.T) {
	w := newWorld(t, nil).reviewed().pushed()
	w.admit()
	w.answer(w.answers())
	w.before(http.MethodPost, "/replies", func(*http.Request, http.RoundTripper) { w.pending(emulatortest.BotUserID, "") })
	e := w.apply(nil)
	w.holdsRow(e, row{"completed", "none", "failure", 0}, []contract.Code{contract.CodeGatingFindingsOpen},
		[]string{postReview, postReply, deleteReview, postReply, postReply, postCheck})
	if w.repliesByUs() != 2 {
		t.Errorf("%d replies", w.repliesByUs())
	}
}

// TestSiblingsBetweenCalls changes the other pull requests of the head while apply works: what they are and what their checks
// say right before the check is written counts.
func TestSiblingsBetweenCalls(t *testing.T) {
	const number = 13
	sibling := func() emulator.Pull {
		return emulator.Pull{Number: number, AuthorID: emulatortest.ContributorID, Title: "The same", Base: emulator.Base{Ref: "release"}, Head: emulatortest.Seed().PullRequests[0].Head}
	}
	opens := func(w *world) { w.must(w.OpenPull(sibling())) }
	// judged writes the sibling's check, as its own Run would, with the credential of the request at hand.
	judged := func(own, shown string) func(w *world, request *http.Request, through http.RoundTripper) {
		return func(w *world, request *http.Request, through http.RoundTripper) {
			body, err := json.Marshal(map[string]any{"name": "airlock / pr-review", "head_sha": w.decision.Commit, "status": "completed", "conclusion": shown,
				"external_id": facts.CheckPrefix("run-"+strings.Repeat("5", 24), number) + own, "output": map[string]string{"title": "T", "summary": "S"}})
			w.must(err)
			write, err := http.NewRequest(http.MethodPost, w.URL+"/repos/example-org/ledger/check-runs", bytes.NewReader(body))
			w.must(err)
			write.Header = request.Header.Clone()
			write.Header.Set("Content-Type", "application/json")
			answer, err := through.RoundTrip(write)
			w.must(err)
			text, err := io.ReadAll(answer.Body)
			w.must(err)
			if answer.StatusCode != http.StatusCreated {
				t.Fatalf("%d: %s", answer.StatusCode, text)
			}
		}
	}
	checks := "/check-runs"
	for name, c := range map[string]struct {
		there   bool // before decide
		method  string
		ending  string
		happens func(w *world, request *http.Request, through http.RoundTripper)
		green   bool
	}{
		"opened after the facts were read": {false, http.MethodPost, "/access_tokens", func(w *world, _ *http.Request, _ http.RoundTripper) { opens(w) }, false},
		"opened before the review":         {false, http.MethodPost, "/reviews", func(w *world, _ *http.Request, _ http.RoundTripper) { opens(w) }, false},
		// Nothing is read between these two; the sibling's own Run answers on its check.
		"opened after the last look": {false, http.MethodGet, checks, func(w *world, _ *http.Request, _ http.RoundTripper) { opens(w) }, true},
		"closed before the review": {true, http.MethodPost, "/reviews", func(w *world, _ *http.Request, _ http.RoundTripper) {
			w.must(w.Close(number, emulatortest.MaintainerID))
		}, true},
		"reviewed before the checks are read": {true, http.MethodGet, checks, judged("success", "action_required"), true},
		"reviewed with Findings":              {true, http.MethodGet, checks, judged("failure", "failure"), false},
		"not reviewed":                        {true, "", "", nil, false},
		"pushed to, so that it is of another commit": {true, http.MethodPost, "/reviews", func(w *world, _ *http.Request, _ http.RoundTripper) {
			tree := maps.Clone(emulatortest.Head)
			tree["more.txt"] = emulatortest.Text("more\n")
			_, err := w.Push(emulator.PushAct{Number: number, Tree: tree})
			w.must(err)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			if c.there {
				opens(w)
			}
			w.admit()
			w.answer(review())
			if c.happens != nil {
				// The token that reads may not write a check, so the act waits for the one that may.
				next, minted, done := w.transport, false, false
				w.transport = roundTrip(func(request *http.Request) (*http.Response, error) {
					if minted = minted || strings.HasSuffix(request.URL.Path, "/access_tokens"); minted && !done && request.Method == c.method && strings.HasSuffix(request.URL.Path, c.ending) {
						done = true
						c.happens(w, request, next)
					}
					return next.RoundTrip(request)
				})
			}
			e := w.apply(nil)
			want, reasons := row{"completed", "none", "success", 0}, []contract.Code{}
			if !c.green {
				want.conclusion, reasons = "action_required", []contract.Code{contract.CodeSiblingUnreviewed}
			}
			if got := (row{e.outcome.Status, e.outcome.Fault, e.conclusion(), e.code}); got != want || !slices.Equal(e.outcome.Reasons, reasons) {
				t.Errorf("ended as %+v for %v, want %+v for %v\n%s", got, e.outcome.Reasons, want, reasons, e.log)
			}
			state := w.State(t)
			for _, check := range state.CheckRuns {
				if strings.HasPrefix(check.ExternalID, facts.CheckPrefix(w.decision.Run, emulatortest.Number)) && (check.Conclusion != want.conclusion || !strings.HasSuffix(check.ExternalID, "#success")) {
					t.Errorf("the check says %s, its own word is in %q", check.Conclusion, check.ExternalID)
				}
			}
		})
	}
}

// TestAlreadyOpenAcrossRuns raises what is open again, in later Runs: where its line only moved it is the same Finding, which is
// not posted again and stays open; where the line itself changed, or the Finding was altered, it is a new one.
func TestAlreadyOpenAcrossRuns(t *testing.T) {
	const file = "internal/store/query.go"
	change := func(w *world, edit func(lines []string) []string) {
		tree := maps.Clone(emulatortest.Head)
		text := strings.Split(string(tree[file].Content), "\n")
		tree[file] = emulatortest.Text(strings.Join(edit(text), "\n"))
		w.push(tree)
		w.next()
		w.admit()
	}
	for name, c := range map[string]struct {
		happens func(*world)
		edit    func([]string) []string
		line    int
		same    bool
	}{
		"the line moved":  {nil, func(lines []string) []string { return slices.Insert(lines, 2, "// above", "// above") }, 12, true},
		"the line stands": {nil, func(lines []string) []string { return append(lines, "// below") }, 10, true},
		"the line changed": {nil, func(lines []string) []string {
			lines[9] = "// changed again"
			return lines
		}, 10, false},
		"the Finding was altered": {func(w *world) {
			comment := w.comment(0)
			w.must(w.Edit(emulator.EditAct{Number: emulatortest.Number, ActorID: emulatortest.ContributorID, LineCommentID: comment.ID, Body: "Look here. " + comment.Body}))
		}, func(lines []string) []string { return append(lines, "// below") }, 10, false},
		"a maintainer resolved it": {func(w *world) {
			w.must(w.Resolve(emulator.ResolveAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID, CommentID: w.comment(0).ID}))
		}, func(lines []string) []string { return append(lines, "// below") }, 10, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.admit()
			w.answer(review(onLine("f1", "correctness", "major", 10)))
			w.apply(nil)
			first := w.decision.Run + "/f1"
			if c.happens != nil {
				c.happens(w)
			}
			change(w, c.edit)
			again := onLine("f7", "correctness", "critical", c.line)
			again.Title, again.Text = untrusted.New("In other words"), untrusted.New("It is still there.")
			w.answer(review(again))
			e := w.apply(nil)
			state := w.State(t)
			pull := state.Pull(emulatortest.Number)
			record := e.applied.Findings[0]
			second := w.decision.Run + "/f7"
			said := slices.Contains(e.outcome.Reasons, contract.CodeAlreadyOpen)
			if e.conclusion() != "failure" || said != c.same || len(pull.Threads) != map[bool]int{true: 1, false: 2}[c.same] {
				t.Errorf("%s for %v, %d threads\n%s", e.conclusion(), e.outcome.Reasons, len(pull.Threads), e.log)
			}
			switch {
			case c.same && (record.ID != first || record.Placement != contract.PlacementAlreadyOpen || !slices.Equal(e.outcome.GatingOpen, []string{first}) ||
				record.DatabaseID != pull.Threads[0].Comments[0].ID || !strings.Contains(pull.Reviews[1].Body, "One finding was open already and is not repeated here.") ||
				strings.Contains(pull.Reviews[1].Body, "still there")):
				t.Errorf("recorded %s as %s, open %v, in\n%s", record.ID, record.Placement, e.outcome.GatingOpen, pull.Reviews[1].Body)
			case !c.same && (record.ID != second || record.Placement != contract.PlacementLine || !slices.Contains(e.outcome.GatingOpen, second)):
				t.Errorf("recorded %s as %s, open %v", record.ID, record.Placement, e.outcome.GatingOpen)
			}
			if once := w.apply(nil); !slices.Equal(once.states(), []string{contract.StateAlreadyApplied}) || once.conclusion() != "failure" {
				t.Errorf("again: %v, %s\n%s", once.states(), once.conclusion(), once.log)
			}
		})
	}
}
