package apply

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// truth is what stands on GitHub at the moment the records were written, by id.
type truth struct {
	emulator.State
	pull     *emulator.Pull
	reviews  map[int64]*emulator.Review
	comments map[int64]*emulator.LineComment
	threads  map[int64]*emulator.Thread // by the id of each comment
}

func (w *world) truth() truth {
	w.t.Helper()
	t := truth{State: w.State(w.t), reviews: map[int64]*emulator.Review{}, comments: map[int64]*emulator.LineComment{}, threads: map[int64]*emulator.Thread{}}
	t.pull = t.Pull(emulatortest.Number)
	for _, r := range t.pull.Reviews {
		t.reviews[r.ID] = r
	}
	for _, thread := range t.pull.Threads {
		for _, c := range thread.Comments {
			t.comments[c.ID], t.threads[c.ID] = c, thread
		}
	}
	return t
}

// holdsTrue holds every claim of the records to what stands on GitHub. It is called before anything else happens there.
func (w *world) holdsTrue(e ended) {
	w.t.Helper()
	if !e.records {
		return
	}
	t := w.truth()
	var lies []string
	lie := func(format string, values ...any) { lies = append(lies, fmt.Sprintf(format, values...)) }
	counts := contract.EffectCounts{}
	for _, effect := range e.applied.Effects {
		t.holdsEffect(effect, &counts, lie)
	}
	for _, f := range e.applied.Findings {
		t.holdsFinding(f, lie)
	}
	for _, d := range e.applied.Dispositions {
		t.holdsDisposition(d, e.applied.Effects, lie)
	}
	t.holdsOutcome(e, counts, lie)
	t.holdsTokens(e, lie)
	api := 0
	for _, call := range e.calls {
		if call.Number > 0 {
			api++
		}
	}
	if told := int(e.applied.Calls.REST + e.applied.Calls.GraphQL); e.undelivered == 0 && told != api {
		lie("the record counts %d calls, GitHub %d", told, api)
	}
	if len(lies) > 0 {
		w.t.Errorf("the records of attempt %d are not true: %s\n%s", e.attempt, strings.Join(lies, "; "), e.log)
	}
}

func (t truth) holdsEffect(effect contract.AppliedEffect, counts *contract.EffectCounts, lie func(string, ...any)) {
	switch effect.State {
	case contract.StateApplied:
		counts.Applied++
	case contract.StateAlreadyApplied:
		counts.AlreadyApplied++
	case contract.StateFailed:
		counts.Failed++
	case contract.StateNotAttempted:
		counts.NotAttempted++
	case contract.StateRefused:
		counts.Refused++
	}
	if effect.State != contract.StateApplied && effect.State != contract.StateAlreadyApplied {
		unsure := effect.Reason != nil && (*effect.Reason == contract.CodeEffectUnknown || *effect.Reason == contract.CodeReadbackMismatch)
		switch {
		case effect.ReadBack != nil:
			lie("%s is %s and was read back", effect.ID, effect.State)
		case effect.State == contract.StateFailed && effect.Reason == nil:
			lie("%s failed for no reason", effect.ID)
		case effect.State == contract.StateFailed && !unsure && effect.Type != contract.ResolveThread && t.hasKey(effect.Key):
			lie("%s failed for %s and stands", effect.ID, *effect.Reason)
		}
		return
	}
	if effect.ReadBack == nil || effect.Reason != nil {
		lie("%s is %s for %v without having been read", effect.ID, effect.State, effect.Reason)
		return
	}
	switch back := effect.ReadBack; {
	case back.Review != nil:
		t.holdsReview(effect, *back.Review, lie)
	case back.Reply != nil:
		comment := t.comments[*effect.DatabaseID]
		if comment == nil || comment.AuthorID != back.Reply.AuthorID || contract.Digest([]byte(comment.Body)) != back.Reply.BodySHA256 ||
			node("PRRT", t.threads[comment.ID].ID) != back.Reply.ThreadID || !strings.Contains(comment.Body, "key="+effect.Key) || *effect.NodeID != node("PRRC", comment.ID) {
			lie("%s: no such reply", effect.ID)
		}
	default:
		there := slices.ContainsFunc(t.pull.Threads, func(thread *emulator.Thread) bool {
			return node("PRRT", thread.ID) == back.Resolve.ThreadID && thread.Resolved && back.Resolve.Resolved &&
				(back.Resolve.ResolvedByID == nil || thread.ResolvedByID == *back.Resolve.ResolvedByID)
		})
		if !there {
			lie("%s: no such thread is resolved", effect.ID)
		}
	}
}

