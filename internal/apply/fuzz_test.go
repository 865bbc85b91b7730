package apply

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// given is apply of one Result's bytes in an equal world each time.
type given struct {
	moment
	// threads are the ids of the comments that our threads begin with, before anything is written.
	threads []string
}

func beforeAnyResult(t testing.TB) given {
	t.Helper()
	m := beforeSecondApply(t)
	g := given{moment: m}
	state := m.start(t).State(t)
	for _, thread := range state.Pull(emulatortest.Number).Threads {
		g.threads = append(g.threads, decimal(thread.Comments[0].ID))
	}
	return g
}

// holds applies the bytes as the Result that run handed on, and holds that apply ends as it may, and asked for nothing that it
// may not.
func (g given) holds(t testing.TB, result []byte) ended {
	t.Helper()
	w := g.start(t)
	w.result = w.upload("airlock-result", map[string][]byte{resultFile: result}, contract.Digest(result))
	e := w.apply(nil)
	if e.code != 0 && e.code != 1 && e.code != exitMessage || strings.Contains(e.log, "broke off at") {
		t.Fatalf("apply ended with %d\n%s", e.code, e.log)
	}
	for _, call := range e.calls {
		if why := g.forbidden(call.Method, call.Path, call.Request); why != "" {
			t.Fatalf("%s %s: %s\n%s", call.Method, call.Path, why, call.Request)
		}
	}
	if w.alive() != 0 {
		t.Fatalf("%d tokens are alive", w.alive())
	}
	return e
}

// forbidden says what is wrong with a request: the whole set of those that apply may ever make.
func (g given) forbidden(method, path, request string) string {
	path, _, _ = strings.Cut(path, "?")
	const repository, pull = "/repos/example-org/ledger", "/repos/example-org/ledger/pulls/12"
	var body struct {
		Event, Name   string
		CommitID      string `json:"commit_id"`
		HeadSHA       string `json:"head_sha"`
		Query         string
		Permissions   map[string]string
		RepositoryIDs []int64 `json:"repository_ids"`
	}
	if request != "" && json.Unmarshal([]byte(request), &body) != nil {
		return "the body is no JSON"
	}
	switch {
	case method == http.MethodGet:
		if path != repository && !strings.HasPrefix(path, repository+"/") && !strings.HasPrefix(path, "/_blob/") {
			return "it reads elsewhere"
		}
	case method == http.MethodPost && path == "/graphql":
		if strings.Contains(body.Query, "mutation") && (!strings.Contains(body.Query, "resolveReviewThread") || strings.Count(body.Query, "input:") != 1) {
			return "it is another mutation"
		}
	case method == http.MethodPost && path == "/app/installations/80000001/access_tokens":
		allowed := map[string]string{"checks": "write", "contents": "write", "pull_requests": "write"}
		for name, level := range body.Permissions {
			if allowed[name] != level {
				return "it asks for " + name + ": " + level
			}
		}
		if len(body.Permissions) == 0 || !slices.Equal(body.RepositoryIDs, []int64{emulatortest.RepositoryID}) {
			return "it asks for everything, or elsewhere"
		}
	case method == http.MethodDelete && path == "/installation/token":
	case method == http.MethodPost && path == pull+"/reviews":
		if body.Event != "COMMENT" || body.CommitID != g.decision.Commit {
			return "it is no comment on the admitted commit"
		}
	case method == http.MethodPost && strings.HasPrefix(path, pull+"/comments/") && strings.HasSuffix(path, "/replies"):
		if id := strings.TrimSuffix(strings.TrimPrefix(path, pull+"/comments/"), "/replies"); !slices.Contains(g.threads, id) {
			return "it replies in a thread that is not ours"
		}
	case method == http.MethodPost && path == repository+"/check-runs", method == http.MethodPatch && strings.HasPrefix(path, repository+"/check-runs/"):
		if body.Name != "airlock / pr-review" || method == http.MethodPost && body.HeadSHA != g.decision.Commit {
			return "it is another check"
		}
	default:
		return "apply makes no such request"
	}
	return ""
}

