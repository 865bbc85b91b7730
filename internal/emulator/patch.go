package emulator

import (
	"fmt"
	"strings"
)

// shortestAbbreviation is the length of an abbreviated object id in a small repository. It grows with the number of
// objects, so the same diff can be served with other bytes (fault longer-abbreviation).
const shortestAbbreviation = 7

const nullID = "0000000000000000000000000000000000000000"

// unifiedDiff writes a diff in the bytes git writes.
func unifiedDiff(changes []*fileChange, abbreviation int) []byte {
	var out strings.Builder
	for _, change := range changes {
		if change.status == "changed" {
			removal := fileChange{status: "removed", path: change.path, old: change.old}
			addition := fileChange{status: "added", path: change.path, new: change.new}
			removal.compareLines()
			addition.compareLines()
			writeFile(&out, &removal, abbreviation)
			writeFile(&out, &addition, abbreviation)
			continue
		}
		writeFile(&out, change, abbreviation)
	}
	return []byte(out.String())
}

// writeFile writes one file with its headers.
func writeFile(out *strings.Builder, change *fileChange, abbreviation int) {
	oldPath := change.path
	if change.previousPath != "" {
		oldPath = change.previousPath
	}
	oldName, newName := quotePath("a/"+oldPath), quotePath("b/"+change.path)
	fmt.Fprintf(out, "diff --git %s %s\n", oldName, newName)
	oldID, newID := nullID, nullID
	mode := ""
	switch {
	case change.old == nil:
		newID = change.new.blobID()
		fmt.Fprintf(out, "new file mode %s\n", change.new.mode())
	case change.new == nil:
		oldID = change.old.blobID()
		fmt.Fprintf(out, "deleted file mode %s\n", change.old.mode())
	default:
		oldID, newID = change.old.blobID(), change.new.blobID()
		if change.old.mode() != change.new.mode() {
			fmt.Fprintf(out, "old mode %s\nnew mode %s\n", change.old.mode(), change.new.mode())
		} else {
			mode = " " + change.new.mode()
		}
		if change.status == "renamed" {
			fmt.Fprintf(out, "similarity index %d%%\nrename from %s\nrename to %s\n",
				change.similarity, quotePath(oldPath), quotePath(change.path))
		}
	}
	if oldID == newID {
		return
	}
	fmt.Fprintf(out, "index %s..%s%s\n", abbreviate(oldID, abbreviation), abbreviate(newID, abbreviation), mode)
	if change.old == nil {
		oldName = "/dev/null"
	}
	if change.new == nil {
		newName = "/dev/null"
	}
	if change.isBinary() {
		fmt.Fprintf(out, "Binary files %s and %s differ\n", oldName, newName)
		return
	}
	if len(change.hunks) == 0 {
		return
	}
	fmt.Fprintf(out, "--- %s\n+++ %s\n", endName(oldName), endName(newName))
	out.WriteString(patchOf(change))
}

// patchOf writes the hunks of a file; the files list of a pull request serves it without the last newline.
func patchOf(change *fileChange) string {
	var out strings.Builder
	for _, hunk := range change.hunks {
		out.WriteString(hunk.header() + "\n")
		for _, line := range hunk.lines {
			out.WriteString(line.String())
		}
	}
	return out.String()
}

// header is the line that begins a hunk, without its newline.
func (h hunk) header() string {
	text := "@@ -" + span(h.oldStart, h.oldCount) + " +" + span(h.newStart, h.newCount) + " @@"
	if h.section != "" {
		text += " " + h.section
	}
	return text
}

// String is the line as the diff shows it, newline included.
func (line hunkLine) String() string {
	text := string(line.sign) + line.text + "\n"
	if line.noNewline {
		text += "\\ No newline at end of file\n"
	}
	return text
}

// span leaves a count of one out.
func span(start, count int) string {
	if count == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, count)
}

func abbreviate(id string, digits int) string { return id[:min(digits, len(id))] }

// endName marks the end of a name with spaces by a tab, as git does so that tools which look for a date are not misled.
func endName(name string) string {
	if strings.Contains(name, " ") {
		return name + "\t"
	}
	return name
}

// quotePath is git's C quoting: a name with a control character, a quote, a backslash or a byte above 0x7f is put in
// quotes with escapes.
func quotePath(name string) string {
	var quoted strings.Builder
	plain := true
	for i := 0; i < len(name); i++ {
		c := name[i]
		if short := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); short >= 0 {
			quoted.WriteString(`\` + string(`abtnvfr"\`[short]))
			plain = false
		} else if c < 0x20 || c >= 0x7f {
			fmt.Fprintf(&quoted, `\%03o`, c)
			plain = false
		} else {
			quoted.WriteByte(c)
		}
	}
	if plain {
		return name
	}
	return `"` + quoted.String() + `"`
}
