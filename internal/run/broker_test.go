package run

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/engine"
	"github.com/seed-2ea642bd/airlock/internal/sandbox"
	"github.com/seed-2ea642bd/airlock/internal/standin"
)

// TestBrokerRealProgram holds the whole way as it is on Actions: the program as a process of its own and of a user without
// rights, the real CLI in the sandbox, the broker, a server. The server alone sees the credential; no byte that is left, in the
// log, the outputs, the Result or on disk, holds it, the CLI's own token, or a word of the model's that is not the answer.
func TestBrokerRealProgram(t *testing.T) {
	const canary = "CANARY-2f81"
	program := built(t)
	api := standin.Start(t, strict(), standin.Message("tool_use", standin.Thinking(canary), standin.Text(canary),
		standin.Call(standin.OutputTool, string(modelFile(t, "A.result.model.json")))))
	s := realStage(t, api)
	s.brokered()
	s.harness.Engines[0].Upstream, s.harness.Engines[0].Sandbox = api.URL(), sandbox.KindBubblewrap
	// A copy that another user can read, wherever this repository is.
	s.env["AIRLOCK_CLI"] = copied(t, s.env["AIRLOCK_CLI"])
	s.hand(t)
	command := s.process(program)
	asNobody(t, command)
	if err := command.Run(); err != nil {
		t.Fatalf("%v: %s%s", err, s.stdout.String(), s.stderr.String())
	}
	result := s.result(t)
	if result.Status != contract.StatusCompleted || result.Engine.Credential != engine.CredentialBroker || result.Engine.Sandbox != sandbox.KindBubblewrap ||
		result.Engine.Mode != contract.ModeStandIn || result.Usage.CostMicrousd != 419 || !result.Usage.Complete {
		t.Errorf("result: %s, %+v, %+v", result.Status, result.Engine, result.Usage)
	}
	if requests := api.Requests(); len(requests) != 1 || requests[0].Header.Get("Authorization") != "Bearer "+testToken {
		t.Errorf("%d requests", len(requests))
	}
	left := map[string][]byte{"stdout": s.stdout.Bytes(), "stderr": s.stderr.Bytes()}
	must(t, filepath.WalkDir(filepath.Dir(s.env["AIRLOCK_RESULT"]), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		left[path], err = os.ReadFile(path)
		return err
	}))
	for where, data := range left {
		for _, word := range []string{canary, testToken, "airlock-run-"} {
			if bytes.Contains(data, []byte(word)) {
				t.Errorf("%s holds %s", where, word)
			}
		}
	}
	if !strings.Contains(s.stdout.String(), "no model is asked, but an address on this machine") {
		t.Errorf("the log does not say that no model was asked: %s", s.stdout.String())
	}
}

// copied is a copy of a program in the directory of the test.
func copied(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	copied := filepath.Join(t.TempDir(), "claude")
	must(t, os.WriteFile(copied, data, 0o700))
	return copied
}
