package vectors

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-2ea642bd/airlock/internal/apply"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/engine"
	"github.com/seed-2ea642bd/airlock/internal/run"
	"github.com/seed-2ea642bd/airlock/internal/schema"
	"github.com/seed-2ea642bd/airlock/internal/secret"
	"github.com/seed-2ea642bd/airlock/internal/standin"
)

// stage is a script at one command.
type stage struct {
	*testscript.TestScript
	p         *play
	neg       bool
	arguments []string
}

// commands are the words of the language beside those of every script.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	list := map[string]func(stage){
		"configure": stage.configure, "opened": stage.opened, "push": stage.push, "say": stage.say, "edit": stage.edit, "label": stage.label,
		"state": stage.state, "resolve": stage.resolve, "retarget": stage.retarget, "branch": stage.branch, "sibling": stage.sibling, "crowd": stage.crowd, "pending": stage.pending,
		"decide": stage.decided, "task": stage.showTask, "answer": stage.answer, "cli": stage.cli, "think": stage.think, "result": stage.forge, "artifact": stage.artifact,
		"fault": stage.fault, "apply": stage.apply, "posted": stage.posted, "count": stage.count, "left": stage.showLeft, "outputs": stage.outputs, "calls": stage.calls,
	}
	words := map[string]func(*testscript.TestScript, bool, []string){}
	for name, do := range list {
		words[name] = func(ts *testscript.TestScript, neg bool, arguments []string) {
			do(stage{ts, ts.Value(playKey{}).(*play), neg, arguments})
		}
	}
	return words
}

// need ends the script unless it gave so many arguments.
func (s stage) need(usage string, atLeast int) {
	if len(s.arguments) < atLeast {
		s.Fatalf("usage: %s", usage)
	}
}

func (s stage) tellf(format string, arguments ...any) {
	fmt.Fprintf(s.Stdout(), format+"\n", arguments...)
}

// text is a file of the script where the argument names one, and the argument itself otherwise.
func (s stage) text(argument string) string {
	if data, err := os.ReadFile(s.MkAbs(argument)); err == nil {
		argument = strings.TrimSuffix(string(data), "\n")
	}
	return s.unescaped(s.p.placeholders(argument))
}

// recorded is an answer of the model: a file of the script, or one of those that many scripts share.
func (s stage) recorded(name string) string {
	if data, err := os.ReadFile(filepath.Join(folder, "answers", name+".json")); err == nil {
		return s.p.placeholders(string(data))
	}
	return s.text(name)
}

// unescaped turns \u{HEX} into the character, so that a script can show what cannot be seen.
func (s stage) unescaped(text string) string {
	parts := strings.Split(text, `\u{`)
	for i, part := range parts[1:] {
		digits, rest, closed := strings.Cut(part, "}")
		code, err := strconv.ParseUint(digits, 16, 32)
		if !closed || err != nil {
			s.Fatalf(`\u{%s is no character`, part)
		}
		parts[i+1] = string(rune(code)) + rest
	}
	return strings.Join(parts, "")
}

// person is the first argument's numeric id.
func (s stage) person(name string) int64 {
	id, err := who(name)
	s.Check(err)
	return id
}

// tree is the change's base with the files of a folder laid over it; an empty file named NAME.gone takes NAME out.
func (s stage) tree(under emulator.Tree, directory string) emulator.Tree {
	tree := maps.Clone(under)
	root := s.MkAbs(directory)
	s.Check(filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if gone, removed := strings.CutSuffix(name, ".gone"); removed {
			delete(tree, gone)
			return nil
		}
		if many, counted := strings.CutSuffix(name, ".many"); counted {
			return s.many(tree, many, path)
		}
		data, err := os.ReadFile(path)
		tree[s.unescaped(name)] = emulator.File{Content: []byte(s.unescaped(s.p.placeholders(string(data))))}
		return err
	}))
	return tree
}

