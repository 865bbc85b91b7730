package github_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

const token = "ghs_900001_eyJhbGciOiJSUzI1NiJ9.payload.signature"

// server answers every call with what the test gives, and counts.
type server struct {
	*httptest.Server
	requests []*http.Request
	bodies   []string
	waits    []time.Duration
}

func serve(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) (*server, *github.Client) {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.requests, s.bodies = append(s.requests, r), append(s.bodies, string(body))
		answer(len(s.requests), w, r)
	}))
	t.Cleanup(s.Close)
	return s, s.client(t)
}

func (s *server) client(t *testing.T) *github.Client {
	t.Helper()
	client, err := github.New(github.Options{
		APIURL: s.URL, GraphQLURL: s.URL + "/graphql", Token: secret.New(token), Transport: http.DefaultTransport,
		Sleep: func(_ context.Context, wait time.Duration) error { s.waits = append(s.waits, wait); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestClasses holds the class of every form a refusal has, what is kept of it, and how often a GET and a POST are sent.
func TestClasses(t *testing.T) {
	const secondary = `{"message":"You have exceeded a secondary rate limit","documentation_url":"https://docs.github.com/x#about-secondary-rate-limits"}`
	tests := []struct {
		name    string
		status  int
		header  map[string]string
		body    string
		class   github.Class
		message string
		gets    int
		waits   string
	}{
		{"404", 404, nil, `{"message":"Not Found"}`, github.ClassNotFound, "Not Found", 1, "[]"},
		{"410", 410, nil, `{"message":"Artifact has expired"}`, github.ClassGone, "Artifact has expired", 1, "[]"},
		{"401", 401, nil, `{"message":"Bad credentials"}`, github.ClassUnauthorized, "Bad credentials", 1, "[]"},
		{"403", 403, map[string]string{"X-Accepted-GitHub-Permissions": "pull_requests=write"}, `{"message":"Resource not accessible by integration"}`, github.ClassPermissionDenied, "Resource not accessible by integration", 1, "[]"},
		{"403 locked", 403, nil, `{"message":"Unable to create comment because issue is locked."}`, github.ClassLocked, "Unable to create comment because issue is locked.", 1, "[]"},
		{"403 secondary", 403, map[string]string{"Retry-After": "7"}, secondary, github.ClassRateLimited, "You have exceeded a secondary rate limit", 2, "[7s]"},
		{"403 secondary without a time", 403, nil, secondary, github.ClassRateLimited, "You have exceeded a secondary rate limit", 2, "[1m0s]"},
		{"403 secondary by its sentence", 403, nil, `{"message":"You have exceeded a secondary rate limit."}`, github.ClassRateLimited, "You have exceeded a secondary rate limit.", 2, "[1m0s]"},
		{"403 primary", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1796033160", "Date": "Mon, 30 Nov 2026 10:05:20 GMT"}, `{"message":"API rate limit exceeded"}`, github.ClassRateLimited, "API rate limit exceeded", 2, "[40s]"},
		{"403 primary far away", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1796036760", "Date": "Mon, 30 Nov 2026 10:05:20 GMT"}, `{"message":"API rate limit exceeded"}`, github.ClassRateLimited, "API rate limit exceeded", 1, "[]"},
		{"429", 429, map[string]string{"Retry-After": "61"}, secondary, github.ClassRateLimited, "You have exceeded a secondary rate limit", 1, "[]"},
		{"422 abuse", 422, nil, `{"message":"Validation Failed","errors":[{"resource":"PullRequestReview","code":"abuse","field":"base"}]}`, github.ClassRateLimited, "Validation Failed; PullRequestReview base abuse", 2, "[1m0s]"},
		{"422 strings", 422, nil, `{"message":"Unprocessable Entity","errors":["Line could not be resolved"]}`, github.ClassInvalid, "Unprocessable Entity; Line could not be resolved", 1, "[]"},
		{"422 one string", 422, nil, `{"message":"Validation Failed","errors":"Could not be processed"}`, github.ClassInvalid, "Validation Failed; Could not be processed", 1, "[]"},
		{"422 objects", 422, nil, `{"message":"Validation Failed","errors":[{"message":"Body is too long","code":"custom"}]}`, github.ClassInvalid, "Validation Failed; Body is too long", 1, "[]"},
		{"422 internal", 422, nil, `{"message":"Unprocessable Entity","errors":["An internal error occurred, please try again."]}`, github.ClassUnavailable, "Unprocessable Entity; An internal error occurred, please try again.", 3, "[1s 3s]"},
		{"406", 406, nil, `{"message":"Sorry"}`, github.ClassNotAcceptable, "Sorry", 1, "[]"},
		{"409", 409, nil, `{"message":"Conflict"}`, github.ClassConflict, "Conflict", 1, "[]"},
		{"202", 202, nil, ``, github.ClassUnavailable, "", 3, "[1s 3s]"},
		{"500", 500, nil, `{"message":"Server Error"}`, github.ClassUnavailable, "Server Error", 3, "[1s 3s]"},
		{"502 of HTML", 502, nil, `<html>`, github.ClassUnavailable, "", 3, "[1s 3s]"},
		{"301", 301, map[string]string{"Location": "/repositories/1?secret"}, `{"message":"Moved Permanently"}`, github.ClassRedirected, "Moved Permanently", 1, "[]"},
		{"307", 307, map[string]string{"Location": "/repositories/1?secret"}, ``, github.ClassRedirected, "", 1, "[]"},
		{"200 of HTML", 200, nil, `<html>`, github.ClassMalformed, "the answer is not one JSON document of the described form", 3, "[1s 3s]"},
		{"200 empty", 200, nil, ``, github.ClassMalformed, "the answer is empty", 3, "[1s 3s]"},
		{"200 null", 200, nil, `null`, github.ClassMalformed, "the answer is empty", 3, "[1s 3s]"},
		{"200 of another type", 200, nil, `{"id":"x"}`, github.ClassMalformed, "field id has another type than GitHub describes", 3, "[1s 3s]"},
		{"200 of two documents", 200, nil, `{"id":1}{}`, github.ClassMalformed, "the answer is not one JSON document of the described form", 3, "[1s 3s]"},
		{"200 too large", 200, nil, `{"id":1,"pad":"` + strings.Repeat("x", 2000) + `"}`, github.ClassTooLarge, "", 1, "[]"},
	}
	for _, test := range tests {
		for _, method := range []string{"GET", "POST"} {
			t.Run(test.name+" to "+method, func(t *testing.T) {
				s, client := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
					for name, value := range test.header {
						w.Header().Set(name, value)
					}
					w.WriteHeader(test.status)
					_, _ = io.WriteString(w, test.body)
				})
				var out struct {
					ID int64 `json:"id"`
				}
				_, err := client.REST(context.Background(), method, "repos/o/r/x?q=1", nil, &out, github.Limit(1000))
				var failure *github.Error
				if !errors.As(err, &failure) {
					t.Fatalf("error %v", err)
				}
				if failure.Class != test.class || failure.Message != test.message {
					t.Errorf("class %s, message %q, want %s, %q", failure.Class, failure.Message, test.class, test.message)
				}
				if failure.Accepted != test.header["X-Accepted-GitHub-Permissions"] {
					t.Errorf("accepted %q", failure.Accepted)
				}
				if failure.Operation != method+" /repos/o/r/x" || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "ghs_") {
					t.Errorf("error %q", err)
				}
				sent, waits := test.gets, test.waits
				if method == "POST" {
					sent, waits = 1, "[]"
				}
				if len(s.requests) != sent || client.Calls() != (contract.Calls{REST: sent}) || fmt.Sprint(s.waits) != waits {
					t.Errorf("%d requests, counted %+v, waited %v; want %d, %s", len(s.requests), client.Calls(), s.waits, sent, waits)
				}
			})
		}
	}
}

// TestOneWaitForALimit holds that a limit is waited for once in the life of a client.
func TestOneWaitForALimit(t *testing.T) {
	s, client := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(429)
	})
	for range 3 {
		var out map[string]any
		if _, err := client.REST(context.Background(), "GET", "x", nil, &out); github.ClassOf(err) != github.ClassRateLimited {
			t.Fatalf("error %v", err)
		}
	}
	if len(s.requests) != 4 || fmt.Sprint(s.waits) != "[1s]" {
		t.Errorf("%d requests, waits %v", len(s.requests), s.waits)
	}
}

// TestReadIsRepaired holds that a read that succeeds the second time is a success, and what is sent.
func TestReadIsRepaired(t *testing.T) {
	s, client := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			w.WriteHeader(503)
			return
		}
		w.Header().Set("Link", `<http://x/?page=1>; rel="prev", <http://x/?page=3>; rel="next"`)
		_, _ = io.WriteString(w, `{"id":7}`)
	})
	var out struct {
		ID int64 `json:"id"`
	}
	response, err := client.REST(context.Background(), "GET", github.Page("repos/o/r/x?a=b", 2), nil, &out)
	if err != nil || out.ID != 7 || !response.More || response.Status != 200 {
		t.Errorf("answer %d %+v, error %v", out.ID, response, err)
	}
	request := s.requests[1]
	if got := request.Header.Get("Authorization"); got != "Bearer "+token {
		t.Errorf("authorization of %d bytes", len(got))
	}
	if request.URL.RequestURI() != "/repos/o/r/x?a=b&per_page=100&page=2" || request.Header.Get("X-GitHub-Api-Version") != "2022-11-28" {
		t.Errorf("%s, version %s", request.URL.RequestURI(), request.Header.Get("X-GitHub-Api-Version"))
	}
}

