package task

import "testing"

func TestPatterns(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"vendor/**", "vendor/a.go", true},
		{"vendor/**", "vendor/a/b.go", true},
		{"vendor/**", "vendor", false},
		{"vendor/**", "vendors/a.go", false},
		{"vendor/**", "src/vendor/a.go", false},
		{"**/vendor/**", "vendor/a.go", true},
		{"**/vendor/**", "src/deep/vendor/a/b.go", true},
		{"**/package-lock.json", "package-lock.json", true},
		{"**/package-lock.json", "web/app/package-lock.json", true},
		{"**/package-lock.json", "web/package-lock.json.go", false},
		{"**/package-lock.json", "web/xpackage-lock.json", false},
		{"**", "a", true},
		{"**", "a/b/c", true},
		{"a/**/b", "a/b", true},
		{"a/**/b", "a/x/y/b", true},
		{"a/**/b", "a/x/y/c", false},
		{"a/**/b/**/c", "a/b/b/x/c", true},
		{"a/**/b/**/c", "a/x/c", false},
		{"*.go", "a.go", true},
		{"*.go", ".go", true},
		{"*.go", "b/a.go", false},
		{"*/*.go", "b/a.go", true},
		{"a*b*c", "axxbxxbc", true},
		{"a*b*c", "axxbxxb", false},
		{"?.go", "a.go", true},
		{"?.go", ".go", false},
		{"a/?", "a/", false},
		{"a**", "ab", true},
		{"a**", "ab/c", false},
		{"[a].go", "a.go", false},
		{"[a].go", "[a].go", true},
		{`a\*`, "a*", false},
		{"A.go", "a.go", false},
		{"", "a", false},
		{"/a", "a", false},
		{"**/a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
		{"**/**/**/**/**/**/**/**/b", "a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a", false},
	} {
		if got := newPatterns([]string{"other", test.pattern}).match(test.path); got != test.want {
			t.Errorf("%s of %s is %v", test.pattern, test.path, got)
		}
	}
}

func TestEveryNameMustBeExcluded(t *testing.T) {
	p := newPatterns([]string{"vendor/**", "third/**"})
	for _, test := range []struct {
		before, after string
		want          bool
	}{
		{"vendor/a", "vendor/a", true},
		{"", "vendor/a", true},
		{"vendor/a", "", true},
		{"vendor/a", "third/a", true},
		{"auth.go", "vendor/auth.go", false},
		{"vendor/auth.go", "auth.go", false},
		{"", "", false},
	} {
		if got := p.matchAll(test.before, test.after); got != test.want {
			t.Errorf("%q to %q is %v", test.before, test.after, got)
		}
	}
	if newPatterns(nil).matchAll("a", "a") {
		t.Error("without patterns a file is excluded")
	}
}
