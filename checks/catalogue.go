package checks

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// What names, actions and programs are known to mean. The lists are facts about the field, gathered from public workflows and
// the sources of the actions; a list that lags makes a finding of another kind (an unknown secret in an agent's step is
// a model credential all the same), never a crossing that is passed as clean because of its form.

// modelName matches a secret, an environment variable or an input, in upper case with _, that holds a model credential.
// Names that are parts of other words (ARTIFACTORY_API_KEY, NGROK_AUTHTOKEN) count only as words of their own.
var modelName = regexp.MustCompile(`(ANTHROPIC|CLAUDE|OPENAI|CHATGPT|GEMINI|GOOGLE_AI|GOOGLE_API|OPENROUTER|DEEPSEEK|PERPLEXITY|FIREWORKS|CEREBRAS|MOONSHOT|DASHSCOPE|OPENCODE|LITELLM).*(KEY|TOKEN|AUTH|SECRET|CREDENTIAL)` +
	`|(^|_)(CODEX|MISTRAL|GROQ|GROK|COHERE|XAI|TOGETHER(AI)?|KIMI|ZAI|QWEN|CURSOR|FACTORY_API|AUGMENT|LLMS?|MODELS?)_(.*_)?(API_?)?(KEY|TOKEN|AUTH|SECRET|CREDENTIAL)` +
	`|^COPILOT_GITHUB_TOKEN$|^COPILOT_(CLI_)?TOKEN$`)

// federationName matches the input or variable that names a rule by which a job's OIDC token buys a model credential.
var federationName = regexp.MustCompile(`_FEDERATION_RULE_ID$|^GCP_WORKLOAD_IDENTITY_PROVIDER$`)

// writeName matches a secret or a variable that can write to a repository, by its name.
var writeName = regexp.MustCompile(`(^|_)PATS?($|_)|PRIVATE_?KEY|DEPLOY_?KEY|BOT_TOKEN|PERSONAL_ACCESS_TOKEN|(^|_)(GH|GITHUB)_APP_(KEY|PEM)|PUSH_TOKEN|RELEASE_TOKEN|^GH_TOKEN$`)

// chatBotName matches the token of a bot of a chat, which writes there and nowhere else.
var chatBotName = regexp.MustCompile(`(SLACK|TELEGRAM|DISCORD|TEAMS|MATRIX|MATTERMOST|ZULIP|TG)_BOT_TOKEN`)

// normalName writes a name as the patterns above expect it.
func normalName(name string) string {
	return strings.ReplaceAll(strings.ToUpper(name), "-", "_")
}

func isModelName(name string) bool {
	name = normalName(name)
	if strings.HasSuffix(name, "PAT") || strings.HasSuffix(name, "PRIVATE_KEY") {
		return false
	}
	return modelName.MatchString(name)
}

func isWriteName(name string) bool {
	name = normalName(name)
	return writeName.MatchString(name) && !chatBotName.MatchString(name)
}

// urlToken is the name under which a value counts that a script writes into the address of a repository.
const urlToken = "x-access-token"

// isTokenVariable reports whether programs take a variable for the token they write to GitHub with.
func isTokenVariable(name string) bool {
	return name == urlToken || slices.Contains([]string{"GH_TOKEN", "GITHUB_TOKEN", "GITHUB_PAT", "GH_PAT", "GH_ENTERPRISE_TOKEN", "GITHUB_API_TOKEN", "GITHUB_PERSONAL_ACCESS_TOKEN"}, normalName(name)) || isWriteName(name)
}

// isTokenInput reports whether an input of an action takes the token the action writes to GitHub with.
func isTokenInput(uses, name string) bool {
	switch normalName(name) {
	case "GITHUB_TOKEN", "GH_TOKEN", "REPO_TOKEN", "PAT", "PRIVATE_KEY", "APP_PRIVATE_KEY", "SSH_KEY", "DEPLOY_KEY":
		return true
	case "TOKEN":
		repository := actionRepository(uses)
		return repository == "actions/checkout" || strings.HasPrefix(repository, "peter-evans/") || strings.HasPrefix(repository, "googleapis/release-please") ||
			strings.HasPrefix(repository, "softprops/")
	}
	return isWriteName(name)
}

// actionRepository is the owner/repository of a uses:, in lower case, and empty for a local or container action.
func actionRepository(uses string) string {
	name, _, _ := strings.Cut(uses, "@")
	parts := strings.Split(strings.ToLower(name), "/")
	if len(parts) < 2 || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "$") || strings.Contains(name, ":") {
		return ""
	}
	return parts[0] + "/" + parts[1]
}

// actionPath is a uses: without its ref, in lower case.
func actionPath(uses string) string {
	name, _, _ := strings.Cut(uses, "@")
	return strings.ToLower(name)
}

