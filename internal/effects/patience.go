package effects

import (
	"errors"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
)

const (
	// lags bounds how often a token that was minted seconds ago is tried again: it may not be known everywhere yet. One that
	// GitHub did something with may be unknown to another of its machines, but no longer than once.
	lags, knownLags = 3, 1
	// limitWait is what GitHub asks for where a rate limit names no time, and the longest that is waited for.
	limitWait = time.Minute
)

// Patience says whether a call that GitHub says it did not do is made again: after a token's lag with waits of 1, 2 and 4 seconds,
// of 1 second alone where GitHub knew the token before, and once after a rate limit of at most a minute. The zero value is that of a first call.
type Patience struct {
	lagged  int
	limited bool
}

// Again says how long to wait before the call is made once more, and whether it is.
func (p *Patience) Again(err error) (time.Duration, bool) {
	var failure *github.Error
	if !errors.As(err, &failure) {
		return 0, false
	}
	switch failure.Class {
	case github.ClassUnauthorized, github.ClassPermissionDenied:
		bound := lags
		if failure.Known && failure.Class == github.ClassUnauthorized {
			bound = knownLags
		}
		if p.lagged >= bound {
			return 0, false
		}
		p.lagged++
		return time.Second << (p.lagged - 1), true
	case github.ClassRateLimited:
		wait := failure.RetryAfter
		if wait == 0 {
			wait = limitWait
		}
		if p.limited || wait > limitWait {
			return 0, false
		}
		p.limited = true
		return wait, true
	}
	return 0, false
}

// ReadBackWaits are the waits before each look after a write: GitHub may not show for some seconds what it wrote.
func ReadBackWaits() []time.Duration {
	return []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
}

// Fault is a failure with a reason of its own, in our words.
type Fault struct {
	Code contract.Code
	What string
}

func (f *Fault) Error() string { return f.What }

// CodeOf turns the failure of a call, or a [*Fault], into a reason that an Effect may end with.
func CodeOf(err error) contract.Code {
	var fault *Fault
	if errors.As(err, &fault) {
		return fault.Code
	}
	switch github.ClassOf(err) {
	case github.ClassPermissionDenied, github.ClassUnauthorized, github.ClassNotFound, github.ClassLocked:
		return contract.CodePermissionDenied
	case github.ClassRateLimited:
		return contract.CodeRateLimited
	case github.ClassInvalid, github.ClassConflict:
		if pending(err) {
			return contract.CodeReviewPending
		}
		return contract.CodeEffectRejected
	}
	return contract.CodePlatformError
}
