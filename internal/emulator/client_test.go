package emulator_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
	"github.com/seed-2ea642bd/airlock/internal/emulator/emulatortest"
)

// reply is an answer as a client sees it.
type reply struct {
	status int
	header http.Header
	text   string
}

// document decodes the answer into an object.
func (r reply) document(t *testing.T) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(r.text), &object); err != nil {
		t.Fatalf("%v in %q", err, r.text)
	}
	return object
}

// list decodes the answer into a list of objects.
func (r reply) list(t *testing.T) []map[string]any {
	t.Helper()
	var list []map[string]any
	if err := json.Unmarshal([]byte(r.text), &list); err != nil {
		t.Fatalf("%v in %q", err, r.text)
	}
	return list
}

// client talks to an emulator with one credential.
type client struct {
	t          *testing.T
	url, token string
	accept     string
}

func (c client) do(method, path, body string) reply {
	c.t.Helper()
	request, err := http.NewRequest(method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.accept != "" {
		request.Header.Set("Accept", c.accept)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	plain := http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := plain.Do(request)
	if err != nil {
		return reply{}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(content)}
}

func (c client) get(path string) reply { c.t.Helper(); return c.do("GET", path, "") }

// repo is the path of the seed's repository.
const repo = "/repos/example-org/ledger"

// signed makes a JWT of the seed's App at the seed's time.
func signed(t *testing.T, change func(jwt.MapClaims)) string {
	t.Helper()
	claims := jwt.MapClaims{"iss": "900001", "iat": emulatortest.Now.Add(-time.Minute).Unix(), "exp": emulatortest.Now.Add(9 * time.Minute).Unix()}
	if change != nil {
		change(claims)
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodRS256, claims).SignedString(emulatortest.Key())
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// start runs the seed and returns a client with the job's token.
func start(t *testing.T, change func(*emulator.Seed), options emulator.Options) (*emulatortest.Instance, client) {
	t.Helper()
	seed := emulatortest.Seed()
	if change != nil {
		change(&seed)
	}
	instance := emulatortest.Start(t, seed, options)
	return instance, client{t: t, url: instance.URL, token: emulatortest.JobToken}
}

// mint returns a client with an installation token of the given permissions.
func mint(t *testing.T, url, permissions string) client {
	t.Helper()
	app := client{t: t, url: url, token: signed(t, nil)}
	answer := app.do("POST", "/app/installations/80000001/access_tokens", `{"repository_ids":[701002003],"permissions":`+permissions+`}`)
	if answer.status != http.StatusCreated {
		t.Fatalf("mint: %d %s", answer.status, answer.text)
	}
	return client{t: t, url: url, token: answer.document(t)["token"].(string)}
}
