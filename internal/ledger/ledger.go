package ledger

import (
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/trust"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// Ledger is what one App wrote on one item. Lists are in GitHub's order, threads before reviews.
type Ledger struct {
	Reviews      []Review
	Findings     []Finding
	Dispositions []Disposition
}

// Review is a review of our App that holds its marker.
type Review struct {
	ReviewMarker
	ID     int64
	NodeID string
	At     contract.Time
	// Edited is whether somebody changed the text after it was submitted.
	Edited bool
}

// Finding is one Finding that our App posted.
type Finding struct {
	FindingMarker
	// Gates is what category and severity say, and true where the text was edited; Open is as the vocabulary has it, for a
	// Finding that gates or not.
	Gates, Open bool
	// Edited is whether somebody changed the text that holds it.
	Edited bool
	// Placement is contract.PlacementLine or contract.PlacementBody.
	Placement string
	// Body is the text without marker and location line.
	Body untrusted.Text
	// Path is the thread's, or that of the location line in a review's body; nil where there is none.
	Path *untrusted.Text
	// Line is the line the thread was begun on; Side is LEFT or RIGHT. Both are nil for one in a body.
	Line *int
	Side *string
	// ThreadID is the thread's node id, empty for one in a body. NodeID and DatabaseID are those of the thread's first
	// comment or of the review.
	ThreadID   string
	NodeID     string
	DatabaseID int64
	At         contract.Time
}

// HasAnchor reports whether the Finding stands on a line whose text is known by digest.
func (f Finding) HasAnchor() bool { return f.Anchor != None }

// Disposition is one half of an answer to a Finding that our App posted.
type Disposition struct {
	DispositionMarker
	Body untrusted.Text
	// NodeID and DatabaseID are those of the reply or of the review that holds it; ThreadID is empty for a review.
	ThreadID   string
	NodeID     string
	DatabaseID int64
	At         contract.Time
	Edited     bool
}

// accepts reports whether a reviewer half closes its Finding. One in an edited text never does: it may have been a rejection.
func (d Disposition) accepts() bool { return d.Verdict == contract.VerdictAccepted && !d.Edited }

// Read makes the ledger of app from a snapshot. Policy and apps say who is a maintainer.
//
// A Finding is open unless its newest reviewer half accepts it, or its thread is resolved by a maintainer.
// A half that is newer than an acceptance and is none opens it again. Two posts of one Finding are one Finding, the first; it is
// open while either is.
func Read(facts contract.Facts, policy contract.Policy, apps contract.Apps, app contract.App) Ledger {
	r := reader{app: app.BotUserID, resolved: map[string]bool{}}
	if r.app <= 0 {
		return Ledger{}
	}
	for _, thread := range facts.Threads {
		byMaintainer := thread.Resolved && thread.ResolvedBy != nil && trust.Of(thread.ResolvedBy.ID, policy, apps) == contract.TrustMaintainer
		r.thread(thread, byMaintainer)
	}
	for _, review := range facts.Reviews {
		r.review(review)
	}
	accepted := r.accepted()
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Open = !r.resolved[f.ID] && !accepted[f.ID]
	}
	return r.Ledger
}

type reader struct {
	Ledger
	app int64
	// resolved holds of each Finding whether a maintainer resolved every thread it was posted in; a post in a body cannot be.
	resolved map[string]bool
}