// many lays files NAME-001, NAME-002, … of one line each, as many as the file says.
func (s stage) many(tree emulator.Tree, name, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(strings.TrimSpace(string(data)))
	for n := 1; n <= count; n++ {
		tree[fmt.Sprintf("%s-%03d", name, n)] = emulator.File{Content: fmt.Appendf(nil, "this is file %d\n", n)}
	}
	return err
}

// configure FILE PATCH lays a JSON merge patch over a file of .github/airlock on the default branch. Before anything is opened.
func (s stage) configure() {
	s.need("configure FILE PATCH", 2)
	if s.p.Instance != nil {
		s.Fatalf("configure stands before the first act")
	}
	s.p.configure(s.arguments[0], s.text(s.arguments[1]))
}

// opened base|head DIR, opened title|body TEXT, opened by WHO: what the pull request is from the beginning.
func (s stage) opened() {
	s.need("opened base|head|title|body|by WHAT", 2)
	if s.p.Instance != nil {
		s.Fatalf("opened stands before the first act")
	}
	pull, what := s.p.pull(), s.arguments[1]
	switch s.arguments[0] {
	case "base":
		pull.Base.Tree = s.tree(emulator.Tree{}, what)
		pull.Head.Tree = maps.Clone(pull.Base.Tree)
		s.p.seed.Repository.Branches["release"] = emulator.Branch{Tree: pull.Base.Tree}
	case "head":
		pull.Head.Tree = s.tree(pull.Base.Tree, what)
	case "title":
		pull.Title = s.text(what)
	case "body":
		pull.Body = s.text(what)
	case "by":
		pull.AuthorID = s.person(what)
		if pull.AuthorID == emulatortest.MaintainerID {
			pull.Head.Repository, pull.Labels, pull.Events = nil, nil, nil
		}
	case "unapproved":
		pull.Labels, pull.Events = nil, nil
	default:
		s.Fatalf("opened: %s is not base, head, title, body, by or unapproved", s.arguments[0])
	}
}

// push DIR [force] lays a folder over the head; a maintainer approves what was pushed unless "unapproved" is added.
func (s stage) push() {
	s.need("push DIR [force] [unapproved]", 1)
	s.p.later()
	state := s.p.State(s.p.t)
	pull := state.Pull(emulatortest.Number)
	s.p.head = s.tree(s.p.head, s.arguments[0])
	_, err := s.p.Push(emulator.PushAct{Number: pull.Number, ActorID: pull.AuthorID, Message: "more", Tree: s.p.head,
		Force: slices.Contains(s.arguments, "force")})
	s.Check(err)
	if slices.Contains(s.arguments, "unapproved") || pull.AuthorID == emulatortest.MaintainerID {
		return
	}
	s.p.later()
	for _, remove := range []bool{true, false} {
		s.Check(s.p.Label(emulator.LabelAct{Number: pull.Number, ActorID: emulatortest.MaintainerID, Label: "airlock:approved", Remove: remove}))
	}
}

// say WHO TEXT comments; say WHO review TEXT reviews; say WHO line PATH LINE TEXT starts a thread; say WHO reply N TEXT replies
// in the N-th thread.
func (s stage) say() {
	s.need("say WHO [review | line PATH LINE | reply N] TEXT", 2)
	s.p.later()
	by, last := s.person(s.arguments[0]), s.text(s.arguments[len(s.arguments)-1])
	var err error
	switch {
	case len(s.arguments) == 2:
		_, err = s.p.Comment(emulator.TextAct{Number: emulatortest.Number, ActorID: by, Body: last})
	case s.arguments[1] == "review":
		_, err = s.p.Review(emulator.ReviewAct{Number: emulatortest.Number, ActorID: by, Body: last, State: strings.Join(s.arguments[2:len(s.arguments)-1], "")})
	case s.arguments[1] == "line" && len(s.arguments) == 5:
		line, _ := strconv.Atoi(s.arguments[3])
		_, err = s.p.Review(emulator.ReviewAct{Number: emulatortest.Number, ActorID: by,
			Comments: []emulator.LineTextAct{{Path: s.arguments[2], Line: line, Body: last}}})
	case s.arguments[1] == "reply" && len(s.arguments) == 4:
		_, err = s.p.Reply(emulator.TextAct{Number: emulatortest.Number, ActorID: by, CommentID: s.thread(s.arguments[2]).Comments[0].ID, Body: last})
	default:
		s.Fatalf("say: %q is none of its forms", s.arguments)
	}
	s.Check(err)
}

