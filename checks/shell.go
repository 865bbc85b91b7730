package checks

import (
	"path"
	"slices"
	"strings"
)

// maxShellDepth bounds command substitutions within each other.
const maxShellDepth = 16

// shellCommand is one simple command of a script: its words without quotes, redirections left out. Variables and ${{ }}
// stay in the words as they are written. before and after are the separators around it ("" at the ends of the script,
// "\n", ";", "&", "&&", "||", "|"); depth is 0 only for a command that the script itself runs, outside every compound,
// subshell and substitution.
type shellCommand struct {
	words         []string
	before, after string
	depth         int
	offset        int // of the first word, in bytes of the script
}

// parseShell splits a script into its simple commands, those of substitutions, of `sh -c` strings and of texts that are
// piped or redirected into a shell included. It is a
// reader for finding things and not a shell: what it does not understand it keeps as words.
func parseShell(script string) []shellCommand {
	p := &shellParser{text: script}
	p.run("", 0)
	return p.commands
}

type shellParser struct {
	text     string
	at       int
	base     int
	commands []shellCommand
	heredocs []heredoc
	hereText string // of <<<, for the command that is being read
	line     int    // how many commands there were where the line began
	backtick bool   // the text is inside ` `, so the next one ends it
}

type heredoc struct {
	word     string
	stripTab bool
}

// reservedWords open (+1), close (-1) or continue (0) a compound; a command may begin after each.
var reservedWords = map[string]int{
	"if": 1, "while": 1, "until": 1, "for": 1, "case": 1, "{": 1,
	"fi": -1, "done": -1, "esac": -1, "}": -1,
	"then": 0, "elif": 0, "else": 0, "do": 0, "!": 0,
}

// run parses up to the closing text, or to the end.
func (p *shellParser) run(until string, depth int) {
	before, compound := "", 0
	current := shellCommand{offset: -1}
	flush := func(separator string) {
		if len(current.words) > 0 {
			current.before, current.after, current.depth = before, separator, depth+compound
			current.offset += p.base
			p.commands = append(p.commands, current)
			before = separator
			p.nested(current)
			p.hereText = ""
		} else if separator != "\n" || before == "" {
			before = separator
		}
		current = shellCommand{offset: -1}
	}
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case until != "" && strings.HasPrefix(p.text[p.at:], until):
			flush("")
			p.at += len(until)
			return
		case c == '\n':
			flush("\n")
			p.at++
			p.skipHeredocs()
			p.line = len(p.commands)
		case c == ' ' || c == '\t' || c == '\r':
			p.at++
		case c == '\\' && strings.HasPrefix(p.text[p.at:], "\\\n"):
			p.at += 2
		case c == '#':
			for p.at < len(p.text) && p.text[p.at] != '\n' {
				p.at++
			}
		case c == ';' || c == '&' && !strings.HasPrefix(p.text[p.at:], "&>") || c == '|':
			separator := string(c)
			if p.at++; p.at < len(p.text) && p.text[p.at] == c {
				separator += string(c)
				p.at++
			} else if c == '|' && p.at < len(p.text) && p.text[p.at] == '&' {
				p.at++
			}
			flush(strings.Replace(separator, ";;", ";", 1))
		case c == '(':
			flush(";")
			p.at++
			if depth < maxShellDepth {
				p.run(")", depth+1)
			}
		case c == ')': // a case pattern, or a stray one
			current = shellCommand{offset: -1}
			p.at++
		case c == '<' || c == '>' || c == '&':
			p.redirection(depth)
		default:
			start := p.at
			word, plain := p.word(depth)
			if p.at == start { // nothing was taken: never stand still
				p.at++
				continue
			}
			if plain && allDigits(word) && p.at < len(p.text) && (p.text[p.at] == '<' || p.text[p.at] == '>') {
				continue // the number of a redirection
			}
			if change, ok := reservedWords[word]; ok && plain && len(current.words) == 0 {
				compound = max(0, compound+change)
				if word == "for" || word == "case" {
					current.words = append(current.words, word) // its own words are data
					current.offset = start
				}
				continue
			}
			if len(current.words) == 0 {
				current.offset = start
			}
			current.words = append(current.words, word)
		}
	}
	flush("")
}

