package emulator

// Sides of a diff.
const (
	left  = "LEFT"
	right = "RIGHT"
)

// place is a line of a diff: which file, which hunk, and how many lines below the file's first hunk header.
type place struct {
	change   *fileChange
	hunk     int
	position int
	// line is the index of the line in its hunk.
	line int
}

// changeOf finds a file of a diff by its new path, or by its old one when it was removed.
func changeOf(changes []*fileChange, path string) *fileChange {
	for _, change := range changes {
		if change.path == path {
			return change
		}
	}
	return nil
}

// locate finds a line: on the right an added or context line by its new number, on the left a removed or context
// line by its old number.
func (change *fileChange) locate(side string, number int) (place, bool) {
	position := 0
	for h, hunk := range change.hunks {
		if h > 0 {
			position++
		}
		for l, line := range hunk.lines {
			position++
			if side == right && line.new == number && line.sign != '-' || side == left && line.old == number && line.sign != '+' {
				return place{change: change, hunk: h, position: position, line: l}, true
			}
			if line.noNewline {
				position++
			}
		}
	}
	return place{}, false
}

// hunkUpTo is the part of the diff GitHub shows above a comment: the hunk from its header to the line.
func (p place) hunkUpTo() string {
	hunk := p.change.hunks[p.hunk]
	text := hunk.header()
	for _, line := range hunk.lines[:p.line+1] {
		text += "\n" + string(line.sign) + line.text
	}
	return text
}

// follow finds where a line of one text is in another: the same line, unchanged. It is 0 when it is not there.
func follow(before, after []byte, number int) int {
	removed, added := lineDiff(splitLines(before), splitLines(after))
	if number < 1 || number > len(removed) || removed[number-1] {
		return 0
	}
	rank := 0
	for _, isRemoved := range removed[:number] {
		if !isRemoved {
			rank++
		}
	}
	for i, isAdded := range added {
		if !isAdded {
			rank--
		}
		if rank == 0 {
			return i + 1
		}
	}
	return 0
}
