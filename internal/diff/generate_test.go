package diff

import (
	"bytes"
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// place is a line a comment may stand on.
type place struct {
	path, side string
	line       int
}

// generated is a diff written line by line, and what a reader must find in it.
type generated struct {
	diff  []byte
	files []File
	lines map[place]string
	hunk  map[place]int // number of the hunk over the whole diff
}

// hostileLines read like the structure around them.
var hostileLines = []string{
	"", "x", "\ttab", "@@ -1 +1 @@", "@@ -1,3 +1,4 @@ func", "--- a/x", "+++ b/x", "-- a/x", "++ b/x",
	"diff --git a/x b/x", "Binary files a/x and b/x differ", "\\ No newline at end of file", "GIT binary patch",
	"rename to y", "new mode 100755", "new file mode 160000", "crlf\r", "\r", "\x00nul", "\xff\xfe", "żółć", "🙂", "\u202eright to left",
	strings.Repeat("long ", 60),
}

var names = []string{
	"a", "b/c.go", "with space.txt", "x b/x", "ünï.txt", "tab\there", "line\nbreak", "quote\".go", "back\\slash", "\x01\x7f", "\xff", "deep/er/a b/c",
	"../../.github/workflows/x.yml", "$(id).go",
}

// quoted writes a name as git does with core.quotePath on.
func quoted(name string) string {
	var out strings.Builder
	needs := false
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case strings.IndexByte("\a\b\t\n\v\f\r\"\\", c) >= 0:
			out.WriteByte('\\')
			out.WriteByte(`abtnvfr"\`[strings.IndexByte("\a\b\t\n\v\f\r\"\\", c)])
			needs = true
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&out, "\\%03o", c)
			needs = true
		default:
			out.WriteByte(c)
		}
	}
	if needs {
		return `"` + out.String() + `"`
	}
	return name
}

// sided is quoted, with the tab git puts after an unquoted name with a space.
func sided(name string) string {
	q := quoted(name)
	if q[0] != '"' && strings.Contains(q, " ") {
		return q + "\t"
	}
	return q
}

func drawDiff(t *rapid.T) generated {
	g := generated{lines: map[place]string{}, hunk: map[place]int{}}
	count := rapid.IntRange(0, 4).Draw(t, "files")
	used := map[string]bool{}
	hunks := 0
	for n := range count {
		last := n == count-1
		before := rapid.SampledFrom(names).Draw(t, "name")
		for used[before] {
			before += "_"
		}
		used[before] = true
		var out bytes.Buffer
		f := File{OldPath: before, NewPath: before, Status: Modified}
		shape := rapid.SampledFrom([]string{"modified", "added", "removed", "renamed", "copied", "mode", "binary", "submodule", "empty"}).Draw(t, "shape")
		if shape == "renamed" || shape == "copied" {
			f.NewPath = before + ".new"
			used[f.NewPath] = true
		}
		fmt.Fprintf(&out, "diff --git %s %s\n", quoted("a/"+f.OldPath), quoted("b/"+f.NewPath))
		oldName, newName := sided("a/"+f.OldPath), sided("b/"+f.NewPath)
		withHunks := true
		switch shape {
		case "modified":
			out.WriteString("index 0000001..0000002 100644\n")
			f.OldMode, f.NewMode = "100644", "100644"
		case "added":
			out.WriteString("new file mode 100644\nindex 0000000..0000002\n")
			f.Status, f.NewMode, f.OldPath, oldName = Added, "100644", "", "/dev/null"
		case "removed":
			out.WriteString("deleted file mode 100644\nindex 0000001..0000000\n")
			f.Status, f.OldMode, f.NewPath, newName = Removed, "100644", "", "/dev/null"
		case "renamed":
			fmt.Fprintf(&out, "similarity index 90%%\nrename from %s\nrename to %s\nindex 0000001..0000002 100644\n", quoted(f.OldPath), quoted(f.NewPath))
			f.Status, f.OldMode, f.NewMode = Renamed, "100644", "100644"
		case "copied":
			fmt.Fprintf(&out, "similarity index 90%%\ncopy from %s\ncopy to %s\nindex 0000001..0000002 100644\n", quoted(f.OldPath), quoted(f.NewPath))
			f.Status, f.OldMode, f.NewMode = Copied, "100644", "100644"
		case "mode":
			out.WriteString("old mode 100644\nnew mode 100755\n")
			f.Status, f.ModeOnly, f.OldMode, f.NewMode = Changed, true, "100644", "100755"
			withHunks = false
		case "binary":
			fmt.Fprintf(&out, "index 0000001..0000002 100644\nBinary files %s and %s differ\n", oldName, newName)
			f.Binary, f.OldMode, f.NewMode = true, "100644", "100644"
			withHunks = false
		case "submodule":
			out.WriteString("index 0000001..0000002 160000\n")
			f.Submodule, f.OldMode, f.NewMode = true, "160000", "160000"
		case "empty":
			out.WriteString("new file mode 100644\nindex 0000000..e69de29\n")
			f.Status, f.NewMode, f.OldPath = Added, "100644", ""
			withHunks = false
		}
		if withHunks {
			fmt.Fprintf(&out, "--- %s\n+++ %s\n", oldName, newName)
			f.Hunks = rapid.IntRange(1, 3).Draw(t, "hunks")
			oldAt, newAt := 1, 1
			for h := range f.Hunks {
				oldAt += rapid.IntRange(0, 9).Draw(t, "gap")
				newAt += rapid.IntRange(0, 9).Draw(t, "gap")
				var body bytes.Buffer
				oldCount, newCount := 0, 0
				hunks++
				lines := rapid.IntRange(1, 8).Draw(t, "lines")
				for l := range lines {
					sign := rapid.SampledFrom([]byte(" +-")).Draw(t, "sign")
					text := rapid.SampledFrom(hostileLines).Draw(t, "text")
					body.WriteByte(sign)
					body.WriteString(text)
					if sign != '+' {
						at := place{f.Path(), Left, oldAt + oldCount}
						g.lines[at], g.hunk[at] = text, hunks
						oldCount++
					}
					if sign != '-' {
						at := place{f.Path(), Right, newAt + newCount}
						g.lines[at], g.hunk[at] = text, hunks
						newCount++
					}
					if last && h == f.Hunks-1 && l == lines-1 && rapid.Bool().Draw(t, "cut") {
						break // the diff ends without a newline
					}
					body.WriteByte('\n')
					if rapid.IntRange(0, 9).Draw(t, "note") == 0 {
						body.WriteString("\\ No newline at end of file\n")
					}
				}
				fmt.Fprintf(&out, "@@ -%s +%s @@ some function\n", counted(oldAt, oldCount), counted(newAt, newCount))
				out.Write(body.Bytes())
				oldAt += oldCount
				newAt += newCount
			}
		}
		f.Raw = out.Bytes()
		f.Bytes = int64(out.Len())
		f.Characters = int64(len(bytes.Runes(f.Raw)))
		g.files = append(g.files, f)
		g.diff = append(g.diff, f.Raw...)
	}
	return g
}

// counted leaves out a count of one, as git does.
func counted(start, count int) string {
	if count == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, count)
}
