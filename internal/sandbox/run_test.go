package sandbox

import (
	"fmt"
	"io"
	"os"
	"testing"
)

func play(part string, arguments []string) int {
	switch part {
	case "planted":
		return planted(arguments[0])
	case "runner":
		if err := runner(arguments[0]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	case "who":
		fmt.Println(os.Geteuid())
		return 0
	case "wait":
		io.Copy(io.Discard, os.Stdin)
		return 0
	case "echo":
		io.Copy(os.Stdout, os.Stdin)
		fmt.Fprint(os.Stderr, os.Environ())
		return 7
	}
	if play := parts[part]; play != nil {
		return play(arguments)
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
