package untrusted

import "strings"

// blocks follows the block structure of CommonMark over the lines that Render
// writes, as far as it decides where fenced code begins and ends: block quotes,
// list items, paragraphs (for their lazy lines) and fences. Sources: the
// CommonMark specification 0.31, appendix "A parsing strategy", and sections 4.5,
// 5.1 and 5.2. HTML blocks, tables, link reference and footnote definitions are
// left out because Render leaves none in its output.
type blocks struct {
	containers []container
	paragraph  bool // the last line was part of a paragraph that goes on
	fence      fence
}

// container is a block quote, or a list item that its lines are indented into.
type container struct {
	quote  bool
	indent int  // columns a line of the item begins with
	empty  bool // an item in which nothing has come yet
	quotes int  // block quotes up to here
}

// open puts a container into the innermost one.
func (b *blocks) open(c container) {
	if last := len(b.containers) - 1; last >= 0 {
		c.quotes = b.containers[last].quotes
	}
	if c.quote {
		c.quotes++
	}
	b.containers = append(b.containers, c)
}

// fence is the open fenced code; length is zero where there is none.
type fence struct {
	mark   byte
	length int
}

// role is what a line is to Render.
type role uint8

const (
	textLine role = iota
	fenceOpens
	fenceContent
	fenceCloses
)

// cursor walks over a line in bytes and columns; a tab goes to the next column
// that is a multiple of four, and may be taken in part. What it found once it does
// not look for again, so that a line costs its length however deep it nests.
type cursor struct {
	line       string
	at, column int // a tab taken in part is still at
	// textAt and textColumn are where the next other character than a blank stands.
	textAt, textColumn int
	noBreak            int // no thematic break begins before this place
}

func newCursor(line string) *cursor {
	c := &cursor{line: line}
	c.seek(0, 0)
	return c
}

// seek looks for the next character that is no blank.
func (c *cursor) seek(at, column int) {
	for ; at < len(c.line); at++ {
		switch c.line[at] {
		case ' ':
			column++
			continue
		case '\t':
			column += 4 - column%4
			continue
		}
		break
	}
	c.textAt, c.textColumn = at, column
}

// indent is the columns of blank before the next other character, and where
// that is.
func (c *cursor) indent() (columns, next int) { return c.textColumn - c.column, c.textAt }

// skip takes up to so many columns of blank.
func (c *cursor) skip(columns int) {
	for columns > 0 && c.at < c.textAt {
		width := 1
		if c.line[c.at] == '\t' {
			width = 4 - c.column%4
		}
		if width > columns {
			c.column += columns
			return
		}
		c.column += width
		columns -= width
		c.at++
	}
}

// jump goes over the blank, and so many characters after it.
func (c *cursor) jump(count int) {
	c.at, c.column = c.textAt+count, c.textColumn+count
	c.seek(c.at, c.column)
}

// isBreak reports whether the rest of the line is a thematic break.
func (c *cursor) isBreak() bool {
	mark := c.line[c.textAt]
	if c.textAt < c.noBreak || mark != '*' && mark != '-' && mark != '_' {
		return false
	}
	count := 0
	for i := c.textAt; i < len(c.line); i++ {
		switch c.line[i] {
		case mark:
			count++
		case ' ', '\t':
		default:
			c.noBreak = i
			return false
		}
	}
	return count >= 3
}

// deepest is how many containers one line may begin before a list item. The specification has no limit; newer cmark-gfm and
// comrak take the hundredth for text, and what looks like a fence in it too.
const deepest = 50

