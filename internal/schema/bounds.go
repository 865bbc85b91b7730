package schema

import (
	"fmt"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// What the review's body costs beside the model's own texts, in bytes at most. Whoever lays the body out must stay below these.
const (
	// findingBytes is one Finding in the body: its marker, location line, severity and category (24 characters at most, by
	// the schema), a range that could not be kept, and line breaks.
	findingBytes = 320
	// answerBytes is one Disposition in the body: its marker, the verdict in words, and line breaks.
	answerBytes = 220
	// frameBytes is the review's own marker and the headings.
	frameBytes = 600
	// filesBytes is the list of files that were left out or whose content the diff does not show.
	filesBytes = 4300
)

// Limits of fields that no Role sets, in characters and entries.
const (
	titleCharacters = 100
	pathCharacters  = 200
	bodyCharacters  = 1500
	mostAnswers     = 10
	leastCharacters = 80
)

// Bounds are the largest lists and texts of an answer to one Intent. Texts are in characters (Unicode code points).
type Bounds struct {
	Findings, Dispositions, Effects, Answers int
	Title, Path, Text, Body                  int
}

// BoundsOf turns an Intent's limits into bounds, such that the worst valid answer still fits one review: every Finding placed
// in the body, and [Bounds].Answers Dispositions beside them.
//
// The arithmetic, with F findings and A answers:
//
//	frameBytes + filesBytes + Body + F*(findingBytes+Title+Path+Text) + A*(answerBytes+Text) <= contract.MaxBodyBytes
//
// which gives Text. It counts one byte a character. A text that needs more, because of its script or because the renderer
// has to neutralise something in it, is weighed as it will be by [ValidateAnswer]: a schema can bound no sum.
func BoundsOf(limits contract.Limits) (Bounds, error) {
	bounds := Bounds{
		Findings: limits.Findings, Dispositions: limits.Findings, Effects: limits.Effects, Answers: mostAnswers,
		Title: titleCharacters, Path: pathCharacters, Body: bodyCharacters,
	}
	room := contract.MaxBodyBytes - frameBytes - filesBytes - bounds.Body - bounds.Findings*(findingBytes+bounds.Title+bounds.Path) - bounds.Answers*answerBytes
	bounds.Text = min(room/(bounds.Findings+bounds.Answers), limits.TextCharacters)
	if bounds.Text < leastCharacters {
		return Bounds{}, fmt.Errorf("limits.findings %d leaves %d characters for the text of each, %d are the least: allow fewer", limits.Findings, max(bounds.Text, 0), leastCharacters)
	}
	return bounds, nil
}
