package artifact_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-2ea642bd/airlock/internal/artifact"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// entry is one entry of an archive.
type entry struct {
	name, content string
	mode          fs.FileMode
}

func archive(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var buffer bytes.Buffer
	writer := zip.NewWriter(&buffer)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		header.SetMode(e.mode | 0o644)
		file, err := writer.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// place is an emulated GitHub with one artifact, and the Want that is right for it.
type place struct {
	*emulatortest.Instance
	client *github.Client
	want   artifact.Want
	waits  []time.Duration
}

func put(t *testing.T, data []byte) *place {
	t.Helper()
	p := &place{Instance: emulatortest.Start(t, emulatortest.Seed(), emulator.Options{})}
	uploaded, err := p.UploadArtifact(emulatortest.RunID, "airlock-result-pr-review-12-1", data)
	if err != nil {
		t.Fatal(err)
	}
	p.client, err = github.New(github.Options{
		APIURL: p.URL, GraphQLURL: p.URL + "/graphql", Token: secret.New(emulatortest.JobToken), Transport: http.DefaultTransport,
		Sleep: func(_ context.Context, wait time.Duration) error { p.waits = append(p.waits, wait); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	p.want = artifact.Want{
		Owner: emulatortest.Owner, Name: emulatortest.Name, ID: uploaded.ID, RunID: emulatortest.RunID, ZipDigest: digest(data),
		Files: []artifact.File{{Name: "result.json", SHA256: digest([]byte("{}\n")), MaxBytes: 100}}, MaxZipBytes: 10000,
	}
	return p
}

// TestShapes holds what an archive may look like.
func TestShapes(t *testing.T) {
	right := entry{name: "result.json", content: "{}\n"}
	tests := []struct {
		name    string
		archive []byte
		code    contract.Code
	}{
		{"one regular file", archive(t, right), ""},
		{"no entry", archive(t), contract.CodeArtifactShape},
		{"two entries", archive(t, right, entry{name: "b", content: "x"}), contract.CodeArtifactShape},
		{"the name twice", archive(t, right, right), contract.CodeArtifactShape},
		{"another name", archive(t, entry{name: "results.json", content: "{}\n"}), contract.CodeArtifactShape},
		{"a path that climbs", archive(t, entry{name: "../result.json", content: "{}\n"}), contract.CodeArtifactShape},
		{"an absolute path", archive(t, entry{name: "/result.json", content: "{}\n"}), contract.CodeArtifactShape},
		{"a path with a backslash", archive(t, entry{name: `x\result.json`, content: "{}\n"}), contract.CodeArtifactShape},
		{"a folder above", archive(t, entry{name: "x/result.json", content: "{}\n"}), contract.CodeArtifactShape},
		{"a folder of the name", archive(t, entry{name: "result.json/", content: ""}), contract.CodeArtifactShape},
		{"a symbolic link", archive(t, entry{name: "result.json", content: "/etc/passwd", mode: fs.ModeSymlink}), contract.CodeArtifactShape},
		{"a device", archive(t, entry{name: "result.json", content: "", mode: fs.ModeDevice}), contract.CodeArtifactShape},
		{"a named pipe", archive(t, entry{name: "result.json", content: "", mode: fs.ModeNamedPipe}), contract.CodeArtifactShape},
		{"a bomb", archive(t, entry{name: "result.json", content: strings.Repeat("0", 1<<20)}), contract.CodeArtifactTooLarge},
		{"one byte too many", archive(t, entry{name: "result.json", content: strings.Repeat("0", 101)}), contract.CodeArtifactTooLarge},
		{"another content", archive(t, entry{name: "result.json", content: "{ }\n"}), contract.CodeArtifactDigest},
		{"not a zip", []byte("{}\n"), contract.CodeArtifactShape},
		{"half a zip", archive(t, right)[:60], contract.CodeArtifactShape},
		{"a wrong checksum", flip(archive(t, right), 42), contract.CodeArtifactShape},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := put(t, test.archive)
			files, code, err := artifact.Fetch(context.Background(), p.client, p.want)
			if code != test.code || (err == nil) != (code == "") {
				t.Fatalf("code %q, error %v, want %q", code, err, test.code)
			}
			if code == "" && string(files["result.json"]) != "{}\n" {
				t.Errorf("files %v", files)
			}
			if code != "" && files != nil {
				t.Errorf("files %v with code %s", files, code)
			}
			if got, want := p.client.Calls(), (contract.Calls{REST: 2}); got != want {
				t.Errorf("calls %+v", got)
			}
		})
	}
}

// flip changes one byte.
func flip(data []byte, at int) []byte {
	data[at] ^= 0xff
	return data
}

// TestBundle holds that several files are taken together, and each by its own digest.
func TestBundle(t *testing.T) {
	p := put(t, archive(t, entry{name: "b", content: "two"}, entry{name: "a", content: "one"}))
	p.want.Files = []artifact.File{{Name: "a", SHA256: digest([]byte("one")), MaxBytes: 3}, {Name: "b", MaxBytes: 3}}
	files, code, err := artifact.Fetch(context.Background(), p.client, p.want)
	if err != nil || code != "" {
		t.Fatal(code, err)
	}
	if difference := cmp.Diff(map[string][]byte{"a": []byte("one"), "b": []byte("two")}, files); difference != "" {
		t.Error(difference)
	}
}

// TestWants holds the artifact to what was asked for.
func TestWants(t *testing.T) {
	data := func(t *testing.T) []byte { return archive(t, entry{name: "result.json", content: "{}\n"}) }
	tests := []struct {
		name  string
		want  func(*artifact.Want)
		code  contract.Code
		calls int
	}{
		{"another run", func(w *artifact.Want) { w.RunID++ }, contract.CodeArtifactMissing, 1},
		{"another id", func(w *artifact.Want) { w.ID += 1000 }, contract.CodeArtifactMissing, 4},
		{"another digest", func(w *artifact.Want) { w.ZipDigest = strings.Repeat("0", 64) }, contract.CodeArtifactDigest, 1},
		{"a smaller bound", func(w *artifact.Want) { w.MaxZipBytes = 10 }, contract.CodeArtifactTooLarge, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := put(t, data(t))
			test.want(&p.want)
			files, code, err := artifact.Fetch(context.Background(), p.client, p.want)
			if code != test.code || err == nil || files != nil {
				t.Errorf("code %q, error %v, files %v", code, err, files)
			}
			if p.client.Calls().REST != test.calls {
				t.Errorf("%d calls, want %d", p.client.Calls().REST, test.calls)
			}
		})
	}
}

// TestWays holds what happens on the way: what is asked for again, and what each failure is called.
func TestWays(t *testing.T) {
	const (
		meta = "GET /repos/{owner}/{repo}/actions/artifacts/{id}"
		zips = "GET /repos/{owner}/{repo}/actions/artifacts/{id}/zip"
		blob = "GET /_blob/*"
	)
	tests := []struct {
		name  string
		fault emulator.Fault
		code  contract.Code
		waits int
	}{
		{"not visible yet", emulator.Fault{Kind: "missing-404", Match: meta, Times: 3}, "", 3},
		{"never visible", emulator.Fault{Kind: "missing-404", Match: meta, Times: 9}, contract.CodeArtifactMissing, 3},
		{"the zip is not visible yet", emulator.Fault{Kind: "missing-404", Match: zips, Times: 2}, "", 2},
		{"other bytes once", emulator.Fault{Kind: "artifact-changed"}, "", 0},
		{"a short read once", emulator.Fault{Kind: "artifact-short"}, "", 0},
		{"a short read always", emulator.Fault{Kind: "artifact-short", Match: blob, Times: 9}, contract.CodeArtifactDigest, 0},
		{"expired", emulator.Fault{Kind: "artifact-expired"}, contract.CodeArtifactExpired, 0},
		{"other bytes always", emulator.Fault{Kind: "artifact-changed", Match: blob, Times: 9}, contract.CodeArtifactDigest, 0},
		{"no permission", emulator.Fault{Kind: "lag-403", Match: meta, Times: 9}, contract.CodePermissionDenied, 0},
		{"server error", emulator.Fault{Kind: "error-500-not-done", Match: meta, Times: 9}, contract.CodePlatformError, 2},
		{"a page of HTML", emulator.Fault{Kind: "html-200", Match: meta, Times: 9}, contract.CodePlatformError, 2},
		{"half an answer", emulator.Fault{Kind: "truncated-json", Match: meta}, "", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := put(t, archive(t, entry{name: "result.json", content: "{}\n"}))
			if err := p.Inject(test.fault); err != nil {
				t.Fatal(err)
			}
			_, code, err := artifact.Fetch(context.Background(), p.client, p.want)
			if code != test.code || (err == nil) != (code == "") {
				t.Errorf("code %q, error %v, want %q", code, err, test.code)
			}
			if len(p.waits) != test.waits {
				t.Errorf("waits %v, want %d", p.waits, test.waits)
			}
		})
	}
}
