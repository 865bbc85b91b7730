package retry

import (
	"context"
	"errors"
	"testing"
)

func TestDoStopsAfterSuccess(t *testing.T) {
	calls := 0
	err := Do(context.Background(), 3, func(context.Context) error {
		calls++
		return nil
	})
	if err != nil || calls != 1 {
		t.Fatalf("calls %d, error %v", calls, err)
	}
}

var errBroken = errors.New("broken")
