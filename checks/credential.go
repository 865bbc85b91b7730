package checks

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is what a credential is good for.
type Kind string

// The kinds of a credential. KindNeither is for the configuration: a secret that is no credential of either side.
const (
	KindModel   Kind = "model"
	KindWrite   Kind = "write"
	KindRead    Kind = "read"
	KindNeither Kind = "neither"
)

// evidence is one reason to say that a job holds a credential of a kind.
type evidence struct {
	kind   Kind
	weak   bool // it may turn out to be none: a token of unknown strength in a fallback, a cloud account
	what   string
	places []Place
	step   *step
	origin *origin // nil for permissions and for what an action does by itself
	use    *use
}

// evidence lists every credential that a job holds, in the order of the file within each source.
func (r *repository) evidence(j *job) []evidence {
	if known, ok := r.judged[j]; ok {
		return known
	}
	found := r.permissionEvidence(j)
	for _, u := range j.uses() {
		if u.held {
			found = append(found, r.useEvidence(u)...)
		}
	}
	for _, s := range j.steps {
		found = append(found, r.actionEvidence(j, s)...)
	}
	found = append(found, r.environmentEvidence(j)...)
	found = append(found, inheritedEvidence(j)...)
	r.judged[j] = found
	return found
}

// effectivePermissions lists the permissions nodes in effect for a job: its own or its workflow's, else those of the jobs
// that call its workflow. unknown is true where there is none and the repository's default decides.
func (r *repository) effectivePermissions(j *job) (nodes []*node, unknown bool) {
	if own := j.permissions(); own != nil {
		return []*node{own}, false
	}
	if j.workflow == nil {
		return nil, false // an action has those of the job that calls it
	}
	callers := r.callers(j.workflow)
	for _, caller := range callers {
		if n := caller.permissions(); n != nil {
			nodes = append(nodes, n)
		} else {
			unknown = true
		}
	}
	return nodes, unknown || len(callers) == 0
}

func (r *repository) permissionEvidence(j *job) []evidence {
	var found []evidence
	nodes, _ := r.effectivePermissions(j)
	for _, n := range nodes {
		if n.is("write-all") {
			found = append(found, evidence{kind: KindWrite, what: "permissions: write-all", places: []Place{n.place("write credential: permissions: write-all")}})
		}
		for _, e := range n.entries {
			scope, level := e.key.value, e.value.text()
			switch {
			case scope == "models" && level != "none", scope == "copilot-requests" && level == "write":
				found = append(found, evidence{kind: KindModel, what: scope + ": " + level,
					places: []Place{e.key.place("model credential: the scope " + scope + ": " + level)}})
			case level == "write" && !slices.Contains(notWriting, scope):
				found = append(found, evidence{kind: KindWrite, what: scope + ": write",
					places: []Place{e.key.place("write credential: the scope " + scope + ": write")}})
			}
		}
	}
	return found
}

// canMintIdentity finds the place that lets a job ask for an OIDC token.
func (r *repository) canMintIdentity(j *job) (Place, bool) {
	nodes, _ := r.effectivePermissions(j)
	for _, n := range nodes {
		if n.is("write-all") {
			return n.place("the job may ask for an OIDC token: write-all"), true
		}
		for _, e := range n.entries {
			if e.key.is("id-token") && e.value.is("write") {
				return e.key.place("the job may ask for an OIDC token: id-token: write"), true
			}
		}
	}
	return Place{}, false
}

// useEvidence classifies one held value by its name and by what it is given to.
func (r *repository) useEvidence(u use) []evidence {
	var found []evidence
	for _, o := range r.origins(u) {
		add := func(kind Kind, weak bool, why string) {
			label := fmt.Sprintf("%s credential: %s, %s", kind, o.describe(), why)
			found = append(found, evidence{kind: kind, weak: weak, what: o.describe(), step: u.step, origin: &o, use: &u,
				places: append([]Place{u.place(label)}, o.via...)})
		}
		r.classify(u, o, add)
	}
	return found
}

