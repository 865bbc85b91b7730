package ledger

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

const (
	maintainer = 1000001
	outsider   = 2000002
	bot        = 190000001
	f1, f2, f3 = run + "/f1", run + "/f2", run + "/f3"
	f4         = run + "/f4"
)

func modelRecord[Record any](t testing.TB, name string) Record {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "model", name))
	if err != nil {
		t.Fatal(err)
	}
	var record Record
	if err := contract.Decode(data, &record); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return record
}

// modelLedger reads the facts of Run B after a mutation.
func modelLedger(t testing.TB, mutate func(*contract.Facts)) Ledger {
	facts, apps := modelRecord[contract.Facts](t, "B.facts.json"), modelRecord[contract.Apps](t, "apps.json")
	if mutate != nil {
		mutate(&facts)
	}
	return Read(facts, modelRecord[contract.Policy](t, "policy.json"), apps, apps.Apps[0])
}

func open(l Ledger) []string {
	ids := []string{}
	for _, f := range l.OpenGating() {
		ids = append(ids, strings.TrimPrefix(strings.TrimPrefix(f.ID, run+"/"), "run-"))
	}
	return ids
}

// TestDataModel holds that what Run A posted, as Run B's facts have it, reads back as the Findings that Run A recorded.
func TestDataModel(t *testing.T) {
	l := modelLedger(t, nil)
	if difference := cmp.Diff([]string{"f1", "f2", "f4"}, open(l)); difference != "" {
		t.Errorf("open and gating (-want +got):\n%s", difference)
	}
	applied := modelRecord[contract.Applied](t, "A.applied.json")
	if len(l.Findings) != len(applied.Findings) || len(l.Dispositions) != 0 {
		t.Fatalf("%d Findings and %d Dispositions", len(l.Findings), len(l.Dispositions))
	}
	for _, want := range applied.Findings {
		f, ok := l.Finding(want.ID)
		if !ok {
			t.Fatalf("%s is not found", want.ID)
		}
		anchor := None
		if want.Anchor != nil {
			anchor = *want.Anchor
		}
		if f.FindingMarker != (FindingMarker{want.ID, want.Category, want.Severity, anchor, want.Fingerprint}) || f.HasAnchor() != (want.Anchor != nil) {
			t.Errorf("%s: marker %+v", want.ID, f.FindingMarker)
		}
		thread := ""
		if want.ThreadID != nil {
			thread = *want.ThreadID
		}
		if f.Body != want.Body || f.Placement != want.Placement || f.Gates != want.Gates || f.NodeID != want.NodeID || f.DatabaseID != want.DatabaseID ||
			f.ThreadID != thread || f.Edited || !f.Open || f.At.IsZero() {
			t.Errorf("%s: %+v, body %q", want.ID, f, f.Body.Raw())
		}
		if difference := cmp.Diff([]any{want.Path, want.Line, want.Side}, []any{f.Path, f.Line, f.Side}); difference != "" {
			t.Errorf("%s (-want +got):\n%s", want.ID, difference)
		}
	}
	if len(l.Reviews) != 1 || l.Reviews[0].Run != run || l.Reviews[0].ID != 51001 || l.Reviews[0].NodeID != "PRR_a" || l.Reviews[0].Edited {
		t.Errorf("reviews %+v", l.Reviews)
	}
	if _, ok := l.ReviewByKey("e67971afc2da17dc5014884b08a3f8ee"); !ok {
		t.Error("the review is not found by its key")
	}
	if _, ok := l.ReviewByKey("e67971afc2da17dc5014884b08a3f8ef"); ok {
		t.Error("a review is found by another key")
	}
	if empty := modelLedger(t, func(f *contract.Facts) { f.Reviews, f.Threads = nil, nil }); !cmp.Equal(empty, Ledger{}) {
		t.Errorf("from nothing %+v", empty)
	}
}

// half is a Disposition's text about a Finding of Run A.
func half(finding, verdict string) string {
	of := "fixed"
	kind := contract.HalfReviewer
	if verdict != contract.VerdictAccepted && verdict != contract.VerdictRejected {
		kind, of = contract.HalfAuthor, None
	}
	return "**" + verdict + ".** Words.\n\n" + DispositionMarker{Key: strings.Repeat("b", 32), Run: "run-" + strings.Repeat("1", 24),
		Finding: finding, Half: kind, Verdict: verdict, Of: of}.String()
}

type post struct {
	author int64
	minute string
	text   string
	edited bool
}

