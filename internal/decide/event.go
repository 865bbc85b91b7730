package decide

import (
	"encoding/json"
	"io"
	"os"
	"regexp"
	"syscall"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/workflow"
)

// maxEventBytes is the largest event payload that is read; GitHub's own bound is 25 MB.
const maxEventBytes = 32 << 20

// event is what is taken from the payload of the event: numbers and the name of the action, no text.
type event struct {
	Action      string `json:"action"`
	PullRequest *struct {
		Number int64 `json:"number"`
	} `json:"pull_request"`
	Sender *struct {
		ID int64 `json:"id"`
	} `json:"sender"`
	Repository *struct {
		ID int64 `json:"id"`
	} `json:"repository"`
	Changes *struct {
		Base *json.RawMessage `json:"base"`
	} `json:"changes"`
}

var actionForm = regexp.MustCompile(`^[a-z_]{0,40}$`)

// readEvent gives who asked, and for which pull request.
func readEvent(step *workflow.Step, in inputs) (contract.Asked, int, *workflow.Fault) {
	unusable := func(what, why string) (contract.Asked, int, *workflow.Fault) {
		return contract.Asked{}, 0, step.Fault(contract.CodeEventUnusable, what, why)
	}
	payload, err := readBounded(in.eventPath)
	if err != nil {
		return unusable("the file of GITHUB_EVENT_PATH cannot be read", err.Error())
	}
	var e event
	if err := json.Unmarshal(payload, &e); err != nil {
		return unusable("the file of GITHUB_EVENT_PATH is not the payload of an event", "it is not one JSON object with the fields that GitHub describes")
	}
	switch {
	case e.Sender == nil || e.Sender.ID <= 0:
		return unusable("the event has no sender", "who asks is part of the Decision")
	case e.Repository == nil || e.Repository.ID != in.repositoryID:
		return unusable("the event is of another repository", "repository.id is not GITHUB_REPOSITORY_ID")
	case !actionForm.MatchString(e.Action):
		return unusable("the event's action is not the name of one", "it is part of the Decision")
	}
	asked := contract.Asked{Action: e.Action, Again: in.again, Event: in.eventName, SenderID: e.Sender.ID}
	number := in.number
	switch in.eventName {
	case "pull_request_target":
		switch {
		case e.PullRequest == nil || e.PullRequest.Number <= 0:
			return unusable("the event names no pull request", "pull_request.number is missing")
		case number != 0 && number != e.PullRequest.Number:
			return unusable("AIRLOCK_NUMBER is not the pull request of the event", "one of the two is wrong")
		case in.again:
			return unusable("AIRLOCK_AGAIN is set on a pull_request_target event", "only a workflow_dispatch can ask again")
		case e.Action == "edited" && (e.Changes == nil || e.Changes.Base == nil):
			return unusable("the event edits a title or a text", "only another base changes what is reviewed")
		}
		number = e.PullRequest.Number
	case "workflow_dispatch":
		if number == 0 {
			return unusable("AIRLOCK_NUMBER is not set", "a workflow_dispatch names the pull request by it")
		}
	default:
		return unusable("GITHUB_EVENT_NAME is not pull_request_target or workflow_dispatch", "no other event starts a Run")
	}
	if number > 1<<31-1 {
		return unusable("the number of the pull request is too large", "GitHub's are below 2^31")
	}
	return asked, int(number), nil
}

// readBounded reads a regular file within [maxEventBytes]. It waits for nobody who would have to write into a pipe.
func readBounded(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, errUnreadable("it does not exist or may not be opened")
	}
	defer func() { _ = file.Close() }() // it was only read
	if state, err := file.Stat(); err != nil || !state.Mode().IsRegular() {
		return nil, errUnreadable("it is not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(file, maxEventBytes+1))
	switch {
	case err != nil:
		return nil, errUnreadable("it cannot be read to its end")
	case len(data) > maxEventBytes:
		return nil, errUnreadable("it is larger than any event")
	}
	return data, nil
}

type errUnreadable string

func (e errUnreadable) Error() string { return string(e) }
