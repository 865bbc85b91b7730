package retry

import (
	"context"
	"time"
)

// Do calls f until it succeeds, at most attempts times, waiting longer each time.
func Do(ctx context.Context, attempts int, f func(context.Context) error) error {
	var err error
	wait := 100 * time.Millisecond
	for i := 0; i < attempts; i++ {
		if err = f(ctx); err == nil {
			return nil
		}
		if i == attempts-1 {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		wait = wait * 2
	}
	return err
}
