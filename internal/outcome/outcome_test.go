package outcome

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

func decode(t *testing.T, name string, record any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "model", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := contract.Decode(data, record); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestDataModel holds the Outcomes of the two Runs to the data model's, made from their own records.
func TestDataModel(t *testing.T) {
	for _, run := range []string{"A", "B"} {
		t.Run(run, func(t *testing.T) {
			var in Input
			var facts contract.Facts
			var applied contract.Applied
			var want contract.Outcome
			var result contract.Result
			var policy contract.Policy
			var apps contract.Apps
			decode(t, run+".decision.json", &in.Decision)
			decode(t, run+".facts.json", &facts)
			decode(t, run+".task.json", &in.Task)
			decode(t, run+".result.json", &result)
			decode(t, run+".applied.json", &applied)
			decode(t, run+".outcome.json", &want)
			decode(t, "policy.json", &policy)
			decode(t, "apps.json", &apps)
			in.Class, in.Release, in.Attempt, in.Result = contract.ClassGate, applied.Release, applied.Attempt, &result
			in.Effects, in.Findings, in.Dispositions = applied.Effects, applied.Findings, applied.Dispositions
			in.Ledger, in.Siblings, in.AppliedAt = ledger.Read(facts, policy, apps, apps.Apps[0]), facts.Siblings, applied.FinishedAt

			report := Conclude(in)
			if report.Check == nil || report.Check.Name != want.Check.Name || report.Check.Commit != want.Check.Commit || report.Check.Conclusion != want.Check.Conclusion {
				t.Fatalf("check %+v, want %+v", report.Check, want.Check)
			}
			if difference := cmp.Diff(want, report.CheckWritten(*want.Check).Outcome); difference != "" {
				t.Errorf("outcome (-want +got):\n%s", difference)
			}
			if exit := map[string]int{"A": 0, "B": 1}[run]; report.ExitCode != exit {
				t.Errorf("exit code %d, want %d", report.ExitCode, exit)
			}
		})
	}
}

const (
	run   = "run-111111111111111111111111"
	old   = "run-222222222222222222222222"
	openA = old + "/f1"
)

func code(c contract.Code) *contract.Code { return &c }

func word(s string) *string { return &s }

// reviewed is a Run that completed with nothing to say: each row of the table changes one thing.
func reviewed() Input {
	return Input{
		Decision: contract.Decision{Admitted: true, Run: run, Role: "pr-review", Intent: "review-change", Commit: strings.Repeat("c", 40),
			ContentID: "sha256:" + strings.Repeat("d", 64)},
		Class:   contract.ClassGate,
		Attempt: 1,
		Result:  &contract.Result{Answer: contract.Answer{Status: contract.StatusCompleted}},
		Effects: []contract.AppliedEffect{{ID: "e1", Type: contract.SubmitReview, State: contract.StateApplied,
			ReadBack: &contract.ReadBack{Review: &contract.ReviewReadBack{}}}},
	}
}

func withOpen(in *Input) {
	in.Ledger.Findings = []ledger.Finding{{FindingMarker: ledger.FindingMarker{ID: openA}, Gates: true, Open: true}}
}

func notAdmitting(reasons ...contract.Code) func(*Input) {
	return func(in *Input) {
		in.Decision.Admitted, in.Decision.Reasons = false, reasons
		in.Result, in.Effects = nil, nil
	}
}

func endedBy(codes ...contract.Code) func(*Input) {
	return func(in *Input) { in.Ended, in.Effects = codes, nil }
}

func failedWith(reason contract.Code) func(*Input) {
	return func(in *Input) {
		in.Result.Status, in.Result.Reason, in.Effects = contract.StatusFailed, word(string(reason)), nil
	}
}

func carries(status string, omitted int) func(*Input) {
	return func(in *Input) {
		notAdmitting(contract.CodeAlreadyRan)(in)
		in.Decision.Carries = word(old)
		in.Ledger.Reviews = []ledger.Review{{ReviewMarker: ledger.ReviewMarker{Run: old, Role: "pr-review", Intent: "review-change",
			Content: strings.Repeat("d", 64), Status: status, Omitted: omitted}}}
	}
}

func both(changes ...func(*Input)) func(*Input) {
	return func(in *Input) {
		for _, change := range changes {
			change(in)
		}
	}
}

func failedEffect(reason contract.Code) func(*Input) {
	return func(in *Input) {
		in.Effects = append(in.Effects, contract.AppliedEffect{ID: "e2", Type: contract.ReplyThread, State: contract.StateFailed, Reason: code(reason)},
			contract.AppliedEffect{ID: "e3", Type: contract.ReplyThread, State: contract.StateNotAttempted})
	}
}

func leaves(kind string, files int) func(*Input) {
	return func(in *Input) { in.Task.Omitted = append(in.Task.Omitted, contract.Omitted{Kind: kind, Files: files}) }
}

func sibling(conclusion *string) func(*Input) {
	return func(in *Input) {
		in.Siblings = append(in.Siblings, contract.Sibling{Number: 13, Conclusion: conclusion})
	}
}

// TestOutcomeTable has the rows of the design's end table, and what they leave to be read out of them.
func TestOutcomeTable(t *testing.T) {
	const none = ""
	for _, c := range []struct {
		name                      string
		change                    func(*Input)
		status, fault, conclusion string
		exit                      int
		reasons                   []contract.Code
	}{
		{"completed, nothing omitted or opaque, none open", func(*Input) {}, "completed", "none", "success", 0, nil},
		{"completed by an earlier attempt", func(in *Input) { in.Effects[0].State = contract.StateAlreadyApplied }, "completed", "none", "success", 0, nil},
		{"completed, gating Findings open", withOpen, "completed", "none", "failure", 0, []contract.Code{"gating_findings_open"}},
		{"completed, files omitted", leaves(contract.OmittedDiff, 2), "completed", "none", "action_required", 0, []contract.Code{"files_omitted"}},
		{"completed, files opaque", leaves(contract.OmittedOpaque, 1), "completed", "none", "action_required", 0, []contract.Code{"files_opaque"}},
		{"completed, files omitted and opaque, some open", both(leaves(contract.OmittedOpaque, 1), leaves(contract.OmittedDiff, 2), withOpen), "completed", "none", "failure", 0,
			[]contract.Code{"gating_findings_open", "files_omitted", "files_opaque"}},
		{"completed, only excluded paths and comments left out", both(leaves(contract.OmittedDiffExcluded, 9), leaves(contract.OmittedComment, 0)), "completed", "none", "success", 0, nil},
		{"completed, a sibling unreviewed", sibling(nil), "completed", "none", "action_required", 0, []contract.Code{"sibling_unreviewed"}},
		{"completed, a sibling not green", sibling(word("failure")), "completed", "none", "action_required", 0, []contract.Code{"sibling_unreviewed"}},
		{"completed, one sibling green and one not", both(sibling(word("success")), sibling(word("action_required"))), "completed", "none", "action_required", 0, []contract.Code{"sibling_unreviewed"}},
		{"completed, every sibling green", both(sibling(word("success")), sibling(word("success"))), "completed", "none", "success", 0, nil},
		{"completed, re-encoded", func(in *Input) { in.Reencoded = true }, "completed", "none", "success", 0, []contract.Code{"content_reencoded"}},

		{"Result incomplete", func(in *Input) {
			in.Result.Status, in.Result.Reason = contract.StatusIncomplete, word("change_too_large")
		}, "incomplete", "item", "action_required", 0, []contract.Code{"change_too_large"}},
		{"Result incomplete, some open", both(func(in *Input) {
			in.Result.Status, in.Result.Reason = contract.StatusIncomplete, word("context_missing")
		}, withOpen), "incomplete", "item", "failure", 0, []contract.Code{"context_missing", "gating_findings_open"}},

		{"the model refused", func(in *Input) {
			in.Result.Status, in.Result.Reason, in.Effects = contract.StatusRefused, word("declined_unsafe"), nil
		}, "refused", "item", "action_required", 0, []contract.Code{"declined_unsafe"}},
		{"the model refused, some open", both(func(in *Input) {
			in.Result.Status, in.Result.Reason, in.Effects = contract.StatusRefused, word("declined_unsafe"), nil
		}, withOpen), "refused", "item", "action_required", 0, []contract.Code{"declined_unsafe", "gating_findings_open"}},
		{"the vendor stopped the answer", failedWith(contract.CodeModelRefused), "refused", "item", "action_required", 0, []contract.Code{"model_refused"}},

		{"Result failed, by the engine", failedWith(contract.CodeEngineTimeout), "failed", "engine", "action_required", 1, []contract.Code{"engine_timeout"}},
		{"Result failed, by configuration", failedWith(contract.CodeEngineVersion), "failed", "configuration", "action_required", 1, []contract.Code{"engine_version"}},
		{"Result failed, the answer not valid", failedWith(contract.CodeResultInvalid), "failed", "engine", "action_required", 1, []contract.Code{"result_invalid"}},
		{"Result failed, the Task too long", failedWith(contract.CodeEngineTaskTooLong), "failed", "engine", "action_required", 1, []contract.Code{"engine_task_too_long"}},
		{"Result failed for a reason of no list", func(in *Input) { failedWith("x")(in) }, "failed", "engine", "action_required", 1, []contract.Code{"engine_other"}},
		{"no Result", both(endedBy(contract.CodeArtifactMissing), func(in *Input) { in.Result = nil }), "failed", "engine", "action_required", 1, []contract.Code{"artifact_missing"}},
		{"no Result, and nobody says why", func(in *Input) { in.Result, in.Effects = nil, nil }, "failed", "engine", "action_required", 1, []contract.Code{"artifact_missing"}},
		{"an artifact of another digest", both(endedBy(contract.CodeArtifactDigest), func(in *Input) { in.Result = nil }), "failed", "engine", "action_required", 1, []contract.Code{"artifact_digest"}},

		{"a refusal", endedBy(contract.CodeFindingUnposted), "refused", "item", "action_required", 1, []contract.Code{"finding_unposted"}},

		{"not admitted: draft", notAdmitting(contract.CodeItemDraft), "not_admitted", "item", "action_required", 0, []contract.Code{"item_draft"}},
		{"not admitted: held", notAdmitting(contract.CodeItemHeld), "not_admitted", "item", "action_required", 0, []contract.Code{"item_held"}},
		{"not admitted: locked", notAdmitting(contract.CodeItemLocked), "not_admitted", "item", "action_required", 0, []contract.Code{"item_locked"}},
		{"not admitted: paused", notAdmitting(contract.CodeFactoryPaused), "not_admitted", "item", "action_required", 0, []contract.Code{"factory_paused"}},
		{"not admitted: approval", notAdmitting(contract.CodeAuthorNeedsApproval), "not_admitted", "item", "action_required", 0, []contract.Code{"author_needs_approval"}},
		{"not admitted: content absent", notAdmitting(contract.CodeContentAbsent), "not_admitted", "item", "action_required", 0, []contract.Code{"content_absent"}},
		{"not admitted: content not text", notAdmitting(contract.CodeContentNotText), "not_admitted", "item", "action_required", 0, []contract.Code{"content_not_text"}},
		{"not admitted: content too large", notAdmitting(contract.CodeContentTooLarge), "not_admitted", "item", "action_required", 0, []contract.Code{"content_too_large"}},
		{"not admitted: budget of the item", notAdmitting(contract.CodeBudgetItem), "not_admitted", "item", "action_required", 0, []contract.Code{"budget_item"}},
		{"not admitted: budget of the repository", notAdmitting(contract.CodeBudgetRepository), "not_admitted", "item", "action_required", 0, []contract.Code{"budget_repository"}},
		{"not admitted: evals", notAdmitting(contract.CodeEvalsMissing), "not_admitted", "configuration", "action_required", 1, []contract.Code{"evals_missing"}},
		{"not admitted: intent", notAdmitting(contract.CodeIntentUnknown), "not_admitted", "configuration", "action_required", 1, []contract.Code{"intent_unknown"}},
		{"not admitted: facts", notAdmitting(contract.CodeFactsIncomplete), "not_admitted", "platform", "action_required", 1, []contract.Code{"facts_incomplete"}},
		{"not admitted: closed", notAdmitting(contract.CodeItemClosed), "not_admitted", "none", none, 0, []contract.Code{"item_closed"}},
		{"not admitted: own event", notAdmitting(contract.CodeOwnEvent), "not_admitted", "none", none, 0, []contract.Code{"own_event"}},
		{"not admitted: in flight", notAdmitting(contract.CodeRunInFlight), "not_admitted", "none", none, 0, []contract.Code{"run_in_flight"}},
		{"not admitted: the first reason decides", notAdmitting(contract.CodeItemDraft, contract.CodeAlreadyRan), "not_admitted", "item", "action_required", 0, []contract.Code{"item_draft", "already_ran"}},
		{"not admitted: closed before all else", notAdmitting(contract.CodeItemClosed, contract.CodeItemDraft), "not_admitted", "none", none, 0, []contract.Code{"item_closed", "item_draft"}},

		{"already ran", carries("completed", 0), "not_admitted", "none", "success", 0, []contract.Code{"already_ran", "carried"}},
		{"already ran, some open now", both(carries("completed", 0), withOpen), "not_admitted", "none", "failure", 0, []contract.Code{"already_ran", "gating_findings_open", "carried"}},
		{"already ran, not the whole change", carries("completed", 3), "not_admitted", "none", "action_required", 0, []contract.Code{"already_ran", "files_omitted", "carried"}},
		{"already ran, not to its end", carries("incomplete", 0), "not_admitted", "none", "action_required", 0, []contract.Code{"already_ran", "carried"}},
		{"already ran, a sibling unreviewed", both(carries("completed", 0), sibling(nil)), "not_admitted", "none", "action_required", 0, []contract.Code{"already_ran", "sibling_unreviewed", "carried"}},
		{"already ran, the review is gone", both(carries("completed", 0), func(in *Input) { in.Ledger = ledger.Ledger{} }), "not_admitted", "none", "action_required", 0, []contract.Code{"already_ran"}},
		{"already ran, the review was edited", both(carries("completed", 0), func(in *Input) { in.Ledger.Reviews[0].Edited = true }), "not_admitted", "none", "action_required", 0, []contract.Code{"already_ran"}},
		{"already ran, the review is of other content", both(carries("completed", 0), func(in *Input) { in.Ledger.Reviews[0].Content = strings.Repeat("e", 64) }), "not_admitted", "none", "action_required", 0, []contract.Code{"already_ran"}},
		{"already ran, the review is of another Run", both(carries("completed", 0), func(in *Input) { in.Ledger.Reviews[0].Run = run }), "not_admitted", "none", "action_required", 0, []contract.Code{"already_ran"}},
		{"already ran, the review is of another Role", both(carries("completed", 0), func(in *Input) { in.Ledger.Reviews[0].Role = "other" }), "not_admitted", "none", "action_required", 0, []contract.Code{"already_ran"}},
		{"already ran, the review is of another Intent", both(carries("completed", 0), func(in *Input) { in.Ledger.Reviews[0].Intent = "other" }), "not_admitted", "none", "action_required", 0, []contract.Code{"already_ran"}},
		{"already ran, and held since", both(carries("completed", 0), func(in *Input) {
			in.Decision.Admitted, in.Ended = true, []contract.Code{contract.CodeSupersededHeld}
		}), "superseded", "superseded", "action_required", 0, []contract.Code{"superseded_held"}},
		{"already ran, and nothing is carried", both(carries("completed", 0), func(in *Input) { in.Decision.Carries = nil }), "not_admitted", "none", "action_required", 0, []contract.Code{"already_ran"}},

		{"superseded: held", endedBy(contract.CodeSupersededHeld), "superseded", "superseded", "action_required", 0, []contract.Code{"superseded_held"}},
		{"superseded: paused", endedBy(contract.CodeSupersededPaused), "superseded", "superseded", "action_required", 0, []contract.Code{"superseded_paused"}},
		{"superseded: draft", endedBy(contract.CodeSupersededDraft), "superseded", "superseded", "action_required", 0, []contract.Code{"superseded_draft"}},
		{"superseded: closed", endedBy(contract.CodeSupersededClosed), "superseded", "superseded", none, 0, []contract.Code{"superseded_closed"}},
		{"superseded: changed", endedBy(contract.CodeSupersededChanged), "superseded", "superseded", none, 0, []contract.Code{"superseded_changed"}},
		{"superseded: reviewed", endedBy(contract.CodeSupersededReviewed), "superseded", "superseded", none, 0, []contract.Code{"superseded_reviewed"}},
		{"superseded: held between two Effects", func(in *Input) {
			in.Ended = []contract.Code{contract.CodeSupersededHeld}
			in.Effects = append(in.Effects, contract.AppliedEffect{ID: "e2", State: contract.StateNotAttempted, Reason: code(contract.CodeSupersededHeld)})
		}, "superseded", "superseded", "action_required", 0, []contract.Code{"superseded_held"}},
		{"not admitted any more: approval", endedBy(contract.CodeNotAdmitted, contract.CodeAuthorNeedsApproval), "not_admitted", "item", "action_required", 0, []contract.Code{"not_admitted", "author_needs_approval"}},
		{"not admitted any more: facts", endedBy(contract.CodeNotAdmitted, contract.CodeFactsIncomplete), "not_admitted", "platform", "action_required", 1, []contract.Code{"not_admitted", "facts_incomplete"}},

		{"the fresh facts could not be read", endedBy(contract.CodeFactsIncomplete), "not_admitted", "platform", "action_required", 1, []contract.Code{"facts_incomplete"}},

		{"an Effect failed", failedEffect(contract.CodePlatformError), "failed", "platform", "action_required", 1, []contract.Code{"platform_error"}},
		{"an Effect unknown, some open", both(failedEffect(contract.CodeEffectUnknown), withOpen), "failed", "platform", "failure", 1, []contract.Code{"effect_unknown", "gating_findings_open"}},
		{"the only Effect failed", func(in *Input) { in.Effects = nil; failedEffect(contract.CodeEffectRejected)(in) }, "failed", "platform", "action_required", 1, []contract.Code{"effect_rejected"}},
		{"an Effect the App may not", func(in *Input) {
			in.Effects = append(in.Effects, contract.AppliedEffect{ID: "e2", State: contract.StateRefused, Reason: code(contract.CodeIdentityCeiling)})
		}, "failed", "configuration", "action_required", 1, []contract.Code{"identity_ceiling"}},
		{"an Effect failed without a reason", func(in *Input) {
			in.Effects[0].State, in.Effects[0].ReadBack = contract.StateFailed, nil
		}, "failed", "platform", "action_required", 1, []contract.Code{"platform_error"}},
		{"written, and not read back", func(in *Input) { in.Effects[0].ReadBack = nil }, "failed", "platform", "action_required", 1, []contract.Code{"readback_mismatch"}},
		{"a Finding that was not read back", func(in *Input) { in.Result.Findings = []contract.RawFinding{{ID: "f1"}} }, "failed", "platform", "action_required", 1, []contract.Code{"readback_mismatch"}},
		{"one of two Findings not read back", func(in *Input) {
			in.Result.Findings = []contract.RawFinding{{ID: "f1"}, {ID: "f2"}}
			in.Findings = []contract.Finding{{ID: run + "/f1", Gates: true}}
		}, "failed", "platform", "failure", 1, []contract.Code{"readback_mismatch", "gating_findings_open"}},
		{"every Finding read back, one as one that was open", func(in *Input) {
			in.Result.Findings = []contract.RawFinding{{ID: "f1"}, {ID: "f2"}}
			in.Findings = []contract.Finding{{ID: run + "/f1"}, {ID: openA, Placement: contract.PlacementAlreadyOpen}}
		}, "completed", "none", "success", 0, []contract.Code{"already_open"}},
		{"nought of none", func(in *Input) { in.Effects = nil }, "failed", "platform", "action_required", 1, []contract.Code{"effect_unknown"}},
		{"a reply and no review", func(in *Input) { in.Effects[0].ReadBack = &contract.ReadBack{Reply: &contract.ReplyReadBack{}} }, "failed", "platform", "action_required", 1, []contract.Code{"effect_unknown"}},
		{"incomplete, and nothing posted", func(in *Input) {
			in.Result.Status, in.Effects = contract.StatusIncomplete, nil
		}, "failed", "platform", "action_required", 1, []contract.Code{"effect_unknown"}},
		{"a code that is on no list", endedBy("unknown"), "failed", "platform", "action_required", 1, []contract.Code{"unknown"}},
		{"the token was not minted", endedBy(contract.CodeIdentityRefused), "failed", "configuration", "action_required", 1, []contract.Code{"identity_refused"}},
		{"the token was not minted, some open", both(endedBy(contract.CodeIdentityMismatch), withOpen), "failed", "platform", "failure", 1, []contract.Code{"identity_mismatch", "gating_findings_open"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, class := range []string{contract.ClassGate, contract.ClassAdvice, ""} {
				in := reviewed()
				c.change(&in)
				in.Class = class
				want := c.conclusion
				if class == contract.ClassAdvice && want != none && want != contract.ConclusionSuccess {
					want = contract.ConclusionNeutral
				}
				report := Conclude(in)
				got := none
				if report.Outcome.Conclusion != nil {
					got = *report.Outcome.Conclusion
				}
				o := report.Outcome
				if o.Status != c.status || o.Fault != c.fault || got != want || report.ExitCode != c.exit {
					t.Errorf("class %q: %s, %s, %q, %d; want %s, %s, %q, %d", class, o.Status, o.Fault, got, report.ExitCode, c.status, c.fault, want, c.exit)
				}
				if !slices.Equal(o.Reasons, c.reasons) {
					t.Errorf("class %q: reasons %v, want %v", class, o.Reasons, c.reasons)
				}
				if (report.Check == nil) != (got == none) || report.Check != nil && report.Check.Conclusion != got {
					t.Errorf("class %q: check %+v with conclusion %q", class, report.Check, got)
				}
				if report.Check != nil && (len(report.Check.Title) > maxTitleBytes || report.Check.Title == "" || len(report.Check.Summary) > 60_000) {
					t.Errorf("class %q: title %q, summary of %d bytes", class, report.Check.Title, len(report.Check.Summary))
				}
				if _, err := contract.Canonical(o); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestGatingOpen holds which Findings are open: what was read, less what was accepted since, and what was posted since.
func TestGatingOpen(t *testing.T) {
	read := ledger.Ledger{Findings: []ledger.Finding{
		{FindingMarker: ledger.FindingMarker{ID: "a"}, Gates: true, Open: true},
		{FindingMarker: ledger.FindingMarker{ID: "closed"}, Gates: true},
		{FindingMarker: ledger.FindingMarker{ID: "minor"}, Open: true},
		{FindingMarker: ledger.FindingMarker{ID: "b"}, Gates: true, Open: true},
		{FindingMarker: ledger.FindingMarker{ID: "rejected"}, Gates: true, Open: true},
		{FindingMarker: ledger.FindingMarker{ID: "claimed"}, Gates: true, Open: true},
	}}
	findings := []contract.Finding{{ID: "new", Gates: true}, {ID: "new minor"}, {ID: "closed", Gates: true}, {ID: "a", Gates: true}, {ID: "new", Gates: true}}
	dispositions := []contract.AppliedDisposition{
		{Finding: "b", Half: contract.HalfReviewer, Verdict: contract.VerdictAccepted},
		{Finding: "b", Half: contract.HalfAuthor, Verdict: contract.VerdictFixed},
		{Finding: "rejected", Half: contract.HalfReviewer, Verdict: contract.VerdictRejected},
		{Finding: "claimed", Half: contract.HalfAuthor, Verdict: contract.VerdictFixed}}
	if got, want := GatingOpen(read, findings, dispositions), []string{"a", "rejected", "claimed", "new"}; !slices.Equal(got, want) {
		t.Errorf("open %v, want %v", got, want)
	}
	if got := GatingOpen(ledger.Ledger{}, nil, nil); got == nil {
		t.Error("nil, where a record needs a list")
	}
}

// TestCheckFailed holds that a Run whose check did not reach the commit failed.
func TestCheckFailed(t *testing.T) {
	report := Conclude(reviewed()).CheckFailed(contract.CodePermissionDenied)
	o := report.Outcome
	if o.Status != contract.StatusFailed || o.Fault != contract.FaultPlatform || o.Conclusion != nil || o.Check != nil || report.ExitCode != 1 ||
		!slices.Equal(o.Reasons, []contract.Code{contract.CodePermissionDenied}) {
		t.Errorf("%+v, exit code %d", o, report.ExitCode)
	}
}

// TestTitles holds the words of the check's title.
func TestTitles(t *testing.T) {
	for _, c := range []struct {
		change func(*Input)
		want   string
	}{
		{func(*Input) {}, "Reviewed; nothing that gates is open"},
		{withOpen, "1 finding that gates is open"},
		{func(in *Input) { withOpen(in); in.Findings = []contract.Finding{{ID: "x", Gates: true}} }, "2 findings that gate are open"},
		{notAdmitting(contract.CodeItemHeld), "The item is held by the hold label or a maintainer's /hold (item_held)"},
		{endedBy(contract.CodeNotAdmitted, contract.CodeItemLocked), "The conversation is locked, so nothing may be written to it (item_locked)"},
		{carries("completed", 1), "Files were left out over the budget (files_omitted)"},
		{endedBy(contract.CodeTextSecret), "A text holds the shape of a credential that the diff does not hold (text_secret)"},
	} {
		in := reviewed()
		c.change(&in)
		if got := Conclude(in).Check.Title; got != c.want {
			t.Errorf("title %q, want %q", got, c.want)
		}
	}
	for _, reason := range contract.Reasons() {
		if len(reason.Sentence)+len(reason.Code)+3 > maxTitleBytes {
			t.Errorf("%s: its sentence does not fit a title", reason.Code)
		}
	}
}

// TestSummary holds the bound of the check's summary, and that no text of a model or a stranger is in it.
func TestSummary(t *testing.T) {
	in := reviewed()
	path := untrusted.New("a`b|\n@everyone")
	line := 3
	for i := range 5000 {
		in.Findings = append(in.Findings, contract.Finding{ID: run + "/f" + strconv.Itoa(i), Gates: true,
			Severity: "major", Category: "correctness", Placement: "line", Path: &path, Line: &line, Body: untrusted.New("MODEL TEXT")})
	}
	leaves(contract.OmittedDiff, 2)(&in)
	got := Conclude(in).Check.Summary
	if len(got) > 60_000 || !strings.Contains(got, "- and 4900 more") || !strings.Contains(got, "changed files over the budget: 2 files, 0 texts, 0 characters") {
		t.Errorf("summary of %d bytes:\n%s", len(got), got)
	}
	if strings.Contains(got, "MODEL TEXT") || strings.Contains(got, "everyone") {
		t.Errorf("the summary holds a text of others:\n%s", got)
	}
}

// TestOwn holds the conclusion that a check carries for its siblings: what they are does not lower it, all else does.
func TestOwn(t *testing.T) {
	for _, c := range []struct {
		name            string
		change          func(*Input)
		conclusion, own string
		advised         string // own, for an Intent that advises
	}{
		{"nothing to say", func(*Input) {}, "success", "success", "success"},
		{"a sibling without a check", sibling(nil), "action_required", "success", "success"},
		{"a sibling that failed", sibling(word("failure")), "action_required", "success", "success"},
		{"a green sibling", sibling(word("success")), "success", "success", "success"},
		{"open, and a sibling", both(withOpen, sibling(nil)), "failure", "failure", "neutral"},
		{"left out, and a sibling", both(leaves(contract.OmittedDiff, 1), sibling(nil)), "action_required", "action_required", "neutral"},
		{"opaque, and a sibling", both(leaves(contract.OmittedOpaque, 1), sibling(nil)), "action_required", "action_required", "neutral"},
		{"incomplete, and a green sibling", both(func(in *Input) { in.Result.Status = contract.StatusIncomplete }, sibling(word("success"))), "action_required", "action_required", "neutral"},
		{"refused", func(in *Input) { in.Result.Status = contract.StatusRefused }, "action_required", "action_required", "neutral"},
		{"an Effect failed, and a sibling", both(failedEffect(contract.CodePlatformError), sibling(nil)), "action_required", "action_required", "neutral"},
		{"not admitted", notAdmitting(contract.CodeItemDraft), "action_required", "action_required", "neutral"},
		{"carried, and a sibling", both(carries("completed", 0), sibling(nil)), "action_required", "success", "success"},
		{"carried, left out", carries("completed", 1), "action_required", "action_required", "neutral"},
		{"carried, the review is gone", both(carries("completed", 0), func(in *Input) { in.Ledger = ledger.Ledger{} }), "action_required", "action_required", "neutral"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := reviewed()
			c.change(&in)
			if check := Conclude(in).Check; check.Conclusion != c.conclusion || check.Own != c.own {
				t.Errorf("%s, own %s; want %s, own %s", check.Conclusion, check.Own, c.conclusion, c.own)
			}
			in.Class = contract.ClassAdvice
			if check := Conclude(in).Check; check.Own != c.advised {
				t.Errorf("advice: own %s, want %s", check.Own, c.advised)
			}
		})
	}
}

// TestSiblingsDoNotWaitForEachOther plays two pull requests of one head commit, each reviewed with nothing to say: the second
// Run sees what the first one's check says of itself, and the commit is green without another event.
func TestSiblingsDoNotWaitForEachOther(t *testing.T) {
	first := reviewed()
	first.Siblings = []contract.Sibling{{Number: 2}}
	written := Conclude(first).Check
	if written.Conclusion != contract.ConclusionActionRequired {
		t.Fatalf("the first is %s before anybody reviewed the second", written.Conclusion)
	}
	second := reviewed()
	second.Siblings = []contract.Sibling{{Number: 1, Conclusion: &written.Own}}
	if got := Conclude(second).Check.Conclusion; got != contract.ConclusionSuccess {
		t.Errorf("the second is %s, though both were reviewed", got)
	}
	withOpen(&first)
	second.Siblings[0].Conclusion = &Conclude(first).Check.Own
	if got := Conclude(second).Check.Conclusion; got != contract.ConclusionActionRequired {
		t.Errorf("the second is %s, though Findings of the first are open", got)
	}
}
