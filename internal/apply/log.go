package apply

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"regexp"
	"runtime"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/identity"
)

// say logs one step in our words: codes, ids, counts and the errors of our own packages, which quote no untrusted text.
func (p *program) say(what string, attributes ...any) {
	drop := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}
	slog.New(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{ReplaceAttr: drop})).Info(what, attributes...)
}

// told is an error in closed words. Of a failed call it is the operation, the class, the status and the permissions that
// would have done, and not GitHub's own sentence, which may quote what a stranger wrote.
func told(err error) string {
	var fault *identity.Fault
	if errors.As(err, &fault) {
		return fault.Error() // of what GitHub says of the App itself nobody else has a word in it
	}
	var failure *github.Error
	if !errors.As(err, &failure) {
		return err.Error()
	}
	words := fmt.Sprintf("%s: %s", failure.Operation, failure.Class)
	if failure.Status != 0 {
		words += fmt.Sprintf(" (status %d)", failure.Status)
	}
	if failure.Class == github.ClassMalformed {
		words += ": " + failure.Message // it is ours
	}
	if permissions.MatchString(failure.Accepted) {
		words += "; permissions that would do: " + failure.Accepted
	}
	return words
}

var permissions = regexp.MustCompile(`^[a-z_]+=(read|write|admin)([,;] ?[a-z_]+=(read|write|admin))*$`)

// cause is why a file could not be written, without the path, which the message has by its variable's name.
func cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return "the file system refused it"
}

// panicked is the function that panicked; it is called while the panic is recovered.
func panicked() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for broken := false; ; {
		frame, more := frames.Next()
		if broken && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf("%s line %d", frame.Function, frame.Line)
		}
		broken = broken || frame.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}
