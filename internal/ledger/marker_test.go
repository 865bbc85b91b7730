package ledger

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	run         = "run-db93904f83c62707abbb84a5"
	findingLine = "<!-- airlock/1 finding id=run-db93904f83c62707abbb84a5/f4 category=data_loss severity=major anchor=- fingerprint=8fb1a87163ac8932fb5f0de7b9affee4 -->"
	reviewLine  = "<!-- airlock/1 review key=e67971afc2da17dc5014884b08a3f8ee run=run-db93904f83c62707abbb84a5 role=pr-review intent=review-change content=8a3b64b927c762dddb6c00012fa64f3631e30ae9e818a2066516d603b4078791 commit=4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930 status=completed omitted=0 -->"
	answerLine  = "<!-- airlock/1 disposition key=b69607b7755ede5dfcffef27f3d5517a run=run-1ca64a37f06e75eabc7d6e40 finding=run-db93904f83c62707abbb84a5/f4 half=reviewer verdict=accepted of=fixed -->"
	authorLine  = "<!-- airlock/1 disposition key=b69607b7755ede5dfcffef27f3d5517a run=run-1ca64a37f06e75eabc7d6e40 finding=run-db93904f83c62707abbb84a5/f4 half=author verdict=declined of=- -->"
)

func TestMarkersReadBackWhatTheyWrite(t *testing.T) {
	review, ok := ParseReview(reviewLine)
	if want := (ReviewMarker{"e67971afc2da17dc5014884b08a3f8ee", run, "pr-review", "review-change",
		"8a3b64b927c762dddb6c00012fa64f3631e30ae9e818a2066516d603b4078791", "4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930", "completed", 0}); !ok || review != want {
		t.Errorf("review %+v, %v", review, ok)
	}
	if got := review.ContentID(); got != "sha256:8a3b64b927c762dddb6c00012fa64f3631e30ae9e818a2066516d603b4078791" {
		t.Errorf("content id %s", got)
	}
	finding, ok := ParseFinding(findingLine)
	if want := (FindingMarker{run + "/f4", "data_loss", "major", None, "8fb1a87163ac8932fb5f0de7b9affee4"}); !ok || finding != want {
		t.Errorf("finding %+v, %v", finding, ok)
	}
	answer, ok := ParseDisposition(answerLine)
	if want := (DispositionMarker{"b69607b7755ede5dfcffef27f3d5517a", "run-1ca64a37f06e75eabc7d6e40", run + "/f4", "reviewer", "accepted", "fixed"}); !ok || answer != want {
		t.Errorf("disposition %+v, %v", answer, ok)
	}
	author, ok := ParseDisposition(authorLine)
	if !ok || author.Half != "author" || author.Of != None {
		t.Errorf("author half %+v, %v", author, ok)
	}
	for line, written := range map[string]string{reviewLine: review.String(), findingLine: finding.String(), answerLine: answer.String(), authorLine: author.String()} {
		if difference := cmp.Diff(line, written); difference != "" {
			t.Errorf("written back (-want +got):\n%s", difference)
		}
	}
}

func TestStatusesOfAReview(t *testing.T) {
	for _, status := range []string{"completed", "incomplete", "refused"} {
		if m, ok := ParseReview(strings.Replace(reviewLine, "completed", status, 1)); !ok || m.Status != status {
			t.Errorf("%s: %+v, %v", status, m, ok)
		}
	}
}

