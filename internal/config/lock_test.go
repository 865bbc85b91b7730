package config

import (
	"context"
	"flag"
	"os"
	"testing"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/schema"
)

var update = flag.Bool("update", false, "write roles/lock.json")

// embeddedConfigs loads the configuration of every embedded Role.
func embeddedConfigs(t *testing.T) []Config {
	t.Helper()
	names, err := EmbeddedRoles()
	if err != nil {
		t.Fatal(err)
	}
	var configs []Config
	for _, name := range names {
		c, err := Load(context.Background(), nil, name)
		if err != nil {
			t.Fatal(err)
		}
		configs = append(configs, c)
	}
	return configs
}

// TestLockIsCurrent holds that roles/lock.json names the inputs of every embedded Lens as they are. After a change that is
// meant: go test ./internal/config -run TestLockIsCurrent -update.
func TestLockIsCurrent(t *testing.T) {
	lock, err := LockOf(embeddedConfigs(t)...)
	if err != nil {
		t.Fatal(err)
	}
	want, err := contract.Canonical(lock)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("../../roles/lock.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	stored, err := airlock.Files.ReadFile("roles/lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var got contract.Lock
	if err := schema.Decode("lock/1", stored, &got); err != nil {
		t.Fatal(err)
	}
	if string(stored) != string(want) {
		t.Errorf("roles/lock.json is not that of the embedded Lenses:\n got %s\nwant %s", stored, want)
	}
	if len(got.Lenses) != 1 || got.Lenses[0].Role != "pr-review" {
		t.Errorf("lenses %+v, want pr-review alone", got.Lenses)
	}
}

// TestLockMovesWithEveryInput holds that each input of a Lens moves its own digest, and only that.
func TestLockMovesWithEveryInput(t *testing.T) {
	base := embeddedConfigs(t)[0]
	lens := func(change func(*Config)) contract.Lens {
		c := base
		c.Role.Intents = append([]contract.Intent{}, base.Role.Intents...)
		c.Harness.Tiers = map[string]contract.Tier{}
		for name, tier := range base.Harness.Tiers {
			c.Harness.Tiers[name] = tier
		}
		c.Harness.Engines = append([]contract.EnginePin{}, base.Harness.Engines...)
		change(&c)
		lock, err := LockOf(c)
		if err != nil {
			t.Fatal(err)
		}
		return lock.Lenses[0]
	}
	before := lens(func(*Config) {})
	for name, change := range map[string]struct {
		change func(*Config)
		moved  string
	}{
		"prompt":  {func(c *Config) { c.Prompt = append([]byte{' '}, c.Prompt...) }, "prompt"},
		"version": {func(c *Config) { c.Harness.Engines[0].Version = "2.1.307" }, "engine"},
		"model": {func(c *Config) {
			tier := c.Harness.Tiers["gate"]
			tier.Model = "another"
			c.Harness.Tiers["gate"] = tier
		}, "engine"},
		"text budget":    {func(c *Config) { c.Harness.Texts.DiffCharacters++ }, "budgets"},
		"limits":         {func(c *Config) { c.Role.Intents[0].Limits.Seconds++ }, "manifest budgets"},
		"another tier":   {func(c *Config) { c.Harness.Tiers["light"] = contract.Tier{} }, ""},
		"role's own app": {func(c *Config) { c.Role.App = "another" }, "manifest"},
	} {
		t.Run(name, func(t *testing.T) {
			after := lens(change.change)
			moved := ""
			for _, one := range []struct {
				name  string
				moved bool
			}{
				{"manifest", after.Manifest != before.Manifest}, {"prompt", after.Prompt != before.Prompt},
				{"engine", after.Engine != before.Engine}, {"budgets", after.Budgets != before.Budgets},
			} {
				if one.moved {
					if moved != "" {
						moved += " "
					}
					moved += one.name
				}
			}
			if moved != change.moved {
				t.Errorf("moved %q, want %q", moved, change.moved)
			}
		})
	}
}
