package account

import (
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/ledger"
)

// Markdown is one or several accounts in Markdown, whole.
func Markdown(accounts []Account) string {
	var parts []string
	for _, account := range accounts {
		parts = append(parts, markdown(account.layout()))
	}
	return strings.Join(parts, "\n")
}

// Summary is one account in Markdown of at most limit bytes. Where the whole is longer the longest lists are cut behind whole
// entries, and each says how many it lacks; whole says where all of it is to be found. A limit below the account without
// its lists, some ten kilobytes, is not held.
func Summary(account Account, limit int, whole string) string {
	blocks := account.layout()
	made := markdown(blocks)
	if len(made) <= limit {
		return made
	}
	kept := share(blocks, limit, whole)
	for n := range blocks {
		if lacking := len(blocks[n].list) - kept[n]; lacking > 0 {
			blocks[n].list = append(slices.Clip(blocks[n].list[:kept[n]]), cut(lacking, whole))
		}
	}
	return markdown(blocks)
}

// cut is the entry that stands for those that are left out.
func cut(lacking int, whole string) entry {
	return entry{line: line{span{text: counted(lacking, "entry is", "entries are") + " left out here, because GitHub takes no longer summary", tone: strong},
		words("; " + whole)}}
}

// share says how many entries of each list fit: what all else leaves is shared evenly, and what a short list does not need goes
// to the longer ones.
func share(blocks []block, limit int, whole string) []int {
	kept := make([]int, len(blocks))
	sizes := make([]int, len(blocks))
	var lists []int
	room := limit - len(blocks) // an empty line before each
	for n, b := range blocks {
		if b.list == nil {
			room -= len(markdown([]block{b}))
			continue
		}
		lists = append(lists, n)
		for _, e := range b.list {
			sizes[n] += len(markdownEntry(e))
		}
	}
	slices.SortFunc(lists, func(a, b int) int { return sizes[a] - sizes[b] })
	for i, n := range lists {
		part := max(room, 0) / (len(lists) - i)
		if sizes[n] <= part {
			kept[n] = len(blocks[n].list)
			room -= sizes[n]
			continue
		}
		left := part - len(markdownEntry(cut(len(blocks[n].list), whole)))
		for _, e := range blocks[n].list {
			if left -= len(markdownEntry(e)); left < 0 {
				break
			}
			kept[n]++
		}
		room -= part
	}
	return kept
}

func markdown(blocks []block) string {
	var out strings.Builder
	for n, b := range blocks {
		if n > 0 {
			out.WriteByte('\n')
		}
		switch {
		case b.level > 0:
			out.WriteString(strings.Repeat("#", b.level+1) + " " + markdownLine(b.line) + "\n")
		case b.list != nil:
			for _, e := range b.list {
				out.WriteString(markdownEntry(e))
			}
		default:
			out.WriteString(markdownLine(b.line) + "\n")
		}
	}
	return out.String()
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
