package workflow

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sethvargo/go-githubactions"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

// MaxSummaryBytes is the largest step summary; GitHub drops one of more than 1 MiB without a word.
const MaxSummaryBytes = 1<<20 - 1<<10

// Step is one step of a job.
type Step struct {
	program string
	env     map[string]string
	action  *githubactions.Action
}

// New makes a step. program is "decide", "run" or "apply"; commands to the runner go to out.
func New(program string, env map[string]string, out io.Writer) *Step {
	get := func(name string) string { return env[name] }
	return &Step{program: program, env: env, action: githubactions.New(githubactions.WithGetenv(get), githubactions.WithWriter(out))}
}

// Fault is a reason for which a program cannot go on, as a person is told it.
type Fault struct {
	// Program is "decide", "run" or "apply".
	Program string
	Code    contract.Code
	// What happened, and why, in our own words.
	What, Why string
	// Next is what to do; the reason list's own where empty.
	Next string
}

// Error is one line: "airlock <program>: <code>: <what>; <why>; <what next>".
func (f *Fault) Error() string {
	next := f.Next
	if reason, ok := contract.ReasonOf(f.Code); ok && next == "" {
		next = strings.TrimSuffix(reason.Next, ".")
	}
	return Line(fmt.Sprintf("airlock %s: %s: %s; %s; %s", f.Program, f.Code, f.What, f.Why, next))
}

// maxLine is the longest line in bytes that is said of a fault.
const maxLine = 2000

// Line makes one line of printable characters out of a text, so that nothing in it (the path of a file, the words of a
// library) starts a line of its own or speaks to a terminal. A longer one is cut.
func Line(text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "?"), func(c rune) bool { return !unicode.IsPrint(c) || c == ' ' }), " ")
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + "…"
	}
	return text
}

// Fault makes a fault of this step's program.
func (s *Step) Fault(code contract.Code, what, why string) *Fault {
	return &Fault{Program: s.program, Code: code, What: what, Why: why}
}

// Input returns a variable, or the fallback where it is empty or not set.
func (s *Step) Input(name, fallback string) string {
	if value := s.env[name]; value != "" {
		return value
	}
	return fallback
}

// Required returns a variable that must be set and not empty.
func (s *Step) Required(name string) (string, *Fault) {
	value := s.env[name]
	if value == "" {
		return "", s.Fault(contract.CodeEnvironmentMissing, name+" is not set", "the program cannot work without it")
	}
	return value, nil
}

// Number returns a variable that must be a positive decimal integer without a sign or a leading zero.
func (s *Step) Number(name string) (int64, *Fault) {
	value, fault := s.Required(name)
	if fault != nil {
		return 0, fault
	}
	number, ok := ParseNumber(value)
	if !ok {
		return 0, s.Fault(contract.CodeUsage, name+" is not a positive integer", "it names a thing of GitHub's by number")
	}
	return number, nil
}

// ParseNumber reads a positive decimal integer of at most 2^53-1, without a sign or a leading zero.
func ParseNumber(text string) (int64, bool) {
	if text == "" || len(text) > 16 || text[0] == '0' || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	var number int64
	for _, digit := range text {
		number = number*10 + int64(digit-'0')
	}
	return number, number <= contract.MaxInteger
}

// Mask has the runner replace a credential in the log, line by line. Where there is no runner it does nothing, since the
// command itself holds the credential.
func (s *Step) Mask(credential secret.Credential) error {
	if s.env["GITHUB_ACTIONS"] != "true" {
		return nil
	}
	return s.guard("mask a credential", func() {
		for _, line := range strings.Split(credential.Reveal(), "\n") {
			if strings.TrimSpace(line) != "" {
				s.action.AddMask(strings.TrimRight(line, "\r"))
			}
		}
	})
}

// Set writes one output. A name or value outside its form is an error, and nothing is written.
func (s *Step) Set(name string, value Value) error {
	if !outputName.fits(name) {
		return s.Fault(contract.CodeOutputFailed, "an output has a name of another form", "only lower-case letters, digits and hyphens are sent")
	}
	if !value.valid() {
		return s.Fault(contract.CodeOutputFailed, "output "+name+" is not set", "its value is not of the form it must have")
	}
	if s.env["GITHUB_OUTPUT"] == "" {
		return s.Fault(contract.CodeEnvironmentMissing, "GITHUB_OUTPUT is not set", "outputs are written to the file it names")
	}
	return s.guard("write output "+name, func() { s.action.SetOutput(name, value.text) })
}

// Summary adds Markdown to the step's summary, cut at a line with a note where it would be too large. It does nothing where
// GITHUB_STEP_SUMMARY is not set.
func (s *Step) Summary(markdown string) error {
	if s.env["GITHUB_STEP_SUMMARY"] == "" {
		return nil
	}
	return s.guard("write the step summary", func() { s.action.AddStepSummary(bound(markdown)) })
}

const cutNote = "\n\n(cut here: the summary is larger than GitHub shows)\n"

func bound(markdown string) string {
	if len(markdown) <= MaxSummaryBytes {
		return markdown
	}
	kept := markdown[:MaxSummaryBytes-len(cutNote)]
	if end := strings.LastIndexByte(kept, '\n'); end > 0 {
		kept = kept[:end]
	}
	for range utf8.UTFMax - 1 { // a character may be cut
		if r, size := utf8.DecodeLastRuneInString(kept); r != utf8.RuneError || size != 1 {
			break
		}
		kept = kept[:len(kept)-1]
	}
	return kept + cutNote
}

// guard turns the panic with which the runner's library reports a failed write into an error.
func (s *Step) guard(what string, write func()) (err error) {
	defer func() {
		if recover() != nil {
			err = s.Fault(contract.CodeOutputFailed, "could not "+what, "the file or stream of the runner could not be written")
		}
	}()
	write()
	return nil
}
