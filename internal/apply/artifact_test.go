package apply

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/refusal/refusaltest"
)

var update = refusaltest.UpdateFlag()

// wireCase is one thing that can be wrong with what a job hands on. A near miss, whose name begins with "near: ", comes close.
type wireCase struct {
	name string
	do   func(*world)
}

func (c wireCase) near() bool { return strings.HasPrefix(c.name, "near: ") }

// resultCases are what can be wrong with the Result's way to apply.
func resultCases() map[contract.Code][]wireCase {
	result := func(w *world) []byte {
		data, err := contract.Canonical(w.resultOf(three()))
		w.must(err)
		return data
	}
	zip := func(change func(data []byte) map[string][]byte) func(*world) {
		return func(w *world) { w.handZip(change(result(w))) }
	}
	bytesOf := func(change func(data []byte) []byte) func(*world) {
		return zip(func(data []byte) map[string][]byte { return map[string][]byte{resultFile: change(data)} })
	}
	fault := func(f emulator.Fault) func(*world) {
		return then(func(w *world) { w.must(w.Inject(f)) })
	}
	const metadata = "GET /repos/*/*/actions/artifacts/*"
	return map[contract.Code][]wireCase{
		contract.CodeArtifactMissing: {
			{"none was handed on", func(*world) {}},
			{"an id that does not exist", then(func(w *world) { w.result.id += 1000 })},
			{"of another workflow run", func(w *world) {
				other, err := w.SetWorkflowRun(emulator.Run{ID: w.run + 50, Title: "airlock pr-review #13", Status: "in_progress"})
				w.must(err)
				data := result(w)
				w.result = w.uploadZip(other, "airlock-result", zipped(w.t, map[string][]byte{resultFile: data}), contract.Digest(data))
			}},
			{"near: not to be seen at the first look", fault(emulator.Fault{Kind: "missing-404", Match: metadata, Nth: 2})},
		},
		contract.CodeArtifactExpired: {
			{"expired", fault(emulator.Fault{Kind: "artifact-expired", Nth: 2})},
			{"near: expired after it was taken", fault(emulator.Fault{Kind: "artifact-expired", Nth: 3})},
		},
		contract.CodeArtifactDigest: {
			{"another digest of the archive", then(func(w *world) { w.result.zipDigest = strings.Repeat("0", 64) })},
			{"another digest of the file", then(func(w *world) { w.result.digest = strings.Repeat("0", 64) })},
			{"bytes that are others every time", fault(emulator.Fault{Kind: "artifact-changed", Nth: 2, Times: 2})},
			{"bytes that break off every time", fault(emulator.Fault{Kind: "artifact-short", Nth: 2, Times: 2})},
			{"near: bytes that break off once", fault(emulator.Fault{Kind: "artifact-short", Nth: 2})},
		},
		contract.CodeArtifactTooLarge: {
			{"one byte over", bytesOf(func(data []byte) []byte { return padded(data, maxResult+1) })},
			{"near: exactly the limit", bytesOf(func(data []byte) []byte { return padded(data, maxResult) })},
		},
		contract.CodeArtifactShape: {
			{"another name", zip(func(data []byte) map[string][]byte { return map[string][]byte{"other.json": data} })},
			{"two entries", zip(func(data []byte) map[string][]byte {
				return map[string][]byte{resultFile: data, "second.json": []byte("{}")}
			})},
			{"a path in the entry", zip(func(data []byte) map[string][]byte { return map[string][]byte{"../" + resultFile: data} })},
			{"no zip", func(w *world) {
				w.result = w.uploadZip(w.run, "airlock-result", []byte("no archive"), contract.Digest(result(w)))
			}},
			{"the bundle instead of the Result", then(func(w *world) { w.result.id, w.result.zipDigest = w.bundle.id, w.bundle.zipDigest })},
			{"near: one entry that is not compressed", func(w *world) {
				data := result(w)
				w.result = w.uploadZip(w.run, "airlock-result", stored(w.t, resultFile, data), contract.Digest(data))
			}},
		},
		contract.CodeResultInvalid: {
			{"a field that is not known", bytesOf(func(data []byte) []byte { return append([]byte(`{"approve":true,`), data[1:]...) })},
			{"truncated JSON", bytesOf(func(data []byte) []byte { return data[:len(data)/2] })},
			{"an empty file", bytesOf(func([]byte) []byte { return []byte{} })},
			{"an empty object", bytesOf(func([]byte) []byte { return []byte("{}\n") })},
			{"trailing data", bytesOf(func(data []byte) []byte { return append(data, "{}"...) })},
			{"a key twice", bytesOf(func(data []byte) []byte { return append([]byte(`{"schema":"result/1",`), data[1:]...) })},
			{"of another version", bytesOf(func(data []byte) []byte { return bytes.Replace(data, []byte("result/1"), []byte("result/2"), 1) })},
			{"near: the same in another form", bytesOf(func(data []byte) []byte { return bytes.Replace(data, []byte(`{`), []byte("{\n  "), 1) })},
		},
		contract.CodePlatformError: {
			{"GitHub failing three times", fault(emulator.Fault{Kind: "error-500-not-done", Match: metadata, Nth: 2, Times: 3})},
			{"near: GitHub failing twice", fault(emulator.Fault{Kind: "error-500-not-done", Match: metadata, Nth: 2, Times: 2})},
		},
		contract.CodeConfigurationInvalid: {
			{"a policy that is not one now", then(func(w *world) { w.policy(func(p map[string]any) { p["paused"] = 5 }) })},
			{"near: a policy that allows more now", then(func(w *world) {
				w.policy(func(p map[string]any) { p["budget"].(map[string]any)["item_runs_per_day"] = 9 })
			})},
		},
	}
}