func at(minute string) contract.Time {
	t, err := contract.ParseTime("2026-11-30T13:" + minute + ":00Z")
	if err != nil {
		panic(err)
	}
	return t
}

func (p post) editedAt() *contract.Time {
	if !p.edited {
		return nil
	}
	later := at("59")
	return &later
}

// replies adds posts to the thread of f1 (0) or of f2 (1).
func replies(thread int, posts ...post) func(*contract.Facts) {
	return func(f *contract.Facts) {
		for _, p := range posts {
			f.Threads[thread].Comments = append(f.Threads[thread].Comments, contract.ThreadComment{
				At: at(p.minute), Author: contract.User{ID: p.author, Type: "Bot"}, EditedAt: p.editedAt(), Text: untrusted.New(p.text)})
		}
	}
}

// reviews adds posts as reviews.
func reviews(posts ...post) func(*contract.Facts) {
	return func(f *contract.Facts) {
		for _, p := range posts {
			f.Reviews = append(f.Reviews, contract.Review{At: at(p.minute), Author: contract.User{ID: p.author, Type: "Bot"}, EditedAt: p.editedAt(), Text: untrusted.New(p.text)})
		}
	}
}

func resolved(thread int, by *contract.User) func(*contract.Facts) {
	return func(f *contract.Facts) { f.Threads[thread].Resolved, f.Threads[thread].ResolvedBy = true, by }
}

func firstComment(thread int, change func(*contract.ThreadComment)) func(*contract.Facts) {
	return func(f *contract.Facts) { change(&f.Threads[thread].Comments[0]) }
}

func both(mutations ...func(*contract.Facts)) func(*contract.Facts) {
	return func(f *contract.Facts) {
		for _, mutate := range mutations {
			mutate(f)
		}
	}
}

