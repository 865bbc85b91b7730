package refusal

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// dispositions is step 6: whether each answer to an open Finding is one that this Role may give, and is posted once.
func dispositions() []Rule {
	return []Rule{
		{contract.CodeDispositionFindingUnknown, "A Disposition is about a Finding that the Task does not hold, or an Effect posts one that the Result does not.", dispositionFindingUnknown},
		{contract.CodeDispositionDuplicate, "A Finding is answered twice.", dispositionDuplicate},
		{contract.CodeDispositionNoHalf, "A Disposition has neither half.", anyDisposition(func(_ State, d contract.Disposition) bool {
			return d.Author == nil && d.Reviewer == nil
		})},
		{contract.CodeDispositionBothHalves, "A Disposition has both halves.", anyDisposition(func(_ State, d contract.Disposition) bool {
			return d.Author != nil && d.Reviewer != nil
		})},
		{contract.CodeDispositionNotRole, "A Disposition has the half that its Role may not make.", anyDisposition(func(s State, d contract.Disposition) bool {
			return d.Author != nil && s.Role.DispositionHalf != contract.HalfAuthor ||
				d.Reviewer != nil && s.Role.DispositionHalf != contract.HalfReviewer
		})},
		{contract.CodeDispositionSecurity, "A security Finding is accepted as declined or deferred.", anyDisposition(func(s State, d contract.Disposition) bool {
			finding, _ := taskFinding(s, d.Finding)
			return accepts(d) && d.Reviewer.Of != contract.VerdictFixed && finding.Category == contract.CategorySecurity
		})},
		{contract.CodeDispositionUnsupported, "A Finding is accepted on evidence that does not support it, or its thread resolved without being accepted.", dispositionUnsupported},
		{contract.CodeDispositionUnposted, "A Disposition is posted by no Effect.", func(s State) (string, bool) {
			return dispositionPosted(s, func(times int) bool { return times == 0 })
		}},
		{contract.CodeDispositionPostedTwice, "A Disposition is posted more than once.", func(s State) (string, bool) {
			return dispositionPosted(s, func(times int) bool { return times > 1 })
		}},
		{contract.CodeDispositionThread, "A reply or a resolve is for a Finding that has no thread of ours now.", dispositionThread},
	}
}

// dispositionFindingUnknown also holds the Effects to it: a reply or an answer without a Disposition would post nothing.
func dispositionFindingUnknown(s State) (string, bool) {
	answered := map[string]bool{}
	for _, d := range s.Result.Dispositions {
		if _, ok := taskFinding(s, d.Finding); !ok {
			return d.Finding, true
		}
		answered[d.Finding] = true
	}
	for _, id := range answeredByEffects(s.Result) {
		if !answered[id] {
			return id, true
		}
	}
	for _, effect := range s.Result.Effects {
		if effect.ResolveThread == nil {
			continue
		}
		if _, ok := taskFinding(s, effect.Finding()); !ok {
			return effect.ID(), true
		}
	}
	return "", false
}

func dispositionDuplicate(s State) (string, bool) {
	seen := map[string]bool{}
	for _, d := range s.Result.Dispositions {
		if seen[d.Finding] {
			return d.Finding, true
		}
		seen[d.Finding] = true
	}
	return "", false
}

func dispositionUnsupported(s State) (string, bool) {
	accepted := map[string]bool{}
	for _, d := range s.Result.Dispositions {
		if !accepts(d) {
			continue
		}
		if !supported(s, d) {
			return d.Finding, true
		}
		accepted[d.Finding] = true
	}
	for _, effect := range s.Result.Effects {
		if effect.ResolveThread != nil && !accepted[effect.Finding()] {
			return effect.ID(), true
		}
	}
	return "", false
}

