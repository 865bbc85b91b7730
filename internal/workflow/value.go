package workflow

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// Value is one output of a closed form. The zero value is none.
type Value struct {
	text string
	form form
}

// form is what a value may look like, and its least and most bytes. The bounds stand beside the expression and not in it:
// counted repeats are what makes an expression dear to compile, at every start of every program.
type form struct {
	pattern     *regexp.Regexp
	least, most int
}

func (f form) fits(text string) bool {
	return f.pattern != nil && len(text) >= f.least && len(text) <= f.most && f.pattern.MatchString(text)
}

// The forms. None holds a newline, so no value can be more than one line of the runner's file.
var (
	outputName = form{regexp.MustCompile(`^[a-z][a-z0-9-]*$`), 1, 41}
	boolForm   = form{regexp.MustCompile(`^(true|false)$`), 4, 5}
	countForm  = form{regexp.MustCompile(`^(0|[1-9][0-9]*)$`), 1, 16}
	digestForm = form{regexp.MustCompile(`^[0-9a-f]+$`), 64, 64}
	runForm    = form{regexp.MustCompile(`^run-[0-9a-f]+$`), 28, 28}
	nameForm   = form{regexp.MustCompile(`^[a-z][a-z0-9-]*$`), 1, 40}
	codeForm   = form{regexp.MustCompile(`^[a-z][a-z_]*$`), 1, 61}
)

func (v Value) valid() bool { return v.form.fits(v.text) }

// Bool is "true" or "false".
func Bool(b bool) Value { return Value{strconv.FormatBool(b), boolForm} }

// Count is a number from 0, as a number of an item or of things is.
func Count(n int64) Value { return Value{strconv.FormatInt(n, 10), countForm} }

// Digest is the 64 hexadecimal digits of a sha256, given with "sha256:" before them or without.
func Digest(digest string) Value { return Value{strings.TrimPrefix(digest, "sha256:"), digestForm} }

// Run is the id of a Run.
func Run(id string) Value { return Value{id, runForm} }

// Name is the name of a Role or of another file of the configuration.
func Name(name string) Value { return Value{name, nameForm} }

// Reason is a code of the reason list, or "none" for the empty one.
func Reason(code contract.Code) Value {
	if code == "" {
		return Value{"none", codeForm}
	}
	if _, known := contract.ReasonOf(code); !known {
		return Value{}
	}
	return Value{string(code), codeForm}
}

// Word is a status, a fault or a conclusion: one of the words that are given as allowed, or "none" for the empty one.
func Word(word string, allowed ...string) Value {
	if word == "" {
		return Value{"none", codeForm}
	}
	for _, candidate := range allowed {
		if word == candidate {
			return Value{word, codeForm}
		}
	}
	return Value{}
}
