package demo

import (
	"encoding/json"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// document is what --json prints. Fields are only ever added.
type document struct {
	Schema string        `json:"schema"`
	Runs   []documentRun `json:"runs"`
	// GitHub counts what stands on the emulated GitHub at the end.
	GitHub totals `json:"github"`
	// Failures are the programs that did not do their part.
	Failures []string `json:"failures"`
}

// documentRun is how one Run ended; what it did not come to is null or empty.
type documentRun struct {
	Run        string           `json:"run"`
	Admitted   bool             `json:"admitted"`
	Reasons    []contract.Code  `json:"reasons"`
	Carries    *string          `json:"carries"`
	Result     *string          `json:"result"`
	Effects    []documentEffect `json:"effects"`
	Status     *string          `json:"status"`
	Ended      []contract.Code  `json:"ended"`
	Conclusion *string          `json:"conclusion"`
	GatingOpen []string         `json:"gating_open"`
	Exits      []exit           `json:"exits"`
}

type documentEffect struct {
	ID         string         `json:"id"`
	Type       string         `json:"type"`
	State      string         `json:"state"`
	Reason     *contract.Code `json:"reason"`
	DatabaseID *int64         `json:"database_id"`
}

// printJSON prints what a program may want of each Run.
func (s *stage) printJSON(state emulator.State) error {
	d := document{Schema: "airlock-demo/1", Runs: []documentRun{}, GitHub: standing(state, s.scenario), Failures: append([]string{}, s.failures...)}
	for _, p := range s.runs {
		r := documentRun{Reasons: []contract.Code{}, Effects: []documentEffect{}, Ended: []contract.Code{}, GatingOpen: []string{}, Exits: p.exits}
		if p.bundle != nil {
			decision := p.bundle.Decision
			r.Run, r.Admitted, r.Carries, r.Reasons = decision.Run, decision.Admitted, decision.Carries, decision.Reasons
		}
		if p.result != nil {
			r.Result = &p.result.Status
		}
		if p.outcome != nil {
			r.Status, r.Ended, r.Conclusion, r.GatingOpen = &p.outcome.Status, p.outcome.Reasons, p.outcome.Conclusion, p.outcome.GatingOpen
			for _, effect := range p.applied.Effects {
				r.Effects = append(r.Effects, documentEffect{effect.ID, effect.Type, effect.State, effect.Reason, effect.DatabaseID})
			}
		}
		d.Runs = append(d.Runs, r)
	}
	encoder := json.NewEncoder(s.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(d)
}
