package contract

import (
	"maps"
	"slices"
)

// Policy is policy/1: who counts and what is allowed. Paused is nil or the reason everything stands still.
type Policy struct {
	Schema        string        `json:"schema"`
	Paused        *string       `json:"paused"`
	Maintainers   []int64       `json:"maintainers"`
	Advisory      []int64       `json:"advisory"`
	Approval      Approval      `json:"approval"`
	Budget        Budget        `json:"budget"`
	Content       ContentLimits `json:"content"`
	ExcludedPaths []string      `json:"excluded_paths"`
	Labels        PolicyLabels  `json:"labels"`
	Links         PolicyLinks   `json:"links"`
}

// Values of [Approval].Outside.
const (
	ApprovalRequired    = "required"
	ApprovalNotRequired = "not_required"
)

// Approval says whose changes need a maintainer's label: Outside is [ApprovalRequired] or [ApprovalNotRequired], Exempt lists user ids.
type Approval struct {
	Exempt  []int64 `json:"exempt"`
	Outside string  `json:"outside"`
}

// Budget is the most Runs that may have reached a model in the last 24 hours.
type Budget struct {
	ItemRunsPerDay       int `json:"item_runs_per_day"`
	RepositoryRunsPerDay int `json:"repository_runs_per_day"`
}

// ContentLimits are the largest diff in bytes and in files that is admitted.
type ContentLimits struct {
	Bytes int64 `json:"bytes"`
	Files int   `json:"files"`
}

// PolicyLabels names the labels that approve and that hold.
type PolicyLabels struct {
	Approved string `json:"approved"`
	Hold     string `json:"hold"`
}

// PolicyLinks lists the hosts that posted links may lead to.
type PolicyLinks struct {
	Hosts []string `json:"hosts"`
}

// Apps is apps/1: who we are on GitHub, and what each Effect needs.
type Apps struct {
	Schema string                       `json:"schema"`
	Apps   []App                        `json:"apps"`
	Needs  map[string]map[string]string `json:"needs"`
}

// NeedReport is the key of [Apps].Needs for the check alone.
const NeedReport = "report"

// App is one GitHub App. Ceiling is the most its tokens may ever hold.
type App struct {
	AppID          int64             `json:"app_id"`
	BotUserID      int64             `json:"bot_user_id"`
	Ceiling        map[string]string `json:"ceiling"`
	Environment    string            `json:"environment"`
	InstallationID int64             `json:"installation_id"`
	Name           string            `json:"name"`
}

// Beyond returns the first permission, by name, that a need has beyond a ceiling, such as "contents: write"; false where
// there is none. Write includes read, and any other word is beyond every ceiling.
func Beyond(need, ceiling map[string]string) (permission string, beyond bool) {
	for _, name := range slices.Sorted(maps.Keys(need)) {
		within := need[name] == "read" && ceiling[name] == "read" || (need[name] == "read" || need[name] == "write") && ceiling[name] == "write"
		if !within {
			return name + ": " + need[name], true
		}
	}
	return "", false
}

// Named returns the App of that name.
func (a Apps) Named(name string) (App, bool) {
	for _, app := range a.Apps {
		if app.Name == name {
			return app, true
		}
	}
	return App{}, false
}

// Harness is harness/1: pins, bindings and budgets of the model side.
type Harness struct {
	Schema  string          `json:"schema"`
	Engines []EnginePin     `json:"engines"`
	Tiers   map[string]Tier `json:"tiers"`
	Texts   TextBudget      `json:"texts"`
}

// EnginePin pins one model CLI. Binaries maps an operating system and architecture ("linux-amd64") to a digest.
// Credential is "broker" or "direct"; Sandbox is "bwrap" or "off"; Upstream is https anywhere, or http on loopback.
// Prices maps full model ids to what they cost; it is nil where none are given.
type EnginePin struct {
	Binaries   map[string]string `json:"binaries"`
	Credential string            `json:"credential"`
	Name       string            `json:"name"`
	Prices     map[string]Price  `json:"prices,omitempty"`
	Sandbox    string            `json:"sandbox"`
	Upstream   string            `json:"upstream"`
	Version    string            `json:"version"`
}

// Price is what a model costs, in micro-dollars for a million tokens. A token written into the vendor's cache costs
// CacheWriteMicrousd for some minutes and CacheWriteHourMicrousd for an hour. ContextTokens is the most that one request may
// hold, and so the most that it can cost.
type Price struct {
	CacheReadMicrousd      int64 `json:"cache_read_microusd"`
	CacheWriteHourMicrousd int64 `json:"cache_write_hour_microusd"`
	CacheWriteMicrousd     int64 `json:"cache_write_microusd"`
	ContextTokens          int64 `json:"context_tokens"`
	InputMicrousd          int64 `json:"input_microusd"`
	OutputMicrousd         int64 `json:"output_microusd"`
}

// Engine returns the pin of that name.
func (h Harness) Engine(name string) (EnginePin, bool) {
	for _, pin := range h.Engines {
		if pin.Name == name {
			return pin, true
		}
	}
	return EnginePin{}, false
}

// Tier binds a class of model to an engine, a full model id and an effort.
type Tier struct {
	Effort string `json:"effort"`
	Engine string `json:"engine"`
	Model  string `json:"model"`
}

// TextBudget is how many characters of each kind of text a Task may hold.
type TextBudget struct {
	BodyCharacters     int `json:"body_characters"`
	CommentCharacters  int `json:"comment_characters"`
	CommentsCharacters int `json:"comments_characters"`
	DiffCharacters     int `json:"diff_characters"`
}

// Role is role/1: what may be asked of a model and written for it. DispositionHalf is the one half it may make.
type Role struct {
	Schema          string   `json:"schema"`
	Name            string   `json:"name"`
	Kind            string   `json:"kind"`
	App             string   `json:"app"`
	Prompt          string   `json:"prompt"`
	Categories      []string `json:"categories"`
	DispositionHalf string   `json:"disposition_half"`
	Intents         []Intent `json:"intents"`
}

// Classes of Intent.
const (
	ClassGate   = "gate"
	ClassAdvice = "advice"
)

// Halves of a Disposition.
const (
	HalfAuthor   = "author"
	HalfReviewer = "reviewer"
)

// Intent is one thing a Role does. Evals names its eval set, a folder; it may be nil only for an advice Intent.
type Intent struct {
	Class            string   `json:"class"`
	Evals            *string  `json:"evals"`
	Items            []string `json:"items"`
	Limits           Limits   `json:"limits"`
	Name             string   `json:"name"`
	PermittedEffects []string `json:"permitted_effects"`
	Tier             string   `json:"tier"`
}

// Intent returns the Intent of that name.
func (r Role) Intent(name string) (Intent, bool) {
	for _, intent := range r.Intents {
		if intent.Name == name {
			return intent, true
		}
	}
	return Intent{}, false
}
