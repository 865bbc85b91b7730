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

// Rule names an authority check.
type Rule string

// The three authority checks.
const (
	// OneOwner: a category belongs to one Role, so that no two give verdicts on the same thing.
	OneOwner Rule = "one_owner"
	// WithinCeiling: each Effect that an Intent permits needs no more than the ceiling of the Role's App allows.
	WithinCeiling Rule = "within_ceiling"
	// EvalsExist: an Intent of class gate names an eval set, and it exists.
	EvalsExist Rule = "evals_exist"
)

// Breach is one authority check that does not hold. Field is in the manifest of Role.
type Breach struct {
	Rule   Rule
	Role   string
	Field  string
	Reason string
}

// Authority runs the three authority checks over some Roles, and returns what does not hold, in the order of the Roles.
// evalsExist reports whether the folder of an eval set has an index that is valid.
func Authority(roles []contract.Role, apps contract.Apps, evalsExist func(folder string) bool) []Breach {
	var breaches []Breach
	owner := map[string]string{}
	for _, role := range roles {
		add := func(rule Rule, field, reason string, args ...any) {
			breaches = append(breaches, Breach{Rule: rule, Role: role.Name, Field: field, Reason: fmt.Sprintf(reason, args...)})
		}
		for i, category := range role.Categories {
			if first, owned := owner[category]; owned {
				add(OneOwner, fmt.Sprintf("categories[%d]", i), "category %s belongs to the role %s", category, first)
				continue
			}
			owner[category] = role.Name
		}
		app, _ := apps.Named(role.App)
		for i, intent := range role.Intents {
			field := fmt.Sprintf("intents[%d]", i)
			for j, effect := range intent.PermittedEffects {
				if permission, beyond := contract.Beyond(apps.Needs[effect], app.Ceiling); beyond {
					add(WithinCeiling, fmt.Sprintf("%s.permitted_effects[%d]", field, j), "%s needs %s, which the ceiling of the app %s does not allow", effect, permission, role.App)
				}
			}
			if intent.Class == contract.ClassGate && (intent.Evals == nil || !evalsExist(*intent.Evals)) {
				add(EvalsExist, field+".evals", "an Intent of class gate must name an eval set that exists")
			}
		}
	}
	return breaches
}