// TestGraphQLClasses holds what an answer's errors mean, and that a mutation is sent once.
func TestGraphQLClasses(t *testing.T) {
	tests := []struct {
		name, body string
		class      github.Class
		queries    int
	}{
		{"data", `{"data":{"a":1}}`, "", 1},
		{"forbidden with data", `{"data":{"a":1},"errors":[{"type":"FORBIDDEN","message":"Resource not accessible by integration"}]}`, github.ClassPermissionDenied, 1},
		{"not found", `{"data":{"a":null},"errors":[{"type":"NOT_FOUND","message":"m"}]}`, github.ClassNotFound, 1},
		{"rate limited", `{"errors":[{"type":"RATE_LIMITED","message":"m"}]}`, github.ClassRateLimited, 2},
		{"stale", `{"errors":[{"type":"STALE_DATA","message":"m"}]}`, github.ClassConflict, 1},
		{"node limit", `{"errors":[{"type":"MAX_NODE_LIMIT_EXCEEDED","message":"m"}]}`, github.ClassInvalid, 1},
		{"refused document", `{"errors":[{"message":"Field 'x' doesn't exist","extensions":{"code":"undefinedField"}}]}`, github.ClassInvalid, 1},
		{"went wrong", `{"data":null,"errors":[{"message":"Something went wrong while executing your query."}]}`, github.ClassUnavailable, 3},
		{"unknown type", `{"errors":[{"type":"ODD","message":"m"}]}`, github.ClassUnavailable, 3},
		{"no data", `{"data":null}`, github.ClassMalformed, 3},
		{"neither", `{}`, github.ClassMalformed, 3},
		{"not JSON", `<html>`, github.ClassMalformed, 3},
	}
	for _, test := range tests {
		for _, kind := range []string{"query", "mutation"} {
			t.Run(test.name+" of a "+kind, func(t *testing.T) {
				s, client := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, test.body) })
				var out map[string]any
				err := client.GraphQL(context.Background(), kind+" Do($n: Int!) { a(n: $n) }", map[string]any{"n": 1}, &out)
				if github.ClassOf(err) != test.class {
					t.Errorf("error %v, want class %q", err, test.class)
				}
				if err != nil && !strings.HasPrefix(err.Error(), "GraphQL Do: ") {
					t.Errorf("error %v", err)
				}
				sent := test.queries
				if kind == "mutation" {
					sent = 1
				}
				if len(s.requests) != sent || client.Calls() != (contract.Calls{GraphQL: sent}) {
					t.Errorf("%d requests, counted %+v, want %d", len(s.requests), client.Calls(), sent)
				}
				if s.bodies[0] != `{"query":"`+kind+` Do($n: Int!) { a(n: $n) }","variables":{"n":1}}`+"\n" {
					t.Errorf("sent %s", s.bodies[0])
				}
			})
		}
	}
}

