package airlock_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

const module = "github.com/seed-2ea642bd/airlock"

// forbidden names, for each package, what its binary or library must not link, and why.
var forbidden = []struct {
	pkg, why string
	links    []string
}{
	{"actions/run", "the process that thinks holds nothing that reads or writes the repository", []string{
		module + "/internal/github", module + "/internal/identity", module + "/internal/effects", module + "/internal/facts",
		module + "/internal/artifact", module + "/internal/emulator", module + "/internal/standin",
		"github.com/google/go-github/", "github.com/golang-jwt/"}},
	{"actions/apply", "the process that writes never thinks", []string{
		module + "/internal/engine", module + "/internal/sandbox", module + "/internal/broker", module + "/internal/run",
		module + "/internal/emulator", module + "/internal/standin"}},
	{"actions/decide", "the process that admits neither thinks nor writes", []string{
		module + "/internal/engine", module + "/internal/sandbox", module + "/internal/broker", module + "/internal/run",
		module + "/internal/identity", module + "/internal/effects", module + "/internal/emulator", module + "/internal/standin",
		"github.com/golang-jwt/"}},
	{"internal/sandbox", "a sandbox knows nothing of what it confines", []string{
		module + "/internal/contract", module + "/internal/engine", module + "/internal/broker", module + "/internal/secret",
		module + "/internal/github", module + "/internal/run"}},
	{"internal/contract", "contracts rest on the standard library alone", []string{
		"github.com/google/", "github.com/xeipuuv/", "github.com/spf13/", "net/http", "os/exec"}},
	{"internal/emulator", "an emulator that shares code with what it tests proves nothing", []string{
		module + "/internal/contract", module + "/internal/github", module + "/internal/facts", module + "/internal/artifact",
		module + "/internal/identity", module + "/internal/effects", module + "/internal/diff", module + "/internal/untrusted",
		module + "/internal/secret", module + "/internal/ledger", module + "/internal/plan"}},
}

// pure packages are functions over values.
var pure = []string{"trust", "ledger", "kernel", "task", "refusal", "plan", "outcome", "account", "diff", "untrusted", "contract"}

func TestImportGraph(t *testing.T) {
	for _, rule := range forbidden {
		t.Run(rule.pkg, func(t *testing.T) {
			for _, dep := range dependencies(t, "./"+rule.pkg) {
				for _, link := range rule.links {
					if dep == link || strings.HasPrefix(dep, strings.TrimSuffix(link, "/")+"/") {
						t.Errorf("%s links %s: %s", rule.pkg, dep, rule.why)
					}
				}
			}
		})
	}
	for _, name := range pure {
		t.Run(name, func(t *testing.T) {
			for _, dep := range dependencies(t, "./internal/"+name) {
				if dep == "net/http" || dep == "os/exec" {
					t.Errorf("internal/%s links %s: it is a function over values", name, dep)
				}
			}
		})
	}
}

// TestKeeperIsAsked holds that each program that can start a sandbox lets itself be started in one, before anything else.
func TestKeeperIsAsked(t *testing.T) {
	programs, err := filepath.Glob("*/*/main.go")
	if err != nil || len(programs) < 4 {
		t.Fatalf("programs: %v, %v", programs, err)
	}
	for _, program := range programs {
		data, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		links := slices.Contains(dependencies(t, "./"+filepath.ToSlash(filepath.Dir(program))), module+"/internal/sandbox")
		if asked := bytes.Contains(data, []byte("func main() {\n\tif sandbox.IsKeeper(os.Args) {")); asked != links {
			t.Errorf("%s links the sandbox: %t, and asks whether it is the keeper: %t", program, links, asked)
		}
	}
}

func dependencies(t *testing.T, pkg string) []string {
	t.Helper()
	var stderr bytes.Buffer
	command := exec.Command("go", "list", "-deps", pkg)
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v\n%s", pkg, err, stderr.String())
	}
	return strings.Fields(string(out))
}

