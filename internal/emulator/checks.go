package emulator

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// Limits of a check's output.
const (
	longestOutput   = 65535
	mostAnnotations = 50
)

// checkRequest is the body of both writes of a check run; name and head_sha are required of a new one.
type checkRequest struct {
	Name        string         `json:"name"`
	HeadSHA     string         `json:"head_sha"`
	DetailsURL  string         `json:"details_url"`
	ExternalID  string         `json:"external_id"`
	Status      string         `json:"status"`
	StartedAt   string         `json:"started_at"`
	Conclusion  string         `json:"conclusion"`
	CompletedAt string         `json:"completed_at"`
	Output      *outputRequest `json:"output"`
}

type outputRequest struct {
	Title       string              `json:"title"`
	Summary     string              `json:"summary" emulator:"required"`
	Text        string              `json:"text"`
	Annotations []annotationRequest `json:"annotations"`
}

type annotationRequest struct {
	Path            string `json:"path" emulator:"required"`
	StartLine       *int   `json:"start_line" emulator:"required"`
	EndLine         *int   `json:"end_line" emulator:"required"`
	StartColumn     *int   `json:"start_column"`
	EndColumn       *int   `json:"end_column"`
	AnnotationLevel string `json:"annotation_level" emulator:"required"`
	Message         string `json:"message" emulator:"required"`
	Title           string `json:"title"`
	RawDetails      string `json:"raw_details"`
}

// createCheckRun makes a check of the App whose token asks.
func (server *Server) createCheckRun(c *call) answer {
	var asked checkRequest
	if refusal, refused := c.decode(&asked); refused {
		return refusal
	}
	for name, value := range map[string]string{"name": asked.Name, "head_sha": asked.HeadSHA} {
		if value == "" {
			return unprocessable(fmt.Sprintf("Invalid request.\n\n%q wasn't supplied.", name))
		}
	}
	if server.world.commits[asked.HeadSHA] == nil {
		return unprocessable("No commit found for SHA: " + asked.HeadSHA)
	}
	check := &CheckRun{AppID: c.token.appID(), HeadCommit: asked.HeadSHA, Status: "queued"}
	if refusal, refused := server.change(check, asked); refused {
		return refusal
	}
	check.ID = server.world.next("check")
	server.world.checks = append(server.world.checks, check)
	return answer{status: http.StatusCreated, body: c.checkAnswer(check)}
}

// updateCheckRun changes a check; only the App that made it may.
func (server *Server) updateCheckRun(c *call) answer {
	check, refusal := c.checkRun()
	if check == nil {
		return refusal
	}
	var asked checkRequest
	if refusal, refused := c.decode(&asked); refused {
		return refusal
	}
	if asked.HeadSHA != "" {
		return unprocessable("Invalid request.\n\n\"head_sha\" is not a permitted key.")
	}
	if check.AppID != c.token.appID() {
		return problem(http.StatusForbidden, "Invalid app_id `"+strconv.FormatInt(c.token.appID(), 10)+"` - check run can only be modified by the GitHub App that created it.")
	}
	changed := *check
	if refusal, refused := server.change(&changed, asked); refused {
		return refusal
	}
	*check = changed
	return ok(c.checkAnswer(check))
}

// change applies a request to a check, which may be half changed when it is refused.
func (server *Server) change(check *CheckRun, asked checkRequest) (answer, bool) {
	one := func(field, value string, of ...string) (answer, bool) {
		if value == "" || slices.Contains(of, value) {
			return answer{}, false
		}
		return unprocessable(fmt.Sprintf("Invalid request.\n\nFor 'properties/%s', %q is not a possible value.", field, value)), true
	}
	if refusal, refused := one("status", asked.Status, "queued", "in_progress", "completed"); refused {
		return refusal, true
	}
	if refusal, refused := one("conclusion", asked.Conclusion, "action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"); refused {
		return refusal, true
	}
	if output := asked.Output; output != nil {
		if output.Title == "" {
			return unprocessable("Invalid request.\n\n\"title\" wasn't supplied."), true
		}
		for _, value := range []string{output.Summary, output.Text} {
			if length := utf8.RuneCountInString(value); length > longestOutput {
				return unprocessable(fmt.Sprintf("Invalid request.\n\nOnly %d characters are allowed; %d were supplied.", longestOutput, length)), true
			}
		}
		if len(output.Annotations) > mostAnnotations {
			return unprocessable(fmt.Sprintf("Invalid request.\n\nNo more than %d items are allowed; %d were supplied.", mostAnnotations, len(output.Annotations))), true
		}
		check.Title, check.Summary, check.Text = output.Title, output.Summary, output.Text
		check.Annotations += len(output.Annotations)
	}
	for _, field := range []struct {
		value string
		into  *string
	}{{asked.Name, &check.Name}, {asked.ExternalID, &check.ExternalID}, {asked.DetailsURL, &check.DetailsURL}, {asked.Status, &check.Status}, {asked.Conclusion, &check.Conclusion}} {
		if field.value != "" {
			*field.into = field.value
		}
	}
	for _, field := range []struct {
		name, value string
		into        **time.Time
	}{{"started_at", asked.StartedAt, &check.StartedAt}, {"completed_at", asked.CompletedAt, &check.CompletedAt}} {
		if field.value == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, field.value)
		if err != nil {
			return unprocessable(fmt.Sprintf("Invalid request.\n\nFor 'properties/%s', %q is not a date-time.", field.name, field.value)), true
		}
		*field.into = &at
	}
	now := server.clock.now()
	if asked.Conclusion != "" || asked.CompletedAt != "" {
		check.Status = "completed"
	}
	if check.StartedAt == nil {
		check.StartedAt = &now
	}
	if check.Status != "completed" {
		check.Conclusion, check.CompletedAt = "", nil
		return answer{}, false
	}
	if check.Conclusion == "" {
		return unprocessable("Invalid request.\n\n\"conclusion\" wasn't supplied."), true
	}
	if check.CompletedAt == nil {
		check.CompletedAt = &now
	}
	return answer{}, false
}

