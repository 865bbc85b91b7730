package facts

import (
	"context"
	"strconv"

	gogithub "github.com/google/go-github/v66/github"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
)

func itoa(n int) string { return strconv.Itoa(n) }

// readLabelEvents reads who set and removed which label, oldest first as GitHub lists them.
func (r reader) readLabelEvents(ctx context.Context) (events []contract.LabelEvent, err error) {
	events = []contract.LabelEvent{}
	path := r.repository() + "/issues/" + itoa(r.request.Number) + "/events"
	whole, err := github.Pages(path, maxPages, func(path string) (*github.Response, error) {
		var page []*gogithub.IssueEvent
		response, err := r.client.REST(ctx, "GET", path, nil, &page)
		if err != nil {
			return nil, err
		}
		for _, event := range page {
			if event.GetEvent() != "labeled" && event.GetEvent() != "unlabeled" {
				continue
			}
			if event.GetID() == 0 || event.CreatedAt == nil || event.GetLabel().GetName() == "" {
				return nil, github.Malformed("GET /"+path, "a label event has no id, no time or no label")
			}
			events = append(events, contract.LabelEvent{
				ActorID: event.GetActor().GetID(), At: at(event.CreatedAt.Time), Event: event.GetEvent(), ID: event.GetID(), Label: event.GetLabel().GetName(),
			})
		}
		return response, nil
	})
	if err == nil && !whole {
		err = errTooLong("the events of the item")
	}
	return events, err
}
