package task

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// TestACopyOfAFindingIsAText holds that what looks like a Finding of ours is one of our App alone: anybody else's is a text, by
// its author.
func TestACopyOfAFindingIsAText(t *testing.T) {
	in := modelInput(t, "B")
	ours := in.Facts.Threads[0].Comments[0].Text.Raw()
	in.Facts.Threads = append(in.Facts.Threads, contract.Thread{NodeID: "PRRT_x", Comments: []contract.ThreadComment{reply(61050, outsider, ours)}})
	task, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(task.Texts, func(text contract.TaskText) bool { return text.ID == "thread:61050:1" })
	if at < 0 || task.Texts[at].Trust != contract.TrustOutside || len(task.Findings) != 3 {
		t.Errorf("the copy is text %d of %d, beside %d Findings", at, len(task.Texts), len(task.Findings))
	}
}

// TestOmittedTextsAreCountedByCharacters holds that what is left out is counted as a person counts it.
func TestOmittedTextsAreCountedByCharacters(t *testing.T) {
	task := built(t, func(in *Input) {
		in.Facts.Comments = []contract.Comment{comment(1, outsider, "żółć🙂")}
		in.Harness.Texts.CommentCharacters = 4
	})
	if difference := cmp.Diff([]contract.Omitted{{Kind: contract.OmittedComment, Texts: 1, Characters: 5}}, task.Omitted); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
}

// TestAFindingStatesItsPlace holds that one with a thread says file, line and side, and that one in a review's body has no place
// but its text.
func TestAFindingStatesItsPlace(t *testing.T) {
	task, err := Build(modelInput(t, "B"))
	if err != nil {
		t.Fatal(err)
	}
	line, body := task.Findings[0], task.Findings[2]
	if line.Path == nil || line.Side == nil || *line.Side != contract.Right || line.Placement != contract.PlacementLine {
		t.Errorf("on a line: %+v", line)
	}
	if body.Path != nil || body.Side != nil || body.Line != nil || body.Placement != contract.PlacementBody {
		t.Errorf("in the body: %+v", body)
	}
}

// TestAnAnchorOfNoSideIsLookedForOnBoth holds the Finding of which GitHub does not say on which side it stands.
func TestAnAnchorOfNoSideIsLookedForOnBoth(t *testing.T) {
	for seen, want := range map[sides]bool{{}: false, {left: true}: true, {right: true}: true} {
		w := &anchorWatch{wanted: map[string]*sides{"a": &seen}}
		if got := w.present(ledger.Finding{FindingMarker: ledger.FindingMarker{Anchor: "a"}}); got == nil || *got != want {
			t.Errorf("seen %+v: present is %v", seen, got)
		}
	}
}

// TestSplitAtItsBounds holds the numbers of Markdown's rules: four blanks make code of a fence's or a heading's line, a heading has
// at most six signs, a number of a list nine digits.
func TestSplitAtItsBounds(t *testing.T) {
	for text, want := range map[string][]string{
		"> a\n   # b":       {">a", "   # b"},
		"> a\n    # b":      {">a\n    # b"},
		"> a\n###### b":     {">a", "###### b"},
		"> a\n####### b":    {">a\n####### b"},
		"123456789. > a":    {">123456789. a"},
		"1234567890. > a":   {"1234567890. > a"},
		"```\n> a\n``\n> b": {"```\n> a\n``\n> b"},
	} {
		if difference := cmp.Diff(want, show(split(untrusted.New(text).Raw()))); difference != "" {
			t.Errorf("%q (-want +got):\n%s", text, difference)
		}
	}
}
