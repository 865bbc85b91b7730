package emulator_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

const mintPath = "/app/installations/80000001/access_tokens"

func TestAppJWT(t *testing.T) {
	_, job := start(t, nil, emulator.Options{})
	now := emulatortest.Now
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(method jwt.SigningMethod, key any) string {
		token, err := jwt.NewWithClaims(method, jwt.MapClaims{"iss": "900001", "iat": now.Unix(), "exp": now.Add(time.Minute).Unix()}).SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	with := func(name string, value any) string {
		return signed(t, func(claims jwt.MapClaims) {
			claims[name] = value
			if value == nil {
				delete(claims, name)
			}
		})
	}
	cases := []struct {
		name, token string
		status      int
		message     string
	}{
		{"good", signed(t, nil), 201, ""},
		{"iss a number", with("iss", 900001), 201, ""},
		{"iat now", with("iat", now.Unix()), 201, ""},
		{"exp ten minutes ahead", with("exp", now.Add(10*time.Minute).Unix()), 201, ""},
		{"exp over ten minutes ahead (E6)", with("exp", now.Add(10*time.Minute+time.Second).Unix()), 401, "'Expiration time' claim ('exp') is too far in the future"},
		{"exp now", with("exp", now.Unix()), 401, "'Expiration time' claim ('exp') must be"},
		{"exp missing", with("exp", nil), 401, "'Expiration time' claim ('exp') must be"},
		{"exp a string", with("exp", "1800000000"), 401, "'Expiration time' claim ('exp') must be"},
		{"iat in the future (E7)", with("iat", now.Unix()+1), 401, "'Issued at' claim ('iat') must be an Integer"},
		{"iat a fraction (E7)", with("iat", float64(now.Unix())-0.5), 401, "'Issued at' claim ('iat') must be an Integer"},
		{"iat missing", with("iat", nil), 401, "'Issued at' claim ('iat') must be an Integer"},
		{"another App", with("iss", "900002"), 404, "Integration not found"},
		{"another key", sign(jwt.SigningMethodRS256, other), 401, "could not be decoded"},
		{"another algorithm", sign(jwt.SigningMethodRS512, emulatortest.Key()), 401, "could not be decoded"},
		{"symmetric", sign(jwt.SigningMethodHS256, []byte("secret")), 401, "could not be decoded"},
		{"not a JWT", "x", 401, "could not be decoded"},
		{"a job's token", emulatortest.JobToken, 401, "could not be decoded"},
		{"none", "", 401, "could not be decoded"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			given := client{t: t, url: job.url, token: c.token}.do("POST", mintPath, "")
			if given.status != c.status || !strings.Contains(given.text, c.message) {
				t.Errorf("%d %s, want %d with %q", given.status, given.text, c.status, c.message)
			}
		})
	}
}

