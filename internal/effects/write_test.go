package effects

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/identity"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

const allApplied = "applied, applied, applied"

// resolving adds a resolve to the plan of Run B.
func (p *page) resolving() *page {
	p.plan.Effects = append(p.plan.Effects, plan.Effect{ID: "e4", Type: contract.ResolveThread, Key: strings.Repeat("4", 32),
		Needs: p.apps.Needs[contract.ResolveThread], Token: contract.PurposeResolve, Resolve: &plan.Resolve{FindingID: "run-db93904f83c62707abbb84a5/f2", ThreadID: "PRRT_a2"}})
	return p
}

// answering makes the answer of one write another; the rest are done.
func answering(write, status int, body string, done bool) func(int, func()) (int, string) {
	return func(n int, do func()) (int, string) {
		if n == write && !done {
			return status, body
		}
		do()
		if n == write {
			return status, body
		}
		return http.StatusOK, ""
	}
}

func TestEveryEffectIsWrittenOnceAndInOrder(t *testing.T) {
	p := model(t, "B").resolving()
	report := p.write()
	if got := states(report); got != allApplied+", applied" || p.writes != 4 {
		t.Fatalf("%s by %d writes: %v", got, p.writes, report.Err)
	}
	want := []string{"e1 look", "e1 write", "e1 read back", "e2 write", "e2 read back", "e3 write", "e3 read back", "e4 look", "e4 write", "e4 read back"}
	if !slices.Equal(p.steps, want) {
		t.Errorf("steps %v, want %v", p.steps, want)
	}
	if want := []string{"effects", "effects", "effects", "resolve"}; !slices.Equal(p.purposes, want) {
		t.Errorf("tokens %v, want %v", p.purposes, want)
	}
	resolved := report.Effects[3]
	if resolved.DatabaseID != nil || *resolved.NodeID != "PRRT_a2" || *resolved.ReadBack.Resolve != (contract.ResolveReadBack{Resolved: true, ThreadID: "PRRT_a2"}) {
		t.Errorf("the resolve: %+v", resolved)
	}
	for i, path := range []string{"/pulls/12/reviews", "/pulls/12/comments/61001/replies", "/pulls/12/comments/61002/replies", "/graphql"} {
		if first, _, _ := strings.Cut(p.requests[i], "\n"); !strings.HasSuffix(first, path) || !strings.HasPrefix(first, "POST ") {
			t.Errorf("write %d is %s, want POST …%s", i+1, first, path)
		}
	}
}

func TestWhatIsThereIsNotWrittenAgain(t *testing.T) {
	p := model(t, "B").resolving()
	p.write()
	p.session.Seen, p.writes, p.looks, p.purposes = p.seen(copied(t, p.facts)), 0, 0, nil
	report := p.write()
	if got := states(report); got != strings.Repeat("already_applied, ", 3)+"already_applied" || p.writes+p.looks != 0 || p.purposes != nil {
		t.Errorf("%s by %d writes, %d looks, tokens %v", got, p.writes, p.looks, p.purposes)
	}
	if len(report.Findings) != 1 || len(report.Dispositions) != 3 || report.Findings[0].Placement != contract.PlacementLine {
		t.Errorf("%d Findings, %d Dispositions", len(report.Findings), len(report.Dispositions))
	}
}

func TestAnotherProcessWroteItMeanwhile(t *testing.T) {
	p := model(t, "B")
	other := model(t, "B")
	other.write()
	p.look = func(_ int, facts *contract.Facts) error { *facts = copied(t, other.facts); return nil }
	if got := states(p.write()); got != "already_applied, already_applied, already_applied" || p.writes != 0 {
		t.Errorf("%s by %d writes", got, p.writes)
	}
}

