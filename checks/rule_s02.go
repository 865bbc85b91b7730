package checks

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

func ruleS02() Rule {
	return Rule{
		ID:    "S02",
		Title: "The run job calls no model but through the pinned run action, or with no tools at all",
		Level: LevelError,
		Doc: `In a job marked run, no step uses another agent's action, airlock's run action is pinned to a whole commit, and every call of a model CLI in a script, in
a script of the repository that it starts, or in an action that can be read, has --tools "" and nothing after it that gives tools back: a second --tools,
--allowedTools, --mcp-config other than an empty one, --settings, --setting-sources, --permission-mode, --dangerously-skip-permissions, or a variable that may be
any of these. The shell that a step is given to, a text that is piped or redirected into a shell and a program in a variable are calls too. A CLI that has no such flag may not be called.`,
		Why: `A model that reads an outsider's text and has a tool can be told to use it.`,
		Violates: `on: workflow_dispatch
jobs:
  run:
    runs-on: ubuntu-24.04
    steps:
      - run: claude -p --tools "Read,Bash" < task.json > result.json`,
		Passes: `on: workflow_dispatch
jobs:
  run:
    runs-on: ubuntu-24.04
    steps:
      - run: claude -p --tools "" --strict-mcp-config < task.json > result.json`,
		Source: "Observed with Claude Code 2.1.306 and Codex 0.171.0",
		check: func(r *repository) []Finding {
			var findings []Finding
			for _, j := range r.marked(RoleRun) {
				for _, s := range j.steps {
					findings = append(findings, toolless(r, s)...)
				}
			}
			return findings
		},
	}
}

func toolless(r *repository, s *step) []Finding {
	var findings []Finding
	report := func(at Place, format string, arguments ...any) {
		findings = append(findings, Finding{Message: fmt.Sprintf(format, arguments...), Places: []Place{at, s.job.key.place("in " + s.job.describe() + ", marked run")}})
	}
	if s.uses != "" {
		at := s.node.get("uses").place("this action")
		switch {
		case r.isRunAction(s.uses) && !isPinned(s.uses):
			report(at, "the run action is not pinned to a whole commit")
		case s.agent() != "":
			report(at, "the run job uses %s", s.agent())
		}
		return findings
	}
	run := s.run()
	for _, call := range r.modelCalls(s.commands(), 0) {
		if reason := toolsOf(call.command); reason != "" {
			place := run.placeAt(call.offset, "this call")
			report(place, "the run job calls %s, %s", call.program, reason)
		}
	}
	return findings
}

// modelCall is one call of a model CLI. offset is in the step's script, also where the call stands in a script that it
// starts.
type modelCall struct {
	program string
	command shellCommand
	offset  int
}

// maxScriptDepth bounds scripts that start scripts.
const maxScriptDepth = 4

func (r *repository) modelCalls(commands []shellCommand, depth int) []modelCall {
	var calls []modelCall
	for _, command := range commands {
		if program := agentProgram(command); program != "" {
			calls = append(calls, modelCall{program: program, command: command, offset: command.offset})
			continue
		}
		words := command.program()
		if len(words) == 0 || depth >= maxScriptDepth {
			continue
		}
		name := words[0]
		if slices.Contains([]string{"bash", "sh", "dash", "zsh", "source", "."}, path.Base(name)) {
			for _, word := range words[1:] {
				if name = word; !strings.HasPrefix(word, "-") {
					break
				}
			}
		}
		if name = path.Clean(strings.TrimPrefix(name, "./")); !strings.Contains(name, "$") && name != "." && !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "../") {
			if source, err := r.read(name); err == nil && len(source) <= maxFileBytes {
				for _, call := range r.modelCalls(parseShell(string(source)), depth+1) {
					call.offset = command.offset
					calls = append(calls, call)
				}
			}
		}
	}
	return calls
}

// anyWords matches a word that another place fills: a variable or an expression that is the whole word.
var anyWords = regexp.MustCompile(`^(\$\{?[A-Za-z_@*][^ ]*|\$\{\{.*\}\})$`)

// toolsOf says how a call leaves the model a tool, and is empty where it leaves none.
func toolsOf(command shellCommand) string {
	words := command.program()
	start := slices.IndexFunc(words, func(word string) bool {
		base, _, _ := strings.Cut(path.Base(word), "@")
		return base == "claude" || base == "claude-code" || strings.HasSuffix(word, "@anthropic-ai/claude-code") || strings.HasPrefix(word, "@anthropic-ai/claude-code@")
	})
	if start < 0 {
		return "which has no flag that takes every tool away"
	}
	words = words[start+1:]
	if slices.Equal(words, []string{"--version"}) || slices.Equal(words, []string{"--help"}) {
		return ""
	}
	none := 0
	for i, word := range words {
		flag, value, joined := strings.Cut(word, "=")
		if anyWords.MatchString(word) && (i == 0 || !strings.HasPrefix(words[i-1], "-") || strings.Contains(words[i-1], "=")) {
			return "with " + word + ", which may be any option"
		}
		if !joined && i+1 < len(words) {
			value = words[i+1]
		}
		switch flag {
		case "--tools":
			if none++; value != "" || !joined && i+1 >= len(words) {
				return "with tools"
			}
			if next := i + 2; !joined && next < len(words) && !strings.HasPrefix(words[next], "-") {
				return "with a word after --tools \"\" that is taken for a tool"
			}
		case "--allowedTools", "--allowed-tools", "--settings", "--permission-mode", "--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "--plugin-dir", "--agents":
			return "with " + flag
		case "--setting-sources":
			if value != "" {
				return "with --setting-sources"
			}
		case "--mcp-config":
			if strings.Join(strings.Fields(value), "") != `{"mcpServers":{}}` {
				return "with --mcp-config"
			}
		}
	}
	switch none {
	case 0:
		return `without --tools ""`
	case 1:
		return ""
	}
	return "with --tools twice"
}