// padded lengthens a record by white space at its end.
func padded(data []byte, size int) []byte {
	return append(data, bytes.Repeat([]byte(" "), size-len(data))...)
}

// stored is an archive of one file that is not compressed.
func stored(t testing.TB, name string, data []byte) []byte {
	t.Helper()
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	file, err := writer.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err == nil {
		_, err = file.Write(data)
	}
	if err := errors.Join(err, writer.Close()); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}

// handZip hands on an archive as run's, with the digest of its result.json.
func (w *world) handZip(files map[string][]byte) {
	w.t.Helper()
	w.result = w.upload("airlock-result", files, contract.Digest(files[resultFile]))
}

// TestArtifact holds the Result's way to apply: each thing that can be wrong with it ends the Run with its code and nothing
// written but the check, and what comes close to it does not.
func TestArtifact(t *testing.T) {
	rows := map[contract.Code]row{contract.CodePlatformError: {"failed", "platform", "action_required", 1},
		contract.CodeConfigurationInvalid: {"not_admitted", "configuration", "action_required", 1}}
	all := resultCases()
	holdsBoth(t, all, contract.CodesOf(contract.StageArtifact)...)
	for code, list := range all {
		for i, c := range list {
			t.Run(string(code)+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				w.admit()
				c.do(w)
				e := w.apply(nil)
				switch want, special := rows[code]; {
				case c.near() && (e.code != 0 || w.reviewsByUs() != 1):
					t.Errorf("code %d, %d reviews\n%s", e.code, w.reviewsByUs(), e.log)
				case c.near():
				case code == contract.CodeConfigurationInvalid:
					w.holdsRow(e, want, []contract.Code{contract.CodeNotAdmitted, code}, []string{postCheck})
				case special:
					w.holdsEnd(e, code, want)
				default:
					w.holdsEnd(e, code, noResultRow)
				}
				w.holdsPair(e, code, list, i)
			})
		}
	}
}

// holdsBoth holds that each code has a case that trips it and a near miss.
func holdsBoth(t *testing.T, all map[contract.Code][]wireCase, codes ...contract.Code) {
	t.Helper()
	for _, code := range append(codes, slices.Collect(maps.Keys(all))...) {
		if !slices.ContainsFunc(all[code], wireCase.near) || !slices.ContainsFunc(all[code], func(c wireCase) bool { return !c.near() }) {
			t.Errorf("%s lacks a case that trips it, or a near miss", code)
		}
	}
}

// holdsPair holds what an execution left to the golden file of its code, where it is the first of its kind in the list.
func (w *world) holdsPair(e ended, code contract.Code, list []wireCase, i int) {
	w.t.Helper()
	near := list[i].near()
	if slices.IndexFunc(list, func(c wireCase) bool { return c.near() == near }) != i {
		return
	}
	file := refusaltest.Trips
	if near {
		file = refusaltest.Near
	}
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("%s\n", strings.TrimPrefix(list[i].name, "near: "))
	if !e.records {
		line("no records, exit %d", e.code)
		out.WriteString(e.log)
	} else {
		reasons := []string{}
		for _, reason := range e.outcome.Reasons {
			reasons = append(reasons, string(reason))
		}
		for _, write := range e.writes() {
			line("wrote: %s", write)
		}
		line("outcome: %s, fault %s, exit %d", e.outcome.Status, e.outcome.Fault, e.code)
		line("reasons: %s", strings.Join(reasons, ", "))
		if e.outcome.Check != nil {
			line("check: %s: %s", e.outcome.Check.Name, e.outcome.Check.Conclusion)
		}
	}
	refusaltest.Hold(w.t.(*testing.T), *update, code, file, out.String())
}