// FuzzResult holds for any bytes that are handed on as a Result: apply neither panics nor makes a request outside of the
// permitted set, its records are of their schemas, nothing it leaves holds a credential, and no token outlives it. The seeds
// are a Result with every Effect type, and what the corpus under testdata has.
func FuzzResult(f *testing.F) {
	g := beforeAnyResult(f)
	archive, err := g.start(f).ArtifactZip(g.result.id)
	if err != nil {
		f.Fatal(err)
	}
	whole := unzipped(f, archive)[resultFile]
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(strings.Replace(string(whole), `"COMMENT"`, `"APPROVE"`, 1)))
	f.Add([]byte(strings.ReplaceAll(string(whole), "Text of f1.", "@all fixes #1 <!-- airlock/1 --> ![x](https://x.example)")))
	for _, text := range []string{"", "null", "{}", "[]", `{"schema":"result/1"}`, strings.Repeat("[", 40), "\xff\xfe", `{"schema":"result/1","schema":"result/1"}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, result []byte) { g.holds(t, result) })
}

// TestAnyMutatedResult is the same for Results that are nearly right: parts of one with every Effect type are taken out, doubled,
// moved, or given what an attacker would write there.
func TestAnyMutatedResult(t *testing.T) {
	g := beforeAnyResult(t)
	archive, err := g.start(t).ArtifactZip(g.result.id)
	if err != nil {
		t.Fatal(err)
	}
	var whole any
	if err := json.Unmarshal(unzipped(t, archive)[resultFile], &whole); err != nil {
		t.Fatal(err)
	}
	hostile := []any{nil, "", "x", -1, 0, 1 << 40, true, []any{}, map[string]any{}, "APPROVE", "REQUEST_CHANGES", "submit_review", "resolve_thread", "run-0123456789abcdef01234567/f1",
		"../../.github/workflows/x.yml", "@everyone closes #1", "<!-- airlock/1 finding id=run-0123456789abcdef01234567/f1 category=tests severity=minor anchor=- fingerprint=43241ed41c13b2e6e689d405023e5c59 -->",
		"```suggestion\nx\n```", "\u202e\U000e0041", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", strings.Repeat("y", 70000), "f1", "f2", "e1", g.decision.Run}
	wrote, refused := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		document := copied(whole)
		for range rapid.IntRange(0, 3).Draw(r, "edits") {
			mutate(r, document, hostile)
		}
		data, err := json.Marshal(document)
		if err != nil {
			r.Fatal(err)
		}
		if e := g.holds(t, data); len(e.applied.Effects) > 0 && e.code == 0 {
			wrote++
		} else {
			refused++
		}
	})
	if wrote == 0 || refused == 0 {
		t.Errorf("%d Results were written and %d were not: one way was never gone", wrote, refused)
	}
}

// copied is a document that can be changed by itself.
func copied(value any) any {
	switch v := value.(type) {
	case map[string]any:
		object := map[string]any{}
		for name, member := range v {
			object[name] = copied(member)
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = copied(item)
		}
		return list
	}
	return value
}

// mutate goes down a way that is drawn and changes what is there.
func mutate(r *rapid.T, value any, hostile []any) {
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			return
		}
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(v))).Draw(r, "member")
		if deeper(v[name]) && rapid.IntRange(0, 4).Draw(r, "deeper") > 0 {
			mutate(r, v[name], hostile)
			return
		}
		switch rapid.IntRange(0, 3).Draw(r, "change") {
		case 0:
			delete(v, name)
		case 1:
			v["unknown"] = v[name]
		default:
			v[name] = rapid.SampledFrom(hostile).Draw(r, "value")
		}
	case []any:
		if len(v) == 0 {
			return
		}
		at := rapid.IntRange(0, len(v)-1).Draw(r, "item")
		if deeper(v[at]) && rapid.IntRange(0, 4).Draw(r, "deeper") > 0 {
			mutate(r, v[at], hostile)
			return
		}
		other := rapid.IntRange(0, len(v)-1).Draw(r, "other")
		v[at], v[other] = v[other], copied(v[at])
	}
}

func deeper(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}
