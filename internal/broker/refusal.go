package broker

import "github.com/seed-2ea642bd/airlock/internal/contract"

// Refusal says which rule a request broke: one word of the list below. It never holds anything of the request.
type Refusal string

// The rules of a request, in the order they are asked.
const (
	// RefusedForm: it is no HTTP/1.1 request that can be read.
	RefusedForm Refusal = "form"
	// RefusedToken: it carries another token than this Run's, none, or several.
	RefusedToken Refusal = "token"
	// RefusedMethod: its method is not the one.
	RefusedMethod Refusal = "method"
	// RefusedPath: its path or query is not the one, or it names a host of its own.
	RefusedPath Refusal = "path"
	// RefusedHost: it is meant for another host than the address the CLI was told.
	RefusedHost Refusal = "host"
	// RefusedHeaders: a header asks for another protocol or says that the body is encoded, or one that is passed on stands
	// twice or is malformed.
	RefusedHeaders Refusal = "headers"
	// RefusedSize: the body is larger than the limit.
	RefusedSize Refusal = "size"
	// RefusedBody: the body is not one JSON object, strictly read, or did not arrive whole.
	RefusedBody Refusal = "body"
	// RefusedKey: the body has a key that no known request has.
	RefusedKey Refusal = "key"
	// RefusedModel: the model is not the pinned one.
	RefusedModel Refusal = "model"
	// RefusedTools: the tools are not exactly the one that answers, with exactly our schema.
	RefusedTools Refusal = "tools"
	// RefusedContent: a message, instruction or setting is of a kind that no known request has.
	RefusedContent Refusal = "content"
	// RefusedTokens: the answer may be longer than the limit, or is not bounded.
	RefusedTokens Refusal = "tokens"
	// RefusedCount: the Run has made as many requests as it may.
	RefusedCount Refusal = "count"
	// RefusedBudget: the most that it can cost is more than what is left of the budget.
	RefusedBudget Refusal = "budget"
)

// Code is the reason code that a Run ends with.
func (r Refusal) Code() contract.Code {
	switch r {
	case "":
		return ""
	case RefusedBudget:
		return contract.CodeEngineBudget
	case RefusedCount:
		return contract.CodeEngineTurns
	}
	return contract.CodeEngineEgress
}
