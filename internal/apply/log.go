package apply

import (
	"log/slog"
)

// say logs one step in our words: codes, ids, counts and the errors of our own clients, which quote no untrusted text.
func (p *program) say(what string, attributes ...any) {
	drop := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}
	slog.New(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{ReplaceAttr: drop})).Info(what, attributes...)
}