func (t truth) holdsReview(effect contract.AppliedEffect, back contract.ReviewReadBack, lie func(string, ...any)) {
	review := t.reviews[*effect.DatabaseID]
	if review == nil || review.AuthorID != back.AuthorID || contract.Digest([]byte(review.Body)) != back.BodySHA256 || review.State != back.State ||
		!strings.Contains(review.Body, "key="+effect.Key) || *effect.NodeID != node("PRR", review.ID) {
		lie("%s: no such review", effect.ID)
		return
	}
	moved := slices.ContainsFunc(t.pull.Events, func(event *emulator.Event) bool { return event.Event == "head_ref_force_pushed" })
	if review.Commit != back.Commit && !moved {
		lie("%s: the review is on another commit", effect.ID)
	}
	of := 0
	for _, c := range t.comments {
		if c.ReviewID == review.ID {
			of++
		}
	}
	if of != len(back.Comments) {
		lie("%s: %d comments were read back, %d stand", effect.ID, len(back.Comments), of)
	}
	for _, c := range back.Comments {
		comment, thread := t.comments[c.DatabaseID], t.threads[c.DatabaseID]
		if comment == nil || comment.ReviewID != review.ID || thread.Path != c.Path.Raw() || thread.OriginalLine != c.Line || thread.Side != c.Side {
			lie("%s: no such comment as %+v", effect.ID, c)
		}
	}
}

func (t truth) holdsFinding(f contract.Finding, lie func(string, ...any)) {
	marker := "<!-- airlock/1 finding id=" + f.ID + " category=" + f.Category + " severity=" + f.Severity + " "
	if f.Placement == contract.PlacementBody {
		review := t.reviews[f.DatabaseID]
		if review == nil || !strings.Contains(review.Body, marker) || !strings.Contains(review.Body, f.Body.Raw()) || f.NodeID != node("PRR", review.ID) || review.AuthorID != f.AuthorID {
			lie("Finding %s is in no review", f.ID)
		}
		return
	}
	comment, thread := t.comments[f.DatabaseID], t.threads[f.DatabaseID]
	if comment == nil || comment.AuthorID != f.AuthorID || !strings.Contains(comment.Body, marker) || !strings.Contains(comment.Body, f.Body.Raw()) || f.NodeID != node("PRRC", comment.ID) {
		lie("Finding %s is in no thread", f.ID)
		return
	}
	same := f.ThreadID != nil && *f.ThreadID == node("PRRT", thread.ID) && f.Path != nil && f.Path.Raw() == thread.Path && f.Line != nil && *f.Line == thread.OriginalLine &&
		f.Side != nil && *f.Side == thread.Side && text(f.StartLine) == text(thread.OriginalStartLine)
	if !same {
		lie("Finding %s is on another line", f.ID)
	}
}

func (t truth) holdsDisposition(d contract.AppliedDisposition, effects []contract.AppliedEffect, lie func(string, ...any)) {
	at := slices.IndexFunc(effects, func(e contract.AppliedEffect) bool { return e.ID == d.Effect })
	if at < 0 {
		lie("a Disposition of no Effect")
		return
	}
	marker := fmt.Sprintf("<!-- airlock/1 disposition key=%s run=%s finding=%s half=%s verdict=%s ", effects[at].Key, d.Run, d.Finding, d.Half, d.Verdict)
	for _, r := range t.pull.Reviews {
		if node("PRR", r.ID) == d.NodeID && strings.Contains(r.Body, marker) {
			return
		}
	}
	for _, c := range t.comments {
		if node("PRRC", c.ID) == d.NodeID && strings.Contains(c.Body, marker) {
			return
		}
	}
	lie("the Disposition of %s does not stand", d.Finding)
}

