package apply

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// artifactCases has one way to each code; TestArtifact has the others.
func artifactCases() map[contract.Code]endCase {
	return map[contract.Code]endCase{
		contract.CodeArtifactMissing:  {do: func(*world) {}},
		contract.CodeArtifactExpired:  {do: then(func(w *world) { w.must(w.Inject(emulator.Fault{Kind: "artifact-expired", Nth: 2})) })},
		contract.CodeArtifactDigest:   {do: then(func(w *world) { w.must(w.Inject(emulator.Fault{Kind: "artifact-changed", Nth: 2, Times: 2})) })},
		contract.CodeArtifactTooLarge: {do: func(w *world) { w.handZip(map[string][]byte{resultFile: bytes.Repeat([]byte(" "), maxResult+1)}) }},
		contract.CodeArtifactShape:    {do: func(w *world) { w.handZip(map[string][]byte{"other.json": []byte("{}")}) }},
		contract.CodeResultInvalid:    {do: func(w *world) { w.handZip(map[string][]byte{resultFile: []byte("{}\n")}) }},
	}
}

// handZip hands on an archive as run's, with the digest of its result.json.
func (w *world) handZip(files map[string][]byte) {
	w.t.Helper()
	w.result = w.upload("airlock-result", files, contract.Digest(files[resultFile]))
}

// TestArtifact holds the Result's way to apply: each thing that can be wrong with it ends the Run with its code and nothing
// written but the check.
func TestArtifact(t *testing.T) {
	result := func(w *world) []byte {
		data, err := contract.Canonical(w.resultOf(three()))
		w.must(err)
		return data
	}
	for name, c := range map[string]struct {
		do   func(*world)
		code contract.Code
		row  row
	}{
		"an id that does not exist":        {then(func(w *world) { w.result.id += 1000 }), contract.CodeArtifactMissing, noResultRow},
		"the bundle instead of the Result": {then(func(w *world) { w.result.id, w.result.zipDigest = w.bundle.id, w.bundle.zipDigest }), contract.CodeArtifactShape, noResultRow},
		"of another workflow run": {func(w *world) {
			other, err := w.SetWorkflowRun(emulator.Run{ID: w.run + 50, Title: "airlock pr-review #13", Status: "in_progress"})
			w.must(err)
			data := result(w)
			w.result = w.uploadZip(other, "airlock-result", zipped(w.t, map[string][]byte{resultFile: data}), contract.Digest(data))
		}, contract.CodeArtifactMissing, noResultRow},
		"another digest of the archive":   {then(func(w *world) { w.result.zipDigest = strings.Repeat("0", 64) }), contract.CodeArtifactDigest, noResultRow},
		"another digest of the file":      {then(func(w *world) { w.result.digest = strings.Repeat("0", 64) }), contract.CodeArtifactDigest, noResultRow},
		"bytes that break off every time": {then(func(w *world) { w.must(w.Inject(emulator.Fault{Kind: "artifact-short", Nth: 2, Times: 2})) }), contract.CodeArtifactDigest, noResultRow},
		"two entries":                     {func(w *world) { w.handZip(map[string][]byte{resultFile: result(w), "second.json": []byte("{}")}) }, contract.CodeArtifactShape, noResultRow},
		"a path in the entry":             {func(w *world) { w.handZip(map[string][]byte{"../" + resultFile: result(w)}) }, contract.CodeArtifactShape, noResultRow},
		"no zip": {func(w *world) {
			w.result = w.uploadZip(w.run, "airlock-result", []byte("no archive"), contract.Digest(result(w)))
		}, contract.CodeArtifactShape, noResultRow},
		"truncated JSON": {func(w *world) { d := result(w); w.handZip(map[string][]byte{resultFile: d[:len(d)/2]}) }, contract.CodeResultInvalid, noResultRow},
		"an empty file":  {func(w *world) { w.handZip(map[string][]byte{resultFile: {}}) }, contract.CodeResultInvalid, noResultRow},
		"trailing data":  {func(w *world) { w.handZip(map[string][]byte{resultFile: append(result(w), "{}"...)}) }, contract.CodeResultInvalid, noResultRow},
		"a key twice": {func(w *world) {
			w.handZip(map[string][]byte{resultFile: append([]byte(`{"schema":"result/1",`), result(w)[1:]...)})
		}, contract.CodeResultInvalid, noResultRow},
		"a field that is not known": {func(w *world) {
			w.handZip(map[string][]byte{resultFile: append([]byte(`{"approve":true,`), result(w)[1:]...)})
		}, contract.CodeResultInvalid, noResultRow},
		"of another version": {func(w *world) {
			w.handZip(map[string][]byte{resultFile: bytes.Replace(result(w), []byte("result/1"), []byte("result/2"), 1)})
		}, contract.CodeResultInvalid, noResultRow},
		"bytes that break off once": {then(func(w *world) { w.must(w.Inject(emulator.Fault{Kind: "artifact-short", Nth: 2})) }), "", row{}},
		"GitHub failing for the Result only": {then(func(w *world) {
			w.must(w.Inject(emulator.Fault{Kind: "error-500-not-done", Match: "GET /repos/*/*/actions/artifacts/*", Nth: 2, Times: 3}))
		}), contract.CodePlatformError, row{"failed", "platform", "action_required", 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.admit()
			c.do(w)
			e := w.apply(nil)
			if c.code == "" {
				if e.code != 0 || w.reviewsByUs() != 1 {
					t.Errorf("code %d, %d reviews\n%s", e.code, w.reviewsByUs(), e.log)
				}
				return
			}
			w.holdsEnd(e, c.code, c.row)
		})
	}
}

