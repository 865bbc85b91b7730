package config

import (
	"fmt"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// LockOf makes the lock of the Lenses among some configurations, in their order: a Role without an Intent of class gate is no
// Lens and is left out. What is embedded as roles/lock.json must equal it for the embedded Roles, so that a change to
// a Lens is a change to that file too.
func LockOf(configs ...Config) (contract.Lock, error) {
	lock := contract.Lock{Schema: "lock/1", Lenses: []contract.Lens{}}
	for _, c := range configs {
		gates := gatesOf(c.Role)
		if len(gates) == 0 {
			continue
		}
		lens, err := lensOf(c, gates)
		if err != nil {
			return contract.Lock{}, fmt.Errorf("lock the role %s: %w", c.Role.Name, err)
		}
		lock.Lenses = append(lock.Lenses, lens)
	}
	return lock, nil
}

func gatesOf(role contract.Role) []contract.Intent {
	var gates []contract.Intent
	for _, intent := range role.Intents {
		if intent.Class == contract.ClassGate {
			gates = append(gates, intent)
		}
	}
	return gates
}

// enginePin is what answers for one Intent; budgets is what it may spend and read. Only their digests are kept.
type (
	enginePin struct {
		Intent string             `json:"intent"`
		Pin    contract.EnginePin `json:"pin"`
		Tier   contract.Tier      `json:"tier"`
	}
	budgets struct {
		Intent string              `json:"intent"`
		Limits contract.Limits     `json:"limits"`
		Texts  contract.TextBudget `json:"texts"`
	}
)

func lensOf(c Config, gates []contract.Intent) (contract.Lens, error) {
	manifest, err := contract.DigestOf(c.Role)
	if err != nil {
		return contract.Lens{}, err
	}
	var pins []enginePin
	var spent []budgets
	for _, intent := range gates {
		tier := c.Harness.Tiers[intent.Tier]
		pin, ok := c.Harness.Engine(tier.Engine)
		if !ok {
			return contract.Lens{}, fmt.Errorf("tier %s is bound to no engine", intent.Tier)
		}
		pins = append(pins, enginePin{Intent: intent.Name, Pin: pin, Tier: tier})
		spent = append(spent, budgets{Intent: intent.Name, Limits: intent.Limits, Texts: c.Harness.Texts})
	}
	engine, err := contract.DigestOf(pins)
	if err != nil {
		return contract.Lens{}, err
	}
	budget, err := contract.DigestOf(spent)
	if err != nil {
		return contract.Lens{}, err
	}
	return contract.Lens{Role: c.Role.Name, Manifest: manifest, Prompt: contract.Digest(c.Prompt), Engine: engine, Budgets: budget}, nil
}