// TestReadBack changes one field of what is read back at a time: where it stays so the Effect failed and the writing ends;
// where it is only late the Effect is applied.
func TestReadBack(t *testing.T) {
	last := func(facts *contract.Facts) *contract.Review { return &facts.Reviews[len(facts.Reviews)-1] }
	thread := func(facts *contract.Facts) *contract.Thread { return &facts.Threads[len(facts.Threads)-1] }
	reply := func(facts *contract.Facts) *contract.ThreadComment {
		return &facts.Threads[0].Comments[len(facts.Threads[0].Comments)-1]
	}
	append1 := func(text untrusted.Text) untrusted.Text { return untrusted.New("More. " + text.Raw()) }
	line := 23
	for name, c := range map[string]struct {
		change func(*contract.Facts)
		effect int // the one that it is of
		ok     bool
	}{
		"the review's body":         {func(f *contract.Facts) { last(f).Text = append1(last(f).Text) }, 0, false},
		"the review's body, edited": {func(f *contract.Facts) { last(f).Text, last(f).EditedAt = append1(last(f).Text), &f.ReadAt }, 0, false},
		"CRLF for line ends": {func(f *contract.Facts) {
			last(f).Text = untrusted.New(strings.ReplaceAll(last(f).Text.Raw(), "\n", "\r\n"))
		}, 0, true},
		"white space lost at the end": {func(f *contract.Facts) { last(f).Text = untrusted.New(last(f).Text.Raw() + "\n \n") }, 0, true},
		"the review's state":          {func(f *contract.Facts) { last(f).State = "DISMISSED" }, 0, false},
		"the review's commit":         {func(f *contract.Facts) { last(f).Commit = strings.Repeat("1", 40) }, 0, false},
		"commit moved with the head": {func(f *contract.Facts) {
			last(f).Commit, f.Head.Commit = strings.Repeat("1", 40), strings.Repeat("1", 40)
		}, 0, true},
		"the review's marker": {func(f *contract.Facts) {
			last(f).Text, last(f).EditedAt = untrusted.New("Nothing."), &f.ReadAt
		}, 0, false},
		"a comment's commit":          {func(f *contract.Facts) { thread(f).OriginalCommit = strings.Repeat("1", 40) }, 0, false},
		"a comment's review":          {func(f *contract.Facts) { other := int64(5); thread(f).ReviewID = &other }, 0, false},
		"a comment without a review":  {func(f *contract.Facts) { thread(f).ReviewID = nil }, 0, false},
		"a comment of another author": {func(f *contract.Facts) { thread(f).Comments[0].Author.ID = 5 }, 0, false},
		"one comment more": {func(f *contract.Facts) {
			more := *thread(f)
			more.NodeID, more.Comments = "PRRT_more", []contract.ThreadComment{{At: f.ReadAt, Author: more.Comments[0].Author, ID: 5, NodeID: "PRRC_more", Text: untrusted.New("More.")}}
			f.Threads = append(f.Threads, more)
		}, 0, false},
		"a reply in another thread": {func(f *contract.Facts) {
			other := f.Threads[0]
			n := len(other.Comments) - 1
			other.NodeID, other.Comments = "PRRT_other", []contract.ThreadComment{other.Comments[0], other.Comments[n]}
			f.Threads[0].Comments = f.Threads[0].Comments[:n]
			f.Threads = append(f.Threads, other)
		}, 1, false},
		"no line comment":   {func(f *contract.Facts) { f.Threads = f.Threads[:len(f.Threads)-1] }, 0, false},
		"a comment's line":  {func(f *contract.Facts) { thread(f).OriginalLine = &line }, 0, false},
		"a comment's side":  {func(f *contract.Facts) { thread(f).Side = contract.Left }, 0, false},
		"a comment's path":  {func(f *contract.Facts) { thread(f).Path = untrusted.New("other.go") }, 0, false},
		"a comment's range": {func(f *contract.Facts) { thread(f).OriginalStartLine = &line }, 0, false},
		"a comment's body":  {func(f *contract.Facts) { thread(f).Comments[0].Text = append1(thread(f).Comments[0].Text) }, 0, false},
		"a comment's body, edited": {func(f *contract.Facts) {
			thread(f).Comments[0].Text, thread(f).Comments[0].EditedAt = append1(thread(f).Comments[0].Text), &f.ReadAt
		}, 0, false},
		"a comment that lost its place":  {func(f *contract.Facts) { thread(f).Line = nil }, 0, false},
		"a comment that is outdated":     {func(f *contract.Facts) { thread(f).Line, thread(f).Outdated = nil, true }, 0, true},
		"a comment without an old place": {func(f *contract.Facts) { thread(f).OriginalLine = nil }, 0, false},
		"the reply's body":               {func(f *contract.Facts) { reply(f).Text = append1(reply(f).Text) }, 1, false},
		"the reply's body, edited":       {func(f *contract.Facts) { reply(f).Text, reply(f).EditedAt = append1(reply(f).Text), &f.ReadAt }, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, late := range []bool{false, true} {
				p := model(t, "B").resolving()
				changed := 0
				p.look = func(_ int, facts *contract.Facts) error {
					if done := []bool{len(facts.Reviews) > 1, len(facts.Threads[0].Comments) > 2, false, facts.Threads[1].Resolved}[c.effect]; done && (!late || changed < 2) && p.writes == c.effect+1 {
						changed++
						c.change(facts)
					}
					return nil
				}
				report := p.write()
				if changed == 0 {
					t.Fatal("the change was never read")
				}
				if c.ok || late {
					if got := states(report); got != allApplied+", applied" {
						t.Errorf("late %v: %s: %v", late, got, report.Err)
					}
					continue
				}
				failed := report.Effects[c.effect]
				if state(failed) != "failed readback_mismatch" || failed.ReadBack != nil || !strings.HasPrefix(report.Err.Error(), "read back: ") || p.writes != c.effect+1 {
					t.Errorf("%s by %d writes: %v", states(report), p.writes, report.Err)
				}
				for _, effect := range report.Effects[c.effect+1:] {
					if state(effect) != contract.StateNotAttempted {
						t.Errorf("after it: %s", state(effect))
					}
				}
			}
		})
	}
}

