package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/release"
	"github.com/seed-2ea642bd/airlock/internal/sarif/sariftest"
	"github.com/seed-2ea642bd/airlock/internal/task"
)

var update = flag.Bool("update", false, "write the goldens in testdata/*.txtar anew")

// TestMain makes two commands for the scripts: airlock, and scrubbed, which is airlock with what changes with every schema
// taken out of its output.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"airlock":  func() { os.Exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})) },
		"scrubbed": scrubbed,
	})
}

// scrubbed runs airlock, and replaces the digest of the contract and the keys of Effects, which are made from it.
func scrubbed() {
	var out bytes.Buffer
	code := run(context.Background(), os.Args[1:], streams{os.Stdin, &out, os.Stderr})
	text := regexp.MustCompile(`(contract"?:? +"?)sha256:[0-9a-f]{64}`).ReplaceAll(out.Bytes(), []byte("${1}sha256:CONTRACT"))
	text = regexp.MustCompile(`(key(=|": "| ))[0-9a-f]{32}`).ReplaceAll(text, []byte("${1}KEY"))
	if _, err := os.Stdout.Write(text); err != nil {
		os.Exit(exitFound)
	}
	os.Exit(code)
}

// TestScripts plays every testdata/*.txtar. Goldens are written anew with -update.
func TestScripts(t *testing.T) {
	programs := buildPrograms(t)
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PROGRAMS", programs)
			env.Setenv("REPOSITORY", repository)
			env.Setenv("TMPDIR", filepath.Join(env.WorkDir, "tmp"))
			return os.Mkdir(filepath.Join(env.WorkDir, "tmp"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"model": model, "isempty": isEmpty, "archive": archive, "validsarif": validSARIF},
	})
}

// buildPrograms builds the three programs that the demo starts, once.
func buildPrograms(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	command := exec.Command("go", "build", "-o", folder+string(filepath.Separator), "../../actions/decide", "../../actions/run", "../../actions/apply")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build the programs: %v\n%s", err, out)
	}
	return folder
}

// model RUN FOLDER writes the data model's documents of one Run as apply would take them: see writeModel.
func model(ts *testscript.TestScript, neg bool, arguments []string) {
	if neg || len(arguments) != 2 {
		ts.Fatalf("usage: model RUN FOLDER")
	}
	ts.Check(writeModel(filepath.Join(ts.Getenv("REPOSITORY"), "testdata", "model"), arguments[0], ts.MkAbs(arguments[1])))
}

// writeModel writes the bundle and result.json of one Run of the data model into a folder. The model is of no Release that
// exists, so this one is put into the records that name it.
func writeModel(source, run, folder string) error {
	files := map[string][]byte{}
	for name, from := range map[string]string{bundle.DecisionFile: run + ".decision.json", bundle.FactsFile: run + ".facts.json",
		bundle.DiffFile: run + ".diff.patch", bundle.RoleFile: "role.json", bundle.PromptFile: "prompt.md", bundle.PolicyFile: "policy.json",
		bundle.AppsFile: "apps.json", bundle.HarnessFile: "harness.json", "result.json": run + ".result.json"} {
		data, err := os.ReadFile(filepath.Join(source, from))
		if err != nil {
			return err
		}
		files[name] = data
	}
	var decision contract.Decision
	var result contract.Result
	current, err := release.Current()
	err = errors.Join(err, contract.Decode(files[bundle.DecisionFile], &decision), contract.Decode(files["result.json"], &result))
	if err != nil {
		return err
	}
	decision.Release, result.Release = current, current
	if files[bundle.DecisionFile], err = contract.Canonical(decision); err != nil {
		return err
	}
	opened, err := bundle.Open(files, contract.Digest(files[bundle.DecisionFile]))
	if err != nil {
		return err
	}
	built, err := task.Build(task.Input{Decision: opened.Decision, Facts: opened.Facts, Role: opened.Role, Policy: opened.Policy,
		Apps: opened.Apps, Harness: opened.Harness, Diff: bytes.NewReader(opened.Diff)})
	if err != nil {
		return err
	}
	if result.Task, err = contract.DigestOf(built); err != nil {
		return err
	}
	if files["result.json"], err = contract.Canonical(result); err != nil {
		return err
	}
	err = os.MkdirAll(folder, 0o755)
	for name, data := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), data, 0o600))
	}
	return err
}

// archive FILE.zip FILE... packs files like the artifact of a workflow run.
func archive(ts *testscript.TestScript, neg bool, arguments []string) {
	if neg || len(arguments) < 2 {
		ts.Fatalf("usage: archive FILE.zip FILE...")
	}
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, name := range arguments[1:] {
		data, err := os.ReadFile(ts.MkAbs(name))
		ts.Check(err)
		file, err := w.Create(filepath.Base(name))
		ts.Check(err)
		_, err = file.Write(data)
		ts.Check(err)
	}
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(arguments[0]), packed.Bytes(), 0o600))
}

// validsarif FILE holds a file, or stdout, to the schema of SARIF.
func validSARIF(ts *testscript.TestScript, neg bool, arguments []string) {
	if len(arguments) != 1 {
		ts.Fatalf("usage: validsarif FILE")
	}
	if err := sariftest.Validate([]byte(ts.ReadFile(arguments[0]))); (err != nil) != neg {
		ts.Fatalf("%s: %v", arguments[0], err)
	}
}

// isempty FOLDER... fails unless each folder is there and empty: what a command was to leave no trace in.
func isEmpty(ts *testscript.TestScript, neg bool, arguments []string) {
	for _, folder := range arguments {
		entries, err := os.ReadDir(ts.MkAbs(folder))
		ts.Check(err)
		if (len(entries) > 0) != neg {
			ts.Fatalf("%s holds %d files", folder, len(entries))
		}
	}
}
