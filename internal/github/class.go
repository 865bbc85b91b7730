package github

// Class is what kind of failure a call ended with. The set is closed.
type Class string

// The classes.
const (
	// ClassNotFound: 404. The thing is absent, or the token may not know of it.
	ClassNotFound Class = "not found"
	// ClassGone: 410, as for an artifact that has expired.
	ClassGone Class = "gone"
	// ClassUnauthorized: 401. The token is not, not yet, or no longer known.
	ClassUnauthorized Class = "unauthorized"
	// ClassPermissionDenied: 403, or FORBIDDEN in GraphQL. The token reaches the thing and lacks the permission.
	ClassPermissionDenied Class = "permission denied"
	// ClassLocked: 403 because the conversation is locked.
	ClassLocked Class = "conversation locked"
	// ClassRateLimited: a primary or secondary limit, in any of the forms GitHub has for it.
	ClassRateLimited Class = "rate limited"
	// ClassRedirected: 3xx. The repository was renamed or transferred: it is a changed item.
	ClassRedirected Class = "redirected"
	// ClassNotAcceptable: 406. The pull request's diff is larger than GitHub makes.
	ClassNotAcceptable Class = "not acceptable"
	// ClassConflict: 409, or STALE_DATA in GraphQL.
	ClassConflict Class = "conflict"
	// ClassInvalid: 400, 422, or a GraphQL document that was refused. Nothing was done.
	ClassInvalid Class = "invalid request"
	// ClassUnavailable: 5xx, 202, or a 422 that tells of an internal error. GitHub did not say whether the thing was done.
	ClassUnavailable Class = "unavailable"
	// ClassMalformed: a success whose body is not the answer that GitHub describes, an empty one included.
	ClassMalformed Class = "malformed answer"
	// ClassTooLarge: an answer beyond the bound of the operation.
	ClassTooLarge Class = "answer too large"
	// ClassUnreachable: no answer, or one that broke off.
	ClassUnreachable Class = "unreachable"
)

// OutcomeUnknown reports whether a write that ended so may have been done all the same.
func (c Class) OutcomeUnknown() bool {
	switch c {
	case ClassUnavailable, ClassMalformed, ClassTooLarge, ClassUnreachable:
		return true
	}
	return false
}
