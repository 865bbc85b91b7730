package task

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
)

// anchorWatch passes a diff on and notes which anchored lines are in it, at any number: of a Finding on the right among the
// lines after the change, of one on the left among the lines before it, in the files whose header names the Finding's file,
// so that a rename is followed and a `}` elsewhere is not the line.
//
// It goes by the first characters of each line. No line of a hunk begins with `diff --git`, and the `---` and `+++` lines
// of a header count as lines: a Finding on one that reads the same is said to be present, which misleads nobody who reads on.
type anchorWatch struct {
	source io.Reader
	wanted map[string]*sides // by anchor
	// paths are the Findings' files; everywhere is set where git may write one of them in another way.
	paths      [][]byte
	everywhere bool

	watching bool // the current file is one of them
	// begun is the first character of a line that goes on in the next piece, digest its text so far, or header where it
	// is the first line of a file.
	begun  byte
	digest hash.Hash
	header []byte
}

type sides struct{ left, right bool }

const (
	fileHeader = "diff --git "
	// longestHeader bounds what is kept of a file's first line; a longer one is taken for any file's.
	longestHeader = 64 << 10
)

func newAnchorWatch(source io.Reader, findings []ledger.Finding) *anchorWatch {
	w := &anchorWatch{source: source, wanted: map[string]*sides{}}
	for _, f := range findings {
		if !f.HasAnchor() {
			continue
		}
		w.wanted[f.Anchor] = &sides{}
		if f.Path == nil || !plainName(f.Path.Raw()) {
			w.everywhere = true
			continue
		}
		w.paths = append(w.paths, []byte(f.Path.Raw()))
	}
	return w
}

// plainName reports whether git writes a path as it is, and not between quotes with escapes.
func plainName(path string) bool {
	for i := 0; i < len(path); i++ {
		if c := path[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return path != ""
}

// present answers for the whole diff once it was read; nil where the Finding has no anchor.
func (w *anchorWatch) present(f ledger.Finding) *bool {
	seen := w.wanted[f.Anchor]
	if seen == nil {
		return nil
	}
	present := seen.right
	switch {
	case f.Side == nil:
		present = seen.left || seen.right
	case *f.Side == contract.Left:
		present = seen.left
	}
	return &present
}

// Read implements io.Reader.
func (w *anchorWatch) Read(p []byte) (int, error) {
	n, err := w.source.Read(p)
	if len(w.wanted) > 0 {
		w.look(p[:n])
		if err == io.EOF && w.begun != 0 {
			w.look([]byte("\n"))
		}
	}
	return n, err
}

func (w *anchorWatch) look(piece []byte) {
	for len(piece) > 0 {
		line, rest, ended := bytes.Cut(piece, []byte("\n"))
		switch {
		case w.begun == 0 && ended:
			w.line(line)
		case w.begun == 0:
			w.begin(line)
		default:
			w.goOn(line, ended)
		}
		piece = rest
	}
}

func (w *anchorWatch) line(line []byte) {
	if len(line) == 0 || line[0] == 'd' {
		w.file(line)
	} else if w.watching && isSide(line[0]) {
		sum := sha256.Sum256(line[1:])
		w.note(line[0], sum[:])
	}
}

func (w *anchorWatch) file(line []byte) {
	if !bytes.HasPrefix(line, []byte(fileHeader)) {
		return
	}
	w.watching = w.everywhere || len(line) >= longestHeader
	for _, path := range w.paths {
		w.watching = w.watching || bytes.Contains(line, path)
	}
}

func (w *anchorWatch) begin(line []byte) {
	w.begun = line[0]
	switch {
	case w.begun == 'd':
		w.header = append(w.header[:0], line[:min(len(line), longestHeader)]...)
	case w.watching && isSide(w.begun):
		w.digest = sha256.New()
		w.digest.Write(line[1:])
	}
}

func (w *anchorWatch) goOn(line []byte, ended bool) {
	switch {
	case w.begun == 'd':
		w.header = append(w.header, line[:min(len(line), longestHeader-len(w.header))]...)
		if ended {
			w.file(w.header)
		}
	case w.digest != nil:
		w.digest.Write(line)
		if ended {
			w.note(w.begun, w.digest.Sum(nil))
		}
	}
	if ended {
		w.begun, w.digest = 0, nil
	}
}

func isSide(sign byte) bool { return sign == ' ' || sign == '+' || sign == '-' }

func (w *anchorWatch) note(sign byte, sum []byte) {
	var anchor [32]byte
	hex.Encode(anchor[:], sum[:16])
	if seen := w.wanted[string(anchor[:])]; seen != nil {
		seen.left = seen.left || sign != '+'
		seen.right = seen.right || sign != '-'
	}
}
