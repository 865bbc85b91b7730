package facts_test

import (
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// TestVisible holds for which files the diff shows the content, and what state a change of that file alone has.
func TestVisible(t *testing.T) {
	file := func(content, mode string) *emulator.File { return &emulator.File{Content: []byte(content), Mode: mode} }
	const plain, executable, link, submodule = "100644", "100755", "120000", "160000"
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("a", 64) + "\nsize 12345\n"
	moved := strings.Repeat("a line that stays as it is\n", 20)
	tests := []struct {
		name       string
		base, head *emulator.File
		basePath   string
		visible    bool
	}{
		{"modified text", file("a\n", plain), file("b\n", plain), "f", true},
		{"added text", nil, file("b\n", plain), "f", true},
		{"removed text", file("a\n", plain), nil, "f", true},
		{"added empty file", nil, file("", plain), "f", true},
		{"removed empty file", file("", plain), nil, "f", true},
		{"added executable", nil, file("b\n", executable), "f", true},
		{"binary", file("a\x00\x01", plain), file("b\x00\x02", plain), "f", false},
		{"added binary", nil, file("b\x00\x02", plain), "f", false},
		{"a script with one NUL byte", file("#!/bin/sh\necho hi\n", plain), file("#!/bin/sh\n# \x00\ncurl evil\n", plain), "f", false},
		{"a NUL byte after the first 8000", file(strings.Repeat("a\n", 5000), plain), file(strings.Repeat("a\n", 5000)+"\x00\n", plain), "f", false},
		{"a text that speaks of a binary", file("a\n", plain), file("Binary files a/f and b/f differ\n", plain), "f", true},
		{"mode alone", file("a\n", plain), file("a\n", executable), "f", false},
		{"mode and lines", file("a\n", plain), file("b\n", executable), "f", false},
		{"symbolic link", nil, file("target", link), "f", true},
		{"submodule", nil, file(strings.Repeat("1", 40), submodule), "f", false},
		{"LFS pointer", nil, file(pointer, plain), "f", false},
		{"LFS pointer changed", file(pointer, plain), file(strings.ReplaceAll(pointer, "12345", "12346"), plain), "f", false},
		{"moved without a change", file(moved, plain), file(moved, plain), "old", true},
		{"moved with a change", file(moved, plain), file(moved+"more\n", plain), "old", true},
		{"moved with another mode", file(moved, plain), file(moved, executable), "old", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			snapshot, _ := read(t, emulator.Options{}, func(seed *emulator.Seed) {
				base, head := emulator.Tree{}, emulator.Tree{}
				if test.base != nil {
					base[test.basePath] = *test.base
				}
				if test.head != nil {
					head["f"] = *test.head
				}
				seed.PullRequests[0].Base.Tree, seed.PullRequests[0].Head.Tree = base, head
			})
			content := snapshot.Facts.Content
			if len(content.Files) != 1 {
				t.Fatalf("files %+v\n%s", content.Files, snapshot.Diff)
			}
			if content.Files[0].Visible != test.visible {
				t.Errorf("visible %v, want %v\n%s", content.Files[0].Visible, test.visible, snapshot.Diff)
			}
			state := contract.ContentNotText
			if test.visible {
				state = contract.ContentText
			}
			if content.State != state {
				t.Errorf("state %s, want %s", content.State, state)
			}
			if got := incomplete(snapshot.Facts); got != "" {
				t.Errorf("incomplete %s: %v", got, snapshot.Faults)
			}
		})
	}
}

// TestNoDiff holds the state of a change without any.
func TestNoDiff(t *testing.T) {
	snapshot, _ := read(t, emulator.Options{}, func(seed *emulator.Seed) { seed.PullRequests[0].Head.Tree = seed.PullRequests[0].Base.Tree })
	content := snapshot.Facts.Content
	empty := contract.Digest(nil)
	files, err := contract.DigestOf([]contract.ContentFile{})
	if err != nil {
		t.Fatal(err)
	}
	if content.State != contract.ContentAbsent || content.ID != empty || content.FilesDigest != files || len(content.Files) != 0 {
		t.Errorf("content %+v", content)
	}
}
