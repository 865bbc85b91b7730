package checks

import (
	"errors"
	"fmt"
	"strings"
)

// maxExpressionDepth bounds the nesting of one expression.
const maxExpressionDepth = 64

// operator names what an expression node does with its operands.
type operator int

const (
	opLiteral operator = iota // value holds the literal's text
	opContext                 // context holds the reference
	opNot                     // operands: one
	opAnd                     // operands: two
	opOr                      // operands: two
	opCompare                 // operands: two
	opCall                    // value holds the function's name in lower case; operands: its arguments
	opIndex                   // operands: what is indexed, which is no plain reference, and the index
)

// expression is one node of a parsed ${{ }}.
type expression struct {
	operator operator
	value    string
	isText   bool // a literal that is a string
	context  reference
	operands []*expression
}

// computed stands in a reference's path for an index that is not a literal, and every for the filter *.
const (
	computed = "?"
	every    = "*"
)

// reference is a context with the properties that are read from it, all in lower case as the runner compares them.
// Property names are kept as written beside, because a message names them.
type reference struct {
	context string
	path    []string
	written []string
	offset  int // where it begins, in bytes of the scalar's value
}

// is reports whether the reference is exactly the context and the properties.
func (r reference) is(context string, path ...string) bool {
	return len(r.path) == len(path) && r.under(context, path...)
}

// may reports whether the reference begins with the context and the properties, or may for all that its computed
// properties say.
func (r reference) may(context string, path ...string) bool {
	if r.context != context || len(r.path) < len(path) {
		return false
	}
	for i, name := range path {
		if r.path[i] != name && r.path[i] != computed && r.path[i] != every {
			return false
		}
	}
	return true
}

// under reports whether the reference begins with the context and the properties.
func (r reference) under(context string, path ...string) bool {
	if r.context != context || len(r.path) < len(path) {
		return false
	}
	for i, name := range path {
		if r.path[i] != name {
			return false
		}
	}
	return true
}

func (r reference) String() string {
	return strings.Join(append([]string{r.context}, r.written...), ".")
}

// held lists the references whose value an expression can yield: both sides of ||, the right side of &&, the arguments
// of functions that pass their arguments on. What is only compared, negated or tested is not held.
func (e *expression) held() []reference {
	if e == nil {
		return nil
	}
	switch e.operator {
	case opContext:
		return []reference{e.context}
	case opAnd:
		return e.operands[1].held()
	case opOr, opIndex:
		return append(e.operands[0].held(), e.operands[1].held()...)
	case opCall:
		var references []reference
		for i, operand := range e.operands {
			if !isTest(e.value, i, len(e.operands)) {
				references = append(references, operand.held()...)
			}
		}
		return references
	}
	return nil
}

// isTest reports whether a function only looks at its argument. A function that is not known passes its arguments on.
func isTest(function string, argument, count int) bool {
	switch function {
	case "contains", "startswith", "endswith", "hashfiles", "success", "failure", "cancelled", "always":
		return true
	case "case": // case(test, value, test, value, default)
		return argument%2 == 0 && argument != count-1
	}
	return false
}

// mentions lists every reference in an expression, however it is used.
func (e *expression) mentions() []reference {
	if e == nil {
		return nil
	}
	if e.operator == opContext {
		return []reference{e.context}
	}
	var references []reference
	for _, operand := range e.operands {
		references = append(references, operand.mentions()...)
	}
	return references
}

// alternatives counts the references an expression falls back over.
func (e *expression) alternatives() int { return len(e.held()) }

// folded is the text that an expression yields as far as the expression itself says it; "?" stands for the rest.
func (e *expression) folded() string {
	switch {
	case e.operator == opLiteral:
		return e.value
	case e.operator == opCall && e.value == "format" && len(e.operands) > 0:
		text := e.operands[0].folded()
		for i, operand := range e.operands[1:] {
			text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", i), operand.folded())
		}
		return text
	}
	return "?"
}

// conjuncts splits an expression at its outermost &&.
func (e *expression) conjuncts() []*expression {
	if e != nil && e.operator == opAnd {
		return append(e.operands[0].conjuncts(), e.operands[1].conjuncts()...)
	}
	return []*expression{e}
}

