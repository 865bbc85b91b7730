package main

import (
	"os"
	"strings"
	"testing"
)

// TestShowIsDocumented holds the account in docs/show.md to the golden: it is Run A's, word for word.
func TestShowIsDocumented(t *testing.T) {
	document, err := os.ReadFile("../../docs/show.md")
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile("testdata/show.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, found := strings.Cut(string(golden), "-- show.txt --\n")
	first, _, two := strings.Cut(shown, "\n\n\n")
	before, rest, open := strings.Cut(string(document), "```text\n")
	_, after, closed := strings.Cut(rest, "```\n")
	if !found || !two || !open || !closed {
		t.Fatalf("golden %v, two Runs %v, block %v to %v", found, two, open, closed)
	}
	want := before + "```text\n" + first + "\n```\n" + after
	if string(document) == want {
		return
	}
	if !*update {
		t.Fatal("docs/show.md does not show what airlock show prints; go test ./cmd/airlock -run 'TestScripts|TestShowIsDocumented' -update")
	}
	if err := os.WriteFile("../../docs/show.md", []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
