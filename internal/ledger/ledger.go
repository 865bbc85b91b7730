package ledger

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/trust"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// Ledger is what one App wrote on one item. Lists are in GitHub's order, threads before reviews.
type Ledger struct {
	Reviews      []Review
	Findings     []Finding
	Dispositions []Disposition
	// AlteredReviews counts the App's reviews that were altered, those that lost their marker too: what else they listed is not
	// known, nor of which Role they are.
	AlteredReviews int
}

// Edit is what became of a text of our App after it was written. GitHub names the last editor alone, so the word of that
// one counts: a maintainer who edits a text vouches for it as it stands then.
type Edit struct {
	// Edited is whether anybody changed the text. Altered is whether the last who did is no maintainer, or unknown.
	Edited, Altered bool
	// EditedAt is the last time somebody did.
	EditedAt contract.Time
}

// Review is a review of our App that holds its marker.
type Review struct {
	ReviewMarker
	Edit
	ID     int64
	NodeID string
	At     contract.Time
}

// Finding is one Finding that our App posted.
type Finding struct {
	// FindingMarker is the marker as it stands. One that lost it, and one that claims the id of another, has the id of
	// contract.AlteredID; without a marker it is taken for the gravest there is, critical and of category security.
	FindingMarker
	// Edit is that of the text that holds it.
	Edit
	// Role is the one that posted it and Run its Run, by the review it was posted with; empty where that is not known.
	Role, Run string
	// Gates is what category and severity say, and true where the text was edited; Open is as the vocabulary has it, for a
	// Finding that gates or not.
	Gates, Open bool
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
	// Places are where it was posted, as contract.AlteredID takes them: more than one where it was posted twice.
	Places []string
}

// HasAnchor reports whether the Finding stands on a line whose text is known by digest.
func (f Finding) HasAnchor() bool { return f.Anchor != None }

// Disposition is one half of an answer to a Finding that our App posted.
type Disposition struct {
	DispositionMarker
	Edit
	Body untrusted.Text
	// NodeID and DatabaseID are those of the reply or of the review that holds it; ThreadID is empty for a review.
	ThreadID   string
	NodeID     string
	DatabaseID int64
	At         contract.Time
}

// Read makes the ledger of app from a snapshot. Policy and apps say who is a maintainer.
//
// A Finding is open unless its newest reviewer half, of the Role that posted it, accepts it, or its thread is resolved by a
// maintainer. A half that is newer than an acceptance and is none opens it again, and so does an edit of what was accepted;
// one that was altered is closed by a maintainer alone. Two posts of one Finding are one Finding, the first; it is open while
// either is.
func Read(facts contract.Facts, policy contract.Policy, apps contract.Apps, app contract.App) Ledger {
	r := reader{app: app.BotUserID, maintains: func(id int64) bool { return trust.Of(id, policy, apps) == contract.TrustMaintainer },
		reviews: map[int64]Review{}, runs: map[string]Review{}, denied: map[string]contract.Time{}, settled: map[string]bool{}}
	if r.app <= 0 {
		return Ledger{}
	}
	for _, review := range facts.Reviews {
		r.index(review)
	}
	var posts []posted
	for _, thread := range facts.Threads {
		posts = append(posts, r.thread(thread)...)
	}
	for _, review := range facts.Reviews {
		posts = append(posts, r.review(review)...)
	}
	r.findings(posts)
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Open = !r.settled[f.ID] && (f.Altered || !r.accepted(*f))
	}
	return r.Ledger
}

// For is the ledger as a Role may use it: the Findings that this Role posted, for it alone judges them. A Role that makes
// author halves answers the other Roles' Findings, so it has them all; its halves close none. A Finding of which it is not
// known who posted it is everybody's, so that it is nobody's to lose.
func (l Ledger) For(role contract.Role) Ledger {
	if role.DispositionHalf == contract.HalfAuthor {
		return l
	}
	l.Findings = slices.DeleteFunc(slices.Clone(l.Findings), func(f Finding) bool { return f.Role != "" && f.Role != role.Name })
	return l
}

type reader struct {
	Ledger
	app       int64
	maintains func(id int64) bool
	// reviews and runs are the reviews that are not altered, by their id and by their Run.
	reviews map[int64]Review
	runs    map[string]Review
	// denied is of each Finding the newest time of an answer of ours that was edited: what it said is not known.
	denied map[string]contract.Time
	// settled holds of each Finding whether a maintainer resolved every thread it was posted in; a post in a body cannot be.
	settled map[string]bool
}

