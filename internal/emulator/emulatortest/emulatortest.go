// Package emulatortest starts an emulated GitHub for a test, with every request and answer held to GitHub's own
// description.
package emulatortest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/conformance"
)

// What Seed plants, for tests to name.
const (
	Owner          = "example-org"
	Name           = "ledger"
	RepositoryID   = 701002003
	OrganizationID = 5000005
	MaintainerID   = 1000001
	ContributorID  = 2000002
	ForkID         = 702000444
	AppID          = 900001
	InstallationID = 80000001
	BotUserID      = 190000001
	Number         = 12
	WorkflowID     = 300001
	RunID          = 17000000001
	// JobToken is the GITHUB_TOKEN of the run, which may read.
	JobToken = "ghs_jobtoken000000000000000000000000001"
)

// Now is the time of Seed.
var Now = time.Date(2026, 11, 30, 10, 5, 3, 0, time.UTC)

var key = sync.OnceValue(func() *rsa.PrivateKey {
	generated, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return generated
})

// Key is the App's private key, one a process.
func Key() *rsa.PrivateKey { return key() }

// KeyPEM is the App's private key as GitHub hands it out.
func KeyPEM() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(Key())}))
}

// PublicKeyPEM is what the seed says of the App's key.
func PublicKeyPEM() string {
	document, err := x509.MarshalPKIXPublicKey(&Key().PublicKey)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: document}))
}

// Text makes a plain file.
func Text(content string) emulator.File {
	return emulator.File{Content: []byte(content), Mode: "100644"}
}

// Base and Head are the trees of the seed's pull request: one file changed in two hunks, one added.
var (
	Base = emulator.Tree{
		"README.md":               Text("# Ledger\n"),
		"internal/store/query.go": Text(strings.Join(queryLines(false), "\n") + "\n"),
	}
	Head = emulator.Tree{
		"README.md":               Text("# Ledger\n"),
		"internal/store/query.go": Text(strings.Join(queryLines(true), "\n") + "\n"),
		"internal/store/owner.go": Text("package store\n\n// Owner is who an entry belongs to.\ntype Owner string\n"),
	}
)

// queryLines is a file of 40 lines; in the change line 10 is replaced and one line is added after line 30.
func queryLines(changed bool) []string {
	lines := []string{"package store", ""}
	for number := 3; number <= 40; number++ {
		line := "// line " + strings.Repeat("i", number)
		if changed && number == 10 {
			line = "// changed"
		}
		lines = append(lines, line)
		if changed && number == 30 {
			lines = append(lines, "// added")
		}
	}
	return lines
}

// Seed is a repository with one open pull request from a fork, one App, and one run of the workflow in progress.
func Seed() emulator.Seed {
	now := Now
	main := emulator.Tree{".github/airlock/policy.json": Text("{}\n")}
	for path, file := range Base {
		main[path] = file
	}
	return emulator.Seed{
		Now: &now,
		Repository: emulator.Repository{ID: RepositoryID, OwnerID: OrganizationID, Name: Name, DefaultBranch: "main", PushedAt: now.Add(-time.Hour),
			Branches: map[string]emulator.Branch{"main": {Tree: main}, "release": {Tree: Base}}},
		OtherRepositories: []emulator.Repository{{ID: 701002004, OwnerID: OrganizationID, Name: "another"}},
		Users: []*emulator.User{
			{ID: OrganizationID, Login: Owner, Type: "Organization"},
			{ID: MaintainerID, Login: "maintainer", Type: "User", Permission: "admin"},
			{ID: ContributorID, Login: "contributor", Type: "User"},
			{ID: BotUserID, Login: "pr-review[bot]", Type: "Bot"},
		},
		Apps: []*emulator.App{{ID: AppID, Slug: "pr-review", InstallationID: InstallationID, BotUserID: BotUserID, PublicKey: PublicKeyPEM(),
			Permissions: map[string]string{"checks": "write", "metadata": "read", "pull_requests": "write"}}},
		Workflows: []*emulator.Workflow{{ID: WorkflowID, Name: "review", Path: ".github/workflows/review.yml"}},
		WorkflowRuns: []*emulator.Run{{ID: RunID, WorkflowID: WorkflowID, Title: "airlock pr-review #12", Status: "in_progress",
			ActorID: MaintainerID, CreatedAt: now}},
		JobTokens: []emulator.JobToken{{Token: JobToken, RunID: RunID, Permissions: map[string]string{
			"actions": "read", "checks": "read", "contents": "read", "issues": "read", "pull_requests": "read"}}},
		PullRequests: []*emulator.Pull{{
			Number: Number, AuthorID: ContributorID, Title: "Find entries by owner", Body: "Adds an owner.", CreatedAt: now.Add(-30 * time.Minute),
			Base: emulator.Base{Ref: "main", Tree: Base, Commit: "0d1e2f3a4b5c6d7e8f90a1b2c3d4e5f60718293a"},
			Head: emulator.Head{Ref: "by-owner", Commit: "4a1d0c7f5b2e4b6d8f90a1b2c3d4e5f607182930", Tree: Head,
				Repository: &emulator.Repository{ID: ForkID, OwnerID: ContributorID, Name: Name, PushedAt: now.Add(-5 * time.Minute)}},
			Labels: []string{"airlock:approved"},
			Events: []*emulator.Event{{Event: "labeled", ActorID: MaintainerID, Label: "airlock:approved", At: now.Add(-time.Minute)}},
			Comments: []*emulator.Comment{{AuthorID: MaintainerID, Body: "> ignore the SQL\n\nPlease look at the locking.",
				CreatedAt: now.Add(-2 * time.Minute)}},
		}},
	}
}

// Instance is a running emulator.
type Instance struct {
	*emulator.Server
	// URL is the base of the API, without a slash at the end; GraphQL is at URL + "/graphql".
	URL string
}

// Start serves the seed until the test ends. Requests and answers that GitHub's description does not allow are errors
// of the test.
func Start(t testing.TB, seed emulator.Seed, options emulator.Options) *Instance {
	t.Helper()
	server, err := emulator.New(seed, options)
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(conformance.Wrap(t, server.Handler()))
	t.Cleanup(listener.Close)
	return &Instance{Server: server, URL: listener.URL}
}

// State is the emulator's state; a failure to read it ends the test.
func (instance *Instance) State(t testing.TB) emulator.State {
	t.Helper()
	state, err := instance.Server.State()
	if err != nil {
		t.Fatal(err)
	}
	return state
}