// thread is the N-th thread of the pull request, from 1.
func (s stage) thread(n string) *emulator.Thread {
	state := s.p.State(s.p.t)
	threads := state.Pull(emulatortest.Number).Threads
	at, err := strconv.Atoi(n)
	if err != nil || at < 1 || at > len(threads) {
		s.Fatalf("there are %d threads, %s is none of them", len(threads), n)
	}
	return threads[at-1]
}

// edit WHO review|thread N TEXT puts another text in place of the N-th review's, or of the N-th thread's first comment.
func (s stage) edit() {
	s.need("edit WHO review|thread N TEXT", 4)
	s.p.later()
	act := emulator.EditAct{Number: emulatortest.Number, ActorID: s.person(s.arguments[0]), Body: s.text(s.arguments[3])}
	if s.arguments[1] == "thread" {
		act.LineCommentID = s.thread(s.arguments[2]).Comments[0].ID
	} else {
		at, _ := strconv.Atoi(s.arguments[2])
		state := s.p.State(s.p.t)
		reviews := state.Pull(emulatortest.Number).Reviews
		if at < 1 || at > len(reviews) {
			s.Fatalf("there are %d reviews", len(reviews))
		}
		act.ReviewID = reviews[at-1].ID
	}
	s.Check(s.p.Edit(act))
}

// label WHO NAME sets a label; ! label takes it off.
func (s stage) label() {
	s.need("label WHO NAME", 2)
	s.p.later()
	s.Check(s.p.Label(emulator.LabelAct{Number: emulatortest.Number, ActorID: s.person(s.arguments[0]), Label: s.arguments[1], Remove: s.neg}))
}

// state WHO TO: open, closed, draft, ready, locked, unlocked or merged, as the emulator knows them.
func (s stage) state() {
	s.need("state WHO TO", 2)
	s.p.later()
	s.Check(s.p.SetState(emulator.StateAct{Number: emulatortest.Number, ActorID: s.person(s.arguments[0]), To: s.arguments[1]}))
}

// resolve WHO N resolves the N-th thread; ! resolve opens it again.
func (s stage) resolve() {
	s.need("resolve WHO N", 2)
	s.p.later()
	s.Check(s.p.Resolve(emulator.ResolveAct{Number: emulatortest.Number, ActorID: s.person(s.arguments[0]),
		CommentID: s.thread(s.arguments[1]).Comments[0].ID, Unresolve: s.neg}))
}

// retarget WHO REF moves the pull request to another base.
func (s stage) retarget() {
	s.need("retarget WHO REF", 2)
	s.p.later()
	s.Check(s.p.Retarget(emulator.RetargetAct{Number: emulatortest.Number, ActorID: s.person(s.arguments[0]), Ref: s.arguments[1]}))
}

// branch FILE PATCH commits a changed configuration to the default branch while the play goes on.
func (s stage) branch() {
	s.need("branch FILE PATCH", 2)
	s.p.later()
	s.p.configure(s.arguments[0], s.text(s.arguments[1]))
	tree := maps.Clone(s.p.seed.Repository.Branches["main"].Tree)
	tree[".github/airlock/"+s.arguments[0]] = emulator.File{Content: s.p.configuration[s.arguments[0]]}
	_, err := s.p.SetBranch(emulator.BranchAct{Name: "main", Tree: tree})
	s.Check(err)
}

// sibling NUMBER opens a second pull request of the same head into the other branch.
func (s stage) sibling() {
	s.need("sibling NUMBER", 1)
	s.p.later()
	state := s.p.State(s.p.t)
	given := *state.Pull(emulatortest.Number)
	number, err := strconv.Atoi(s.arguments[0])
	s.Check(err)
	s.Check(s.p.OpenPull(emulator.Pull{Number: number, AuthorID: given.AuthorID, Title: "The same for the release", CreatedAt: s.p.now,
		Base: emulator.Base{Ref: "release"}, Head: emulator.Head{Ref: given.Head.Ref, Commit: given.Head.Commit, Repository: given.Head.Repository}}))
}

