package demo

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

//go:embed all:testdata/tally
var embedded embed.FS

// Scenario is a pull request and what happens to it: a folder with pull-request.json, the tree base, and for each Run a
// head tree and, for a replay, a recorded answer.
type Scenario struct {
	Title      string     `json:"title"`
	Body       string     `json:"body"`
	Number     int        `json:"number"`
	Repository Repository `json:"repository"`
	Author     User       `json:"author"`
	Fork       Fork       `json:"fork"`
	HeadRef    string     `json:"head_ref"`
	// Maintainers approve; the first of them sets the label. Advisory users' texts are labelled so.
	Maintainers []User    `json:"maintainers"`
	Advisory    []User    `json:"advisory"`
	App         App       `json:"app"`
	Budget      Budget    `json:"budget"`
	Comments    []Comment `json:"comments"`
	Runs        []Passage `json:"runs"`

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

// User is an account of the scenario.
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

// Budget is the scenario's override of the text budgets.
type Budget struct {
	DiffCharacters int `json:"diff_characters"`
}

// Comment is a comment on the conversation, by user id.
type Comment struct {
	Author int64  `json:"author"`
	Body   string `json:"body"`
}

// Passage is one Run: the head tree it is for, the recorded answer, and what the author wrote before it: the message of
// the push, and replies by the id that a Finding had in the Run before.
type Passage struct {
	Head    string            `json:"head"`
	Answer  string            `json:"answer"`
	Message string            `json:"message"`
	Replies map[string]string `json:"replies"`
}

// Load reads the scenario of a folder, or the embedded one where the folder is empty.
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
	data, err := fs.ReadFile(files, "pull-request.json")
	if err != nil {
		return nil, fmt.Errorf("read the scenario: %w; a folder for --pull-request holds pull-request.json, base and the head trees it names", err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	scenario := &Scenario{files: files}
	if err := decoder.Decode(scenario); err != nil {
		return nil, fmt.Errorf("read pull-request.json: %w", err)
	}
	return scenario, scenario.check()
}

func (s *Scenario) check() error {
	switch {
	case s.Number <= 0 || s.Repository.ID <= 0 || s.Repository.Owner == "" || s.Repository.Name == "" || s.Repository.DefaultBranch == "":
		return errors.New("pull-request.json: number and repository (id, owner, name, default_branch) are needed")
	case s.Author.ID <= 0 || len(s.Maintainers) == 0 || s.App.AppID <= 0 || s.App.BotUserID <= 0 || s.App.InstallationID <= 0:
		return errors.New("pull-request.json: author, at least one maintainer and app (app_id, bot_user_id, installation_id) are needed")
	case len(s.Runs) == 0:
		return errors.New("pull-request.json: runs is empty")
	}
	for n, run := range s.Runs {
		if info, err := fs.Stat(s.files, run.Head); err != nil || !info.IsDir() {
			return fmt.Errorf("pull-request.json: runs[%d].head names no folder", n)
		}
	}
	return nil
}

// tree reads a folder of the scenario: path to content.
func (s *Scenario) tree(folder string) (map[string]string, error) {
	tree := map[string]string{}
	err := fs.WalkDir(s.files, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
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

// answer reads a recorded answer and puts the ids of this demo's Runs in: {{run 1}} is the id of the first Run, {{diff}}
// the text id of this Run's diff, {{answer f1}} that of the author's reply to f1.
func (s *Scenario) answer(name string, ids map[string]string) ([]byte, error) {
	data, err := fs.ReadFile(s.files, name)
	if err != nil {
		return nil, fmt.Errorf("read the recorded answer: %w", err)
	}
	var pairs []string
	for placeholder, id := range ids {
		pairs = append(pairs, "{{"+placeholder+"}}", id)
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(data))), nil
}
