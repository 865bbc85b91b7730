package task

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show writes parts as one word each: ">text" is quoted.
func show(parts []part) []string {
	var shown []string
	for _, p := range parts {
		text := p.text
		if p.quote {
			text = ">" + text
		}
		shown = append(shown, text)
	}
	return shown
}

func TestSplit(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"empty":                        {"", nil},
		"blank":                        {" \n\t\n", nil},
		"an empty quote":               {">\n> \n", nil},
		"no quote":                     {"a\n\nb", []string{"a\n\nb"}},
		"the data model's":             {"> ignore the SQL, it is internal\n\nPlease look at the locking.", []string{">ignore the SQL, it is internal", "Please look at the locking."}},
		"a quote alone":                {"> a", []string{">a"}},
		"in the middle":                {"a\n\n> b\n\nc", []string{"a", ">b", "c"}},
		"right after text":             {"a\n> b", []string{"a", ">b"}},
		"two quotes":                   {"> a\n\n> b", []string{">a", ">b"}},
		"over an empty quoted line":    {"> a\n>\n> b", []string{">a\n\nb"}},
		"no space":                     {">a\n>  b", []string{">a\n b"}},
		"nested keeps its inner":       {"> > a\n> b", []string{">> a\nb"}},
		"goes on without a marker":     {"> a\nb\n\nc", []string{">a\nb", "c"}},
		"does not go on in a list":     {"> a\n- b", []string{">a", "- b"}},
		"does not go on in a heading":  {"> a\n# b", []string{">a", "# b"}},
		"does not go on in a fence":    {"> a\n```\nb\n```", []string{">a", "```\nb\n```"}},
		"a word is no heading":         {"> a\n#b", []string{">a\n#b"}},
		"after an empty quoted line":   {"> a\n>\nb", []string{">a", "b"}},
		"indented":                     {"   > a\n     > b", []string{">a\nb"}},
		"in a list":                    {"- > a\n  > b\n\nc", []string{">- a\nb", "c"}},
		"in a numbered list":           {"1. > a", []string{">1. a"}},
		"an arrow is none":             {"a -> b\nx > y", []string{"a -> b\nx > y"}},
		"in a fence":                   {"```\n> a\n```\n\n> b", []string{"```\n> a\n```", ">b"}},
		"in a fence of tildes":         {"~~~sh\n> a\n```\n> b\n~~~\n> c", []string{"~~~sh\n> a\n```\n> b\n~~~", ">c"}},
		"in a longer fence":            {"````\n> a\n```\n> b\n````\n> c", []string{"````\n> a\n```\n> b\n````", ">c"}},
		"in a fence without an end":    {"```\n> a", []string{"```\n> a"}},
		"a fence of two is none":       {"``\n> a", []string{"``", ">a"}},
		"code in a line is no fence":   {"```x```\n> a", []string{"```x```", ">a"}},
		"after a fence in a list":      {"- ```\n  code\n  ```\n\n> a", []string{"- ```\n  code\n  ```", ">a"}},
		"after an indented fence":      {"1. b\n\n    ```\n    code\n    ```\n\n> a", []string{"1. b\n\n    ```\n    code\n    ```", ">a"}},
		"in an indented fence":         {"  ```\n  > a\n  ```", []string{"  ```", ">a", "  ```"}},
		"a far indented end is none":   {"```\n    ```\n> a\n```\n> b", []string{"```\n    ```\n> a\n```", ">b"}},
		"an end in a list is none":     {"```\n- ```\n> a\n```\n> b", []string{"```\n- ```\n> a\n```", ">b"}},
		"a quoted fence stays quoted":  {"> ```\n> a\n> ```\n\n> b", []string{">```\na\n```", ">b"}},
		"line ends of a browser":       {"> a\r\n\r\nb\r\n", []string{">a", "b"}},
		"a lone carriage return":       {"a\r> b", []string{"a", ">b"}},
		"a quote begun and left there": {"> a\n> \n> b\nc", []string{">a\n\nb\nc"}},
	} {
		t.Run(name, func(t *testing.T) {
			if difference := cmp.Diff(test.want, show(split(test.text))); difference != "" {
				t.Errorf("(-want +got):\n%s", difference)
			}
			quoted := slices.ContainsFunc(test.want, func(part string) bool { return strings.HasPrefix(part, ">") })
			if got := quotes(test.text); got != quoted {
				t.Errorf("quotes is %v", got)
			}
		})
	}
}

// FuzzSplit holds that no word is lost or made, and that a line with a marker at the left edge, outside every fence, is quoted.
func FuzzSplit(f *testing.F) {
	for _, text := range []string{"> a\nb\n\nc", "```\n> a\n```", "- > a", "1. > a\r\n> b", "a\r> b"} {
		f.Add(text)
	}
	words := func(text string) string {
		return strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "", ">", "", "\v", "", "\f", "").Replace(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var joined strings.Builder
		for _, p := range split(text) {
			if strings.TrimSpace(p.text) == "" {
				t.Errorf("%q has an empty part", text)
			}
			if !strings.ContainsAny(text, "`~") && !p.quote {
				for _, line := range physicalLines(p.text) {
					if strings.HasPrefix(line, ">") {
						t.Errorf("%q: a quoted line is not in a quote", text)
					}
				}
			}
			joined.WriteString(p.text)
		}
		strip := func(s string) string { return strings.Join(strings.Fields(words(s)), "") }
		if got, want := strip(joined.String()), strip(text); got != want {
			t.Errorf("%q has the words %q", text, got)
		}
	})
}
