package facts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	gogithub "github.com/google/go-github/v66/github"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

const (
	diffMediaType = "application/vnd.github.diff"
	// diffLimit bounds a diff in bytes; GitHub makes none this large, so a larger one counts as too large.
	diffLimit = 64 << 20
	// filesLimit bounds one page of the files, each with its patch.
	filesLimit = 64 << 20
	// maxFiles is how many files GitHub lists of a pull request, filesPages how many pages that is.
	maxFiles   = 3000
	filesPages = maxFiles / 100
)

// rawContent is the diff and the files as GitHub served them between two looks at the pull request.
type rawContent struct {
	diff     []byte
	tooLarge bool
	files    []*gogithub.CommitFile
}

// readContent asks for the diff and all pages of the files.
func (r reader) readContent(ctx context.Context) (rawContent, error) {
	var content rawContent
	_, err := r.client.REST(ctx, "GET", r.pull(), nil, &content.diff, github.Accept(diffMediaType), github.Limit(diffLimit))
	switch github.ClassOf(err) {
	case github.ClassNotAcceptable, github.ClassTooLarge:
		content.tooLarge, content.diff = true, nil
	default:
		if err != nil {
			return content, err
		}
	}
	_, err = github.Pages(r.pull()+"/files", filesPages, func(path string) (*github.Response, error) {
		var page []*gogithub.CommitFile
		response, err := r.client.REST(ctx, "GET", path, nil, &page, github.Limit(filesLimit))
		content.files = append(content.files, page...)
		return response, err
	})
	return content, err
}

// describe makes facts of the raw content; they are usable, if incomplete, with an error too. changedFiles is the number of
// files that the pull request itself says it has.
func (r rawContent) describe(changedFiles int) (contract.Content, error) {
	content := contract.Content{
		Bytes: int64(len(r.diff)), Files: make([]contract.ContentFile, 0, len(r.files)), ID: contract.Digest(r.diff), State: contract.ContentText,
	}
	shown, fault := entriesOf(r.diff)
	visible := 0
	for _, file := range r.files {
		if file.GetFilename() == "" || !isCommit(file.GetSHA()) || !statusKnown(file.GetStatus()) {
			fault = github.Malformed("GET files of the pull request", "a file has no name, no full blob id or no known status")
			break
		}
		entry := contract.ContentFile{
			Blob: file.GetSHA(), Path: untrusted.New(file.GetFilename()), Status: file.GetStatus(), Visible: visibleIn(shown, file),
		}
		if previous := file.GetPreviousFilename(); previous != "" {
			text := untrusted.New(previous)
			entry.PreviousPath = &text
		}
		if entry.Visible {
			visible++
		}
		content.Files = append(content.Files, entry)
	}
	digest, err := contract.DigestOf(content.Files)
	if err != nil {
		return content, fmt.Errorf("digest the list of files: %w", err)
	}
	content.FilesDigest = digest
	switch {
	case r.tooLarge:
		content.State = contract.ContentTooLarge
	case len(r.diff) == 0 && len(r.files) == 0:
		content.State = contract.ContentAbsent
	case visible == 0:
		content.State = contract.ContentNotText
	}
	switch {
	case fault != nil:
	case r.tooLarge && len(r.files) == maxFiles && changedFiles > maxFiles:
		// GitHub lists no more of any change, so asking again would not help; a change that large is not reviewed anyway.
	case len(r.files) != changedFiles:
		fault = fmt.Errorf("the list of files has %d of %d", len(r.files), changedFiles)
	default:
		fault = allListed(shown, content.Files)
	}
	return content, fault
}

// allListed holds that the list of files, whose digest stands for the content, covers what the diff shows. A name that is not
// UTF-8 is written in another way in the list: its file is there, and not visible.
func allListed(entries map[string][]shown, files []contract.ContentFile) error {
	listed := make(map[string]bool, len(files))
	for _, file := range files {
		listed[file.Path.Raw()] = true
	}
	for path := range entries {
		if !listed[path] && utf8.ValidString(path) {
			return errors.New("the diff shows a file that the list of files does not have")
		}
	}
	return nil
}

func statusKnown(status string) bool {
	switch status {
	case "added", "removed", "modified", "renamed", "copied", "changed", "unchanged":
		return true
	}
	return false
}

// entriesOf reads the diff's entries by path. A file that becomes a symbolic link has two.
func entriesOf(text []byte) (map[string][]shown, error) {
	entries := map[string][]shown{}
	err := diff.Scan(bytes.NewReader(text), int64(len(text)), func(file diff.File) error {
		entries[file.Path()] = append(entries[file.Path()], shownBy(file))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the diff: %w", err)
	}
	return entries, nil
}