func TestWhatIsNoMarker(t *testing.T) {
	replaced := func(line, old, new string) string {
		if !strings.Contains(line, old) {
			t.Fatalf("%s is not in the line", old)
		}
		return strings.Replace(line, old, new, 1)
	}
	for name, line := range map[string]string{
		"nothing":                    "",
		"quoted":                     "> " + findingLine,
		"indented":                   " " + findingLine,
		"in a sentence":              "see " + findingLine,
		"followed by text":           findingLine + " x",
		"followed by a blank":        findingLine + " ",
		"on two lines":               replaced(findingLine, " category", "\ncategory"),
		"with a carriage return":     findingLine + "\r",
		"twice on a line":            findingLine + findingLine,
		"another version":            replaced(findingLine, "airlock/1", "airlock/2"),
		"another kind":               replaced(findingLine, "1 finding", "1 findings"),
		"another prefix":             replaced(findingLine, "<!--", "<!---"),
		"no end":                     replaced(findingLine, " -->", ""),
		"two blanks":                 replaced(findingLine, " severity", "  severity"),
		"a tab":                      replaced(findingLine, " severity", "\tseverity"),
		"keys in another order":      replaced(findingLine, "category=data_loss severity=major", "severity=major category=data_loss"),
		"a key missing":              replaced(findingLine, " anchor=-", ""),
		"a key twice":                replaced(findingLine, " anchor=-", " anchor=- anchor=-"),
		"a further key":              replaced(findingLine, " -->", " note=x -->"),
		"an empty value":             replaced(findingLine, "category=data_loss", "category="),
		"a quoted value":             replaced(findingLine, "category=data_loss", `category="x"`),
		"a letter that is none":      replaced(findingLine, "data_loss", "data_löss"),
		"a hidden character":         replaced(findingLine, "data_loss", "data\u200b_loss"),
		"an end inside a value":      replaced(findingLine, "data_loss", "x-->"),
		"unknown severity":           replaced(findingLine, "major", "blocker"),
		"anchor too short":           replaced(findingLine, "anchor=-", "anchor=abc"),
		"anchor in capitals":         replaced(findingLine, "anchor=-", "anchor="+strings.Repeat("A", 32)),
		"no fingerprint":             replaced(findingLine, "8fb1a87163ac8932fb5f0de7b9affee4", "-"),
		"id of no run":               replaced(findingLine, "id=run-db93904f83c62707abbb84a5/f4", "id=f4"),
		"id without a number":        replaced(findingLine, "/f4", "/f"),
		"id with a zero":             replaced(findingLine, "/f4", "/f04"),
		"id nought":                  replaced(findingLine, "/f4", "/f0"),
		"id beyond any record's":     replaced(findingLine, "/f4", "/f1000"),
		"a category of no schema":    replaced(findingLine, "data_loss", "Data-loss"),
		"a category too long":        replaced(findingLine, "data_loss", strings.Repeat("a", 25)),
		"a role of no schema":        replaced(reviewLine, "role=pr-review", "role=PR.review"),
		"a role too long":            replaced(reviewLine, "role=pr-review", "role="+strings.Repeat("a", 41)),
		"an intent of no schema":     replaced(reviewLine, "intent=review-change", "intent=1"),
		"run too short":              replaced(findingLine, "run-db", "run-d"),
		"content with its algorithm": replaced(reviewLine, "content=", "content=sha256:"),
		"commit cut":                 replaced(reviewLine, "4a1d0c7f5b", "4a1d0c7"),
		"status of no review":        replaced(reviewLine, "completed", "failed"),
		"omitted negative":           replaced(reviewLine, "omitted=0", "omitted=-1"),
		"omitted with a zero":        replaced(reviewLine, "omitted=0", "omitted=00"),
		"omitted beyond counting":    replaced(reviewLine, "omitted=0", "omitted=9999999999"),
		"omitted a word":             replaced(reviewLine, "omitted=0", "omitted=none"),
		"key with a slash":           replaced(reviewLine, "key=e6", "key=/6"),
		"a claim as a verdict":       replaced(answerLine, "accepted", "fixed"),
		"a verdict as a claim":       replaced(answerLine, "of=fixed", "of=accepted"),
		"a reviewer of nothing":      replaced(answerLine, "of=fixed", "of=-"),
		"an author who accepts":      replaced(authorLine, "declined", "accepted"),
		"an author of a claim":       replaced(authorLine, "of=-", "of=fixed"),
		"a third half":               replaced(answerLine, "half=reviewer", "half=maintainer"),
	} {
		t.Run(name, func(t *testing.T) {
			if IsMarker(line) {
				t.Fatalf("is a marker: %s", line)
			}
			_, review := ParseReview(line)
			_, finding := ParseFinding(line)
			_, disposition := ParseDisposition(line)
			if review || finding || disposition {
				t.Errorf("is read as a marker: %s", line)
			}
		})
	}
}

func FuzzMarker(f *testing.F) {
	for _, line := range []string{findingLine, reviewLine, answerLine, authorLine, "", "> " + findingLine} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		kinds := 0
		if m, ok := ParseReview(line); ok {
			kinds++
			if m.String() != line {
				t.Errorf("written back as %s", m)
			}
		}
		if m, ok := ParseFinding(line); ok {
			kinds++
			if m.String() != line {
				t.Errorf("written back as %s", m)
			}
		}
		if m, ok := ParseDisposition(line); ok {
			kinds++
			if m.String() != line {
				t.Errorf("written back as %s", m)
			}
		}
		if IsMarker(line) != (kinds == 1) || kinds > 1 {
			t.Errorf("%q is %d kinds of marker", line, kinds)
		}
	})
}
