package checks

import (
	"regexp"
	"strings"
)

// commands lists the simple commands that a step runs: those of its script, and of the shell that it is given to. A
// program that stands in a variable is replaced by the variable's value, where the script or an env writes it out.
func (s *step) commands() []shellCommand {
	if s.run() == nil {
		return nil
	}
	commands := parseShell(s.run().text())
	written := assignments(commands)
	for i, command := range commands {
		program := command.program()
		if len(program) == 0 {
			continue
		}
		match := wholeVariable.FindStringSubmatch(program[0])
		if match == nil {
			continue
		}
		value, found := written[match[1]]
		if !found {
			node, _ := s.job.variable(match[1], s)
			value = node.text()
		}
		if words := strings.Fields(value); len(words) > 0 && !strings.Contains(value, "${{") {
			before := len(command.words) - len(program)
			commands[i].words = append(append(append([]string(nil), command.words[:before]...), words...), program[1:]...)
		}
	}
	for _, command := range parseShell(s.shell().text()) {
		command.offset = 0
		commands = append(commands, command)
	}
	return commands
}

var wholeVariable = regexp.MustCompile(`^\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?$`)

// shell is what a step's script is given to, as its step, its job or its workflow says, or nil for GitHub's own.
func (s *step) shell() *node {
	if own := s.node.get("shell"); own != nil || s.caller != nil {
		return own
	}
	if ofJob := s.job.node.get("defaults").get("run").get("shell"); ofJob != nil || s.job.workflow == nil {
		return ofJob
	}
	return s.job.workflow.root.get("defaults").get("run").get("shell")
}

// assignments lists the values that a script gives to its variables, as they are written; of two the last.
func assignments(commands []shellCommand) map[string]string {
	values := map[string]string{}
	for _, command := range commands {
		words := command.words
		if len(words) > 1 && (words[0] == "export" || words[0] == "readonly" || words[0] == "local" || words[0] == "declare") {
			words = words[1:]
		}
		for _, word := range words {
			name, value, found := strings.Cut(word, "=")
			if !found || !isIdentifier(name) {
				break
			}
			values[name] = value
		}
	}
	return values
}
