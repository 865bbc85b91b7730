package retry

import (
	"context"
	"time"
)

// Policy says how often and how patiently to try.
type Policy struct {
	// Attempts is how often f is called at most; less than one means once.
	Attempts int
	// First is the wait after the first failure; each further one is twice as long, up to Longest.
	First, Longest time.Duration
}

// Default is the policy that suits a call within one data centre.
func Default() Policy {
	return Policy{Attempts: 4, First: 100 * time.Millisecond, Longest: 2 * time.Second}
}

// Do calls f until it succeeds or the policy is used up, and returns f's last error. It returns early with the context's
// error when the context ends during a wait.
func (p Policy) Do(ctx context.Context, f func(context.Context) error) error {
	wait := p.First
	for attempt := 1; ; attempt++ {
		err := f(ctx)
		if err == nil || attempt >= p.Attempts {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
		wait = min(wait*2, p.Longest)
	}
}