// crowd WHO N adds N comments and N reviews of one person.
func (s stage) crowd() {
	s.need("crowd WHO N", 2)
	s.p.later()
	by := s.person(s.arguments[0])
	count, err := strconv.Atoi(s.arguments[1])
	s.Check(err)
	for n := range count {
		_, err := s.p.Comment(emulator.TextAct{Number: emulatortest.Number, ActorID: by, Body: fmt.Sprintf("remark %d", n)})
		s.Check(err)
		_, err = s.p.Review(emulator.ReviewAct{Number: emulatortest.Number, ActorID: by, Body: fmt.Sprintf("review %d", n)})
		s.Check(err)
	}
}

// pending TEXT leaves a pending review of our App behind.
func (s stage) pending() {
	s.need("pending TEXT", 1)
	s.p.later()
	_, err := s.p.Review(emulator.ReviewAct{Number: emulatortest.Number, ActorID: emulatortest.BotUserID, Body: s.text(s.arguments[0]), State: "PENDING"})
	s.Check(err)
}

// decide [action=A] [sender=WHO] [again] plays the first job of a new workflow run and tells what it decided. "again" is a
// workflow_dispatch that asks again, "dispatch" one that does not; NAME=VALUE of another name sets a variable.
func (s stage) decided() {
	event, action, sender, change := "pull_request_target", "labeled", int64(emulatortest.MaintainerID), map[string]string{}
	number := strconv.Itoa(emulatortest.Number)
	for _, argument := range s.arguments {
		name, value, _ := strings.Cut(argument, "=")
		switch name {
		case "action":
			action = value
		case "sender":
			sender = s.person(value)
		case "again":
			event, change["AIRLOCK_NUMBER"], change["AIRLOCK_AGAIN"] = "workflow_dispatch", number, "true"
		case "dispatch":
			event, change["AIRLOCK_NUMBER"] = "workflow_dispatch", number
		case "event":
			event = value
		default:
			change[name] = value
		}
	}
	payload := map[string]any{"sender": map[string]any{"id": sender}, "repository": map[string]any{"id": emulatortest.RepositoryID}}
	if event != "workflow_dispatch" {
		payload["action"], payload["number"] = action, emulatortest.Number
		payload["pull_request"] = map[string]any{"number": emulatortest.Number}
	}
	code := s.p.decide(event, string(s.p.encode(payload)), change)
	s.held("decide", code, 0)
	for _, name := range slices.Sorted(maps.Keys(s.p.decided)) {
		if name == "admitted" || name == "report" || name == "reason" {
			s.tellf("%s %s", name, s.p.decided[name])
		}
	}
	if s.p.decided["decision-sha256"] != "" {
		s.tellf("reasons %v", s.p.decision.Reasons)
	}
}

// held tells an exit code and holds it: the one that is meant, or with ! another.
func (s stage) held(program string, code, want int) {
	s.tellf("exit %d", code)
	if (code == want) == s.neg {
		s.Fatalf("%s ended with %d\n%s", program, code, s.p.left.String())
	}
}

// task shows the Task as the model gets it.
func (s stage) showTask() {
	if s.p.task == nil {
		s.Fatalf("nothing was admitted, so there is no Task")
	}
	data, err := contract.Canonical(*s.p.task)
	s.Check(err)
	var out bytes.Buffer
	s.Check(json.Indent(&out, data, "", " "))
	s.tellf("%s", out.String())
}

