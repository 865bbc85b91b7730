package apply

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// review is a completed answer with the Findings given: those that gate are threads.
func review(findings ...contract.RawFinding) contract.Answer {
	effect := contract.SubmitReviewEffect{Answers: []string{}, Body: untrusted.New("Two things."), Event: "COMMENT", ID: "e1",
		Listed: []string{}, Threads: []string{}, Type: contract.SubmitReview}
	for _, f := range findings {
		if contract.Gates(f.Category, f.Severity) {
			effect.Threads = append(effect.Threads, f.ID)
		} else {
			effect.Listed = append(effect.Listed, f.ID)
		}
	}
	if findings == nil {
		findings = []contract.RawFinding{}
	}
	return contract.Answer{Status: contract.StatusCompleted, Findings: findings, Dispositions: []contract.Disposition{},
		Effects: []contract.Effect{{SubmitReview: &effect}}}
}

// onLine is a Finding on a line of the changed file; line 0 is one without a place.
func onLine(id, category, severity string, line int) contract.RawFinding {
	f := contract.RawFinding{Category: category, ID: id, Severity: severity, Title: untrusted.New("Title of " + id), Text: untrusted.New("Text of " + id + ".")}
	if line > 0 {
		path, side := untrusted.New("internal/store/query.go"), contract.Right
		f.Path, f.Side, f.Line = &path, &side, &line
	}
	return f
}

// three is the answer of the first Run where a second follows: two threads, and one Finding in the body.
func three() contract.Answer {
	return review(onLine("f1", "security", "critical", 10), onLine("f2", "concurrency", "major", 31), onLine("f3", "data_loss", "major", 0))
}

// reviewed is a world whose first Run wrote three Findings that gate.
func (w *world) reviewed() *world {
	w.t.Helper()
	w.admit()
	w.answer(three())
	if e := w.apply(nil); e.code != 0 || w.reviewsByUs() != 1 {
		w.t.Fatalf("the first Run: %d\n%s", e.code, e.log)
	}
	return w
}

// pushed completes the workflow run, pushes a change of another file, approves it again and starts the next run.
func (w *world) pushed() *world {
	w.t.Helper()
	tree := maps.Clone(emulatortest.Head)
	tree["internal/store/owner.go"] = emulatortest.Text("package store\n\n// Owner is who an entry belongs to.\ntype Owner struct{ name string }\n")
	w.push(tree)
	w.next()
	return w
}

func (w *world) push(tree emulator.Tree) string {
	w.t.Helper()
	w.SetClock(w.Now().Add(2 * time.Hour))
	commit, err := w.Push(emulator.PushAct{Number: emulatortest.Number, Tree: tree})
	w.must(err)
	w.SetClock(w.Now().Add(time.Minute))
	w.must(w.Label(emulator.LabelAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID, Label: "airlock:approved", Remove: true}))
	w.must(w.Label(emulator.LabelAct{Number: emulatortest.Number, ActorID: emulatortest.MaintainerID, Label: "airlock:approved"}))
	return commit
}

// next ends the workflow run and starts another.
func (w *world) next() {
	w.t.Helper()
	_, err := w.SetWorkflowRun(emulator.Run{ID: w.run, Status: "completed", Conclusion: "success"})
	w.must(err)
	w.run++
	_, err = w.SetWorkflowRun(emulator.Run{ID: w.run, WorkflowID: emulatortest.WorkflowID, Title: "airlock pr-review #12", Status: "in_progress", ActorID: emulatortest.MaintainerID})
	w.must(err)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// finding returns the Task's Finding of the first Run by its short id.
func (w *world) finding(short string) string {
	w.t.Helper()
	at := slices.IndexFunc(w.task.Findings, func(f contract.TaskFinding) bool { return strings.HasSuffix(f.ID, "/"+short) })
	if at < 0 {
		w.t.Fatalf("the Task has no Finding %s", short)
	}
	return w.task.Findings[at].ID
}

// verdict is the reviewer's half about a Finding, on the evidence of the change.
func (w *world) verdict(short, verdict string) contract.Disposition {
	return contract.Disposition{Finding: w.finding(short), Reviewer: &contract.ReviewerHalf{Evidence: w.diffText(), Of: contract.VerdictFixed,
		Text: untrusted.New("As the change shows, " + short + "."), Verdict: verdict}}
}

func (w *world) diffText() string {
	for _, text := range w.task.Texts {
		if text.Kind == contract.TextDiff {
			return text.ID
		}
	}
	w.t.Fatal("the Task has no diff")
	return ""
}

// answers is the answer of the second Run: one Finding rejected and one accepted in their threads, one accepted in the body.
func (w *world) answers() contract.Answer {
	a := review()
	a.Dispositions = []contract.Disposition{w.verdict("f1", contract.VerdictRejected), w.verdict("f2", contract.VerdictAccepted), w.verdict("f3", contract.VerdictAccepted)}
	a.Effects[0].SubmitReview.Answers = []string{w.finding("f3")}
	for i, short := range []string{"f1", "f2"} {
		a.Effects = append(a.Effects, contract.Effect{ReplyThread: &contract.ThreadEffect{Finding: w.finding(short), ID: []string{"e2", "e3"}[i], Type: contract.ReplyThread}})
	}
	return a
}

// policy commits another policy to the default branch.
func (w *world) policy(edit func(map[string]any)) {
	w.t.Helper()
	state := w.State(w.t)
	tree := maps.Clone(state.Repository.Branches["main"].Tree)
	file := tree[".github/airlock/policy.json"]
	file.Content = edited(w.t, bytes.Clone(file.Content), edit)
	tree[".github/airlock/policy.json"] = file
	_, err := w.SetBranch(emulator.BranchAct{Name: "main", Tree: tree})
	w.must(err)
}
