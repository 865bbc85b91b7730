package account

import (
	"math"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/ledger"
)

// Markdown is one or several accounts in Markdown, whole.
func Markdown(accounts []Account) string {
	var parts []string
	for _, account := range accounts {
		parts = append(parts, join(render(account.layout())))
	}
	return strings.Join(parts, "\n")
}

// Summary is one account in Markdown of at most limit bytes. Where the whole is longer the longest lists are cut behind whole
// entries, and each says how many it lacks; whole says where all of it is to be found. A limit below the account without
// its lists, some kilobytes, is not held.
func Summary(account Account, limit int, whole string) string {
	parts := render(account.layout())
	made := join(parts)
	if len(made) <= limit {
		return made
	}
	kept := share(parts, limit, len(cut(math.MaxInt32, whole)))
	for n, part := range parts {
		if lacking := len(part.entries) - kept[n]; lacking > 0 {
			parts[n].entries = append(slices.Clip(part.entries[:kept[n]]), cut(lacking, whole))
		}
	}
	return join(parts)
}

// cut is the entry that stands for those that are left out.
func cut(lacking int, whole string) string {
	return markdownEntry(entry{line: line{span{text: counted(lacking, "entry is", "entries are") + " left out here, because GitHub takes no longer summary", tone: strong},
		words("; " + whole)}})
}

// rendered is a block in Markdown: one text, or the entries of a list.
type rendered struct {
	text    string
	entries []string
}

func render(blocks []block) []rendered {
	parts := make([]rendered, len(blocks))
	for n, b := range blocks {
		switch {
		case b.level > 0:
			parts[n].text = strings.Repeat("#", b.level+1) + " " + markdownLine(b.line) + "\n"
		case b.list != nil:
			for _, e := range b.list {
				parts[n].entries = append(parts[n].entries, markdownEntry(e))
			}
		default:
			parts[n].text = markdownLine(b.line) + "\n"
		}
	}
	return parts
}

func join(parts []rendered) string {
	texts := make([]string, len(parts))
	for n, part := range parts {
		texts[n] = part.text + strings.Join(part.entries, "")
	}
	return strings.Join(texts, "\n")
}

// share says how many entries of each list fit: what all else leaves is shared evenly, and what a short list does not need goes
// to the longer ones. note is the most bytes that it takes to say what a list lacks.
func share(parts []rendered, limit, note int) []int {
	kept, sizes := make([]int, len(parts)), make([]int, len(parts))
	var lists []int
	room := limit - len(parts) // an empty line between two
	for n, part := range parts {
		room -= len(part.text)
		if part.entries == nil {
			continue
		}
		lists = append(lists, n)
		for _, e := range part.entries {
			sizes[n] += len(e)
		}
	}
	slices.SortFunc(lists, func(a, b int) int { return sizes[a] - sizes[b] })
	for i, n := range lists {
		fair := max(room, 0) / (len(lists) - i)
		if sizes[n] <= fair {
			kept[n] = len(parts[n].entries)
			room -= sizes[n]
			continue
		}
		left := fair - note
		for _, e := range parts[n].entries {
			if left -= len(e); left < 0 {
				break
			}
			kept[n]++
		}
		room -= fair
	}
	return kept
}

func markdownEntry(e entry) string {
	out := "- " + markdownLine(e.line)
	if e.url != "" {
		out += " ([on GitHub](" + e.url + "))"
	}
	out += "\n"
	for _, detail := range e.details {
		out += "  - " + markdownLine(detail) + "\n"
	}
	return out
}

// markdownLine writes values as code, and of words what Markdown would read as more than letters.
func markdownLine(l line) string {
	var out strings.Builder
	for _, s := range l {
		switch {
		case s.value:
			out.WriteString(ledger.Location(s.text, 0))
		case s.tone == plain:
			out.WriteString(escapeWords.Replace(s.text))
		default:
			out.WriteString("**" + escapeWords.Replace(s.text) + "**")
		}
	}
	return out.String()
}

var escapeWords = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "|", `\|`, "&", `\&`, "~", `\~`)