func TestOpen(t *testing.T) {
	accepted, rejected := half(f1, "accepted"), half(f1, "rejected")
	all := []string{"f1", "f2", "f4"}
	for name, test := range map[string]struct {
		mutate func(*contract.Facts)
		want   []string
	}{
		"accepted in its thread":                       {replies(0, post{bot, "01", accepted, false}), []string{"f2", "f4"}},
		"accepted in a review":                         {reviews(post{bot, "01", "T\n\n" + half(f4, "accepted"), false}), []string{"f1", "f2"}},
		"accepted in a review, though it has a thread": {reviews(post{bot, "01", accepted, false}), []string{"f2", "f4"}},
		"rejected":                                                  {replies(0, post{bot, "01", rejected, false}), all},
		"accepted after rejected":                                   {replies(0, post{bot, "01", rejected, false}, post{bot, "02", accepted, false}), []string{"f2", "f4"}},
		"rejected after accepted":                                   {replies(0, post{bot, "01", accepted, false}, post{bot, "02", rejected, false}), all},
		"newest is by time":                                         {replies(0, post{bot, "02", accepted, false}, post{bot, "01", rejected, false}), []string{"f2", "f4"}},
		"both in one second":                                        {replies(0, post{bot, "01", rejected, false}, post{bot, "01", accepted, false}), all},
		"both in one second, the other way":                         {replies(0, post{bot, "01", accepted, false}, post{bot, "01", rejected, false}), all},
		"an edited acceptance":                                      {replies(0, post{bot, "01", accepted, true}), all},
		"an edited acceptance after a good one":                     {replies(0, post{bot, "01", accepted, false}, post{bot, "02", accepted, true}), all},
		"an edited acceptance before a good one":                    {replies(0, post{bot, "01", accepted, true}, post{bot, "02", accepted, false}), []string{"f2", "f4"}},
		"a rejection edited into an acceptance, both in one second": {replies(0, post{bot, "01", accepted, false}, post{bot, "01", accepted, true}), all},
		"an edited acceptance after a rejection":                    {replies(0, post{bot, "01", rejected, false}, post{bot, "02", accepted, true}), all},
		"an edited rejection":                                       {replies(0, post{bot, "01", accepted, false}, post{bot, "02", rejected, true}), all},
		"an acceptance in an edited review":                         {reviews(post{bot, "01", half(f4, "accepted"), true}), all},
		"an author half":                                            {replies(0, post{bot, "01", half(f1, "fixed"), false}), all},
		"an author half after accepted":                             {replies(0, post{bot, "01", accepted, false}, post{bot, "02", half(f1, "declined"), false}), []string{"f2", "f4"}},
		"forged by the author (A26)":                                {replies(0, post{outsider, "01", accepted, false}), all},
		"forged by a maintainer":                                    {replies(0, post{maintainer, "01", accepted, false}), all},
		"forged by another bot (D3)":                                {replies(0, post{190000002, "01", accepted, false}), all},
		"forged in a review by another bot":                         {reviews(post{190000002, "01", half(f4, "accepted"), false}), all},
		"forged in a review":                                        {reviews(post{outsider, "01", half(f4, "accepted"), false}), all},
		"forged in a comment":                                       {func(f *contract.Facts) { f.Comments[0].Text = untrusted.New(accepted); f.Comments[0].Author.ID = bot }, all},
		"quoted by our App":                                         {replies(0, post{bot, "01", "> " + strings.ReplaceAll(accepted, "\n", "\n> "), false}), all},
		"in another Finding's thread":                               {replies(1, post{bot, "01", accepted, false}), all},
		"of another Run's Finding":                                  {replies(0, post{bot, "01", strings.ReplaceAll(accepted, run, "run-"+strings.Repeat("2", 24)), false}), all},
		"resolved by a maintainer":                                  {resolved(1, &contract.User{ID: maintainer}), []string{"f1", "f4"}},
		"resolved by a maintainer, rejected":                        {both(resolved(0, &contract.User{ID: maintainer}), replies(0, post{bot, "01", rejected, false})), []string{"f2", "f4"}},
		"resolved by the author":                                    {resolved(1, &contract.User{ID: outsider}), all},
		"resolved by an advisor":                                    {resolved(1, &contract.User{ID: 3000003}), all},
		"resolved by our App":                                       {resolved(1, &contract.User{ID: bot}), all},
		"resolved by one who calls himself a maintainer":            {resolved(1, &contract.User{ID: outsider, Login: untrusted.New("maintainer")}), all},
		"resolved by nobody known":                                  {resolved(1, nil), all},
		"unresolved again":                                          {both(resolved(1, &contract.User{ID: maintainer}), func(f *contract.Facts) { f.Threads[1].Resolved = false }), all},
		"the Finding was edited":                                    {firstComment(0, func(c *contract.ThreadComment) { c.EditedAt = &c.At }), all},
		"the Finding was edited to a note": {firstComment(1, func(c *contract.ThreadComment) {
			c.EditedAt, c.Text = &c.At, untrusted.New(strings.Replace(c.Text.Raw(), "severity=major", "severity=note", 1))
		}), all},
		"the review was edited, with a minor one in it":           {func(f *contract.Facts) { f.Reviews[0].EditedAt = &f.Reviews[0].At }, []string{"f1", "f2", "f4", "f3"}},
		"the Finding is another bot's":                            {firstComment(0, func(c *contract.ThreadComment) { c.Author.ID = 190000002 }), []string{"f2", "f4"}},
		"the Finding is a stranger's":                             {firstComment(0, func(c *contract.ThreadComment) { c.Author.ID = outsider }), []string{"f2", "f4"}},
		"no marker in the thread":                                 {firstComment(0, func(c *contract.ThreadComment) { c.Text = untrusted.New("T") }), []string{"f2", "f4"}},
		"a marker that somebody took away":                        {firstComment(0, edit(outsider, "T")), []string{lostID("PRRT_a1"), "f2", "f4"}},
		"a marker that a maintainer took away":                    {firstComment(0, edit(maintainer, "T")), []string{lostID("PRRT_a1"), "f2", "f4"}},
		"a marker taken away, then resolved by a maintainer":      {both(firstComment(0, edit(outsider, "T")), resolved(0, &contract.User{ID: maintainer})), []string{"f2", "f4"}},
		"a marker taken away, then resolved by another":           {both(firstComment(0, edit(outsider, "T")), resolved(0, &contract.User{ID: outsider})), []string{lostID("PRRT_a1"), "f2", "f4"}},
		"a marker taken away, then accepted":                      {both(firstComment(0, edit(outsider, "T")), replies(0, post{bot, "09", half("run-"+lostID("PRRT_a1"), "accepted"), false})), []string{lostID("PRRT_a1"), "f2", "f4"}},
		"altered into one that is closed":                         {both(resolved(1, &contract.User{ID: maintainer}), firstComment(0, altered(outsider, "/f1 ", "/f2 "))), []string{lostID("PRRT_a1"), "f4"}},
		"altered into one that was accepted":                      {both(replies(1, post{bot, "01", half(f2, "accepted"), false}), firstComment(0, altered(outsider, "/f1 ", "/f2 "))), []string{lostID("PRRT_a1"), "f4"}},
		"altered into one that is open":                           {firstComment(0, altered(outsider, "/f1 ", "/f2 ")), []string{lostID("PRRT_a1"), "f2", "f4"}},
		"two altered into one":                                    {both(firstComment(0, altered(outsider, "/f1 ", "/f9 ")), firstComment(1, altered(outsider, "/f2 ", "/f9 "))), []string{"f9", lostID("PRRT_a2"), "f4"}},
		"altered, then accepted":                                  {both(firstComment(0, altered(outsider, "quote", "note")), replies(0, post{bot, "09", accepted, false})), all},
		"altered by nobody known, then accepted":                  {both(firstComment(0, altered(0, "quote", "note")), replies(0, post{bot, "09", accepted, false})), all},
		"altered, then resolved by a maintainer":                  {both(firstComment(0, altered(outsider, "quote", "note")), resolved(0, &contract.User{ID: maintainer})), []string{"f2", "f4"}},
		"edited by a maintainer, then accepted":                   {both(firstComment(0, altered(maintainer, "quote", "note")), replies(0, post{bot, "09", accepted, false})), []string{"f2", "f4"}},
		"accepted, then edited by a maintainer":                   {both(replies(0, post{bot, "01", accepted, false}), firstComment(0, altered(maintainer, "quote", "note"))), all},
		"accepted in the second of the edit":                      {both(replies(0, post{bot, "05", accepted, false}), firstComment(0, altered(maintainer, "quote", "note"))), all},
		"a rejection without its marker, after an acceptance":     {replies(0, post{bot, "01", accepted, false}, post{bot, "02", "Nothing.", true}), all},
		"a rejection made an author's half, after an acceptance":  {replies(0, post{bot, "01", accepted, false}, post{bot, "02", half(f1, "fixed"), true}), all},
		"a rejection made another Finding's, after an acceptance": {replies(0, post{bot, "01", accepted, false}, post{bot, "02", half(f2, "rejected"), true}), all},
		"an acceptance after a rejection without its marker":      {replies(0, post{bot, "01", "Nothing.", true}, post{bot, "02", accepted, false}), []string{"f2", "f4"}},
		"a reply without a marker that nobody edited":             {replies(0, post{bot, "01", accepted, false}, post{bot, "02", "Nothing.", false}), []string{"f2", "f4"}},
		"accepted by another Role of the App":                     {both(reviewOfRole("other", "07"), replies(0, post{bot, "08", accepted, false})), all},
		"accepted by another Run of the Role":                     {both(reviewOfRole("pr-review", "07"), replies(0, post{bot, "08", accepted, false})), []string{"f2", "f4"}},
		"an empty thread":                                         {func(f *contract.Facts) { f.Threads[0].Comments = nil }, []string{"f2", "f4"}},
		"a minor one of category security": {firstComment(0, func(c *contract.ThreadComment) {
			c.Text = untrusted.New(strings.Replace(c.Text.Raw(), "severity=critical", "severity=note", 1))
		}), all},
		"a minor one": {firstComment(1, func(c *contract.ThreadComment) {
			c.Text = untrusted.New(strings.Replace(c.Text.Raw(), "severity=major", "severity=minor", 1))
		}), []string{"f1", "f4"}},
		"posted twice, one of them resolved": {both(twice, resolved(0, &contract.User{ID: maintainer})), all},
		"posted twice, the other resolved":   {both(twice, resolved(2, &contract.User{ID: maintainer})), all},
		"posted twice, both resolved":        {both(twice, resolved(0, &contract.User{ID: maintainer}), resolved(2, &contract.User{ID: maintainer})), []string{"f2", "f4"}},
		"posted twice, the other edited to minor": {both(func(f *contract.Facts) {
			other := f.Threads[1]
			other.Comments = []contract.ThreadComment{other.Comments[0]}
			other.Comments[0].Text = untrusted.New(strings.Replace(other.Comments[0].Text.Raw(), "severity=major", "severity=minor", 1))
			f.Threads = append(f.Threads, other)
		}), all},
		"posted twice, the first edited to minor": {both(func(f *contract.Facts) {
			other := f.Threads[1]
			other.Comments = []contract.ThreadComment{other.Comments[0]}
			f.Threads = append(f.Threads, other)
			first := &f.Threads[1].Comments[0]
			first.Text = untrusted.New(strings.Replace(first.Text.Raw(), "severity=major", "severity=minor", 1))
		}), all},
		"posted twice, accepted once": {both(twice, replies(0, post{bot, "01", accepted, false})), []string{"f2", "f4"}},
	} {
		t.Run(name, func(t *testing.T) {
			if difference := cmp.Diff(test.want, open(modelLedger(t, test.mutate))); difference != "" {
				t.Errorf("(-want +got):\n%s", difference)
			}
		})
	}
}

