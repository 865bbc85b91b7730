package emulator

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// object is a JSON object that GitHub answers with.
type object = map[string]any

// answer is what a call gets. The body is an object or list to write as JSON, or bytes to write as they are.
type answer struct {
	status int
	header http.Header
	body   any
	// hangUp closes the connection without an answer.
	hangUp bool
}

// documentation is the address every error answer points to.
const documentation = "https://docs.github.com/rest"

// problem is an error answer.
func problem(status int, message string) answer {
	return answer{status: status, header: http.Header{}, body: object{
		"message": message, "documentation_url": documentation, "status": strconv.Itoa(status),
	}}
}

func notFound() answer { return problem(http.StatusNotFound, "Not Found") }

// unprocessable is a 422 whose message is all it says.
func unprocessable(message string) answer { return problem(http.StatusUnprocessableEntity, message) }

// rejected is a 422 in the form of reviews and their comments: a list of sentences.
func rejected(sentences ...string) answer {
	refusal := problem(http.StatusUnprocessableEntity, "Unprocessable Entity")
	refusal.body.(object)["errors"] = sentences
	return refusal
}

// invalid is a 422 in the form most operations use: a list of objects.
func invalid(resource, field, code, message string) answer {
	refusal := problem(http.StatusUnprocessableEntity, "Validation Failed")
	detail := object{"resource": resource, "field": field, "code": code}
	if message != "" {
		detail["message"] = message
	}
	refusal.body.(object)["errors"] = []any{detail}
	return refusal
}

func ok(body any) answer { return answer{status: http.StatusOK, body: body} }

// encode returns the bytes of the body and their media type, which is empty where the handler chose one.
func (a answer) encode() ([]byte, string) {
	switch body := a.body.(type) {
	case nil:
		return nil, ""
	case []byte:
		return body, ""
	default:
		document, err := json.Marshal(body)
		if err != nil { // bodies are made of strings, numbers, lists and objects only
			panic(err)
		}
		return document, "application/json; charset=utf-8"
	}
}