// describe names where a value comes from.
func (o origin) describe() string {
	switch o.kind {
	case fromSecret:
		return "the secret " + quote(o.name)
	case fromAllSecrets:
		return "the whole secrets context"
	case fromVariable:
		return "the variable " + quote(o.name)
	case fromToken:
		return "GITHUB_TOKEN"
	}
	return quote(o.reference.String())
}

func (r *repository) classify(u use, o origin, add func(Kind, bool, string)) {
	byUse := fmt.Sprintf("as %s %s", map[section]string{inEnv: "the environment variable", inWith: "the input", inSecrets: "the secret", inRun: "the variable"}[u.section], quote(u.key))
	agent := u.agent()
	switch o.kind {
	case fromToken, fromEvent:
		return // what the job's token may do, the permissions say
	case fromAllSecrets:
		named := u.namesInSelection()
		switch {
		case slices.ContainsFunc(named, isWriteName):
			add(KindWrite, false, "of which one is chosen that can write by its name")
		case u.takesToken():
			add(KindWrite, false, byUse)
		default:
			add(KindWrite, true, "which may hold any credential of the repository")
		}
		switch {
		case slices.ContainsFunc(named, isModelName):
			add(KindModel, false, "of which one is chosen that is a model credential by its name")
		case u.key != "" && (isModelName(u.key) || r.isModelInput(u)):
			add(KindModel, false, byUse)
		case agent != "":
			add(KindModel, false, "given to "+agent)
		}
		return
	}
	configured, byConfiguration := r.config.Secrets[o.name]
	byConfiguration = byConfiguration && o.kind == fromSecret
	model, write := byConfiguration && configured == KindModel, byConfiguration && configured == KindWrite
	switch {
	case model, write:
		add(configured, false, "by the configuration")
	case byConfiguration:
		return
	}
	// The configuration overrides what a name says, and not what a value is given to: a key that is configured as one kind
	// and used as the other is both.
	byName := o.kind == fromSecret && !byConfiguration
	fallback := o.alternatives > 1
	switch {
	case model:
	case byName && isModelName(o.name):
		model = true
		add(KindModel, false, "by its name")
	case u.key != "" && (isModelName(u.key) || r.isModelInput(u)):
		model = true
		add(KindModel, false, byUse)
	}
	if federationName.MatchString(normalName(u.key)) {
		if place, ok := r.canMintIdentity(u.job); ok && (agent != "" || !strings.HasPrefix(normalName(u.key), "GCP")) {
			model = true
			add(KindModel, false, byUse+", and "+place.Label)
		}
	}
	if o.kind == fromStep && o.step != nil && isMint(o.step) || o.kind == fromInput && u.job.action != nil {
		// A token that a step of this job mints is judged where it is minted; an action's own input, where it is called.
		write = true
	}
	if narrowed := u.step != nil && u.section == inWith && isMint(u.step) && mintsReadOnly(u.step); narrowed {
		write = true // the key of a mint that is narrowed to reading
	}
	if !write {
		switch {
		case byName && isWriteName(o.name):
			write = true
			add(KindWrite, fallback && !strings.Contains(normalName(o.name), "KEY"), "by its name")
		case u.takesToken():
			write = true
			add(KindWrite, fallback, byUse)
		}
	}
	if byName && !model && !write && agent != "" && (u.section == inEnv || u.section == inWith || u.section == inRun) {
		add(KindModel, false, "given to "+agent)
	}
}

// takesToken reports whether what a value is given to takes the token that something writes to GitHub with.
func (u use) takesToken() bool {
	switch u.section {
	case inRun:
		return u.key != "" && isTokenVariable(u.key)
	case inEnv:
		return u.key != "" && isTokenVariable(u.key) || u.step != nil && isIdentifier(u.key) && tokenInScript(u.step.run().text(), u.key)
	case inSecrets:
		return u.key != "" && isTokenVariable(u.key)
	case inWith:
		return u.step != nil && isTokenInput(u.step.uses, u.key)
	}
	return false
}

