package main

import (
	"bytes"
	"context"
	"go/parser"
	"go/token"
	"io"
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
	if err := writeModel("../../testdata/model", "A", folder); err != nil {
		t.Fatal(err)
	}
	var out, complaints bytes.Buffer
	code := run(context.Background(), []string{"apply", "--plan", "--bundle", folder, "--facts", filepath.Join(folder, "facts.json"),
		"--result", filepath.Join(folder, "result.json")}, streams{nil, &out, &complaints})
	if code != exitDone || !strings.Contains(out.String(), "e1 submit_review") {
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

// TestFactsOfAnotherItem holds that facts are those of the Decision's item.
func TestFactsOfAnotherItem(t *testing.T) {
	folder := t.TempDir()
	if err := writeModel("../../testdata/model", "A", folder); err != nil {
		t.Fatal(err)
	}
	facts, err := os.ReadFile(filepath.Join(folder, "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ from, to, want string }{
		"number":     {`"number":12`, `"number":13`, "field item: it is #13 of repository 701002003, and the Decision is of #12 of repository 701002003"},
		"repository": {`"id":701002003`, `"id":701002004`, "field item: it is #12 of repository 701002004, and the Decision is of #12 of repository 701002003"},
	} {
		t.Run(name, func(t *testing.T) {
			other := filepath.Join(t.TempDir(), "facts.json")
			changed := strings.Replace(string(facts), c.from, c.to, 1)
			if changed == string(facts) {
				t.Fatalf("the facts do not hold %s", c.from)
			}
			if err := os.WriteFile(other, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			var complaints bytes.Buffer
			code := run(context.Background(), []string{"apply", "--plan", "--bundle", folder, "--facts", other, "--result", filepath.Join(folder, "result.json")},
				streams{nil, io.Discard, &complaints})
			if code != exitUsage || !strings.Contains(complaints.String(), "record_invalid") || !strings.Contains(complaints.String(), c.want) {
				t.Errorf("ended with %d: %s", code, complaints.String())
			}
		})
	}
}
