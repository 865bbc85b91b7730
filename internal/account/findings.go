package account

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// States of a [Finding] or an [Answer]. One that was asked for and is in no Effect that was tried has the Effect's own state.
const (
	// StatePosted: GitHub showed it when it was read back.
	StatePosted = "posted"
	// StateAlreadyOpen: one of the same fingerprint was open, so it was not posted again.
	StateAlreadyOpen = "already_open"
	// StateEarlier: an earlier Run posted it, and it is open.
	StateEarlier = "earlier"
	// StateNotPosted: it was asked for, and nothing shows that it stands on GitHub.
	StateNotPosted = "not_posted"
)

// Finding is one problem. Title and Text are as GitHub showed them, nil where it showed none. Open counts for one that gates.
type Finding struct {
	ID          string          `json:"id"`
	Severity    string          `json:"severity,omitempty"`
	Category    string          `json:"category,omitempty"`
	Gates       bool            `json:"gates"`
	Open        bool            `json:"open"`
	State       string          `json:"state"`
	Placement   string          `json:"placement,omitempty"`
	Path        *untrusted.Text `json:"path"`
	StartLine   *int            `json:"start_line"`
	Line        *int            `json:"line"`
	Side        *string         `json:"side"`
	Title       *untrusted.Text `json:"title"`
	Text        *untrusted.Text `json:"text"`
	Fingerprint string          `json:"fingerprint,omitempty"`
	URL         string          `json:"url,omitempty"`
}

// Answer is one half of an answer to an open Finding. StaysOpen is whether the Finding is open after it.
type Answer struct {
	Finding   string  `json:"finding"`
	Half      string  `json:"half"`
	Verdict   string  `json:"verdict"`
	Of        *string `json:"of"`
	State     string  `json:"state"`
	Effect    string  `json:"effect,omitempty"`
	StaysOpen bool    `json:"stays_open"`
	URL       string  `json:"url,omitempty"`
}

// findings lists those of this Run in the Result's order, what was read back first of each, then the earlier ones that are open.
func (a *Account) findings(r Records) {
	listed := map[string]bool{}
	if r.Applied != nil {
		for _, finding := range r.Applied.Findings {
			listed[finding.ID] = true
			a.Findings = append(a.Findings, a.shown(finding))
		}
	}
	if r.Result != nil {
		for _, finding := range r.Result.Findings {
			if id := contract.FindingID(r.Result.Run, finding.ID); !listed[id] {
				listed[id] = true
				a.Findings = append(a.Findings, a.asked(r, id, finding))
			}
		}
		order := map[string]int{}
		for n, finding := range r.Result.Findings {
			order[contract.FindingID(r.Result.Run, finding.ID)] = n
		}
		slices.SortStableFunc(a.Findings, func(x, y Finding) int { return cmp.Compare(order[x.ID], order[y.ID]) })
	}
	earlier := map[string]contract.TaskFinding{}
	if r.Task != nil {
		for _, finding := range r.Task.Findings {
			earlier[finding.ID] = finding
		}
	}
	for _, id := range a.GatingOpen {
		if !listed[id] {
			listed[id] = true
			a.Findings = append(a.Findings, a.before(id, earlier[id]))
		}
	}
}

// shown is a Finding as GitHub showed it.
func (a *Account) shown(f contract.Finding) Finding {
	title, text := parts(f.Body)
	out := Finding{ID: f.ID, Severity: f.Severity, Category: f.Category, Gates: f.Gates, Open: slices.Contains(a.GatingOpen, f.ID),
		State: StatePosted, Placement: f.Placement, Path: f.Path, StartLine: f.StartLine, Line: f.Line, Side: f.Side,
		Title: title, Text: text, Fingerprint: f.Fingerprint}
	if f.Placement == contract.PlacementAlreadyOpen {
		out.State = StateAlreadyOpen
	}
	if f.ThreadID != nil {
		out.URL = a.link.comment(f.DatabaseID)
	} else {
		out.URL = a.link.review(f.DatabaseID)
	}
	return out
}

