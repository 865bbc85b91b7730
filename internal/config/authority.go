package config

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// EmbeddedRoles lists the names of the embedded Roles in alphabetical order.
func EmbeddedRoles() ([]string, error) {
	manifests, err := fs.Glob(airlock.Files, "roles/*.json")
	if err != nil {
		return nil, fmt.Errorf("list the embedded roles: %w", err)
	}
	var names []string
	for _, manifest := range manifests {
		if name := strings.TrimSuffix(path.Base(manifest), ".json"); name != "lock" {
			names = append(names, name)
		}
	}
	return names, nil
}

// rule names an authority check.
type rule string

// The authority checks.
const (
	// oneOwner: a category belongs to one Role, so that no two give verdicts on the same thing.
	oneOwner rule = "one_owner"
	// withinCeiling: each Effect that an Intent permits needs no more than the ceiling of the Role's App allows.
	withinCeiling rule = "within_ceiling"
	// missingEvals: an Intent of class gate names an eval set, and it exists.
	missingEvals rule = "evals_exist"
)

// breach is one authority check that does not hold. field is in the manifest of role.
type breach struct {
	rule   rule
	role   string
	field  string
	reason string
}

// breachesOf runs the three authority checks over some Roles, and returns what does not hold, in the order of the Roles.
// evalsExist reports whether the folder of an eval set has an index that is valid.
func breachesOf(roles []contract.Role, apps contract.Apps, evalsExist func(folder string) bool) []breach {
	var breaches []breach
	owner := map[string]string{}
	for _, role := range roles {
		add := func(broken rule, field, reason string, args ...any) {
			breaches = append(breaches, breach{rule: broken, role: role.Name, field: field, reason: fmt.Sprintf(reason, args...)})
		}
		for i, category := range role.Categories {
			if first, owned := owner[category]; owned {
				add(oneOwner, fmt.Sprintf("categories[%d]", i), "category %s belongs to the role %s", category, first)
				continue
			}
			owner[category] = role.Name
		}
		app, _ := apps.Named(role.App)
		for i, intent := range role.Intents {
			field := fmt.Sprintf("intents[%d]", i)
			for j, effect := range intent.PermittedEffects {
				if permission, beyond := contract.Beyond(apps.Needs[effect], app.Ceiling); beyond {
					add(withinCeiling, fmt.Sprintf("%s.permitted_effects[%d]", field, j), "%s needs %s, which the ceiling of the app %s does not allow", effect, permission, role.App)
				}
			}
			if intent.Class == contract.ClassGate && (intent.Evals == nil || !evalsExist(*intent.Evals)) {
				add(missingEvals, field+".evals", "an Intent of class gate must name an eval set that exists")
			}
		}
	}
	return breaches
}