func TestMintNarrows(t *testing.T) {
	_, job := start(t, nil, emulator.Options{})
	app := client{t: t, url: job.url, token: signed(t, nil)}
	cases := []struct {
		name, body  string
		status      int
		permissions string
		selection   string
	}{
		{"nothing asked", ``, 201, `{"checks":"write","metadata":"read","pull_requests":"write"}`, "all"},
		{"one repository", `{"repository_ids":[701002003]}`, 201, `{"checks":"write","metadata":"read","pull_requests":"write"}`, "selected"},
		{"one permission", `{"permissions":{"checks":"write"},"repository_ids":[701002003]}`, 201, `{"checks":"write","metadata":"read"}`, "selected"},
		{"less than granted", `{"permissions":{"checks":"read"},"repositories":["ledger"]}`, 201, `{"checks":"read","metadata":"read"}`, "selected"},
		{"not granted", `{"permissions":{"contents":"write"}}`, 422, "", ""},
		{"more than granted", `{"permissions":{"metadata":"write"}}`, 422, "", ""},
		{"metadata alone", `{"permissions":{"metadata":"read"}}`, 201, `{"metadata":"read"}`, "all"},
		{"unknown key (E1)", `{"permissions":{"pull-requests":"write"}}`, 422, "", ""},
		{"unknown level", `{"permissions":{"checks":"admin"}}`, 422, "", ""},
		{"another repository", `{"repository_ids":[701002004]}`, 422, "", ""},
		{"repository of no one", `{"repositories":["none"]}`, 422, "", ""},
		{"both ways", `{"repositories":["ledger"],"repository_ids":[701002003]}`, 422, "", ""},
		{"unknown field", `{"repository":"ledger"}`, 422, "", ""},
		{"not JSON", `{`, 400, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			given := app.do("POST", mintPath, c.body)
			if given.status != c.status {
				t.Fatalf("%d %s, want %d", given.status, given.text, c.status)
			}
			if c.status != 201 {
				return
			}
			document := given.document(t)
			permissions, err := json.Marshal(document["permissions"])
			if err != nil {
				t.Fatal(err)
			}
			if string(permissions) != c.permissions || document["repository_selection"] != c.selection {
				t.Errorf("%s, %v; want %s, %s", permissions, document["repository_selection"], c.permissions, c.selection)
			}
			if document["expires_at"] != "2026-11-30T11:05:03Z" {
				t.Errorf("expires_at %v", document["expires_at"])
			}
		})
	}
	if given := app.do("POST", "/app/installations/80000002/access_tokens", ""); given.status != 404 {
		t.Errorf("another installation: %d", given.status)
	}
}

func TestTokenForms(t *testing.T) {
	for _, c := range []struct {
		classic    bool
		least, top int
	}{{true, 40, 40}, {false, 480, 560}} {
		_, job := start(t, nil, emulator.Options{ClassicTokens: c.classic})
		token := mint(t, job.url, `{"checks":"write"}`).token
		if len(token) < c.least || len(token) > c.top || !strings.HasPrefix(token, "ghs_") || strings.Contains(token, ".") == c.classic {
			t.Errorf("classic %t: token of %d characters", c.classic, len(token))
		}
	}
}

func TestTokenEnds(t *testing.T) {
	instance, job := start(t, nil, emulator.Options{})
	app := mint(t, job.url, `{"pull_requests":"write"}`)
	instance.SetClock(emulatortest.Now.Add(time.Hour - time.Second))
	if status := app.get(repo + "/pulls/12").status; status != 200 {
		t.Errorf("before its end: %d", status)
	}
	instance.SetClock(emulatortest.Now.Add(time.Hour))
	if status := app.get(repo + "/pulls/12").status; status != 401 {
		t.Errorf("at its end: %d", status)
	}
	if _, err := instance.SetWorkflowRun(emulator.Run{ID: emulatortest.RunID, Status: "completed", Conclusion: "success"}); err != nil {
		t.Fatal(err)
	}
	if status := job.get(repo + "/pulls/12").status; status != 401 {
		t.Errorf("job's token after its run: %d", status)
	}
}

