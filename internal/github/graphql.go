package github

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

// GraphQL sends one document. out takes the data, as [Client.REST] decodes it. Any entry in the answer's errors is a
// failure, also where data came with it. A query is tried again as a GET is, a mutation never.
func (c *Client) GraphQL(ctx context.Context, document string, variables map[string]any, out any, options ...Option) error {
	set := settings{limit: defaultLimit}
	for _, option := range options {
		option(&set)
	}
	kind, name := heading(document)
	op := operation{name: "GraphQL " + name, read: kind == "query", count: c.countGraphQL, limit: set.limit}
	op.request = func() (*http.Request, error) {
		return c.requests.NewRequest(http.MethodPost, c.graphQLURL, map[string]any{"query": document, "variables": variables})
	}
	op.decode = func(body []byte) *Error {
		var answer graphQLAnswer
		if failure := decode(op.name, body, &answer); failure != nil {
			return failure
		}
		if failure := answer.failure(op.name); failure != nil {
			return failure
		}
		if len(answer.Data) == 0 || string(answer.Data) == "null" {
			return Malformed(op.name, "the answer has no data")
		}
		return decode(op.name, answer.Data, out)
	}
	_, err := c.call(ctx, op)
	return err
}

// heading reads "query" or "mutation" and the operation's name from the start of a document.
func heading(document string) (kind, name string) {
	fields := strings.FieldsFunc(document, func(r rune) bool {
		return !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	})
	if len(fields) < 2 {
		return "", ""
	}
	return fields[0], fields[1]
}

type graphQLAnswer struct {
	Data   json.RawMessage `json:"data"`
	Errors []struct {
		Type       string `json:"type"`
		Message    string `json:"message"`
		Extensions struct {
			Code string `json:"code"`
		} `json:"extensions"`
	} `json:"errors"`
}

// failure gives the class of the first error that has one. An error without a type and without a code is a fault of
// GitHub's; one with a code alone is a document that was refused.
func (a graphQLAnswer) failure(operation string) *Error {
	if len(a.Errors) == 0 {
		return nil
	}
	failure := &Error{Operation: operation, Class: ClassUnavailable, Message: plain(a.Errors[0].Message)}
	for _, e := range a.Errors {
		class := classOfType(e.Type)
		if class == "" && e.Type == "" && e.Extensions.Code != "" {
			class = ClassInvalid
		}
		if class != "" {
			failure.Class, failure.Message = class, plain(e.Message)
			break
		}
	}
	return failure
}

func classOfType(kind string) Class {
	switch kind {
	case "FORBIDDEN", "INSUFFICIENT_SCOPES":
		return ClassPermissionDenied
	case "NOT_FOUND":
		return ClassNotFound
	case "RATE_LIMITED":
		return ClassRateLimited
	case "STALE_DATA":
		return ClassConflict
	case "UNPROCESSABLE", "MAX_NODE_LIMIT_EXCEEDED", "EXCESSIVE_PAGINATION":
		return ClassInvalid
	}
	return ""
}
