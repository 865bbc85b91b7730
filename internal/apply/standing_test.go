package apply

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// standing is all that stands on the item and its commits, a line each, without ids and times. What depends on how often apply
// ran is left out: the check says how much was written before.
func (w *world) standing() string {
	w.t.Helper()
	state := w.State(w.t)
	pull := state.Pull(emulatortest.Number)
	var out strings.Builder
	line := func(format string, values ...any) { fmt.Fprintf(&out, format+"\n", values...) }
	line("item %s draft %v locked %v merged %v head %s base %s labels %q", pull.State, pull.Draft, pull.Locked, pull.Merged, pull.Head.Commit, pull.Base.Ref, pull.Labels)
	for _, c := range pull.Comments {
		line("comment by %d: %q", c.AuthorID, c.Body)
	}
	reviews := map[int64]int{}
	for i, r := range pull.Reviews {
		reviews[r.ID] = i
		line("review %d by %d %s on %s edited %v: %q", i, r.AuthorID, r.State, r.Commit, r.EditedAt != nil, r.Body)
	}
	for _, t := range pull.Threads {
		line("thread %s %s line %s from %s originally %d from %s on %s resolved %v by %d", t.Path, t.Side, text(t.Line), text(t.StartLine), t.OriginalLine, text(t.OriginalStartLine),
			t.OriginalCommit, t.Resolved, t.ResolvedByID)
		for _, c := range t.Comments {
			line("  by %d in review %d edited %v: %q", c.AuthorID, reviews[c.ReviewID], c.EditedAt != nil, c.Body)
		}
	}
	for _, c := range state.CheckRuns {
		line("check %q of App %d on %s for %q: %s %s %q %q %q", c.Name, c.AppID, c.HeadCommit, c.ExternalID, c.Status, c.Conclusion, c.Title, onceWritten(c.Summary), c.Text)
	}
	return out.String()
}

func text(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

var written = regexp.MustCompile(`(\d+) applied, (\d+) applied before`)

// onceWritten adds up what was applied now and before.
func onceWritten(summary string) string {
	return written.ReplaceAllStringFunc(summary, func(found string) string {
		parts := written.FindStringSubmatch(found)
		now, _ := strconv.Atoi(parts[1])
		before, _ := strconv.Atoi(parts[2])
		return fmt.Sprintf("%d applied", now+before)
	})
}

// openByMarkers lists the Findings that gate and are open, from nothing but the markers in the texts of our App: the rule of
// the vocabulary once more, in the test's own words. What holds one of the keys was not read back, so it counts for nothing.
func openByMarkers(pull *emulator.Pull, unread []string) []string {
	var texts []string
	ofUnread := map[int64]bool{}
	add := func(author, review int64, text string) {
		hasKey := slices.ContainsFunc(unread, func(key string) bool { return strings.Contains(text, "key="+key) })
		ofUnread[review] = ofUnread[review] || hasKey
		if author == emulatortest.BotUserID && !ofUnread[review] {
			texts = append(texts, text)
		}
	}
	for _, r := range pull.Reviews {
		add(r.AuthorID, r.ID, r.Body)
	}
	for _, t := range pull.Threads {
		for _, c := range t.Comments {
			add(c.AuthorID, c.ReviewID, c.Body)
		}
	}
	accepted := map[string]bool{}
	for _, text := range texts {
		for _, m := range dispositionMarker.FindAllStringSubmatch(text, -1) {
			accepted[m[1]] = m[2] == "accepted"
		}
	}
	var open []string
	for _, text := range texts {
		for _, m := range findingMarker.FindAllStringSubmatch(text, -1) {
			gates := m[2] == "security" || m[3] == "critical" || m[3] == "major"
			if gates && !accepted[m[1]] {
				open = append(open, m[1])
			}
		}
	}
	slices.Sort(open)
	return open
}

var (
	findingMarker     = regexp.MustCompile(`<!-- airlock/1 finding id=(\S+) category=(\S+) severity=(\S+) `)
	dispositionMarker = regexp.MustCompile(`<!-- airlock/1 disposition key=\S+ run=\S+ finding=(\S+) half=reviewer verdict=(\S+) `)
)
