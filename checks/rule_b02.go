package checks

import "fmt"

func ruleB02() Rule {
	return Rule{
		ID:    "B02",
		Title: "No job with a write credential checks out a work item's branch",
		Level: LevelError,
		Doc: `A checkout whose ref or repository comes from a pull request, a workflow run or a comment's pull request, directly or through env, step outputs
and job outputs; a checkout with the default ref on pull_request; gh pr checkout; git fetch, checkout and their kin of a pull ref or of a variable that
holds or is named for a head. A write credential is recognised as in B01. It is a warning where the code lands in a directory of its own that no
later step names, and where the credential is of unknown strength.`,
		Why: `Code of the item that is on the machine is run sooner or later: by a build, by a hook, by a tool that reads its configuration. It then runs
with the credential.`,
		Violates: `on: pull_request_target
jobs:
  label:
    runs-on: ubuntu-24.04
    permissions: {contents: write}
    steps:
      - uses: actions/checkout@<40 hex>
        with: {ref: "${{ github.event.pull_request.head.sha }}"}`,
		Passes: `on: pull_request_target
jobs:
  label:
    runs-on: ubuntu-24.04
    permissions: {contents: write}
    steps:
      - uses: actions/checkout@<40 hex>
        with: {ref: "${{ github.event.repository.default_branch }}", persist-credentials: false}`,
		Source: "GitHub Security Lab, preventing pwn requests; CodeQL's untrusted checkout queries",
		check: func(r *repository) []Finding {
			var findings []Finding
			for _, j := range append(r.jobs(), r.alone...) {
				write := ofKind(r.evidence(j), KindWrite)
				if len(write) == 0 {
					continue
				}
				for _, s := range j.steps {
					fetched, found := r.fetch(s)
					if !found {
						continue
					}
					finding := Finding{
						Message: fmt.Sprintf("%s holds a write credential (%s) and checks out the code of a work item", j.describe(), names(write)),
						Places:  append(fetched.places, append([]Place{j.key.place("in " + j.describe())}, placesOf(write)...)...),
					}
					if fetched.harmless || allWeak(write) {
						finding.Level = LevelWarning
					}
					findings = append(findings, finding)
				}
			}
			return findings
		},
	}
}
