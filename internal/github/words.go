package github

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// words is the body of a refusal. Its errors are objects, strings or one string, as the operation pleases.
type words struct {
	Message string          `json:"message"`
	Errors  json.RawMessage `json:"errors"`

	details []detail
}

type detail struct {
	Resource string `json:"resource"`
	Field    string `json:"field"`
	Code     string `json:"code"`
	Message  string `json:"message"`
}

// readWords reads what it can; a body that is not JSON has no words.
func readWords(body []byte) words {
	var w words
	if err := json.Unmarshal(body, &w); err != nil {
		return words{}
	}
	var list []json.RawMessage
	if err := json.Unmarshal(w.Errors, &list); err != nil {
		list = []json.RawMessage{w.Errors}
	}
	for _, raw := range list {
		var d detail
		if err := json.Unmarshal(raw, &d.Message); err != nil {
			if err := json.Unmarshal(raw, &d); err != nil {
				continue
			}
		}
		w.details = append(w.details, d)
	}
	return w
}

// sentence is GitHub's message and the details in one line.
func (w words) sentence() string {
	parts := []string{w.Message}
	for _, d := range w.details {
		if d.Message != "" {
			parts = append(parts, d.Message)
			continue
		}
		parts = append(parts, strings.TrimSpace(d.Resource+" "+d.Field+" "+d.Code))
	}
	return strings.Join(parts, "; ")
}

// limited recognises the rate limits that have the status of something else: a 403 with nothing but its sentence, and
// a 422 whose detail is "abuse".
func (w words) limited(status int) bool {
	switch status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusForbidden:
		return strings.Contains(strings.ToLower(w.Message), "secondary rate limit")
	case http.StatusUnprocessableEntity:
		for _, d := range w.details {
			if d.Code == "abuse" {
				return true
			}
		}
	}
	return false
}

// retryAfter is how long GitHub asks to wait: its own header, else the time until the limit is reset by GitHub's clock.
func retryAfter(header http.Header) time.Duration {
	if seconds, err := strconv.Atoi(header.Get("Retry-After")); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	reset, err := strconv.ParseInt(header.Get("X-Ratelimit-Reset"), 10, 64)
	if err != nil || header.Get("X-Ratelimit-Remaining") != "0" {
		return 0
	}
	now := dateOf(header)
	if now.IsZero() {
		return 0
	}
	return max(time.Unix(reset, 0).Sub(now), time.Second)
}
