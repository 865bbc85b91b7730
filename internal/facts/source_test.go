package facts_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/facts"
	"github.com/seed-2ea642bd/airlock/internal/github"
)

// sourceOf makes a source of a default branch that holds the files.
func sourceOf(t *testing.T, files map[string]string) (*facts.Source, *emulatortest.Instance, *github.Client) {
	t.Helper()
	seed := emulatortest.Seed()
	main := emulator.Tree{"README.md": emulatortest.Text("x\n")}
	for path, content := range files {
		main[path] = emulatortest.Text(content)
	}
	seed.Repository.Branches["main"] = emulator.Branch{Tree: main}
	seed.PullRequests[0].Base.Tree, seed.PullRequests[0].Base.Commit = emulatortest.Base, ""
	instance := emulatortest.Start(t, seed, emulator.Options{})
	client := clientFor(t, instance.URL, nil)
	source, err := facts.NewSource(context.Background(), client, emulatortest.Owner, emulatortest.Name, emulatortest.RepositoryID)
	if err != nil {
		t.Fatal(err)
	}
	return source, instance, client
}

// TestSource holds what is found, byte for byte, and how many calls absence costs.
func TestSource(t *testing.T) {
	asked := []string{"policy.json", "apps.json", "harness.json", "roles/pr-review.json", "roles/pr-review.md", "evals/pr-review/cases.json"}
	tests := []struct {
		name  string
		files map[string]string
		found string
		calls int
	}{
		{"nothing", nil, "", 1},
		{"policy and apps", map[string]string{"policy.json": "{}", "apps.json": "a\r\n\x00\xff"}, "policy.json apps.json", 3},
		{"a role", map[string]string{"roles/pr-review.md": "prompt"}, "roles/pr-review.md", 3},
		{"another role", map[string]string{"roles/other.md": "prompt"}, "", 2},
		{"an eval set", map[string]string{"evals/pr-review/cases.json": "[]"}, "evals/pr-review/cases.json", 4},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{}
			for name, content := range test.files {
				files[".github/airlock/"+name] = content
			}
			source, _, client := sourceOf(t, files)
			var found []string
			for _, name := range asked {
				data, ok, err := source.ReadFile(context.Background(), ".github/airlock/"+name)
				if err != nil {
					t.Fatal(err)
				}
				if ok {
					found = append(found, name)
				}
				if string(data) != test.files[name] {
					t.Errorf("%s: %q", name, data)
				}
			}
			if got := strings.Join(found, " "); got != test.found {
				t.Errorf("found %q, want %q", got, test.found)
			}
			if got, want := client.Calls(), (contract.Calls{GraphQL: 1, REST: test.calls}); got != want {
				t.Errorf("calls %+v, want %+v", got, want)
			}
		})
	}
}

// TestSourceStandsStill holds that the files are those of one commit, whatever is pushed meanwhile.
func TestSourceStandsStill(t *testing.T) {
	source, instance, _ := sourceOf(t, map[string]string{".github/airlock/policy.json": "old"})
	if _, err := instance.SetBranch(emulator.BranchAct{Name: "main", Tree: emulator.Tree{".github/airlock/policy.json": emulatortest.Text("new")}}); err != nil {
		t.Fatal(err)
	}
	data, found, err := source.ReadFile(context.Background(), ".github/airlock/policy.json")
	if err != nil || !found || string(data) != "old" {
		t.Errorf("%q, found %v, error %v", data, found, err)
	}
}

// TestSourceThatCannotBeRead holds that an unreadable answer is an error and never an absent file.
func TestSourceThatCannotBeRead(t *testing.T) {
	tests := []struct {
		name  string
		match string
		kind  string
		class github.Class
	}{
		{"folder, server error", "/contents/.github/airlock", "error-500-not-done", github.ClassUnavailable},
		{"folder, no permission", "/contents/.github/airlock", "lag-403", github.ClassPermissionDenied},
		{"folder, half an answer", "/contents/.github/airlock", "truncated-json", github.ClassMalformed},
		{"folder, renamed", "/contents/.github/airlock", "moved-301", github.ClassRedirected},
		{"file, server error", "/contents/.github/airlock/policy.json", "error-500-not-done", github.ClassUnavailable},
		{"file, gone after it was listed", "/contents/.github/airlock/policy.json", "missing-404", github.ClassNotFound},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			source, instance, _ := sourceOf(t, map[string]string{".github/airlock/policy.json": "{}"})
			if err := instance.Inject(emulator.Fault{Kind: test.kind, Match: "GET /repos/{owner}/{repo}" + test.match, Times: 9}); err != nil {
				t.Fatal(err)
			}
			data, found, err := source.ReadFile(context.Background(), ".github/airlock/policy.json")
			if github.ClassOf(err) != test.class || found || data != nil {
				t.Errorf("%q, found %v, error %v, want class %s", data, found, err, test.class)
			}
		})
	}
	t.Run("a file instead of the folder", func(t *testing.T) {
		source, _, _ := sourceOf(t, map[string]string{".github/airlock": "a file"})
		if _, _, err := source.ReadFile(context.Background(), ".github/airlock/policy.json"); github.ClassOf(err) != github.ClassMalformed {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a file outside", func(t *testing.T) {
		source, _, _ := sourceOf(t, nil)
		if _, _, err := source.ReadFile(context.Background(), ".github/airlock/../workflows/review.yml"); err == nil {
			t.Error("no error")
		}
	})
}

// TestNewSource holds whose repository is read.
func TestNewSource(t *testing.T) {
	instance := emulatortest.Start(t, emulatortest.Seed(), emulator.Options{})
	ctx := context.Background()
	if _, err := facts.NewSource(ctx, clientFor(t, instance.URL, nil), emulatortest.Owner, emulatortest.Name, 7); github.ClassOf(err) != github.ClassRedirected {
		t.Errorf("another id: %v", err)
	}
	if _, err := facts.NewSource(ctx, clientFor(t, instance.URL, nil), emulatortest.Owner, "absent", 7); github.ClassOf(err) != github.ClassNotFound {
		t.Errorf("another name: %v", err)
	}
	broken := tamper{matches: func(*http.Request, string) bool { return true }, change: func(a *http.Response, body []byte) {
		answerWith(a, strings.ReplaceAll(string(body), `"oid":"`, `"oid":"X`))
	}}
	if _, err := facts.NewSource(ctx, clientFor(t, instance.URL, broken), emulatortest.Owner, emulatortest.Name, emulatortest.RepositoryID); github.ClassOf(err) != github.ClassMalformed {
		t.Errorf("no commit: %v", err)
	}
}