// checkRun finds the check in the path.
func (c *call) checkRun() (*CheckRun, answer) {
	id, err := c.id("check_run_id")
	if err != nil {
		return nil, notFound()
	}
	check := find(c.server.world.checks, func(check *CheckRun) bool { return check.ID == id })
	if check == nil {
		return nil, notFound()
	}
	return check, answer{}
}

// getCheckRun answers with one check.
func (server *Server) getCheckRun(c *call) answer {
	check, refusal := c.checkRun()
	if check == nil {
		return refusal
	}
	return ok(c.checkAnswer(check))
}

// listCheckRuns lists the checks of a commit, newest first. The filter latest (the default) keeps the newest of each
// App and name.
func (server *Server) listCheckRuns(c *call) answer {
	commit := server.world.resolve(c.http.PathValue("ref"))
	if commit == nil {
		return unprocessable("No commit found for SHA: " + c.http.PathValue("ref"))
	}
	filter := c.query.Get("filter")
	if !slices.Contains([]string{"", "latest", "all"}, filter) {
		return unprocessable(fmt.Sprintf("The emulator refuses filter=%q.", filter))
	}
	seen := map[string]bool{}
	var checks []any
	for i := len(server.world.checks) - 1; i >= 0; i-- {
		check := server.world.checks[i]
		key := fmt.Sprintf("%d %s", check.AppID, check.Name)
		if check.HeadCommit != commit.SHA || filter != "all" && seen[key] {
			continue
		}
		seen[key] = true
		if name := c.query.Get("check_name"); name != "" && name != check.Name {
			continue
		}
		if status := c.query.Get("status"); status != "" && status != check.Status {
			continue
		}
		if app := c.query.Get("app_id"); app != "" && app != strconv.FormatInt(check.AppID, 10) {
			continue
		}
		checks = append(checks, c.checkAnswer(check))
	}
	return c.pageIn("check_runs", checks, nil)
}

func (c *call) checkAnswer(check *CheckRun) object {
	api := fmt.Sprintf("%s/check-runs/%d", c.repositoryURL(), check.ID)
	page := fmt.Sprintf("%s/runs/%d", c.pageURL(), check.ID)
	details := check.DetailsURL
	setDefault(&details, page)
	pulls := []any{}
	for _, pull := range c.server.world.pulls { // GitHub leaves the list empty for a fork's commits
		if pull.Head.Commit == check.HeadCommit && pull.Head.Repository == nil && !pull.Head.Gone {
			pulls = append(pulls, c.minimalPull(pull))
		}
	}
	return object{
		"id": check.ID, "node_id": nodeID("CR", check.ID), "head_sha": check.HeadCommit, "external_id": check.ExternalID, "name": check.Name,
		"url": api, "html_url": page, "details_url": details, "status": check.Status, "conclusion": orNull(check.Conclusion),
		"started_at": stamp(check.StartedAt), "completed_at": stamp(check.CompletedAt),
		"output": object{"title": orNull(check.Title), "summary": orNull(check.Summary), "text": orNull(check.Text),
			"annotations_count": check.Annotations, "annotations_url": api + "/annotations"},
		"check_suite": object{"id": check.AppID}, "app": c.appAnswer(check.AppID), "pull_requests": pulls,
	}
}

func (c *call) minimalPull(pull *Pull) object {
	repository := object{"id": c.server.world.repository.ID, "name": c.server.world.repository.Name, "url": c.repositoryURL()}
	return object{"id": pull.ID, "number": pull.Number, "url": fmt.Sprintf("%s/pulls/%d", c.repositoryURL(), pull.Number),
		"head": object{"ref": pull.Head.Ref, "sha": pull.Head.Commit, "repo": repository},
		"base": object{"ref": pull.Base.Ref, "sha": pull.Base.Commit, "repo": repository}}
}