// TestPermissions asks every operation with a token that has every permission but the needed ones.
func TestPermissions(t *testing.T) {
	ceiling := map[string]string{"actions": "write", "checks": "write", "contents": "write", "issues": "write", "pull_requests": "write", "metadata": "read"}
	instance, job := start(t, func(seed *emulator.Seed) { seed.Apps[0].Permissions = ceiling }, emulator.Options{})
	without := func(keys ...string) client {
		permissions := map[string]string{}
		for key, level := range ceiling {
			permissions[key] = level
		}
		for _, key := range keys {
			name, level, keep := strings.Cut(key, "=")
			delete(permissions, name)
			if keep {
				permissions[name] = level
			}
		}
		token, err := instance.MintJobToken(emulator.JobToken{RunID: emulatortest.RunID, Permissions: permissions})
		if err != nil {
			t.Fatal(err)
		}
		return client{t: t, url: job.url, token: token}
	}
	cases := []struct {
		method, path string
		without      []string
		accepted     string
	}{
		{"GET", "/actions/artifacts", []string{"actions"}, "actions=read"},
		{"GET", "/actions/artifacts/1", []string{"actions"}, "actions=read"},
		{"GET", "/actions/artifacts/1/zip", []string{"actions"}, "actions=read"},
		{"GET", "/actions/runs", []string{"actions"}, "actions=read"},
		{"GET", "/actions/runs/17000000001", []string{"actions"}, "actions=read"},
		{"GET", "/actions/runs/17000000001/artifacts", []string{"actions"}, "actions=read"},
		{"GET", "/actions/workflows/review.yml/runs", []string{"actions"}, "actions=read"},
		{"GET", "/branches/main", []string{"contents"}, "contents=read"},
		{"GET", "/commits/main", []string{"contents"}, "contents=read"},
		{"GET", "/contents/README.md", []string{"contents"}, "contents=read"},
		{"GET", "/git/ref/heads/main", []string{"contents"}, "contents=read"},
		{"POST", "/check-runs", []string{"checks=read"}, "checks=write"},
		{"PATCH", "/check-runs/1", []string{"checks=read"}, "checks=write"},
		{"GET", "/check-runs/1", []string{"checks"}, "checks=read"},
		{"GET", "/commits/main/check-runs", []string{"checks"}, "checks=read"},
		{"GET", "/issues/12/comments", []string{"issues", "pull_requests"}, "issues=read; pull_requests=read"},
		{"GET", "/issues/comments/9001", []string{"issues", "pull_requests"}, "issues=read; pull_requests=read"},
		{"POST", "/issues/12/comments", []string{"issues=read", "pull_requests=read"}, "issues=write; pull_requests=write"},
		{"GET", "/issues/12/events", []string{"issues", "pull_requests"}, "issues=read; pull_requests=read"},
		{"GET", "/issues/12/labels", []string{"issues", "pull_requests"}, "issues=read; pull_requests=read"},
		{"GET", "/pulls/12", []string{"pull_requests"}, "pull_requests=read"},
		{"GET", "/pulls/12/files", []string{"pull_requests"}, "pull_requests=read"},
		{"GET", "/pulls/12/commits", []string{"pull_requests"}, "pull_requests=read"},
		{"GET", "/pulls/12/comments", []string{"pull_requests"}, "pull_requests=read"},
		{"GET", "/pulls/comments/1", []string{"pull_requests"}, "pull_requests=read"},
		{"GET", "/pulls/12/reviews", []string{"pull_requests"}, "pull_requests=read"},
		{"GET", "/pulls/12/reviews/1", []string{"pull_requests"}, "pull_requests=read"},
		{"GET", "/pulls/12/reviews/1/comments", []string{"pull_requests"}, "pull_requests=read"},
		{"GET", "/commits/main/pulls", []string{"pull_requests"}, "pull_requests=read"},
		{"POST", "/pulls/12/reviews", []string{"pull_requests=read"}, "pull_requests=write"},
		{"DELETE", "/pulls/12/reviews/1", []string{"pull_requests=read"}, "pull_requests=write"},
		{"POST", "/pulls/12/comments/1/replies", []string{"pull_requests=read"}, "pull_requests=write"},
	}
	for _, c := range cases {
		t.Run(c.method+c.path, func(t *testing.T) {
			body := ""
			if c.method == "POST" || c.method == "PATCH" {
				body = `{"body":"x","name":"n","head_sha":"s","status":"queued"}`
				if !strings.HasSuffix(c.path, "check-runs") {
					body = `{"body":"x"}`
				}
			}
			given := without(c.without...).do(c.method, repo+c.path, body)
			if given.status != http.StatusForbidden || given.header.Get("X-Accepted-GitHub-Permissions") != c.accepted {
				t.Errorf("%d with %q, want 403 with %q", given.status, given.header.Get("X-Accepted-GitHub-Permissions"), c.accepted)
			}
		})
	}
	if given := without("issues", "checks").get(repo + "/issues/12/comments"); given.status != 200 {
		t.Errorf("a pull request's conversation by pull_requests alone: %d", given.status)
	}
	for _, path := range []string{"/repos/example-org/another/pulls/12", "/repos/example-org/none", "/repos/other/ledger/pulls/12"} {
		if given := job.get(path); given.status != 404 {
			t.Errorf("%s: %d, want 404", path, given.status)
		}
	}
	if given := (client{t: t, url: job.url, token: "ghs_none"}).get(repo + "/pulls/12"); given.status != 401 {
		t.Errorf("unknown token: %d", given.status)
	}
}

