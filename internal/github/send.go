package github

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	gogithub "github.com/google/go-github/v66/github"
)

// operation is one call as it is sent, and sent again.
type operation struct {
	name    string
	read    bool
	limit   int64
	count   func()
	request func() (*http.Request, error)
	decode  func(body []byte) *Error
	// redirect, when not nil, takes the address of a 302, which is a failure otherwise.
	redirect func(location string) *Error
}

// Bounds of what is tried again: reads only.
const (
	maxTries      = 3
	firstWait     = time.Second
	longestWait   = time.Minute
	secondaryWait = time.Minute // what GitHub asks for where it names no time
	// exchangeTime is the longest that one request and its answer may take.
	exchangeTime = 2 * time.Minute
)

// call sends an operation until it is answered or may not be tried again.
func (c *Client) call(ctx context.Context, op operation) (*Response, error) {
	wait := firstWait
	for try := 1; ; try++ {
		response, failure, err := c.send(ctx, op)
		if err != nil {
			return nil, err
		}
		if failure == nil {
			return response, nil
		}
		pause, again := c.again(op, failure, try, wait)
		if !again || ctx.Err() != nil {
			return response, failure
		}
		if err := c.sleep(ctx, pause); err != nil {
			return response, failure
		}
		wait *= 3
	}
}

// again decides whether a failed operation is sent once more, and after how long.
func (c *Client) again(op operation, failure *Error, try int, wait time.Duration) (time.Duration, bool) {
	if !op.read || try == maxTries {
		return 0, false
	}
	switch failure.Class {
	case ClassUnavailable, ClassUnreachable, ClassMalformed:
		return wait, true
	case ClassRateLimited:
		c.mutex.Lock()
		defer c.mutex.Unlock()
		pause := failure.RetryAfter
		if pause == 0 {
			pause = secondaryWait
		}
		if c.waited || pause > longestWait {
			return 0, false
		}
		c.waited = true
		return pause, true
	}
	return 0, false
}

// send makes one exchange. The failure is of the exchange; err is of a request that cannot be made.
func (c *Client) send(ctx context.Context, op operation) (*Response, *Error, error) {
	request, err := op.request()
	if err != nil {
		return nil, nil, errors.New(op.name + ": the request cannot be made")
	}
	exchange, end := context.WithTimeout(ctx, exchangeTime)
	defer end()
	request = request.WithContext(exchange)
	request.Header.Set("Authorization", "Bearer "+c.token.Reveal())
	op.count()
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, unreachable(ctx, op.name, err), nil
	}
	defer func() { _ = answer.Body.Close() }() // the body was read or is of no use
	response := &Response{Status: answer.StatusCode, More: hasNext(answer.Header), Date: dateOf(answer.Header)}
	body, tooLarge, err := readBounded(answer.Body, op.limit)
	switch {
	case tooLarge:
		return response, &Error{Operation: op.name, Class: ClassTooLarge, Status: answer.StatusCode}, nil
	case err != nil:
		return response, unreachable(ctx, op.name, err), nil
	case op.redirect != nil && answer.StatusCode == http.StatusFound:
		return response, op.redirect(answer.Header.Get("Location")), nil
	}
	failure := classify(op.name, answer, body)
	c.known(failure)
	if failure != nil {
		return response, failure, nil
	}
	if failure := op.decode(body); failure != nil {
		failure.Status = answer.StatusCode
		failure.Date = response.Date
		return response, failure, nil
	}
	return response, nil, nil
}

// unreachable describes an exchange without an answer. The error of the HTTP client holds the address with its query, so
// only its cause is kept.
func unreachable(ctx context.Context, operation string, err error) *Error {
	failure := &Error{Operation: operation, Class: ClassUnreachable}
	if cause := ctx.Err(); cause != nil {
		failure.cause, failure.Message = cause, cause.Error()
		return failure
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		failure.Message = "the answer broke off"
		return failure
	}
	failure.Message = plain(err.Error())
	return failure
}

// classify gives the failure that an answer is, or nil for a success.
func classify(operation string, answer *http.Response, body []byte) *Error {
	answer.Body = io.NopCloser(bytes.NewReader(body))
	err := gogithub.CheckResponse(answer)
	if err == nil {
		return nil
	}
	failure := &Error{
		Operation: operation,
		Class:     classOfStatus(answer.StatusCode),
		Status:    answer.StatusCode,
		Accepted:  plain(answer.Header.Get("X-Accepted-GitHub-Permissions")),
		Date:      dateOf(answer.Header),
	}
	words := readWords(body)
	failure.Message = plain(words.sentence())
	var primary *gogithub.RateLimitError
	var secondary *gogithub.AbuseRateLimitError
	switch {
	case errors.As(err, &primary), errors.As(err, &secondary), words.limited(answer.StatusCode):
		failure.Class = ClassRateLimited
		failure.RetryAfter = retryAfter(answer.Header)
	case failure.Class == ClassPermissionDenied && strings.Contains(words.Message, "is locked"):
		failure.Class = ClassLocked
	case failure.Class == ClassInvalid && strings.Contains(failure.Message, "internal error"):
		failure.Class = ClassUnavailable // a 422 that is GitHub's own fault
	}
	return failure
}

func classOfStatus(status int) Class {
	switch {
	case status == http.StatusAccepted, status >= 500:
		return ClassUnavailable
	case status >= 300 && status < 400:
		return ClassRedirected
	}
	switch status {
	case http.StatusUnauthorized:
		return ClassUnauthorized
	case http.StatusForbidden:
		return ClassPermissionDenied
	case http.StatusNotFound:
		return ClassNotFound
	case http.StatusNotAcceptable:
		return ClassNotAcceptable
	case http.StatusConflict:
		return ClassConflict
	case http.StatusGone:
		return ClassGone
	case http.StatusTooManyRequests:
		return ClassRateLimited
	}
	return ClassInvalid
}

// hasNext reports whether the Link header names a next page.
func hasNext(header http.Header) bool {
	return strings.Contains(header.Get("Link"), `rel="next"`)
}

func dateOf(header http.Header) time.Time {
	at, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return at
}
