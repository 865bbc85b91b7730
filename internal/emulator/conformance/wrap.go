package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// Offline is the environment variable that allows a test to be skipped where the description cannot be installed.
const Offline = "AIRLOCK_TEST_OFFLINE"

// Require loads the description. Without it the test fails and names the command; it is skipped, loudly, where Offline
// is set.
func Require(t testing.TB) *Description {
	t.Helper()
	description, err := Load()
	if errors.Is(err, ErrNotInstalled) && os.Getenv(Offline) != "" {
		t.Skipf("NOT RUN, because %s is set: %v", Offline, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return description
}

// Wrap returns a handler that serves as the given one does, and reports every request and answer that GitHub's
// description does not allow as an error of the test. Answers of a fault and the emulator's own paths are not held to
// the description; requests always are, unless the emulator refused them for their form.
//
// Where Offline is set and the description is not installed it returns the handler itself, and logs so.
func Wrap(t testing.TB, handler http.Handler) http.Handler {
	t.Helper()
	description, err := Load()
	if errors.Is(err, ErrNotInstalled) && os.Getenv(Offline) != "" {
		t.Logf("NOT VALIDATED, because %s is set: %v", Offline, err)
		return handler
	}
	if err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/_") {
			handler.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("%s %s: read the request: %v", r.Method, r.URL.Path, err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, r)
		given := recorder.Result()
		document := recorder.Body.Bytes()
		for _, complaint := range description.Check(r, body, given.StatusCode, given.Header, document) {
			t.Errorf("%s %s -> %d: %s", r.Method, r.URL.RequestURI(), given.StatusCode, complaint)
		}
		for name, values := range given.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(given.StatusCode)
		_, _ = w.Write(document) // a client that has gone away knows it
	})
}

// everywhere are statuses that GitHub answers with on any operation, and that its description leaves out on most.
var everywhere = []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
	http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusGone}

// refusedForForm are the statuses of a request that the emulator found wrong itself.
var refusedForForm = []int{http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotFound}

// Check says what is wrong with a request and its answer; nothing when GitHub's description allows both.
func (description *Description) Check(r *http.Request, body []byte, status int, header http.Header, document []byte) []string {
	if r.URL.Path == "/graphql" {
		return description.checkGraphQL(body, status, header, document)
	}
	faulted := header.Get(emulator.FaultHeader) != ""
	request := r.Clone(r.Context())
	request.Body = io.NopCloser(bytes.NewReader(body))
	route, values, err := description.router.FindRoute(request)
	if err != nil {
		if slices.Contains(refusedForForm, status) || faulted {
			return nil
		}
		return []string{"not described: " + err.Error()}
	}
	options := &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true, IncludeResponseStatus: true}
	input := &openapi3filter.RequestValidationInput{Request: request, PathParams: values, Route: route, Options: options}
	var complaints []string
	if err := openapi3filter.ValidateRequest(r.Context(), input); err != nil && !slices.Contains(refusedForForm, status) {
		complaints = append(complaints, "request: "+err.Error())
	}
	if faulted {
		return complaints
	}
	if described := route.Operation.Responses.Status(status); described == nil && slices.Contains(everywhere, status) {
		var refusal struct {
			Message          string `json:"message"`
			DocumentationURL string `json:"documentation_url"`
		}
		if err := json.Unmarshal(document, &refusal); err != nil || refusal.Message == "" || refusal.DocumentationURL == "" {
			complaints = append(complaints, fmt.Sprintf("answer: no error of GitHub's form: %s", document))
		}
		return complaints
	}
	if mediaType := header.Get("Content-Type"); strings.Contains(mediaType, ".diff") || strings.Contains(mediaType, ".raw") || status == http.StatusFound {
		return complaints // other media types have no schema
	}
	err = openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: status, Header: header, Body: io.NopCloser(bytes.NewReader(document)), Options: options})
	var multi openapi3.MultiError
	if errors.As(err, &multi) {
		for _, one := range multi {
			complaints = append(complaints, "answer: "+firstLines(one.Error()))
		}
	} else if err != nil {
		complaints = append(complaints, "answer: "+firstLines(err.Error()))
	}
	return complaints
}

// firstLines cuts the schema that the validator appends to its sentence.
func firstLines(text string) string {
	lines := strings.SplitN(text, "\n", 4)
	return strings.Join(lines[:min(3, len(lines))], " ")
}
