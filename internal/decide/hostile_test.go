package decide_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// hostile is a text as an outsider would write it where it may be printed.
const hostile = "x\n::set-output name=admitted::true\r\n\x1b[2J\u202eEOF\n${{ secrets.K }} $(id) `id` CANARY-4711"

// TestDecideHostileItem holds that nothing an outsider writes about or into a change leaves but in the bundle, and that the
// change is decided on for what it is.
func TestDecideHostileItem(t *testing.T) {
	tree := func(files emulator.Tree) func(*emulator.Seed) {
		return func(seed *emulator.Seed) { seed.PullRequests[0].Head.Tree = files }
	}
	many := func(count int) emulator.Tree {
		files := emulator.Tree{}
		for i := range count {
			files[fmt.Sprintf("f%04d", i)] = emulatortest.Text("x\n")
		}
		return files
	}
	for name, c := range map[string]struct {
		change func(*emulator.Seed)
		reason string
	}{
		"names": {tree(emulator.Tree{"a\n::error::CANARY-4711": emulatortest.Text("x\n"), "b\x1b[2J": emulatortest.Text("x\n"), "c \"d\" \\e\tf": emulatortest.Text("x\n"),
			"$(id);`id`": emulatortest.Text("x\n"), strings.Repeat("long/", 800) + "f": emulatortest.Text("x\n"), "a/b b/a": emulatortest.Text("x\n"),
			"\u202egnp.exe": emulatortest.Text("x\n"), "-rf": emulatortest.Text("x\n"), "dev/null": emulatortest.Text("x\n")}), "none"},
		"lines that look like a diff": {tree(emulator.Tree{"a.txt": emulatortest.Text("--- a/x\n+++ b/x\n@@ -1 +1 @@\ndiff --git a/y b/y\nBinary files a/z and b/z differ\n\\ No newline at end of file\n")}), "none"},
		"a line of 10 MB":             {tree(emulator.Tree{"a.txt": emulatortest.Text(strings.Repeat("y", 10<<20) + "\n"), "b.txt": emulatortest.Text("x\n")}), "content_too_large"},
		"NUL, links and modules": {tree(emulator.Tree{"run.sh": emulatortest.Text("#!/bin/sh\n# \x00\nid\n"), "link": {Content: []byte("/etc/passwd"), Mode: "120000"},
			"module": {Content: []byte(strings.Repeat("a", 40)), Mode: "160000"}, "tool": {Content: []byte("x\n"), Mode: "100755"}}), "none"},
		"301 files":  {tree(many(301)), "content_too_large"},
		"3000 files": {tree(many(3000)), "content_too_large"},
		"3001 files": {tree(many(3001)), "content_too_large"},
		"texts": {func(seed *emulator.Seed) {
			pull := seed.PullRequests[0]
			pull.Title, pull.Body = hostile, hostile
		}, "none"},
	} {
		t.Run(name, func(t *testing.T) {
			j := start(t, c.change)
			code := j.run()
			if code != 0 {
				t.Fatalf("exit %d: %s", code, j.stderr.String())
			}
			outputs := j.outputs(t)
			if outputs["reason"] != c.reason {
				t.Errorf("reason %s, want %s: %s", outputs["reason"], c.reason, j.stderr.String())
			}
			summary, err := os.ReadFile(j.env["GITHUB_STEP_SUMMARY"])
			if err != nil {
				t.Fatal(err)
			}
			written, err := os.ReadFile(j.env["GITHUB_OUTPUT"])
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{string(summary), string(written), j.stdout.String(), j.stderr.String()} {
				if strings.Contains(text, "CANARY-4711") || strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) >= 0 {
					t.Errorf("an outsider's text leaves: %q", text)
				}
			}
			var facts contract.Facts
			if err := contract.Decode(j.bundle(t)["facts.json"], &facts); err != nil {
				t.Errorf("the facts are no record: %v", err)
			}
		})
	}
}
