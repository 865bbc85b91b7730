package config

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// tree is a repository at one commit.
type tree map[string]string

func (t tree) ReadFile(_ context.Context, path string) ([]byte, bool, error) {
	data, ok := t[path]
	return []byte(data), ok, nil
}

// apps is an apps.json whose App has its numbers.
const apps = `{"schema": "apps/1", "apps": [{"app_id": 900001, "bot_user_id": 190000001,
 "ceiling": {"checks": "write", "metadata": "read", "pull_requests": "write"}, "environment": "factory-apply", "installation_id": 80000001, "name": "pr-review"}],
 "needs": {"reply_thread": {"pull_requests": "write"}, "report": {"checks": "write"},
 "resolve_thread": {"contents": "write", "pull_requests": "write"}, "submit_review": {"pull_requests": "write"}}}`

// second returns an apps.json with a second App.
func second(numbers, ceiling string) string {
	return strings.Replace(apps, `"name": "pr-review"}`, `"name": "pr-review"}, {`+numbers+`, "ceiling": `+ceiling+`, "environment": "factory-apply", "installation_id": 80000002, "name": "second"}`, 1)
}

// with returns a repository with apps.json and further files.
func with(files tree) tree {
	out := tree{".github/airlock/apps.json": apps}
	maps.Copy(out, files)
	return out
}

// changed returns an embedded file with some text replaced, which must be in it.
func changed(t *testing.T, path, old, replacement string) string {
	t.Helper()
	data, err := airlock.Files.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		t.Fatalf("%s has no %s", path, old)
	}
	return strings.Replace(string(data), old, replacement, 1)
}

// TestOverrides holds that each file is read from the repository where it is there, and from the defaults where it is not,
// and that the origin says so.
func TestOverrides(t *testing.T) {
	c, err := Load(context.Background(), with(tree{
		".github/airlock/policy.json":        changed(t, "config/policy.json", `"maintainers": []`, `"maintainers": [1000001]`),
		".github/airlock/roles/pr-review.md": "Review this.\n",
	}), "pr-review")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Policy.Maintainers) != 1 || string(c.Prompt) != "Review this.\n" || c.Apps.Apps[0].AppID != 900001 || c.Harness.Engines[0].Version != "2.1.306" {
		t.Errorf("policy %+v, prompt %q, apps %+v, harness %+v", c.Policy, c.Prompt, c.Apps, c.Harness)
	}
	want := map[string]string{
		"policy": ".github/airlock/policy.json", "apps": ".github/airlock/apps.json", "prompt": ".github/airlock/roles/pr-review.md",
		"harness": Embedded, "manifest": Embedded,
	}
	if !maps.Equal(c.Origin, want) {
		t.Errorf("origin %v, want %v", c.Origin, want)
	}
	files, err := c.Bundle()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 5 || string(files["prompt.md"]) != "Review this.\n" || contract.FileOf(files["role.json"]).Bytes != 512 {
		t.Errorf("bundle of %d files, prompt %q, role.json of %d bytes", len(files), files["prompt.md"], len(files["role.json"]))
	}
}

// TestEmbeddedDefaults holds what a repository gets that overrides nothing.
func TestEmbeddedDefaults(t *testing.T) {
	c, err := Load(context.Background(), nil, "pr-review")
	if err != nil {
		t.Fatal(err)
	}
	if c.Policy.Approval.Outside != contract.ApprovalRequired || c.Policy.Paused != nil || len(c.Policy.Maintainers) != 0 {
		t.Errorf("policy %+v: outsiders must need approval, and nobody is a maintainer until named", c.Policy)
	}
	if len(c.Policy.ExcludedPaths) != 0 {
		t.Errorf("excluded paths %v: a review of the whole change must not leave out what nobody chose to", c.Policy.ExcludedPaths)
	}
	if ceiling := c.Apps.Apps[0].Ceiling; ceiling["contents"] != "" || ceiling["pull_requests"] != "write" || ceiling["checks"] != "write" {
		t.Errorf("ceiling %v", ceiling)
	}
	if pin := c.Harness.Engines[0]; pin.Credential != "broker" || pin.Sandbox != "bwrap" || pin.Upstream != "https://api.anthropic.com" {
		t.Errorf("engine pin %+v: the CLI is to hold no credential, and to reach nothing but the broker", pin)
	}
	// The largest Task of common text, each character in JSON of JSON a quarter longer, must be one that the broker can let pass.
	largest := int64(c.Harness.Texts.DiffCharacters+c.Harness.Texts.CommentsCharacters+c.Harness.Texts.BodyCharacters) * 5 / 4
	price := c.Harness.Engines[0].Prices[c.Harness.Tiers["gate"].Model]
	if worst := largest*price.CacheWriteHourMicrousd/1_000_000 + 64_000*price.OutputMicrousd/1_000_000; worst > c.Role.Intents[0].Limits.CostMicrousd {
		t.Errorf("the largest Task may cost %d micro-dollars, and the Role allows %d", worst, c.Role.Intents[0].Limits.CostMicrousd)
	}
	if !c.EvalsPresent("review-change") || c.EvalsPresent("another") {
		t.Error("the eval set of review-change is embedded, and no other")
	}
}