// lines is a text of n lines.
func lines(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	return text.String()
}

func TestReviewRefusals(t *testing.T) {
	comment := func(fields string) string {
		return `{"event":"COMMENT","body":"b","comments":[{"path":"internal/store/query.go","body":"c",` + fields + `}]}`
	}
	long := strings.Repeat("ü", 65537)
	cases := []struct {
		name, body string
		status     int
		says       string
	}{
		{"added line", comment(`"line":10`), 200, ""},
		{"context line, right", comment(`"line":7`), 200, ""},
		{"context line, left", comment(`"line":7,"side":"LEFT"`), 200, ""},
		{"removed line", comment(`"line":10,"side":"LEFT"`), 200, ""},
		{"context after the shift, right", comment(`"line":34`), 200, ""},
		{"range", comment(`"start_line":8,"start_side":"RIGHT","line":10,"side":"RIGHT"`), 200, ""},
		{"line above the hunk", comment(`"line":6`), 422, "Line could not be resolved"},
		{"line below the hunk", comment(`"line":14`), 422, "Line could not be resolved"},
		{"left number that is only on the right", comment(`"line":34,"side":"LEFT"`), 422, "Line could not be resolved"},
		{"no line", comment(`"side":"RIGHT"`), 422, "Line could not be resolved"},
		{"path not in the change (A2)", `{"event":"COMMENT","comments":[{"path":"README.md","line":1,"body":"c"}]}`, 422, "Path could not be resolved"},
		{"range of equal ends (A3)", comment(`"start_line":10,"line":10`), 422, "must precede the end line"},
		{"range the wrong way", comment(`"start_line":11,"line":10`), 422, "must precede the end line"},
		{"range over two hunks (A4)", comment(`"start_line":10,"line":31`), 422, "part of the same hunk"},
		{"range from outside", comment(`"start_line":5,"line":10`), 422, "Start line could not be resolved"},
		{"side of no meaning", comment(`"line":10,"side":"UP"`), 422, "neither LEFT nor RIGHT"},
		{"position beside line", comment(`"line":10,"position":3`), 422, `\"position\" is not a permitted key`},
		{"unknown field", `{"event":"COMMENT","body":"b","sha":"x"}`, 422, `\"sha\" is not a permitted key`},
		{"field in another case", `{"Event":"COMMENT","body":"b"}`, 422, `\"Event\" is not a permitted key`},
		{"null", `{"event":"COMMENT","body":"b","commit_id":null}`, 422, "nil is not a string"},
		{"comment without a body", `{"event":"COMMENT","comments":[{"path":"x","line":1}]}`, 422, `\"body\" wasn't supplied`},
		{"empty comment", `{"event":"COMMENT","comments":[{"path":"internal/store/query.go","line":10,"body":""}]}`, 422, "blank"},
		{"unknown event", `{"event":"MERGE","body":"b"}`, 422, "invalid value"},
		{"COMMENT with nothing (B4)", `{"event":"COMMENT"}`, 422, "You need to leave a comment"},
		{"body at the limit", `{"event":"COMMENT","body":"` + strings.Repeat("ü", 65536) + `"}`, 200, ""},
		{"body over the limit (W15)", `{"event":"COMMENT","body":"` + long + `"}`, 422, "too long"},
		{"comment over the limit (B2)", `{"event":"COMMENT","comments":[{"path":"internal/store/query.go","line":10,"body":"` + long + `"}]}`, 422, "too long"},
		{"commit of another change (C4)", `{"event":"COMMENT","body":"b","commit_id":"ffffffffffffffffffffffffffffffffffffffff"}`, 422, "not part of the pull request"},
		{"no JSON", `x`, 400, "Problems parsing JSON"},
		{"no object", `[]`, 422, "not an object"},
		{"no body", ``, 422, "not an object"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			instance, job := start(t, nil, emulator.Options{})
			given := mint(t, job.url, `{"pull_requests":"write"}`).do("POST", repo+"/pulls/12/reviews", c.body)
			if given.status != c.status || !strings.Contains(given.text, c.says) {
				t.Errorf("%d %.300s, want %d with %q", given.status, given.text, c.status, c.says)
			}
			if stored := len(instance.State(t).Pull(12).Reviews); stored != map[bool]int{true: 1}[c.status == 200] {
				t.Errorf("%d reviews stored", stored)
			}
		})
	}
}

