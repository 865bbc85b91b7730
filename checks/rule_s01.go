package checks

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// scrubVariable makes the CLI clean the environment of what it starts, and refuse to start without bubblewrap.
const scrubVariable = "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"

func ruleS01() Rule {
	return Rule{
		ID:    "S01",
		Title: "The step that holds the model credential scrubs its children's environment, and bubblewrap is there before it",
		Level: LevelError,
		Doc: `In a job marked run, each step whose environment holds the model credential sets CLAUDE_CODE_SUBPROCESS_ENV_SCRUB to "1", literally, at itself or at
the step that calls its action. Before it, an unconditional step installs bubblewrap with the system's package manager and lets it make user namespaces: an
AppArmor profile loaded with apparmor_parser, or the sysctl kernel.apparmor_restrict_unprivileged_userns=0 (not asked for on ubuntu-22.04). Local actions
and airlock's own at a whole commit are read through. A command counts that runs for certain: not one of a compound, of a list with || or after an
exit, and not one that only simulates. The script of the step does not name the variable; a credential given to an action that cannot be read is a finding.`,
		Why: `With the variable set the CLI does not start without bubblewrap, so the one without the other is a job that fails; without the variable, whatever
the CLI starts inherits the credential. An installation after the credential is in the environment runs with it.`,
		Violates: `on: workflow_dispatch
jobs:
  run:
    runs-on: ubuntu-24.04
    steps:
      - run: claude -p --tools "" < task.json > result.json
        env:
          CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: ${{ vars.SCRUB }}
          CLAUDE_CODE_OAUTH_TOKEN: ${{ secrets.CLAUDE_CODE_OAUTH_TOKEN }}`,
		Passes: `on: workflow_dispatch
jobs:
  run:
    runs-on: ubuntu-24.04
    steps:
      - run: |
          sudo apt-get install -y bubblewrap
          sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0
      - run: claude -p --tools "" < task.json > result.json
        env:
          CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "1"
          CLAUDE_CODE_OAUTH_TOKEN: ${{ secrets.CLAUDE_CODE_OAUTH_TOKEN }}`,
		Source: "Observed with Claude Code 2.1.306; Ubuntu 24.04, restricted unprivileged user namespaces",
		check: func(r *repository) []Finding {
			var findings []Finding
			for _, j := range r.marked(RoleRun) {
				findings = append(findings, scrubbed(r, j)...)
			}
			return findings
		},
	}
}

func scrubbed(r *repository, j *job) []Finding {
	var findings []Finding
	report := func(s *step, held Place, format string, arguments ...any) {
		at := s.node.place("this step")
		findings = append(findings, Finding{Message: fmt.Sprintf(format, arguments...), Places: []Place{at, held}})
	}
	for _, e := range ofKind(r.evidence(j), KindModel) {
		if e.use == nil {
			continue
		}
		held := e.places[0]
		switch {
		case e.use.section == inWith && e.step != nil && !e.step.composite():
			report(e.step, held, "the model credential is given to an action that cannot be read, so nothing shows that it scrubs and has bubblewrap")
		case e.use.section == inEnv && e.step == nil && len(j.steps) > 0:
			report(j.steps[0], held, "the model credential is in the environment before bubblewrap is installed")
		case e.use.section == inEnv && e.step != nil:
			if !setsScrub(e.step) {
				report(e.step, held, "%s holds the model credential and does not set %s to a literal \"1\"", e.step.describe(), scrubVariable)
			}
			if script := e.step.run(); strings.Contains(script.text(), scrubVariable) {
				report(e.step, held, "the script of %s names %s itself, which may take it away again", e.step.describe(), scrubVariable)
			}
			if missing := missingBefore(e.step); missing != "" {
				report(e.step, held, "%s holds the model credential and no step before it %s", e.step.describe(), missing)
			}
		}
	}
	return findings
}

func setsScrub(s *step) bool {
	for ; s != nil; s = s.caller {
		if value := s.env().get(scrubVariable); value != nil {
			return value.is("1")
		}
	}
	return false
}

// missingBefore says what no unconditional step before this one does.
func missingBefore(s *step) string {
	installed := false
	allowed := s.job.node.get("runs-on").is("ubuntu-22.04")
	for _, before := range s.job.steps {
		if before == s {
			break
		}
		if before.run() == nil || conditional(before) {
			continue
		}
		text := before.run().text()
		for _, command := range certain(parseShell(text)) {
			words := command.program()
			if len(words) == 0 {
				continue
			}
			has := func(options ...string) bool {
				return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(options, word) })
			}
			switch path.Base(words[0]) {
			case "apt-get", "apt", "dnf", "yum", "apk", "pacman", "dpkg":
				named := slices.ContainsFunc(words, func(word string) bool { return word == "bubblewrap" || strings.HasPrefix(word, "bubblewrap=") })
				switch {
				case !named, has("-s", "--simulate", "--just-print", "--dry-run", "--recon", "--no-act", "-d", "--download-only", "--print-uris"):
				case has("remove", "purge", "autoremove", "erase", "del", "-R", "-r", "-P"):
					installed = false
				case has("install", "add", "-S"):
					installed = true
				}
			case "apparmor_parser":
				allowed = allowed || strings.Contains(text, "bwrap")
			case "sysctl":
				allowed = allowed || slices.Contains(words, "kernel.apparmor_restrict_unprivileged_userns=0")
			}
		}
	}
	switch {
	case !installed:
		return "installs bubblewrap"
	case !allowed:
		return "lets bubblewrap make user namespaces"
	}
	return ""
}

// certain lists the commands of a script that run whenever the script ends well: not those of a compound, of a list with
// ||, in the background or after an exit.
func certain(commands []shellCommand) []shellCommand {
	var kept []shellCommand
	doubtful := false // the list that is being read has a || before
	for _, command := range commands {
		if command.before != "||" && command.before != "&&" {
			doubtful = false
		}
		doubtful = doubtful || command.before == "||"
		words := command.program()
		if command.depth > 0 || doubtful || command.after == "||" || command.after == "&" || command.after == "|" {
			continue
		}
		if len(words) > 0 && words[0] == "exit" {
			break
		}
		kept = append(kept, command)
	}
	return kept
}

// conditional reports whether a step, or a step that it stands in, may be skipped, may fail unseen or may not be done yet.
func conditional(s *step) bool {
	for ; s != nil; s = s.caller {
		if s.node.get("if") != nil || s.node.get("background") != nil || s.node.get("continue-on-error") != nil {
			return true
		}
	}
	return false
}