// ran plays the run job and uploads what it wrote.
func (s stage) ran(change map[string]string) {
	if s.p.bundle.id == 0 {
		s.Fatalf("decide handed on no bundle")
	}
	env := s.p.job("pull_request_target", "{}")
	delete(env, "GITHUB_TOKEN")
	folder := filepath.Join(s.p.t.TempDir(), "result")
	env["AIRLOCK_BUNDLE"], env["AIRLOCK_DECISION_SHA256"], env["AIRLOCK_RESULT"] = s.p.unpacked(), s.p.bundle.digest, folder
	env["PATH"], env["CLAUDE_CODE_OAUTH_TOKEN"], env["CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"] = os.Getenv("PATH"), modelCredential, "1"
	maps.Copy(env, change)
	var log bytes.Buffer
	code := run.Program(context.Background(), run.Environment{Env: maps.Clone(env), Take: taken, Clock: time.Now, Random: rand.Reader, Stdout: &log, Stderr: &log})
	outputs := s.p.ended(env, log.Bytes())
	s.tellf("status %s", outputs["status"])
	s.tellf("reason %s", outputs["reason"])
	s.held("run", code, 0)
	if outputs["result-sha256"] == "" {
		return
	}
	data, err := os.ReadFile(filepath.Join(folder, run.ResultFile))
	s.Check(err)
	s.p.left.Write(data)
	s.p.written = data
	s.p.result = s.p.upload("airlock-result", zipped(s.p.t, []entry{{run.ResultFile, data}}), outputs["result-sha256"])
}

// taken takes the credential out of an environment, in the test's own process.
func taken(env map[string]string) (secret.Credential, error) {
	credential := secret.New(env[engine.CredentialName])
	delete(env, engine.CredentialName)
	return credential, nil
}

// answer FILE [NAME=VALUE...] plays the run job with a recorded answer of the model: a file of the script, or one of
// testdata/vectors/answers.
func (s stage) answer() {
	s.need("answer FILE [NAME=VALUE...]", 1)
	recorded := filepath.Join(s.p.t.TempDir(), "answer.json")
	s.Check(os.WriteFile(recorded, []byte(s.recorded(s.arguments[0])), 0o600))
	s.ran(s.variables(map[string]string{"AIRLOCK_REPLAY": recorded}, s.arguments[1:]))
}

// cli FILE puts a shell script in place of the model CLI, pinned by the configuration. Before anything is opened.
func (s stage) cli() {
	s.need("cli FILE", 1)
	if s.p.Instance != nil {
		s.Fatalf("cli stands before the first act")
	}
	standin.NeedBubblewrap(s.p.t)
	path, digest, err := standin.ScriptedCLI(s.p.t.TempDir(), "2.1.306", strings.ReplaceAll(s.text(s.arguments[0]), "{work}", s.MkAbs(".")))
	s.Check(err)
	var harness map[string]any
	s.p.decode(s.p.embedded("harness.json"), &harness)
	pin := harness["engines"].([]any)[0].(map[string]any)
	pin["binaries"] = map[string]any{runtime.GOOS + "-" + runtime.GOARCH: digest}
	pin["credential"], pin["sandbox"] = "direct", "off"
	s.p.configuration["harness.json"] = s.p.encode(harness)
	s.p.cli = path
}

// think [NAME=VALUE...] plays the run job with the CLI that the script put in place.
func (s stage) think() {
	s.ran(s.variables(map[string]string{"AIRLOCK_CLI": s.p.cli}, s.arguments))
}

// variables adds NAME=VALUE arguments to a job's environment.
func (s stage) variables(environment map[string]string, arguments []string) map[string]string {
	for _, argument := range arguments {
		name, value, set := strings.Cut(argument, "=")
		if !set {
			s.Fatalf("%s is not NAME=VALUE", argument)
		}
		environment[name] = value
	}
	return environment
}

// result PATCH lays a merge patch over the Result that run wrote and hands that on in its place, with outputs that fit;
// result raw FILE hands on a file's bytes.
func (s stage) forge() {
	s.need("result PATCH | result raw FILE", 1)
	var data []byte
	if s.arguments[0] == "raw" {
		s.need("result raw FILE", 2)
		data = []byte(s.text(s.arguments[1]))
	} else {
		data = bytes.TrimSuffix(s.p.merged(s.p.written, s.text(s.arguments[0])), []byte("\n"))
	}
	s.p.result = s.p.upload("airlock-result", zipped(s.p.t, []entry{{run.ResultFile, data}}), contract.Digest(data))
}

