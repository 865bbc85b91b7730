package diff

import (
	"encoding/binary"
	"unicode/utf8"
)

// take accounts for chunk, the next bytes of the current file.
func (s *Scanner) take(chunk []byte, limit int64) {
	f := &s.machine.file
	f.Bytes += int64(len(chunk))
	f.Characters += s.count.add(chunk)
	if s.keeping && f.Characters <= limit {
		s.raw = append(s.raw, chunk...)
	} else {
		s.keeping = false
	}
}

// runeCounter counts characters of a text that comes in pieces. A file ends with a
// newline, or the diff does, so nothing is carried from one file to the next.
type runeCounter struct {
	// cut is the start of a character that the last piece ended in. It was
	// counted as one character a byte, as it stays if nothing completes it.
	cut []byte
	arr [utf8.UTFMax]byte
}

// add returns what piece adds to the count; it is negative where piece completes
// a character whose first bytes were counted one by one.
func (c *runeCounter) add(piece []byte) int64 {
	var total int64
	for len(c.cut) > 0 && len(piece) > 0 {
		joined := append(c.arr[:len(c.cut)], piece[0])
		before := int64(len(c.cut))
		switch {
		case utf8.FullRune(joined):
			r, size := utf8.DecodeRune(joined)
			if r == utf8.RuneError && size == 1 {
				// Not completed. The bytes held stay counted one by one, and
				// piece begins a character of its own.
				c.cut = nil
			} else {
				total += 1 - before
				piece = piece[1:]
				c.cut = nil
			}
		default:
			total++
			c.cut = joined
			piece = piece[1:]
		}
	}
	if len(piece) == 0 {
		return total
	}
	total += int64(countCharacters(piece))
	for back := 1; back < utf8.UTFMax && back <= len(piece); back++ {
		tail := piece[len(piece)-back:]
		if utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				c.cut = c.arr[:copy(c.arr[:], tail)]
			}
			break
		}
	}
	return total
}

const highBits = 0x8080808080808080

// countCharacters is utf8.RuneCount with a fast way over ASCII.
func countCharacters(b []byte) int {
	total := 0
	for len(b) >= 32 {
		if (binary.LittleEndian.Uint64(b)|binary.LittleEndian.Uint64(b[8:])|
			binary.LittleEndian.Uint64(b[16:])|binary.LittleEndian.Uint64(b[24:]))&highBits == 0 {
			total += 32
			b = b[32:]
			continue
		}
		// The character that straddles the end of the block is counted whole.
		i := 0
		for i < 32 {
			if b[i] < utf8.RuneSelf {
				i++
			} else {
				_, size := utf8.DecodeRune(b[i:])
				i += size
			}
			total++
		}
		b = b[i:]
	}
	return total + utf8.RuneCount(b)
}
