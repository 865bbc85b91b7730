package release

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// TestCurrent holds the form of the release, and that it is the same every time.
func TestCurrent(t *testing.T) {
	first, err := Current()
	if err != nil {
		t.Fatal(err)
	}
	second, err := Current()
	if err != nil {
		t.Fatal(err)
	}
	if first != second {
		t.Errorf("%+v and %+v", first, second)
	}
	if len(first.Commit) != 40 || !strings.HasPrefix(first.Contract, "sha256:") || len(first.Contract) != 71 || first.Version == "" {
		t.Errorf("release %+v", first)
	}
	form := struct {
		Schema  string           `json:"schema"`
		Release contract.Release `json:"release"`
	}{"x", first}
	if _, err := contract.Canonical(form); err != nil {
		t.Error(err)
	}
}

// TestContractDigestMoves holds that a schema's meaning moves the contract and its layout does not, and that the renderer moves it.
func TestContractDigestMoves(t *testing.T) {
	files := fstest.MapFS{"schemas/a.json": {Data: []byte(`{"type": "object", "required": ["a"]}`)}}
	digest := func(files fstest.MapFS, renderer string) string {
		d, err := contractDigest(files, renderer)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	before := digest(files, "r")
	for name, c := range map[string]struct {
		change   func(fstest.MapFS)
		renderer string
		moves    bool
	}{
		"nothing": {func(fstest.MapFS) {}, "r", false},
		"layout": {func(f fstest.MapFS) {
			f["schemas/a.json"] = &fstest.MapFile{Data: []byte("{\"required\":[\"a\"],\n\"type\":\"object\"}\n")}
		}, "r", false},
		"other files": {func(f fstest.MapFS) { f["config/a.json"] = &fstest.MapFile{Data: []byte("{}")} }, "r", false},
		"a rule": {func(f fstest.MapFS) {
			f["schemas/a.json"] = &fstest.MapFile{Data: []byte(`{"type": "object", "required": []}`)}
		}, "r", true},
		"a further schema": {func(f fstest.MapFS) { f["schemas/b.json"] = &fstest.MapFile{Data: []byte("{}")} }, "r", true},
		"the renderer":     {func(fstest.MapFS) {}, "s", true},
	} {
		t.Run(name, func(t *testing.T) {
			changed := maps.Clone(files)
			c.change(changed)
			if moved := digest(changed, c.renderer) != before; moved != c.moves {
				t.Errorf("moved %t, want %t", moved, c.moves)
			}
		})
	}
	if _, err := contractDigest(fstest.MapFS{"schemas/a.json": {Data: []byte("{")}}, "r"); err == nil {
		t.Error("a schema that is no JSON has a digest")
	}
}

// TestReleaseIsNoneUntilTagged holds that a build of the repository as it is says that it is no release: 40 zeros.
func TestReleaseIsNoneUntilTagged(t *testing.T) {
	data, err := airlock.Files.ReadFile("config/release.json")
	if err != nil {
		t.Fatal(err)
	}
	var v version
	if err := contract.Decode(data, &v); err != nil {
		t.Fatal(err)
	}
	if none := v.Commit == strings.Repeat("0", 40); none != strings.HasSuffix(v.Version, "-dev") {
		t.Errorf("version %s at commit %s", v.Version, v.Commit)
	}
}
