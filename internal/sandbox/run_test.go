package sandbox

import (
	"fmt"
	"io"
	"os"
	"testing"
)

func play(part string, arguments []string) int {
	switch part {
	case "echo":
		io.Copy(os.Stdout, os.Stdin)
		fmt.Fprint(os.Stderr, os.Environ())
		return 7
	}
	return 99
}

func TestRun(t *testing.T) {
	for kind, runner := range runners(t) {
		t.Run(kind, func(t *testing.T) {
			program := playing(t, "echo")
			program.Input = []byte("hello")
			end, err := runner.Run(t.Context(), program)
			must(t, err)
			if end.Exit != 7 || string(end.Stdout) != "hello" || string(end.Stderr) != "[ONE=1]" || end.Changed {
				t.Errorf("end: %+v %q %q", end, end.Stdout, end.Stderr)
			}
		})
	}
}
