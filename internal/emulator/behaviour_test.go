package emulator_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// postReview posts a review of the App with comments on the added, a removed, a context and another file's line.
func postReview(t *testing.T, app client) {
	t.Helper()
	given := app.do("POST", repo+"/pulls/12/reviews", `{"event":"COMMENT","body":"Four.","comments":[
		{"path":"internal/store/query.go","line":10,"body":"added"},
		{"path":"internal/store/query.go","line":10,"side":"LEFT","body":"removed"},
		{"path":"internal/store/query.go","start_line":29,"line":31,"body":"range"},
		{"path":"internal/store/owner.go","line":1,"body":"other file"}]}`)
	if given.status != 200 {
		t.Fatalf("review: %d %s", given.status, given.text)
	}
}

// placesOf shows where the threads are: path, side, lines, whether outdated.
func placesOf(pull *emulator.Pull) []string {
	var places []string
	show := func(line *int) string {
		if line == nil {
			return "-"
		}
		return fmt.Sprint(*line)
	}
	for _, thread := range pull.Threads {
		places = append(places, fmt.Sprintf("%s %s %s-%s was %d", thread.Path[len("internal/store/"):], thread.Side, show(thread.StartLine), show(thread.Line), thread.OriginalLine))
	}
	return places
}

func TestPushMovesThreads(t *testing.T) {
	edited := func(change func(string) string) emulator.Tree {
		tree := maps.Clone(emulatortest.Head)
		tree["internal/store/query.go"] = emulatortest.Text(change(string(tree["internal/store/query.go"].Content)))
		return tree
	}
	withoutOwner := maps.Clone(emulatortest.Head)
	delete(withoutOwner, "internal/store/owner.go")
	cases := []struct {
		name string
		tree emulator.Tree
		want []string
	}{
		{"lines above shift all", edited(func(text string) string { return "// one\n// two\n" + text }),
			[]string{"query.go RIGHT --12 was 10", "query.go LEFT --10 was 10", "query.go RIGHT 31-33 was 31", "owner.go RIGHT --1 was 1"}},
		{"commented line changed", edited(func(text string) string { return strings.Replace(text, "// changed", "// changed again", 1) }),
			[]string{"query.go RIGHT --- was 10", "query.go LEFT --10 was 10", "query.go RIGHT 29-31 was 31", "owner.go RIGHT --1 was 1"}},
		{"line back as it was, so no longer in the diff", edited(func(text string) string { return strings.Replace(text, "// added\n", "", 1) }),
			[]string{"query.go RIGHT --10 was 10", "query.go LEFT --10 was 10", "query.go RIGHT --- was 31", "owner.go RIGHT --1 was 1"}},
		{"file no longer in the change", withoutOwner,
			[]string{"query.go RIGHT --10 was 10", "query.go LEFT --10 was 10", "query.go RIGHT 29-31 was 31", "owner.go RIGHT --- was 1"}},
		{"everything gone", emulatortest.Base,
			[]string{"query.go RIGHT --- was 10", "query.go LEFT --- was 10", "query.go RIGHT --- was 31", "owner.go RIGHT --- was 1"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			instance, job := start(t, nil, emulator.Options{})
			postReview(t, mint(t, job.url, `{"pull_requests":"write"}`))
			if _, err := instance.Push(emulator.PushAct{Number: 12, Tree: c.tree}); err != nil {
				t.Fatal(err)
			}
			if difference := cmp.Diff(c.want, placesOf(instance.State(t).Pull(12))); difference != "" {
				t.Errorf("(-want +got):\n%s", difference)
			}
		})
	}
}

