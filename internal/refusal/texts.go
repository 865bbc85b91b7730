package refusal

import (
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/plan"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// texts is step 8: text that may not leave. The first two look at what the model wrote, and again at what would be sent,
// because rendering puts texts together.
func texts() []Rule {
	return []Rule{
		{contract.CodeTextSecret, "A text holds the shape of a credential that the admitted diff does not hold.", textSecret},
		{contract.CodeTextMarker, "A text holds a marker of ours, inside code too.", textMarker},
		{contract.CodeTextTooLong, "A body is longer than GitHub takes, its marker included.", textTooLong},
	}
}

// textSecret masks nothing by itself: what the diff holds is masked by the plan, so in a body that would be sent any shape
// is one too many.
func textSecret(s State) (string, bool) {
	admitted := func(token string) bool { return plan.Holds(s.Diff, token) }
	for _, text := range modelTexts(s.Result) {
		if _, refused := secret.MaskAdmitted(text.raw.Raw(), admitted); len(refused) > 0 {
			return text.where, true
		}
	}
	for _, body := range bodies(s.Plan) {
		if len(secret.Find(body.text)) > 0 {
			return body.where, true
		}
	}
	return "", false
}

// textMarker also looks for what a reader of another version could take for a marker, however it is spaced or written.
func textMarker(s State) (string, bool) {
	for _, text := range modelTexts(s.Result) {
		if untrusted.HoldsMarker(text.raw.Raw()) {
			return text.where, true
		}
	}
	for _, body := range bodies(s.Plan) {
		if strings.Count(body.text, ledger.Prefix) != body.markers || untrusted.HoldsMarker(strings.ReplaceAll(body.text, ledger.Prefix, "|")) {
			return body.where, true
		}
	}
	return "", false
}

func textTooLong(s State) (string, bool) {
	for _, body := range bodies(s.Plan) {
		if len(body.text) > contract.MaxBodyBytes {
			return body.where, true
		}
	}
	return "", false
}

// modelText is one text that the model wrote, and the id of what holds it.
type modelText struct {
	where string
	raw   untrusted.Text
}

func modelTexts(result contract.Result) []modelText {
	var texts []modelText
	for _, review := range reviews(result) {
		texts = append(texts, modelText{review.ID, review.Body})
	}
	for _, finding := range result.Findings {
		texts = append(texts, modelText{finding.ID, finding.Title}, modelText{finding.ID, finding.Text})
		if finding.Path != nil {
			texts = append(texts, modelText{finding.ID, *finding.Path})
		}
	}
	for _, d := range result.Dispositions {
		if d.Author != nil {
			texts = append(texts, modelText{d.Finding, d.Author.Text})
		}
		if d.Reviewer != nil {
			texts = append(texts, modelText{d.Finding, d.Reviewer.Text})
		}
	}
	return texts
}

// body is one text about to be sent, and how many markers of ours belong in it.
type body struct {
	where, text string
	markers     int
}

func bodies(p plan.Plan) []body {
	var all []body
	for _, effect := range p.Effects {
		switch {
		case effect.Review != nil:
			markers := 1
			for _, finding := range p.Findings {
				if finding.Effect == effect.ID && finding.Placement == contract.PlacementBody {
					markers++
				}
			}
			for _, d := range p.Dispositions {
				if d.Effect == effect.ID {
					markers++
				}
			}
			all = append(all, body{effect.ID, effect.Review.Body, markers})
			for _, comment := range effect.Review.Comments {
				all = append(all, body{comment.FindingID, comment.Body, 1})
			}
		case effect.Reply != nil:
			all = append(all, body{effect.ID, effect.Reply.Body, 1})
		}
	}
	return all
}
