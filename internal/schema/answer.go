package schema

import (
	"encoding/json"
	"fmt"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// ValidateAnswer reads what a model answered to one Intent of a Role: strict decoding, then the whole lowered schema with its
// conditions, then the weight of all texts together (see [BoundsOf]). What the CLI checked of it counts for nothing here.
// The error is a [*Error] and never quotes the answer.
func ValidateAnswer(role contract.Role, intent contract.Intent, document []byte) (contract.Answer, error) {
	var answer contract.Answer
	if err := contract.Decode(document, &answer); err != nil {
		return contract.Answer{}, strict(answerKind, err)
	}
	tree, err := lowered(role, intent)
	if err != nil {
		return contract.Answer{}, &Error{Kind: answerKind, Reason: "the schema cannot be lowered: " + err.Error()}
	}
	data, err := json.Marshal(tree)
	if err != nil {
		return contract.Answer{}, &Error{Kind: answerKind, Reason: "the lowered schema cannot be written"}
	}
	if err := validate(answerKind, map[string][]byte{"answer": data}, "answer", document); err != nil {
		return contract.Answer{}, err
	}
	if weight := weigh(answer); weight > ReviewBytes {
		return contract.Answer{}, &Error{Kind: answerKind, Reason: fmt.Sprintf("its texts would make a review of up to %d bytes, %d are allowed", weight, ReviewBytes)}
	}
	return answer, nil
}

// weigh returns the size in bytes of the largest review body that the answer could lead to, after rendering. Links are
// rendered as if no host were allowed.
func weigh(answer contract.Answer) int {
	weight := FrameBytes + FilesBytes
	for _, effect := range answer.Effects {
		if review := effect.SubmitReview; review != nil {
			weight += rendered(review.Body)
		}
	}
	for _, finding := range answer.Findings {
		weight += FindingBytes + rendered(finding.Title) + rendered(finding.Text)
		if finding.Path != nil {
			visible, _ := untrusted.Escape(finding.Path.Raw())
			weight += len(visible)
		}
	}
	texts := map[string]untrusted.Text{}
	for _, disposition := range answer.Dispositions {
		switch {
		case disposition.Reviewer != nil:
			texts[disposition.Finding] = disposition.Reviewer.Text
		case disposition.Author != nil:
			texts[disposition.Finding] = disposition.Author.Text
		}
	}
	for _, effect := range answer.Effects {
		if review := effect.SubmitReview; review != nil {
			for _, finding := range review.Answers {
				weight += AnswerBytes + rendered(texts[finding])
			}
		}
	}
	return weight
}

func rendered(text untrusted.Text) int { return len(untrusted.Render(text, untrusted.Options{})) }
