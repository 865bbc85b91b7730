package kernel

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

const (
	maintainer = 1000001
	outsider   = 2000002
	advisor    = 3000003
	bot        = 190000001
	ownRun     = 17000000001
)

// ruleCases are mutations of Run A's input, in which no rule holds.
type ruleCases struct {
	// trips must give the rule's code and no other.
	trips map[string]func(*Input)
	// misses come close and must not give the code.
	misses map[string]func(*Input)
}

func TestKernel(t *testing.T) {
	tables := cases()
	for _, code := range contract.CodesOf(contract.StageKernel) {
		t.Run(string(code), func(t *testing.T) {
			table := tables[code]
			if len(table.trips) == 0 || len(table.misses) == 0 {
				t.Fatal("the code has no case that trips it, or no near miss")
			}
			for name, mutate := range table.trips {
				in, _ := modelInput(t, "A")
				mutate(&in)
				if difference := cmp.Diff([]contract.Code{code}, Reasons(in)); difference != "" {
					t.Errorf("%s (-want +got):\n%s", name, difference)
				}
			}
			for name, mutate := range table.misses {
				in, _ := modelInput(t, "A")
				mutate(&in)
				if got := Reasons(in); slices.Contains(got, code) {
					t.Errorf("%s: trips, %v", name, got)
				}
			}
		})
	}
	if len(tables) != len(contract.CodesOf(contract.StageKernel)) {
		t.Error("there are cases of codes that the Kernel does not have")
	}
}

func TestRulesAreTheReasonListInItsOrder(t *testing.T) {
	var codes []contract.Code
	for _, r := range rules() {
		codes = append(codes, r.code)
	}
	if difference := cmp.Diff(contract.CodesOf(contract.StageKernel), codes); difference != "" {
		t.Errorf("(-list +rules):\n%s", difference)
	}
}