// read takes the next line, without its end, and says what it is. For a line
// that opens a fence, mark is the place of the fence in the line; for a line of
// text that would nest too deep, where the mark of a list is to be escaped.
func (b *blocks) read(line string) (what role, mark int) {
	c := newCursor(line)
	matched := b.match(c)
	all := matched == len(b.containers)
	if b.fence.length > 0 {
		if all {
			if b.closes(c) {
				b.fence = fence{}
				return fenceCloses, 0
			}
			return fenceContent, 0
		}
		b.containers, b.fence = b.containers[:matched], fence{}
		all = true
	}
	wasParagraph := b.paragraph
	started := false
	// A new block closes what the line did not continue.
	start := func() {
		if !started {
			b.containers = b.containers[:matched]
			started = true
		}
		b.paragraph = false
		if last := len(b.containers) - 1; last >= 0 {
			b.containers[last].empty = false // only the innermost can be
		}
	}
	for depth := 0; ; depth++ {
		columns, next := c.indent()
		if next == len(line) {
			if !started {
				b.containers = b.containers[:matched]
			}
			b.paragraph = false
			return textLine, 0
		}
		if columns > 3 {
			break
		}
		rest := line[next:]
		inParagraph := wasParagraph && all && !started
		if rest[0] == '>' {
			start()
			c.jump(1)
			c.skip(1)
			b.open(container{quote: true})
			continue
		}
		if isHeading(rest) {
			start()
			return textLine, 0
		}
		if opened, ok := opensFence(rest); ok {
			start()
			b.fence = opened
			return fenceOpens, next
		}
		if inParagraph && isUnderline(rest) || c.isBreak() {
			start()
			return textLine, 0
		}
		width, ok := listMarker(rest, inParagraph)
		if ok && depth >= deepest {
			mark, ok = next+width-1, false
		}
		if !ok {
			break
		}
		start()
		c.jump(width)
		spaces, after := c.indent()
		blank := after == len(line)
		if spaces >= 1 && spaces <= 4 && !blank {
			c.skip(spaces)
		} else {
			c.skip(1)
			spaces = 1
		}
		b.open(container{indent: columns + width + spaces, empty: blank})
	}
	if !started && !all && wasParagraph {
		return textLine, 0 // a lazy line: the paragraph and all around it go on
	}
	columns, _ := c.indent()
	goesOn := wasParagraph && all && !started
	start()
	b.paragraph = goesOn || columns <= 3
	return textLine, mark
}

// match moves over what continues the open containers and returns how many do.
func (b *blocks) match(c *cursor) int {
	last := len(b.containers) - 1
	for i, open := range b.containers {
		columns, next := c.indent()
		blank := next == len(c.line)
		if blank && !b.containers[last].empty && !open.quote && open.quotes == b.containers[last].quotes {
			break // list items alone are left: a blank line goes on in each
		}
		switch {
		case open.quote:
			if columns > 3 || blank || c.line[next] != '>' {
				return i
			}
			c.jump(1)
			c.skip(1)
		case columns >= open.indent:
			c.skip(open.indent)
		case blank && !open.empty:
			c.skip(columns)
		default:
			return i
		}
	}
	return len(b.containers)
}

func (b *blocks) closes(c *cursor) bool {
	columns, next := c.indent()
	rest := c.line[next:]
	length := countByte(rest, b.fence.mark)
	return columns <= 3 && length >= b.fence.length && strings.Trim(rest[length:], " \t") == ""
}

// countByte is how many of mark s begins with.
func countByte(s string, mark byte) int {
	n := 0
	for n < len(s) && s[n] == mark {
		n++
	}
	return n
}

func opensFence(s string) (fence, bool) {
	if s[0] != '`' && s[0] != '~' {
		return fence{}, false
	}
	run := countByte(s, s[0])
	return fence{mark: s[0], length: min(run, longestFence)}, run >= 3 && (s[0] == '~' || !strings.Contains(s[run:], "`"))
}

// longestFence is the most marks that cmark-gfm counts of a fence: as many close a longer one. Render writes no longer one,
// so that whoever counts further sees the same end.
const longestFence = 255

func isHeading(s string) bool {
	level := countByte(s, '#')
	return level >= 1 && level <= 6 && (level == len(s) || s[level] == ' ' || s[level] == '\t')
}

func isUnderline(s string) bool {
	return (s[0] == '=' || s[0] == '-') && strings.Trim(s[countByte(s, s[0]):], " \t") == ""
}

// listMarker returns the width of a list marker. Only an item with text, and
// numbered only from one, may interrupt a paragraph.
func listMarker(s string, inParagraph bool) (int, bool) {
	width := 0
	switch c := s[0]; {
	case c == '-' || c == '+' || c == '*':
		width = 1
	case c >= '0' && c <= '9':
		for width < len(s) && width < 9 && s[width] >= '0' && s[width] <= '9' {
			width++
		}
		if width == len(s) || s[width] != '.' && s[width] != ')' {
			return 0, false
		}
		if inParagraph && strings.TrimLeft(s[:width-1], "0") != "" || inParagraph && s[width-1] != '1' {
			return 0, false
		}
		width++
	default:
		return 0, false
	}
	if width < len(s) && s[width] != ' ' && s[width] != '\t' {
		return 0, false
	}
	if inParagraph && strings.Trim(s[width:], " \t") == "" {
		return 0, false
	}
	return width, true
}
