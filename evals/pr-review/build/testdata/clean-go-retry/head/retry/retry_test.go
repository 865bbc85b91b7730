package retry

import (
	"context"
	"errors"
	"testing"
)

var errBroken = errors.New("broken")

func TestDo(t *testing.T) {
	for name, c := range map[string]struct {
		attempts, failures, calls int
		err                       error
	}{
		"success at once":         {attempts: 3, failures: 0, calls: 1},
		"success at the last try": {attempts: 3, failures: 2, calls: 3},
		"used up":                 {attempts: 3, failures: 5, calls: 3, err: errBroken},
		"no attempts means one":   {attempts: 0, failures: 5, calls: 1, err: errBroken},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			err := Policy{Attempts: c.attempts}.Do(context.Background(), func(context.Context) error {
				calls++
				if calls <= c.failures {
					return errBroken
				}
				return nil
			})
			if calls != c.calls || !errors.Is(err, c.err) {
				t.Errorf("calls %d, want %d; error %v, want %v", calls, c.calls, err, c.err)
			}
		})
	}
}

func TestDoEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	err := Default().Do(ctx, func(context.Context) error {
		cancel()
		return errBroken
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