// tokenInScript reports whether a script uses a variable as the token of a repository's address or of gh.
func tokenInScript(script, variable string) bool {
	for _, before := range []string{"x-access-token:", "GH_TOKEN=", "GH_TOKEN=\"", "GITHUB_TOKEN=", "GITHUB_TOKEN=\""} {
		if strings.Contains(script, before+"${"+variable+"}") {
			return true
		}
		if _, after, found := strings.Cut(script, before+"$"+variable); found && (after == "" || !isNameByte(after[0], true)) {
			return true
		}
	}
	return false
}

// agent names a model program that a value is given to: its step's, or that of any step whose environment it is in.
func (u use) agent() string {
	if u.step != nil || u.section != inEnv {
		return u.step.agent()
	}
	for _, s := range u.job.steps {
		if agent := s.agent(); agent != "" {
			return agent
		}
	}
	return ""
}

// namesInSelection lists the words by which a use may choose one of all secrets: those of its own scalar, and the values of
// the matrix that it reads.
func (u use) namesInSelection() []string {
	texts := []string{u.at.value}
	for _, part := range u.at.expressions() {
		for _, ref := range part.expression.mentions() {
			if ref.context == "matrix" && len(ref.path) > 0 {
				for _, value := range u.job.matrix(ref.path[0]) {
					texts = append(texts, value.value)
				}
			}
		}
	}
	return strings.FieldsFunc(strings.Join(texts, " "), func(c rune) bool { return c > 0x7f || !isNameByte(byte(c), true) })
}

// isModelInput reports whether a value goes to an input of airlock's run action that takes the model credential.
func (r *repository) isModelInput(u use) bool {
	return u.step != nil && u.section == inWith && r.isRunAction(u.step.uses) && u.key == "model-credential"
}

// agent names the model program that a step starts, as far as it is known, or is empty.
func (s *step) agent() string {
	if s == nil {
		return ""
	}
	if s.uses != "" {
		repository := actionRepository(s.uses)
		if image, found := strings.CutPrefix(s.uses, "docker://"); found && slices.Contains(agentPrograms, programName(image)) {
			return "the image of the model CLI " + programName(image)
		}
		if slices.Contains(agentActions, repository) {
			return "the agent action " + repository
		}
		return ""
	}
	for _, command := range s.commands() {
		if program := agentProgram(command); program != "" {
			return "the model CLI " + program
		}
	}
	return ""
}

func isMint(s *step) bool { return slices.Contains(mintActions, actionRepository(s.uses)) }

// mintsReadOnly reports whether a mint names what its token may do, and all of it is reading.
func mintsReadOnly(s *step) bool {
	named := false
	for _, e := range s.with().entriesOf() {
		switch name := strings.ToLower(e.key.value); {
		case strings.HasPrefix(name, "permission-"):
			if named = true; !e.value.is("read") {
				return false
			}
		case name == "permissions":
			named = true
			levels := strings.FieldsFunc(e.value.text(), func(c rune) bool { return strings.ContainsRune("{}\"', \n\t:", c) })
			for i := 1; i < len(levels); i += 2 {
				if levels[i] != "read" {
					return false
				}
			}
			if len(levels) == 0 || len(levels)%2 != 0 {
				return false
			}
		}
	}
	return named
}

func (n *node) entriesOf() []entry {
	if n == nil {
		return nil
	}
	return n.entries
}

