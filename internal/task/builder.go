package task

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/ledger"
	"github.com/seed-2ea642bd/airlock/internal/trust"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// builder gathers the texts and what was left out. Its methods are called in the order of the Task.
type builder struct {
	in      Input
	app     contract.App
	texts   []contract.TaskText
	omitted map[string]*contract.Omitted
	escaped contract.Escaped
	// left is how many characters of comments, reviews and threads may still be added.
	left int
	// answers holds the ids of texts by their thread; the Finding itself is none.
	answers map[string][]string
}

func newBuilder(in Input, app contract.App) *builder {
	return &builder{in: in, app: app, omitted: map[string]*contract.Omitted{}, left: in.Harness.Texts.CommentsCharacters, answers: map[string][]string{}}
}

// itemTexts adds title and body. They are not split: one that holds a block quote is outside as a whole, because a part
// of it is somebody else's.
func (b *builder) itemTexts() {
	item := b.in.Facts.Item
	b.itemText(contract.TextTitle, item.Author.ID, item.Title.Raw(), false)
	b.itemText(contract.TextBody, item.Author.ID, item.Body.Raw(), quotes(item.Body.Raw()))
}

func (b *builder) itemText(kind string, author int64, text string, quoted bool) {
	class := b.class(author)
	if class == contract.TrustRole {
		text = ledger.WithoutMarkers(text)
	}
	if quoted {
		class = contract.TrustOutside
	}
	b.text(contract.TaskText{ID: kind, Kind: kind, Source: source(author), Trust: class}, text, b.in.Harness.Texts.BodyCharacters)
}

// conversation adds comments, reviews and threads, each in GitHub's order, within one budget. What our own App wrote as a
// review or as a Finding is not a text: it comes as a Finding while it is open.
func (b *builder) conversation() {
	facts := b.in.Facts
	for _, comment := range facts.Comments {
		b.parts(contract.TextComment, comment.ID, writer(comment.Author, comment.EditedAt, comment.EditorID), comment.Text)
	}
	for _, review := range facts.Reviews {
		if review.Author.ID != b.app.BotUserID {
			b.parts(contract.TextReview, review.ID, writer(review.Author, review.EditedAt, review.EditorID), review.Text)
		}
	}
	for _, thread := range facts.Threads {
		for i, comment := range thread.Comments {
			if i == 0 && b.isFinding(comment) {
				continue
			}
			ids := b.parts(contract.TextThread, comment.ID, writer(comment.Author, comment.EditedAt, comment.EditorID), comment.Text)
			b.answers[thread.NodeID] = append(b.answers[thread.NodeID], ids...)
		}
	}
}

// writer is whose words a text is: its author's, or nobody's where another account edited it, for they may be that one's.
func writer(author contract.User, edited *contract.Time, editor *int64) int64 {
	if edited != nil && (editor == nil || *editor != author.ID) {
		return 0
	}
	return author.ID
}

func (b *builder) isFinding(comment contract.ThreadComment) bool {
	_, ok := ledger.ParseFindingComment(comment.Text.Raw())
	return ok && comment.Author.ID == b.app.BotUserID
}

// parts adds the parts of one comment and returns the ids of those that were kept. A part left out keeps its number.
func (b *builder) parts(kind string, id, author int64, text untrusted.Text) []string {
	raw, class := text.Raw(), b.class(author)
	if class == contract.TrustRole {
		raw = ledger.WithoutMarkers(raw)
	}
	var kept []string
	for n, p := range split(raw) {
		t := contract.TaskText{ID: fmt.Sprintf("%s:%d:%d", kind, id, n+1), Kind: kind, Source: source(author), Trust: class}
		if p.quote {
			t.Source, t.Trust = nil, contract.TrustOutside
		}
		before := len(b.texts)
		b.left -= b.text(t, p.text, min(b.in.Harness.Texts.CommentCharacters, b.left))
		if len(b.texts) > before {
			kept = append(kept, t.ID)
		}
	}
	return kept
}

// text adds a text if it holds at most budget characters as it is shown, and returns how many those are. One that does
// not fit is counted by the characters it was written with. A text of blanks says nothing and is neither.
func (b *builder) text(t contract.TaskText, raw string, budget int) int {
	if strings.TrimSpace(raw) == "" {
		return 0
	}
	visible, escaped := untrusted.Escape(raw)
	size := utf8.RuneCountInString(visible)
	if size > budget {
		o := b.omission(t.Kind)
		o.Texts++
		o.Characters += int64(utf8.RuneCountInString(raw))
		return 0
	}
	t.Text = untrusted.New(visible)
	b.texts = append(b.texts, t)
	b.count(escaped)
	return size
}

func (b *builder) omitFile(kind string, characters int64) {
	o := b.omission(kind)
	o.Files++
	o.Characters += characters
}

func (b *builder) omission(kind string) *contract.Omitted {
	if b.omitted[kind] == nil {
		b.omitted[kind] = &contract.Omitted{Kind: kind}
	}
	return b.omitted[kind]
}

func (b *builder) omissions() []contract.Omitted {
	list := []contract.Omitted{}
	for _, kind := range []string{contract.OmittedDiff, contract.OmittedDiffExcluded, contract.OmittedOpaque, contract.OmittedTitle,
		contract.OmittedBody, contract.OmittedComment, contract.OmittedReview, contract.OmittedThread} {
		if o := b.omitted[kind]; o != nil {
			list = append(list, *o)
		}
	}
	return list
}

func (b *builder) count(e untrusted.Escaped) {
	b.escaped.Bidirectional += int64(e.Bidirectional)
	b.escaped.InvalidUTF8 += int64(e.InvalidUTF8)
	b.escaped.Invisible += int64(e.Invisible)
	b.escaped.Tag += int64(e.Tag)
}

func (b *builder) class(author int64) contract.Trust { return trust.Of(author, b.in.Policy, b.in.Apps) }

// source is nil for an account that is gone.
func source(author int64) *int64 {
	if author <= 0 {
		return nil
	}
	return &author
}