// source parses every Go file of the project that is not a test, below the folders given.
func source(t *testing.T, visit func(path string, file *ast.File, positions *token.FileSet)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata" || path != "." && strings.HasPrefix(entry.Name(), ".")) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		visit(path, file, positions)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNothingAmbient holds that environment, clock, standard output and logs reach packages as values.
func TestNothingAmbient(t *testing.T) {
	ambient := map[string]bool{
		"os.Getenv": true, "os.Environ": true, "os.LookupEnv": true, "os.Stdout": true, "os.Stderr": true, "os.Exit": true,
		"time.Now": true, "time.Sleep": true, "time.Since": true, "time.After": true,
		"fmt.Print": true, "fmt.Println": true, "fmt.Printf": true, "log.Print": true, "log.Printf": true, "log.Println": true,
		"log.Fatal": true, "log.Fatalf": true, "http.DefaultClient": true, "http.DefaultTransport": true,
	}
	source(t, func(path string, file *ast.File, positions *token.FileSet) {
		if strings.HasPrefix(path, "cmd/") || strings.HasPrefix(path, "actions/") || forTests(file) {
			return
		}
		ast.Inspect(file, func(node ast.Node) bool {
			selector, ok := node.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if name, ok := selector.X.(*ast.Ident); ok && ambient[name.Name+"."+selector.Sel.Name] {
				t.Errorf("%s uses %s.%s: pass it in from main", positions.Position(selector.Pos()), name.Name, selector.Sel.Name)
			}
			return true
		})
	})
}

// forTests reports whether a file is there for tests alone, which it says by importing testing.
func forTests(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == `"testing"` })
}

// ways out of the two types that nothing may print by accident, and who takes them for what.
var waysOut = map[string]map[string]string{
	"Raw": {
		"internal/contract":  "canonical bytes",
		"internal/facts":     "names that go into an address",
		"internal/kernel":    "commands, compared with constants",
		"internal/ledger":    "markers and sections, read by grammar",
		"internal/task":      "texts of the Task, escaped",
		"internal/plan":      "texts to post, through the renderer",
		"internal/refusal":   "the search for secrets and markers",
		"internal/effects":   "the request to GitHub, and the comparison of what is read back",
		"internal/untrusted": "the renderer itself",
		"internal/demo":      "the account, escaped",
		"internal/account":   "the parts of a Finding's text, which stay untrusted",
		"internal/sarif":     "messages and addresses, escaped",
		"cmd/airlock":        "the plan's text, escaped",
	},
	"Reveal": {
		"internal/broker":   "the Authorization header of a forwarded request",
		"internal/engine":   "the CLI's environment",
		"internal/github":   "the Authorization header",
		"internal/identity": "the key's parser",
		"internal/secret":   "the search for leaks",
		"internal/workflow": "the runner's mask",
	},
}

// TestUntrustedTextAndCredentialsLeaveHere holds that untrusted text and credentials are opened only where it is listed, for
// the one purpose that stands there.
func TestUntrustedTextAndCredentialsLeaveHere(t *testing.T) {
	used := map[string]bool{}
	source(t, func(path string, file *ast.File, positions *token.FileSet) {
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || len(call.Args) != 0 {
				return true
			}
			selector, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || waysOut[selector.Sel.Name] == nil {
				return true
			}
			folder := filepath.ToSlash(filepath.Dir(path))
			used[selector.Sel.Name+" "+folder] = true
			if waysOut[selector.Sel.Name][folder] == "" {
				t.Errorf("%s: %s() outside the list of ways out", positions.Position(call.Pos()), selector.Sel.Name)
			}
			return true
		})
	})
	for method, folders := range waysOut {
		for folder := range folders {
			if !used[method+" "+folder] {
				t.Errorf("%s no longer calls %s(): take it off the list", folder, method)
			}
		}
	}
}

// TestNoInit holds that loading a package does nothing, and that no package keeps state of its own.
func TestNoInit(t *testing.T) {
	source(t, func(path string, file *ast.File, positions *token.FileSet) {
		for _, declaration := range file.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv == nil && function.Name.Name == "init" {
				t.Errorf("%s: an init function", positions.Position(function.Pos()))
			}
		}
	})
}

// TestThinMain holds that each program's main file is under 30 lines.
func TestThinMain(t *testing.T) {
	for _, program := range []string{"actions/decide", "actions/run", "actions/apply", "cmd/airlock"} {
		data, err := os.ReadFile(filepath.Join(program, "main.go"))
		if err != nil {
			t.Error(err)
			continue
		}
		if lines := bytes.Count(data, []byte("\n")); lines >= 30 {
			t.Errorf("%s/main.go has %d lines; under 30 is the rule", program, lines)
		}
	}
}