var agentActions = []string{
	"anthropics/claude-code-action", "anthropics/claude-code-base-action", "openai/codex-action", "google-github-actions/run-gemini-cli",
	"google-gemini/gemini-cli-action", "sst/opencode", "anomalyco/opencode", "qodo-ai/pr-agent", "codium-ai/pr-agent", "the-pr-agent/pr-agent",
	"coderabbitai/ai-pr-reviewer", "actions/ai-inference", "all-hands-ai/openhands", "augmentcode/review-pr", "augmentcode/augment-agent",
	"factory-ai/droid-action", "qwenlm/qwen-code-action", "warpdotdev/oz-agent-action", "warpdotdev/warp-agent-action", "block/goose",
	"cursor/cursor-action", "anc95/chatgpt-codereview", "freeedcom/ai-codereviewer",
}

// agentPrograms are model CLIs by the name of their program or package.
var agentPrograms = []string{
	"claude", "claude-code", "codex", "gemini", "gemini-cli", "aider", "aider-chat", "opencode", "opencode-ai", "copilot", "goose", "cursor-agent",
	"amp", "qwen", "qwen-code", "crush", "llm", "droid", "auggie", "openhands", "plandex", "pr-agent", "mods", "aichat",
}

// agentProgram is the model CLI that a command starts, or empty.
func agentProgram(c shellCommand) string {
	words := c.program()
	if len(words) > 2 && strings.HasPrefix(path.Base(words[0]), "python") && words[1] == "-m" {
		words = words[2:]
	}
	if len(words) > 1 && slices.Contains([]string{"npm", "pnpm", "yarn", "bun", "uv", "pipx"}, path.Base(words[0])) {
		rest := words[1:]
		if rest[0] == "tool" && len(rest) > 1 {
			rest = rest[1:]
		}
		if !slices.Contains([]string{"exec", "x", "dlx", "run"}, rest[0]) {
			return ""
		}
		words = rest[1:]
		for len(words) > 0 && strings.HasPrefix(words[0], "-") {
			if slices.Contains([]string{"--from", "--with", "--package", "-p", "--spec"}, words[0]) && len(words) > 1 {
				words = words[1:]
			}
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return ""
	}
	program := programName(words[0])
	if (program == "docker" || program == "podman") && len(words) > 1 && (words[1] == "run" || words[1] == "exec") {
		for _, word := range words[2:] {
			if name := programName(word); slices.Contains(agentPrograms, name) {
				return name
			}
		}
	}
	if otherProgram(program, words[1:]) {
		return ""
	}
	if program == "gh" && len(words) > 1 && (words[1] == "copilot" || words[1] == "models") {
		return "gh " + words[1]
	}
	if slices.Contains(agentPrograms, strings.TrimSuffix(program, ".exe")) {
		return program
	}
	return ""
}

// programName is a program, a package or a container image without its path, version and tag.
func programName(word string) string {
	name := path.Base(word)
	if at := strings.IndexAny(name, "@:"); at > 0 {
		name = name[:at]
	}
	return name
}

// otherProgram reports whether a call is of another program of the same name: goose migrates databases, and copilot deploys
// to a cloud.
func otherProgram(program string, arguments []string) bool {
	uses := func(words ...string) bool {
		return slices.ContainsFunc(arguments, func(word string) bool { return slices.Contains(words, word) })
	}
	switch program {
	case "goose":
		return uses("up", "up-to", "up-by-one", "down", "down-to", "redo", "reset", "status", "create", "fix", "validate", "-dir")
	case "copilot":
		return len(arguments) > 0 && slices.Contains([]string{"app", "svc", "env", "job", "task", "pipeline", "deploy", "storage", "secret", "run"}, arguments[0])
	}
	return false
}

// agentWorkflow matches a called workflow of another repository that is named for a model program.
var agentWorkflow = regexp.MustCompile(`(?i)claude|codex|gemini|copilot|opencode|aider|anthropic|openai|(^|[^a-z])(ai|llm)[^a-z]`)

// mintActions trade a key, or the job's OIDC token, for a token that writes, unless their inputs narrow it to reading.
var mintActions = []string{
	"actions/create-github-app-token", "tibdex/github-app-token", "getsentry/action-github-app-token", "peter-murray/workflow-application-token-action",
	"octo-sts/action", "navikt/github-app-token-generator", "jnwng/github-app-installation-token-action", "wow-actions/use-app-token",
	"cybozu/octoken-action", "suzuki-shunsuke/github-token-action", "lukka/get-github-app-token", "machine-learning-apps/actions-app-token",
}

// cloudActions trade the job's OIDC token for a cloud account, which may or may not write something that matters.
var cloudActions = []string{"aws-actions/configure-aws-credentials", "google-github-actions/auth", "azure/login"}

// notWriting are the scopes whose write value writes nothing to the repository or its items.
var notWriting = []string{"id-token", "attestations", "copilot-requests", "models"}

var fullPin = regexp.MustCompile(`^[0-9a-f]{40}$`)

// isPinned reports whether a uses: names a whole commit, or the file's own repository at its own commit.
func isPinned(uses string) bool {
	if strings.HasPrefix(uses, "./") || strings.HasPrefix(uses, "$/") {
		return true
	}
	_, ref, found := strings.Cut(uses, "@")
	return found && fullPin.MatchString(ref)
}