// holdsOutcome holds what the Outcome says of Effects, of what is open and of the check.
func (t truth) holdsOutcome(e ended, counts contract.EffectCounts, lie func(string, ...any)) {
	o := e.outcome
	if o.Effects != counts || o.Run != e.applied.Run || o.Attempt != e.attempt || e.applied.Attempt != e.attempt {
		lie("the Outcome counts %+v in attempt %d, the Effects are %+v", o.Effects, o.Attempt, counts)
	}
	read := !slices.Contains(o.Reasons, contract.CodeFactsIncomplete)
	var unread []string
	for _, effect := range e.applied.Effects {
		if effect.State == contract.StateFailed {
			unread = append(unread, effect.Key)
		}
	}
	if open := openByMarkers(t.pull, unread); read && !slices.Equal(slices.Sorted(slices.Values(o.GatingOpen)), open) {
		lie("the Outcome says that %v is open, the markers that %v is", o.GatingOpen, open)
	}
	if o.Status == contract.StatusCompleted && (counts.Failed+counts.NotAttempted+counts.Refused > 0 || e.code != 0) {
		lie("it is completed with %+v and exit code %d", counts, e.code)
	}
	switch {
	case (o.Check == nil) != (o.Conclusion == nil):
		lie("the check is %+v and the conclusion is not", o.Check)
	case o.Check == nil:
	case *o.Conclusion != o.Check.Conclusion:
		lie("the conclusion is %s and the check's %s", *o.Conclusion, o.Check.Conclusion)
	default:
		there := slices.ContainsFunc(t.CheckRuns, func(c *emulator.CheckRun) bool {
			return c.ID == o.Check.DatabaseID && c.Conclusion == o.Check.Conclusion && c.HeadCommit == o.Check.Commit && c.Name == o.Check.Name &&
				c.AppID == o.Check.AuthorAppID && c.Status == "completed" && strings.Contains(c.Summary, o.Run) && c.Title != ""
		})
		if !there {
			lie("no such check as %+v", *o.Check)
		}
	}
	if o.Conclusion != nil && *o.Conclusion == contract.ConclusionSuccess && len(openByMarkers(t.pull, nil)) > 0 {
		lie("it is green with Findings open")
	}
}

// holdsTokens holds that for each token which the record calls revoked one that may do the same is, and that each token of
// the record was minted.
func (t truth) holdsTokens(e ended, lie func(string, ...any)) {
	var minted []emulator.TokenState
	for _, token := range t.Tokens[min(e.tokens, len(t.Tokens)):] {
		if token.Kind == "installation" {
			minted = append(minted, token)
		}
	}
	for _, record := range e.applied.Tokens {
		at := slices.IndexFunc(minted, func(token emulator.TokenState) bool {
			return maps.Equal(token.Permissions, record.Granted) && (token.Revoked || !record.Revoked)
		})
		if at < 0 {
			lie("no token was minted and revoked as %+v", record)
			continue
		}
		minted = slices.Delete(minted, at, at+1)
	}
}

// hasKey reports whether a text of our App carries an Effect's key.
func (t truth) hasKey(key string) bool {
	for _, r := range t.pull.Reviews {
		if strings.Contains(r.Body, "key="+key) {
			return true
		}
	}
	for _, c := range t.comments {
		if strings.Contains(c.Body, "key="+key) {
			return true
		}
	}
	return false
}

// node is a node id as the emulated GitHub makes them.
func node(prefix string, id int64) string { return fmt.Sprintf("%s_%d", prefix, id) }
