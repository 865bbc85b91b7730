package emulator

const graphqlCall = "POST /graphql"

// graphqlFaults are the failures that GraphQL answers with status 200.
func graphqlFaults() []faultKind {
	failed := func(kind, message string) func(*call) answer {
		return func(*call) answer {
			return ok(object{"data": nil, "errors": []*graphError{{Type: kind, Message: message}}})
		}
	}
	const wentWrong = "Something went wrong while executing your query."
	return []faultKind{
		{Kind: Kind{"graphql-forbidden", "The answer is 200 with an error of the type FORBIDDEN; not done.", "G1, W63"}, only: graphqlCall,
			before: instead(failed("FORBIDDEN", "Resource not accessible by integration"))},
		{Kind: Kind{"graphql-not-found", "The answer is 200 with an error of the type NOT_FOUND; not done.", "H5"}, only: graphqlCall,
			before: instead(failed("NOT_FOUND", "Could not resolve to a node with the global id."))},
		{Kind: Kind{"graphql-limited", "The answer is 200 with an error of the type RATE_LIMITED; not done.", "F4"}, only: graphqlCall,
			before: instead(failed("RATE_LIMITED", "API rate limit exceeded for installation."))},
		{Kind: Kind{"graphql-failed-done", "The operation is done, and the answer is 200 with an error that has no type.", "D1"}, only: graphqlCall,
			after: replaced(failed("", wentWrong))},
		{Kind: Kind{"graphql-failed-not-done", "The answer is 200 with an error that has no type; not done.", "D1"}, only: graphqlCall,
			before: instead(failed("", wentWrong))},
	}
}