// posted is one post of a Finding, and the place that no other post has.
type posted struct {
	Finding
	place    string
	resolved bool
}

func (r *reader) edit(at *contract.Time, editor *int64) Edit {
	if at == nil {
		return Edit{}
	}
	return Edit{Edited: true, Altered: editor == nil || !r.maintains(*editor), EditedAt: *at}
}

// index takes the reviews first, which say whose the rest is.
func (r *reader) index(review contract.Review) {
	if review.Author.ID != r.app {
		return
	}
	edit := r.edit(review.EditedAt, review.EditorID)
	if edit.Altered {
		r.AlteredReviews++
	}
	body := ParseReviewBody(review.Text.Raw())
	if body.Review == nil {
		return
	}
	ours := Review{ReviewMarker: *body.Review, Edit: edit, ID: review.ID, NodeID: review.NodeID, At: review.At}
	r.Reviews = append(r.Reviews, ours)
	if edit.Altered {
		return
	}
	r.reviews[review.ID] = ours
	if _, twice := r.runs[ours.Run]; !twice {
		r.runs[ours.Run] = ours
	}
}

func (r *reader) thread(thread contract.Thread) []posted {
	if len(thread.Comments) == 0 || thread.Comments[0].Author.ID != r.app {
		return nil
	}
	first := thread.Comments[0]
	edit := r.edit(first.EditedAt, first.EditorID)
	section, ok := ParseFindingComment(first.Text.Raw())
	switch {
	case !ok && !edit.Edited:
		return nil // nobody took a marker from it, so it never had one
	case !ok:
		section.FindingMarker = lost(thread.NodeID)
	}
	side, path := thread.Side, thread.Path
	f := Finding{FindingMarker: section.FindingMarker, Edit: edit, Placement: contract.PlacementLine, Body: untrusted.New(section.Body),
		Path: &path, Line: thread.OriginalLine, Side: &side, ThreadID: thread.NodeID, NodeID: first.NodeID, DatabaseID: first.ID, At: first.At}
	if thread.ReviewID != nil {
		f.Role, f.Run = r.reviews[*thread.ReviewID].Role, r.reviews[*thread.ReviewID].Run
	}
	for _, reply := range thread.Comments[1:] {
		if reply.Author.ID == r.app {
			r.reply(thread, section.ID, reply)
		}
	}
	resolved := thread.Resolved && thread.ResolvedBy != nil && r.maintains(thread.ResolvedBy.ID)
	return []posted{{f, thread.NodeID, resolved}}
}

func (r *reader) reply(thread contract.Thread, finding string, reply contract.ThreadComment) {
	edit := r.edit(reply.EditedAt, reply.EditorID)
	if edit.Edited {
		r.deny(finding, reply.At)
	}
	if answer, ok := ParseReply(reply.Text.Raw()); ok && answer.Finding == finding {
		r.Dispositions = append(r.Dispositions, Disposition{DispositionMarker: answer.DispositionMarker, Edit: edit, Body: untrusted.New(answer.Body),
			ThreadID: thread.NodeID, NodeID: reply.NodeID, DatabaseID: reply.ID, At: reply.At})
	}
}

func (r *reader) review(review contract.Review) []posted {
	if review.Author.ID != r.app {
		return nil
	}
	edit := r.edit(review.EditedAt, review.EditorID)
	body := ParseReviewBody(review.Text.Raw())
	var posts []posted
	for n, section := range body.Findings {
		f := Finding{FindingMarker: section.FindingMarker, Edit: edit, Role: r.reviews[review.ID].Role, Run: r.reviews[review.ID].Run,
			Placement: contract.PlacementBody, Body: untrusted.New(section.Body), NodeID: review.NodeID, DatabaseID: review.ID, At: review.At}
		if section.Path != "" {
			path := untrusted.New(section.Path)
			f.Path = &path
		}
		posts = append(posts, posted{f, review.NodeID + " " + strconv.Itoa(n), false})
	}
	for _, section := range body.Dispositions {
		if edit.Edited {
			r.deny(section.Finding, review.At)
		}
		r.Dispositions = append(r.Dispositions, Disposition{DispositionMarker: section.DispositionMarker, Edit: edit, Body: untrusted.New(section.Body),
			NodeID: review.NodeID, DatabaseID: review.ID, At: review.At})
	}
	return posts
}

