package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/schema"
)

// agree holds the files of one configuration to each other.
func (l *loader) agree(role string) error {
	c := l.config
	files := map[string]string{
		"policy":  fileOf("config/policy.json", c.Origin["policy"]),
		"apps":    fileOf("config/apps.json", c.Origin["apps"]),
		"harness": fileOf("config/harness.json", c.Origin["harness"]),
		"role":    fileOf("roles/"+role+".json", c.Origin["manifest"]),
	}
	fault := func(file, field, reason string, args ...any) error {
		return &Error{File: files[file], Field: field, Reason: fmt.Sprintf(reason, args...)}
	}
	if c.Role.Name != role {
		return fault("role", "name", "the manifest is of another role than its file name says")
	}
	if c.Role.Prompt != "roles/"+role+".md" {
		return fault("role", "prompt", "it must be roles/%s.md", role)
	}
	if c.Role.DispositionHalf != c.Role.Kind {
		return fault("role", "disposition_half", "a Role of kind %s makes the half %s, or it would judge its own claims", c.Role.Kind, c.Role.Kind)
	}
	if err := appsAgree(c, fault); err != nil {
		return err
	}
	if strings.EqualFold(c.Policy.Labels.Approved, c.Policy.Labels.Hold) {
		return fault("policy", "labels", "one label cannot approve and hold; GitHub puts case aside")
	}
	app, ok := c.Apps.Named(c.Role.App)
	if !ok {
		return fault("role", "app", "apps.json has no app of this name")
	}
	i := slices.IndexFunc(c.Apps.Apps, func(other contract.App) bool { return other.Name == app.Name })
	if permission, beyond := contract.Beyond(c.Apps.Needs[contract.NeedReport], app.Ceiling); beyond {
		return fault("apps", fmt.Sprintf("apps[%d].ceiling", i), "the check of this role needs %s", permission)
	}
	if l.source != nil {
		for _, own := range []struct {
			field  string
			number int64
		}{{"app_id", app.AppID}, {"bot_user_id", app.BotUserID}, {"installation_id", app.InstallationID}} {
			if own.number == 0 {
				return fault("apps", fmt.Sprintf("apps[%d].%s", i, own.field), "0 stands for no App: put the App's own number into %s on the default branch", OverridePath("config/apps.json"))
			}
		}
	}
	for i, pin := range c.Harness.Engines {
		if slices.ContainsFunc(c.Harness.Engines[:i], func(other contract.EnginePin) bool { return other.Name == pin.Name }) {
			return fault("harness", fmt.Sprintf("engines[%d].name", i), "two engines have this name")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Harness.Tiers)) {
		tier := c.Harness.Tiers[name]
		pin, ok := c.Harness.Engine(tier.Engine)
		if !ok {
			return fault("harness", "tiers."+name+".engine", "there is no engine of this name")
		}
		if _, priced := pin.Prices[tier.Model]; !priced && pin.Credential == "broker" {
			return fault("harness", "tiers."+name+".model", "the engine has no price for it, and a broker makes no call that could cost more than is left")
		}
	}
	for i, intent := range c.Role.Intents {
		field := fmt.Sprintf("intents[%d]", i)
		if slices.ContainsFunc(c.Role.Intents[:i], func(other contract.Intent) bool { return other.Name == intent.Name }) {
			return fault("role", field+".name", "two intents have this name")
		}
		if _, err := schema.BoundsOf(intent.Limits); err != nil {
			return fault("role", field+".limits", "%s", err.Error())
		}
	}
	return l.authority()
}

// appsAgree holds the Apps to each other and to the policy.
func appsAgree(c Config, fault func(file, field, reason string, args ...any) error) error {
	for i, app := range c.Apps.Apps {
		field := fmt.Sprintf("apps[%d]", i)
		for _, other := range c.Apps.Apps[:i] {
			switch {
			case other.Name == app.Name:
				return fault("apps", field+".name", "two apps have this name")
			case other.AppID == app.AppID && app.AppID != 0:
				return fault("apps", field+".app_id", "two apps have this number")
			case other.BotUserID == app.BotUserID && app.BotUserID != 0:
				return fault("apps", field+".bot_user_id", "two apps have this number")
			}
		}
		for _, people := range []struct {
			field string
			ids   []int64
		}{{"maintainers", c.Policy.Maintainers}, {"advisory", c.Policy.Advisory}} {
			if at := slices.Index(people.ids, app.BotUserID); at >= 0 {
				return fault("policy", fmt.Sprintf("%s[%d]", people.field, at), "this is the bot user of the app %s, which is a role and nothing else", app.Name)
			}
		}
	}
	return nil
}

// authority runs the authority checks over this Role and the embedded ones. Whether the eval set exists is not asked here: the
// Kernel does, so that the reason reaches the item as evals_missing.
func (l *loader) authority() error {
	c := l.config
	roles := []contract.Role{}
	names, err := EmbeddedRoles()
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == c.Role.Name {
			continue
		}
		other := loader{ctx: l.ctx, source: l.source, config: Config{Origin: map[string]string{}}}
		var role contract.Role
		other.record("manifest", "roles/"+name+".json", "role/1", &role)
		if other.err != nil {
			return other.err
		}
		roles = append(roles, role)
	}
	// The Role that is asked for stands last, so that the breach is its own.
	roles = append(roles, c.Role)
	for _, b := range breachesOf(roles, c.Apps, func(string) bool { return true }) {
		if b.role == c.Role.Name {
			return &Error{File: fileOf("roles/"+c.Role.Name+".json", c.Origin["manifest"]), Field: b.field, Reason: b.reason}
		}
	}
	return nil
}
