// Package actions holds the three programs of a Run, one folder each, and embeds the action.yml of each as it stands in
// this release, for whoever reads a workflow that calls them without having them at hand.
package actions

import "embed"

// Definitions holds <program>/action.yml for the programs decide, run and apply.
//
//go:embed decide/action.yml run/action.yml apply/action.yml
var Definitions embed.FS
