package checks

// Rule is one thing that is held. Its texts are what docs/checks.md is made of.
type Rule struct {
	ID       string // stable, never given to another rule
	Title    string // what is held, as one sentence without its full stop
	Level    Level  // of a finding that says nothing else
	Doc      string // what the rule looks at and how it decides
	Why      string // what happens where it does not hold
	Violates string // YAML that the rule reports
	Passes   string // the same, mended
	Source   string // where the fact behind the rule can be read

	check func(*repository) []Finding
}

// Rules lists every rule, in the order of the documentation. A rule that is not in this list does not exist.
func Rules() []Rule {
	return []Rule{
		ruleU01(),
		ruleB01(),
		ruleB02(),
		ruleS01(),
		ruleS02(),
		ruleS03(),
		ruleS04(),
		ruleS11(),
		ruleS13(),
	}
}
