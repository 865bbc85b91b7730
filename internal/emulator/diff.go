package emulator

import (
	"path"
	"sort"
)

// contextLines is how many unchanged lines surround a change in a hunk.
const contextLines = 3

// Similarity of a rename in git's scale, and the least that is one.
const (
	similarityScale = 60000
	renameThreshold = similarityScale / 2
)

// fileChange is one file of a diff.
type fileChange struct {
	// status is GitHub's word: added, removed, modified, renamed or changed (another kind of file).
	status             string
	path, previousPath string
	// old is nil for an added file, new for a removed one.
	old, new             *File
	similarity           int
	hunks                []hunk
	additions, deletions int
}

// isBinary says whether the diff shows no content because of a NUL byte in either half.
func (change *fileChange) isBinary() bool {
	return change.old != nil && change.old.isBinary() || change.new != nil && change.new.isBinary()
}

// hunk is a run of changed lines with their context.
type hunk struct {
	oldStart, oldCount, newStart, newCount int
	// section is the line git prints after the second @@, without its newline.
	section string
	lines   []hunkLine
}

// hunkLine is a line of a hunk. Its number on the side where it is not is 0.
type hunkLine struct {
	sign      byte
	text      string
	old, new  int
	noNewline bool
}

// compareTrees makes the diff of two trees in git's order, renames found.
func compareTrees(before, after Tree) []*fileChange {
	var changes, added, removed []*fileChange
	for _, filePath := range after.paths() {
		new := after[filePath]
		old, existed := before[filePath]
		switch {
		case !existed:
			added = append(added, &fileChange{status: "added", path: filePath, new: &new})
		case old.blobID() != new.blobID() || old.mode() != new.mode():
			status := "modified"
			if kindOf(old) != kindOf(new) {
				status = "changed"
			}
			changes = append(changes, &fileChange{status: status, path: filePath, old: &old, new: &new})
		}
	}
	for _, filePath := range before.paths() {
		if _, remains := after[filePath]; !remains {
			old := before[filePath]
			removed = append(removed, &fileChange{status: "removed", path: filePath, old: &old})
		}
	}
	removed = pairRenames(added, removed)
	changes = append(append(changes, added...), removed...)
	sort.Slice(changes, func(i, j int) bool { return changes[i].path < changes[j].path })
	for _, change := range changes {
		change.compareLines()
	}
	return changes
}

// kindOf groups the modes that git compares line by line with each other.
func kindOf(file File) string {
	if file.mode() == modeExecutable {
		return modeFile
	}
	return file.mode()
}

// pairRenames turns additions into renames of removals and returns the removals that are left: equal content first,
// then the most similar.
func pairRenames(added, removed []*fileChange) []*fileChange {
	used := map[*fileChange]bool{}
	pair := func(to, from *fileChange, score int) {
		to.status, to.previousPath, to.old = "renamed", from.path, from.old
		to.similarity = score * 100 / similarityScale
		used[from] = true
	}
	for _, to := range added {
		var best *fileChange
		for _, from := range removed {
			if used[from] || kindOf(*from.old) != kindOf(*to.new) || from.old.blobID() != to.new.blobID() {
				continue
			}
			if best == nil || path.Base(best.path) != path.Base(to.path) && path.Base(from.path) == path.Base(to.path) {
				best = from
			}
		}
		if best != nil {
			pair(to, best, similarityScale)
		}
	}
	type candidate struct {
		to, from *fileChange
		score    int
	}
	var candidates []candidate
	for _, to := range added {
		for _, from := range removed {
			if to.status == "renamed" || used[from] || kindOf(*from.old) != modeFile || kindOf(*to.new) != modeFile {
				continue
			}
			if score := similarity(from.old.Content, to.new.Content); score >= renameThreshold {
				candidates = append(candidates, candidate{to, from, score})
			}
		}
	}
	sort.SliceStable(candidates, func(i, j int) bool { return candidates[i].score > candidates[j].score })
	for _, candidate := range candidates {
		if candidate.to.status != "renamed" && !used[candidate.from] {
			pair(candidate.to, candidate.from, candidate.score)
		}
	}
	var left []*fileChange
	for _, from := range removed {
		if !used[from] {
			left = append(left, from)
		}
	}
	return left
}

