package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/diff"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// small is the smallest scenario: one file changed, one Run, nothing recorded.
func small() map[string]any {
	return map[string]any{
		"title": "Say hello", "body": "", "number": 7,
		"repository":  map[string]any{"id": 10, "owner": "acme", "owner_id": 11, "name": "hello", "default_branch": "main"},
		"author":      map[string]any{"id": 20, "login": "stranger", "type": "User"},
		"fork":        map[string]any{"id": 12, "owner_id": 20},
		"head_ref":    "hello",
		"maintainers": []any{map[string]any{"id": 30, "login": "keeper", "type": "User"}},
		"app":         map[string]any{"app_id": 40, "bot_user_id": 41, "installation_id": 42, "slug": "reviewer"},
		"runs":        []any{map[string]any{"head": "head", "answer": "answer.json"}},
	}
}

// folder writes a scenario.
func folder(t *testing.T, document []byte) string {
	t.Helper()
	root := t.TempDir()
	for name, data := range map[string]string{ScenarioFile: string(document), "base/hello.txt": "hello\n", "head/hello.txt": "hello, world\n",
		"answer.json": "{}"} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(data), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func encoded(t *testing.T, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestLoadSmallest(t *testing.T) {
	s, err := Load(folder(t, encoded(t, small())))
	if err != nil {
		t.Fatal(err)
	}
	if s.login(30) != "keeper" || s.login(41) != "reviewer[bot]" || s.login(99) != "" || len(s.Runs) != 1 {
		t.Errorf("not what was written: %+v", s)
	}
}

// TestLoadRefuses holds that what is wrong with a scenario is told by file and field.
func TestLoadRefuses(t *testing.T) {
	inside := func(name string) func(map[string]any) map[string]any {
		return func(d map[string]any) map[string]any { return d[name].(map[string]any) }
	}
	for name, c := range map[string]struct {
		change func(map[string]any)
		want   string
	}{
		"no number":            {func(d map[string]any) { delete(d, "number") }, "pull-request.json: field number: it must be a positive number"},
		"number as text":       {func(d map[string]any) { d["number"] = "7" }, "pull-request.json: field number: it is a JSON string, and must be of another kind (int)"},
		"unknown field":        {func(d map[string]any) { d["nonsense"] = 1 }, `pull-request.json: unknown field "nonsense"`},
		"no repository id":     {func(d map[string]any) { inside("repository")(d)["id"] = -1 }, "field repository.id: it must be a positive number"},
		"no owner":             {func(d map[string]any) { inside("repository")(d)["owner"] = "" }, "field repository.owner: it is needed"},
		"no title":             {func(d map[string]any) { d["title"] = "" }, "field title: it is needed"},
		"no head ref":          {func(d map[string]any) { delete(d, "head_ref") }, "field head_ref: it is needed"},
		"no App":               {func(d map[string]any) { delete(d, "app") }, "field app.app_id: it must be a positive number"},
		"no maintainer":        {func(d map[string]any) { d["maintainers"] = []any{} }, "field maintainers: at least one is needed"},
		"fork without an id":   {func(d map[string]any) { inside("fork")(d)["id"] = 0 }, "field fork: id and owner_id must be positive"},
		"comment of a nobody":  {func(d map[string]any) { d["comments"] = []any{map[string]any{"author": 99, "body": "x"}} }, "field comments[0].author: 99 is neither"},
		"no Run":               {func(d map[string]any) { d["runs"] = []any{} }, "field runs: at least one is needed"},
		"head that is no tree": {func(d map[string]any) { d["runs"] = []any{map[string]any{"head": "nowhere"}} }, `field runs[0].head: there is no folder "nowhere"`},
		"head outside":         {func(d map[string]any) { d["runs"] = []any{map[string]any{"head": "../.."}} }, `field runs[0].head: there is no folder "../.."`},
		"answer that is none": {func(d map[string]any) { d["runs"] = []any{map[string]any{"head": "head", "answer": "no.json"}} },
			`field runs[0].answer: there is no file "no.json"`},
	} {
		t.Run(name, func(t *testing.T) {
			document := small()
			c.change(document)
			_, err := Load(folder(t, encoded(t, document)))
			var asked *Usage
			if !errors.As(err, &asked) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	for name, c := range map[string]struct{ document, want string }{
		"not JSON":      {"{\n\n\"title\": }", "pull-request.json: line 3: invalid character"},
		"truncated":     {`{"title": "x"`, "pull-request.json: unexpected EOF"},
		"trailing data": {string(encoded(t, small())) + "{}", "pull-request.json: there is data after the document"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Load(folder(t, []byte(c.document))); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestNothingToReplay holds that a change without a recorded answer is told to need a model.
func TestNothingToReplay(t *testing.T) {
	document := small()
	document["runs"] = []any{map[string]any{"head": "head"}}
	s, err := Load(folder(t, encoded(t, document)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.checkAnswers(); err == nil || !strings.Contains(err.Error(), "field runs[0].answer: there is no recorded answer to replay; name one, or ask a model with --engine claude") {
		t.Errorf("got %v", err)
	}
}

func TestAnswerPlaceholders(t *testing.T) {
	s, err := Load("")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.answer("answer-2.json", map[string]string{"run 1": "r", "diff": "d", "answer f1": "a"}); err == nil ||
		!strings.Contains(err.Error(), "answer-2.json: {{answer f3}} stands for nothing in this Run") {
		t.Errorf("got %v", err)
	}
	data, err := s.answer("answer-2.json", map[string]string{"run 1": "r", "diff": "d", "answer f1": "a", "answer f3": "b"})
	if err != nil || bytes.Contains(data, []byte("{{")) || !json.Valid(data) {
		t.Errorf("got %v", err)
	}
}

// TestEmbeddedChange holds what the demo promises of its change: about 300 changed lines over several files, a file over the
// budget, an opaque one, an excluded one, and texts of every class.
func TestEmbeddedChange(t *testing.T) {
	s, err := Load("")
	if err != nil {
		t.Fatal(err)
	}
	seed, err := s.seed("", opening, EngineReplay)
	if err != nil {
		t.Fatal(err)
	}
	server, err := emulator.New(withoutApps(seed), emulator.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	served := servedDiff(t, server, s)
	var lines, files, opaque, over, excluded int
	for _, file := range diff.NewIndex(served).Files() {
		files++
		changed := 0
		for _, line := range strings.Split(string(file.Raw), "\n") {
			if strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "---") {
				changed++
			}
		}
		switch {
		case changed == 0:
			opaque++
		case len(file.Raw) > s.Budget.DiffCharacters:
			over++
		case strings.HasPrefix(file.Path(), "vendor/"):
			excluded++
		}
		lines += changed
	}
	if files != 10 || opaque != 1 || over != 1 || excluded != 1 || lines < 280 || lines > 320 {
		t.Errorf("%d files, %d opaque, %d over the budget, %d excluded, %d changed lines; want 10, 1, 1, 1 and about 300", files, opaque, over, excluded, lines)
	}
	if len(s.Factory) == 0 || len(s.Advisory) == 0 || len(s.Maintainers) == 0 {
		t.Error("nobody of a trust class is in the scenario")
	}
}
