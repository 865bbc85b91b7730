package checks

import (
	"slices"
	"strings"
	"testing"
)

// TestHeld: what an expression can yield, against what it only looks at.
func TestHeld(t *testing.T) {
	for _, c := range []struct {
		expression string
		held       string // references, in order
		mentioned  string
	}{
		{"secrets.A", "secrets.A", "secrets.A"},
		{"secrets.A != ''", "", "secrets.A"},
		{"!secrets.A", "", "secrets.A"},
		{"secrets.A && 'yes'", "", "secrets.A"},
		{"secrets.A && secrets.B", "secrets.B", "secrets.A secrets.B"},
		{"secrets.A || secrets.B", "secrets.A secrets.B", "secrets.A secrets.B"},
		{"secrets.A && secrets.B || secrets.C", "secrets.B secrets.C", "secrets.A secrets.B secrets.C"},
		{"secrets.A && (secrets.B || secrets.C)", "secrets.B secrets.C", "secrets.A secrets.B secrets.C"},
		{"(secrets.A == 'x' || secrets.B) && secrets.C", "secrets.C", "secrets.A secrets.B secrets.C"},
		{"format('{0}', secrets.A)", "secrets.A", "secrets.A"},
		{"contains(secrets.A, 'x')", "", "secrets.A"},
		{"toJSON(secrets)", "secrets", "secrets"},
		{"unheardOf(secrets.A)", "secrets.A", "secrets.A"},
		{"case(secrets.A, secrets.B, secrets.C)", "secrets.B secrets.C", "secrets.A secrets.B secrets.C"},
		{"secrets['A']", "secrets.A", "secrets.A"},
		{"secrets[vars.NAME]", "secrets.?", "vars.NAME secrets.?"},
		{"secrets[format('{0}_KEY', vars.NAME)]", "secrets.?", "vars.NAME secrets.?"},
		{"fromJSON(secrets.A).key[0]", "secrets.A", "secrets.A"},
		{"github.event.pull_request.labels.*.name", "github.event.pull_request.labels.*.name", "github.event.pull_request.labels.*.name"},
		{"secrets . A", "secrets.A", "secrets.A"},
		{"'it''s secrets.A }}'", "", ""},
		{"1.5e3 >= -0x1F && true", "", ""},
	} {
		parsed, err := parseExpression(c.expression, 0)
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
			continue
		}
		if got := written(parsed.held()); got != c.held {
			t.Errorf("%s holds %q, want %q", c.expression, got, c.held)
		}
		if got := written(parsed.mentions()); got != c.mentioned {
			t.Errorf("%s mentions %q, want %q", c.expression, got, c.mentioned)
		}
	}
}

func written(references []reference) string {
	var list []string
	for _, r := range references {
		list = append(list, r.String())
	}
	return strings.Join(list, " ")
}

// TestExpressionErrors: what is no expression is an error, and never half an expression.
func TestExpressionErrors(t *testing.T) {
	for _, text := range []string{"", " ", "secrets.", "secrets.A secrets.B", "(secrets.A", "secrets[", "secrets['A'", "'open", "format('a'", "format('a' 'b')", "a = b", "&& a", "a ||", "!", "a.*.", "${{ a }}",
		strings.Repeat("(", 200) + "a" + strings.Repeat(")", 200), strings.Repeat("!", 200) + "a"} {
		if e, err := parseExpression(text, 0); err == nil {
			t.Errorf("%q is read as %s", text, e)
		}
	}
}

// TestEmbedded: where the expressions of a text begin and end, braces in strings included.
func TestEmbedded(t *testing.T) {
	text := "a ${{ 'x }}' }} b ${{ secrets.K }}${{github.token}} }}"
	found, err := parseEmbedded(text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, part := range found {
		got = append(got, text[part.start:part.end])
	}
	if want := []string{"${{ 'x }}' }}", "${{ secrets.K }}", "${{github.token}}"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if at := found[1].expression.context.offset; text[at:at+9] != "secrets.K" {
		t.Errorf("the reference is said to stand at %q", text[at:])
	}
	if _, err := parseEmbedded("${{ secrets.K }"); err == nil {
		t.Error("an open expression is read")
	}
}

// TestIsConjunction: the terms decide, their order and parentheses do not.
func TestIsConjunction(t *testing.T) {
	for text, want := range map[string]bool{
		"needs.d.outputs.report == 'true' && !cancelled()":          true,
		"${{ (!cancelled()) && needs.d.outputs.report == 'true' }}": true,
		"always() && needs.d.outputs.report=='true'":                true,
		"needs.d.outputs.report == 'true'":                          false,
		"!cancelled() && needs.d.outputs.report == true":            false,
		"!cancelled() && needs.d.outputs.report != 'true'":          false,
		"!cancelled() || needs.d.outputs.report == 'true'":          false,
		"!cancelled() && needs.d.outputs.report == 'true' && true":  false,
		"${{ !cancelled() }} && needs.d.outputs.report == 'true'":   false,
	} {
		if got := isConjunction(&node{value: text}, []string{"!cancelled()", "always()"}, reported("d")); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}
