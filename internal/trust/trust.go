// Package trust says which class a writer belongs to.
//
// It promises that the answer rests on nothing but whole numeric ids: no login, no account type, no suffix and no text
// changes it. A class says who wrote a text; it never means that the text may instruct.
package trust

import (
	"slices"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// Of returns the trust class of the account with this id. An id that is not positive is nobody's, and outside.
//
// An App of ours is a role whatever the other lists say, so that what a model wrote never counts as a maintainer's words.
// Of the other lists the one with more weight decides.
func Of(id int64, policy contract.Policy, apps contract.Apps) contract.Trust {
	switch {
	case id <= 0:
		return contract.TrustOutside
	case IsApp(id, apps):
		return contract.TrustRole
	case slices.Contains(policy.Maintainers, id):
		return contract.TrustMaintainer
	case slices.Contains(policy.Advisory, id):
		return contract.TrustAdvisory
	}
	return contract.TrustOutside
}

// IsApp reports whether this id is the bot user of one of our Apps.
func IsApp(id int64, apps contract.Apps) bool {
	return id > 0 && slices.ContainsFunc(apps.Apps, func(app contract.App) bool { return app.BotUserID == id })
}
