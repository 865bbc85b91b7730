package ledger

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseReviewBody(t *testing.T) {
	marker := func(line string) FindingMarker {
		m, ok := ParseFinding(line)
		if !ok {
			t.Fatalf("no marker: %s", line)
		}
		return m
	}
	second := strings.Replace(findingLine, "/f4", "/f3", 1)
	review, _ := ParseReview(reviewLine)
	answer, _ := ParseDisposition(answerLine)
	for name, test := range map[string]struct {
		text string
		want ReviewBody
	}{
		"empty":            {"", ReviewBody{}},
		"text alone":       {"Nothing to say.\n\n### Also seen\n", ReviewBody{}},
		"the review alone": {"Fine.\n\n" + reviewLine, ReviewBody{Review: &review}},
		"sections, as apply writes them": {
			"Text.\n\n" + HeadingUnplaced + "\n\n" + findingLine + "\n`a.go` line 40\n\n**major.** T\n\nX\n\n" + HeadingListed + "\n\n" + second + "\n**minor.** U\n\n" +
				HeadingAnswers + "\n\n" + answerLine + "\n**accepted.** V\n\n" + reviewLine,
			ReviewBody{Review: &review,
				Findings: []FindingSection{
					{FindingMarker: marker(findingLine), Path: "a.go", Line: 40, Body: "**major.** T\n\nX"},
					{FindingMarker: marker(second), Body: "**minor.** U"}},
				Dispositions: []DispositionSection{{answer, "**accepted.** V"}}},
		},
		"edited in a browser": {
			"Text.\r\n\r\n" + findingLine + "\r\n`a.go` line 40\r\n\r\n**major.** T\r\n\r\n" + reviewLine + "\r\n",
			ReviewBody{Review: &review, Findings: []FindingSection{{FindingMarker: marker(findingLine), Path: "a.go", Line: 40, Body: "**major.** T"}}},
		},
		"a heading of the model's ends nothing": {
			findingLine + "\n**major.** T\n\n" + HeadingListed + "\n\nmore\n\n### Else\n\nend\n\n" + second + "\nU",
			ReviewBody{Findings: []FindingSection{
				{FindingMarker: marker(findingLine), Body: "**major.** T\n\n" + HeadingListed + "\n\nmore\n\n### Else\n\nend"},
				{FindingMarker: marker(second), Body: "U"}}},
		},
		"a heading of the model's stays at the end": {
			findingLine + "\nT\n\n" + HeadingListed,
			ReviewBody{Findings: []FindingSection{{FindingMarker: marker(findingLine), Body: "T\n\n" + HeadingListed}}},
		},
		"a location only right after the marker": {
			findingLine + "\n\n`a.go` line 40\n\nT", ReviewBody{Findings: []FindingSection{{FindingMarker: marker(findingLine), Body: "`a.go` line 40\n\nT"}}},
		},
		"quoted markers are text": {
			"> " + findingLine + "\n> T\n\n> " + reviewLine, ReviewBody{},
		},
		"of two review markers the first": {
			reviewLine + "\n" + strings.Replace(reviewLine, "completed", "incomplete", 1), ReviewBody{Review: &review},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if difference := cmp.Diff(test.want, ParseReviewBody(test.text)); difference != "" {
				t.Errorf("(-want +got):\n%s", difference)
			}
		})
	}
}

func TestParseComments(t *testing.T) {
	finding, _ := ParseFinding(findingLine)
	answer, _ := ParseDisposition(answerLine)
	other := strings.Replace(findingLine, "/f4", "/f9", 1)
	for name, test := range map[string]struct {
		text string
		want FindingSection
		ok   bool
	}{
		"as apply writes it":       {"**major.** T\n\nX\n\n" + findingLine, FindingSection{FindingMarker: finding, Body: "**major.** T\n\nX"}, true},
		"a line added":             {"T\n\n" + findingLine + "\nadded", FindingSection{FindingMarker: finding, Body: "T\n\nadded"}, true},
		"of two the first":         {"T\n\n" + findingLine + "\n" + other, FindingSection{FindingMarker: finding, Body: "T"}, true},
		"no location in a comment": {findingLine + "\n`a.go` line 4\n\nT", FindingSection{FindingMarker: finding, Body: "`a.go` line 4\n\nT"}, true},
		"none":                     {"T\n\n> " + findingLine, FindingSection{Body: "T\n\n> " + findingLine}, false},
	} {
		got, ok := ParseFindingComment(test.text)
		if difference := cmp.Diff(test.want, got); difference != "" || ok != test.ok {
			t.Errorf("%s: %v (-want +got):\n%s", name, ok, difference)
		}
	}
	if got, ok := ParseReply("**accepted, of fixed.** Y\n\n" + answerLine); !ok || got != (DispositionSection{answer, "**accepted, of fixed.** Y"}) {
		t.Errorf("reply %+v, %v", got, ok)
	}
	if _, ok := ParseReply("T\n\n" + findingLine); ok {
		t.Error("a finding marker is read as a disposition")
	}
	if got := WithoutMarkers("T\r\n\r\n" + answerLine + "\n" + findingLine + "\nU\n" + reviewLine + "\n> " + reviewLine + "\n"); got != "T\n\nU\n> "+reviewLine {
		t.Errorf("without markers: %q", got)
	}
}