// TestUnreachable holds that a connection that breaks has a class and no address in its message.
func TestUnreachable(t *testing.T) {
	s, client := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"id":`)
		panic(http.ErrAbortHandler)
	})
	var out map[string]any
	_, err := client.REST(context.Background(), "GET", "repos/o/r/x?q=1", nil, &out)
	if github.ClassOf(err) != github.ClassUnreachable || !strings.Contains(err.Error(), "broke off") {
		t.Errorf("error %v", err)
	}
	if len(s.requests) != 3 {
		t.Errorf("%d requests", len(s.requests))
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := client.REST(ended, "GET", "x", nil, &out); !errors.Is(err, context.Canceled) || github.ClassOf(err) != github.ClassUnreachable {
		t.Errorf("error %v", err)
	}
	if len(s.requests) != 3 {
		t.Errorf("%d requests after the end", len(s.requests))
	}
}

// TestAddresses holds which addresses a token may be sent to.
func TestAddresses(t *testing.T) {
	for address, usable := range map[string]bool{
		"https://api.github.com": true, "https://ghe.example/api/v3/": true, "http://127.0.0.1:1": true, "http://[::1]:1": true, "http://localhost:1": true,
		"http://api.github.com": false, "http://10.0.0.1": false, "ftp://127.0.0.1": false, "": false, "api.github.com": false, "https://user:pass@x": false, "https://x/?q": false,
		"http://127.0.0.1.example": false, "http://localhost.example": false,
	} {
		_, err := github.New(github.Options{APIURL: address, GraphQLURL: "https://x/graphql", Token: secret.New(token), Transport: http.DefaultTransport,
			Sleep: func(context.Context, time.Duration) error { return nil }})
		if (err == nil) != usable {
			t.Errorf("%s: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "pass") {
			t.Errorf("%v", err)
		}
	}
}

// TestStored holds that the storage is asked without the token, and that its address is in no error.
func TestStored(t *testing.T) {
	tests := []struct {
		name   string
		answer func(n int, w http.ResponseWriter, r *http.Request)
		class  github.Class
	}{
		{"found", nil, ""},
		{"the storage refuses", func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, github.ClassPermissionDenied},
		{"the storage redirects on", func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(302)
		}, github.ClassRedirected},
		{"the storage is too large", func(_ int, w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("x", 101))
		}, github.ClassTooLarge},
		{"the storage breaks off", func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			panic(http.ErrAbortHandler)
		}, github.ClassUnreachable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var s *server
			s, client := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/a/zip":
					w.Header().Set("Location", s.URL+"/blob?sig=SECRET")
					w.WriteHeader(302)
				case test.answer != nil:
					test.answer(n, w, r)
				default:
					_, _ = io.WriteString(w, "bytes")
				}
			})
			data, err := client.Stored(context.Background(), "a/zip", 100)
			if github.ClassOf(err) != test.class || test.class == "" && string(data) != "bytes" {
				t.Errorf("%q, error %v", data, err)
			}
			if err != nil && (strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "blob")) {
				t.Errorf("error %v", err)
			}
			last := s.requests[1]
			if last.URL.Path != "/blob" || last.Header.Get("Authorization") != "" {
				t.Errorf("the storage got %s with %d bytes of authorization", last.URL.Path, len(last.Header.Get("Authorization")))
			}
			if client.Calls() != (contract.Calls{REST: 1}) {
				t.Errorf("counted %+v", client.Calls())
			}
		})
	}
	for _, location := range []string{"", "ftp://x/y", "http://example.com/blob", "/relative"} {
		_, client := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(302)
		})
		if _, err := client.Stored(context.Background(), "a/zip", 100); github.ClassOf(err) != github.ClassMalformed {
			t.Errorf("location %q: %v", location, err)
		}
	}
}