// artifact NAME=FILE... uploads these entries in place of the Result's artifact; its outputs stay those of the last entry named
// result.json, or of nothing. A file that begins with "-> " is a symbolic link.
func (s stage) artifact() {
	var entries []entry
	digest := contract.Digest(nil)
	for _, argument := range s.arguments {
		name, file, _ := strings.Cut(argument, "=")
		data := s.p.written
		if file != "RESULT" {
			data = []byte(s.text(file))
		}
		entries = append(entries, entry{name, data})
		if name == run.ResultFile {
			digest = contract.Digest(data)
		}
	}
	s.p.result = s.p.upload("airlock-result", zipped(s.p.t, entries), digest)
}

// fault KIND [call=N] [match=M] [nth=N] [times=N] asks that something goes wrong from now on.
func (s stage) fault() {
	s.need("fault KIND [call=N] [match=M] [nth=N] [times=N]", 1)
	s.p.open()
	f := emulator.Fault{Kind: s.arguments[0]}
	for _, argument := range s.arguments[1:] {
		name, value, _ := strings.Cut(argument, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "call":
			f.Call = n
		case "match":
			f.Match = value
		case "nth":
			f.Nth = n
		case "times":
			f.Times = n
		default:
			s.Fatalf("fault: %s is unknown", name)
		}
	}
	s.Check(s.p.Inject(f))
}

// apply [again] [NAME=VALUE...] plays the job that writes and tells its records. "again" is a re-run of the job: another attempt
// of the same run. ! holds that it does not end with 0.
func (s stage) apply() {
	if slices.Contains(s.arguments, "again") {
		s.p.attempt++
	}
	s.p.before = len(s.p.State(s.p.t).Calls)
	env := s.p.job("pull_request_target", "{}")
	folder := filepath.Join(s.p.t.TempDir(), "out")
	env["AIRLOCK_APP_PRIVATE_KEY"], env["AIRLOCK_OUT"] = emulatortest.KeyPEM(), folder
	env["AIRLOCK_BUNDLE_ARTIFACT_ID"], env["AIRLOCK_BUNDLE_ARTIFACT_DIGEST"] = strconv.FormatInt(s.p.bundle.id, 10), s.p.bundle.zipDigest
	env["AIRLOCK_DECISION_SHA256"] = s.p.bundle.digest
	if s.p.result.id != 0 {
		env["AIRLOCK_RESULT_ARTIFACT_ID"], env["AIRLOCK_RESULT_ARTIFACT_DIGEST"] = strconv.FormatInt(s.p.result.id, 10), s.p.result.zipDigest
		env["AIRLOCK_RESULT_SHA256"] = s.p.result.digest
	}
	for _, argument := range s.arguments {
		if name, value, set := strings.Cut(argument, "="); set {
			env[name] = value
		}
	}
	var log bytes.Buffer
	code := apply.Program(context.Background(), apply.Environment{Env: maps.Clone(env), Clock: s.p.Now, Transport: http.DefaultTransport, Sleep: noWait, Stderr: &log})
	s.p.ended(env, log.Bytes())
	s.p.ClearFaults()
	var applied contract.Applied
	var outcome contract.Outcome
	for name, record := range map[string]any{"applied": &applied, "outcome": &outcome} {
		data, err := os.ReadFile(filepath.Join(folder, name+".json"))
		if err != nil && code == 2 {
			s.tellf("%s", log.String())
			s.held("apply", code, 0)
			return
		}
		s.Check(err)
		s.p.left.Write(data)
		s.Check(schema.Decode(name+"/1", data, record))
	}
	s.tell(applied, outcome)
	s.held("apply", code, 0)
}

