package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestMain makes the test's own executable the keeper, and the programs that it keeps.
func TestMain(m *testing.M) {
	if IsKeeper(os.Args) {
		os.Exit(Keep())
	}
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "play:") {
		os.Exit(play(strings.TrimPrefix(os.Args[1], "play:"), os.Args[2:]))
	}
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println(testVersion)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const testVersion = "1.2.3 (Test)"

func bwrapPath(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("bwrap")
	if err != nil {
		t.Fatal("bubblewrap is not installed; run: apt-get install -y bubblewrap")
	}
	return path
}

// runners are both kinds.
func runners(t testing.TB) map[string]*Runner {
	return map[string]*Runner{KindBubblewrap: Bubblewrap(bwrapPath(t)), KindOff: Off(t.TempDir())}
}

// itself is this executable, open.
func itself(t testing.TB) *os.File {
	t.Helper()
	path, err := os.Executable()
	must(t, err)
	file, err := os.Open(path)
	must(t, err)
	t.Cleanup(func() { file.Close() })
	return file
}

// playing is a program that plays a part.
func playing(t testing.TB, part string, arguments ...string) Program {
	return Program{File: itself(t), Version: testVersion + "\n", Limit: time.Minute,
		Command: func(Place) ([]string, []string) {
			return append([]string{"play:" + part}, arguments...), []string{"ONE=1"}
		}}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
