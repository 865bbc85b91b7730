package diff

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrNotDiff says that the input does not begin with a file header of git.
var ErrNotDiff = errors.New("not a diff: it does not begin with `diff --`")

// bufferSize is what the scanner reads at once, and the most it looks at of a
// line outside a hunk. No path that git or GitHub takes comes near it.
const bufferSize = 256 << 10

// Scanner reads a diff file by file. The memory it holds is its buffer and the
// bytes of one file within the limit given to Next.
type Scanner struct {
	source io.Reader
	buffer []byte
	read   int // buffer[read:filled] is still to be looked at
	filled int
	ended  bool // source has no more
	inLine bool // the byte at read continues a line that was begun
	begun  bool
	err    error

	machine machine
	raw     []byte
	keeping bool
	count   runeCounter
}

// NewScanner reads from source. An empty input is a diff of no files.
func NewScanner(source io.Reader) *Scanner {
	return &Scanner{source: source, buffer: make([]byte, bufferSize)}
}

// Next reads the next file, and keeps its bytes where it has at most limit
// characters. It returns false at the end and at the first error, which Err
// then tells. The limit may differ from call to call: a caller with a budget
// gives what is left of it.
func (s *Scanner) Next(limit int64) bool {
	if s.err != nil {
		return false
	}
	line, ok := s.line()
	if !ok {
		return false
	}
	if !s.begun {
		s.begun = true
		if !startsFile(line) {
			s.err = ErrNotDiff
			return false
		}
	}
	s.raw, s.keeping = s.raw[:0], true
	s.machine.begin(line, line[len(line)-1] == '\n' || s.ended)
	from := s.read
	s.pass(line)
	for {
		if s.read == s.filled {
			s.take(s.buffer[from:s.read], limit)
			s.fill()
			from = s.read
			if s.err != nil {
				return false
			}
			if s.read == s.filled {
				break
			}
		}
		if s.inLine { // the rest of a line longer than the buffer
			s.pass(upToNewline(s.buffer[s.read:s.filled]))
			continue
		}
		line := upToNewline(s.buffer[s.read:s.filled])
		if line[len(line)-1] != '\n' && !s.ended && s.read > 0 {
			// Cut by the end of the buffer: look again with the buffer moved up.
			s.take(s.buffer[from:s.read], limit)
			s.fill()
			from = s.read
			if s.err != nil {
				return false
			}
			continue
		}
		if s.machine.inside() {
			if _, ok := s.machine.hunkStep(line); ok {
				s.pass(line)
				continue
			}
		}
		if startsFile(line) {
			break
		}
		s.machine.step(line, line[len(line)-1] == '\n' || s.ended)
		s.pass(line)
	}
	s.take(s.buffer[from:s.read], limit)
	s.machine.finish()
	if s.keeping {
		s.machine.file.Raw = s.raw
		if s.raw == nil {
			s.machine.file.Raw = []byte{}
		}
	}
	return true
}

// File is what the last successful Next read.
func (s *Scanner) File() File { return s.machine.file }

// Err is what ended the scan early: ErrNotDiff or an error of the source. It is
// nil after a whole diff.
func (s *Scanner) Err() error { return s.err }

// Scan calls visit for every file of source in order; limit is as for
// Scanner.Next. An error of visit ends the scan and is returned as it is.
func Scan(source io.Reader, limit int64, visit func(File) error) error {
	scanner := NewScanner(source)
	for scanner.Next(limit) {
		if err := visit(scanner.File()); err != nil {
			return err
		}
	}
	return scanner.Err()
}

// line is the first line of the buffer, filled as far as it can be; it is cut
// only where it is longer than the buffer. False at the end of the input.
func (s *Scanner) line() ([]byte, bool) {
	line := upToNewline(s.buffer[s.read:s.filled])
	if len(line) == 0 || line[len(line)-1] != '\n' {
		s.fill()
		line = upToNewline(s.buffer[s.read:s.filled])
	}
	return line, len(line) > 0 && s.err == nil
}

func upToNewline(b []byte) []byte {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i+1]
	}
	return b
}

// pass moves over line, which stands at read.
func (s *Scanner) pass(line []byte) {
	s.read += len(line)
	s.inLine = line[len(line)-1] != '\n'
}

// fill moves what is unread to the front and reads until the buffer is full or
// the source ends.
func (s *Scanner) fill() {
	s.filled = copy(s.buffer, s.buffer[s.read:s.filled])
	s.read = 0
	for empty := 0; !s.ended && s.filled < len(s.buffer); {
		n, err := s.source.Read(s.buffer[s.filled:])
		s.filled += n
		switch {
		case err == io.EOF:
			s.ended = true
		case err != nil:
			s.err = fmt.Errorf("read diff: %w", err)
			return
		case n == 0:
			if empty++; empty == 100 {
				s.err = fmt.Errorf("read diff: %w", io.ErrNoProgress)
				return
			}
		}
	}
}