func TestReviewRefusalsOfState(t *testing.T) {
	review := `{"event":"COMMENT","body":"b"}`
	t.Run("errors are sentences", func(t *testing.T) {
		_, job := start(t, nil, emulator.Options{})
		given := mint(t, job.url, `{"pull_requests":"write"}`).do("POST", repo+"/pulls/12/reviews", `{"event":"COMMENT","comments":[{"path":"x","line":1,"body":"c"}]}`).document(t)
		if fmt.Sprint(given["message"], given["errors"]) != "Unprocessable Entity[Path could not be resolved]" {
			t.Errorf("%v", given)
		}
	})
	t.Run("second pending review (D5)", func(t *testing.T) {
		_, job := start(t, nil, emulator.Options{})
		app := mint(t, job.url, `{"pull_requests":"write"}`)
		if given := app.do("POST", repo+"/pulls/12/reviews", `{"body":"later"}`); given.document(t)["state"] != "PENDING" {
			t.Fatalf("%s", given.text)
		}
		if given := app.do("POST", repo+"/pulls/12/reviews", review); given.status != 422 || !strings.Contains(given.text, "one pending review") {
			t.Errorf("%d %s", given.status, given.text)
		}
		if seen := len(job.get(repo + "/pulls/12/reviews").list(t)); seen != 0 {
			t.Errorf("others see %d reviews", seen)
		}
		if seen := len(app.get(repo + "/pulls/12/reviews").list(t)); seen != 1 {
			t.Errorf("its author sees %d reviews", seen)
		}
	})
	for _, event := range []string{"APPROVE", "REQUEST_CHANGES"} {
		t.Run(event+" by the author (W20)", func(t *testing.T) {
			_, job := start(t, func(seed *emulator.Seed) { seed.PullRequests[0].AuthorID = emulatortest.BotUserID }, emulator.Options{})
			given := mint(t, job.url, `{"pull_requests":"write"}`).do("POST", repo+"/pulls/12/reviews", `{"event":"`+event+`","body":"b"}`)
			if given.status != 422 || !strings.Contains(given.text, "your own pull request") {
				t.Errorf("%d %s", given.status, given.text)
			}
		})
		t.Run(event+" of a closed one", func(t *testing.T) {
			_, job := start(t, func(seed *emulator.Seed) { seed.PullRequests[0].State = "closed" }, emulator.Options{})
			app := mint(t, job.url, `{"pull_requests":"write"}`)
			if given := app.do("POST", repo+"/pulls/12/reviews", `{"event":"`+event+`","body":"b"}`); given.status != 422 {
				t.Errorf("%d %s", given.status, given.text)
			}
			if given := app.do("POST", repo+"/pulls/12/reviews", review); given.status != 200 {
				t.Errorf("a comment on a closed one, which GitHub takes (W35): %d", given.status)
			}
		})
	}
	t.Run("locked (G3)", func(t *testing.T) {
		_, job := start(t, func(seed *emulator.Seed) { seed.PullRequests[0].Locked = true }, emulator.Options{})
		app := mint(t, job.url, `{"pull_requests":"write"}`)
		for _, path := range []string{"/pulls/12/reviews", "/issues/12/comments"} {
			body := review
			if strings.HasPrefix(path, "/issues") {
				body = `{"body":"b"}`
			}
			if given := app.do("POST", repo+path, body); given.status != 403 || !strings.Contains(given.text, "issue is locked") {
				t.Errorf("%s: %d %s", path, given.status, given.text)
			}
		}
	})
}
