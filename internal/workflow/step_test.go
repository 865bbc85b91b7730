package workflow_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// TestOutputs holds which values may leave, and what is in the runner's file afterwards.
func TestOutputs(t *testing.T) {
	hex := strings.Repeat("0a", 32)
	tests := []struct {
		name  string
		value workflow.Value
		want  string // what is written; empty where it is refused
	}{
		{"bool", workflow.Bool(true), "true"},
		{"count", workflow.Count(12), "12"},
		{"negative count", workflow.Count(-1), ""},
		{"digest", workflow.Digest(hex), hex},
		{"digest of a record", workflow.Digest("sha256:" + hex), hex},
		{"short digest", workflow.Digest(hex[1:]), ""},
		{"digest and a line", workflow.Digest(hex + "\nx"), ""},
		{"run", workflow.Run("run-db93904f83c62707abbb84a5"), "run-db93904f83c62707abbb84a5"},
		{"not a run", workflow.Run("run-DB93904f83c62707abbb84a5"), ""},
		{"name", workflow.Name("pr-review"), "pr-review"},
		{"a name that forges", workflow.Name("a\n_GitHubActionsFileCommandDelimeter_\nadmitted=true"), ""},
		{"code", workflow.Reason(contract.CodeItemHeld), "item_held"},
		{"no code", workflow.Reason(""), "none"},
		{"unknown code", workflow.Reason("item_hold"), ""},
		{"word", workflow.Word("completed", "completed", "failed"), "completed"},
		{"another word", workflow.Word("done", "completed", "failed"), ""},
		{"zero", workflow.Value{}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "output")
			step := workflow.New("decide", map[string]string{"GITHUB_OUTPUT": file}, nil)
			err := step.Set("x-1", test.value)
			written, readErr := os.ReadFile(file)
			if test.want == "" {
				if err == nil || !strings.HasPrefix(err.Error(), "airlock decide: output_failed: output x-1 is not set; ") || readErr == nil {
					t.Errorf("error %v, written %q", err, written)
				}
				return
			}
			if err != nil || len(strings.Split(string(written), "\n")) != 4 || strings.Split(string(written), "\n")[1] != test.want {
				t.Errorf("error %v, written %q", err, written)
			}
		})
	}
	step := workflow.New("decide", map[string]string{"GITHUB_OUTPUT": filepath.Join(t.TempDir(), "output")}, nil)
	if err := step.Set("X", workflow.Bool(true)); err == nil {
		t.Error("an output of another name was set")
	}
	if err := workflow.New("decide", map[string]string{"GITHUB_OUTPUT": t.TempDir()}, nil).Set("x", workflow.Bool(true)); err == nil || !strings.Contains(err.Error(), "output_failed") {
		t.Errorf("error %v", err)
	}
	if err := workflow.New("decide", nil, nil).Set("x", workflow.Bool(true)); err == nil || !strings.Contains(err.Error(), "environment_missing") {
		t.Errorf("error %v", err)
	}
}

// TestSummary holds the bound of a summary.
func TestSummary(t *testing.T) {
	file := filepath.Join(t.TempDir(), "summary")
	step := workflow.New("decide", map[string]string{"GITHUB_STEP_SUMMARY": file}, nil)
	if err := step.Summary("one\n" + strings.Repeat("é", 1<<20)); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(written) >= 1<<20 || !strings.HasPrefix(string(written), "one\n\n(cut here") {
		t.Errorf("%d bytes, beginning %q", len(written), written[:40])
	}
	if err := workflow.New("decide", nil, nil).Summary("x"); err != nil {
		t.Errorf("without a file: %v", err)
	}
}

// TestMask holds that a credential is masked line by line, and printed to nobody but a runner.
func TestMask(t *testing.T) {
	credential := secret.New("-----BEGIN\r\nabc\n\n-----END\n")
	var out bytes.Buffer
	if err := workflow.New("apply", map[string]string{"GITHUB_ACTIONS": "true"}, &out).Mask(credential); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(out.String()); strings.Join(got, " ") != "::add-mask::-----BEGIN ::add-mask::abc ::add-mask::-----END" {
		t.Errorf("%q", got)
	}
	out.Reset()
	if err := workflow.New("apply", nil, &out).Mask(credential); err != nil || out.Len() != 0 {
		t.Errorf("%q, error %v", out.String(), err)
	}
}