// edit makes a comment another, by this account at 13:05; 0 is nobody known.
func edit(by int64, text string) func(*contract.ThreadComment) {
	return func(c *contract.ThreadComment) {
		when := at("05")
		c.EditedAt, c.Text = &when, untrusted.New(text)
		if by != 0 {
			c.EditorID = &by
		}
	}
}

// altered replaces words of a comment.
func altered(by int64, from, to string) func(*contract.ThreadComment) {
	return func(c *contract.ThreadComment) { edit(by, strings.Replace(c.Text.Raw(), from, to, 1))(c) }
}

// lostID is the id of what lost its own, without "run-", as [open] gives that of a Run's Finding without its Run.
func lostID(node string) string { return strings.TrimPrefix(contract.AlteredID(node), "run-") }

// reviewOfRole adds a review of the Run that [half] names.
func reviewOfRole(role, minute string) func(*contract.Facts) {
	line := strings.NewReplacer("run="+run, "run=run-"+strings.Repeat("1", 24), "role=pr-review", "role="+role).Replace(reviewLine)
	return reviews(post{bot, minute, line, false})
}

func twice(f *contract.Facts) { f.Threads = append(f.Threads, f.Threads[0]) }

func TestWhatIsBelieved(t *testing.T) {
	forged := strings.ReplaceAll(reviewLine, run, "run-"+strings.Repeat("9", 24))
	l := modelLedger(t, both(
		reviews(post{outsider, "01", forged, false}, post{maintainer, "02", forged, false}, post{bot, "03", "> " + forged, false}, post{bot, "04", strings.Replace(forged, "status=completed", "status=incomplete", 1), true}),
		replies(1, post{bot, "05", half(f2, "rejected"), true}),
	))
	if len(l.Reviews) != 2 || l.Reviews[1].Status != contract.StatusIncomplete || !l.Reviews[1].Edited || !l.Reviews[1].At.Equal(at("04")) {
		t.Errorf("reviews %+v", l.Reviews)
	}
	d, ok := l.DispositionByKey(strings.Repeat("b", 32))
	if !ok || d.Finding != f2 || d.ThreadID != "PRRT_a2" || !d.Edited || d.Body != untrusted.New("**rejected.** Words.") || !d.At.Equal(at("05")) {
		t.Errorf("disposition %+v, %v", d, ok)
	}
	if _, ok := l.DispositionByKey(strings.Repeat("c", 32)); ok {
		t.Error("a Disposition is found by another key")
	}
	if _, ok := l.Finding(run + "/f5"); ok {
		t.Error("a Finding is found by another id")
	}
	edited := modelLedger(t, firstComment(0, func(c *contract.ThreadComment) { c.EditedAt = &c.At }))
	if f, _ := edited.Finding(f1); !f.Edited || !f.Open || !f.Gates {
		t.Errorf("edited Finding %+v", f)
	}
	closed := modelLedger(t, resolved(1, &contract.User{ID: maintainer}))
	if f, _ := closed.Finding(f2); f.Open || !f.Gates {
		t.Errorf("closed Finding %+v", f)
	}
	if _, ok := closed.Finding(f3); !ok {
		t.Error("a Finding that does not gate is not listed")
	}
}