func (r *reader) thread(thread contract.Thread, byMaintainer bool) {
	if len(thread.Comments) == 0 || thread.Comments[0].Author.ID != r.app {
		return
	}
	first := thread.Comments[0]
	section, ok := ParseFindingComment(first.Text.Raw())
	if !ok {
		return
	}
	side, path := thread.Side, thread.Path
	r.finding(Finding{FindingMarker: section.FindingMarker, Placement: contract.PlacementLine, Body: untrusted.New(section.Body),
		Path: &path, Line: thread.OriginalLine, Side: &side, ThreadID: thread.NodeID,
		NodeID: first.NodeID, DatabaseID: first.ID, At: first.At, Edited: first.EditedAt != nil}, byMaintainer)
	for _, reply := range thread.Comments[1:] {
		if reply.Author.ID != r.app {
			continue
		}
		answer, ok := ParseReply(reply.Text.Raw())
		if !ok || answer.Finding != section.ID {
			continue
		}
		r.Dispositions = append(r.Dispositions, Disposition{DispositionMarker: answer.DispositionMarker, Body: untrusted.New(answer.Body), ThreadID: thread.NodeID,
			NodeID: reply.NodeID, DatabaseID: reply.ID, At: reply.At, Edited: reply.EditedAt != nil})
	}
}

func (r *reader) review(review contract.Review) {
	if review.Author.ID != r.app {
		return
	}
	edited := review.EditedAt != nil
	body := ParseReviewBody(review.Text.Raw())
	if body.Review != nil {
		r.Reviews = append(r.Reviews, Review{ReviewMarker: *body.Review, ID: review.ID, NodeID: review.NodeID, At: review.At, Edited: edited})
	}
	for _, section := range body.Findings {
		f := Finding{FindingMarker: section.FindingMarker, Placement: contract.PlacementBody, Body: untrusted.New(section.Body),
			NodeID: review.NodeID, DatabaseID: review.ID, At: review.At, Edited: edited}
		if section.Path != "" {
			path := untrusted.New(section.Path)
			f.Path = &path
		}
		r.finding(f, false)
	}
	for _, section := range body.Dispositions {
		r.Dispositions = append(r.Dispositions, Disposition{DispositionMarker: section.DispositionMarker, Body: untrusted.New(section.Body),
			NodeID: review.NodeID, DatabaseID: review.ID, At: review.At, Edited: edited})
	}
}

func (r *reader) finding(f Finding, resolved bool) {
	f.Gates = contract.Gates(f.Category, f.Severity) || f.Edited
	for i, other := range r.Findings {
		if other.ID == f.ID {
			r.resolved[f.ID] = r.resolved[f.ID] && resolved
			r.Findings[i].Gates = other.Gates || f.Gates
			return
		}
	}
	r.resolved[f.ID] = resolved
	r.Findings = append(r.Findings, f)
}

// accepted holds the Findings whose newest reviewer half accepts them. Of two in one second the one that does not decides.
func (r *reader) accepted() map[string]bool {
	newest := map[string]Disposition{}
	for _, d := range r.Dispositions {
		last, seen := newest[d.Finding]
		if d.Half == contract.HalfReviewer && (!seen || d.At.After(last.At) || d.At.Equal(last.At) && !d.accepts()) {
			newest[d.Finding] = d
		}
	}
	accepted := map[string]bool{}
	for finding, d := range newest {
		accepted[finding] = d.accepts()
	}
	return accepted
}

// OpenGating lists the Findings that gate and are open.
func (l Ledger) OpenGating() []Finding {
	var open []Finding
	for _, f := range l.Findings {
		if f.Gates && f.Open {
			open = append(open, f)
		}
	}
	return open
}

// Finding returns the Finding of that id.
func (l Ledger) Finding(id string) (Finding, bool) {
	for _, f := range l.Findings {
		if f.ID == id {
			return f, true
		}
	}
	return Finding{}, false
}

// ReviewByKey returns the review that an Effect with this key wrote, edited or not.
func (l Ledger) ReviewByKey(key string) (Review, bool) {
	for _, r := range l.Reviews {
		if r.Key == key {
			return r, true
		}
	}
	return Review{}, false
}

// DispositionByKey returns the first Disposition that an Effect with this key wrote, edited or not.
func (l Ledger) DispositionByKey(key string) (Disposition, bool) {
	for _, d := range l.Dispositions {
		if d.Key == key {
			return d, true
		}
	}
	return Disposition{}, false
}
