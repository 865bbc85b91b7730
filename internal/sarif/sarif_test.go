package sarif_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-2ea642bd/airlock/internal/account"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/sarif"
	"github.com/seed-2ea642bd/airlock/internal/sarif/sariftest"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

func model(t *testing.T, run string) account.Account {
	t.Helper()
	r := account.Records{Decision: &contract.Decision{}, Task: &contract.Task{}, Result: &contract.Result{}, Applied: &contract.Applied{},
		Outcome: &contract.Outcome{}, Server: account.DefaultServer}
	for kind, record := range map[string]any{"decision": r.Decision, "task": r.Task, "result": r.Result, "applied": r.Applied, "outcome": r.Outcome} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "model", run+"."+kind+".json"))
		if err == nil {
			err = contract.Decode(data, record)
		}
		if err != nil {
			t.Fatalf("%s of Run %s: %v", kind, run, err)
		}
	}
	return account.Of(r)
}

// log is what the tests look at.
type log struct {
	Version string
	Runs    []struct {
		AutomationDetails        struct{ ID string }
		VersionControlProvenance []struct {
			RepositoryURI string `json:"repositoryUri"`
			RevisionID    string `json:"revisionId"`
		}
		Invocations []struct {
			ExecutionSuccessful bool `json:"executionSuccessful"`
		}
		Tool struct {
			Driver struct {
				Name  string
				Rules []struct{ ID string }
			}
		}
		Results []result
	}
}

type result struct {
	RuleID    string `json:"ruleId"`
	RuleIndex int    `json:"ruleIndex"`
	Level     string
	Message   struct{ Text string }
	Locations []struct {
		Message          *struct{ Text string }
		PhysicalLocation struct {
			ArtifactLocation struct {
				URI       string `json:"uri"`
				URIBaseID string `json:"uriBaseId"`
			} `json:"artifactLocation"`
			Region *struct {
				StartLine int `json:"startLine"`
				EndLine   int `json:"endLine"`
			}
		} `json:"physicalLocation"`
	}
	PartialFingerprints map[string]string `json:"partialFingerprints"`
	Properties          map[string]any
}

func write(t interface{ Fatalf(string, ...any) }, accounts ...account.Account) log {
	data, err := sarif.Write(accounts)
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	if err := sariftest.Validate(data); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	var read log
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatalf("read: %v", err)
	}
	return read
}

// TestDataModel holds the SARIF of the data model's two Runs: what is open or does not gate, with rule, level, place and fingerprint.
func TestDataModel(t *testing.T) {
	accounts := []account.Account{model(t, "A"), model(t, "B")}
	account.Join(accounts)
	read := write(t, accounts...)
	var got []string
	for _, run := range read.Runs {
		for _, r := range run.Results {
			place, fingerprint := "", r.PartialFingerprints["airlockFingerprint/v1"]
			if len(r.Locations) > 0 {
				place = r.Locations[0].PhysicalLocation.ArtifactLocation.URI
				if region := r.Locations[0].PhysicalLocation.Region; region != nil {
					place += ":" + string(rune('0'+region.StartLine/10)) + string(rune('0'+region.StartLine%10))
				}
			}
			if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
				t.Errorf("%s is rule %d, which is %s", r.RuleID, r.RuleIndex, run.Tool.Driver.Rules[r.RuleIndex].ID)
			}
			got = append(got, strings.Join([]string{r.Properties["finding"].(string), r.RuleID, r.Level, place, fingerprint}, " "))
		}
	}
	const a, b = "run-db93904f83c62707abbb84a5", "run-1ca64a37f06e75eabc7d6e40"
	want := []string{
		a + "/f1 security/critical error internal/store/query.go:15 91eaef7d82bf995ca9b0b99fbc01adfb",
		a + "/f2 concurrency/major error internal/sync/worker.go:22 5dd1d68d61d622ddffe62635047b7908",
		a + "/f3 tests/minor warning  c81eb0aad2d60469a30015b635815fd5",
		a + "/f4 data_loss/major error internal/store/pool.go 8fb1a87163ac8932fb5f0de7b9affee4",
		b + "/f1 correctness/major error internal/sync/worker.go:22 8c7271c22d8fa21ddc8b8a75f72c6e4b",
		a + "/f1 security/critical error internal/store/query.go:15 91eaef7d82bf995ca9b0b99fbc01adfb",
		a + "/f2 concurrency/major error internal/sync/worker.go:22 5dd1d68d61d622ddffe62635047b7908",
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Errorf("results (-want +got):\n%s", difference)
	}
	first := read.Runs[0]
	if p := first.VersionControlProvenance; len(p) != 1 || p[0].RepositoryURI != "https://github.com/example-org/ledger" || p[0].RevisionID != "4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930" {
		t.Errorf("provenance %+v", p)
	}
	if first.AutomationDetails.ID != "airlock/pr-review/"+a || !first.Invocations[0].ExecutionSuccessful || read.Runs[1].Invocations[0].ExecutionSuccessful {
		t.Errorf("run %+v", first)
	}
}