// word reads one word and reports whether nothing of it was quoted or expanded.
func (p *shellParser) word(depth int) (word string, plain bool) {
	var out strings.Builder
	plain = true
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case strings.HasPrefix(p.text[p.at:], "${{"):
			p.expression(&out)
			plain = false
		case strings.IndexByte(" \t\r\n;&|<>()", c) >= 0, c == '`' && p.backtick:
			return out.String(), plain
		case c == '\\':
			plain = false
			if p.at+1 < len(p.text) && p.text[p.at+1] != '\n' {
				out.WriteByte(p.text[p.at+1])
			}
			p.at = min(p.at+2, len(p.text))
		case c == '\'':
			plain = false
			end := strings.IndexByte(p.text[p.at+1:], '\'')
			if end < 0 {
				end = len(p.text) - p.at - 1
			}
			out.WriteString(p.text[p.at+1 : p.at+1+end])
			p.at = min(p.at+end+2, len(p.text))
		case c == '"':
			plain = false
			p.at++
			for p.at < len(p.text) && p.text[p.at] != '"' {
				p.quotedByte(&out, depth)
			}
			p.at = min(p.at+1, len(p.text))
		case c == '$' || c == '`':
			plain = false
			p.quotedByte(&out, depth)
		default:
			out.WriteByte(c)
			p.at++
		}
	}
	return out.String(), plain
}

// quotedByte reads one step of what double quotes allow: a substitution, an escape, an expression or a byte.
func (p *shellParser) quotedByte(out *strings.Builder, depth int) {
	switch rest := p.text[p.at:]; {
	case strings.HasPrefix(rest, "${{"):
		p.expression(out)
	case strings.HasPrefix(rest, "$(") && depth < maxShellDepth:
		p.at += 2
		p.run(")", depth+1)
		out.WriteString("$()")
	case rest[0] == '`' && !p.backtick && depth < maxShellDepth:
		p.at++
		p.backtick = true
		p.run("`", depth+1)
		p.backtick = false
		out.WriteString("$()")
	case rest[0] == '\\' && len(rest) > 1:
		if rest[1] != '\n' {
			out.WriteByte(rest[1])
		}
		p.at += 2
	default:
		out.WriteByte(rest[0])
		p.at++
	}
}

func (p *shellParser) expression(out *strings.Builder) {
	end := closing(p.text, p.at+3)
	if end < 0 {
		end = len(p.text) - 2
	}
	end = min(end+2, len(p.text))
	out.WriteString(p.text[p.at:end])
	p.at = end
}

// redirection skips an operator and its word; the word of a here-document is kept to find the end of its text.
func (p *shellParser) redirection(depth int) {
	start := p.at
	for p.at < len(p.text) && strings.IndexByte("<>&|", p.text[p.at]) >= 0 {
		p.at++
	}
	operator := p.text[start:p.at]
	if p.at < len(p.text) && p.text[p.at] == '(' { // process substitution
		p.at++
		if depth < maxShellDepth {
			p.run(")", depth+1)
		}
		return
	}
	stripTab := operator == "<<" && p.at < len(p.text) && p.text[p.at] == '-'
	if stripTab {
		p.at++
	}
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
	word, _ := p.word(depth)
	switch {
	case operator == "<<" && word != "":
		p.heredocs = append(p.heredocs, heredoc{word: word, stripTab: stripTab})
	case operator == "<<<":
		p.hereText = word
	}
}

// skipHeredocs passes over the texts of here-documents; where a shell on their line has no other script, they are its.
func (p *shellParser) skipHeredocs() {
	documents := p.heredocs
	p.heredocs = nil
	for _, document := range documents {
		start, end := p.at, p.at
		for p.at < len(p.text) {
			line, _, found := strings.Cut(p.text[p.at:], "\n")
			p.at += len(line)
			if found {
				p.at++
			}
			if document.stripTab {
				line = strings.TrimLeft(line, "\t")
			}
			if strings.TrimSuffix(line, "\r") == document.word {
				break
			}
			end = p.at
		}
		if reader := slices.IndexFunc(p.commands[p.line:], readsScript); reader >= 0 {
			p.script(p.text[start:end], p.commands[p.line+reader])
		}
	}
}

