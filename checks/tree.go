package checks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Bounds of one file. Beyond them a file is not understood: nobody writes such a workflow by hand.
const (
	maxFileBytes = 1 << 20
	maxDepth     = 64
	maxNodes     = 50_000
)

// nodeKind is the kind of a node of the tree.
type nodeKind int

const (
	scalarNode nodeKind = iota
	mappingNode
	sequenceNode
)

// node is one YAML value with every alias already replaced by what it stands for. Line and column are 1-based; those of
// an aliased value are where it is written, which is where a reader has to change it.
type node struct {
	file    *file
	kind    nodeKind
	value   string
	isNull  bool
	literal bool // a block scalar written with |, whose lines stand in the source as they are
	quoted  bool
	line    int
	column  int
	entries []entry
	items   []*node
}

// entry is one key and its value in a mapping, in the order of the file.
type entry struct {
	key   *node
	value *node
}

// get returns the value of a key, or nil. It is safe on nil and on a node that is no mapping.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for _, e := range n.entries {
		if e.key.value == key {
			return e.value
		}
	}
	return nil
}

// getFold is get for names that the runner compares without case.
func (n *node) getFold(key string) *node {
	if n == nil {
		return nil
	}
	for _, e := range n.entries {
		if strings.EqualFold(e.key.value, key) {
			return e.value
		}
	}
	return nil
}

// text is the value of a scalar, and empty for anything else and for nil.
func (n *node) text() string {
	if n == nil || n.kind != scalarNode {
		return ""
	}
	return n.value
}

// is reports whether the node is a scalar that reads as the given word.
func (n *node) is(word string) bool { return n != nil && n.kind == scalarNode && n.value == word }

// strings lists the scalars of a sequence, or a single scalar.
func (n *node) strings() []string {
	if n == nil {
		return nil
	}
	if n.kind == scalarNode && !n.isNull {
		return []string{n.value}
	}
	var values []string
	for _, item := range n.items {
		values = append(values, item.text())
	}
	return values
}

// walk calls visit for the node and everything below it, keys included, in the order of the file.
func (n *node) walk(visit func(*node)) {
	if n == nil {
		return
	}
	visit(n)
	for _, e := range n.entries {
		visit(e.key)
		e.value.walk(visit)
	}
	for _, item := range n.items {
		item.walk(visit)
	}
}

// file is one YAML file: its bytes, its tree, and what could not be understood in it.
type file struct {
	path     string
	lines    []string
	root     *node
	problems []problem
}

// problem is one thing that could not be understood, at a place.
type problem struct {
	place   Place
	message string
}

func (f *file) problem(at *node, format string, arguments ...any) {
	place := Place{File: f.path, Line: 1, Column: 1, Label: "here"}
	if at != nil {
		place = at.place("here")
	}
	f.problems = append(f.problems, problem{place: place, message: fmt.Sprintf(format, arguments...)})
}

// place is where the node begins.
func (n *node) place(label string) Place {
	return Place{File: n.file.path, Line: n.line, Column: n.column, Label: label}
}

// placeAt is where a byte of a scalar's value stands in the source. Where the source does not hold the value as it is
// (folded text, escapes) it is the place of the scalar.
func (n *node) placeAt(offset int, label string) Place {
	place := n.place(label)
	if offset <= 0 || offset > len(n.value) {
		offset = max(0, min(offset, len(n.value)))
	}
	if n.literal {
		before := n.value[:offset]
		row := strings.Count(before, "\n")
		column := offset - (strings.LastIndexByte(before, '\n') + 1)
		line, _, _ := strings.Cut(n.value[offset-column:], "\n")
		at := n.line + 1 + row
		if at-1 < len(n.file.lines) {
			source := strings.TrimSuffix(n.file.lines[at-1], "\r")
			if indent := strings.Index(source, line); indent >= 0 && strings.TrimSpace(source[:indent]) == "" {
				place.Line, place.Column = at, indent+column+1
			}
		}
		return place
	}
	if n.line-1 < len(n.file.lines) {
		source, start := n.file.lines[n.line-1], n.column-1
		if n.quoted {
			start++
		}
		if start <= len(source) && strings.HasPrefix(source[start:], n.value) {
			place.Column = start + offset + 1
		}
	}
	return place
}

// readFile parses one file. It never fails: what it cannot read becomes a problem of the file, and the tree is nil.
func readFile(path string, source []byte) *file {
	f := &file{path: path, lines: strings.Split(string(source), "\n")}
	if len(source) > maxFileBytes {
		f.problem(nil, "the file is larger than %d bytes", maxFileBytes)
		return f
	}
	document, err := parseYAML(source)
	if err != nil {
		f.problem(nil, "the file is not readable as YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		return f
	}
	builder := &treeBuilder{file: f}
	root := builder.build(document, 0)
	if builder.exceeded {
		f.problem(nil, "the file nests deeper than %d or holds more than %d values once its aliases are followed", maxDepth, maxNodes)
		return f
	}
	f.root = root
	return f
}

var errNoDocument = errors.New("it holds no document")

// parseYAML reads the one document of a file. The parser's own panics, should it have any left, are errors here.
func parseYAML(source []byte) (document *yaml.Node, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			document, err = nil, fmt.Errorf("the parser gave up: %v", cause)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(source))
	var first, second yaml.Node
	if err := decoder.Decode(&first); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errNoDocument
		}
		return nil, err
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, errors.New("it holds more than one document")
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	if len(first.Content) != 1 {
		return nil, errNoDocument
	}
	return first.Content[0], nil
}

// treeBuilder replaces aliases and finds duplicate keys while it copies the parser's tree.
type treeBuilder struct {
	file     *file
	nodes    int
	exceeded bool
}

func (b *treeBuilder) build(source *yaml.Node, depth int) *node {
	b.nodes++
	if depth > maxDepth || b.nodes > maxNodes {
		b.exceeded = true
	}
	n := &node{file: b.file, kind: scalarNode, line: source.Line, column: source.Column}
	if b.exceeded {
		return n
	}
	switch source.Kind {
	case yaml.AliasNode:
		return b.build(source.Alias, depth+1)
	case yaml.ScalarNode:
		n.value = source.Value
		n.isNull = source.ShortTag() == "!!null"
		n.literal = source.Style&yaml.LiteralStyle != 0
		n.quoted = source.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	case yaml.MappingNode:
		n.kind = mappingNode
		seen := map[string]bool{}
		for i := 0; i+1 < len(source.Content); i += 2 {
			key := b.build(source.Content[i], depth+1)
			value := b.build(source.Content[i+1], depth+1)
			if key.kind != scalarNode {
				b.file.problem(key, "a key is not a plain word")
				key = &node{file: b.file, kind: scalarNode, line: key.line, column: key.column}
			}
			if name := strings.ToLower(key.value); seen[name] {
				b.file.problem(key, "key %q stands twice", key.value)
			} else {
				seen[name] = true
			}
			n.entries = append(n.entries, entry{key: key, value: value})
		}
	case yaml.SequenceNode:
		n.kind = sequenceNode
		for _, item := range source.Content {
			n.items = append(n.items, b.build(item, depth+1))
		}
	default:
		b.file.problem(n, "a value is of no known kind")
	}
	return n
}