func TestDependenciesAreDocumented(t *testing.T) {
	documented, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	modules, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var direct []string
	for _, line := range strings.Split(string(modules), "\n") {
		if fields := strings.Fields(strings.TrimPrefix(line, "require ")); len(fields) == 2 && strings.HasPrefix(fields[1], "v") {
			direct = append(direct, fields[0])
		}
	}
	if len(direct) < 5 {
		t.Fatalf("only %d direct modules read from go.mod", len(direct))
	}
	for _, name := range direct {
		if !strings.Contains(string(documented), "`"+name+"`") {
			t.Errorf("docs/dependencies.md has no line for %s", name)
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(string(documented), -1) {
		if !slices.Contains(direct, row[1]) {
			t.Errorf("docs/dependencies.md names %s, which go.mod does not require directly", row[1])
		}
	}
}

// TestReasonsAreDocumented holds that docs/reasons.md lists exactly the codes of the contract, in order.
func TestReasonsAreDocumented(t *testing.T) {
	document, err := os.ReadFile("docs/reasons.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented, listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)`").FindAllStringSubmatch(string(document), -1) {
		documented = append(documented, row[1])
	}
	for _, reason := range contract.Reasons() {
		listed = append(listed, string(reason.Code))
	}
	if !slices.Equal(documented, listed) {
		t.Errorf("docs/reasons.md is not the contract's list; run make generate\n document: %v\n contract: %v", documented, listed)
	}
}

// TestRulingsNameTheirTests holds that every test that the decision records and the security page name exists, and that each
// promise of that page names one.
func TestRulingsNameTheirTests(t *testing.T) {
	tests := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && entry.Name() == "node_modules" {
			return cmpSkip(err)
		}
		if strings.HasSuffix(path, "_test.go") {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, found := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`).FindAllSubmatch(data, -1) {
				tests[string(found[1])] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	records, err := filepath.Glob("docs/decisions/*.md")
	if err != nil || len(records) == 0 {
		t.Fatalf("no decision records: %v", err)
	}
	naming := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)\\w+)(?:/[^`]*)?`")
	const promises = "docs/security.md"
	for _, record := range append(records, promises) {
		data, err := os.ReadFile(record)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			head := strings.HasSuffix(line, "| held by |\n") || strings.HasPrefix(line, "|---")
			if cells := strings.Split(line, "|"); record == promises && len(cells) > 2 && !head && !naming.MatchString(cells[len(cells)-2]) {
				t.Errorf("%s: a promise without a test: %s", record, line)
			}
		}
		named := naming.FindAllSubmatch(data, -1)
		for _, name := range named {
			if !tests[string(name[1])] {
				t.Errorf("%s names %s, which does not exist", record, name[1])
			}
		}
		if len(named) == 0 {
			t.Errorf("%s names no test", record)
		}
	}
}

func cmpSkip(err error) error {
	if err != nil {
		return err
	}
	return filepath.SkipDir
}

// TestSkipsAreLoud holds that a test is skipped only where AIRLOCK_TEST_OFFLINE asks for it.
func TestSkipsAreLoud(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && entry.Name() == "node_modules" {
			return cmpSkip(err)
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := strings.Split(string(data), "\n")
		for i, line := range lines {
			if regexp.MustCompile(`\.Skip(f|Now)?\(`).MatchString(line) && !strings.Contains(line, "regexp") {
				around := strings.Join(lines[max(0, i-4):i+1], "\n")
				if !strings.Contains(around, "AIRLOCK_TEST_OFFLINE") && !strings.Contains(around, "testing.Short") {
					t.Errorf("%s:%d skips a test without AIRLOCK_TEST_OFFLINE", path, i+1)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFilesAreOneConcept holds that no source file grows past 600 lines.
func TestFilesAreOneConcept(t *testing.T) {
	source(t, func(path string, file *ast.File, positions *token.FileSet) {
		if lines := positions.Position(file.End()).Line; lines > 600 {
			t.Errorf("%s has %d lines", path, lines)
		}
	})
}

func Example_reasons() {
	fmt.Println(contract.CodesOf(contract.StageArtifact)[0])
	// Output: artifact_missing
}
