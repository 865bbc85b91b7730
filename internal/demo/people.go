package demo

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
)

const (
	workflowPath  = ".github/workflows/review.yml"
	workflowID    = 9100
	approvedLabel = "airlock:approved"
	holdLabel     = "airlock:hold"
	firstRun      = 17000000001
)

// event is what starts a workflow run.
type event struct {
	Name    string
	Payload []byte
}

// seed is the emulated GitHub before the first Run: the repository with its configuration, the people, the App and the pull
// request with its conversation.
func (s *Scenario) seed(publicKey string, now time.Time, engine string) (emulator.Seed, error) {
	opened := now.Add(-20 * time.Minute)
	base, err := s.emulated("base")
	if err != nil {
		return emulator.Seed{}, err
	}
	head, err := s.emulated(s.Runs[0].Head)
	if err != nil {
		return emulator.Seed{}, err
	}
	// The configuration is on the default branch alone; the pull request's base is the tree before it, so that it is no part of
	// the diff.
	branch := maps.Clone(base)
	configuration, err := s.configuration(engine)
	if err != nil {
		return emulator.Seed{}, err
	}
	for name, data := range configuration {
		branch[name] = emulator.File{Content: data}
	}
	seed := emulator.Seed{
		Repository: emulator.Repository{ID: s.Repository.ID, OwnerID: s.Repository.OwnerID, Name: s.Repository.Name,
			DefaultBranch: s.Repository.DefaultBranch, PushedAt: opened, Branches: map[string]emulator.Branch{s.Repository.DefaultBranch: {Tree: branch}, s.Repository.DefaultBranch + "-next": {Tree: base}}},
		Users: []*emulator.User{{ID: s.Repository.OwnerID, Login: s.Repository.Owner, Type: "Organization"},
			{ID: s.App.BotUserID, Login: s.App.Slug + "[bot]", Type: "Bot"}},
		Apps: []*emulator.App{{ID: s.App.AppID, Slug: s.App.Slug, InstallationID: s.App.InstallationID, BotUserID: s.App.BotUserID,
			Permissions: map[string]string{"checks": "write", "metadata": "read", "pull_requests": "write"}, PublicKey: publicKey}},
		Workflows: []*emulator.Workflow{{ID: workflowID, Name: "airlock", Path: workflowPath}},
		Labels:    []emulator.RepoLabel{{Name: approvedLabel}, {Name: holdLabel}},
		FaultActs: emulator.FaultDefaults{ActorID: s.Maintainers[0].ID, HoldLabel: holdLabel},
	}
	for _, user := range s.users() {
		if !slices.ContainsFunc(seed.Users, func(known *emulator.User) bool { return known.ID == user.ID }) {
			seed.Users = append(seed.Users, &emulator.User{ID: user.ID, Login: user.Login, Type: user.Type})
		}
	}
	pull := &emulator.Pull{Number: s.Number, AuthorID: s.Author.ID, Title: s.Title, Body: s.Body, CreatedAt: opened, UpdatedAt: opened,
		Base: emulator.Base{Ref: s.Repository.DefaultBranch, Tree: base}, Head: emulator.Head{Ref: s.HeadRef, Tree: head}}
	if s.Fork != nil {
		pull.Head.Repository = &emulator.Repository{ID: s.Fork.ID, OwnerID: s.Fork.OwnerID, Name: s.Repository.Name, Fork: true,
			DefaultBranch: s.Repository.DefaultBranch, PushedAt: opened}
	}
	for n, comment := range s.Comments {
		at := opened.Add(time.Duration(n+1) * time.Minute)
		pull.Comments = append(pull.Comments, &emulator.Comment{AuthorID: comment.Author, Body: comment.Body, CreatedAt: at, UpdatedAt: at})
	}
	seed.PullRequests = []*emulator.Pull{pull}
	return seed, nil
}

// emulated reads a tree of the scenario as the emulator takes it.
func (s *Scenario) emulated(folder string) (emulator.Tree, error) {
	files, err := s.tree(folder)
	if err != nil {
		return nil, err
	}
	tree := emulator.Tree{}
	for name, content := range files {
		tree[name] = emulator.File{Content: []byte(content)}
	}
	return tree, nil
}

// configuration is what a maintainer would commit under .github/airlock: the embedded defaults with his own ids. For a replay
// the tiers are bound to it, so that every record says so.
func (s *Scenario) configuration(engine string) (map[string][]byte, error) {
	var policy contract.Policy
	var apps contract.Apps
	var harness contract.Harness
	for name, record := range map[string]any{"policy": &policy, "apps": &apps, "harness": &harness} {
		data, err := airlock.Files.ReadFile("config/" + name + ".json")
		if err != nil {
			return nil, fmt.Errorf("read the embedded configuration: %w", err)
		}
		if err := contract.Decode(data, record); err != nil {
			return nil, fmt.Errorf("embedded %s.json: %w", name, err)
		}
	}
	policy.Maintainers, policy.Advisory = ids(s.Maintainers), ids(s.Advisory)
	for n := range apps.Apps {
		apps.Apps[n].AppID, apps.Apps[n].BotUserID, apps.Apps[n].InstallationID = s.App.AppID, s.App.BotUserID, s.App.InstallationID
	}
	for n, user := range s.Factory {
		apps.Apps = append(apps.Apps, contract.App{BotUserID: user.ID, Name: fmt.Sprintf("factory-%d", n+1), Environment: "none",
			Ceiling: map[string]string{"metadata": "read"}})
	}
	if s.ExcludedPaths != nil {
		policy.ExcludedPaths = s.ExcludedPaths
	}
	if s.Budget.DiffCharacters > 0 {
		harness.Texts.DiffCharacters = s.Budget.DiffCharacters
	}
	if engine == EngineReplay {
		harness.Engines = append(harness.Engines, contract.EnginePin{Binaries: map[string]string{}, Credential: "direct", Name: EngineReplay,
			Sandbox: "off", Upstream: "http://localhost", Version: "0.0.0"})
		for name := range harness.Tiers {
			harness.Tiers[name] = contract.Tier{Effort: "low", Engine: EngineReplay, Model: EngineReplay}
		}
	}
	files := map[string][]byte{}
	for name, record := range map[string]any{"policy": policy, "apps": apps, "harness": harness} {
		data, err := contract.Canonical(record)
		if err != nil {
			return nil, err
		}
		files[".github/airlock/"+name+".json"] = data
	}
	return files, nil
}