// tell writes the records in short, a line a thing.
func (s stage) tell(applied contract.Applied, outcome contract.Outcome) {
	conclusion := "none"
	if outcome.Conclusion != nil {
		conclusion = *outcome.Conclusion
	}
	s.tellf("status %s, fault %s, check %s", outcome.Status, outcome.Fault, conclusion)
	s.tellf("reasons %v", outcome.Reasons)
	for _, effect := range applied.Effects {
		reason := ""
		if effect.Reason != nil {
			reason = " " + string(*effect.Reason)
		}
		s.tellf("effect %s %s %s%s", effect.ID, effect.Type, effect.State, reason)
	}
	for _, finding := range applied.Findings {
		at := "no line"
		if finding.Line != nil {
			at = fmt.Sprintf("line %d", *finding.Line)
		}
		s.tellf("finding %s %s %s %s", finding.ID[strings.LastIndex(finding.ID, "/")+1:], finding.Severity, finding.Placement, at)
	}
	for _, half := range applied.Dispositions {
		s.tellf("disposition %s %s %s", half.Finding[strings.LastIndex(half.Finding, "/")+1:], half.Half, half.Verdict)
	}
	for _, token := range applied.Tokens {
		s.tellf("token %s %v revoked %t", token.Purpose, token.Requested, token.Revoked)
	}
	for _, omitted := range outcome.Omitted {
		s.tellf("omitted %+v", omitted)
	}
	s.tellf("open %d", len(outcome.GatingOpen))
}

// posted shows every text of our App that stands on GitHub: reviews, threads, replies and checks.
func (s stage) posted() {
	state := s.p.State(s.p.t)
	pull := state.Pull(emulatortest.Number)
	for _, review := range pull.Reviews {
		if review.AuthorID == emulatortest.BotUserID {
			s.tellf("== review %s on %s\n%s", review.State, review.Commit, review.Body)
		}
	}
	for _, thread := range pull.Threads {
		for n, comment := range thread.Comments {
			if comment.AuthorID == emulatortest.BotUserID {
				line := 0
				if thread.Line != nil {
					line = *thread.Line
				}
				s.tellf("== %s in a thread at %s:%d %s\n%s", []string{"first", "reply"}[min(n, 1)], thread.Path, line, thread.Side, comment.Body)
			}
		}
	}
	for _, comment := range pull.Comments {
		if comment.AuthorID == emulatortest.BotUserID {
			s.tellf("== comment\n%s", comment.Body)
		}
	}
	for _, check := range state.CheckRuns {
		s.tellf("== check %s on %s: %s\n%s\n%s", check.Name, check.HeadCommit, check.Conclusion, check.Title, check.Summary)
	}
}

// count WHAT N holds how many stand there: reviews, threads or replies of our App, all comments, checks, or tokens alive.
func (s stage) count() {
	s.need("count WHAT N", 2)
	state := s.p.State(s.p.t)
	pull := state.Pull(emulatortest.Number)
	counts := map[string]int{"checks": len(state.CheckRuns), "comments": len(pull.Comments)}
	for _, review := range pull.Reviews {
		if review.AuthorID == emulatortest.BotUserID && review.Body != "" {
			counts["reviews"]++
		}
	}
	for _, thread := range pull.Threads {
		for n, comment := range thread.Comments {
			if comment.AuthorID == emulatortest.BotUserID {
				counts[[]string{"threads", "replies"}[min(n, 1)]]++
			}
		}
	}
	for _, token := range state.Tokens {
		if token.Kind == "installation" && !token.Revoked {
			counts["tokens"]++
		}
	}
	if got := strconv.Itoa(counts[s.arguments[0]]); got != s.arguments[1] {
		s.Fatalf("there are %s %s, not %s", got, s.arguments[0], s.arguments[1])
	}
}

// left shows all that the programs wrote into logs, outputs, summaries, Results and records.
func (s stage) showLeft() { s.tellf("%s", s.p.left.String()) }

// outputs shows the outputs of the last program.
func (s stage) outputs() {
	for _, name := range slices.Sorted(maps.Keys(s.p.outputs)) {
		s.tellf("%s=%s", name, s.p.outputs[name])
	}
}

// calls shows the writes that GitHub was asked for since the last apply began.
func (s stage) calls() {
	for _, call := range s.p.State(s.p.t).Calls[s.p.before:] {
		if call.Method != http.MethodGet {
			s.tellf("%s %s %d", call.Method, call.Operation, call.Status)
		}
	}
}
