package sandbox

import (
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"
)

// BenchmarkRun is what a sandbox adds to the start of a program, as the median over a plain start of the same program: a keeper, and
// with bubblewrap the namespaces, mounts and the filter of system calls.
func BenchmarkRun(b *testing.B) {
	for kind, runner := range runners(b) {
		b.Run(kind, func(b *testing.B) {
			program := playing(b, "echo")
			program.Version = ""
			var plain, kept []time.Duration
			before := processor(b)
			for b.Loop() {
				started := time.Now()
				_, err := runner.Run(b.Context(), program)
				kept = append(kept, time.Since(started))
				must(b, err)
				started = time.Now()
				_ = exec.Command("/proc/self/exe", "play:echo").Run() // it ends with 7
				plain = append(plain, time.Since(started))
			}
			b.ReportMetric(float64(processor(b)-before)/float64(b.N)/1e6, "cpu-ms/op")
			b.ReportMetric(float64(median(kept)-median(plain))/1e6, "ms-added/op")
		})
	}
}

func median(of []time.Duration) time.Duration {
	slices.Sort(of)
	return of[len(of)/2]
}

// processor is the processor time of this process and of those it waited for, which depends less on what else the machine does.
func processor(b *testing.B) (spent time.Duration) {
	b.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		must(b, syscall.Getrusage(who, &usage))
		spent += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return spent
}
