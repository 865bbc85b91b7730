package sandbox

import "bytes"

// RefusedError says that the system does not let a sandbox be made.
type RefusedError struct {
	// Said is what bubblewrap printed, of which nothing is the program's.
	Said string
}

func (e *RefusedError) Error() string { return "bubblewrap cannot make a sandbox: " + e.Said }

func refusal(stderr []byte) error {
	first, _, _ := bytes.Cut(bytes.TrimSpace(stderr), []byte("\n"))
	return &RefusedError{Said: string(first)}
}
