package plan

import (
	"fmt"
	"maps"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// Token is one installation token to be asked for.
type Token struct {
	// Purpose is one of contract's Purpose constants.
	Purpose string
	// Permissions are exactly those that its uses need.
	Permissions map[string]string
}

// ReportToken is the token of a Run that ends before any Effect: the check alone.
func ReportToken(apps contract.Apps) (Token, error) {
	needs, ok := apps.Needs[contract.NeedReport]
	if !ok {
		return Token{}, fmt.Errorf("plan the report: apps.json does not say what it needs")
	}
	return Token{Purpose: contract.PurposeReport, Permissions: maps.Clone(needs)}, nil
}

// assignTokens gives every Effect the purpose of its token and returns the tokens in the order they are used. The first
// holds what reviews, replies and the check need together. A resolve needs more than the rest, so it gets a second one of
// its own, last. An Effect that needs more than the App's ceiling gets a reason instead, and asks for nothing.
func assignTokens(effects []Effect, apps contract.Apps, app contract.App) ([]Token, error) {
	first, err := ReportToken(apps)
	if err != nil {
		return nil, err
	}
	var resolve *Token
	for i := range effects {
		effect := &effects[i]
		if _, beyond := contract.Beyond(effect.Needs, app.Ceiling); beyond {
			effect.Reason = contract.CodeIdentityCeiling
			continue
		}
		if effect.Type == contract.ResolveThread {
			effect.Token = contract.PurposeResolve
			if resolve == nil {
				resolve = &Token{Purpose: contract.PurposeResolve, Permissions: map[string]string{}}
			}
			merge(resolve.Permissions, effect.Needs)
			continue
		}
		effect.Token, first.Purpose = contract.PurposeEffects, contract.PurposeEffects
		merge(first.Permissions, effect.Needs)
	}
	if resolve == nil {
		return []Token{first}, nil
	}
	return []Token{first, *resolve}, nil
}

func merge(into, needs map[string]string) {
	for name, access := range needs {
		if into[name] != "write" {
			into[name] = access
		}
	}
}
