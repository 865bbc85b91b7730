package demo

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

//go:embed all:testdata/tally
var embedded embed.FS

// ScenarioFile is the file of a scenario's folder that holds everything but trees and recorded answers.
const ScenarioFile = "pull-request.json"

// Scenario is a pull request and what happens to it: a folder with [ScenarioFile], the tree base, and for each Run a head
// tree and, for a replay, a recorded answer. docs/demo.md shows the form.
type Scenario struct {
	Title      string     `json:"title"`
	Body       string     `json:"body"`
	Number     int        `json:"number"`
	Repository Repository `json:"repository"`
	Author     User       `json:"author"`
	// Fork is where the author pushes; nil is a branch of the repository itself.
	Fork    *Fork  `json:"fork"`
	HeadRef string `json:"head_ref"`
	// Maintainers approve; the first of them sets the label. Advisory are listed reviewers, and Factory the bot users of the
	// repository's other Apps of ours: what they write is of those trust classes.
	Maintainers []User `json:"maintainers"`
	Advisory    []User `json:"advisory"`
	Factory     []User `json:"factory"`
	App         App    `json:"app"`
	Budget      Budget `json:"budget"`
	// ExcludedPaths are the policy's: changed files that the model is not shown.
	ExcludedPaths []string `json:"excluded_paths"`
	// Comments are on the conversation before the first Run.
	Comments []Comment `json:"comments"`
	Runs     []Passage `json:"runs"`

	files fs.FS
}

// Repository is the repository of the scenario.
type Repository struct {
	ID            int64  `json:"id"`
	Owner         string `json:"owner"`
	OwnerID       int64  `json:"owner_id"`
	Name          string `json:"name"`
	DefaultBranch string `json:"default_branch"`
}

// User is an account of the scenario. Type is User or Bot; the login of a bot ends in "[bot]".
type User struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
	Type  string `json:"type"`
}

// Fork is where the author pushes.
type Fork struct {
	ID      int64 `json:"id"`
	OwnerID int64 `json:"owner_id"`
}

// App is the GitHub App that reviews.
type App struct {
	AppID          int64  `json:"app_id"`
	BotUserID      int64  `json:"bot_user_id"`
	InstallationID int64  `json:"installation_id"`
	Slug           string `json:"slug"`
}

// Budget is the scenario's own text budget, in characters; 0 is the embedded one.
type Budget struct {
	DiffCharacters int `json:"diff_characters"`
}

// Comment is a comment on the conversation, by user id.
type Comment struct {
	Author int64  `json:"author"`
	Body   string `json:"body"`
}

// Passage is one Run: the folder of the head tree that it is for, the file of the recorded answer, and what the author did
// before it: the message of the push, and replies by the id that a Finding had in the Run before. An answer is not needed
// where no model is asked.
type Passage struct {
	Head    string            `json:"head"`
	Answer  string            `json:"answer"`
	Message string            `json:"message"`
	Replies map[string]string `json:"replies"`
}