// actionEvidence is what an action brings by itself: a token it mints or trades for.
func (r *repository) actionEvidence(j *job, s *step) []evidence {
	if s.uses == "" {
		return nil
	}
	repository := actionRepository(s.uses)
	at := s.node.get("uses")
	switch {
	case isMint(s):
		if mintsReadOnly(s) {
			return nil
		}
		return []evidence{{kind: KindWrite, what: "a minted token", step: s, places: []Place{at.place("write credential: " + quote(repository) + " mints a token that is not narrowed to reading")}}}
	case slices.Contains(cloudActions, repository):
		identity, ok := r.canMintIdentity(j)
		if !ok {
			return nil
		}
		return []evidence{{kind: KindWrite, weak: true, what: "a cloud account", step: s, places: []Place{at.place("write credential: " + quote(repository) + " trades the job's OIDC token for a cloud account"), identity}}}
	case exchangesIdentity(s):
		identity, ok := r.canMintIdentity(j)
		if !ok {
			return nil
		}
		return []evidence{{kind: KindWrite, what: "a traded token", step: s, places: []Place{at.place("write credential: " + quote(repository) + " trades the job's OIDC token for an App token that writes"), identity}}}
	}
	return nil
}

// exchangesIdentity reports whether an agent action would trade the job's OIDC token for a token of its own App.
func exchangesIdentity(s *step) bool {
	given := func(name string) bool {
		n := s.input(name)
		return n != nil && strings.TrimSpace(n.text()) != ""
	}
	switch actionRepository(s.uses) {
	case "anthropics/claude-code-action":
		return !given("github_token") && !readsOnly(s.input("additional_permissions").text())
	case "sst/opencode", "anomalyco/opencode":
		return !s.input("use_github_token").is("true")
	}
	return false
}

// readsOnly reports whether the lines of additional_permissions set every default that writes to read: the action lays
// them over its own defaults, so one that is not named keeps writing.
func readsOnly(lines string) bool {
	levels := map[string]string{}
	for _, line := range strings.Split(lines, "\n") {
		if name, level, ok := strings.Cut(line, ":"); ok {
			levels[strings.TrimSpace(name)] = strings.TrimSpace(level)
		}
	}
	for _, level := range levels {
		if level == "write" {
			return false
		}
	}
	return levels["contents"] == "read" && levels["pull_requests"] == "read" && levels["issues"] == "read"
}

// environmentEvidence is what the configuration says of the environment that a job names.
func (r *repository) environmentEvidence(j *job) []evidence {
	n := j.node.get("environment")
	if n != nil && n.kind == mappingNode {
		n = n.get("name")
	}
	kind, ok := r.config.Environments[n.text()]
	if !ok || kind != KindModel && kind != KindWrite {
		return nil
	}
	return []evidence{{kind: kind, what: "an environment", places: []Place{n.place(fmt.Sprintf("%s credential: the environment %s, by the configuration", kind, quote(n.text())))}}}
}

// inheritedEvidence is what a job hands to a workflow of another repository that is named for a model program, where it
// hands on every secret.
func inheritedEvidence(j *job) []evidence {
	uses, secrets := j.node.get("uses"), j.node.get("secrets")
	if _, local := localPath(uses.text()); local || !secrets.is("inherit") || !agentWorkflow.MatchString(actionPath(uses.text())) {
		return nil
	}
	return []evidence{{kind: KindModel, weak: true, what: "every secret", places: []Place{
		secrets.place("model credential: every secret, given to a workflow that is named for a model program"), uses.place("this workflow")}}}
}

// ofKind keeps the evidence of one kind.
func ofKind(all []evidence, kind Kind) []evidence {
	return slices.DeleteFunc(slices.Clone(all), func(e evidence) bool { return e.kind != kind })
}

// allWeak reports whether nothing but weak evidence is there.
func allWeak(all []evidence) bool {
	return !slices.ContainsFunc(all, func(e evidence) bool { return !e.weak })
}

// placesOf lists the places of the evidence.
func placesOf(all []evidence) []Place {
	var places []Place
	for _, e := range all {
		places = append(places, e.places...)
	}
	return places
}
