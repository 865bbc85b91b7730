package checks

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const (
	ownWorkflow = ".github/workflows/review.yml"
	ownDecide   = "actions/decide/action.yml"
	ownRun      = "actions/run/action.yml"
	ownApply    = "actions/apply/action.yml"
)

// ownRepository is the part of this repository that the checks read, in memory.
func ownRepository(t *testing.T) fstest.MapFS {
	t.Helper()
	fsys := fstest.MapFS{}
	for _, name := range []string{"go.mod", ConfigFile, ownWorkflow, ownDecide, ownRun, ownApply} {
		data, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		fsys[name] = &fstest.MapFile{Data: data}
	}
	return fsys
}

func checkOwn(t *testing.T, fsys fstest.MapFS) Report {
	t.Helper()
	config, err := ReadConfig(fsys)
	if err != nil {
		t.Fatal(err)
	}
	report, err := Run(fsys, nil, config)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestOwnWorkflow holds this repository's workflow and actions clean under every rule, and to what the rules leave to a
// reader: no checkout anywhere, every action at a whole commit, under 120 lines.
func TestOwnWorkflow(t *testing.T) {
	fsys := ownRepository(t)
	report := checkOwn(t, fsys)
	var out bytes.Buffer
	if err := report.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 || report.ExitCode() != ExitClean {
		t.Errorf("exit %d:\n%s", report.ExitCode(), out.String())
	}
	if want := []string{ownWorkflow, ownApply, ownDecide, ownRun}; !slices.Equal(report.Files, want) {
		t.Errorf("checked %v, want %v", report.Files, want)
	}
	if lines := bytes.Count(fsys[ownWorkflow].Data, []byte("\n")); lines >= 120 {
		t.Errorf("%s has %d lines", ownWorkflow, lines)
	}
	config, err := ReadConfig(fsys)
	if err != nil {
		t.Fatal(err)
	}
	r, err := load(fsys, nil, config)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range r.jobs() {
		if r.role(j) == "" && j.id != "poll" {
			t.Errorf("job %s is not marked", j.id)
		}
		for _, s := range j.steps {
			if s.uses != "" && !isPinned(s.uses) {
				t.Errorf("job %s uses %s, which is no whole commit", j.id, s.uses)
			}
			if strings.Contains(s.uses, "checkout") {
				t.Errorf("job %s checks something out", j.id)
			}
		}
	}
}

// TestOwnActionsKeepInputsOutOfScripts: an input is given to a script by its environment and never by its text.
func TestOwnActionsKeepInputsOutOfScripts(t *testing.T) {
	fsys := ownRepository(t)
	for _, name := range []string{ownDecide, ownRun, ownApply, ownWorkflow} {
		for _, n := range collectSteps(readFile(name, fsys[name].Data).root, 0, nil) {
			if strings.Contains(n.get("run").text(), "${{") {
				t.Errorf("%s: a script holds an expression:\n%s", name, n.get("run").text())
			}
		}
	}
}

// TestOwnToolchain: the three programs are built by one exact Go, which is the one that go.mod asks for or a later patch.
func TestOwnToolchain(t *testing.T) {
	fsys := ownRepository(t)
	wanted := regexp.MustCompile(`(?m)^go (\d+\.\d+)\.\d+$`).FindSubmatch(fsys["go.mod"].Data)
	if wanted == nil {
		t.Fatal("go.mod names no version of Go")
	}
	versions := map[string]bool{}
	for _, name := range []string{ownDecide, ownRun, ownApply} {
		for _, match := range regexp.MustCompile(`go-version: "([^"]*)"`).FindAllSubmatch(fsys[name].Data, -1) {
			versions[string(match[1])] = true
			if exact := regexp.MustCompile(`^` + regexp.QuoteMeta(string(wanted[1])) + `\.\d+$`); !exact.Match(match[1]) {
				t.Errorf("%s builds with Go %s, and go.mod asks for %s", name, match[1], wanted[1])
			}
		}
	}
	if len(versions) != 1 {
		t.Errorf("the programs are built with %v", versions)
	}
}

// TestOwnEnvironments lists what each step of the three programs has in its environment: a credential is in one of them.
func TestOwnEnvironments(t *testing.T) {
	fsys := ownRepository(t)
	want := map[string][]string{
		ownDecide: {"Build decide: CGO_ENABLED GOFLAGS GOTOOLCHAIN", "Decide: GITHUB_TOKEN AIRLOCK_ROLE AIRLOCK_INTENT AIRLOCK_NUMBER AIRLOCK_AGAIN AIRLOCK_BUNDLE"},
		ownRun: {"Build run: CGO_ENABLED GOFLAGS GOTOOLCHAIN", "Install bubblewrap:", "Install the pinned CLI:",
			"Run: CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_SUBPROCESS_ENV_SCRUB AIRLOCK_CLI AIRLOCK_BUNDLE AIRLOCK_DECISION_SHA256 AIRLOCK_RESULT"},
		ownApply: {"Build apply: CGO_ENABLED GOFLAGS GOTOOLCHAIN", "Apply: AIRLOCK_APP_PRIVATE_KEY GITHUB_TOKEN AIRLOCK_BUNDLE_ARTIFACT_ID AIRLOCK_BUNDLE_ARTIFACT_DIGEST " +
			"AIRLOCK_DECISION_SHA256 AIRLOCK_RESULT_ARTIFACT_ID AIRLOCK_RESULT_ARTIFACT_DIGEST AIRLOCK_RESULT_SHA256 AIRLOCK_OUT"},
	}
	for name, lines := range want {
		var got []string
		for _, n := range collectSteps(readFile(name, fsys[name].Data).root, 0, nil) {
			if n.get("run") == nil {
				continue
			}
			line := n.get("name").text() + ":"
			for _, e := range n.get("env").entriesOf() {
				line += " " + e.key.value
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(lines, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestOwnMutations makes one edit at a time to our own workflow or actions and wants exactly the rules that it breaks.
func TestOwnMutations(t *testing.T) {
	head := "      - uses: actions/checkout@1111111111111111111111111111111111111111\n        with: {ref: \"${{ github.event.pull_request.head.sha }}\"}\n"
	stepsOf := func(job string) string { return `(?s)(\n  ` + job + `:.*?\n    steps:\n)` }
	for _, mutation := range []struct {
		name        string
		file        string
		old         string // a regular expression; the first match is replaced
		replacement string
		want        []string // the rules, sorted, each once
	}{
		{"no cache-mode", ownWorkflow, `cache-mode: none\n`, ``, []string{"S13"}},
		{"another cache-mode", ownWorkflow, `cache-mode: none`, `cache-mode: read`, []string{"S13"}},
		{"a deployment for run", ownWorkflow, `factory-run, deployment: false`, `factory-run, deployment: true`, []string{"S13"}},
		{"no word on the deployment of apply", ownWorkflow, `\{name: factory-apply, deployment: false\}`, `factory-apply`, []string{"S13"}},
		{"apply may be cancelled", ownWorkflow, `cancel-in-progress: false, queue: max`, `cancel-in-progress: true, queue: max`, []string{"S13"}},
		{"apply may be displaced", ownWorkflow, `, queue: max`, ``, []string{"S13"}},
		{"no concurrency of run", ownWorkflow, `\n    concurrency: \{group: "airlock-run[^\n]*`, ``, []string{"S13"}},
		{"one group for all items", ownWorkflow, `airlock-apply-\$\{\{ github.repository_id \}\}-\$\{\{ needs.decide.outputs.item \}\}`, `airlock-apply`, []string{"S13"}},
		{"concurrency of the workflow", ownWorkflow, `\npermissions: \{\}\n`, "\npermissions: {}\nconcurrency: airlock\n", []string{"S13"}},
		{"pins that differ", ownWorkflow, `actions/run@0{40}`, `actions/run@1111111111111111111111111111111111111111`, []string{"S13"}},
		{"apply at a branch", ownWorkflow, `actions/apply@0{40}`, `actions/apply@main`, []string{"S13"}},
		{"run at a tag", ownWorkflow, `actions/run@0{40}`, `actions/run@v1`, []string{"S01", "S02", "S13"}},
		{"run of another owner", ownWorkflow, `seed-2ea642bd/airlock/actions/run@`, `example/airlock/actions/run@`, []string{"S01", "S03"}},
		{"apply only after a good run", ownWorkflow, `!cancelled\(\) && needs.decide.outputs.report == 'true'`, `needs.decide.outputs.report == 'true'`, []string{"S13"}},
		{"apply whatever decide says", ownWorkflow, `\$\{\{ !cancelled\(\) && needs.decide.outputs.report == 'true' \}\}`, `always()`, []string{"S13"}},
		{"apply does not wait for run", ownWorkflow, `needs: \[decide, run\]`, `needs: [decide]`, []string{"S13"}},
		{"run is not asked for", ownWorkflow, `\n    if: needs.decide.outputs.admitted == 'true'`, ``, []string{"S11"}},
		{"run when apply would report", ownWorkflow, `needs.decide.outputs.admitted == 'true'`, `needs.decide.outputs.report == 'true'`, []string{"S11"}},
		{"a trigger more", ownWorkflow, `\non:\n`, "\non:\n  issue_comment: {types: [created]}\n", []string{"S11"}},
		{"checkout of the head in decide", ownWorkflow, stepsOf("decide"), "${1}" + head, []string{"S11"}},
		{"checkout of the head in run", ownWorkflow, stepsOf("run"), "${1}" + head, []string{"S03", "S11"}},
		{"checkout of the head in apply", ownWorkflow, stepsOf("apply"), "${1}" + head, []string{"B02", "S11"}},
		{"fetch of the head in poll", ownWorkflow, `file=\$\{GITHUB_WORKFLOW_REF%%@\*\}`, `git fetch origin "pull/1/head"`, []string{"B02", "S11"}},
		{"an outsider's title in a script", ownWorkflow, stepsOf("decide"), "${1}      - run: echo \"${{ github.event.pull_request.title }}\"\n", []string{"S11"}},
		{"read permission for run", ownWorkflow, `(?s)(\n  run:.*?permissions: )\{\}`, `${1}{contents: read}`, []string{"S04", "S11"}},
		{"write permission for run", ownWorkflow, `(?s)(\n  run:.*?permissions: )\{\}`, `${1}{pull-requests: write}`, []string{"B01", "S04", "S11"}},
		{"write permission for apply", ownWorkflow, `(?s)(\n  apply:.*?permissions: )\{actions: read`, `${1}{actions: write`, []string{"S04"}},
		{"identity for decide", ownWorkflow, `(?s)(\n  decide:.*?permissions: )\{actions: read`, `${1}{id-token: write, actions: read`, []string{"S04"}},
		{"the key in run", ownWorkflow, `(model-credential: [^\n]*\n)`, "${1}          key: ${{ secrets.AIRLOCK_APP_PRIVATE_KEY }}\n", []string{"B01", "S03"}},
		{"the model credential in apply", ownWorkflow, `(app-private-key: [^\n]*\n)`, "${1}          model: ${{ secrets.CLAUDE_CODE_OAUTH_TOKEN }}\n", []string{"B01"}},
		{"the environment of apply for run", ownWorkflow, `name: factory-run`, `name: factory-apply`, []string{"B01"}},
		{"the model credential at another step", ownWorkflow, stepsOf("run"), "${1}      - run: ./prepare\n        env: {T: \"${{ secrets.CLAUDE_CODE_OAUTH_TOKEN }}\"}\n", []string{"S01", "S03"}},
		{"the model credential in the env of the action", ownWorkflow, `with:\n          model-credential: (\$\{\{[^}]*\}\})\n`, "env: {CLAUDE_CODE_OAUTH_TOKEN: \"${1}\"}\n        with:\n", []string{"S01", "S03"}},
		{"the model credential in the env of the workflow", ownWorkflow, `\npermissions: \{\}\n`, "\npermissions: {}\nenv: {CLAUDE_CODE_OAUTH_TOKEN: \"${{ secrets.CLAUDE_CODE_OAUTH_TOKEN }}\"}\n", []string{"B01", "S01", "S03"}},
		{"a token of GitHub's in run", ownWorkflow, `(model-credential: [^\n]*\n)`, "${1}          github-token: ${{ github.token }}\n", []string{"S03"}},
		{"another model program in run", ownWorkflow, stepsOf("run"), "${1}      - run: codex exec - < task.json\n", []string{"S02"}},
		{"a job renamed", ownWorkflow, `\n  apply: #`, "\n  write: #", []string{"U01"}},
		{"an unknown key", ownWorkflow, `cache-mode: none`, `cache-modes: none`, []string{"S13", "U01"}},
		{"scrub removed", ownRun, `\n        CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "1"`, ``, []string{"S01"}},
		{"scrub from outside", ownRun, `SCRUB: "1"`, `SCRUB: ${{ inputs.scrub }}`, []string{"S01"}},
		{"bubblewrap removed", ownRun, `\n        sudo apt-get install [^\n]*`, ``, []string{"S01"}},
		{"profile removed", ownRun, `apparmor_parser --replace /etc/apparmor.d/airlock-bwrap`, `true`, []string{"S01"}},
		{"the credential at the install of the CLI", ownRun, `(run: exec npm ci)`, "env: {T: \"${{ inputs.model-credential }}\"}\n      ${1}", []string{"S01", "S03"}},
		{"no exec at the end of run", ownRun, `exec "\$RUNNER_TEMP/airlock-run"`, `"$RUNNER_TEMP/airlock-run"`, []string{"S13"}},
		{"exec that may be passed", ownApply, `exec "\$RUNNER_TEMP/airlock-apply"`, `exec "$RUNNER_TEMP/airlock-apply" || true`, []string{"S13"}},
		{"more than exec with the key", ownApply, `run: exec "\$RUNNER_TEMP/airlock-apply"`, "run: |\n        date\n        exec \"$RUNNER_TEMP/airlock-apply\"", []string{"S13"}},
		{"no exec at the build", ownDecide, `run: exec go`, `run: go`, []string{"S13"}},
		{"a cache at the set-up", ownApply, `\n        cache: false`, ``, []string{"S13"}},
		{"an action that reads the caches", ownDecide, `cache: false`, `cache: true`, []string{"S13"}},
		{"a model key in an action of apply", ownApply, `GITHUB_TOKEN: `, "ANTHROPIC_API_KEY: ${{ inputs.app-private-key }}\n        GITHUB_TOKEN: ", []string{"B01"}},
	} {
		t.Run(mutation.name, func(t *testing.T) {
			fsys := ownRepository(t)
			source := string(fsys[mutation.file].Data)
			at := regexp.MustCompile(mutation.old).FindStringSubmatchIndex(source)
			if at == nil {
				t.Fatalf("%s has nothing like %s", mutation.file, mutation.old)
			}
			pattern := regexp.MustCompile(mutation.old)
			replacement := mutation.replacement
			if pattern.NumSubexp() == 0 {
				replacement = strings.ReplaceAll(replacement, "$", "$$")
			} else { // only ${1} is a group: every other $ is the workflow's
				replacement = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(replacement, "${1}", "\x00"), "$", "$$"), "\x00", "${1}")
			}
			edited := pattern.ExpandString(nil, replacement, source, at)
			fsys[mutation.file] = &fstest.MapFile{Data: []byte(source[:at[0]] + string(edited) + source[at[1]:])}
			report := checkOwn(t, fsys)
			var got []string
			for _, finding := range report.Findings {
				got = append(got, finding.Rule)
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, mutation.want) {
				var out bytes.Buffer
				_ = report.WriteText(&out)
				t.Errorf("rules %v, want %v:\n%s", got, mutation.want, out.String())
			}
		})
	}
}