// similarity is how much of the larger text is also in the other, in chunks of a line or 64 bytes.
func similarity(old, new []byte) int {
	largest := max(len(old), len(new))
	if len(old) == 0 || len(new) == 0 || min(len(old), len(new))*similarityScale < largest*renameThreshold {
		return 0
	}
	counts, copied := chunks(old), 0
	for chunk, bytes := range chunks(new) {
		copied += min(bytes, counts[chunk])
	}
	return copied * similarityScale / largest
}

// chunks counts the bytes of a text by chunk.
func chunks(text []byte) map[string]int {
	counts := map[string]int{}
	for len(text) > 0 {
		end := 0
		for end < len(text) && end < 64 {
			end++
			if text[end-1] == '\n' {
				break
			}
		}
		counts[string(text[:end])] += end
		text = text[end:]
	}
	return counts
}

// compareLines fills in hunks and counts.
func (change *fileChange) compareLines() {
	if change.isBinary() {
		return
	}
	var before, after []string
	if change.old != nil {
		before = splitLines(change.old.diffText())
	}
	if change.new != nil {
		after = splitLines(change.new.diffText())
	}
	if change.status == "changed" { // git writes a removal and an addition
		change.deletions, change.additions = len(before), len(after)
		return
	}
	removed, added := lineDiff(before, after)
	change.hunks = cutHunks(before, after, removed, added)
	for _, hunk := range change.hunks {
		for _, line := range hunk.lines {
			switch line.sign {
			case '+':
				change.additions++
			case '-':
				change.deletions++
			}
		}
	}
}

// cutHunks walks both texts and keeps the changed lines with their context.
func cutHunks(before, after []string, removed, added []bool) []hunk {
	var lines []hunkLine
	for old, new := 0, 0; old < len(before) || new < len(after); {
		switch {
		case old < len(before) && removed[old]:
			lines = append(lines, newHunkLine('-', before[old], old+1, 0))
			old++
		case new < len(after) && added[new]:
			lines = append(lines, newHunkLine('+', after[new], 0, new+1))
			new++
		default:
			lines = append(lines, newHunkLine(' ', before[old], old+1, new+1))
			old, new = old+1, new+1
		}
	}
	var hunks []hunk
	for at := 0; at < len(lines); at++ {
		if lines[at].sign == ' ' {
			continue
		}
		start, last := max(at-contextLines, 0), at
		for next := at; next < len(lines) && next-last <= 2*contextLines+1; next++ {
			if lines[next].sign != ' ' {
				last = next
			}
		}
		end := min(last+contextLines+1, len(lines))
		hunks = append(hunks, newHunk(lines, start, end, before))
		at = end - 1
	}
	return hunks
}

func newHunkLine(sign byte, text string, old, new int) hunkLine {
	line := hunkLine{sign: sign, text: text, old: old, new: new}
	if n := len(text) - 1; n >= 0 && text[n] == '\n' {
		line.text = text[:n]
	} else {
		line.noNewline = true
	}
	return line
}

// newHunk makes a hunk of lines[start:end]. A side without lines starts at the line before it, as git writes it.
func newHunk(lines []hunkLine, start, end int, before []string) hunk {
	result := hunk{lines: lines[start:end]}
	oldBefore, newBefore := 0, 0
	for _, line := range lines[:start] {
		oldBefore, newBefore = max(oldBefore, line.old), max(newBefore, line.new)
	}
	for _, line := range result.lines {
		if line.old > 0 {
			result.oldCount++
		}
		if line.new > 0 {
			result.newCount++
		}
	}
	result.oldStart, result.newStart = oldBefore, newBefore
	if result.oldCount > 0 {
		result.oldStart++
	}
	if result.newCount > 0 {
		result.newStart++
	}
	for at := oldBefore - 1; at >= 0; at-- {
		if section, found := sectionOf(before[at]); found {
			result.section = section
			break
		}
	}
	return result
}

// sectionOf is git's default rule for the text after a hunk's numbers: a line that begins with a letter, an
// underscore or a dollar sign, of which at most 80 bytes are shown.
func sectionOf(line string) (string, bool) {
	first := line[0]
	if first != '_' && first != '$' && (first < 'A' || first > 'Z') && (first < 'a' || first > 'z') {
		return "", false
	}
	if len(line) > 80 {
		line = line[:80]
	}
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r' || line[len(line)-1] == ' ' || line[len(line)-1] == '\t') {
		line = line[:len(line)-1]
	}
	return line, true
}