// String prints an expression in one form, so that two that mean the same by their structure compare equal.
func (e *expression) String() string {
	var parts []string
	for _, operand := range e.operands {
		parts = append(parts, operand.String())
	}
	switch e.operator {
	case opContext:
		return strings.Join(append([]string{e.context.context}, e.context.path...), ".")
	case opNot:
		return "!" + parts[0]
	case opAnd:
		return "(" + parts[0] + " && " + parts[1] + ")"
	case opOr:
		return "(" + parts[0] + " || " + parts[1] + ")"
	case opCompare:
		return "(" + parts[0] + " " + e.value + " " + parts[1] + ")"
	case opCall:
		return e.value + "(" + strings.Join(parts, ", ") + ")"
	case opIndex:
		return parts[0] + "[" + parts[1] + "]"
	}
	if e.isText {
		return "'" + e.value + "'"
	}
	return e.value
}

// embedded is one ${{ }} in a scalar.
type embedded struct {
	start, end int // of the whole ${{ }}, in bytes of the scalar's value
	expression *expression
}

var errUnterminated = errors.New("a ${{ is not closed")

// parseEmbedded finds and parses every ${{ }} of a text.
func parseEmbedded(text string) ([]embedded, error) {
	var found []embedded
	for at := 0; ; {
		begin := strings.Index(text[at:], "${{")
		if begin < 0 {
			return found, nil
		}
		begin += at
		end := closing(text, begin+3)
		if end < 0 {
			return found, errUnterminated
		}
		parsed, err := parseExpression(text[begin+3:end], begin+3)
		if err != nil {
			return found, err
		}
		found = append(found, embedded{start: begin, end: end + 2, expression: parsed})
		at = end + 2
	}
}

// closing finds the }} that ends an expression: the first one outside a string.
func closing(text string, at int) int {
	quoted := false
	for ; at < len(text); at++ {
		switch {
		case text[at] == '\'':
			quoted = !quoted
		case !quoted && strings.HasPrefix(text[at:], "}}"):
			return at
		}
	}
	return -1
}

