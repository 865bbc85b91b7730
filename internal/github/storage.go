package github

import (
	"context"
	"net/http"
	"net/url"
)

// Stored reads what GitHub keeps in a storage of others: a GET that answers 302 with an address that holds a credential of
// its own. The address is asked without our token, is never followed further, and never leaves this function. Each side is
// tried once more at most where the storage breaks off; the answer is bounded by limit bytes.
func (c *Client) Stored(ctx context.Context, path string, limit int64) ([]byte, error) {
	var location *url.URL
	op := operation{name: "GET /" + path, read: true, count: c.countREST, limit: defaultLimit}
	op.request = func() (*http.Request, error) { return c.requests.NewRequest(http.MethodGet, path, nil) }
	op.decode = func([]byte) *Error { return Malformed(op.name, "the answer is not a redirect to the storage") }
	op.redirect = func(raw string) *Error {
		u, err := url.Parse(raw)
		if err != nil || u.Host == "" || !secure(u) {
			return Malformed(op.name, "the redirect names no usable address")
		}
		location = u
		return nil
	}
	if _, err := c.call(ctx, op); err != nil {
		return nil, err
	}
	return c.fetch(ctx, op.name+" (storage)", location, limit)
}

// fetch reads the storage with a bare request.
func (c *Client) fetch(ctx context.Context, name string, location *url.URL, limit int64) ([]byte, error) {
	exchange, end := context.WithTimeout(ctx, exchangeTime)
	defer end()
	request, err := http.NewRequestWithContext(exchange, http.MethodGet, location.String(), nil)
	if err != nil {
		return nil, Malformed(name, "the redirect names no usable address")
	}
	answer, err := c.http.Do(request)
	if err != nil {
		failure := &Error{Operation: name, Class: ClassUnreachable, Message: "the storage did not answer", cause: ctx.Err()}
		return nil, failure
	}
	defer func() { _ = answer.Body.Close() }() // the body was read or is of no use
	if answer.StatusCode != http.StatusOK {
		return nil, &Error{Operation: name, Class: classOfStatus(answer.StatusCode), Status: answer.StatusCode}
	}
	data, tooLarge, err := readBounded(answer.Body, limit)
	switch {
	case tooLarge:
		return nil, &Error{Operation: name, Class: ClassTooLarge, Status: answer.StatusCode}
	case err != nil:
		return nil, &Error{Operation: name, Class: ClassUnreachable, Message: "the answer broke off", cause: ctx.Err()}
	}
	return data, nil
}
