package checks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShell: the simple commands of a script, by their words, with what stands around them.
func TestShell(t *testing.T) {
	for _, c := range []struct {
		script string
		want   []string // depth, words with | between, and the separators that are not a newline or an end
	}{
		{"make test", []string{"0 make|test"}},
		{"a; b && c || d & e | f", []string{"0 a ;", "0 ; b &&", "0 && c ||", "0 || d &", "0 & e |", "0 | f"}},
		{"a \\\n  b # c\n# d\ne", []string{"0 a|b", "0 e"}},
		{`claude --tools "" 'x y' a\ b`, []string{"0 claude|--tools||x y|a b"}},
		{`echo "$(claude -p "$(cat t)")"`, []string{"2 cat|t", "1 claude|-p|$()", "0 echo|$()"}},
		{"x=`codex exec`", []string{"1 codex|exec", "0 x=$()"}},
		{"if a; then b; fi; c", []string{"1 a ;", "1 ; b ;", "0 ; c"}},
		{"(a; b)\nc", []string{"1 a ;", "1 ; b", "0 ; c"}},
		{"cat > f <<'END' && b\nclaude -p\nEND\nexec c", []string{"0 cat &&", "0 && b", "0 exec|c"}},
		{"cat <<-END\n\tclaude\n\tEND\nb", []string{"0 cat", "0 b"}},
		{"a 2>&1 >f <g &>h", []string{"0 a"}},
		{"xargs -r b <<< \"$items\"", []string{"0 xargs|-r|b"}},
		{"bash -ec 'a; b'", []string{"0 bash|-ec|a; b", "1 a ;", "1 ; b"}},
		{"echo ${{ github.event.x || 'a;b' }} c", []string{"0 echo|${{ github.event.x || 'a;b' }}|c"}},
		{"f=${A%%@*}; g ${f##*/}", []string{"0 f=${A%%@*} ;", "0 ; g|${f##*/}"}},
		{"diff <(a) <(b)", []string{"1 a", "1 b", "0 diff"}},
		{`echo "open`, []string{"0 echo|open"}},
		{"$(", nil},
	} {
		var got []string
		for _, command := range parseShell(c.script) {
			line := string(rune('0'+command.depth)) + " "
			if strings.TrimSpace(command.before) != "" {
				line += command.before + " "
			}
			line += strings.Join(command.words, "|")
			if strings.TrimSpace(command.after) != "" {
				line += " " + command.after
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(c.want, got); diff != "" && !(c.script == "$(" && len(got) <= 1) {
			t.Errorf("%s (-want +got):\n%s", c.script, diff)
		}
	}
}

// TestAgentProgram: the model CLI behind wrappers, and what only looks like one.
func TestAgentProgram(t *testing.T) {
	for script, want := range map[string]string{
		"claude -p": "claude",
		"A=b sudo -u x env -i C=d timeout -k 5 60 claude": "claude",
		"exec node_modules/.bin/claude -p":                "claude",
		"npx -y @anthropic-ai/claude-code@2.1.306 -p":     "claude-code",
		"pnpm dlx @openai/codex exec":                     "codex",
		"uv tool run aider-chat":                          "aider-chat",
		"xargs -n 1 gemini -p":                            "gemini",
		"gh models run m":                                 "gh models",
		"npm ci --prefix engines/claude":                  "",
		"npm install -g @anthropic-ai/claude-code":        "",
		"cd claude":      "",
		"echo claude -p": "",
		"gh pr view":     "",
	} {
		commands := parseShell(script)
		if len(commands) != 1 {
			t.Fatalf("%s has %d commands", script, len(commands))
		}
		if got := agentProgram(commands[0]); got != want {
			t.Errorf("%s starts %q, want %q", script, got, want)
		}
	}
}
