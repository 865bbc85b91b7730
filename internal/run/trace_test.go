package run

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
	"github.com/seed-2ea642bd/airlock/internal/standin"
)

// access is a path that was opened, made, renamed or removed, and whether to write.
type access struct {
	path   string
	writes bool
}

// traced are the calls that a trace is read for: those that open, and those that change without opening.
var (
	traceLine = regexp.MustCompile(`^(\d+) +(.*)$`)
	threadOf  = regexp.MustCompile(`CLONE_THREAD`)
	madeID    = regexp.MustCompile(`= (\d+)$`)
	opening   = regexp.MustCompile(`^(?:open|openat|openat2|creat)\((?:AT_FDCWD, |\d+, )?"([^"]*)", ([A-Z_|]+)`)
	changing  = regexp.MustCompile(`^(?:mkdir|mkdirat|unlink|unlinkat|rmdir|rename|renameat|renameat2|link|linkat|symlink|symlinkat|truncate|mknod|mknodat|chmod|fchmodat|chown|fchownat|utimensat)\((?:AT_FDCWD, )?"([^"]*)"(?:, (?:AT_FDCWD, )?"([^"]*)")?`)
)

// accesses reads a trace and returns what the threads of its first process did, and nobody else's. What failed counts too.
func accesses(t *testing.T, path string) []access {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	threads, begun := map[string]bool{}, map[string]string{}
	var found []access
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		parts := traceLine.FindStringSubmatch(lines.Text())
		if parts == nil {
			continue
		}
		id, call := parts[1], parts[2]
		if len(threads) == 0 {
			threads[id] = true
		}
		if before, whole := strings.CutSuffix(call, " <unfinished ...>"); whole {
			begun[id] = before
			continue
		}
		if strings.HasPrefix(call, "<... ") {
			_, rest, _ := strings.Cut(call, "resumed>")
			call = begun[id] + rest
		}
		if !threads[id] {
			continue
		}
		if thread := madeID.FindStringSubmatch(call); thread != nil && threadOf.MatchString(call) {
			threads[thread[1]] = true
		}
		if opened := opening.FindStringSubmatch(call); opened != nil {
			found = append(found, access{opened[1], strings.Contains(opened[2], "O_WRONLY") || strings.Contains(opened[2], "O_RDWR") || strings.Contains(opened[2], "O_CREAT")})
		} else if changed := changing.FindStringSubmatch(call); changed != nil {
			for _, path := range changed[1:] {
				if path != "" {
					found = append(found, access{path, true})
				}
			}
		}
	}
	must(t, lines.Err())
	return found
}

// TestOnlyInsideItsDirectory traces the real program with the real CLI, sandbox and broker, and holds every path that it opens for
// reading, and every one that it writes, to a list. The trace also shows that it seals itself where the kernel has Landlock.
func TestOnlyInsideItsDirectory(t *testing.T) {
	standin.NeedProgram(t, "strace", "strace")
	program := built(t)
	api := standin.Start(t, strict(), standin.Answer(string(modelFile(t, "A.result.model.json"))))
	s := realStage(t, api)
	s.brokered()
	s.harness.Engines[0].Upstream, s.harness.Engines[0].Sandbox = api.URL(), sandbox.KindBubblewrap
	cli, err := filepath.Abs(s.env["AIRLOCK_CLI"])
	must(t, err)
	s.env["AIRLOCK_CLI"] = cli
	s.hand(t)
	trace := filepath.Join(t.TempDir(), "trace")
	command := exec.Command("strace", "-f", "--seccomp-bpf", "-qq", "-s", "4096", "-e", "signal=none", "-e", "trace=%file,clone,clone3", "-o", trace, program)
	for name, value := range s.env {
		command.Env = append(command.Env, name+"="+value)
	}
	command.Stdout, command.Stderr = &s.stdout, &s.stderr
	if err := command.Run(); err != nil {
		t.Fatalf("%v: %s", err, s.stderr.String())
	}
	if result := s.result(t); result.Status != contract.StatusCompleted {
		t.Fatalf("status %s", result.Status)
	}

	library := `(/lib|/usr/lib|/lib64|/usr/lib64)/([a-z0-9_-]+/)?[a-z0-9_.-]+\.so\.[0-9]+`
	reads := []string{ // by whom
		`/sys/kernel/mm/transparent_hugepage/hpage_pmd_size|/proc/self/(cgroup|mountinfo)|/sys/fs/cgroup/.*|/proc/sys/net/core/somaxconn`, // Go's runtime and net
		regexp.QuoteMeta(s.env["AIRLOCK_CLI"]), `/proc/self/exe|` + library, // the engine and the sandbox
		`/etc/(resolv\.conf|hosts|nsswitch\.conf|ssl/certs/ca-certificates\.crt)`, // what Landlock leaves: the road to the one host
	}
	for _, name := range bundle.Names() {
		reads = append(reads, regexp.QuoteMeta(filepath.Join(s.env["AIRLOCK_BUNDLE"], name)))
	}
	result := regexp.QuoteMeta(s.env["AIRLOCK_RESULT"])
	writes := []string{
		result, result + `/result\.json`, result + `/\.result\.json[0-9]+`, // the Result, and the same until it is whole
		regexp.QuoteMeta(s.env["GITHUB_OUTPUT"]), // the outputs of the step
	}
	// A rule of Landlock's is made from an open directory.
	reads = append(reads, writes...)
	allowed := map[bool]*regexp.Regexp{
		false: regexp.MustCompile(`^(` + strings.Join(reads, "|") + `)$`), true: regexp.MustCompile(`^(` + strings.Join(writes, "|") + `)$`)}
	seen := map[string]bool{}
	for _, one := range accesses(t, trace) {
		if !allowed[one.writes].MatchString(one.path) {
			t.Errorf("it opens %s, to write: %t", one.path, one.writes)
		}
		seen[one.path] = true
	}
	for _, path := range []string{s.env["AIRLOCK_CLI"], "/proc/self/exe", s.env["GITHUB_OUTPUT"], filepath.Join(s.env["AIRLOCK_BUNDLE"], bundle.DiffFile)} {
		if !seen[path] {
			t.Errorf("the trace does not show that it opens %s: it shows nothing", path)
		}
	}
	if log := s.stdout.String(); strings.Contains(log, "(Landlock ") != hasLandlock() {
		t.Errorf("Landlock here: %t; the log says: %s", hasLandlock(), log)
	}
	if left, err := os.ReadDir(s.env["RUNNER_TEMP"]); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// hasLandlock asks the kernel.
func hasLandlock() bool {
	_, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return errno == 0
}
