package apply

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/effects"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/facts"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/outcome"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

// checkPage is the checks of one commit, as a value.
type checkPage struct {
	checks []map[string]any
	// shows, when not nil, changes what the n-th list from 1 shows.
	shows func(n int, checks []map[string]any) []map[string]any
	lists int
	calls []string
}

func (c *checkPage) RoundTrip(request *http.Request) (*http.Response, error) {
	c.calls = append(c.calls, request.Method)
	var body []byte
	if request.Method == http.MethodGet {
		c.lists++
		shown := append([]map[string]any{}, c.checks...)
		if c.shows != nil {
			shown = c.shows(c.lists, shown)
		}
		body, _ = json.Marshal(map[string]any{"total_count": len(shown), "check_runs": shown})
	} else {
		asked := map[string]any{}
		if err := json.NewDecoder(request.Body).Decode(&asked); err != nil {
			return nil, err
		}
		asked["app"] = map[string]any{"id": emulatortest.AppID}
		asked["id"] = 100 + len(c.checks)
		if request.Method == http.MethodPatch {
			for _, check := range c.checks {
				if strings.HasSuffix(request.URL.Path, fmt.Sprintf("/%v", check["id"])) {
					for _, field := range []string{"status", "conclusion", "output", "external_id"} {
						check[field] = asked[field]
					}
				}
			}
		} else {
			c.checks = append(c.checks, asked)
		}
		body = []byte("{}")
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(body))), Request: request}, nil
}

const checkedRun = "run-000000000000000000000001"

func (c *checkPage) reporter(t *testing.T) reporter {
	t.Helper()
	client, err := github.New(github.Options{APIURL: "https://api.example.test", GraphQLURL: "https://api.example.test/graphql", Token: secret.New("a-token"), Transport: c, Sleep: noWait})
	if err != nil {
		t.Fatal(err)
	}
	decision := contract.Decision{Run: checkedRun, Item: contract.Item{Number: 12}, Repository: contract.Repository{Owner: "o", Name: "n"}}
	return newReporter(client, decision, contract.App{AppID: emulatortest.AppID},
		func([]facts.Check) outcome.Check {
			return outcome.Check{Name: "airlock / pr-review", Commit: strings.Repeat("c", 40), Conclusion: "failure", Own: "failure", Title: "A title", Summary: "A summary"}
		})
}

func planted(id int, run string, app int64) map[string]any {
	return map[string]any{"id": id, "name": "airlock / pr-review", "head_sha": strings.Repeat("c", 40), "external_id": facts.CheckPrefix(run, 12) + "success",
		"status": "completed", "conclusion": "success", "output": map[string]any{"title": "T", "summary": "S"}, "app": map[string]any{"id": app}}
}

// TestCheckReadBack changes one field of the check that is read back: where it stays so there is no check to claim.
func TestCheckReadBack(t *testing.T) {
	for field, value := range map[string]any{"": nil, "name": "another", "head_sha": "d", "status": "queued", "conclusion": "success", "id": 0,
		"output": map[string]any{"title": "Another", "summary": "A summary"}, "output ": map[string]any{"title": "A title", "summary": "Another"},
		"app": map[string]any{"id": 5}, "external_id": "another"} {
		for _, late := range []bool{false, true} {
			page := &checkPage{shows: func(n int, checks []map[string]any) []map[string]any {
				if field == "" || n == 1 || late && n > 2 {
					return checks
				}
				changed := map[string]any{}
				for key, is := range checks[0] {
					changed[key] = is
				}
				changed[strings.TrimSpace(field)] = value
				return []map[string]any{changed}
			}}
			record, _, err := page.reporter(t).write(t.Context())
			want := contract.CodeReadbackMismatch
			switch {
			case field == "" || late:
				if err != nil || record.DatabaseID != 100 || record.Conclusion != "failure" || record.AuthorAppID != emulatortest.AppID {
					t.Errorf("%q late %v: %+v, %v", field, late, record, err)
				}
				continue
			case field == "app", field == "external_id":
				want = contract.CodeEffectUnknown
			}
			if err == nil || effects.CodeOf(err) != want || len(page.checks) != 1 {
				t.Errorf("%q: %v, want %s", field, err, want)
			}
		}
	}
}

// TestCheckOfThisRunAlone holds which check is updated: the newest of this Run and this App, and no other.
func TestCheckOfThisRunAlone(t *testing.T) {
	other := "run-000000000000000000000002"
	for name, c := range map[string]struct {
		there []map[string]any
		id    int64
		calls []string
	}{
		"none":           {nil, 100, []string{"GET", "POST", "GET"}},
		"of this Run":    {[]map[string]any{planted(7, checkedRun, emulatortest.AppID)}, 7, []string{"GET", "PATCH", "GET"}},
		"of another Run": {[]map[string]any{planted(7, other, emulatortest.AppID)}, 101, []string{"GET", "POST", "GET"}},
		"of another App": {[]map[string]any{planted(7, checkedRun, 5)}, 101, []string{"GET", "POST", "GET"}},
		"two of this Run": {[]map[string]any{planted(7, checkedRun, emulatortest.AppID), planted(9, checkedRun, emulatortest.AppID), planted(8, checkedRun, emulatortest.AppID)},
			9, []string{"GET", "PATCH", "GET"}},
	} {
		page := &checkPage{checks: c.there}
		record, _, err := page.reporter(t).write(t.Context())
		if err != nil || record.DatabaseID != c.id || !slices.Equal(page.calls, c.calls) {
			t.Errorf("%s: %+v by %v, %v", name, record, page.calls, err)
		}
	}
}

