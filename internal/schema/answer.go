package schema

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
	"github.com/xeipuuv/gojsonschema"
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
	if err := validate(answerKind, func() (*gojsonschema.Schema, error) { return compile(map[string][]byte{"answer": data}, "answer") }, document); err != nil {
		return contract.Answer{}, err
	}
	if weight := weigh(answer); weight > contract.MaxBodyBytes {
		return contract.Answer{}, &Error{Kind: answerKind, Reason: fmt.Sprintf("its texts would make a review of up to %d bytes, %d are allowed", weight, contract.MaxBodyBytes)}
	}
	return answer, nil
}

// weigh returns the size in bytes of the largest review body that the answer could lead to, after rendering. Links are
// rendered as if no host were allowed.
func weigh(answer contract.Answer) int {
	weight := frameBytes + filesBytes
	for _, effect := range answer.Effects {
		if review := effect.SubmitReview; review != nil {
			weight += rendered(review.Body)
		}
	}
	for _, finding := range answer.Findings {
		weight += findingBytes + rendered(finding.Title) + rendered(finding.Text) + placed(finding)
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
				weight += answerBytes + rendered(texts[finding])
			}
		}
	}
	return weight
}

// placed returns what the place of a Finding takes beyond what findingBytes has room for: its name, the backticks around a
// name that holds some, and numbers of more than nine digits.
func placed(finding contract.RawFinding) int {
	bytes, digits := 0, 0
	if finding.Path != nil {
		bytes = len(ledger.Location(untrusted.VisibleLine(*finding.Path), 0)) - len("``")
	}
	for _, number := range []*int{finding.StartLine, finding.Line, finding.Line} { // the range, and the line where it is about
		if number != nil {
			digits += max(0, len(strconv.Itoa(*number))-9)
		}
	}
	return bytes + digits
}

func rendered(text untrusted.Text) int { return len(untrusted.Render(text, untrusted.Options{})) }