func ids(users []User) []int64 {
	list := []int64{}
	for _, user := range users {
		list = append(list, user.ID)
	}
	return list
}

// people plays what happens before a Run: the author pushes and replies, a maintainer sets the label anew. It returns the
// event that starts the Run.
func (s *stage) people(n int) (event, error) {
	run, maintainer := s.scenario.Runs[n], s.scenario.Maintainers[0]
	if n > 0 {
		head, err := s.scenario.emulated(run.Head)
		if err != nil {
			return event{}, err
		}
		s.advance()
		if _, err := s.server.Push(emulator.PushAct{Number: s.scenario.Number, ActorID: s.scenario.Author.ID, Message: run.Message, Tree: head}); err != nil {
			return event{}, fmt.Errorf("the author's push: %w", err)
		}
		s.advance()
		if err := s.reply(n); err != nil {
			return event{}, err
		}
		if err := s.server.Label(emulator.LabelAct{Number: s.scenario.Number, ActorID: maintainer.ID, Label: approvedLabel, Remove: true}); err != nil {
			return event{}, fmt.Errorf("take the maintainer's label off: %w", err)
		}
	}
	s.advance()
	if err := s.server.Label(emulator.LabelAct{Number: s.scenario.Number, ActorID: maintainer.ID, Label: approvedLabel}); err != nil {
		return event{}, fmt.Errorf("the maintainer's label: %w", err)
	}
	payload, err := json.Marshal(map[string]any{"action": "labeled", "number": s.scenario.Number,
		"label":        map[string]any{"name": approvedLabel},
		"pull_request": map[string]any{"number": s.scenario.Number},
		"repository":   map[string]any{"id": s.scenario.Repository.ID, "full_name": s.scenario.Repository.Owner + "/" + s.scenario.Repository.Name},
		"sender":       map[string]any{"id": maintainer.ID, "login": maintainer.Login, "type": "User"}})
	return event{"pull_request_target", payload}, err
}

// replies are the author's replies before a Run. They are about the Findings of a recorded answer, so a live model's get none.
func (s *stage) replies(n int) map[string]string {
	if s.Engine != EngineReplay {
		return nil
	}
	return s.scenario.Runs[n].Replies
}

// reply writes the author's replies into the threads of the Findings of the Run before.
func (s *stage) reply(n int) error {
	replies := s.replies(n)
	if len(replies) == 0 {
		return nil
	}
	state, err := s.server.State()
	if err != nil {
		return err
	}
	before := s.runs[n-1].bundle.Decision.Run
	left := maps.Clone(replies)
	for _, thread := range state.Pull(s.scenario.Number).Threads {
		lines := splitLines(thread.Comments[0].Body)
		marked, ok := ledger.ParseFinding(lines[len(lines)-1])
		words, answered := replies[idInResult(marked.ID)]
		if !ok || !answered || marked.ID != contract.FindingID(before, idInResult(marked.ID)) {
			continue
		}
		if _, err := s.server.Reply(emulator.TextAct{Number: s.scenario.Number, ActorID: s.scenario.Author.ID, CommentID: thread.Comments[0].ID, Body: words}); err != nil {
			return fmt.Errorf("the author's reply to %s: %w", idInResult(marked.ID), err)
		}
		delete(left, idInResult(marked.ID))
	}
	for _, id := range slices.Sorted(maps.Keys(left)) {
		return fmt.Errorf("pull-request.json: runs[%d].replies: %s is no finding with a thread of the Run before", n, plain(id))
	}
	return nil
}

// workflowRun starts the workflow run of the n-th Run and returns its id.
func (s *stage) workflowRun(n int, started event) (int64, error) {
	s.advance()
	state, err := s.server.State()
	if err != nil {
		return 0, err
	}
	branch := s.scenario.Repository.DefaultBranch
	return s.server.SetWorkflowRun(emulator.Run{ID: firstRun + int64(n), WorkflowID: workflowID, Title: fmt.Sprintf("airlock %s #%d", role, s.scenario.Number),
		Event: started.Name, Status: "in_progress", HeadBranch: branch, HeadCommit: state.Repository.Branches[branch].Commit,
		ActorID: s.scenario.Maintainers[0].ID, Number: int64(n + 1), Attempt: 1, CreatedAt: s.server.Now(), UpdatedAt: s.server.Now()})
}