func (r *reader) deny(finding string, at contract.Time) {
	if last, ok := r.denied[finding]; !ok || at.After(last) {
		r.denied[finding] = at
	}
}

// lost stands for the marker of a Finding that has none any more.
func lost(nodeID string) FindingMarker {
	return FindingMarker{ID: contract.AlteredID(nodeID), Category: contract.CategorySecurity, Severity: contract.SeverityCritical,
		Anchor: None, Fingerprint: contract.Fingerprint(contract.CategorySecurity, "", "")}
}

// findings makes one Finding of all posts of one id. An edit can give a post any id, that of a Finding which is closed too, so
// an edited one keeps its own only where no other has it.
func (r *reader) findings(posts []posted) {
	claimed := map[string]bool{}
	for _, p := range posts {
		if !p.Edited {
			claimed[p.ID] = true
		}
	}
	at := map[string]int{}
	for _, p := range posts {
		if p.Edited && claimed[p.ID] {
			p.ID = contract.AlteredID(p.place)
		}
		claimed[p.ID] = true
		run, _, _ := strings.Cut(p.ID, "/")
		if p.Run == "" && !p.Edited {
			p.Role, p.Run = r.runs[run].Role, r.runs[run].Run
		}
		p.Gates = contract.Gates(p.Category, p.Severity) || p.Edited
		first, twice := at[p.ID]
		if !twice {
			at[p.ID], r.settled[p.ID] = len(r.Findings), p.resolved
			p.Places = []string{p.place}
			r.Findings = append(r.Findings, p.Finding)
			continue
		}
		r.Findings[first].Places = append(r.Findings[first].Places, p.place)
		r.settled[p.ID] = r.settled[p.ID] && p.resolved
		r.Findings[first].Gates = r.Findings[first].Gates || p.Gates
	}
}

// accepted reports whether the newest reviewer half that counts for a Finding accepts it. Of two in one second the one that
// does not decides. A half of another Role is none; one in an edited text accepts nothing, whatever it says now, for it may
// have been a rejection; and one that is older than the last edit of what it accepts accepted something else.
func (r *reader) accepted(f Finding) bool {
	var newest *Disposition
	for _, d := range r.Dispositions {
		role := r.runs[d.Run].Role
		if d.Finding != f.ID || d.Half != contract.HalfReviewer || d.Edited || role != "" && f.Role != "" && role != f.Role {
			continue
		}
		if newest == nil || d.At.After(newest.At) || d.At.Equal(newest.At) && d.Verdict != contract.VerdictAccepted {
			newest = &d
		}
	}
	if newest == nil || newest.Verdict != contract.VerdictAccepted || f.Edited && !newest.At.After(f.EditedAt) {
		return false
	}
	denied, ok := r.denied[f.ID]
	return !ok || newest.At.After(denied)
}

// OpenGating lists the Findings that gate and are open.
func (l Ledger) OpenGating() []Finding {
	return l.those(func(f Finding) bool { return f.Gates && f.Open })
}

// Asked lists the Findings that a model is asked about: those that gate and are open, and say what our App wrote. Of one that
// was altered nobody can say whether it is settled but a maintainer.
func (l Ledger) Asked() []Finding {
	return l.those(func(f Finding) bool { return f.Gates && f.Open && !f.Altered })
}

// Altered reports whether what the App wrote here was altered and no maintainer has settled it: a review, or a Finding that is
// open.
func (l Ledger) Altered() bool {
	return l.AlteredReviews > 0 || len(l.those(func(f Finding) bool { return f.Open && f.Altered })) > 0
}

func (l Ledger) those(which func(Finding) bool) []Finding {
	var list []Finding
	for _, f := range l.Findings {
		if which(f) {
			list = append(list, f)
		}
	}
	return list
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

// Copies counts the texts in which what an Effect with this key wrote stands: more than one where two wrote it side by side.
func (l Ledger) Copies(key string) int {
	nodes := map[string]bool{}
	for _, r := range l.Reviews {
		if r.Key == key {
			nodes[r.NodeID] = true
		}
	}
	for _, d := range l.Dispositions {
		if d.Key == key {
			nodes[d.NodeID] = true
		}
	}
	return len(nodes)
}