// TestPlaces holds where a result points: a line of the change; a file alone for a line of before it, which is told in words; and
// nothing for a path that leads out of the repository.
func TestPlaces(t *testing.T) {
	number := func(n int) *int { return &n }
	left, right := contract.Left, contract.Right
	for _, c := range []struct {
		name, path  string
		start, line *int
		side        *string
		uri, said   string
		from, to    int
	}{
		{"a line", "a/b.go", nil, number(7), &right, "a/b.go", "", 7, 7},
		{"lines", "a/b.go", number(3), number(7), &right, "a/b.go", "", 3, 7},
		{"before the change", "a/b.go", nil, number(7), &left, "a/b.go", "line 7 of the file before the change", 0, 0},
		{"a file", "a/b.go", nil, nil, nil, "a/b.go", "", 0, 0},
		{"a name to escape", "a b/ü#?%:[x].go", nil, nil, nil, "a%20b/%C3%BC%23%3F%25%3A%5Bx%5D.go", "", 0, 0},
		{"like a scheme", "file:x", nil, nil, nil, "file%3Ax", "", 0, 0},
		{"absolute", "/etc/passwd", nil, number(1), &right, "", "", 0, 0},
		{"out", "../x", nil, number(1), &right, "", "", 0, 0},
		{"out in the middle", "a/../../x", nil, number(1), &right, "", "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := untrusted.New(c.path)
			a := account.Account{Run: "run-1", Findings: []account.Finding{{ID: "run-1/f1", Severity: "note", Category: "tests", Open: true,
				Path: &path, StartLine: c.start, Line: c.line, Side: c.side}}}
			r := write(t, a).Runs[0].Results[0]
			if r.Level != "note" {
				t.Errorf("level %s", r.Level)
			}
			if c.uri == "" {
				if len(r.Locations) > 0 {
					t.Errorf("points to %+v", r.Locations)
				}
				return
			}
			at := r.Locations[0]
			if at.PhysicalLocation.ArtifactLocation.URI != c.uri || at.PhysicalLocation.ArtifactLocation.URIBaseID != "SRCROOT" {
				t.Errorf("address %+v", at.PhysicalLocation.ArtifactLocation)
			}
			if (c.said != "") != (at.Message != nil) || at.Message != nil && at.Message.Text != c.said {
				t.Errorf("message %v, want %q", at.Message, c.said)
			}
			if region := at.PhysicalLocation.Region; (c.from > 0) != (region != nil) || region != nil && (region.StartLine != c.from || region.EndLine != c.to) {
				t.Errorf("region %+v", region)
			}
		})
	}
}

// TestWhatStands holds which Findings are results.
func TestWhatStands(t *testing.T) {
	for _, c := range []struct {
		name    string
		status  string
		finding account.Finding
		want    int
	}{
		{"open", "completed", account.Finding{Open: true, Gates: true, State: account.StatePosted}, 1},
		{"open from an earlier Run", "completed", account.Finding{Open: true, Gates: true, State: account.StateEarlier}, 1},
		{"closed", "completed", account.Finding{Gates: true, State: account.StatePosted}, 0},
		{"does not gate", "completed", account.Finding{State: account.StatePosted}, 1},
		{"not posted", "refused", account.Finding{State: account.StateNotPosted}, 0},
		{"not posted, gates", "refused", account.Finding{State: contract.StateFailed, Gates: true}, 0},
		{"nothing says what is open", "", account.Finding{State: account.StatePosted, Gates: true}, 1},
	} {
		c.finding.ID, c.finding.Severity, c.finding.Category = "run-1/f1", "major", "tests"
		if got := len(write(t, account.Account{Run: "run-1", Status: c.status, Findings: []account.Finding{c.finding}}).Runs[0].Results); got != c.want {
			t.Errorf("%s: %d results, want %d", c.name, got, c.want)
		}
	}
	if read := write(t); read.Version != "2.1.0" || read.Runs == nil {
		t.Errorf("of nothing: %+v", read)
	}
	data, err := sarif.Write([]account.Account{{Run: "run-1"}})
	if err != nil || !bytes.Contains(data, []byte(`"results": []`)) {
		t.Errorf("a run without results does not say so (%v):\n%s", err, data)
	}
}

// TestHostileTexts holds that whatever the texts are the document is valid, has nothing hidden in it, and its messages hold neither a
// link nor a placeholder of SARIF.
func TestHostileTexts(t *testing.T) {
	text := func(t *rapid.T, label string) *untrusted.Text {
		made := untrusted.New(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"\x1b[31m", "\u009b2J", "\u202e", "[click](https://evil.example)", "{0}", "{", "}}",
			`\`, `\[`, "\n", "\r", "\xff", "\u2028", "words", "é", "\U000e0041", "%2e%2e/", "/", "..", "a:b", "?", "#", "`"}), 1, 10).Draw(t, label), ""))
		return &made
	}
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.IntRange(1, 1<<20).Draw(t, "line")
		a := account.Account{Run: "run-1", Findings: []account.Finding{{ID: "run-1/f1", Severity: "major", Category: "tests", Open: true,
			Path: text(t, "path"), Line: &line, Title: text(t, "title"), Text: text(t, "text")}}}
		message := write(t, a).Runs[0].Results[0].Message.Text
		for at := 0; at < len(message); at++ {
			switch message[at] {
			case '\\':
				at++ // what stands for itself
			case '[', ']':
				t.Fatalf("a bracket that begins or ends a link: %q", message)
			case '{', '}':
				if at+1 >= len(message) || message[at+1] != message[at] {
					t.Fatalf("a brace of a placeholder: %q", message)
				}
				at++
			}
		}
		data, err := sarif.Write([]account.Account{a})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range string(data) {
			if r != '\n' && untrusted.Hidden(r) {
				t.Fatalf("%U in %q", r, data)
			}
		}
	})
}