// TestAnswers gives the second write an answer of each kind.
func TestAnswers(t *testing.T) {
	const second = time.Second
	waits := []time.Duration{second, 2 * second, 4 * second, 8 * second}
	for name, c := range map[string]struct {
		answer func(int, func()) (int, string)
		states string
		writes int
		waits  []time.Duration
	}{
		"lost, and done":           {answering(2, 0, "", true), allApplied, 3, nil},
		"lost, and not done":       {answering(2, 0, "", false), "applied, failed effect_unknown, not_attempted", 2, waits},
		"500, and done":            {answering(2, 500, `{"message":"Server Error"}`, true), allApplied, 3, nil},
		"500, and not done":        {answering(2, 500, `{"message":"Server Error"}`, false), "applied, failed effect_unknown, not_attempted", 2, waits},
		"200 without a body":       {answering(2, 200, " ", false), "applied, failed effect_unknown, not_attempted", 2, waits},
		"200 without an id":        {answering(2, 200, "{}", true), allApplied, 3, nil},
		"401 once":                 {answering(2, 401, `{"message":"Bad credentials"}`, false), allApplied, 4, waits[:1]},
		"401 always":               {from(2, 401, `{"message":"Bad credentials"}`), "applied, failed permission_denied, not_attempted", 3, waits[:1]},
		"403 always":               {from(2, 403, `{"message":"Resource not accessible by integration"}`), "applied, failed permission_denied, not_attempted", 5, waits[:3]},
		"locked":                   {from(2, 403, `{"message":"Unable to create comment because issue is locked."}`), "applied, failed permission_denied, not_attempted", 2, nil},
		"429 once":                 {answering(2, 429, `{"message":"Slow down"}`, false), allApplied, 4, []time.Duration{time.Minute}},
		"429 always":               {from(2, 429, `{"message":"Slow down"}`), "applied, failed rate_limited, not_attempted", 3, []time.Duration{time.Minute}},
		"422 abuse, always":        {from(2, 422, `{"message":"Validation Failed","errors":[{"code":"abuse"}]}`), "applied, failed rate_limited, not_attempted", 3, []time.Duration{time.Minute}},
		"422":                      {from(2, 422, `{"message":"Unprocessable Entity","errors":["Line could not be resolved"]}`), "applied, failed effect_rejected, not_attempted", 2, nil},
		"422 of a pending review":  {from(2, 422, `{"message":"Unprocessable Entity","errors":["User can only have one pending review per pull request"]}`), "applied, failed review_pending, not_attempted", 2, nil},
		"422 of an internal error": {answering(2, 422, `{"message":"Unprocessable Entity","errors":["An internal error occurred, please try again."]}`, false), "applied, failed effect_unknown, not_attempted", 2, waits},
		"307":                      {from(2, 307, `{"message":"Moved"}`), "applied, failed platform_error, not_attempted", 2, nil},
		"404":                      {from(2, 404, `{"message":"Not Found"}`), "applied, failed permission_denied, not_attempted", 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := model(t, "B")
			p.answer = c.answer
			report := p.write()
			if got := states(report); got != c.states || p.writes != c.writes || !slices.Equal(p.waits, c.waits) {
				t.Errorf("%s by %d writes after %v, want %s by %d after %v", got, p.writes, p.waits, c.states, c.writes, c.waits)
			}
			if failed := c.states != allApplied; failed != (report.Err != nil) {
				t.Errorf("error %v", report.Err)
			}
		})
	}
}

// from answers so from one write on.
func from(write, status int, body string) func(int, func()) (int, string) {
	return func(n int, do func()) (int, string) {
		if n >= write {
			return status, body
		}
		do()
		return http.StatusOK, ""
	}
}