// bundleCases are what can be wrong with decide's files; some say so by the environment that apply is given.
func bundleCases() map[contract.Code][]bundleCase {
	environment := func(name, value string) func(*world, map[string]string) {
		return func(_ *world, env map[string]string) { env[name] = value }
	}
	fault := func(f emulator.Fault) func(*world, map[string]string) {
		return func(w *world, _ map[string]string) { w.must(w.Inject(f)) }
	}
	files := func(change func(map[string][]byte)) func(*world, map[string]string) {
		return func(w *world, env map[string]string) { w.replace(env, change) }
	}
	decision := func(change func([]byte) []byte) func(*world, map[string]string) {
		return func(w *world, env map[string]string) {
			w.replace(env, func(files map[string][]byte) {
				d := change(files[bundle.DecisionFile])
				files[bundle.DecisionFile], env["AIRLOCK_DECISION_SHA256"] = d, contract.Digest(d)
			})
		}
	}
	return map[contract.Code][]bundleCase{
		contract.CodeBundleMismatch: {
			{"a file is changed", files(func(files map[string][]byte) { files[bundle.PolicyFile] = append(files[bundle.PolicyFile], ' ') })},
			{"another digest of the Decision", environment("AIRLOCK_DECISION_SHA256", strings.Repeat("0", 64))},
			{"of another repository", environment("GITHUB_REPOSITORY_ID", "5")},
			{"of an earlier workflow run, handed on again", func(w *world, env map[string]string) {
				archive, err := w.ArtifactZip(w.bundle.id)
				w.must(err)
				w.next()
				handed := w.uploadZip(w.run, "airlock-bundle", archive, w.bundle.digest)
				env["AIRLOCK_BUNDLE_ARTIFACT_ID"], env["GITHUB_RUN_ID"], env["GITHUB_TOKEN"] = decimal(handed.id), decimal(w.run), w.environment()["GITHUB_TOKEN"]
			}},
			{"near: the same files in another archive", files(func(map[string][]byte) {})},
		},
		contract.CodeRecordInvalid: {
			{"the Decision is truncated", decision(func(d []byte) []byte { return d[:100] })},
			{"near: the Decision in another form", decision(func(d []byte) []byte { return bytes.Replace(d, []byte("{"), []byte("{\n  "), 1) })},
		},
		contract.CodeArtifactDigest: {
			{"another digest of the archive", environment("AIRLOCK_BUNDLE_ARTIFACT_DIGEST", strings.Repeat("0", 64))},
		},
		contract.CodeArtifactMissing: {
			{"an id that does not exist", environment("AIRLOCK_BUNDLE_ARTIFACT_ID", "99")},
		},
		contract.CodeArtifactExpired: {
			{"expired", fault(emulator.Fault{Kind: "artifact-expired"})},
		},
		contract.CodeArtifactShape: {
			{"a file is missing", files(func(files map[string][]byte) { delete(files, bundle.PromptFile) })},
		},
		contract.CodePlatformError: {
			{"GitHub does not answer", fault(emulator.Fault{Kind: "bad-gateway-not-done", Call: 1, Times: 3})},
		},
	}
}

// bundleCase changes the world and the environment of apply.
type bundleCase struct {
	name   string
	change func(*world, map[string]string)
}

// TestBundle holds decide's files: nothing is used of a bundle that is not whole, and nothing is written.
func TestBundle(t *testing.T) {
	for code, cases := range bundleCases() {
		var list []wireCase
		for _, c := range cases {
			list = append(list, wireCase{name: c.name})
		}
		reason, _ := contract.ReasonOf(code)
		own := reason.Stage == contract.StageInput // the others are the Result's too, which has their pairs
		if own {
			holdsBoth(t, map[contract.Code][]wireCase{code: list})
		}
		for i, c := range cases {
			t.Run(string(code)+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				w.admit()
				w.answer(three())
				e := w.apply(func(env map[string]string) { c.change(w, env) })
				if !list[i].near() {
					w.holdsMessage(e, code)
				} else if e.code != 0 || w.reviewsByUs() != 1 {
					t.Errorf("code %d, %d reviews\n%s", e.code, w.reviewsByUs(), e.log)
				}
				if own {
					w.holdsPair(e, code, list, i)
				}
			})
		}
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