func cases() map[contract.Code]ruleCases {
	none := func(*Input) {}
	return map[contract.Code]ruleCases{
		contract.CodeFactsIncomplete: {
			trips: map[string]func(*Input){
				"comments": func(in *Input) { in.Facts.Parts.Comments.Complete = false },
				"content":  func(in *Input) { in.Facts.Parts.Content.Complete = false },
				"item":     func(in *Input) { in.Facts.Parts.Item.Complete = false },
				"labels":   func(in *Input) { in.Facts.Parts.Labels.Complete = false },
				"records":  func(in *Input) { in.Facts.Parts.Records.Complete = false },
				"reviews":  func(in *Input) { in.Facts.Parts.Reviews.Complete = false },
				"threads":  func(in *Input) { in.Facts.Parts.Threads.Complete = false },
			},
			misses: map[string]func(*Input){"whole": none, "whole and empty": func(in *Input) { in.Facts.Parts.Threads.Count = 0 }},
		},
		contract.CodeItemClosed: {
			trips: map[string]func(*Input){
				"closed":        func(in *Input) { in.Facts.Item.State = "closed" },
				"unknown state": func(in *Input) { in.Facts.Item.State = "merged" },
			},
			misses: map[string]func(*Input){"open": none},
		},
		contract.CodeItemDraft: {
			trips:  map[string]func(*Input){"draft": func(in *Input) { in.Facts.Item.Draft = true }},
			misses: map[string]func(*Input){"ready": none, "titled a draft": func(in *Input) { in.Facts.Item.Title = untrusted.New("[draft] x") }},
		},
		contract.CodeItemHeld: {
			trips: map[string]func(*Input){
				"label":                     labels("airlock:approved", "airlock:hold"),
				"label in another case":     labels("airlock:approved", "Airlock:HOLD"),
				"command":                   comments(said(maintainer, "10:04:00", "/hold")),
				"command with a reason":     comments(said(maintainer, "10:04:00", "/hold until Monday\nmore")),
				"command before a tab":      comments(said(maintainer, "10:04:00", "/hold\tuntil Monday")),
				"command after blanks":      comments(said(maintainer, "10:04:00", "  /hold \r\nmore")),
				"released, held again":      comments(said(maintainer, "10:04:00", "/hold"), said(maintainer, "10:04:01", "/unhold"), said(maintainer, "10:04:02", "/hold")),
				"newest is by time":         comments(said(maintainer, "10:04:02", "/hold"), said(maintainer, "10:04:01", "/unhold")),
				"same second, later one":    comments(said(maintainer, "10:04:00", "/unhold"), said(maintainer, "10:04:00", "/hold")),
				"an outsider releases":      comments(said(maintainer, "10:04:00", "/hold"), said(outsider, "10:04:01", "/unhold")),
				"an advisor releases":       comments(said(maintainer, "10:04:00", "/hold"), said(advisor, "10:04:01", "/unhold")),
				"the release was edited":    comments(said(maintainer, "10:04:00", "/hold"), edited(said(maintainer, "10:04:01", "/unhold"))),
				"the label is not released": and(labels("airlock:approved", "airlock:hold"), comments(said(maintainer, "10:04:00", "/unhold"))),
			},
			misses: map[string]func(*Input){
				"another label":      labels("airlock:approved", "airlock:hold-on", "hold"),
				"an outsider":        comments(said(outsider, "10:04:00", "/hold")),
				"an advisor":         comments(said(advisor, "10:04:00", "/hold")),
				"our App":            comments(said(bot, "10:04:00", "/hold")),
				"nobody":             comments(said(0, "10:04:00", "/hold")),
				"edited":             comments(edited(said(maintainer, "10:04:00", "/hold"))),
				"released":           comments(said(maintainer, "10:04:00", "/hold"), said(maintainer, "10:04:01", "/unhold now")),
				"released in time":   comments(said(maintainer, "10:04:02", "/unhold"), said(maintainer, "10:04:01", "/hold")),
				"quoted":             comments(said(maintainer, "10:04:00", "> /hold\n\nno")),
				"on the second line": comments(said(maintainer, "10:04:00", "see\n/hold")),
				"in a sentence":      comments(said(maintainer, "10:04:00", "shall we /hold")),
				"another word":       comments(said(maintainer, "10:04:00", "/holding")),
				"another case":       comments(said(maintainer, "10:04:00", "/HOLD")),
				"empty":              comments(said(maintainer, "10:04:00", "")),
			},
		},
		contract.CodeItemLocked: {
			trips:  map[string]func(*Input){"locked": func(in *Input) { in.Facts.Item.Locked = true }},
			misses: map[string]func(*Input){"open conversation": none},
		},
		contract.CodeFactoryPaused: {
			trips: map[string]func(*Input){
				"reason":       func(in *Input) { in.Policy.Paused = pointer("credential rotation") },
				"empty reason": func(in *Input) { in.Policy.Paused = pointer("") },
			},
			misses: map[string]func(*Input){"null": none},
		},
		contract.CodeOwnEvent: {
			trips: map[string]func(*Input){
				"our bot": func(in *Input) { in.Asked.SenderID = bot },
				"another App of ours": func(in *Input) {
					in.Apps.Apps = append(in.Apps.Apps, contract.App{Name: "author", BotUserID: 190000002})
					in.Asked.SenderID = 190000002
				},
				"our bot, listed as a maintainer": func(in *Input) { in.Policy.Maintainers = []int64{maintainer, bot}; in.Asked.SenderID = bot },
			},
			misses: map[string]func(*Input){
				"a maintainer":                none,
				"another bot":                 func(in *Input) { in.Asked.SenderID = 190000003 },
				"the App's id":                func(in *Input) { in.Asked.SenderID = 900001 },
				"digits of ours among others": func(in *Input) { in.Asked.SenderID = 1900000019 },
				"nobody, and an App without a user": func(in *Input) {
					in.Apps.Apps = append(in.Apps.Apps, contract.App{Name: "new"})
					in.Asked.SenderID = 0
				},
			},
		},
		contract.CodeContentAbsent: {
			trips: map[string]func(*Input){"absent": func(in *Input) { in.Facts.Content = contract.Content{State: contract.ContentAbsent} }},
			misses: map[string]func(*Input){
				"text":     none,
				"not text": func(in *Input) { in.Facts.Content.State = contract.ContentNotText },
			},
		},
		contract.CodeContentNotText: {
			trips: map[string]func(*Input){
				"not text":                          func(in *Input) { in.Facts.Content.State = contract.ContentNotText },
				"no file is shown":                  func(in *Input) { in.Facts.Content.Files[0].Visible, in.Facts.Content.Files[1].Visible = false, false },
				"no file at all":                    func(in *Input) { in.Facts.Content.Files = nil },
				"every file is excluded":            excludes("internal/**"),
				"what is not excluded is not shown": and(excludes("internal/store/**"), func(in *Input) { in.Facts.Content.Files[1].Visible = false }),
				"moved within what is excluded": and(excludes("internal/**"), func(in *Input) {
					in.Facts.Content.Files[0].PreviousPath = pointer(untrusted.New("internal/old.go"))
				}),
			},
			misses: map[string]func(*Input){
				"one file is excluded": excludes("internal/store/**"),
				"moved into what is excluded": and(excludes("internal/**"), func(in *Input) {
					in.Facts.Content.Files[0].PreviousPath = pointer(untrusted.New("query.go"))
				}),
				"one file is shown": func(in *Input) { in.Facts.Content.Files[0].Visible = false },
				"absent":            func(in *Input) { in.Facts.Content = contract.Content{State: contract.ContentAbsent} },
				"too large to see":  func(in *Input) { in.Facts.Content = contract.Content{State: contract.ContentTooLarge} },
			},
		},
		contract.CodeContentTooLarge: {
			trips: map[string]func(*Input){
				"for GitHub": func(in *Input) { in.Facts.Content.State = contract.ContentTooLarge },
				"bytes":      func(in *Input) { in.Facts.Content.Bytes = 3000001 },
				"files":      func(in *Input) { in.Policy.Content.Files = 1 },
			},
			misses: map[string]func(*Input){
				"as many bytes": func(in *Input) { in.Facts.Content.Bytes = 3000000 },
				"as many files": func(in *Input) { in.Policy.Content.Files = 2 },
			},
		},
		contract.CodeAuthorNeedsApproval: {
			trips: map[string]func(*Input){
				"no label":                     labels(),
				"another label":                labels("approved"),
				"no event of the label":        func(in *Input) { in.Facts.LabelEvents = nil },
				"an event of another label":    events(labeled(maintainer, "10:05:00", "labeled", "other")),
				"set by an outsider":           events(labeled(outsider, "10:05:00", "labeled", "airlock:approved")),
				"set by an advisor":            events(labeled(advisor, "10:05:00", "labeled", "airlock:approved")),
				"set by our App":               and(events(labeled(bot, "10:05:00", "labeled", "airlock:approved")), func(in *Input) { in.Policy.Maintainers = []int64{maintainer, bot} }),
				"set by a deleted account":     events(labeled(0, "10:05:00", "labeled", "airlock:approved")),
				"set before the push":          events(labeled(maintainer, "09:59:59", "labeled", "airlock:approved")),
				"set in the second of it":      events(labeled(maintainer, "10:00:00", "labeled", "airlock:approved")),
				"set again by an outsider":     events(labeled(maintainer, "10:05:00", "labeled", "airlock:approved"), labeled(outsider, "10:06:00", "labeled", "airlock:approved")),
				"last event is a removal":      events(labeled(maintainer, "10:05:00", "labeled", "airlock:approved"), labeled(maintainer, "10:06:00", "unlabeled", "airlock:approved")),
				"a removal in the same second": events(labeled(maintainer, "10:05:00", "labeled", "airlock:approved"), labeled(maintainer, "10:05:00", "unlabeled", "airlock:approved")),
				"only a removal":               events(labeled(maintainer, "10:05:00", "unlabeled", "airlock:approved")),
				"push time unknown":            func(in *Input) { in.Facts.Head.PushedAt = nil },
				"head repository gone": func(in *Input) {
					in.Facts.Head.RepositoryID, in.Facts.Head.OwnerID, in.Facts.Head.PushedAt = nil, nil, nil
				},
				"a maintainer, head gone": and(author(maintainer), unapproved, func(in *Input) {
					in.Facts.Head.RepositoryID, in.Facts.Head.OwnerID, in.Facts.Head.PushedAt = nil, nil, nil
				}),
				"a maintainer, stranger's head": and(author(maintainer), unapproved),
				"an outsider, our repository":   and(unapproved, func(in *Input) { in.Facts.Head.RepositoryID = pointer(in.Facts.Repository.ID) }),
				"an outsider, exempt head":      and(unapproved, func(in *Input) { in.Facts.Head.OwnerID = pointer[int64](maintainer) }),
				"a deleted account": and(author(0), unapproved, func(in *Input) {
					in.Policy.Approval.Exempt = []int64{0}
					in.Facts.Head.RepositoryID = pointer(in.Facts.Repository.ID)
				}),
				"unknown value of the policy": and(unapproved, func(in *Input) { in.Policy.Approval.Outside = "" }),
			},
			misses: map[string]func(*Input){
				"approved":                      none,
				"approved in another case":      and(labels("Airlock:Approved"), events(labeled(maintainer, "10:05:00", "labeled", "AIRLOCK:approved"))),
				"set again by a maintainer":     events(labeled(outsider, "10:05:00", "labeled", "airlock:approved"), labeled(maintainer, "10:06:00", "labeled", "airlock:approved")),
				"removed and set in one second": events(labeled(maintainer, "10:05:00", "unlabeled", "airlock:approved"), labeled(maintainer, "10:05:00", "labeled", "airlock:approved")),
				"a second after the push":       events(labeled(maintainer, "10:00:01", "labeled", "airlock:approved")),
				"a maintainer, our head":        and(author(maintainer), unapproved, func(in *Input) { in.Facts.Head.RepositoryID = pointer(in.Facts.Repository.ID) }),
				"a maintainer's fork":           and(author(maintainer), unapproved, func(in *Input) { in.Facts.Head.OwnerID = pointer[int64](maintainer) }),
				"exempt, own fork":              and(unapproved, func(in *Input) { in.Policy.Approval.Exempt = []int64{outsider} }),
				"the policy asks for none":      and(unapproved, func(in *Input) { in.Policy.Approval.Outside = contract.ApprovalNotRequired }),
				"none asked, head is gone": and(unapproved, func(in *Input) {
					in.Policy.Approval.Outside = contract.ApprovalNotRequired
					in.Facts.Head.RepositoryID = nil
				}),
			},
		},
		contract.CodeIntentUnknown: {
			trips: map[string]func(*Input){
				"no such intent": func(in *Input) { in.Intent = "review-chnage" },
				"no intent":      func(in *Input) { in.Intent = "" },
				"another kind":   func(in *Input) { in.Facts.Item.Kind = "issue" },
				"no evals asked": func(in *Input) { in.Intent = "triage"; in.EvalsPresent = false },
			},
			misses: map[string]func(*Input){"known": none},
		},
		contract.CodeEvalsMissing: {
			trips: map[string]func(*Input){"a gate": func(in *Input) { in.EvalsPresent = false }},
			misses: map[string]func(*Input){
				"present":        none,
				"advice":         func(in *Input) { in.EvalsPresent = false; in.Role.Intents[0].Class = contract.ClassAdvice },
				"unknown intent": func(in *Input) { in.EvalsPresent = false; in.Intent = "other" },
			},
		},
		contract.CodeAlreadyRan: {
			trips: map[string]func(*Input){
				"reviewed":                              reviewed(review{}),
				"again, by an outsider":                 and(reviewed(review{}), again(outsider)),
				"again, by an advisor":                  and(reviewed(review{}), again(advisor)),
				"reviewed on another commit":            reviewed(review{commit: strings.Repeat("c", 40)}),
				"apply, by a newer Run":                 and(reviewed(review{}), func(in *Input) { in.Run = "run-" + strings.Repeat("b", 24) }),
				"with text omitted":                     reviewed(review{omitted: "2"}),
				"with what the diff hides now left out": and(reviewed(review{omitted: "1"}), func(in *Input) { in.Facts.Content.Files[0].Visible = false }),
			},
			misses: map[string]func(*Input){
				"never reviewed":          none,
				"again, by a maintainer":  and(reviewed(review{}), again(maintainer)),
				"another content":         reviewed(review{content: strings.Repeat("0", 64)}),
				"another role":            reviewed(review{role: "other"}),
				"another intent":          reviewed(review{intent: "other"}),
				"incomplete":              reviewed(review{status: contract.StatusIncomplete}),
				"refused":                 reviewed(review{status: contract.StatusRefused}),
				"by an outsider":          reviewed(review{author: outsider}),
				"by a maintainer":         reviewed(review{author: maintainer}),
				"edited":                  reviewed(review{edited: true}),
				"the diff hides more now": and(reviewed(review{}), func(in *Input) { in.Facts.Content.Files[0].Visible = false }),
				"apply, by this Run":      and(reviewed(review{}), func(in *Input) { in.Run = "run-" + strings.Repeat("a", 24) }),
				"the Role's App unknown":  and(reviewed(review{}), func(in *Input) { in.Role.App = "other" }),
			},
		},
		contract.CodeRunInFlight: {
			trips: map[string]func(*Input){
				"in progress":                 flights(flight{}),
				"queued":                      flights(flight{status: "queued"}),
				"waiting":                     flights(flight{status: "waiting"}),
				"since an hour":               and(flights(flight{}), func(in *Input) { in.Now = contract.At(at("10:05:01").Std().Add(time.Hour)) }),
				"since the label itself":      flights(flight{clock: "10:05:00"}),
				"since an edit of a text":     and(flights(flight{}), func(in *Input) { in.Facts.Item.EditedAt = pointer(at("10:05:02")) }),
				"since the command itself":    and(flights(flight{}), comments(said(maintainer, "10:05:01", "/unhold"))),
				"since a comment":             and(flights(flight{}), comments(said(maintainer, "10:05:02", "fine"), said(outsider, "10:05:02", "/unhold"), edited(said(maintainer, "10:05:02", "/unhold")))),
				"we answer a dispatch":        and(flights(flight{}), func(in *Input) { in.Asked.Action = "" }),
				"we answer an opened one":     and(flights(flight{}), func(in *Input) { in.Asked.Action = "opened" }),
				"we answer a push":            and(flights(flight{}), func(in *Input) { in.Asked.Action = "synchronize" }),
				"we answer a label's removal": and(flights(flight{}), func(in *Input) { in.Asked.Action = "unlabeled" }),
			},
			misses: map[string]func(*Input){
				"none other":                      none,
				"completed":                       flights(flight{status: "completed"}),
				"later than ours":                 flights(flight{id: ownRun + 1}),
				"our own":                         flights(flight{id: ownRun}),
				"another item":                    flights(flight{title: "airlock pr-review #1"}),
				"another item, same start":        flights(flight{title: "airlock pr-review #123"}),
				"another role":                    flights(flight{title: "airlock other #12"}),
				"over an hour":                    and(flights(flight{}), func(in *Input) { in.Now = contract.At(at("10:05:02").Std().Add(time.Hour)) }),
				"before the label":                flights(flight{clock: "10:04:59"}),
				"before the push":                 and(flights(flight{}), func(in *Input) { in.Facts.Head.PushedAt = pointer(at("10:05:02")) }),
				"before a command":                and(flights(flight{}), comments(said(maintainer, "10:05:02", "/unhold"))),
				"we answer an edit":               and(flights(flight{}), func(in *Input) { in.Asked.Action = "edited" }),
				"we answer a draft that is ready": and(flights(flight{}), func(in *Input) { in.Asked.Action = "ready_for_review" }),
				"we answer a reopened one":        and(flights(flight{}), func(in *Input) { in.Asked.Action = "reopened" }),
				"apply asks":                      and(flights(flight{}), applyAsks),
			},
		},
		contract.CodeBudgetItem: {
			trips: map[string]func(*Input){
				"as many as allowed": spentRuns(8, "airlock pr-review #12", "09:00:00"),
				"nothing is allowed": func(in *Input) { in.Policy.Budget.ItemRunsPerDay = 0 },
				"a day ago":          and(spentRuns(8, "airlock pr-review #12", "10:05:11"), func(in *Input) { in.Now = contract.At(at("10:05:11").Std().Add(24 * time.Hour)) }),
			},
			misses: map[string]func(*Input){
				"one less":        spentRuns(7, "airlock pr-review #12", "09:00:00"),
				"of another item": spentRuns(8, "airlock pr-review #13", "09:00:00"),
				"over a day ago":  and(spentRuns(8, "airlock pr-review #12", "10:05:10"), func(in *Input) { in.Now = contract.At(at("10:05:11").Std().Add(24 * time.Hour)) }),
				"our own run":     and(spentRuns(8, "airlock pr-review #12", "09:00:00"), func(in *Input) { in.Facts.Records.Results[0].WorkflowRunID = ownRun }),
				"apply asks":      and(spentRuns(8, "airlock pr-review #12", "09:00:00"), applyAsks),
			},
		},
		contract.CodeBudgetRepository: {
			trips: map[string]func(*Input){
				"as many as allowed": spentRuns(200, "airlock pr-review #13", "09:00:00"),
				"of runs not listed": and(spentRuns(200, "airlock pr-review #13", "09:00:00"), func(in *Input) { in.Facts.Records.WorkflowRuns = nil }),
			},
			misses: map[string]func(*Input){
				"one less":    spentRuns(199, "airlock pr-review #13", "09:00:00"),
				"our own run": and(spentRuns(200, "airlock pr-review #13", "09:00:00"), func(in *Input) { in.Facts.Records.Results[0].WorkflowRunID = ownRun }),
				"apply asks":  and(spentRuns(200, "airlock pr-review #13", "09:00:00"), applyAsks),
			},
		},
	}
}