// TestNumbers holds what counts as a number of GitHub's.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]int64{
		"12": 12, "9007199254740991": 9007199254740991, "9007199254740992": 0, "0": 0, "": 0, "-1": 0, "+1": 0, "012": 0, "1.0": 0, "1e3": 0, " 1": 0, "1\n": 0, "١": 0,
	} {
		got, ok := workflow.ParseNumber(text)
		if ok != (want != 0) || ok && got != want {
			t.Errorf("%q: %d, %v", text, got, ok)
		}
	}
}

// TestFaultIsOneLine: whatever a fault quotes, it is one line and no command to a terminal or to the runner.
func TestFaultIsOneLine(t *testing.T) {
	step := workflow.New("run", nil, io.Discard)
	for name, why := range map[string]string{
		"lines":              "open /a\n::set-output name=x::y\r\n##[group]z: no such file",
		"terminal":           "\x1b[2J\x1b]0;title\x07 \u009b31m",
		"turned and hidden":  "\u202eabc\u2066\u200b\U000e0041",
		"separators":         "a\u2028b\u2029c\u0085d\x0be\x0cf",
		"bytes of no letter": "\xff\xfe\x80",
		"long":               strings.Repeat("é", 5000),
	} {
		line := step.Fault(contract.CodeUsage, "what", why).Error()
		if !strings.HasPrefix(line, "airlock run: usage: what; ") || len(line) > 2010 || !utf8.ValidString(line) {
			t.Errorf("%s: %d bytes, %q", name, len(line), line)
		}
		if at := strings.IndexFunc(line, func(c rune) bool { return !unicode.IsPrint(c) }); at >= 0 {
			t.Errorf("%s: %q is not one printable line", name, line)
		}
	}
}

// TestPlaces holds where a step may say that it works.
func TestPlaces(t *testing.T) {
	place := func(variable, value string) *workflow.Step {
		return workflow.New("apply", map[string]string{variable: value}, io.Discard)
	}
	for value, want := range map[string]string{
		"example-org/ledger": "example-org ledger", "a.b/c_d-e.f": "a.b c_d-e.f", "example-org/.github": "example-org .github",
		"": "environment_missing", "ledger": "usage", "/ledger": "usage", "example-org/": "usage", "a/b/c": "usage", "a/b\n": "usage", "a/b?c": "usage", "a/b c": "usage",
		"example-org/" + strings.Repeat("r", 500): "example-org " + strings.Repeat("r", 500), "example-org/" + strings.Repeat("r", 501): "usage",
	} {
		owner, name, fault := place("GITHUB_REPOSITORY", value).Repository()
		got := owner + " " + name
		if fault != nil {
			got = string(fault.Code)
		}
		if got != want {
			t.Errorf("repository %q: %s, want %s", value, got, want)
		}
	}
	for value, want := range map[string]string{
		"o/n/.github/workflows/review.yml@refs/heads/main": ".github/workflows/review.yml", "o/n/.github/workflows/r.yaml@refs/tags/v1@x": ".github/workflows/r.yaml",
		"": "environment_missing", "o/n/.github/workflows/review.yml": "usage", "o/n/.github/workflows/@refs/heads/main": "usage", "o/n/.github/workflows/a/b.yml@r": "usage",
		"o/n/workflows/review.yml@r": "usage", "o/n/.github/workflows/review.txt@r": "usage", "o/n/.github/workflows/review.yml@r\nx": "usage", "n/.github/workflows/review.yml@r": "usage",
		"o/n/.github/workflows/review.yml@" + strings.Repeat("r", 500): "usage",
	} {
		got, fault := place("GITHUB_WORKFLOW_REF", value).WorkflowPath()
		if fault != nil {
			got = string(fault.Code)
		}
		if got != want {
			t.Errorf("workflow %q: %s, want %s", value, got, want)
		}
	}
}
