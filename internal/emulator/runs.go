package emulator

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
)

// completeRun fills in a run's usual values.
func (w *world) completeRun(run *Run, now time.Time) error {
	if w.workflow(run.WorkflowID) == nil {
		return fmt.Errorf("workflow_id: %d is no workflow of the seed", run.WorkflowID)
	}
	if run.Status == "completed" && run.Conclusion == "" {
		return errors.New("conclusion: a completed run has one")
	}
	run.ID = w.use("run", run.ID)
	setDefault(&run.Status, "in_progress")
	setDefault(&run.Event, "pull_request_target")
	setDefault(&run.HeadBranch, w.repository.DefaultBranch)
	setDefault(&run.HeadCommit, w.repository.Branches[w.repository.DefaultBranch].Commit)
	if run.HeadRepositoryID == 0 {
		run.HeadRepositoryID = w.repository.ID
	}
	if run.ActorID == 0 {
		run.ActorID = w.repository.OwnerID
	}
	run.Attempt, run.Number = max(run.Attempt, 1), max(run.Number, 1)
	setTime(&run.CreatedAt, now)
	setTime(&run.UpdatedAt, run.CreatedAt)
	return nil
}

// runOf finds the run in the path.
func (c *call) runOf() (*Run, answer) {
	id, err := c.id("run_id")
	if err != nil {
		return nil, notFound()
	}
	run := c.server.world.run(id)
	if run == nil {
		return nil, notFound()
	}
	return run, answer{}
}

// getRun answers with one run.
func (server *Server) getRun(c *call) answer {
	run, refusal := c.runOf()
	if run == nil {
		return refusal
	}
	return ok(c.runAnswer(run))
}

// listRuns lists the runs of all workflows.
func (server *Server) listRuns(c *call) answer {
	return c.runsOf(func(*Run) bool { return true })
}

// listWorkflowRuns lists those of a workflow, named by its id or by its file's name.
func (server *Server) listWorkflowRuns(c *call) answer {
	name := c.http.PathValue("workflow_id")
	workflow := find(server.world.workflows, func(workflow *Workflow) bool {
		return strconv.FormatInt(workflow.ID, 10) == name || path.Base(workflow.Path) == name
	})
	if workflow == nil {
		return notFound()
	}
	return c.runsOf(func(run *Run) bool { return run.WorkflowID == workflow.ID })
}

// runsOf lists the wanted runs that pass the filters, newest first.
func (c *call) runsOf(wanted func(*Run) bool) answer {
	after, before, err := createdRange(c.query.Get("created"))
	if err != nil {
		return unprocessable(err.Error())
	}
	is := func(name, value string) bool { return c.query.Get(name) == "" || c.query.Get(name) == value }
	var runs []any
	for i := len(c.server.world.runs) - 1; i >= 0; i-- {
		run := c.server.world.runs[i]
		status := c.query.Get("status")
		if !wanted(run) || status != "" && status != run.Status && status != run.Conclusion ||
			!is("branch", run.HeadBranch) || !is("event", run.Event) || !is("head_sha", run.HeadCommit) ||
			!is("actor", c.server.world.user(run.ActorID).Login) || run.CreatedAt.Before(after) || run.CreatedAt.After(before) {
			continue
		}
		runs = append(runs, c.runAnswer(run))
	}
	return c.pageIn("workflow_runs", runs, nil)
}

// createdRange reads GitHub's search syntax for dates: >=, >, <=, < before a date or time, two of them joined by two
// dots, or one alone; a star is open. Both ends are inside the range.
func createdRange(text string) (after, before time.Time, err error) {
	before = time.Unix(1<<40, 0)
	if text == "" {
		return after, before, nil
	}
	parse := func(value string, end bool) (time.Time, error) {
		if day, err := time.Parse(time.DateOnly, value); err == nil {
			if end {
				day = day.Add(24*time.Hour - time.Second)
			}
			return day, nil
		}
		at, err := time.Parse(time.RFC3339, value)
		if err != nil {
			return at, fmt.Errorf("the emulator refuses created=%q: %w", text, err)
		}
		return at, nil
	}
	if from, to, isRange := strings.Cut(text, ".."); isRange {
		if from != "*" {
			if after, err = parse(from, false); err != nil {
				return after, before, err
			}
		}
		if to != "*" {
			before, err = parse(to, true)
		}
		return after, before, err
	}
	rest := strings.TrimLeft(text, "<>=")
	switch text[:len(text)-len(rest)] {
	case ">=":
		after, err = parse(rest, false)
	case ">":
		after, err = parse(rest, true)
		after = after.Add(time.Second)
	case "<=":
		before, err = parse(rest, true)
	case "<":
		before, err = parse(rest, false)
		before = before.Add(-time.Second)
	case "":
		if after, err = parse(rest, false); err == nil {
			before, err = parse(rest, true)
		}
	default:
		err = fmt.Errorf("the emulator refuses created=%q", text)
	}
	return after, before, err
}

func (c *call) runAnswer(run *Run) object {
	w := &c.server.world
	workflow := w.workflow(run.WorkflowID)
	api := fmt.Sprintf("%s/actions/runs/%d", c.repositoryURL(), run.ID)
	headRepository := w.repository
	for _, pull := range w.pulls {
		if fork := pull.Head.Repository; fork != nil && fork.ID == run.HeadRepositoryID {
			headRepository = fork
		}
	}
	var headCommit any
	if commit := w.commits[run.HeadCommit]; commit != nil {
		who := object{"name": "unknown", "email": "unknown@example.com"}
		headCommit = object{"id": commit.SHA, "tree_id": commit.Tree.id(), "message": commit.Message, "timestamp": commit.At.Format(time.RFC3339),
			"author": who, "committer": who}
	}
	return object{
		"id": run.ID, "node_id": nodeID("WFR", run.ID), "name": workflow.Name, "display_title": run.Title, "event": run.Event,
		"status": run.Status, "conclusion": orNull(run.Conclusion), "head_branch": run.HeadBranch, "head_sha": run.HeadCommit, "head_commit": headCommit,
		"path": workflow.Path, "workflow_id": workflow.ID, "workflow_url": fmt.Sprintf("%s/actions/workflows/%d", c.repositoryURL(), workflow.ID),
		"run_number": run.Number, "run_attempt": run.Attempt, "created_at": run.CreatedAt.Format(time.RFC3339),
		"updated_at": run.UpdatedAt.Format(time.RFC3339), "run_started_at": run.CreatedAt.Format(time.RFC3339),
		"actor": c.userAnswer(run.ActorID), "triggering_actor": c.userAnswer(run.ActorID),
		"repository": c.server.repositoryAnswer(c, w.repository), "head_repository": c.server.repositoryAnswer(c, headRepository),
		"pull_requests": []any{}, "referenced_workflows": []any{}, "previous_attempt_url": nil, "check_suite_id": run.ID, "check_suite_node_id": nodeID("CS", run.ID),
		"url": api, "html_url": fmt.Sprintf("%s/actions/runs/%d", c.pageURL(), run.ID), "jobs_url": api + "/jobs", "logs_url": api + "/logs",
		"check_suite_url": fmt.Sprintf("%s/check-suites/%d", c.repositoryURL(), run.ID), "artifacts_url": api + "/artifacts",
		"cancel_url": api + "/cancel", "rerun_url": api + "/rerun",
	}
}
