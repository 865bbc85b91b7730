package emulatortest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// DirectURL is where a handler that is reached by [Direct] says it is.
const DirectURL = "http://localhost"

// Direct is the way to a handler without a connection: each request is served before RoundTrip returns, in the caller's own
// goroutine. A handler that hangs up is an answer that broke off, and a request whose context ended meanwhile was served and
// gets the context's error, as a client that gives up does.
func Direct(handler http.Handler) http.RoundTripper { return direct{handler} }

// Unconnected is an emulator of the seed that is reached by [Direct] alone. Its answers are not held to GitHub's description.
func Unconnected(seed emulator.Seed, options emulator.Options) (*Instance, http.RoundTripper, error) {
	server, err := emulator.New(seed, options)
	if err != nil {
		return nil, nil, err
	}
	return &Instance{Server: server, URL: DirectURL}, Direct(server.Handler()), nil
}

type direct struct{ handler http.Handler }

func (d direct) RoundTrip(request *http.Request) (answer *http.Response, err error) {
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	served := request.Clone(request.Context())
	served.RequestURI, served.RemoteAddr = request.URL.RequestURI(), "127.0.0.1:1"
	if served.Host == "" {
		served.Host = request.URL.Host
	}
	served.Body = http.NoBody
	if request.Body != nil {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		if err := request.Body.Close(); err != nil {
			return nil, err
		}
		served.Body = io.NopCloser(bytes.NewReader(body))
	}
	defer func() {
		if broken := recover(); broken != nil {
			if broken != any(http.ErrAbortHandler) {
				panic(broken)
			}
			answer, err = nil, io.ErrUnexpectedEOF
		}
	}()
	recorder := httptest.NewRecorder()
	d.handler.ServeHTTP(recorder, served)
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	given := recorder.Result()
	given.Request = request
	return given, nil
}