// TestChecksThatDoNotEnd refuses a list without its list, and one that goes on for ever.
func TestChecksThatDoNotEnd(t *testing.T) {
	for name, body := range map[string]string{"no list": `{"total_count":0}`, "for ever": `{"check_runs":[]}`} {
		r := (&checkPage{}).reporter(t)
		client, err := github.New(github.Options{APIURL: "https://api.example.test", GraphQLURL: "https://api.example.test/graphql", Token: secret.New("a-token"), Sleep: noWait,
			Transport: roundTrip(func(request *http.Request) (*http.Response, error) {
				if request.Method != http.MethodGet {
					t.Errorf("%s: a check is written", name)
				}
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Link": {`<https://x>; rel="next"`}}, Body: io.NopCloser(strings.NewReader(body)), Request: request}, nil
			})})
		if err != nil {
			t.Fatal(err)
		}
		r.client = client
		if _, _, err := r.write(t.Context()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestAnotherRunBesideThis lets another Run's review of the same content appear after the Kernel was asked and before the
// write: this one writes nothing.
func TestAnotherRunBesideThis(t *testing.T) {
	w := newWorld(t, nil)
	w.admit()
	w.answer(three())
	next := w.transport
	w.transport = roundTrip(func(request *http.Request) (*http.Response, error) {
		if strings.HasSuffix(request.URL.Path, "/access_tokens") {
			w.reviewOfAnotherRun()
		}
		return next.RoundTrip(request)
	})
	e := w.apply(nil)
	w.holdsRow(e, overRow, []contract.Code{contract.CodeSupersededReviewed}, []string{})
	if !slices.Equal(e.states(), []string{"not_attempted"}) {
		t.Errorf("the Effect is %v", e.states())
	}
}

// TestALostReplyOfTheCheck is answered by looking: the first execution already has the check.
func TestALostReplyOfTheCheck(t *testing.T) {
	for kind, conclusion := range map[string]string{"killed-after": "failure", "error-500-done": "failure", "truncated-json": "failure", "error-500-not-done": ""} {
		w := newWorld(t, nil)
		w.admit()
		w.answer(three())
		w.must(w.Inject(emulator.Fault{Kind: kind, Match: "POST /repos/*/*/check-runs"}))
		e := w.apply(nil)
		if e.conclusion() != conclusion || (e.outcome.Check != nil) != (conclusion != "") || (e.code == 0) != (conclusion != "") {
			t.Errorf("%s: code %d, %q, check %+v for %v\n%s", kind, e.code, e.conclusion(), e.outcome.Check, e.outcome.Reasons, e.log)
		}
		if conclusion == "" && e.outcome.Reasons[0] != contract.CodeEffectUnknown {
			t.Errorf("%s: %v", kind, e.outcome.Reasons)
		}
	}
}

// TestTheLogQuotesNobody holds that a sentence of GitHub's, which may quote a stranger, reaches no log, record or summary.
func TestTheLogQuotesNobody(t *testing.T) {
	w := newWorld(t, nil)
	w.admit()
	w.answer(three())
	w.must(w.Inject(emulator.Fault{Kind: "invalid-strings", Match: "POST /repos/*/*/pulls/*/reviews"}))
	e := w.apply(nil)
	w.holdsRow(e, row{"failed", "platform", "action_required", 1}, []contract.Code{contract.CodeEffectRejected}, []string{postReview, postCheck})
	if strings.Contains(e.log+e.summary, "could not be resolved") || !strings.Contains(e.log, "pulls/12/reviews: invalid request (status 422)") {
		t.Errorf("the log:\n%s", e.log)
	}
}

func TestToldInClosedWords(t *testing.T) {
	for want, err := range map[string]error{
		"GET /x: unavailable (status 502)": &github.Error{Operation: "GET /x", Class: github.ClassUnavailable, Status: 502, Message: "a sentence"},
		"GET /x: permission denied (status 403); permissions that would do: issues=write; pull_requests=write": &github.Error{Operation: "GET /x", Class: github.ClassPermissionDenied, Status: 403, Message: "a sentence", Accepted: "issues=write; pull_requests=write"},
		"GET /x: permission denied":      &github.Error{Operation: "GET /x", Class: github.ClassPermissionDenied, Accepted: "##[command]=write"},
		"GET /x: malformed answer: ours": fmt.Errorf("wrapped: %w", github.Malformed("GET /x", "ours")),
		"ours":                           &effects.Fault{What: "ours"},
	} {
		if got := told(err); got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
}
