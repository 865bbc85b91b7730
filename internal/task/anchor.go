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

// anchorWatch passes a diff on and notes which anchored lines are in it: those of Findings on the right among the lines
// after the change, those on the left among the lines before it, in any file and at any number.
//
// It goes by each line's first character alone, so the `---` and `+++` lines of a file's header count as lines too. A
// Finding on a line that reads like one is then said to be present, which asks the model for more evidence, not less.
type anchorWatch struct {
	source io.Reader
	wanted map[string]*sides // by anchor
	// sign is the first character of the line being read, 0 before it; partial holds the digest of what was read of a
	// line that goes on in the next piece.
	sign    byte
	partial hash.Hash
}

type sides struct{ left, right bool }

func newAnchorWatch(source io.Reader, findings []ledger.Finding) *anchorWatch {
	w := &anchorWatch{source: source, wanted: map[string]*sides{}}
	for _, f := range findings {
		if f.HasAnchor() {
			w.wanted[f.Anchor] = &sides{}
		}
	}
	return w
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
		if err == io.EOF && w.partial != nil {
			w.endLine()
		}
	}
	return n, err
}

func (w *anchorWatch) look(piece []byte) {
	for len(piece) > 0 {
		line, rest := piece, []byte(nil)
		end := bytes.IndexByte(piece, '\n')
		if end >= 0 {
			line, rest = piece[:end], piece[end+1:]
		}
		switch {
		case w.partial != nil: // the line was begun in an earlier piece
			w.partial.Write(line)
			if end >= 0 {
				w.endLine()
			}
		case end >= 0:
			if sign, text := signed(line); w.looksAt(sign) {
				sum := sha256.Sum256(text)
				w.note(sign, sum[:])
			}
		default:
			var text []byte
			w.sign, text = signed(line)
			w.partial = sha256.New()
			w.partial.Write(text)
		}
		piece = rest
	}
}

func (w *anchorWatch) endLine() {
	w.note(w.sign, w.partial.Sum(nil))
	w.partial = nil
}

// signed takes a line without its end apart. Of an empty context line some tools drop even the space.
func signed(line []byte) (byte, []byte) {
	if len(line) == 0 {
		return ' ', nil
	}
	return line[0], line[1:]
}

func (w *anchorWatch) looksAt(sign byte) bool { return sign == ' ' || sign == '+' || sign == '-' }

func (w *anchorWatch) note(sign byte, sum []byte) {
	if !w.looksAt(sign) {
		return
	}
	var anchor [32]byte
	hex.Encode(anchor[:], sum[:16])
	if seen := w.wanted[string(anchor[:])]; seen != nil {
		seen.left = seen.left || sign != '+'
		seen.right = seen.right || sign != '-'
	}
}
