package account

import (
	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// Effect is one write: what was asked for, what was done, and what GitHub showed when it was read back. Asked is nil where the
// Result is not known, State is empty where nothing says that it was tried.
type Effect struct {
	ID         string             `json:"id"`
	Type       string             `json:"type"`
	Asked      *AskedEffect       `json:"asked"`
	State      string             `json:"state,omitempty"`
	Why        *Reason            `json:"why"`
	ReadBack   *contract.ReadBack `json:"read_back"`
	DatabaseID *int64             `json:"database_id"`
	NodeID     *string            `json:"node_id"`
	URL        string             `json:"url,omitempty"`
}

// AskedEffect is what the model asked for, by ids: Threads and Listed of its own Findings, Answers and Finding of open ones.
type AskedEffect struct {
	Threads []string `json:"threads,omitempty"`
	Listed  []string `json:"listed,omitempty"`
	Answers []string `json:"answers,omitempty"`
	Finding string   `json:"finding,omitempty"`
}

// Token is one token that was asked for.
type Token struct {
	Purpose      string            `json:"purpose"`
	RepositoryID int64             `json:"repository_id"`
	Requested    map[string]string `json:"requested"`
	Granted      map[string]string `json:"granted"`
	ExpiresAt    contract.Time     `json:"expires_at"`
	Revoked      bool              `json:"revoked"`
}

// effects joins the Effects that were asked for with those that were tried, by id; both lists have their own order, and that of
// what was tried comes first.
func (a *Account) effects(r Records) {
	asked := map[string]*AskedEffect{}
	var order []Effect
	if r.Result != nil {
		for _, effect := range r.Result.Effects {
			if asked[effect.ID()] == nil {
				order = append(order, Effect{ID: effect.ID(), Type: effect.Type()})
			}
			asked[effect.ID()] = askedOf(effect)
		}
	}
	tried := map[string]bool{}
	if r.Applied != nil {
		for _, e := range r.Applied.Effects {
			tried[e.ID] = true
			effect := Effect{ID: e.ID, Type: e.Type, Asked: asked[e.ID], State: e.State, ReadBack: e.ReadBack, DatabaseID: e.DatabaseID, NodeID: e.NodeID}
			if e.Reason != nil {
				reason := reasonOf(*e.Reason)
				effect.Why = &reason
			}
			if e.DatabaseID != nil && e.Type == contract.SubmitReview {
				effect.URL = a.link.review(*e.DatabaseID)
			} else if e.DatabaseID != nil && e.Type == contract.ReplyThread {
				effect.URL = a.link.comment(*e.DatabaseID)
			}
			a.Effects = append(a.Effects, effect)
		}
		for _, token := range r.Applied.Tokens {
			a.Tokens = append(a.Tokens, Token{token.Purpose, token.RepositoryID, token.Requested, token.Granted, token.ExpiresAt, token.Revoked})
		}
	}
	for _, effect := range order {
		if !tried[effect.ID] {
			effect.Asked = asked[effect.ID]
			a.Effects = append(a.Effects, effect)
		}
	}
}

func askedOf(effect contract.Effect) *AskedEffect {
	if review := effect.SubmitReview; review != nil {
		return &AskedEffect{Threads: review.Threads, Listed: review.Listed, Answers: review.Answers}
	}
	return &AskedEffect{Finding: effect.Finding()}
}
