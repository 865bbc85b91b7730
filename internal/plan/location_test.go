package plan

import (
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// TestNameOfManyBackquotesIsCode holds that a file's name, which an outsider chooses, stands in a code span: GitHub's parsers
// take none that more than 80 backquotes begin.
func TestNameOfManyBackquotesIsCode(t *testing.T) {
	for _, backquotes := range []int{1, 79, 80, 81, 200} {
		path := untrusted.New("a" + strings.Repeat("`", backquotes) + " fixes #1 @user <b>")
		got := renderer{}.location(place{path: &path})
		fence := len(got) - len(strings.TrimLeft(got, "`"))
		if fence > 80 || strings.Count(got, strings.Repeat("`", fence)) != 2 {
			t.Errorf("%d backquotes in a name are written as %q", backquotes, got)
		}
	}
}