// TestBundle holds decide's files: nothing is used of a bundle that is not whole, and nothing is written.
func TestBundle(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*world, map[string]string)
		code   contract.Code
	}{
		"another digest of the Decision": {func(_ *world, env map[string]string) { env["AIRLOCK_DECISION_SHA256"] = strings.Repeat("0", 64) }, contract.CodeBundleMismatch},
		"another digest of the archive":  {func(_ *world, env map[string]string) { env["AIRLOCK_BUNDLE_ARTIFACT_DIGEST"] = strings.Repeat("0", 64) }, contract.CodeArtifactDigest},
		"an id that does not exist":      {func(_ *world, env map[string]string) { env["AIRLOCK_BUNDLE_ARTIFACT_ID"] = "99" }, contract.CodeArtifactMissing},
		"expired":                        {func(w *world, _ map[string]string) { w.must(w.Inject(emulator.Fault{Kind: "artifact-expired"})) }, contract.CodeArtifactExpired},
		"of another repository":          {func(_ *world, env map[string]string) { env["GITHUB_REPOSITORY_ID"] = "5" }, contract.CodeBundleMismatch},
		"of an earlier workflow run, handed on again": {func(w *world, env map[string]string) {
			archive, err := w.ArtifactZip(w.bundle.id)
			w.must(err)
			w.next()
			handed := w.uploadZip(w.run, "airlock-bundle", archive, w.bundle.digest)
			env["AIRLOCK_BUNDLE_ARTIFACT_ID"], env["GITHUB_RUN_ID"], env["GITHUB_TOKEN"] = decimal(handed.id), decimal(w.run), w.environment()["GITHUB_TOKEN"]
		}, contract.CodeBundleMismatch},
		"a file is changed": {func(w *world, env map[string]string) {
			w.replace(env, func(files map[string][]byte) { files[bundle.PolicyFile] = append(files[bundle.PolicyFile], ' ') })
		}, contract.CodeBundleMismatch},
		"a file is missing": {func(w *world, env map[string]string) {
			w.replace(env, func(files map[string][]byte) { delete(files, bundle.PromptFile) })
		}, contract.CodeArtifactShape},
		"the Decision is truncated": {func(w *world, env map[string]string) {
			w.replace(env, func(files map[string][]byte) {
				d := files[bundle.DecisionFile][:100]
				files[bundle.DecisionFile], env["AIRLOCK_DECISION_SHA256"] = d, contract.Digest(d)
			})
		}, contract.CodeRecordInvalid},
		"GitHub does not answer": {func(w *world, _ map[string]string) {
			w.must(w.Inject(emulator.Fault{Kind: "bad-gateway-not-done", Call: 1, Times: 3}))
		}, contract.CodePlatformError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.admit()
			w.answer(three())
			e := w.apply(func(env map[string]string) { c.change(w, env) })
			w.holdsMessage(e, c.code)
		})
	}
}

// replace uploads another bundle in place of decide's.
func (w *world) replace(env map[string]string, change func(map[string][]byte)) {
	w.t.Helper()
	archive, err := w.ArtifactZip(w.bundle.id)
	w.must(err)
	files := maps.Clone(unzipped(w.t, archive))
	change(files)
	handed := w.upload("airlock-bundle", files, contract.Digest(files[bundle.DecisionFile]))
	env["AIRLOCK_BUNDLE_ARTIFACT_ID"], env["AIRLOCK_BUNDLE_ARTIFACT_DIGEST"] = decimal(handed.id), handed.zipDigest
}

// holdsMessage holds an execution to one message of its code, exit code 2, and nothing written anywhere.
func (w *world) holdsMessage(e ended, code contract.Code) {
	w.t.Helper()
	lines := strings.Split(strings.TrimSpace(e.log), "\n")
	last := lines[len(lines)-1]
	if e.code != exitMessage || len(lines) != 1 || !strings.HasPrefix(last, "airlock apply: "+string(code)+": ") || strings.Count(last, "; ") < 2 {
		w.t.Errorf("exit code %d, want one line of %s and 2:\n%s", e.code, code, e.log)
	}
	if e.records || len(e.writes()) != 0 || w.alive() != 0 || w.reviewsByUs() != 0 || len(w.State(w.t).CheckRuns) != 0 {
		w.t.Errorf("something was written: %v", e.writes())
	}
}