// supported reports whether an acceptance rests on what can carry it. That a Finding is fixed is seen in the change that was
// admitted and in no one's word, and not where the Finding's file was not shown. That it may stay is a maintainer's to say, in
// a text that nobody edited, in the Finding's own thread; one in a review's body has none, so there a comment on the item
// counts, if it was written after the Finding.
func supported(s State, d contract.Disposition) bool {
	evidence, shown := taskText(s, d.Reviewer.Evidence)
	asked, known := taskFinding(s, d.Finding)
	finding, there := s.Ledger.Finding(d.Finding)
	if !shown || !known {
		return false
	}
	switch d.Reviewer.Of {
	case contract.VerdictFixed:
		hidden := finding.Path != nil && s.Plan.Unseen.Hides(*finding.Path)
		return evidence.Kind == contract.TextDiff && !hidden
	case contract.VerdictDeclined, contract.VerdictDeferred:
		said, unedited := writtenAt(s, evidence)
		if evidence.Trust != contract.TrustMaintainer || !unedited {
			return false
		}
		if asked.Placement == contract.PlacementLine {
			return slices.Contains(asked.Answers, evidence.ID)
		}
		return evidence.Kind == contract.TextComment && there && said.After(finding.At)
	}
	return false
}

// writtenAt returns when a comment or a reply was written, as it stands now; false where it is gone or was edited: who may
// write to the repository can edit what a maintainer said.
func writtenAt(s State, text contract.TaskText) (contract.Time, bool) {
	id := databaseID(text.ID)
	switch text.Kind {
	case contract.TextComment:
		for _, comment := range s.Fresh.Comments {
			if comment.ID == id {
				return comment.At, comment.EditedAt == nil
			}
		}
	case contract.TextThread:
		for _, thread := range s.Fresh.Threads {
			for _, comment := range thread.Comments {
				if comment.ID == id {
					return comment.At, comment.EditedAt == nil
				}
			}
		}
	}
	return contract.Time{}, false
}

// databaseID is the id in a Task's text id "<kind>:<id>:<n>", or 0.
func databaseID(textID string) int64 {
	parts := strings.Split(textID, ":")
	if len(parts) != 3 {
		return 0
	}
	id, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return 0
	}
	return id
}

func dispositionPosted(s State, wrong func(times int) bool) (string, bool) {
	posted := map[string]int{}
	for _, id := range answeredByEffects(s.Result) {
		posted[id]++
	}
	for _, d := range s.Result.Dispositions {
		if wrong(posted[d.Finding]) {
			return d.Finding, true
		}
	}
	return "", false
}

// dispositionThread asks the fresh facts. The plan's thread is the bundle's, and must still be the same.
func dispositionThread(s State) (string, bool) {
	for _, planned := range s.Plan.Effects {
		thread, id := "", ""
		switch {
		case planned.Reply != nil:
			thread, id = planned.Reply.ThreadID, planned.Reply.FindingID
		case planned.Resolve != nil:
			thread, id = planned.Resolve.ThreadID, planned.Resolve.FindingID
		default:
			continue
		}
		if finding, ok := s.Ledger.Finding(id); !ok || thread == "" || finding.ThreadID != thread {
			return planned.ID, true
		}
	}
	return "", false
}

// answeredByEffects lists the Findings whose Dispositions the Effects post, once for each time.
func answeredByEffects(result contract.Result) []string {
	var ids []string
	for _, effect := range result.Effects {
		switch {
		case effect.SubmitReview != nil:
			ids = append(ids, effect.SubmitReview.Answers...)
		case effect.ReplyThread != nil:
			ids = append(ids, effect.Finding())
		}
	}
	return ids
}

func anyDisposition(holds func(State, contract.Disposition) bool) func(State) (string, bool) {
	return func(s State) (string, bool) {
		for _, d := range s.Result.Dispositions {
			if holds(s, d) {
				return d.Finding, true
			}
		}
		return "", false
	}
}

func accepts(d contract.Disposition) bool {
	return d.Reviewer != nil && d.Reviewer.Verdict == contract.VerdictAccepted
}

func taskFinding(s State, id string) (contract.TaskFinding, bool) {
	for _, finding := range s.Task.Findings {
		if finding.ID == id {
			return finding, true
		}
	}
	return contract.TaskFinding{}, false
}

func taskText(s State, id string) (contract.TaskText, bool) {
	for _, text := range s.Task.Texts {
		if text.ID == id {
			return text, true
		}
	}
	return contract.TaskText{}, false
}
