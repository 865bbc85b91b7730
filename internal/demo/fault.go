package demo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// gated is the one kind of fault that needs somebody who lets the call go on.
const gated = "slow"

// parseFault reads KIND@K or KIND; the empty text is no fault.
func parseFault(text string) (*emulator.Fault, error) {
	if text == "" {
		return nil, nil
	}
	const list = "airlock emulate --faults lists the kinds"
	kind, at, numbered := strings.Cut(text, "@")
	fault := &emulator.Fault{Kind: kind}
	if numbered {
		call, err := strconv.Atoi(at)
		if err != nil || call < 1 {
			return nil, usage("--fault", "%q is not KIND@K, such as killed-after@14, where K counts apply's API calls from 1; %s", text, list)
		}
		fault.Call = call
	}
	if !slices.ContainsFunc(emulator.Kinds(), func(known emulator.Kind) bool { return known.Name == kind }) {
		return nil, usage("--fault", "there is no kind %q; %s", kind, list)
	}
	if kind == gated {
		return nil, usage("--fault", "the kind %s waits until a test lets it go on; take another", gated)
	}
	return fault, nil
}

// inject arms the fault for the calls from now on.
func (s *stage) inject() error {
	fault := *s.fault
	fault.Number = s.scenario.Number
	if err := s.server.Inject(fault); err != nil {
		return fmt.Errorf("--fault: %w", err)
	}
	return nil
}

// struck takes the fault back and returns the call that got it; nil where none did. Calls are counted from one before.
func (s *stage) struck(before int) (*emulator.Call, int, error) {
	s.server.ClearFaults()
	state, err := s.server.State()
	if err != nil {
		return nil, 0, fmt.Errorf("read the emulated GitHub's state: %w", err)
	}
	number := 0
	for _, call := range state.Calls[before:] {
		if call.Number > 0 {
			number++
		}
		if call.Fault != "" {
			return &call, number, nil
		}
	}
	return nil, number, nil
}
