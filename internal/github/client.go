package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	gogithub "github.com/google/go-github/v66/github"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

// defaultLimit bounds an answer in bytes where the operation names no bound of its own.
const defaultLimit = 8 << 20

// Options are what a [Client] is made from. All are required.
type Options struct {
	// APIURL and GraphQLURL are the addresses of the two APIs: https anywhere, http on loopback only.
	APIURL, GraphQLURL string
	// Token is sent to these two addresses and nowhere else.
	Token secret.Credential
	// Transport makes the connections. It must not follow redirects or add credentials by itself.
	Transport http.RoundTripper
	// Sleep waits between two tries of a read, or ends early with the context's error.
	Sleep func(context.Context, time.Duration) error
}

// Client calls GitHub with one token. Its methods may be called from several goroutines.
type Client struct {
	requests   *gogithub.Client // makes requests and reads errors; it never sends anything
	graphQLURL string
	token      secret.Credential
	http       *http.Client
	sleep      func(context.Context, time.Duration) error

	mutex  sync.Mutex
	calls  contract.Calls
	waited bool
	// accepted says that GitHub did something with the token.
	accepted bool
}

// New makes a client. The error names the option that cannot be used.
func New(options Options) (*Client, error) {
	base, err := address("API", options.APIURL)
	if err != nil {
		return nil, err
	}
	graphQL, err := address("GraphQL", options.GraphQLURL)
	if err != nil {
		return nil, err
	}
	if options.Token.IsZero() {
		return nil, errors.New("make a GitHub client: the token is empty")
	}
	if strings.ContainsFunc(options.Token.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("make a GitHub client: the token holds white space or another character that no token has")
	}
	if options.Transport == nil || options.Sleep == nil {
		return nil, errors.New("make a GitHub client: it needs a transport and a way to wait")
	}
	if !strings.HasSuffix(base.Path, "/") {
		base.Path += "/"
	}
	requests := gogithub.NewClient(nil)
	requests.BaseURL = base
	requests.UserAgent = "airlock"
	return &Client{
		requests:   requests,
		graphQLURL: graphQL.String(),
		token:      options.Token,
		http: &http.Client{
			Transport:     options.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		sleep: options.Sleep,
	}, nil
}

// address accepts https anywhere and http on loopback, so that a token never travels in clear.
func address(name, raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || !secure(u) {
		return nil, fmt.Errorf("make a GitHub client: the %s address must be an https URL, or http on loopback", name)
	}
	return u, nil
}

func secure(u *url.URL) bool {
	if u.Scheme == "https" {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// Calls returns how many API calls were made so far, repeated ones included. A download from the storage that GitHub
// redirects to is not an API call.
func (c *Client) Calls() contract.Calls {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.calls
}

// Sleep waits, or returns the context's error.
func (c *Client) Sleep(ctx context.Context, wait time.Duration) error { return c.sleep(ctx, wait) }

// Response is what a call's answer said beside its body.
type Response struct {
	Status int
	// More says that the list has a further page.
	More bool
	// Date is the time of GitHub's clock, zero where the answer had none.
	Date time.Time
}

// Option changes one call.
type Option func(*settings)

type settings struct {
	accept string
	limit  int64
}

// Accept asks for another media type than JSON; the answer then goes into a *[]byte.
func Accept(mediaType string) Option { return func(s *settings) { s.accept = mediaType } }

// Limit bounds the answer in bytes; a larger one is [ClassTooLarge].
func Limit(bytes int64) Option { return func(s *settings) { s.limit = bytes } }

// REST makes one call. path is relative to the API's address, escaped where needed, with its query; in is sent as JSON
// unless nil. out is nil where the answer has no body that counts, a *[]byte for the body as it is, or a pointer that one
// JSON document is decoded into: unknown fields are ignored, an empty or broken document is [ClassMalformed]. Whether the
// decoded fields are there is the caller's to check. The error is a [*Error] except for a request that cannot be made.
//
// A GET is tried again after [ClassUnavailable], [ClassUnreachable] and [ClassMalformed], at most twice, and once in the
// life of the client after [ClassRateLimited] where the wait is at most a minute. Any other method is sent once.
func (c *Client) REST(ctx context.Context, method, path string, in, out any, options ...Option) (*Response, error) {
	set := settings{limit: defaultLimit}
	for _, option := range options {
		option(&set)
	}
	name, _, _ := strings.Cut(path, "?")
	op := operation{name: method + " /" + strings.TrimPrefix(name, "/"), read: method == http.MethodGet, count: c.countREST, limit: set.limit}
	op.request = func() (*http.Request, error) {
		request, err := c.requests.NewRequest(method, strings.TrimPrefix(path, "/"), in)
		if err == nil && set.accept != "" {
			request.Header.Set("Accept", set.accept)
		}
		return request, err
	}
	op.decode = func(body []byte) *Error { return decode(op.name, body, out) }
	return c.call(ctx, op)
}

// decode reads the body of a success into out.
func decode(operation string, body []byte, out any) *Error {
	switch out := out.(type) {
	case nil:
		return nil
	case *[]byte:
		*out = body
		return nil
	}
	if trimmed := bytes.TrimSpace(body); len(trimmed) == 0 || string(trimmed) == "null" {
		return Malformed(operation, "the answer is empty")
	}
	if err := json.Unmarshal(body, out); err != nil {
		var mistyped *json.UnmarshalTypeError
		if errors.As(err, &mistyped) && mistyped.Field != "" {
			return Malformed(operation, "field "+plain(mistyped.Field)+" has another type than GitHub describes")
		}
		return Malformed(operation, "the answer is not one JSON document of the described form")
	}
	return nil
}

// Page adds the two parameters of a page of 100 to a path.
func Page(path string, page int) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return fmt.Sprintf("%s%sper_page=100&page=%d", path, separator, page)
}

// Pages reads the pages of a REST list, at most limit of them, each by read, which is given its path. whole is false where there
// are more. What read took of the pages before an error stands.
func Pages(path string, limit int, read func(path string) (*Response, error)) (whole bool, err error) {
	for page := 1; page <= limit; page++ {
		response, err := read(Page(path, page))
		if err != nil {
			return false, err
		}
		if !response.More {
			return true, nil
		}
	}
	return false, nil
}

// Repository is the path of a repository, without a slash at its end.
func Repository(owner, name string) string {
	return "repos/" + url.PathEscape(owner) + "/" + url.PathEscape(name)
}

// known notes a success, and marks a failure of a token that GitHub did something with before.
func (c *Client) known(failure *Error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if failure == nil {
		c.accepted = true
		return
	}
	failure.Known = c.accepted
}

func (c *Client) countREST() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.calls.REST++
}

func (c *Client) countGraphQL() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.calls.GraphQL++
}

// readBounded reads a body within a limit.
func readBounded(body io.Reader, limit int64) (data []byte, tooLarge bool, err error) {
	data, err = io.ReadAll(io.LimitReader(body, limit+1))
	if int64(len(data)) > limit {
		return nil, true, nil
	}
	return data, false, err
}