// TestConfigurationInvalid holds that a file that is wrong gives configuration_invalid with the file and the field.
func TestConfigurationInvalid(t *testing.T) {
	const policy, harness, role, prompt = ".github/airlock/policy.json", ".github/airlock/harness.json", ".github/airlock/roles/pr-review.json", ".github/airlock/roles/pr-review.md"
	for name, c := range map[string]struct {
		source tree
		role   string
		want   string
	}{
		"app numbers are not filled in":  {tree{}, "pr-review", "embedded config/apps.json: field apps[0].app_id: 0 stands for no App: put the App's own number into .github/airlock/apps.json on the default branch"},
		"one number is not filled in":    {tree{".github/airlock/apps.json": strings.Replace(apps, "190000001", "0", 1)}, "pr-review", ".github/airlock/apps.json: field apps[0].bot_user_id: 0 stands for no App: put the App's own number into .github/airlock/apps.json on the default branch"},
		"unknown field":                  {with(tree{policy: changed(t, "config/policy.json", `"paused"`, `"pause"`)}), "pr-review", policy + ": field pause: an unknown field"},
		"wrong version":                  {with(tree{policy: changed(t, "config/policy.json", "policy/1", "policy/2")}), "pr-review", policy + ": field schema: not one of the values it may have"},
		"truncated":                      {with(tree{policy: `{"schema": "policy/1",`}), "pr-review", policy + ": a key was expected, at byte 22"},
		"empty":                          {with(tree{policy: ""}), "pr-review", policy + ": the document ends too early"},
		"too large":                      {with(tree{policy: strings.Repeat(" ", MaxFileBytes+1)}), "pr-review", policy + ": 1048577 bytes, 1048576 are allowed"},
		"tier of no engine":              {with(tree{harness: changed(t, "config/harness.json", `"low", "engine": "claude"`, `"low", "engine": "codex"`)}), "pr-review", harness + ": field tiers.light.engine: there is no engine of this name"},
		"tier of no price":               {with(tree{harness: changed(t, "config/harness.json", `{"claude-haiku-5-5": {`, `{"another": {`)}), "pr-review", harness + ": field tiers.light.model: the engine has no price for it, and a broker makes no call that could cost more than is left"},
		"upstream in clear":              {with(tree{harness: changed(t, "config/harness.json", "https://api", "http://api")}), "pr-review", harness + ": field engines[0].upstream: not of the form it must have"},
		"our bot as a maintainer":        {with(tree{policy: changed(t, "config/policy.json", `"maintainers": []`, `"maintainers": [1000001, 190000001]`)}), "pr-review", policy + ": field maintainers[1]: this is the bot user of the app pr-review, which is a role and nothing else"},
		"our bot as an advisor":          {with(tree{policy: changed(t, "config/policy.json", `"advisory": []`, `"advisory": [190000001]`)}), "pr-review", policy + ": field advisory[0]: this is the bot user of the app pr-review, which is a role and nothing else"},
		"one label for both":             {with(tree{policy: changed(t, "config/policy.json", `"airlock:hold"`, `"Airlock:Approved"`)}), "pr-review", policy + ": field labels: one label cannot approve and hold; GitHub puts case aside"},
		"links to anywhere":              {with(tree{policy: changed(t, "config/policy.json", `"github.com"`, `"*"`)}), "pr-review", policy + ": field links.hosts[0]: not of the form it must have"},
		"links to any part of a host":    {with(tree{policy: changed(t, "config/policy.json", `"github.com"`, `"*.github.com"`)}), "pr-review", policy + ": field links.hosts[0]: not of the form it must have"},
		"a negative budget":              {with(tree{policy: changed(t, "config/policy.json", `"item_runs_per_day": 8`, `"item_runs_per_day": -1`)}), "pr-review", policy + ": field budget.item_runs_per_day: less than 0"},
		"nobody as a maintainer":         {with(tree{policy: changed(t, "config/policy.json", `"maintainers": []`, `"maintainers": [0]`)}), "pr-review", policy + ": field maintainers[0]: less than 1"},
		"two apps of one name":           {tree{".github/airlock/apps.json": strings.Replace(second(`"app_id": 900002, "bot_user_id": 190000002`, `{"checks": "write"}`), `"name": "second"`, `"name": "pr-review"`, 1)}, "pr-review", ".github/airlock/apps.json: field apps[1].name: two apps have this name"},
		"two engines of one name":        {with(tree{harness: changed(t, "config/harness.json", `"engines": [`, `"engines": [{"binaries": {}, "credential": "direct", "name": "claude", "sandbox": "off", "upstream": "https://api.anthropic.com", "version": "0.0.1"}, `)}), "pr-review", harness + ": field engines[1].name: two engines have this name"},
		"two intents of one name":        {with(tree{role: changed(t, "roles/pr-review.json", `"intents": [`, `"intents": [{"class": "advice", "evals": null, "items": ["pull_request"], "limits": {"cost_microusd": 1, "effects": 1, "findings": 1, "seconds": 1, "text_characters": 100}, "name": "review-change", "permitted_effects": ["submit_review"], "tier": "light"}, `)}), "pr-review", role + ": field intents[1].name: two intents have this name"},
		"role that begins with a digit":  {with(nil), "1x", "roles/: a role's name is lower-case letters, digits and hyphens, 40 at most"},
		"role that begins with a hyphen": {with(nil), "-x", "roles/: a role's name is lower-case letters, digits and hyphens, 40 at most"},
		"role that is too long":          {with(nil), strings.Repeat("a", 41), "roles/: a role's name is lower-case letters, digits and hyphens, 40 at most"},
		"role in capitals":               {with(nil), "PR-review", "roles/: a role's name is lower-case letters, digits and hyphens, 40 at most"},
		"two apps of one number":         {tree{".github/airlock/apps.json": second(`"app_id": 900001, "bot_user_id": 190000002`, `{"checks": "write"}`)}, "pr-review", ".github/airlock/apps.json: field apps[1].app_id: two apps have this number"},
		"two apps of one bot":            {tree{".github/airlock/apps.json": second(`"app_id": 900002, "bot_user_id": 190000001`, `{"checks": "write"}`)}, "pr-review", ".github/airlock/apps.json: field apps[1].bot_user_id: two apps have this number"},
		"a check beyond the ceiling":     {tree{".github/airlock/apps.json": strings.Replace(apps, `"checks": "write", "metadata"`, `"checks": "read", "metadata"`, 1)}, "pr-review", ".github/airlock/apps.json: field apps[0].ceiling: the check of this role needs checks: write"},
		"a ceiling over everything":      {tree{".github/airlock/apps.json": strings.Replace(apps, `"checks": "write", "metadata"`, `"administration": "write", "checks": "write", "metadata"`, 1)}, "pr-review", ".github/airlock/apps.json: field apps[0].ceiling.administration: a key is not of the form it must have"},
		"a review that needs contents":   {tree{".github/airlock/apps.json": strings.Replace(apps, `"submit_review": {`, `"submit_review": {"contents": "write", `, 1)}, "pr-review", ".github/airlock/apps.json: field needs.submit_review.contents: a key is not of the form it must have"},
		"a check that needs contents":    {tree{".github/airlock/apps.json": strings.Replace(apps, `"report": {`, `"report": {"contents": "write", `, 1)}, "pr-review", ".github/airlock/apps.json: field needs.report.contents: a key is not of the form it must have"},
		"prompt that leads elsewhere":    {with(tree{role: changed(t, "roles/pr-review.json", "roles/pr-review.md", "roles/../../../etc/passwd.md")}), "pr-review", role + ": field prompt: not of the form it must have"},
		"evals that lead elsewhere":      {with(tree{role: changed(t, "roles/pr-review.json", "evals/pr-review", "evals/../roles")}), "pr-review", role + ": field intents[0].evals: not of the form it must have"},
		"longer than its job":            {with(tree{role: changed(t, "roles/pr-review.json", `"seconds": 600`, `"seconds": 1501`)}), "pr-review", role + ": field intents[0].limits.seconds: more than 1500"},
		"a reviewer that claims":         {with(tree{role: changed(t, "roles/pr-review.json", `"disposition_half": "reviewer"`, `"disposition_half": "author"`)}), "pr-review", role + ": field disposition_half: a Role of kind reviewer makes the half reviewer, or it would judge its own claims"},
		"an author that judges":          {with(tree{role: changed(t, "roles/pr-review.json", `"kind": "reviewer"`, `"kind": "author"`)}), "pr-review", role + ": field disposition_half: a Role of kind author makes the half author, or it would judge its own claims"},
		"app unknown":                    {with(tree{role: changed(t, "roles/pr-review.json", `"app": "pr-review"`, `"app": "another"`)}), "pr-review", role + ": field app: apps.json has no app of this name"},
		"another role's manifest":        {with(tree{role: changed(t, "roles/pr-review.json", `"name": "pr-review"`, `"name": "another"`)}), "pr-review", role + ": field name: the manifest is of another role than its file name says"},
		"another role's prompt":          {with(tree{role: changed(t, "roles/pr-review.json", "roles/pr-review.md", "roles/another.md")}), "pr-review", role + ": field prompt: it must be roles/pr-review.md"},
		"unknown tier":                   {with(tree{role: changed(t, "roles/pr-review.json", `"tier": "gate"`, `"tier": "best"`)}), "pr-review", role + ": field intents[0].tier: not one of the values it may have"},
		"gate without evals":             {with(tree{role: changed(t, "roles/pr-review.json", `"evals/pr-review"`, `null`)}), "pr-review", role + ": field intents[0].evals: not of the type it must have"},
		"no room for texts":              {with(tree{role: changed(t, "roles/pr-review.json", `"findings": 50`, `"findings": 99`)}), "pr-review", role + ": field intents[0].limits: limits.findings 99 leaves 0 characters for the text of each, 80 are the least: allow fewer"},
		"Effect beyond the ceiling":      {with(tree{role: changed(t, "roles/pr-review.json", `"reply_thread"]`, `"resolve_thread"]`)}), "pr-review", role + ": field intents[0].permitted_effects[1]: resolve_thread needs contents: write, which the ceiling of the app pr-review does not allow"},
		"empty prompt":                   {with(tree{prompt: " \n"}), "pr-review", prompt + ": the prompt is empty"},
		"prompt that is not text":        {with(tree{prompt: "\xff\xfe"}), "pr-review", prompt + ": the prompt is not UTF-8"},
		"broken eval set":                {with(tree{".github/airlock/evals/pr-review/cases.json": "{}"}), "pr-review", ".github/airlock/evals/pr-review/cases.json: field schema: a required field is missing"},
		"no such role":                   {with(nil), "fixer", ".github/airlock/roles/fixer.json: there is no such file in the repository, and none is embedded"},
		"role that is a path":            {with(nil), "../../etc", "roles/: a role's name is lower-case letters, digits and hyphens, 40 at most"},
		"role that is the lock":          {with(nil), "lock", "embedded roles/lock.json: field lenses: an unknown field"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(context.Background(), c.source, c.role)
			var fault *Error
			if !errors.As(err, &fault) || fault.Code() != contract.CodeConfigurationInvalid || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestCategoryOfAnEmbeddedRole holds that a repository's own Role may not take a category that another Role owns.
func TestCategoryOfAnEmbeddedRole(t *testing.T) {
	manifest := strings.ReplaceAll(changed(t, "roles/pr-review.json", `"name": "pr-review"`, `"name": "second"`), "roles/pr-review.md", "roles/second.md")
	_, err := Load(context.Background(), with(tree{".github/airlock/roles/second.json": manifest, ".github/airlock/roles/second.md": "Review."}), "second")
	want := ".github/airlock/roles/second.json: field categories[0]: category correctness belongs to the role pr-review"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestAnotherRolesBreach holds that a Role loads though the configuration of another one does not hold, and that Apps whose
// numbers nobody filled in are no pair of one number.
func TestAnotherRolesBreach(t *testing.T) {
	manifest := strings.NewReplacer(`"name": "pr-review"`, `"name": "second"`, `"app": "pr-review"`, `"app": "second"`, "roles/pr-review.md", "roles/second.md",
		`"correctness", "security", "concurrency", "data_loss", "compatibility", "tests", "maintainability"`, `"style"`).Replace(changed(t, "roles/pr-review.json", "role/1", "role/1"))
	configured := strings.Replace(second(`"app_id": 900002, "bot_user_id": 190000002`, `{"checks": "write", "pull_requests": "write"}`),
		`"checks": "write", "metadata": "read", "pull_requests": "write"`, `"checks": "write"`, 1)
	for _, name := range []string{"third", "fourth"} {
		configured = strings.Replace(configured, `"apps": [`, `"apps": [{"app_id": 0, "bot_user_id": 0, "ceiling": {"checks": "write"}, "environment": "factory-apply", "installation_id": 0, "name": "`+name+`"}, `, 1)
	}
	c, err := Load(context.Background(), tree{".github/airlock/apps.json": configured, ".github/airlock/roles/second.json": manifest, ".github/airlock/roles/second.md": "Review."}, "second")
	if err != nil || c.Role.Name != "second" {
		t.Errorf("role %s: %v", c.Role.Name, err)
	}
}

// TestEvalsOfAnother holds that an eval set counts only for the Role and the Intent that it names.
func TestEvalsOfAnother(t *testing.T) {
	for old, other := range map[string]string{`"role": "pr-review"`: `"role": "other"`, `"intent": "review-change"`: `"intent": "other"`} {
		c, err := Load(context.Background(), with(tree{".github/airlock/evals/pr-review/cases.json": changed(t, "evals/pr-review/cases.json", old, other)}), "pr-review")
		if err != nil || c.EvalsPresent("review-change") {
			t.Errorf("%s: %v, present", other, err)
		}
	}
}

// broken is a Source that cannot be read.
type broken struct{}

var errBroken = errors.New("no answer")

func (broken) ReadFile(context.Context, string) ([]byte, bool, error) { return nil, false, errBroken }

// TestSourceFails holds that a Source that cannot be read is no missing file and no invalid configuration.
func TestSourceFails(t *testing.T) {
	_, err := Load(context.Background(), broken{}, "pr-review")
	var fault *Error
	if !errors.Is(err, errBroken) || errors.As(err, &fault) {
		t.Errorf("error %v", err)
	}
}

// TestAuthorityChecks holds the three checks over the embedded Roles, and that each fails by itself.
func TestAuthorityChecks(t *testing.T) {
	var roles []contract.Role
	var configured contract.Apps
	for _, c := range embeddedConfigs(t) {
		roles, configured = append(roles, c.Role), c.Apps
	}
	exist := func(folder string) bool {
		_, err := airlock.Files.ReadFile(folder + "/cases.json")
		return err == nil
	}
	if breaches := breachesOf(roles, configured, exist); len(breaches) != 0 {
		t.Errorf("the embedded Roles: %+v", breaches)
	}
	second := roles[0]
	second.Name, second.Categories = "second", []string{"style", "security"}
	resolving := roles[0]
	resolving.Intents = append([]contract.Intent{}, resolving.Intents...)
	resolving.Intents[0].PermittedEffects = []string{contract.SubmitReview, contract.ResolveThread}
	advising := roles[0]
	advising.Intents = append([]contract.Intent{}, advising.Intents...)
	advising.Intents[0].Class, advising.Intents[0].Evals = contract.ClassAdvice, nil
	homeless := roles[0]
	homeless.App = "another"
	for name, c := range map[string]struct {
		roles []contract.Role
		exist func(string) bool
		want  []breach
	}{
		"two owners":                 {append(roles[:1:1], second), exist, []breach{{oneOwner, "second", "categories[1]", "category security belongs to the role pr-review"}}},
		"beyond the ceiling":         {[]contract.Role{resolving}, exist, []breach{{withinCeiling, "pr-review", "intents[0].permitted_effects[1]", "resolve_thread needs contents: write, which the ceiling of the app pr-review does not allow"}}},
		"advice without an eval set": {[]contract.Role{advising}, exist, nil},
		"no such app": {[]contract.Role{homeless}, exist, []breach{
			{withinCeiling, "pr-review", "intents[0].permitted_effects[0]", "submit_review needs pull_requests: write, which the ceiling of the app another does not allow"},
			{withinCeiling, "pr-review", "intents[0].permitted_effects[1]", "reply_thread needs pull_requests: write, which the ceiling of the app another does not allow"},
		}},
		"no eval set": {roles, func(string) bool { return false }, []breach{{missingEvals, "pr-review", "intents[0].evals", "an Intent of class gate must name an eval set that exists"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := breachesOf(c.roles, configured, c.exist)
			if len(got) != len(c.want) {
				t.Fatalf("got %+v\nwant %+v", got, c.want)
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("got  %+v\nwant %+v", got[i], c.want[i])
				}
			}
		})
	}
}