// readsScript reports whether a command is a shell that reads its script from its standard input.
func readsScript(c shellCommand) bool {
	words := c.program()
	if len(words) == 0 || !slices.Contains(shells, path.Base(words[0])) {
		return false
	}
	for _, word := range words[1:] {
		switch {
		case word == "-s" || word == "-":
			return true
		case !strings.HasPrefix(word, "-"), !strings.HasPrefix(word, "--") && strings.Contains(word, "c"):
			return false
		}
	}
	return true
}

var shells = []string{"sh", "bash", "dash", "zsh"}

// nested parses the script that a command hands to another shell.
func (p *shellParser) nested(c shellCommand) {
	words := c.program()
	if len(words) == 0 || c.depth >= maxShellDepth {
		return
	}
	script := ""
	switch name := path.Base(words[0]); {
	case readsScript(c):
		script = p.hereText
		if before := len(p.commands) - 2; c.before == "|" && before >= 0 {
			if piped := p.commands[before].program(); len(piped) > 0 && (piped[0] == "echo" || piped[0] == "printf") {
				script = strings.Join(piped[1:], " ")
			}
		}
	case slices.Contains(shells, name):
		for i, word := range words[1:] {
			if strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, "c") && i+2 < len(words) {
				script = words[i+2]
				break
			}
		}
	case name == "eval":
		script = strings.Join(words[1:], " ")
	}
	p.script(script, c)
}

// script parses what a command runs as a script of its own.
func (p *shellParser) script(text string, c shellCommand) {
	if text == "" || len(p.commands) > 4096 || c.depth >= maxShellDepth {
		return
	}
	inner := &shellParser{text: text}
	inner.run("", c.depth+1)
	for _, command := range inner.commands {
		command.offset = c.offset
		p.commands = append(p.commands, command)
	}
}

// program strips what stands before the program that really runs: assignments and wrappers with their options.
func (c shellCommand) program() []string {
	words := c.words
	for len(words) > 0 {
		word := words[0]
		if name, _, found := strings.Cut(word, "="); found && isIdentifier(name) {
			words = words[1:]
			continue
		}
		wrapper := path.Base(word)
		if wrapper == "find" || wrapper == "command" && len(words) > 1 && (words[1] == "-v" || words[1] == "-V") {
			if at := slices.IndexFunc(words, func(w string) bool { return slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, w) }); at > 0 {
				words = words[at+1:]
				continue
			}
			return words
		}
		if !slices.Contains([]string{"exec", "command", "sudo", "env", "nice", "nohup", "time", "timeout", "xargs", "stdbuf", "setsid", "unbuffer", "npx", "bunx", "pnpx", "uvx", "builtin", "systemd-run", "firejail", "doas", "run0"}, wrapper) {
			return words
		}
		words = words[1:]
		for len(words) > 0 {
			option := words[0]
			name, _, assignment := strings.Cut(option, "=")
			switch {
			case strings.HasPrefix(option, "-"):
				words = words[1:]
				if takesValue(wrapper, option) && len(words) > 0 {
					words = words[1:]
				}
				continue
			case assignment && isIdentifier(name), wrapper == "timeout" && option != "" && option[0] >= '0' && option[0] <= '9':
				words = words[1:]
				continue
			}
			break
		}
	}
	return words
}

// takesValue lists the wrappers' options whose value is the next word.
func takesValue(wrapper, option string) bool {
	switch wrapper {
	case "sudo":
		return slices.Contains([]string{"-u", "-g", "-h", "-p", "-C", "-D", "--user", "--group"}, option)
	case "env":
		return slices.Contains([]string{"-u", "-C", "--unset", "--chdir"}, option)
	case "nice":
		return option == "-n"
	case "timeout":
		return slices.Contains([]string{"-s", "-k", "--signal", "--kill-after"}, option)
	case "xargs":
		return slices.Contains([]string{"-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E"}, option)
	case "npx", "bunx", "pnpx", "uvx":
		return slices.Contains([]string{"-p", "--package", "--from"}, option)
	case "exec":
		return option == "-a"
	}
	return false
}

func isIdentifier(name string) bool {
	for i := 0; i < len(name); i++ {
		if name[i] == '-' || !isNameByte(name[i], i > 0) {
			return false
		}
	}
	return name != ""
}

func allDigits(word string) bool {
	return word != "" && strings.Trim(word, "0123456789") == ""
}