func TestLocation(t *testing.T) {
	for _, test := range []struct {
		path string
		line int
		want string
	}{
		{"internal/store/pool.go", 40, "`internal/store/pool.go` line 40"},
		{"a b.go", 0, "`a b.go`"},
		{"a`b", 1, "`` a`b `` line 1"},
		{"``", 2, "``` `` ``` line 2"},
		{" a ", 0, "`  a  `"},
		{"a line 3", 4, "`a line 3` line 4"},
		{" a", 0, "` a`"},
		{"a ", 0, "`a `"},
		{" ", 0, "`   `"},
		{"  ", 0, "`    `"},
		{"a.go", 9007199254740991, "`a.go` line 9007199254740991"},
	} {
		if got := Location(test.path, test.line); got != test.want {
			t.Errorf("Location(%q, %d) is %s", test.path, test.line, got)
		}
		if path, line, ok := ParseLocation(test.want); !ok || path != test.path || line != test.line {
			t.Errorf("ParseLocation(%s) is %q, %d, %v", test.want, path, line, ok)
		}
	}
	for _, text := range []string{"", "`", "` `", "`  `", "`a.go`4", "``", "a.go", "`a.go` line 0", "`a.go` line 04", "`a.go` line -1", "`a.go` line +1", "`a.go` line 99999999999999999999", "`a.go` line ", "`a.go`line 4", "`a.go` line 4 ", " `a.go`", "``a.go``", "`a` and `b`",
		"**major.** `a.go`", "`a.go` lines 4"} {
		if path, line, ok := ParseLocation(text); ok {
			t.Errorf("ParseLocation(%q) is %q, %d", text, path, line)
		}
	}
}

// TestSectionText holds what is done to a text so that its section reads back as it was written.
func TestSectionText(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		" \n\u00a0\n":                    "",
		"\n\n  T\n\nU  \n \n\t\n":        "  T\n\nU  ",
		"T\n\n" + HeadingListed:          "T\n\n\\" + HeadingListed,
		"T\n" + HeadingUnplaced + "\n\n": "T\n\\" + HeadingUnplaced,
		HeadingAnswers + "\r\n":          "\\" + HeadingAnswers + "\r",
		HeadingAnswers + "\nT":           HeadingAnswers + "\nT",
		"T\n> " + HeadingAnswers:         "T\n> " + HeadingAnswers,
		"```\r\n\r\nx\r\n```":            "```\r\n\r\nx\r\n```",
	} {
		if got := SectionText(text); got != want {
			t.Errorf("SectionText(%q) is %q, want %q", text, got, want)
		}
		if got := SectionText(want); got != want {
			t.Errorf("SectionText(%q) is %q, and again %q", text, want, got)
		}
	}
}

// FuzzSections holds that no text makes more of markers than it has marker lines, and that none panics.
func FuzzSections(f *testing.F) {
	f.Add("T\n\n" + HeadingUnplaced + "\n\n" + findingLine + "\n`a.go` line 40\n\nX\n\n" + reviewLine)
	f.Add(answerLine + "\r\n" + findingLine)
	f.Add("``` `` ``` line 2")
	f.Fuzz(func(t *testing.T, text string) {
		markers := 0
		for _, line := range strings.Split(text, "\n") {
			if IsMarker(strings.TrimSuffix(line, "\r")) {
				markers++
			}
		}
		body := ParseReviewBody(text)
		read := len(body.Findings) + len(body.Dispositions)
		if body.Review != nil {
			read++
		}
		if read > markers || markers > 0 && read == 0 {
			t.Errorf("%d of %d markers were read", read, markers)
		}
		for _, finding := range body.Findings {
			if strings.Contains(finding.Body, findingLine) {
				t.Error("a marker is left in a body")
			}
		}
		_, finding := ParseFindingComment(text)
		_, answer := ParseReply(text)
		if (finding || answer) && markers == 0 {
			t.Error("a marker was read where there is none")
		}
		for _, line := range strings.Split(WithoutMarkers(text), "\n") {
			if IsMarker(line) {
				t.Errorf("a marker is left: %s", line)
			}
		}
		if path, line, ok := ParseLocation(text); ok && Location(path, line) != text {
			t.Errorf("%q is read as %q, %d", text, path, line)
		}
		if path, line, ok := ParseLocation(Location(text, 7)); text != "" && (!ok || path != text || line != 7) {
			t.Errorf("location of %q is read as %q, %d, %v", text, path, line, ok)
		}
	})
}
