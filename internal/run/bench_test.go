package run

import (
	"bytes"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// BenchmarkOverhead is what the program adds to the CLI's own time: the whole job with a script in place of the CLI, without
// the script's own three starts. The digest of a real CLI of some 230 MB comes on top of it.
func BenchmarkOverhead(b *testing.B) {
	s := newStage(b)
	s.scripted(b, `while [ $# -gt 0 ]; do [ "$1" = --session-id ] && session=$2; shift; done; cat >/dev/null
printf '{"type":"result","session_id":"%s","is_error":false,"num_turns":2,"modelUsage":{"claude-sonnet-5-5":{}},"structured_output":'  "$session"
cat `+writeAnswer(b)+`; echo '}'`)
	s.hand(b)
	var scripts time.Duration
	before := processor(b)
	for b.Loop() {
		s.env["CLAUDE_CODE_OAUTH_TOKEN"] = testToken
		if code := s.run(b); code != 0 {
			b.Fatalf("exit %d: %s", code, s.stderr.String())
		}
		b.StopTimer()
		started := time.Now()
		for _, arguments := range [][]string{{"--version"}, {"--session-id", "x"}, {"--version"}} {
			command := exec.Command(s.env["AIRLOCK_CLI"], arguments...)
			command.Stdin = bytes.NewReader(nil)
			if err := command.Run(); err != nil {
				b.Fatal(err)
			}
		}
		scripts += time.Since(started)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed()-scripts)/float64(b.N)/1e6, "ms-added/op")
	b.ReportMetric(float64(processor(b)-before)/float64(b.N)/1e6, "cpu-ms/op")
}

// processor is the processor time of this process so far, children left out: it does not depend on what else the machine does.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