// TestPositions counts the lines below the first hunk header, as the legacy form does.
func TestPositions(t *testing.T) {
	_, job := start(t, nil, emulator.Options{})
	postReview(t, mint(t, job.url, `{"pull_requests":"write"}`))
	var got []string
	for _, comment := range job.get(repo + "/pulls/12/comments").list(t) {
		got = append(got, fmt.Sprintf("%v:%v:%v", comment["original_position"], comment["position"], len(strings.Split(comment["diff_hunk"].(string), "\n"))))
	}
	// In query.go lines 7 to 9, the removed 10 and the added 10 are positions 1 to 5; the second header is 9.
	if want := "5:5:6 4:4:5 13:13:5 1:1:2"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestPushAndReviewCommit(t *testing.T) {
	for _, force := range []bool{false, true} {
		instance, job := start(t, nil, emulator.Options{})
		app := mint(t, job.url, `{"pull_requests":"write"}`)
		postReview(t, app)
		before := instance.State(t).Pull(12).Head.Commit
		instance.SetClock(emulatortest.Now.Add(time.Hour / 2))
		after, err := instance.Push(emulator.PushAct{Number: 12, Tree: emulatortest.Base, Force: force})
		if err != nil {
			t.Fatal(err)
		}
		want := before
		if force { // C2
			want = after
		}
		if got := job.get(repo + "/pulls/12/reviews").list(t)[0]["commit_id"]; got != want {
			t.Errorf("force %t: commit_id %v, want %s", force, got, want)
		}
		if comment := job.get(repo + "/pulls/12/comments").list(t)[0]; comment["original_commit_id"] != before || comment["line"] != nil || comment["original_line"] != 10.0 {
			t.Errorf("force %t: comment %v", force, comment)
		}
		pull := job.get(repo + "/pulls/12").document(t)
		if head := pull["head"].(map[string]any); head["sha"] != after || head["repo"].(map[string]any)["pushed_at"] != "2026-11-30T10:35:03Z" {
			t.Errorf("force %t: head %v", force, head["sha"])
		}
		given := app.do("POST", repo+"/pulls/12/reviews", `{"event":"COMMENT","commit_id":"`+before+`","comments":[{"path":"internal/store/query.go","line":10,"body":"late"}]}`)
		if force && (given.status != 422 || !strings.Contains(given.text, "not part of the pull request")) { // C4
			t.Errorf("forced away: %d %s", given.status, given.text)
		}
		if !force { // an older commit of the pull request is taken, and its comment is outdated
			threads := placesOf(instance.State(t).Pull(12))
			if given.status != 200 || threads[len(threads)-1] != "query.go RIGHT --- was 10" {
				t.Errorf("older commit: %d %v", given.status, threads)
			}
		}
	}
}

func TestBrowserEdit(t *testing.T) {
	instance, job := start(t, nil, emulator.Options{})
	postReview(t, mint(t, job.url, `{"pull_requests":"write"}`))
	instance.SetClock(emulatortest.Now.Add(time.Minute))
	review := instance.State(t).Pull(12).Reviews[0]
	comment := instance.State(t).Pull(12).Threads[0].Comments[0]
	for _, edit := range []emulator.EditAct{{ReviewID: review.ID, ActorID: emulatortest.MaintainerID}, {CommentID: 9001}, {LineCommentID: comment.ID}, {Title: "T"}} {
		edit.Number, edit.Body = 12, "one\ntwo\n"
		if err := instance.Edit(edit); err != nil {
			t.Fatal(err)
		}
	}
	pull := instance.State(t).Pull(12)
	for name, text := range map[string]struct {
		body string
		at   *time.Time
	}{"review": {pull.Reviews[0].Body, pull.Reviews[0].EditedAt}, "comment": {pull.Comments[0].Body, pull.Comments[0].EditedAt},
		"line comment": {pull.Threads[0].Comments[0].Body, pull.Threads[0].Comments[0].EditedAt}, "pull request": {pull.Body, pull.EditedAt}} {
		if text.body != "one\r\ntwo\r\n" || text.at == nil || !text.at.Equal(emulatortest.Now.Add(time.Minute)) {
			t.Errorf("%s: %q edited at %v", name, text.body, text.at)
		}
	}
	answered := job.do("POST", "/graphql", graphqlBody(t, `{repository(owner:"example-org",name:"ledger"){pullRequest(number:12){lastEditedAt editor{login} reviews(first:1){nodes{lastEditedAt body editor{login}}}}}}`, nil))
	if want := `{"data":{"repository":{"pullRequest":{"editor":{"login":"contributor"},"lastEditedAt":"2026-11-30T10:06:03Z","reviews":{"nodes":[{"body":"one\r\ntwo\r\n","editor":{"login":"maintainer"},"lastEditedAt":"2026-11-30T10:06:03Z"}]}}}}}`; answered.text != want {
		t.Errorf("%s", answered.text)
	}
}

func TestReplies(t *testing.T) {
	_, job := start(t, nil, emulator.Options{})
	app := mint(t, job.url, `{"pull_requests":"write"}`)
	postReview(t, app)
	top := int64(job.get(repo + "/pulls/12/comments").list(t)[0]["id"].(float64))
	path := func(id int64) string { return fmt.Sprintf("%s/pulls/12/comments/%d/replies", repo, id) }
	given := app.do("POST", path(top), `{"body":"Answer."}`)
	reply := given.document(t)
	if given.status != 201 || reply["in_reply_to_id"] != float64(top) || reply["body"] != "Answer." || reply["line"] != 10.0 {
		t.Errorf("%d %v", given.status, reply)
	}
	if reviews := job.get(repo + "/pulls/12/reviews").list(t); len(reviews) != 2 || reviews[1]["body"] != "" || reviews[1]["id"] != reply["pull_request_review_id"] {
		t.Errorf("a reply is a review of its own: %v", reviews)
	}
	for name, c := range map[string]struct {
		id     int64
		body   string
		status int
	}{
		"to a reply": {int64(reply["id"].(float64)), `{"body":"x"}`, 422}, "to nothing": {1, `{"body":"x"}`, 404}, "empty": {top, `{"body":" "}`, 422},
		"too long": {top, `{"body":"` + strings.Repeat("x", 65537) + `"}`, 422}, "unknown field": {top, `{"body":"x","in_reply_to":1}`, 422}, "no body": {top, `{}`, 422},
	} {
		if given := app.do("POST", path(c.id), c.body); given.status != c.status {
			t.Errorf("%s: %d %.200s, want %d", name, given.status, given.text, c.status)
		}
	}
}

func TestCheckRuns(t *testing.T) {
	instance, job := start(t, nil, emulator.Options{})
	app := mint(t, job.url, `{"checks":"write"}`)
	head := instance.State(t).Pull(12).Head.Commit
	create := func(fields string) reply {
		return app.do("POST", repo+"/check-runs", `{"name":"gate","head_sha":"`+head+`"`+fields+`}`)
	}
	for name, c := range map[string]struct {
		fields string
		status int
	}{
		"completed without a conclusion": {`,"status":"completed"`, 422}, "unknown conclusion": {`,"conclusion":"good"`, 422}, "stale": {`,"conclusion":"stale"`, 422},
		"output without a summary": {`,"output":{"title":"t"}`, 422}, "output without a title": {`,"output":{"summary":"t"}`, 422},
		"summary over the limit (B3)": {`,"output":{"title":"t","summary":"` + strings.Repeat("x", 65536) + `"}`, 422}, "unknown field": {`,"app_id":1`, 422},
		"no time": {`,"started_at":"yesterday"`, 422}, "summary at the limit": {`,"output":{"title":"t","summary":"` + strings.Repeat("x", 65535) + `"}`, 201},
	} {
		if given := create(c.fields); given.status != c.status {
			t.Errorf("%s: %d %.200s, want %d", name, given.status, given.text, c.status)
		}
	}
	if given := app.do("POST", repo+"/check-runs", `{"name":"gate","head_sha":"ffffffffffffffffffffffffffffffffffffffff"}`); given.status != 422 {
		t.Errorf("unknown commit: %d", given.status)
	}
	first := create(`,"external_id":"one","conclusion":"failure"`).document(t)
	create(`,"external_id":"two"`)
	if first["status"] != "completed" || first["completed_at"] != "2026-11-30T10:05:03Z" || first["app"].(map[string]any)["id"] != float64(emulatortest.AppID) {
		t.Errorf("%v", first)
	}
	for filter, want := range map[string]float64{"": 1, "?filter=latest&check_name=gate": 1, "?filter=all": 3, "?check_name=other": 0, "?filter=all&status=completed": 1, "?app_id=1": 0} {
		if got := job.get(repo + "/commits/" + head + "/check-runs" + filter).document(t)["total_count"]; got != want {
			t.Errorf("%q: %v checks, want %v", filter, got, want)
		}
	}
	other, err := instance.MintJobToken(emulator.JobToken{RunID: emulatortest.RunID, Permissions: map[string]string{"checks": "write"}})
	if err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("%s/check-runs/%.0f", repo, first["id"])
	if given := (client{t: t, url: job.url, token: other}).do("PATCH", path, `{"conclusion":"success"}`); given.status != 403 {
		t.Errorf("another App's change: %d", given.status)
	}
	if given := app.do("PATCH", path, `{"conclusion":"success"}`); given.document(t)["conclusion"] != "success" {
		t.Errorf("own change: %s", given.text)
	}
}

func TestArtifacts(t *testing.T) {
	instance, job := start(t, nil, emulator.Options{})
	content := []byte("PK bytes")
	uploaded, err := instance.UploadArtifact(emulatortest.RunID, "airlock-result", content)
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256(content)
	if uploaded.ID != 5000000001 || uploaded.Digest != hex.EncodeToString(digest[:]) {
		t.Errorf("%+v", uploaded)
	}
	if _, err := instance.UploadArtifact(emulatortest.RunID, "airlock-result", content); err == nil {
		t.Error("a second artifact of the same name was taken")
	}
	path := fmt.Sprintf("%s/actions/artifacts/%d", repo, uploaded.ID)
	meta := job.get(path).document(t)
	if meta["digest"] != "sha256:"+uploaded.Digest || meta["workflow_run"].(map[string]any)["id"] != float64(emulatortest.RunID) || meta["expired"] != false {
		t.Errorf("%v", meta)
	}
	location := job.get(path + "/zip").header.Get("Location")
	blob := strings.TrimPrefix(location, job.url)
	anonymous := client{t: t, url: job.url}
	if given := anonymous.get(blob); given.status != 200 || given.text != string(content) {
		t.Errorf("%d %q", given.status, given.text)
	}
	if given := job.get(blob); given.status != 400 || !strings.Contains(given.text, "InvalidAuthenticationInfo") { // H3
		t.Errorf("with Authorization: %d %s", given.status, given.text)
	}
	if given := anonymous.get(strings.Replace(blob, "se=1", "se=2", 1)); given.status != 403 {
		t.Errorf("another end: %d", given.status)
	}
	instance.SetClock(emulatortest.Now.Add(time.Minute))
	if given := anonymous.get(blob); given.status != 403 {
		t.Errorf("after a minute: %d", given.status)
	}
	if given := job.get(path + "/tar"); given.status != 404 {
		t.Errorf("another format: %d", given.status)
	}
	for _, call := range instance.State(t).Calls {
		if strings.HasPrefix(call.Path, "/_blob/") && (call.Number != 0 || strings.Contains(call.Path, "sig=")) {
			t.Errorf("logged as %+v", call)
		}
	}
	instance.SetClock(emulatortest.Now.Add(91 * 24 * time.Hour))
	late, err := instance.MintJobToken(emulator.JobToken{RunID: emulatortest.RunID, Permissions: map[string]string{"actions": "read"}})
	if err != nil {
		t.Fatal(err)
	}
	if given := (client{t: t, url: job.url, token: late}).get(path + "/zip"); given.status != 410 { // H5
		t.Errorf("expired: %d", given.status)
	}
}

func TestWorkflowRunFilters(t *testing.T) {
	_, job := start(t, func(seed *emulator.Seed) {
		for i := range 4 {
			seed.WorkflowRuns = append(seed.WorkflowRuns, &emulator.Run{WorkflowID: emulatortest.WorkflowID, Event: "schedule", Status: "completed", Conclusion: "success",
				CreatedAt: emulatortest.Now.Add(-time.Duration(i+1) * 12 * time.Hour)})
		}
	}, emulator.Options{})
	for filter, want := range map[string]float64{
		"": 5, "?event=schedule": 4, "?status=in_progress": 1, "?status=success": 4, "?created=%3E%3D2026-11-29T10:05:03Z": 3, "?created=%3E2026-11-29T10:05:03Z": 2,
		"?created=2026-11-29T00:00:00Z..2026-11-29T23:59:59Z": 2, "?created=2026-11-29": 2, "?created=%3C2026-11-29": 2, "?created=%3C%3D2026-11-29T10:05:03Z": 3,
		"?branch=other": 0, "?created=2026-11-29T10:05:03Z..*": 3,
	} {
		if got := job.get(repo + "/actions/workflows/review.yml/runs" + filter).document(t)["total_count"]; got != want {
			t.Errorf("%q: %v runs, want %v", filter, got, want)
		}
	}
	if given := job.get(repo + "/actions/workflows/other.yml/runs"); given.status != 404 {
		t.Errorf("unknown workflow: %d", given.status)
	}
}

var nextLink = regexp.MustCompile(`<([^>]*)>; rel="next"`)

func TestPagesOfREST(t *testing.T) {
	many := func(seed *emulator.Seed) {
		for i := range 130 {
			seed.PullRequests[0].Comments = append(seed.PullRequests[0].Comments, &emulator.Comment{AuthorID: emulatortest.ContributorID, Body: fmt.Sprint(i)})
		}
	}
	cases := []struct {
		query string
		limit int
		pages []int
	}{
		{"", 0, []int{30, 30, 30, 30, 11}}, {"?per_page=100", 0, []int{100, 31}}, {"?per_page=1000", 0, []int{100, 31}}, {"?per_page=100", 60, []int{60, 60, 11}}, {"?page=6", 0, []int{0}},
	}
	for _, c := range cases {
		_, job := start(t, many, emulator.Options{PageLimit: c.limit})
		var sizes []int
		for path := repo + "/issues/12/comments" + c.query; ; {
			given := job.get(path)
			sizes = append(sizes, len(given.list(t)))
			next := nextLink.FindStringSubmatch(given.header.Get("Link"))
			if next == nil {
				break
			}
			path = strings.TrimPrefix(next[1], job.url)
		}
		if difference := cmp.Diff(c.pages, sizes); difference != "" {
			t.Errorf("%q with limit %d (-want +got): %s", c.query, c.limit, difference)
		}
	}
	_, job := start(t, nil, emulator.Options{})
	for _, query := range []string{"?perpage=100", "?per_page=x", "?page=0", "?page=1&page=2"} {
		if given := job.get(repo + "/issues/12/comments" + query); given.status != 422 {
			t.Errorf("%q: %d, want 422", query, given.status)
		}
	}
}

func TestDiffLimits(t *testing.T) {
	tree := emulator.Tree{}
	for i := range 301 {
		tree[fmt.Sprintf("f%03d", i)] = emulatortest.Text("x\n")
	}
	for name, c := range map[string]struct {
		head   emulator.Tree
		status int
		says   string
	}{
		"300 files": {func() emulator.Tree { t := maps.Clone(tree); delete(t, "f000"); return t }(), 200, ""}, "301 files": {tree, 406, `"code":"too_large"`},
		"19,994 lines with six of headers": {emulator.Tree{"f": emulatortest.Text(lines(19994))}, 200, ""},
		"20,001 lines":                     {emulator.Tree{"f": emulatortest.Text(lines(19995))}, 406, "lines (20000)"},
	} {
		_, job := start(t, func(seed *emulator.Seed) {
			seed.PullRequests[0].Base.Tree, seed.PullRequests[0].Head.Tree = emulator.Tree{}, c.head
		}, emulator.Options{})
		job.accept = "application/vnd.github.v3.diff"
		if given := job.get(repo + "/pulls/12"); given.status != c.status || !strings.Contains(given.text, c.says) {
			t.Errorf("%s: %d %.200s", name, given.status, given.text)
		}
	}
}

func TestPullFiles(t *testing.T) {
	_, job := start(t, func(seed *emulator.Seed) {
		seed.PullRequests[0].Base.Tree = emulator.Tree{"gone": emulatortest.Text("x\n"), "old name": emulatortest.Text(lines(9)), "bin": emulatortest.Text("a\x00"), "run": emulatortest.Text("#!\n")}
		seed.PullRequests[0].Head.Tree = emulator.Tree{"new": emulatortest.Text("p\nq"), "new name": emulatortest.Text(lines(9)), "bin": emulatortest.Text("b\x00"),
			"run": {Content: []byte("#!\n"), Mode: "100755"}, "ü": emulatortest.Text("")}
	}, emulator.Options{})
	var got []string
	for _, file := range job.get(repo + "/pulls/12/files").list(t) {
		got = append(got, fmt.Sprintf("%v %v +%v -%v %.7v %q %v", file["filename"], file["status"], file["additions"], file["deletions"], file["sha"], file["patch"], file["previous_filename"]))
	}
	want := []string{
		`bin modified +0 -0 5f74d8d %!q(<nil>) <nil>`,
		`gone removed +0 -1 587be6b "@@ -1 +0,0 @@\n-x" <nil>`,
		`new added +2 -0 bae1ee2 "@@ -0,0 +1,2 @@\n+p\n+q\n\\ No newline at end of file" <nil>`,
		`new name renamed +0 -0 cbb4363 %!q(<nil>) old name`,
		`run modified +0 -0 9d72ba0 %!q(<nil>) <nil>`,
		`ü added +0 -0 e69de29 %!q(<nil>) <nil>`,
	}
	for i := range want { // the ids are git's, held by TestDiffEqualsGit
		want[i] = shaPattern.ReplaceAllString(want[i], "$1 ID")
	}
	for i := range got {
		got[i] = shaPattern.ReplaceAllString(got[i], "$1 ID")
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Errorf("(-want +got):\n%s", difference)
	}
}

var oidPattern = regexp.MustCompile(`"[0-9a-f]{40}"`)

var shaPattern = regexp.MustCompile(`(-\d+) [0-9a-f]{7}`)

func TestUserAgentIsNeeded(t *testing.T) {
	_, job := start(t, nil, emulator.Options{})
	request, err := http.NewRequest("GET", job.url+repo, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("User-Agent", "")
	request.Header.Set("Authorization", "Bearer "+job.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 403 {
		t.Errorf("%d", response.StatusCode)
	}
}