// Load reads the scenario of a folder, or the embedded one where the folder is empty. Its errors are [*Usage].
func Load(folder string) (*Scenario, error) {
	var files fs.FS
	if folder == "" {
		inner, err := fs.Sub(embedded, "testdata/tally")
		if err != nil {
			return nil, fmt.Errorf("read the embedded scenario: %w", err)
		}
		files = inner
	} else {
		files = os.DirFS(folder)
	}
	data, err := fs.ReadFile(files, ScenarioFile)
	if err != nil {
		return nil, usage("--pull-request", "%s has no %s; docs/demo.md shows what such a folder holds", folder, ScenarioFile)
	}
	scenario := &Scenario{files: files}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(scenario); err != nil {
		return nil, malformed(data, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, usage(ScenarioFile, "there is data after the document")
	}
	return scenario, scenario.check()
}

// malformed says which field cannot be read, or which line.
func malformed(data []byte, err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return usage(ScenarioFile, "field %s: it is a JSON %s, and must be of another kind (%s)", kind.Field, kind.Value, kind.Type)
	case errors.As(err, &syntax):
		return usage(ScenarioFile, "line %d: %s", 1+bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n")), syntax.Error())
	}
	return usage(ScenarioFile, "%s", strings.TrimPrefix(err.Error(), "json: "))
}

// check holds what the demo needs of the file, field by field.
func (s *Scenario) check() error {
	field := func(name, format string, arguments ...any) error {
		return usage(ScenarioFile, "field "+name+": "+format, arguments...)
	}
	for _, number := range []struct {
		name  string
		value int64
	}{{"number", int64(s.Number)}, {"repository.id", s.Repository.ID}, {"repository.owner_id", s.Repository.OwnerID}, {"author.id", s.Author.ID},
		{"app.app_id", s.App.AppID}, {"app.bot_user_id", s.App.BotUserID}, {"app.installation_id", s.App.InstallationID}} {
		if number.value <= 0 {
			return field(number.name, "it must be a positive number")
		}
	}
	for _, text := range []struct{ name, value string }{{"title", s.Title}, {"repository.owner", s.Repository.Owner},
		{"repository.name", s.Repository.Name}, {"repository.default_branch", s.Repository.DefaultBranch}, {"author.login", s.Author.Login},
		{"head_ref", s.HeadRef}, {"app.slug", s.App.Slug}} {
		if text.value == "" {
			return field(text.name, "it is needed")
		}
	}
	if len(s.Maintainers) == 0 {
		return field("maintainers", "at least one is needed: the first sets the label that lets an outside change in")
	}
	if s.Fork != nil && (s.Fork.ID <= 0 || s.Fork.OwnerID <= 0) {
		return field("fork", "id and owner_id must be positive numbers; null is a branch of the repository itself")
	}
	for n, comment := range s.Comments {
		if s.login(comment.Author) == "" {
			return field(fmt.Sprintf("comments[%d].author", n), "%d is neither the author nor in maintainers, advisory or factory", comment.Author)
		}
	}
	if info, err := fs.Stat(s.files, "base"); err != nil || !info.IsDir() {
		return usage("base", "there is no such folder beside %s: the tree that the change is made on", ScenarioFile)
	}
	if len(s.Runs) == 0 {
		return field("runs", "at least one is needed")
	}
	for n, run := range s.Runs {
		if info, err := fs.Stat(s.files, run.Head); err != nil || !info.IsDir() {
			return field(fmt.Sprintf("runs[%d].head", n), "there is no folder %q beside %s", run.Head, ScenarioFile)
		}
		if run.Answer != "" {
			if _, err := fs.Stat(s.files, run.Answer); err != nil {
				return field(fmt.Sprintf("runs[%d].answer", n), "there is no file %q beside %s", run.Answer, ScenarioFile)
			}
		}
	}
	return nil
}

// checkAnswers holds that there is something to replay.
func (s *Scenario) checkAnswers() error {
	for n, run := range s.Runs {
		if run.Answer == "" && (n == 0 || run.Head != s.Runs[n-1].Head) {
			return usage(ScenarioFile, "field runs[%d].answer: there is no recorded answer to replay; name one, or ask a model with --engine claude", n)
		}
	}
	return nil
}

// users are all people and bots of the scenario but its App's.
func (s *Scenario) users() []User {
	users := []User{s.Author}
	for _, list := range [][]User{s.Maintainers, s.Advisory, s.Factory} {
		users = append(users, list...)
	}
	return users
}

// login is the login of a user id, empty where the scenario does not know it.
func (s *Scenario) login(id int64) string {
	for _, user := range s.users() {
		if user.ID == id {
			return user.Login
		}
	}
	if id == s.App.BotUserID {
		return s.App.Slug + "[bot]"
	}
	return ""
}

// tree reads a folder of the scenario: path to content.
func (s *Scenario) tree(folder string) (map[string]string, error) {
	tree := map[string]string{}
	err := fs.WalkDir(s.files, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if !entry.Type().IsRegular() {
			return fmt.Errorf("%s is not a plain file", name)
		}
		data, err := fs.ReadFile(s.files, name)
		if err != nil {
			return err
		}
		tree[strings.TrimPrefix(name, path.Clean(folder)+"/")] = string(data)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the tree %s: %w", folder, err)
	}
	return tree, nil
}

// answer reads a recorded answer and puts the ids of this demo's Runs in: {{run 1}} is the id of the first Run, {{diff}} the
// text id of this Run's diff, {{answer f1}} that of the last reply to the open Finding f1.
func (s *Scenario) answer(name string, ids map[string]string) ([]byte, error) {
	data, err := fs.ReadFile(s.files, name)
	if err != nil {
		return nil, fmt.Errorf("read the recorded answer %s: %w", name, err)
	}
	var pairs []string
	for placeholder, id := range ids {
		pairs = append(pairs, "{{"+placeholder+"}}", id)
	}
	text := strings.NewReplacer(pairs...).Replace(string(data))
	if _, rest, found := strings.Cut(text, "{{"); found {
		placeholder, _, _ := strings.Cut(rest, "}}")
		return nil, fmt.Errorf("%s: {{%s}} stands for nothing in this Run; docs/demo.md lists what may stand there", name, plain(placeholder))
	}
	return []byte(text), nil
}