// TestNothingIsWrittenAfterTheItemClosed closes the item before one look at a time.
func TestNothingIsWrittenAfterTheItemClosed(t *testing.T) {
	for closed, c := range map[int]struct {
		states string
		writes int
	}{
		1: {"not_attempted superseded_closed, not_attempted, not_attempted, not_attempted", 0},
		2: {"applied, not_attempted superseded_closed, not_attempted, not_attempted", 1},
		3: {"applied, applied, not_attempted superseded_closed, not_attempted", 2},
		4: {allApplied + ", not_attempted superseded_closed", 3},
		5: {allApplied + ", not_attempted superseded_closed", 3},
		6: {allApplied + ", applied", 4},
	} {
		p := model(t, "B").resolving()
		p.look = func(n int, facts *contract.Facts) error {
			if n >= closed {
				facts.Item.State = "closed"
			}
			return nil
		}
		report := p.write()
		if got := states(report); got != c.states || p.writes != c.writes || !slices.Equal(report.Halted, []contract.Code{contract.CodeSupersededClosed}) {
			t.Errorf("closed before look %d: %s by %d writes, halted by %v", closed, got, p.writes, report.Halted)
		}
	}
}

// TestAWaitIsFollowedByALook closes the item while a write waits for its rate limit.
func TestAWaitIsFollowedByALook(t *testing.T) {
	p := model(t, "B")
	p.answer = answering(1, 429, `{"message":"Slow down"}`, false)
	p.look = func(n int, facts *contract.Facts) error {
		if n > 1 {
			facts.Item.State = "closed"
		}
		return nil
	}
	if report := p.write(); p.writes != 1 || state(report.Effects[0]) != "not_attempted superseded_closed" {
		t.Errorf("%s by %d writes", states(report), p.writes)
	}
}

// TestARefusalMayBeAChange locks the item between the look and the write: the Effect failed, and the last look says why.
func TestARefusalMayBeAChange(t *testing.T) {
	p := model(t, "B")
	p.answer = from(1, 403, `{"message":"Unable to create comment because issue is locked."}`)
	p.look = func(n int, facts *contract.Facts) error {
		if n == 2 {
			facts.Item.State = "closed"
		}
		return nil
	}
	if report := p.write(); state(report.Effects[0]) != "failed permission_denied" || !slices.Equal(report.Halted, []contract.Code{contract.CodeSupersededClosed}) {
		t.Errorf("%s, halted by %v", states(report), report.Halted)
	}
}

func TestLooksThatFail(t *testing.T) {
	down := &github.Error{Operation: "GraphQL Conversation", Class: github.ClassUnavailable}
	for name, c := range map[string]struct {
		fails  func(look int) bool
		states string
		writes int
	}{
		"before the write":             {func(n int) bool { return n == 1 }, "failed platform_error, not_attempted, not_attempted", 0},
		"after the write, once":        {func(n int) bool { return n == 2 }, allApplied, 3},
		"after the write, four times":  {func(n int) bool { return n >= 2 && n <= 5 }, allApplied, 3},
		"after the write, every time":  {func(n int) bool { return n >= 2 }, "failed effect_unknown, not_attempted, not_attempted", 1},
		"after the second, every time": {func(n int) bool { return n >= 3 }, "applied, failed effect_unknown, not_attempted", 2},
	} {
		p := model(t, "B")
		p.look = func(n int, _ *contract.Facts) error {
			if c.fails(n) {
				return down
			}
			return nil
		}
		if report := p.write(); states(report) != c.states || p.writes != c.writes {
			t.Errorf("%s: %s by %d writes, want %s by %d", name, states(report), p.writes, c.states, c.writes)
		}
	}
}

func TestNoToken(t *testing.T) {
	p := model(t, "B")
	p.session.Client = func(context.Context, string) (*github.Client, error) {
		return nil, &identity.Fault{Code: contract.CodeIdentityRefused, What: "mint the token"}
	}
	if report := p.write(); states(report) != "failed identity_refused, not_attempted, not_attempted" || p.writes+p.looks != 0 {
		t.Errorf("%s by %d writes and %d looks", states(report), p.writes, p.looks)
	}
}

func TestAnEffectBeyondTheCeiling(t *testing.T) {
	p := model(t, "B").resolving()
	p.plan.Effects[3].Reason, p.plan.Effects[3].Token = contract.CodeIdentityCeiling, ""
	if report := p.write(); states(report) != allApplied+", refused identity_ceiling" || p.writes != 3 || slices.Contains(p.purposes, "") {
		t.Errorf("%s by %d writes, tokens %v", states(report), p.writes, p.purposes)
	}
}

