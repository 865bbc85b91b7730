package secret

// turn is a way in which a whole text may be written. Turning one costs a copy and another search, so it is looked at first,
// as it is, for what a turned token would look like in it.
type turn struct {
	// marks are those of the shapes, turned, by the byte that they begin with.
	marks [256][]string
	// hex are the bytes that an encoding in hex consists of, turned.
	hex [256]bool
}

var (
	inRot13   = turnOf(rot13)
	backwards = turnOf(reversed)
)

func turnOf(turned func(string) string) *turn {
	t := &turn{}
	for _, s := range shapes {
		for _, mark := range s.marks {
			mark = turned(mark)
			t.marks[mark[0]] = append(t.marks[mark[0]], mark)
		}
	}
	for c, in := range inHex {
		if in {
			t.hex[turned(string([]byte{byte(c)}))[0]] = true
		}
	}
	return t
}

// may reports whether text, turned, may hold a token or an encoding of one. What base64 and base32 consist of is the same
// either way.
func (t *turn) may(text string) bool {
	return t.holdsMark(text) || holdsRun(text, base64Least, &inBase64) || holdsRun(text, hexLeast, &t.hex)
}

// holdsMark reports whether a token may begin somewhere in text, turned.
func (t *turn) holdsMark(text string) bool {
	for at := range len(text) {
		for _, mark := range t.marks[text[at]] {
			if len(mark) <= len(text)-at && beginsWith(text[at:], mark) {
				return true
			}
		}
	}
	return false
}

func holdsRun(text string, least int, set *[256]bool) bool {
	for range runs(text, least, set) {
		return true
	}
	return false
}
