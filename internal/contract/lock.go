package contract

// Lock is lock/1: the inputs of every Lens by digest, so that no change can move one unseen. A Lens is a Role with an Intent
// of class gate.
type Lock struct {
	Schema string `json:"schema"`
	Lenses []Lens `json:"lenses"`
}

// Lens is one Role by what its verdict rests on: digests of the manifest and of the prompt as files, of the engine pins with
// the tiers bound to them, and of the budgets of texts and Intents.
type Lens struct {
	Role     string `json:"role"`
	Manifest string `json:"manifest"`
	Prompt   string `json:"prompt"`
	Engine   string `json:"engine"`
	Budgets  string `json:"budgets"`
}