// TestTheRequestItself holds the last check before the wire, whatever a plan says.
func TestTheRequestItself(t *testing.T) {
	for want, change := range map[string]func(*plan.Review){
		"failed review_not_comment": func(r *plan.Review) { r.Event = "APPROVE" },
		"failed review_commit":      func(r *plan.Review) { r.Commit = strings.Repeat("1", 40) },
	} {
		p := model(t, "B")
		change(p.plan.Effects[0].Review)
		if report := p.write(); state(report.Effects[0]) != want || p.writes != 0 {
			t.Errorf("%s by %d writes, want %s", states(report), p.writes, want)
		}
	}
}

// TestAFindingThatIsOpenAlready keeps the commit and the content of the review that posted it.
func TestAFindingThatIsOpenAlready(t *testing.T) {
	p := model(t, "B")
	at := slices.IndexFunc(p.plan.Findings, func(f plan.Finding) bool { return f.ID == "f1" })
	p.plan.Findings[at].FindingID, p.plan.Findings[at].Placement = "run-db93904f83c62707abbb84a5/f2", contract.PlacementAlreadyOpen
	p.plan.Effects[0].Review.Comments = nil
	report := p.write()
	if len(report.Findings) != 1 {
		t.Fatalf("%s: %d Findings", states(report), len(report.Findings))
	}
	got, first := report.Findings[0], contract.Decision{}
	decode(t, "A.decision.json", &first)
	if got.Placement != contract.PlacementAlreadyOpen || got.Commit != first.Commit || got.ContentID != first.ContentID || got.Run != first.Run || got.DatabaseID != 61002 {
		t.Errorf("got %+v", got)
	}
}

// TestPatience holds the waits, one call after the other.
func TestPatience(t *testing.T) {
	failure := func(class github.Class, after time.Duration) error {
		return &github.Error{Class: class, RetryAfter: after}
	}
	for name, c := range map[string]struct {
		errs []error
		want []time.Duration // -1: not again
	}{
		"nothing failed":    {[]error{nil}, []time.Duration{-1}},
		"not a call":        {[]error{errors.New("other")}, []time.Duration{-1}},
		"lag":               {[]error{failure(github.ClassUnauthorized, 0), failure(github.ClassPermissionDenied, 0), failure(github.ClassUnauthorized, 0), failure(github.ClassUnauthorized, 0)}, []time.Duration{1e9, 2e9, 4e9, -1}},
		"a limit":           {[]error{failure(github.ClassRateLimited, 7e9), failure(github.ClassRateLimited, 7e9)}, []time.Duration{7e9, -1}},
		"a limit, no time":  {[]error{failure(github.ClassRateLimited, 0)}, []time.Duration{60e9}},
		"a limit too long":  {[]error{failure(github.ClassRateLimited, 61e9)}, []time.Duration{-1}},
		"a dead token":      {[]error{&github.Error{Class: github.ClassUnauthorized, Known: true}, &github.Error{Class: github.ClassUnauthorized, Known: true}}, []time.Duration{1e9, -1}},
		"a lag and a limit": {[]error{failure(github.ClassUnauthorized, 0), failure(github.ClassRateLimited, 1e9), failure(github.ClassUnauthorized, 0)}, []time.Duration{1e9, 1e9, 2e9}},
		"locked":            {[]error{failure(github.ClassLocked, 0)}, []time.Duration{-1}},
		"invalid":           {[]error{failure(github.ClassInvalid, 0)}, []time.Duration{-1}},
		"unavailable":       {[]error{failure(github.ClassUnavailable, 0)}, []time.Duration{-1}},
	} {
		patience, got := Patience{}, []time.Duration{}
		for _, err := range c.errs {
			wait, again := patience.Again(err)
			if !again {
				wait = -1
			}
			got = append(got, wait)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestEveryReasonOfAnEffectIsRepresentable holds that what a failed call ends with can stand in applied/1.
func TestEveryReasonOfAnEffectIsRepresentable(t *testing.T) {
	for _, class := range []github.Class{github.ClassNotFound, github.ClassGone, github.ClassUnauthorized, github.ClassPermissionDenied, github.ClassLocked,
		github.ClassRateLimited, github.ClassRedirected, github.ClassNotAcceptable, github.ClassConflict, github.ClassInvalid, github.ClassUnavailable,
		github.ClassMalformed, github.ClassTooLarge, github.ClassUnreachable} {
		code := CodeOf(&github.Error{Class: class})
		if reason, _ := contract.ReasonOf(code); reason.Stage != contract.StageEffect {
			t.Errorf("%s ends as %s, of stage %s", class, code, reason.Stage)
		}
	}
}