func TestAnAppWithoutAUserBelievesNothing(t *testing.T) {
	facts := modelRecord[contract.Facts](t, "B.facts.json")
	for i := range facts.Reviews {
		facts.Reviews[i].Author.ID = 0
	}
	for i := range facts.Threads {
		facts.Threads[i].Comments[0].Author.ID = 0
	}
	apps := contract.Apps{Apps: []contract.App{{Name: "pr-review"}}}
	if l := Read(facts, contract.Policy{}, apps, apps.Apps[0]); !cmp.Equal(l, Ledger{}) {
		t.Errorf("a deleted account's texts are believed: %+v", l)
	}
}

// TestRolesOfOneApp holds which Findings are whose: a reviewer's are its own, an author's are all, and one of which nobody
// knows whose it is is everybody's.
func TestRolesOfOneApp(t *testing.T) {
	for name, c := range map[string]struct {
		mutate                   func(*contract.Facts)
		reviewer, author, others []string
	}{
		"as posted":                 {nil, []string{"f1", "f2", "f4"}, []string{"f1", "f2", "f4"}, []string{}},
		"a review without a marker": {func(f *contract.Facts) { f.Reviews[0].Text = untrusted.New("T") }, []string{"f1", "f2"}, []string{"f1", "f2"}, []string{"f1", "f2"}},
		"a review that was altered to be of the other Role": {func(f *contract.Facts) {
			when := at("05")
			f.Reviews[0].EditedAt, f.Reviews[0].Text = &when, untrusted.New(strings.Replace(f.Reviews[0].Text.Raw(), "role=pr-review", "role=other", 1))
		}, []string{"f1", "f2", "f4", "f3"}, []string{"f1", "f2", "f4", "f3"}, []string{"f1", "f2", "f4", "f3"}},
		"a thread whose review GitHub does not name": {func(f *contract.Facts) { f.Threads[0].ReviewID = nil }, []string{"f1", "f2", "f4"}, []string{"f1", "f2", "f4"}, []string{}},
		"a Finding without its marker":               {firstComment(0, edit(outsider, "T")), []string{lostID("PRRT_a1"), "f2", "f4"}, []string{lostID("PRRT_a1"), "f2", "f4"}, []string{}},
		"a Finding altered to be of another Run": {firstComment(0, altered(outsider, run, "run-"+strings.Repeat("1", 24))),
			[]string{strings.Repeat("1", 24) + "/f1", "f2", "f4"}, []string{strings.Repeat("1", 24) + "/f1", "f2", "f4"}, []string{}},
	} {
		l := modelLedger(t, c.mutate)
		for _, of := range []struct {
			role contract.Role
			want []string
		}{{contract.Role{Name: "pr-review", DispositionHalf: contract.HalfReviewer}, c.reviewer}, {contract.Role{Name: "answers", DispositionHalf: contract.HalfAuthor}, c.author},
			{contract.Role{Name: "other", DispositionHalf: contract.HalfReviewer}, c.others}} {
			if difference := cmp.Diff(of.want, open(l.For(of.role))); difference != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, of.role.Name, difference)
			}
		}
	}
}