// parseExpression parses the inside of a ${{ }}. base is where it begins in the scalar.
func parseExpression(text string, base int) (*expression, error) {
	p := &parser{text: text, base: base}
	p.space()
	e, err := p.or(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(p.text) {
		return nil, fmt.Errorf("an expression has %q where it should end", rest(p.text[p.at:]))
	}
	return e, nil
}

func rest(text string) string {
	if len(text) > 16 {
		return text[:16] + "…"
	}
	return text
}

type parser struct {
	text string
	at   int
	base int
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) accept(token string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *parser) or(depth int) (*expression, error) {
	return p.chain(depth, opOr, "||", func(d int) (*expression, error) {
		return p.chain(d, opAnd, "&&", p.compare)
	})
}

// chain parses operands joined by one operator, grouping to the left.
func (p *parser) chain(depth int, op operator, token string, operand func(int) (*expression, error)) (*expression, error) {
	if depth > maxExpressionDepth {
		return nil, fmt.Errorf("an expression nests deeper than %d", maxExpressionDepth)
	}
	left, err := operand(depth + 1)
	for err == nil && p.accept(token) {
		var right *expression
		if right, err = operand(depth + 1); err == nil {
			left = &expression{operator: op, operands: []*expression{left, right}}
		}
	}
	return left, err
}

func (p *parser) compare(depth int) (*expression, error) {
	left, err := p.unary(depth)
	if err != nil {
		return nil, err
	}
	for {
		token := ""
		for _, candidate := range []string{"==", "!=", "<=", ">=", "<", ">"} {
			if p.accept(candidate) {
				token = candidate
				break
			}
		}
		if token == "" {
			return left, nil
		}
		right, err := p.unary(depth)
		if err != nil {
			return nil, err
		}
		left = &expression{operator: opCompare, value: token, operands: []*expression{left, right}}
	}
}

func (p *parser) unary(depth int) (*expression, error) {
	if depth > maxExpressionDepth {
		return nil, fmt.Errorf("an expression nests deeper than %d", maxExpressionDepth)
	}
	p.space()
	if p.at < len(p.text) && p.text[p.at] == '!' && !strings.HasPrefix(p.text[p.at:], "!=") {
		p.at++
		operand, err := p.unary(depth + 1)
		if err != nil {
			return nil, err
		}
		return &expression{operator: opNot, operands: []*expression{operand}}, nil
	}
	return p.postfix(depth)
}

func (p *parser) postfix(depth int) (*expression, error) {
	e, err := p.primary(depth)
	if err != nil {
		return nil, err
	}
	for {
		switch {
		case p.accept("."):
			p.space()
			name := every
			if p.at < len(p.text) && p.text[p.at] == '*' {
				p.at++
			} else if name = p.name(); name == "" {
				return nil, fmt.Errorf("an expression has no property name before %q", rest(p.text[p.at:]))
			}
			e = e.property(name)
		case p.accept("["):
			if p.accept("*") {
				if !p.accept("]") {
					return nil, errors.New("an expression has an index that is not closed")
				}
				e = e.property(every)
				continue
			}
			index, err := p.or(depth + 1)
			if err != nil {
				return nil, err
			}
			if !p.accept("]") {
				return nil, errors.New("an expression has an index that is not closed")
			}
			switch {
			case e.operator != opContext:
				e = &expression{operator: opIndex, operands: []*expression{e, index}}
			case index.operator == opLiteral:
				e = e.property(index.value)
			default:
				// The index itself is mentioned, and not held: only what it selects is.
				selected := e.property(computed)
				e = &expression{operator: opAnd, operands: []*expression{index, selected}}
			}
		default:
			return e, nil
		}
	}
}

// property reads one more property of a reference. On anything else it changes nothing: what is held stays held.
func (e *expression) property(name string) *expression {
	if e.operator != opContext {
		return e
	}
	r := e.context
	r.path = append(append([]string(nil), r.path...), strings.ToLower(name))
	r.written = append(append([]string(nil), r.written...), name)
	return &expression{operator: opContext, context: r}
}

func (p *parser) primary(depth int) (*expression, error) {
	p.space()
	if p.at >= len(p.text) {
		return nil, errors.New("an expression ends where a value is wanted")
	}
	start := p.at
	switch c := p.text[p.at]; {
	case c == '(':
		p.at++
		e, err := p.or(depth + 1)
		if err != nil {
			return nil, err
		}
		if !p.accept(")") {
			return nil, errors.New("an expression has a ( that is not closed")
		}
		return e, nil
	case c == '\'':
		return p.quoted()
	case c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.':
		for p.at++; p.at < len(p.text) && isNumberByte(p.text[p.at]); p.at++ {
		}
		return &expression{operator: opLiteral, value: p.text[start:p.at]}, nil
	}
	name := p.name()
	if name == "" {
		return nil, fmt.Errorf("an expression has %q where a value is wanted", rest(p.text[p.at:]))
	}
	lower := strings.ToLower(name)
	if p.accept("(") {
		return p.call(lower, depth)
	}
	switch lower {
	case "true", "false", "null", "nan", "infinity":
		return &expression{operator: opLiteral, value: lower}, nil
	}
	return &expression{operator: opContext, context: reference{context: lower, offset: p.base + start}}, nil
}

func (p *parser) call(function string, depth int) (*expression, error) {
	e := &expression{operator: opCall, value: function}
	if p.accept(")") {
		return e, nil
	}
	for {
		argument, err := p.or(depth + 1)
		if err != nil {
			return nil, err
		}
		e.operands = append(e.operands, argument)
		if p.accept(")") {
			return e, nil
		}
		if !p.accept(",") {
			return nil, fmt.Errorf("an expression calls %s and does not close the call", function)
		}
	}
}

func (p *parser) quoted() (*expression, error) {
	var value strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		if p.text[p.at] != '\'' {
			value.WriteByte(p.text[p.at])
			continue
		}
		if p.at+1 < len(p.text) && p.text[p.at+1] == '\'' {
			value.WriteByte('\'')
			p.at++
			continue
		}
		p.at++
		return &expression{operator: opLiteral, value: value.String(), isText: true}, nil
	}
	return nil, errors.New("an expression has a string that is not closed")
}

func (p *parser) name() string {
	start := p.at
	for p.at < len(p.text) && isNameByte(p.text[p.at], p.at > start) {
		p.at++
	}
	return p.text[start:p.at]
}

func isNameByte(c byte, inside bool) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || inside && (c == '-' || c >= '0' && c <= '9')
}

func isNumberByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' || strings.IndexByte("xXoO.+-", c) >= 0
}