// asked is a Finding that the model states and GitHub did not show. Its texts stay where they are: they may be why the Run was
// refused. The name of a file is told where it is one of the change.
func (a *Account) asked(r Records, id string, f contract.RawFinding) Finding {
	out := Finding{ID: id, Severity: f.Severity, Category: f.Category, Gates: contract.Gates(f.Category, f.Severity),
		Open: slices.Contains(a.GatingOpen, id), State: StateNotPosted, StartLine: f.StartLine, Line: f.Line, Side: f.Side}
	if f.Path != nil && slices.ContainsFunc(r.Changed, func(file contract.ContentFile) bool { return file.Path == *f.Path }) {
		out.Path = f.Path
	}
	for _, effect := range r.Result.Effects {
		if review := effect.SubmitReview; review != nil && (slices.Contains(review.Threads, f.ID) || slices.Contains(review.Listed, f.ID)) {
			out.State = a.unposted(review.ID)
		}
	}
	return out
}

// unposted is the state of what is in an Effect and was not read back: the Effect's own, where it was not written.
func (a *Account) unposted(effect string) string {
	for _, e := range a.Effects {
		if e.ID == effect && e.State != contract.StateApplied && e.State != contract.StateAlreadyApplied && e.State != "" {
			return e.State
		}
	}
	return StateNotPosted
}

// before is a Finding that is open and in no other record: most often of an earlier Run, and then what is known of it is what the
// Task held.
func (a *Account) before(id string, f contract.TaskFinding) Finding {
	out := Finding{ID: id, Gates: true, Open: true, State: StateEarlier}
	if strings.HasPrefix(id, a.Run+"/") {
		out.State = StatePosted
	}
	if f.ID == "" {
		return out
	}
	out.Severity, out.Category, out.Placement, out.Path, out.Line, out.Side = f.Severity, f.Category, f.Placement, f.Path, f.Line, f.Side
	out.Title, out.Text = parts(f.Body)
	return out
}

// parts cuts a Finding's posted text into its title and the rest. It begins with severity and category, which are fields here.
func parts(body untrusted.Text) (title, text *untrusted.Text) {
	raw := body.Raw()
	if strings.HasPrefix(raw, "**") {
		if _, rest, found := strings.Cut(raw, ".** "); found {
			raw = rest
		}
	}
	first, rest, _ := strings.Cut(raw, "\n")
	if first = strings.TrimSpace(first); first != "" {
		made := untrusted.New(first)
		title = &made
	}
	if rest = strings.TrimSpace(rest); rest != "" {
		made := untrusted.New(rest)
		text = &made
	}
	return title, text
}

// answers lists the halves that were read back, then those that were asked for and were not.
func (a *Account) answers(r Records) {
	done := map[string]bool{}
	if r.Applied != nil {
		for _, d := range r.Applied.Dispositions {
			done[d.Finding] = true
			answer := Answer{Finding: d.Finding, Half: d.Half, Verdict: d.Verdict, Of: d.Of, State: StatePosted, Effect: d.Effect,
				StaysOpen: slices.Contains(a.GatingOpen, d.Finding)}
			for _, effect := range a.Effects {
				if effect.ID == d.Effect {
					answer.URL = effect.URL
				}
			}
			a.Answers = append(a.Answers, answer)
		}
	}
	if r.Result == nil {
		return
	}
	for _, d := range r.Result.Dispositions {
		if done[d.Finding] {
			continue
		}
		answer := Answer{Finding: d.Finding, State: StateNotPosted, StaysOpen: slices.Contains(a.GatingOpen, d.Finding)}
		if d.Reviewer != nil {
			of := d.Reviewer.Of
			answer.Half, answer.Verdict, answer.Of = contract.HalfReviewer, d.Reviewer.Verdict, &of
		} else if d.Author != nil {
			answer.Half, answer.Verdict = contract.HalfAuthor, d.Author.Verdict
		}
		for _, effect := range r.Result.Effects {
			if review := effect.SubmitReview; review != nil && slices.Contains(review.Answers, d.Finding) ||
				effect.ReplyThread != nil && effect.ReplyThread.Finding == d.Finding {
				answer.Effect, answer.State = effect.ID(), a.unposted(effect.ID())
			}
		}
		a.Answers = append(a.Answers, answer)
	}
}

// Join tells each account what the others know of the Findings that it has from an earlier Run: where they stand on GitHub, and
// their fingerprint. It changes the accounts it is given.
func Join(accounts []Account) {
	posted := map[string]Finding{}
	for _, account := range accounts {
		for _, finding := range account.Findings {
			if finding.State == StatePosted {
				posted[finding.ID] = finding
			}
		}
	}
	for _, account := range accounts {
		for n, finding := range account.Findings {
			if known, ok := posted[finding.ID]; ok && finding.State == StateEarlier {
				known.Open, known.State = finding.Open, finding.State
				account.Findings[n] = known
			}
		}
	}
}