// TestAltered holds what is said of a ledger that somebody altered, and what a model is asked then.
func TestAltered(t *testing.T) {
	review := func(by int64, text string) func(*contract.Facts) {
		return func(f *contract.Facts) {
			when := at("05")
			f.Reviews[0].EditedAt, f.Reviews[0].EditorID = &when, &by
			if text != "" {
				f.Reviews[0].Text = untrusted.New(text)
			}
		}
	}
	for name, c := range map[string]struct {
		mutate  func(*contract.Facts)
		altered bool
		asked   string
	}{
		"as posted":                           {nil, false, "f1 f2 f4"},
		"a Finding":                           {firstComment(0, altered(outsider, "quote", "note")), true, "f2 f4"},
		"a Finding, by a maintainer":          {firstComment(0, altered(maintainer, "quote", "note")), false, "f1 f2 f4"},
		"a Finding, resolved by a maintainer": {both(firstComment(0, altered(outsider, "quote", "note")), resolved(0, &contract.User{ID: maintainer})), false, "f2 f4"},
		"a Finding without its marker":        {firstComment(0, edit(outsider, "T")), true, "f2 f4"},
		"a review":                            {review(outsider, ""), true, "f1 f2"},
		"a review, by a maintainer":           {review(maintainer, ""), false, "f1 f2 f4 f3"},
		"a review without its marker":         {review(outsider, "T"), true, "f1 f2"},
		"a stranger's review":                 {func(f *contract.Facts) { review(outsider, "T")(f); f.Reviews[0].Author.ID = outsider }, false, "f1 f2"},
		"a reply":                             {replies(0, post{bot, "01", half(f1, "rejected"), true}), false, "f1 f2 f4"},
	} {
		l := modelLedger(t, c.mutate)
		var asked []string
		for _, f := range l.Asked() {
			asked = append(asked, strings.TrimPrefix(f.ID, run+"/"))
		}
		if got := strings.Join(asked, " "); l.Altered() != c.altered || got != c.asked {
			t.Errorf("%s: altered %v, asked about %s; want %v, %s", name, l.Altered(), got, c.altered, c.asked)
		}
	}
}
