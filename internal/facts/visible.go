package facts

import (
	"bytes"

	gogithub "github.com/google/go-github/v66/github"

	"github.com/seed-2ea642bd/airlock/internal/diff"
)

// shown is what one entry of the diff lets a reader see.
type shown struct {
	// lines: it has hunks, and they are the file's content.
	lines bool
	// hides: it stands for content that it does not show.
	hides bool
	// exact: it says that the content did not change at all.
	exact bool
}

// emptyBlob is the id of the file without content, in every repository that names blobs by sha1.
const emptyBlob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

// shownBy reads an entry. A pointer to a large file is lines of text that say where the content is; a NUL byte is there
// because git takes a file for text whose first one comes late, while a reader of text may stop at it.
func shownBy(file diff.File) shown {
	return shown{
		lines: file.Hunks > 0,
		hides: file.Binary || file.ModeOnly || file.Submodule || file.Malformed || modeChanged(file) ||
			bytes.IndexByte(file.Raw, 0) >= 0 || pointsElsewhere(file.Raw),
		exact: file.Hunks == 0 && bytes.Contains(file.Raw, []byte("\nsimilarity index 100%\n")),
	}
}

// modeChanged: both sides exist and their modes differ. A file that became executable is not shown by its lines.
func modeChanged(file diff.File) bool {
	return file.OldMode != "" && file.NewMode != "" && file.OldMode != file.NewMode
}

// pointsElsewhere recognises the first line of a Git LFS pointer on any line of a hunk.
func pointsElsewhere(raw []byte) bool {
	for _, sign := range []string{"+", "-", " "} {
		if bytes.Contains(raw, []byte("\n"+sign+"version https://git-lfs.github.com/spec/")) {
			return true
		}
	}
	return false
}

// visibleIn reports whether the diff shows the content of a listed file: every entry of it shows lines and hides nothing,
// and the files API has its patch too. A file moved without any change and a file without content hide nothing either.
// A file that the diff has no entry for is not visible.
func visibleIn(entries map[string][]shown, file *gogithub.CommitFile) bool {
	of := entries[file.GetFilename()]
	if len(of) == 0 {
		return false
	}
	for _, entry := range of {
		switch {
		case entry.hides:
			return false
		case entry.lines && file.GetPatch() != "":
		case entry.exact && file.GetChanges() == 0:
		case !entry.lines && file.GetSHA() == emptyBlob:
		default:
			return false
		}
	}
	return true
}
