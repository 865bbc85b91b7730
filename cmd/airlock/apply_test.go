package main

import (
	"bytes"
	"context"
	"go/parser"
	"go/token"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// TestPlanOpensNoConnection holds that a plan is made from files alone: every address it could know is listened to, and
// nobody comes.
func TestPlanOpensNoConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var connections atomic.Int32
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			connection.Close()
		}
	}()
	address := "http://" + listener.Addr().String()
	for _, name := range []string{"GITHUB_API_URL", "GITHUB_GRAPHQL_URL", "GITHUB_SERVER_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, address)
	}
	before := http.DefaultTransport
	defer func() { http.DefaultTransport = before }()
	http.DefaultTransport = refusing{t}

	folder := t.TempDir()
	for name, source := range map[string]string{"decision.json": "A.decision.json", "facts.json": "A.facts.json", "diff.patch": "A.diff.patch",
		"role.json": "role.json", "prompt.md": "prompt.md", "policy.json": "policy.json", "apps.json": "apps.json", "harness.json": "harness.json"} {
		data, err := os.ReadFile(filepath.Join("../../testdata/model", source))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var out, complaints bytes.Buffer
	code := run(context.Background(), []string{"apply", "--plan", "--bundle", folder, "--facts", filepath.Join(folder, "facts.json"),
		"--result", "../../testdata/model/A.result.json"}, streams{nil, &out, &complaints})
	if code != exitFound || !strings.Contains(out.String(), "release_mismatch") {
		t.Errorf("ended with %d:\n%s%s", code, out.String(), complaints.String())
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections were opened", n)
	}
}

type refusing struct{ t *testing.T }

func (r refusing) RoundTrip(request *http.Request) (*http.Response, error) {
	r.t.Errorf("a request to %s", request.URL.Host)
	return nil, net.ErrClosed
}

// TestPlanImportsNoNetwork holds that neither the command nor what it calls imports a client.
func TestPlanImportsNoNetwork(t *testing.T) {
	for _, name := range []string{"apply.go", "applytext.go", "applyjson.go", "foresee.go", "files.go", "../../internal/apply/prepare.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			base := path[strings.LastIndexByte(path, '/')+1:]
			if path == "net" || path == "net/http" || slices.Contains([]string{"github", "facts", "artifact", "identity", "effects"}, base) {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
