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
// that is a multiple of four, and may be taken in part.
type cursor struct {
	line        string
	at, column  int
	partialSpan int // columns left of a tab that was taken in part
}

// indent is the columns of blank before the next other character, and where
// that is.
func (c *cursor) indent() (columns, next int) {
	column := c.column
	next = c.at
	if c.partialSpan > 0 {
		column += c.partialSpan
		next++
	}
	for ; next < len(c.line); next++ {
		switch c.line[next] {
		case ' ':
			column++
			continue
		case '\t':
			column += 4 - column%4
			continue
		}
		break
	}
	return column - c.column, next
}

// skip takes up to so many columns of blank.
func (c *cursor) skip(columns int) {
	for columns > 0 && c.at < len(c.line) {
		width := 1
		switch c.line[c.at] {
		case ' ':
		case '\t':
			if width = c.partialSpan; width == 0 {
				width = 4 - c.column%4
			}
		default:
			return
		}
		if width > columns {
			c.column += columns
			c.partialSpan = width - columns
			return
		}
		c.partialSpan = 0
		c.column += width
		columns -= width
		c.at++
	}
}

// jump goes to a place that is not inside a tab, over blank and count others.
func (c *cursor) jump(columns, next, count int) {
	c.column += columns + count
	c.at = next + count
	c.partialSpan = 0
}

// read takes the next line, without its end, and says what it is. For a line
// that opens a fence, mark is the place of the fence in the line.
func (b *blocks) read(line string) (what role, mark int) {
	c := cursor{line: line}
	matched := b.match(&c)
	all := matched == len(b.containers)
	if b.fence.length > 0 {
		if all {
			if b.closes(&c) {
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
		for i := range b.containers {
			b.containers[i].empty = false
		}
	}
	for {
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
			c.jump(columns, next, 1)
			c.skip(1)
			b.containers = append(b.containers, container{quote: true})
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
		if inParagraph && isUnderline(rest) || isBreak(rest) {
			start()
			return textLine, 0
		}
		width, ok := listMarker(rest, inParagraph)
		if !ok {
			break
		}
		start()
		c.jump(columns, next, width)
		spaces, after := c.indent()
		blank := after == len(line)
		if spaces >= 1 && spaces <= 4 && !blank {
			c.skip(spaces)
		} else {
			c.skip(1)
			spaces = 1
		}
		b.containers = append(b.containers, container{indent: columns + width + spaces, empty: blank})
	}
	if !started && !all && wasParagraph {
		return textLine, 0 // a lazy line: the paragraph and all around it go on
	}
	columns, _ := c.indent()
	goesOn := wasParagraph && all && !started
	start()
	b.paragraph = goesOn || columns <= 3
	return textLine, 0
}

// match moves over what continues the open containers and returns how many do.
func (b *blocks) match(c *cursor) int {
	for i, open := range b.containers {
		columns, next := c.indent()
		switch blank := next == len(c.line); {
		case open.quote:
			if columns > 3 || blank || c.line[next] != '>' {
				return i
			}
			c.jump(columns, next, 1)
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
	f := fence{mark: s[0], length: countByte(s, s[0])}
	return f, f.length >= 3 && (f.mark == '~' || !strings.Contains(s[f.length:], "`"))
}

func isHeading(s string) bool {
	level := countByte(s, '#')
	return level >= 1 && level <= 6 && (level == len(s) || s[level] == ' ' || s[level] == '\t')
}

func isUnderline(s string) bool {
	return (s[0] == '=' || s[0] == '-') && strings.Trim(s[countByte(s, s[0]):], " \t") == ""
}

func isBreak(s string) bool {
	if s[0] != '*' && s[0] != '-' && s[0] != '_' {
		return false
	}
	count := 0
	for i := range len(s) {
		switch s[i] {
		case s[0]:
			count++
		case ' ', '\t':
		default:
			return false
		}
	}
	return count >= 3
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
